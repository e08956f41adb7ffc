"""Posteriors under inequalities that need no sampler, against rejection and exact fractions.

PDK-33, PDK-34, PDKX-10; INEQ-15, INEQ-16; TRANS-3 to TRANS-7.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import betainc, gammaln

import naive_constants as naive
from small_blocks import Said, at_least, at_most, below, blocks, exactly, rising
from tacit.estimate.bayes.boxes import log_box
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.bayes.truncated import log_mass
from tacit.estimate.ruled.splits import ImproperError
from tacit.knowledge.polytope import relative_interior


def exact_of(lengths, rules, alpha, **more):
    given = blocks((lengths, rules))
    density = Density(np.asarray(alpha, dtype=float), **more)
    found = Exact.of(given, relative_interior(given), density)
    assert found.which.all(), "not recognised"
    return found, density


def test_a_sum_below_a_sum_is_the_printed_constant_and_mean():
    """3.1: I_1/2(a, b), and the mean with ρ."""
    alpha = np.array([1.3, 2.0, 0.7, 3.1, 1.9])
    found, density = exact_of([5], [below([0, 1], [2, 3])], alpha)
    a, b, total = alpha[:2].sum(), alpha[2:4].sum(), alpha.sum()
    plain = gammaln(alpha).sum() - gammaln(total)
    assert_allclose(found.log_constant(density), plain + np.log(betainc(a, b, 0.5)))
    rho = a / (a + b) * betainc(a + 1, b, 0.5) / betainc(a, b, 0.5)
    pair = (a + b) / total
    theorem = np.concatenate(
        [alpha[:2] / a * rho * pair, alpha[2:4] / b * (1 - rho) * pair, alpha[4:] / total]
    )
    assert_allclose(found.mean(density), theorem)


def test_one_bound_is_an_incomplete_beta():
    alpha = np.array([1.3, 2.0, 0.7, 3.1])
    found, density = exact_of([4], [at_most([0, 2], 0.2)], alpha)
    mass = np.log(betainc(2.0, 5.1, 0.2))
    assert_allclose(found.log_mass(density), mass)
    assert_allclose(found.log_constant(density), mass + gammaln(alpha).sum() - gammaln(7.1))


ROWS = {
    "a scaled sum": ([below([0], [1, 2], 0.5)], lambda t: t[:, 0] <= 0.5 * (t[:, 1] + t[:, 2])),
    "an interval": (
        [at_most([1, 3], 0.5), at_least([1, 3], 0.2)],
        lambda t: np.abs(t[:, 1] + t[:, 3] - 0.35) <= 0.15,
    ),
    "pairs in a bounded set": (
        [below([0], [1]), at_most([0, 1, 2], 0.6), below([3], [4], 2.0)],
        lambda t: (t[:, 0] <= t[:, 1]) & (t[:, :3].sum(1) <= 0.6) & (t[:, 3] <= 2 * t[:, 4]),
    ),
    "a share of a set": (
        [Said((0, 1, 2), (0.7, -0.3, -0.3))],
        lambda t: t[:, 0] <= 0.3 * t[:, :3].sum(1),
    ),
    "pairs in a pair": (
        [below([0, 1], [2, 3]), below([0], [1]), below([3], [2])],
        lambda t: (
            (t[:, :2].sum(1) <= t[:, 2:4].sum(1)) & (t[:, 0] <= t[:, 1]) & (t[:, 3] <= t[:, 2])
        ),
    ),
    "a box": (
        [at_most([0], 0.25), at_most([1, 2], 0.5), at_least([3], 0.1)],
        lambda t: (t[:, 0] <= 0.25) & (t[:, 1:3].sum(1) <= 0.5) & (t[:, 3] >= 0.1),
    ),
    "a set within a set": (
        [at_most([0], 0.15), at_most([0, 1], 0.4)],
        lambda t: (t[:, 0] <= 0.15) & (t[:, :2].sum(1) <= 0.4),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_constant_mean_sd_and_interval_are_those_of_draws_that_obey(name):
    rules, holds = ROWS[name]
    alpha = np.array([1.5, 2.5, 0.8, 1.1, 1.7])
    found, density = exact_of([5], rules, alpha)
    draws = 100_000
    kept = naive.obeying(alpha, holds, draws, seed=11)
    part = len(kept) / draws
    error = np.sqrt((1 - part) / (part * draws))
    assert abs(found.log_mass(density)[0] - np.log(part)) < 4.5 * error
    spread = kept.std(axis=0) / np.sqrt(len(kept))
    assert (np.abs(found.mean(density) - kept.mean(axis=0)) < 4.5 * spread).all()
    fourth = ((kept - kept.mean(axis=0)) ** 4).mean(axis=0)
    wobble = np.sqrt((fourth - kept.var(axis=0) ** 2) / len(kept))
    assert (np.abs(found.sd(density) ** 2 - kept.var(axis=0)) < 4.5 * wobble).all()
    lower, upper = found.interval(density, 0.9)
    inside = ((kept >= lower) & (kept <= upper)).mean(axis=0)
    assert (np.abs(inside - 0.9) < 4.5 * 0.3 / np.sqrt(len(kept)) + 4.5 * 0.3 / 100).all()


@pytest.mark.parametrize("name", ROWS)
def test_draws_obey_and_have_the_mean(name):
    rules, holds = ROWS[name]
    found, density = exact_of([5], rules, [1.5, 2.5, 0.8, 1.1, 1.7])
    drawn = found.draw(density, np.random.default_rng(2), 4_000)
    assert_allclose(drawn.sum(axis=1), 1.0)
    assert holds(drawn * (1 - 1e-12) + 1e-13).mean() > 0.999
    assert (np.abs(drawn.mean(axis=0) - found.mean(density)) < 4.5 * drawn.std(axis=0) / 63).all()


def test_states_that_rise_are_a_polygon():
    """Counts (3, 1, 6) and a uniform prior, θ_1 <= θ_2 <= θ_3. [3.3, INEQ-15]"""
    found, density = exact_of([3], rising([0, 1, 2]), [4, 2, 7])
    powers = [3, 1, 6]
    constant = naive.rising_integral(powers)
    means = [
        float(naive.rising_integral([p + (at == cell) for at, p in enumerate(powers)]) / constant)
        for cell in range(3)
    ]
    assert_allclose(found.mean(density), means, rtol=1e-9)
    plain = Density(np.ones(3))
    ratio = found.log_constant(density) - found.log_constant(plain)
    assert_allclose(ratio, naive.logarithm(constant / naive.rising_integral([0, 0, 0])), rtol=1e-9)


def test_two_rows_of_two_states_in_order_are_a_polygon():
    """P(x <= y) of two uniforms is 1/2; with Beta(2, 1) and Beta(1, 1) it is 1/3."""
    given = blocks(([2, 2], [below([0], [2])]))
    inside = relative_interior(given)
    flat = Density(np.ones(4))
    found = Exact.of(given, inside, flat)
    skew = Density(np.array([2.0, 1.0, 1.0, 1.0]))
    ratio = np.exp(found.log_constant(skew) - found.log_constant(flat))
    assert_allclose(ratio, (1 / 3 * 1 / 2) / (1 / 2), rtol=1e-9)
    assert_allclose(found.mean(flat)[[0, 2]], [1 / 3, 2 / 3], rtol=1e-9)


@pytest.mark.parametrize(
    ("counts", "mean", "sd", "product_mean", "product_sd"),
    [
        ((0, 3), 0.200, 0.163, 0.125, 0.110),
        ((2, 8), 0.250, 0.120, 0.227, 0.087),
        ((20, 80), 0.206, 0.040, 0.203, 0.028),
    ],
)
def test_the_table_of_both_likelihoods(counts, mean, sd, product_mean, product_sd):
    """TRANS-3 and TRANS-4: Beta(N + 1) and Beta(2 N + 1)."""
    numbers = np.array(counts, dtype=float)
    found, density = exact_of([2], [], numbers + 1)
    assert_allclose([found.mean(density)[0], found.sd(density)[0]], [mean, sd], atol=6e-4)
    found, density = exact_of([2], [], numbers + 1, misses=numbers[::-1].copy())
    assert_allclose(found.mean(density)[0], (numbers[0] + 0.5) / (numbers.sum() + 1), rtol=1e-10)
    assert_allclose(
        [found.mean(density)[0], found.sd(density)[0]], [product_mean, product_sd], atol=6e-4
    )


@pytest.mark.parametrize(("low", "high"), [(0.0095, 0.0105), (0.3, 0.301), (0.7, 1.0)])
def test_misses_in_a_narrow_interval_are_a_narrow_beta(low, high):
    numbers = np.array([3.0, 17.0])
    rules = [at_most([0], high), at_least([0], low)]
    found, density = exact_of([2], rules, numbers + 1, misses=numbers[::-1].copy())
    mass, first, second = (naive.beta_integral(7 + more, 35, low, high) for more in range(3))
    assert_allclose(found.mean(density)[0], float(first / mass), rtol=1e-9)
    assert_allclose(
        found.sd(density)[0], float(second / mass - (first / mass) ** 2) ** 0.5, rtol=1e-6
    )


@pytest.mark.parametrize("value", [0.0, 0.25])
@pytest.mark.parametrize("states", [2, 3])
def test_an_interval_of_no_width_takes_its_cell_out(value, states):
    alpha = np.linspace(2.0, 4.0, states)
    rules = [at_most([0], value), at_least([0], value)]
    for more in ({}, {"misses": np.arange(states) + 1.0}):
        found, density = exact_of([states], rules, alpha, **more)
        assert_allclose(found.mean(density)[0], value, atol=1e-12)
        assert_allclose(found.sd(density)[0], 0.0, atol=1e-9)
        assert_allclose(found.mean(density).sum(), 1.0)
    found, density = exact_of([states], rules, alpha)
    rest = alpha[1:] / alpha[1:].sum() * (1 - value)
    assert_allclose(found.mean(density)[1:], rest)


def test_three_states_with_misses_are_as_importance_says():
    alpha, misses = np.array([3.0, 6.0, 14.0]), np.array([18.0, 15.0, 7.0])
    found, density = exact_of([3], [at_most([0], 0.2)], alpha, misses=misses)
    drawn = naive.obeying(alpha, lambda t: t[:, 0] <= 0.2, 200_000, seed=5)
    weights = np.exp((misses * np.log1p(-drawn)).sum(axis=1))
    weights /= weights.sum()
    mean = weights @ drawn
    error = np.sqrt((weights**2) @ (drawn - mean) ** 2)
    assert (np.abs(found.mean(density) - mean) < 4.5 * error).all()


def test_a_normal_factor_alone_is_a_truncated_normal():
    from scipy.stats import truncnorm

    found, density = exact_of(
        [2], [at_most([0], 0.4)], [1.0, 1.0],
        centre=np.array([0.35, 0.5]), spread=np.array([0.05, np.inf]),
    )  # fmt: skip
    law = truncnorm((0 - 0.35) / 0.05, (0.4 - 0.35) / 0.05, 0.35, 0.05)
    assert_allclose(found.mean(density)[0], law.mean(), rtol=1e-9)
    assert_allclose(found.sd(density)[0], law.std(), rtol=1e-8)
    assert_allclose(found.interval(density, 0.9)[1][0], law.ppf(0.95), rtol=1e-4)


def test_a_bound_on_a_shared_cell_is_a_bound_on_its_share():
    """Two rows that share a cell, which is at most 0.2. [2.6 and 3.2]"""
    rules = [below([0], [3], equal=True), at_most([0], 0.2)]
    found, density = exact_of([3, 3], rules, [3.0, 1.5, 2.0, 2.0, 2.5, 4.0])
    shared = 1 + 2.0 + 1.0
    rest = 1.5 + 2.0 + 2.5 + 4.0 - 1
    assert_allclose(found.log_mass(density), np.log(betainc(shared, rest, 0.2)))
    ratio = betainc(shared + 1, rest, 0.2) / betainc(shared, rest, 0.2)
    assert_allclose(found.mean(density)[[0, 3]], shared / (shared + rest) * ratio)


def test_pooled_cells_add_up_their_alphas():
    rules = [exactly([0], 0.1), below([1], [2], equal=True), at_most([3], 0.3)]
    found, density = exact_of([4], rules, [0.3, 0.2, 0.1, 0.4], pooled=True)
    mass = betainc(0.4, 0.3, 1 / 3)
    assert_allclose(found.log_mass(density), np.log(mass))
    assert_allclose(found.mean(density)[3], 0.9 * 0.4 / 0.7 * betainc(1.4, 0.3, 1 / 3) / mass)


def test_rules_that_overlap_in_part_are_left_to_the_sampler():
    across = [at_most([0], 0.5), at_most([1], 0.4), below([0], [1])]
    given = blocks(
        ([5], rising([0, 1, 2, 3])), ([5], [below([0, 1], [2]), below([1], [3])]), ([5], across)
    )
    density = Density(np.ones(15))
    found = Exact.of(given, relative_interior(given), density)
    assert not found.which.any()
    assert np.isnan(found.mean(density)).all()
    assert np.isnan(found.log_constant(density)).all()


def test_blocks_side_by_side_are_as_alone():
    parts = [([5], ROWS[name][0]) for name in ROWS] + [([4], []), ([3], rising([0, 1, 2]))]
    parts += [([5], [at_most([0], 0.1 + 0.1 * at)]) for at in range(4)]
    given, rng = blocks(*parts), np.random.default_rng(4)
    density = Density(rng.gamma(2.0, 1.0, given.cells.size) + 0.2)
    found = Exact.of(given, relative_interior(given), density)
    mean, sd, constant = found.mean(density), found.sd(density), found.log_constant(density)
    for at, part in enumerate(parts):
        cells = slice(given.cell_at[at], given.cell_at[at + 1])
        alone, own = exact_of(*part, density.alpha[cells])
        assert_allclose(mean[cells], alone.mean(own))
        assert_allclose(sd[cells], alone.sd(own))
        assert_allclose(constant[at], alone.log_constant(own)[0])


@pytest.mark.parametrize("rule", [at_most([0], 0.9), below([0], [1, 2]), at_most([1, 2], 0.999999)])
def test_a_rule_that_the_posterior_obeys_changes_nothing(rule):
    alpha = np.array([20.0, 900.0, 1100.0])
    found, density = exact_of([3], [rule], alpha)
    mean = alpha / alpha.sum()
    assert_allclose(found.mean(density), mean, rtol=1e-12)
    assert_allclose(found.sd(density), np.sqrt(mean * (1 - mean) / (alpha.sum() + 1)), rtol=1e-9)
    assert_allclose(found.log_mass(density), 0.0, atol=1e-12)


def test_ten_thousand_rows_take_a_second():
    import time

    rng = np.random.default_rng(1)
    rows = [([4], [below([0, 1], [2])])] * 5_000
    rows += [([4], [at_most([0], float(cap))]) for cap in 0.1 + 0.5 * rng.random(5_000)]
    given = blocks(*rows)
    inside, density = relative_interior(given), Density(rng.gamma(3.0, 1.0, given.cells.size))
    before = time.process_time()
    found = Exact.of(given, inside, density)
    found.mean(density), found.sd(density), found.log_constant(density)
    assert time.process_time() - before < 5
    assert found.which.all()


@pytest.mark.parametrize("alpha", [1.0, 0.3, 0.01, 0.001])
def test_sparse_priors_lose_nothing(alpha):
    """Equal parameters make every order of three states equally probable. [BDeu of large tables]"""
    found, density = exact_of([3], rising([0, 1, 2]), [alpha] * 3)
    whole = 3 * gammaln(alpha) - gammaln(3 * alpha)
    assert_allclose(found.log_constant(density), np.log(3**0.5 / 6) + whole, rtol=1e-10)
    assert_allclose(found.mean(density).sum(), 1.0)
    a, caps = np.full((1, 3), alpha), np.array([[0.5, 0.5, 1.0]])
    several = np.exp(log_box(a, np.zeros((1, 3)), caps)[0])
    one = np.exp(log_mass(*(np.array([each]) for each in (alpha, 2 * alpha, 0.5, 1.0)))[0])
    assert_allclose(several, 1 - 2 * one, rtol=1e-9)  # two masses are not above a half at once


def test_tied_rows_on_a_line_with_too_little_prior_are_improper():
    """x and y of two rows with x = y + 0.2: no tree, one dimension, and cells that vanish."""
    rules = [Said((0, 2), (1.0, -1.0), 0.2, True), Said((1, 3), (1.0, -1.0), -0.2, True)]
    given = blocks(([2], [at_most([0], 0.9)]), ([2, 2], rules))
    inside = relative_interior(given)
    density = Density(np.array([1.0, 1.0, 0.5, 0.5, 0.5, 0.5]))
    found = Exact.of(given, inside, density)
    assert found.which.all()
    assert np.isfinite(found.log_constant(density)).all()
    poor = Density(np.array([1.0, 1.0, 0.5, 0.5, -0.1, 0.5]))
    with pytest.raises(ImproperError) as caught:
        found.mean(poor)
    assert caught.value.positions.tolist() == [4]


def test_a_network_of_binomial_products_takes_no_longer():
    numbers = np.tile([3.0, 7.0], 3_000)
    misses = numbers.reshape(-1, 2)[:, ::-1].ravel().copy()
    given = blocks(*[([2], [at_most([0], 0.3)])] * 3_000)
    density = Density(numbers + 1, misses=misses)
    found = Exact.of(given, relative_interior(given), density)
    mass, first = (naive.beta_integral(7 + more, 15, 0.0, 0.3) for more in range(2))
    assert_allclose(found.mean(density)[::2], float(first / mass))
