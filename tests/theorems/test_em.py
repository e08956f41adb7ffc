"""The formulas of incomplete data as the specification prints them."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_inference as naive
import questions
import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import table

COIN = Discrete("Coin", ("one", "two"))
FIRST, SECOND = Discrete("First", ("tail", "head")), Discrete("Second", ("tail", "head"))


def coins(which: float, one: float, two: float) -> Network:
    """A coin is picked, then thrown twice."""
    rows = [[1 - one, one], [1 - two, two]]
    return Network.of(
        [
            table(COIN, [], [1 - which, which]),
            table(FIRST, [COIN], rows),
            table(SECOND, [COIN], rows),
        ]
    )


def throws(both: int, mixed: int, none: int) -> Dataset:
    """So many cases with two heads, one, none."""
    heads = [(1, 1)] * both + [(1, 0)] * mixed + [(0, 0)] * none
    first, second = (np.array(each) for each in zip(*heads, strict=True))
    return Dataset({"First": FIRST, "Second": SECOND}, {"First": first, "Second": second})


@settings(max_examples=25)
@given(st.tuples(*[st.floats(0.05, 0.95)] * 3), st.tuples(*[st.integers(1, 9)] * 3))
def test_one_step_of_em_on_two_coins_is_the_textbook_update(start, counts):
    """E: w = P(coin two | throws); M: shares of w and of its heads. [Alg 3.3.3]"""
    which, one, two = start
    cases = throws(*counts)
    fit = tc.fit(
        coins(which, one, two), cases, hidden="rest", tied=[("First", "Second")],
        estimate=tc.ML(), start="given", method=tc.EM(accelerate=False, max_steps=1),
    )  # fmt: skip
    weight, heads, total, likelihood = np.zeros(2), np.zeros(2), 0, 0.0
    for number, seen in zip(counts, (2, 1, 0), strict=True):
        chance = np.array(
            [
                (1 - which) * one**seen * (1 - one) ** (2 - seen),
                which * two**seen * (1 - two) ** (2 - seen),
            ]
        )
        share = chance / chance.sum()
        weight += number * share
        heads += number * seen * share
        total += number
        likelihood += number * log(chance.sum())
    assert_allclose(fit.trace[0], likelihood, rtol=1e-10)
    assert_allclose(fit.network["Coin"].values, weight / total, rtol=1e-9)
    assert_allclose(fit.network["First"].values[:, 1], heads / (2 * weight), rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_expected_counts_are_sums_of_posteriors_of_families(seed):
    """E_Q[N(x, pa)] = Σ over cases of Q(x, pa | what is observed). [(2.16)]"""
    network = questions.random_network(seed, size=4)
    cases = tc.sample(network, 15, seed=seed, missing=tc.AtRandom(0.4))
    fit = tc.fit(
        network, cases, estimate=tc.ML(), start="given",
        method=tc.EM(accelerate=False, tolerance=0, max_steps=1),
    )  # fmt: skip
    for name in network:
        axes = [*network.dag.parents[name], name]
        total = sum(
            naive.posterior(network, axes, naive.held(network, case))
            for case in naive.cases_in(cases)
        )
        assert_allclose(fit.network[name].values, naive.rows_of(total), atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_em_equals_direct_maximisation_of_the_observed_likelihood(seed):
    """PDK-8, PDK-9: the same optimum from the same basin."""
    network = questions.random_network(seed, size=4, most_states=2)
    cases = tc.sample(network, 60, seed=seed, missing=tc.AtRandom(0.2))
    em = tc.fit(network, cases, start="given", method=tc.EM(tolerance=1e-14))
    direct = tc.fit(network, cases, start="given", method=tc.Gradient(tolerance=1e-15))
    assert_allclose(direct.objective, em.objective, rtol=1e-8)
    for name in network:
        assert_allclose(direct.network[name].values, em.network[name].values, atol=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_the_gradient_of_the_observed_likelihood_is_expected_counts_over_parameters(seed):
    """d log P(cases) / d θ = E[N] / θ: what direct maximisation and sensitivity rest on."""
    network = questions.random_network(seed, size=3)
    cases = naive.cases_in(tc.sample(network, 10, seed=seed, missing=tc.AtRandom(0.4)))
    tables, parents = naive.tables_of(network), network.dag.parents
    counts, _ = naive.expected_counts(tables, parents, cases, [1.0] * 10)
    h = 1e-6
    for name in network:
        for at in np.ndindex(tables[name].shape):
            sides = []
            for step in (h, -h):
                moved = {other: values.copy() for other, values in tables.items()}
                moved[name][at] += step
                sides.append(naive.expected_counts(moved, parents, cases, [1.0] * 10)[1])
            slope = (sides[0] - sides[1]) / (2 * h)
            assert_allclose(slope, counts[name][at] / tables[name][at], atol=1e-4, rtol=1e-5)


def test_map_em_adds_alpha_less_one_and_smoothed_adds_alpha():
    """PDK-17: the M-step of MAP is the closed form with E[N] + alpha - 1."""
    start, cases = coins(0.4, 0.2, 0.7), throws(5, 3, 4)
    alpha = 2.5
    counts, _ = naive.expected_counts(
        naive.tables_of(start), start.dag.parents, naive.cases_in(cases), [1.0] * 12
    )
    for estimate, added in ((tc.MAP(), alpha - 1), (tc.Smoothed(), alpha), (tc.ML(), 0.0)):
        fit = tc.fit(
            start, cases, hidden="rest", start="given", estimate=estimate,
            prior=tc.Dirichlet(alpha), method=tc.EM(accelerate=False, max_steps=1),
        )  # fmt: skip
        for name in start:
            expected = naive.rows_of(counts[name] + added)
            assert_allclose(fit.network[name].values, expected, atol=1e-12)


def test_a_hidden_variable_with_one_useful_state_is_no_better_than_none():
    """T5: the likelihood of a model with H contains that without: it is never lower."""
    network = questions.random_network(9, size=4)
    cases = tc.sample(network, 150, seed=9)
    without = tc.fit(network.dag, cases, estimate=tc.ML())
    parents = {**network.dag.parents, "H": ()}
    parents["V3"] = (*parents["V3"], "H")
    with_h = tc.fit(tc.Dag(parents), cases, hidden={"H": 2}, estimate=tc.ML(), seed=1)
    assert with_h.log_likelihood >= without.log_likelihood - 1e-6


def test_the_averaged_posterior_is_the_mean_over_completions():
    """P(cases) = Σ over completions of P(cases, completion). [Sec. 3.5]"""
    cases = {"A": ["x", None, "y"], "B": ["u", "v", None]}
    found = tc.average("A -> B", cases, prior=tc.K2())
    logs, means = [], []
    for a in ("x", "y"):
        for b in ("u", "v"):
            whole = {"A": ["x", a, "y"], "B": ["u", "v", b]}
            fit = tc.fit("A -> B", whole, prior=tc.K2(), estimate=tc.PosteriorMean())
            logs.append(fit.log_marginal_likelihood)
            means.append(fit.network["B"].values)
    assert_allclose(found.log_marginal_likelihood, np.logaddexp.reduce(logs), rtol=1e-12)
    share = np.exp(np.array(logs) - np.logaddexp.reduce(logs))
    assert_allclose(found.mean["B"], np.tensordot(share, np.array(means), axes=1), rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_trees_of_hidden_variables_are_fitted_exactly(seed):
    """HV2-14: exact EM and exact log-likelihood for trees equal enumeration on small trees."""
    random = np.random.default_rng(seed)
    top, left, right = (Discrete(name, ("1", "2")) for name in ("T", "L", "R"))

    def rows() -> np.ndarray:
        return random.dirichlet(np.ones(2), 2)

    families = [table(top, [], random.dirichlet(np.ones(2)))]
    families += [table(left, [top], rows()), table(right, [top], rows())]
    for number, parent in enumerate((left, left, right, right)):
        families.append(table(Discrete(f"X{number}", ("a", "b")), [parent], rows()))
    network = Network.of(families)
    cases = tc.sample(network, 25, seed=seed).select([f"X{n}" for n in range(4)])
    fit = tc.fit(
        network, cases, hidden="rest", start="given", estimate=tc.ML(),
        method=tc.EM(accelerate=False, tolerance=0, max_steps=4),
    )  # fmt: skip
    pseudo = {name: np.zeros(network[name].values.shape) for name in network}
    tables, trace = naive.em(
        naive.tables_of(network), network.dag.parents, naive.cases_in(cases), [1.0] * 25, pseudo, 4
    )
    assert_allclose(fit.trace, trace, rtol=1e-10)
    for name in network:
        assert_allclose(fit.network[name].values, tables[name], atol=1e-10)
