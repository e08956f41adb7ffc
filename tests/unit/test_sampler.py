"""Draws from posteriors under rules, against rejection, quadrature and closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, special, stats

import naive_draws as naive
from small_blocks import Said, at_least, at_most, below, blocks, exactly, rising
from tacit.core.errors import EstimateError
from tacit.estimate.bayes.chords import Along
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.sampler import sample
from tacit.estimate.bayes.ways import Problem, chains_of
from tacit.estimate.ruled.splits import ImproperError
from tacit.knowledge.blocks import Aligned
from tacit.knowledge.polytope import relative_interior

QUICK = Sampling(draws=4_000, chains=4, precision=1e-3)


def drawn(given, alpha, *, settings=QUICK, seed=1, threads=1, told=None, **density):
    """Draws of all these blocks, which obey every rule."""
    told_of = given if not isinstance(given, tuple) else blocks(given)
    arrays = {
        name: np.asarray(value, dtype=float) if name != "pooled" else value
        for name, value in density.items()
    }
    found = sample(
        told_of, np.arange(len(told_of)), Density(np.asarray(alpha, dtype=float), **arrays),
        settings, seed, threads=threads, told=told,
    )  # fmt: skip
    excess = [told_of.rules.excess(each).max(initial=0.0) for each in _flat(found)[::7]]
    assert max(excess) < 1e-9
    sums = [np.bincount(told_of.row, each) for each in _flat(found)[::7]]
    assert_allclose(sums, 1.0, atol=1e-9)
    assert (found.values >= 0).all()
    return found


def _flat(found):
    return found.values.reshape(-1, found.values.shape[-1])


def assert_near(found, mean, error=0.0):
    """Within five standard errors of what the oracle says."""
    assert found.settled
    assert found.rhat.max() < 1.05
    room = 5 * np.sqrt(found.error**2 + np.asarray(error) ** 2) + 1e-12
    assert (abs(found.mean - mean) < room).all(), (found.mean, mean, room)


def assert_like(found, oracle):
    """Means and spreads of draws agree with independent draws by an oracle."""
    spread = oracle.std(axis=0)
    assert_near(found, oracle.mean(axis=0), spread / np.sqrt(len(oracle)))
    rough = 5 / np.sqrt(np.minimum(found.size, 2 * len(oracle)))
    assert (abs(found.sd / spread - 1) < rough + 0.02).all()


# gammas


def test_an_order_of_three_cells_has_the_mean_of_the_specification():
    found = drawn(([3], rising([0, 1, 2])), [4, 2, 7])
    assert_near(found, [0.1707, 0.2594, 0.5699], 5e-5 / 5)
    oracle, sd = naive.grid(
        lambda at: np.column_stack([at, 1 - at.sum(axis=1)]), naive.dirichlet([4, 2, 7]),
        rising([0, 1, 2]),
    )  # fmt: skip
    assert_near(found, oracle)
    assert_allclose(found.sd, sd, rtol=0.04)


CASES = {
    "an order against the data": ([4], rising([0, 1, 2, 3]), [4, 4, 3, 3]),
    "bounds": ([4], [at_most([0], 0.2), at_least([1], 0.3), at_most([1, 2], 0.6)], [4, 1, 2, 3]),
    "masses": ([5], [below([0, 1], [2]), at_most([3], 0.15)], [3, 4, 2, 2, 3]),
    "a proportion": ([3], [below([0], [1], 0.5)], [5, 4, 1.5]),
    "two rows of two": ([2, 2], [below([0], [2]), at_most([2], 0.6)], [5, 2, 3, 4]),
    "three rows of two": ([2, 2, 2], [below([0], [2]), below([2], [4])], [5, 2, 3, 4, 2, 3]),
    "rows of three": ([3, 3], [below([0], [3]), below([0, 1], [3, 4])], [4, 2, 1, 2, 3, 3]),
    "small parameters": ([3], [below([0], [1])], [0.5, 0.3, 0.2]),
    "seldom obeyed": ([4], [below([0], [1]), below([0], [2]), below([0], [3])], [6, 2, 3, 3]),
}


@pytest.mark.parametrize("case", CASES)
def test_gammas_agree_with_rejection(case):
    lengths, rules, alpha = CASES[case]
    found = drawn((lengths, rules), alpha)
    assert_like(found, naive.rejected(lengths, rules, np.array(alpha, dtype=float), 40_000, 5))


def test_sums_in_order_have_the_mean_of_their_constants():
    """[parameter domain knowledge 3.1]"""
    alpha = np.array([9.0, 4, 3, 2, 3, 5])
    found = drawn(([6], [below([0, 1], [2]), below([3], [4])]), alpha)
    total, mean = alpha.sum(), alpha / alpha.sum()
    for low, high in (([0, 1], [2]), ([3], [4])):
        a, b = alpha[low].sum(), alpha[high].sum()
        share = a / (a + b) * special.betainc(a + 1, b, 0.5) / special.betainc(a, b, 0.5)
        mean[low] = alpha[low] / a * share * (a + b) / total
        mean[high] = alpha[high] / b * (1 - share) * (a + b) / total
    assert_near(found, mean)


def test_a_bounded_cell_of_two_is_a_truncated_beta():
    low, high, theory = 0.35, 0.5, stats.beta(2, 9)
    found = drawn(([2], [at_least([0], low), at_most([0], high)]), [2, 9])
    inside = _flat(found)[:, 0]
    quantile = (theory.cdf(inside) - theory.cdf(low)) / (theory.cdf(high) - theory.cdf(low))
    assert stats.kstest(quantile[::4], "uniform").pvalue > 1e-4


def test_a_rule_that_is_obeyed_anyway_changes_nothing():
    alpha = np.array([30.0, 50, 20])
    found = drawn(([3], [at_least([0], 1e-12), below([2], [1], 1e6)]), alpha)
    assert_near(found, alpha / alpha.sum())
    assert_allclose(found.size, found.sweeps[0] * 4)  # independent draws


def test_parameters_of_a_hundredth_do_not_vanish():
    """The largest of exchangeable cells is in order the last: 1 - E[the others]."""
    alpha = np.full(3, 0.01)
    found = drawn(([3], rising([0, 1, 2])), alpha)
    random = np.random.default_rng(3)
    logs = (
        np.log(random.gamma(1.01, size=(200_000, 3))) + np.log(random.random((200_000, 3))) / 0.01
    )
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    oracle = np.sort(shares / shares.sum(axis=1, keepdims=True), axis=1)
    assert_near(found, oracle.mean(axis=0), oracle.std(axis=0) / np.sqrt(len(oracle)))
    assert (found.values > 0).all()


def test_tiny_parameters_under_rules_that_touch_them():
    """θ0 <= θ1 among Dirichlet(a, a, b): the pair's mass is independent of who is larger."""
    found = drawn(([3], [below([0], [1]), at_most([2], 0.7)]), [0.02, 0.02, 0.02])
    random = np.random.default_rng(4)
    logs = (
        np.log(random.gamma(1.02, size=(400_000, 3))) + np.log(random.random((400_000, 3))) / 0.02
    )
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    theta = shares / shares.sum(axis=1, keepdims=True)
    theta = theta[naive.obeys(theta, [below([0], [1]), at_most([2], 0.7)])]
    assert_near(found, theta.mean(axis=0), theta.std(axis=0) / np.sqrt(len(theta)))


@pytest.mark.parametrize("width", [1e-3, 1e-6])
def test_a_narrow_bound_leaves_the_others_their_own_posterior(width):
    low = 0.0095
    found = drawn(([4], [at_least([0], low), at_most([0], low + width)]), [1, 2, 3, 4])
    assert_near(found, np.r_[found.mean[0], (1 - found.mean[0]) * np.array([2, 3, 4]) / 9])
    inner = _flat(found)[:, 1] / (1 - _flat(found)[:, 0])
    assert stats.kstest(inner[::5], stats.beta(2, 7).cdf).pvalue > 1e-4


def test_cells_that_are_about_equal_mix_across_rows():
    """|θ0 - θ3| <= 0.001: nearly one share with the parameters of both, up to 1e-3."""
    rules = [Said((0, 3), (1.0, -1.0), 1e-3), Said((0, 3), (-1.0, 1.0), 1e-3)]
    found = drawn(([3, 3], rules), [10, 20, 30, 12, 20, 20])
    tied = stats.beta(10 + 12 - 1, 50 + 40 - 1)
    assert found.settled
    assert_allclose(found.mean[[0, 3]], tied.mean(), atol=1e-3 + 5 * found.error[0])
    assert_allclose(found.sd[[0, 3]], tied.std(), rtol=0.1)


# ties


def tied_row(at):
    """θ0 = θ1 = x, θ2 = y, θ3 the rest."""
    return np.column_stack([at[:, 0], at[:, 0], at[:, 1], 1 - 2 * at[:, 0] - at[:, 1]])


@pytest.mark.parametrize("pooled", [False, True])
def test_shared_cells_under_an_inequality(pooled):
    alpha = np.array([2.0, 3, 4, 2])
    rules = [below([0], [1], equal=True), below([2], [0])]
    found = drawn(([4], rules), alpha, pooled=pooled)
    power = alpha + (np.array([0.5, 0.5, 0, 0]) if pooled else 0)
    oracle, sd = naive.grid(tied_row, naive.dirichlet(power), rules[1:])
    assert_near(found, oracle)
    assert_allclose(found.sd, sd, rtol=0.05)


def test_rows_that_share_a_cell_under_an_inequality():
    """θ0 = θ3 = m and θ1 <= θ4: by rejection in m and the shares of what is left."""
    alpha = np.array([4.0, 3, 2, 5, 2, 3])
    rules = [below([0], [3], equal=True), below([1], [4])]
    found = drawn(([3, 3], rules), alpha)
    random, size = np.random.default_rng(5), 100_000
    mass = random.beta(alpha[0] + alpha[3] - 1, alpha[[1, 2, 4, 5]].sum() - 1, size)
    one, two = random.beta(3, 2, size), random.beta(2, 3, size)
    rest = 1 - mass
    theta = np.column_stack(
        [mass, rest * one, rest * (1 - one), mass, rest * two, rest * (1 - two)]
    )
    theta = theta[theta[:, 1] <= theta[:, 4]]
    assert_near(found, theta.mean(axis=0), theta.std(axis=0) / np.sqrt(len(theta)))


@pytest.mark.parametrize("bound", [0.75, 0.45])
def test_ratio_lists_under_an_inequality(bound):
    """θ0 : θ1 = θ3 : θ4 and θ0 + θ3 <= bound, by rejection in masses and the common share."""
    alpha = np.array([4.0, 3, 2, 5, 2, 3])
    plain = blocks(([3, 3], [at_most([0, 3], bound)]))
    given = replace(plain, ratios=(Aligned(np.array([[0, 1], [3, 4]]), 0, 1),))
    found = drawn(given, alpha)
    assert_allclose(found.values[..., 0] * found.values[..., 4],
                    found.values[..., 1] * found.values[..., 3], atol=1e-12)  # fmt: skip
    random, size = np.random.default_rng(6), 400_000
    share = random.beta(4 + 5 - 1, 3 + 2 - 1, size)
    one, two = random.beta(4 + 3 - 1, 2, size), random.beta(5 + 2 - 1, 3, size)
    theta = np.column_stack(
        [one * share, one * (1 - share), 1 - one, two * share, two * (1 - share), 1 - two]
    )
    theta = theta[theta[:, 0] + theta[:, 3] <= bound]
    assert len(theta) > 400
    assert_near(found, theta.mean(axis=0), theta.std(axis=0) / np.sqrt(len(theta)))


def test_forced_cells_stay_where_they_are():
    rules = [at_most([0], 0.0), at_least([1], 0.4), at_most([1], 0.4), at_most([2], 0.35)]
    found = drawn(([4], rules), [1, 2, 3, 4])
    assert_allclose(found.mean[:2], [0, 0.4], atol=1e-12)
    assert_array_equal(found.size[:2], np.inf)
    assert_array_equal(found.error[:2], 0)
    theory = stats.beta(3, 4)  # the rest 0.6 between cells 2 and 3, and 0.35 of it at most
    top = 0.35 / 0.6
    mean = 3 / 7 * special.betainc(4, 4, top) / theory.cdf(top)
    assert_near(found, [0, 0.4, 0.6 * mean, 0.6 * (1 - mean)])


# chords


def test_equalities_that_are_no_tree():
    """θ0 + 2 θ1 = θ2 in a row of four: two coordinates are free."""
    alpha = [3.0, 2, 4, 3]
    rules = [Said((0, 1, 2), (1.0, 2.0, -1.0), 0.0, True), at_most([3], 0.4)]
    found = drawn(([4], rules), alpha)
    oracle, sd = naive.grid(
        lambda at: np.column_stack([at, at @ [1, 2], 1 - at @ [2, 3]]),
        naive.dirichlet(alpha), rules[1:],
    )  # fmt: skip
    assert_near(found, oracle, 1e-5)
    assert_allclose(found.sd, sd, rtol=0.05)


def test_a_density_that_is_unbounded_along_chords():
    """θ0 + 2 θ1 = θ2 with small parameters: the density is infinite on three faces.

    With t = 1 - θ3, θ0 = t v / 2 and θ1 = t (1 - v) / 3 the density is a beta of t, and of v
    v^(a0 - 1) (1 - v)^(a1 - 1) (v / 2 + 2 (1 - v) / 3)^(a2 - 1).
    """
    a = np.array([0.3, 0.4, 1.5, 0.3])
    found = drawn(([4], [Said((0, 1, 2), (1.0, 2.0, -1.0), 0.0, True)]), a)

    def moment(power):
        value, error = integrate.quad(
            lambda v: (v / 2 + 2 * (1 - v) / 3) ** (a[2] - 1) * v**power,
            0, 1, weight="alg", wvar=(a[0] - 1, a[1] - 1),
        )  # fmt: skip
        assert error < 1e-9
        return value

    t, v = (a[:3].sum() - 1) / (a.sum() - 1), moment(1) / moment(0)
    assert_near(found, [t * v / 2, t * (1 - v) / 3, t * (v / 2 + 2 * (1 - v) / 3), 1 - t])


def test_products_of_binomials_square_the_likelihood_of_two_states():
    """Counts (2, 8): Beta(5, 17). [estimation 3.3]"""
    found = drawn(([2], [at_most([0], 1 - 1e-9)]), [3, 9], misses=[8, 2])
    assert_near(found, [5 / 22, 17 / 22])
    assert stats.kstest(_flat(found)[::4, 0], stats.beta(5, 17).cdf).pvalue > 1e-4


def test_products_of_binomials_of_three_states_under_rules():
    alpha, misses = np.array([3.0, 6, 14]), np.array([18.0, 15, 7])
    rules = [below([1], [0], 1.2), at_most([2], 0.6)]
    found = drawn(([3], rules), alpha, misses=misses)

    def log_density(theta):
        return naive.dirichlet(alpha)(theta) + np.log1p(-theta) @ misses

    oracle, sd = naive.grid(
        lambda at: np.column_stack([at, 1 - at.sum(axis=1)]), log_density, rules
    )
    assert_near(found, oracle, 1e-5)
    assert_allclose(found.sd, sd, rtol=0.05)


def test_normal_factors_under_rules():
    alpha = np.array([1.0, 2, 1])
    centre, spread = np.array([0.3, 0.2, 0.0]), np.array([0.05, 0.2, np.inf])
    rules = [at_most([0], 0.28), below([1], [2])]
    found = drawn(([3], rules), alpha, centre=centre, spread=spread)

    def log_density(theta):
        away = (theta - centre) / spread
        return naive.dirichlet(alpha)(theta) - 0.5 * (away**2).sum(axis=1)

    oracle, sd = naive.grid(
        lambda at: np.column_stack([at, 1 - at.sum(axis=1)]), log_density, rules
    )
    assert_near(found, oracle, 1e-5)
    assert_allclose(found.sd, sd, rtol=0.05)


def test_chords_agree_with_gammas():
    """A normal factor so wide that it says nothing sends a Dirichlet along chords."""
    rules, alpha = [*rising([0, 1, 2]), at_most([3, 4], 0.4)], np.array([4.0, 3, 5, 2, 3])
    one = drawn(([5], rules), alpha)
    two = drawn(([5], rules), alpha, centre=np.full(5, 0.5), spread=np.full(5, 1e9))
    assert_near(two, one.mean, one.error)


# how


def test_threads_and_other_blocks_do_not_change_a_bit():
    given = blocks(*[(lengths, rules) for lengths, rules, _ in CASES.values()])
    alpha = np.concatenate([alpha for _, _, alpha in CASES.values()])
    settings = Sampling(draws=400, chains=4, precision=4e-3)
    one = drawn(given, alpha, settings=settings)
    two = drawn(given, alpha, settings=settings, threads=2)
    assert_array_equal(one.values, two.values)
    assert_array_equal(one.mean, two.mean)
    few = sample(given, np.array([3, 1]), Density(alpha), settings, 1)
    drawn_there = ~np.isnan(few.mean)
    assert_array_equal(np.unique(given.cell_block[drawn_there]), [1, 3])
    assert_array_equal(few.values[..., drawn_there], one.values[..., drawn_there])
    assert_array_equal(few.size[~drawn_there], np.inf)
    assert_array_equal(few.rhat[~drawn_there], 1)
    assert_array_equal(few.sweeps > 0, np.isin(np.arange(len(given)), [1, 3]))
    other = drawn(given, alpha, settings=settings, seed=2)
    assert not np.array_equal(one.values, other.values)


def test_draws_are_as_many_as_asked_and_the_precision_is_kept():
    settings = Sampling(draws=1_000, chains=5, precision=5e-4)
    found = drawn(([4], rising([0, 1, 2, 3])), [6, 5, 3, 2], settings=settings)
    assert found.values.shape == (5, 200, 4)
    assert found.settled
    assert found.error.max() <= 5e-4
    assert found.sweeps[0] > 200
    free = replace(settings, precision=None)
    assert drawn(([4], rising([0, 1, 2, 3])), [6, 5, 3, 2], settings=free).sweeps[0] == 200


def test_a_limit_of_sweeps_leaves_it_unsettled():
    settings = Sampling(draws=400, chains=4, precision=1e-6, most=500)
    found = drawn(([3], rising([0, 1, 2])), [4, 2, 7], settings=settings)
    assert not found.settled
    assert found.sweeps[0] == 500
    assert np.isfinite(found.mean).all()


def test_the_error_covers_the_mean_of_the_specification():
    """Of 60 short runs, standardised by their own errors: a standard deviation of about 1."""
    settings = Sampling(draws=400, chains=4, precision=None)
    mean, _ = naive.grid(
        lambda at: np.column_stack([at, 1 - at.sum(axis=1)]), naive.dirichlet([8, 2, 3]),
        rising([0, 1, 2]),
    )  # fmt: skip
    z = []
    for seed in range(60):
        found = drawn(([3], rising([0, 1, 2])), [8, 2, 3], settings=settings, seed=seed)
        z.append((found.mean[2] - mean[2]) / found.error[2])
    assert 0.7 < np.std(z) < 1.5


def test_progress_is_told_and_an_interrupt_returns_what_there_is():
    told = []
    drawn(([3], rising([0, 1, 2])), [4, 2, 7], told=lambda done, total: told.append((done, total)))
    assert told[-1] == (1, 1)

    def stop(done, total):
        raise KeyboardInterrupt

    found = drawn(
        ([3], rising([0, 1, 2])), [4, 2, 7], told=stop,
        settings=Sampling(draws=400, precision=1e-5),
    )  # fmt: skip
    assert not found.settled
    assert np.isfinite(found.values).all()


def test_a_prior_that_cannot_be_integrated_names_its_cells():
    given = blocks(([2], []), ([4], [below([0], [1], equal=True), below([2], [0])]))
    with pytest.raises(ImproperError) as error:
        drawn(given, [1, 1, 0.4, 0.4, 1, 1])
    assert error.value.positions.tolist() == [2, 3]
    drawn(given, [1, 1, 0.4, 0.4, 1, 1], pooled=True, settings=Sampling(draws=40, precision=None))


def test_ratios_beside_equalities_that_are_no_tree_are_refused():
    plain = blocks(([3, 3], [Said((0, 1, 3), (1.0, 2.0, -1.0), 0.0, True)]))
    given = replace(plain, ratios=(Aligned(np.array([[0, 1], [3, 4]]), 0, 1),))
    with pytest.raises(EstimateError, match="not linear in the probabilities"):
        drawn(given, np.ones(6))


def test_known_cells_and_rows_of_one_point_are_drawn_too():
    found = drawn(([2, 3], [exactly([0], 0.25), below([2], [0])]), [1, 1, 2, 3, 4])
    assert_allclose(found.values[..., 0], 0.25)
    assert_array_equal(found.size[:2], np.inf)
    top = stats.beta(2, 7).cdf(0.25)
    mean = 2 / 9 * special.betainc(3, 7, 0.25) / top
    assert_near(found, [0.25, 0.75, mean, (1 - mean) * 3 / 7, (1 - mean) * 4 / 7])


def test_a_slow_block_of_gammas_walks_along_chords():
    rules = [Said((0, 3), (1.0, -1.0), 1e-4), Said((0, 3), (-1.0, 1.0), 1e-4)]
    given = blocks(([3, 3], rules))
    alpha = np.array([10.0, 20, 30, 12, 20, 20])
    problem = Problem(given, Density(alpha), QUICK, 1, relative_interior(given))
    assert isinstance(chains_of(problem, 0), Along)
