"""Log marginal likelihoods under rules: they are probabilities, and all ways to them agree.

PDK-16, PDK-30, PDK-33, PDK-40; G11; INEQ-16.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import betainc

import naive_constants as naive
from small_blocks import at_least, at_most, below, blocks, exactly, rising
from tacit.estimate.bayes import constants
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.bayes.masses import by_levels
from tacit.knowledge.polytope import relative_interior

FEW = Sampling(draws=2_000)


def evidence(lengths, rules, alpha, counts, settings=FEW, **more):
    """Of several counts (many, cells) at once, each in a block of its own."""
    counts = np.atleast_2d(np.asarray(counts, dtype=float))
    given = blocks(*[(lengths, rules)] * len(counts))
    prior = np.tile(np.asarray(alpha, dtype=float), len(counts))
    exact = Exact.of(given, relative_interior(given), Density(prior, **more))
    return constants.log_evidence(given, exact, prior, counts.ravel(), settings, 1, **more)


TYPES = {
    "free": ([3], []),
    "a sum below a sum": ([4], [below([0], [1, 2])]),
    "a bound": ([3], [at_most([0], 0.3)]),
    "two states": ([2], [at_most([0], 0.6), at_least([0], 0.55)]),
    "a box": ([3], [at_most([0], 0.5), at_most([1], 0.4)]),
    "a chain": ([3], rising([0, 1, 2])),
    "known": ([3], [exactly([0], 0.2), at_most([1], 0.3)]),
    "shared": ([4], [below([0], [1], equal=True), at_most([2], 0.4)]),
    "proportional": ([3], [below([0], [1], 2.0, equal=True), at_least([2], 0.2)]),
    "shared across": ([2, 3], [below([0], [2], equal=True), at_most([0], 0.3)]),
    "equal masses": ([3, 3], [below([0, 1], [3, 4], equal=True), below([0], [1])]),
    "ordered": ([2, 2], [below([0], [2])]),
    "zero": ([3], [at_most([0], 0.0), at_most([1], 0.7)]),
}


@pytest.mark.parametrize("name", TYPES)
def test_all_data_sets_of_one_size_have_probability_1_together(name):
    lengths, rules = TYPES[name]
    cases = 3 if len(lengths) == 1 else 2
    rows = [list(naive.all_counts(length, cases)) for length in lengths]
    sets = list(product(*rows))
    ways = np.array([np.prod([naive.orders(row) for row in each]) for each in sets])
    counts = np.array([[count for row in each for count in row] for each in sets])
    alpha = np.linspace(1.2, 2.1, sum(lengths))
    found = evidence(lengths, rules, alpha, counts)
    assert (found.error == 0).all()
    assert_allclose(ways @ np.exp(found.value), 1.0, rtol=1e-8)


@pytest.mark.parametrize("name", [name for name in TYPES if len(TYPES[name][0]) == 1])
def test_the_next_case_is_predicted_by_the_mean(name):
    """Z(α + N + δ) / Z(α + N) adds up to 1 over the states, and is E θ."""
    lengths, rules = TYPES[name]
    size = sum(lengths)
    alpha = np.linspace(1.2, 2.1, size) + np.arange(size)
    given = blocks((lengths, rules))
    density = Density(alpha)
    exact = Exact.of(given, relative_interior(given), density)
    predicted = np.exp(evidence(lengths, rules, alpha, np.eye(size)).value)
    assert_allclose(predicted.sum(), 1.0)
    assert_allclose(predicted, exact.mean(density), atol=1e-9)


def test_a_case_that_uses_a_shared_cell_twice_needs_the_ratio_of_constants():
    """E θ² of a cell that two rows share, under a bound: not (E θ)². [1.7]"""
    lengths, rules = [3, 3], [below([0], [3], equal=True), at_most([0], 0.3)]
    alpha = np.array([2.0, 1.0, 1.5, 1.0, 2.0, 1.0])
    twice = np.zeros(6)
    twice[[0, 3]] = 1
    found = float(np.exp(evidence(lengths, rules, alpha, twice).value[0]))
    given = blocks((lengths, rules))
    density = Density(alpha)
    exact = Exact.of(given, relative_interior(given), density)
    mean, sd = exact.mean(density)[0], exact.sd(density)[0]
    assert_allclose(found, sd**2 + mean**2)
    shared, rest = 2.0, 5.5 - 1
    direct = shared * (shared + 1) / ((shared + rest) * (shared + rest + 1))
    direct *= betainc(shared + 2, rest, 0.3) / betainc(shared, rest, 0.3)
    assert_allclose(found, direct)
    assert found > 1.1 * mean**2


def test_counts_where_the_rules_leave_nothing_are_impossible():
    found = evidence([3], [at_most([0], 0.0)], [1, 1, 1], [[1, 0, 0], [0, 1, 0]])
    assert found.value[0] == -np.inf
    assert_allclose(found.value[1], np.log(0.5))
    found = evidence([3], [*rising([0, 1, 2]), at_most([0], 0.0)], [1, 1, 1], [[1, 0, 0]])
    assert found.value[0] == -np.inf


def ask(lengths, rules, alpha, counts, seed):
    given = blocks((lengths, rules))
    inside = relative_interior(given)
    prior = Density(np.asarray(alpha, dtype=float))
    return constants._Ask(given, inside, prior, np.asarray(counts, dtype=float), FEW, seed, 1)


WAYS = {
    "a sum below a sum": ([5], [below([0, 1], [2])], [3, 2, 4, 5, 1]),
    "shared": ([4], [below([0], [1], equal=True), at_most([2], 0.25)], [4, 2, 5, 5]),
    "a chain": ([3], rising([0, 1, 2]), [3, 1, 6]),
}


@pytest.mark.parametrize("name", WAYS)
def test_draws_and_bridges_agree_with_the_constants(name):
    lengths, rules, counts = WAYS[name]
    alpha = np.ones(sum(lengths))
    exact = evidence(lengths, rules, alpha, counts).value[0]
    question = ask(lengths, rules, alpha, counts, seed=5)
    for way in (constants._independent, constants._bridge):
        found = way(question)
        assert 0 < found.error[0] < 0.1
        assert abs(found.value[0] - exact) < 4.5 * found.error[0]


def test_rules_without_a_closed_form_are_weighed_by_draws_and_by_bridges():
    """Two rows in stochastic order: both ways agree, and say how they went."""
    lengths, rules = [3, 3], [below([0], [3]), below([0, 1], [3, 4])]
    counts = [3, 2, 4, 6, 1, 1]
    found = evidence(lengths, rules, np.ones(6), counts)
    assert found.how[0].startswith("independent draws")
    bridge = constants._bridge(ask(lengths, rules, np.ones(6), counts, seed=2))
    assert abs(bridge.value[0] - found.value[0]) < 4.5 * np.hypot(bridge.error, found.error)[0]


def test_a_posterior_that_the_rules_resist_is_reached_by_a_bridge():
    """The data contradict the chain: hardly a draw obeys, and the bridge is right nevertheless.

    θ_1 <= θ_2 <= θ_3 <= θ_4 against falling counts, where fractions know the truth:
    with cells as sums of v_k / (4 - k), powers expand into polynomials of v.
    """
    counts = [6, 4, 2, 1]
    found = evidence([4], rising([0, 1, 2, 3]), np.ones(4), counts)
    assert found.how[0].startswith("bridge")
    exact = naive.logarithm(rising_ratio(counts))
    assert abs(found.value[0] - exact) < 4.5 * found.error[0] < 0.5


def rising_ratio(powers):
    """E Π θ^powers over θ uniform on rising rows: moments of a Dirichlet of ones."""
    from fractions import Fraction
    from math import factorial

    size = len(powers)
    found = {(0,) * size: Fraction(1)}
    for cell, power in enumerate(powers):
        for _ in range(power):
            grown = {}
            for exponents, value in found.items():
                for at in range(cell + 1):
                    key = tuple(e + (k == at) for k, e in enumerate(exponents))
                    grown[key] = grown.get(key, Fraction(0)) + value / (size - at)
            found = grown
    top = factorial(size - 1)
    return sum(
        value * top * np.prod([factorial(e) for e in exponents], dtype=object)
        / factorial(sum(exponents) + size - 1)
        for exponents, value in found.items()
    )  # fmt: skip


def test_a_rare_event_is_found_by_levels():
    given = blocks(([4], [at_most([0], 0.1)]))
    density = Density(np.array([31.0, 11.0, 11.0, 11.0]))
    inside = relative_interior(given)
    found = by_levels(given, np.arange(1), density, FEW, 3, inside=inside)
    exact = Exact.of(given, inside, density).log_mass(density)[0]
    assert exact < -25
    assert 0 < found.error[0] < 0.5
    assert abs(found.value[0] - exact) < 4.5 * found.error[0]


def test_the_mass_of_a_chain_of_equals_is_one_in_a_factorial():
    given = blocks(([5], rising([0, 1, 2, 3, 4])), ([3], rising([0, 1, 2])))
    density = Density(np.ones(8))
    exact = Exact.of(given, relative_interior(given), density)
    found = constants.log_mass(given, exact, density, FEW, 1)
    wanted = -np.log([120.0, 6.0])
    assert (np.abs(found.value - wanted) < 4.5 * found.error).all()


def test_the_bayes_factor_of_a_bound_is_a_ratio_of_incomplete_betas():
    """Two states: I(α + N) / I(α). [2.8]"""
    given = blocks(([2], [at_most([0], 0.2)]))
    alpha, counts = np.ones(2), np.array([9.0, 3.0])
    exact = Exact.of(given, relative_interior(given), Density(alpha))
    found = constants.log_factor(given, exact, alpha, counts, FEW, 1)
    assert_allclose(found.value, np.log(betainc(10, 4, 0.2) / 0.2))
    assert found.value[0] < -5  # the data contradict the expert
    assert found.error[0] == 0


def test_a_rule_that_holds_anyway_neither_gains_nor_loses():
    counts = np.array([1.0, 400.0, 500.0])
    plain = evidence([3], [], np.ones(3) * 50, counts).value
    ruled = evidence([3], [at_most([0], 0.9)], np.ones(3) * 50, counts).value
    assert_allclose(ruled, plain, rtol=1e-12)


def test_a_bound_in_a_sharing_tree_is_as_probable_as_draws_of_the_tree_say():
    """PDK-30: the recursion of 2.7 gives the law of the cell that is bounded."""
    rules = [
        below([0], [4], equal=True), below([0], [8], equal=True), below([0], [11], equal=True),
        below([1], [5], equal=True), below([9], [12], equal=True),
    ]  # fmt: skip
    alpha = Density(np.linspace(1.1, 2.4, 14))
    free = blocks(([4, 4, 3, 3], rules))
    drawn = Exact.of(free, relative_interior(free), alpha).forest.sample(
        alpha.alpha, np.random.default_rng(8), 20_000
    )
    assert_allclose(drawn[:, :4].sum(axis=1), 1.0)
    part = (drawn[:, 1] <= 0.5 * (drawn[:, 2] + drawn[:, 3])).mean()
    # a share of what is left below the first cell, in both rows that share the second
    rule = below([1], [2, 3], 0.5)
    given = blocks(([4, 4, 3, 3], [*rules, rule]))
    found = Exact.of(given, relative_interior(given), alpha)
    assert found.which.all()
    error = np.sqrt((1 - part) / (part * 20_000))
    assert abs(found.log_mass(alpha)[0] - np.log(part)) < 4.5 * error


def test_threads_and_repetition_change_no_bit():
    lengths, rules = [4], rising([0, 1, 2, 3])
    given = blocks((lengths, rules), (lengths, rules))
    inside, alpha = relative_interior(given), np.ones(8)
    exact = Exact.of(given, inside, Density(alpha))
    counts = np.array([3.0, 2, 1, 1, 0, 2, 3, 1])
    one, other = (
        constants.log_evidence(given, exact, alpha, counts, FEW, 4, threads=threads, inside=inside)
        for threads in (1, 2)
    )
    assert (one.value == other.value).all()
    assert (one.error == other.error).all()
