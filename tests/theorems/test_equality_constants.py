"""Constants, means and evidence of constrained priors, against quadrature and enumeration.

A constant is known up to a factor that depends on which parameters are eliminated and not on the
prior [4.1]; so two priors are compared. The printed constants are compared as they stand.
"""

from __future__ import annotations

from math import exp, lgamma, log, prod

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_equalities as naive
import trees
from tacit.core.errors import EstimateError
from tacit.estimate.ruled.splits import ImproperError
from trees import block, equal, known, times


def gamma(value):
    return exp(lgamma(value))


def dirichlet(*alpha):
    return prod(map(gamma, alpha)) / gamma(sum(alpha))


class Surface:
    """A block, and its cells as functions of coordinates that run from 0 to `reach`."""

    def __init__(self, given, reach, cells):
        self.block, self.reach, self.cells = given, reach, cells

    def integral(self, alpha, moment=lambda theta: 1.0):
        def value(*at):
            theta = np.array(np.broadcast_arrays(*self.cells(*at)))
            return moment(theta) * np.prod(theta ** (alpha - 1)[:, None], axis=0)

        return naive.integral(self.reach, value)


def one(*_):
    return 1.0


SURFACES = {
    "4.1 proportions": Surface(
        block([4], times([0], 2.0, [1])),
        [lambda: 1 / 3, lambda g: 1 - 3 * g],
        lambda g, x: [2 * g, g, x, 1 - 3 * g - x],
    ),
    "4.2.2 known values": Surface(
        block([4], known([3], 0.3)),
        [lambda: 0.7, lambda x: 0.7 - x],
        lambda x, y: [x, y, 0.7 - x - y, 0.3],
    ),
    "4.3.2 sharing in a row": Surface(
        block([4], equal([0], [1])),
        [lambda: 0.5, lambda s: 1 - 2 * s],
        lambda s, x: [s, s, x, 1 - 2 * s - x],
    ),
    "2.4 equal masses in a row": Surface(
        block([5], equal([0, 1], [2, 3])),
        [lambda: 0.5, lambda s: s, lambda s, x: s],
        lambda s, x, y: [x, s - x, y, s - y, 1 - 2 * s],
    ),
    "4.7.2 general sharing": Surface(
        block([3, 3], equal([0], [3])),
        [one, lambda g: 1 - g, lambda g, x: 1 - g],
        lambda g, x, y: [g, x, 1 - g - x, g, y, 1 - g - y],
    ),
    "4.8.3 a sharing tree": Surface(
        block([4, 4, 3], equal([0], [4], [8]) + equal([1], [5])),
        [one, lambda g: 1 - g, lambda g, h: 1 - g - h, lambda g, h, x: 1 - g - h,
         lambda g, h, x, y: 1 - g],
        lambda g, h, x, y, z: [g, h, x, 1 - g - h - x, g, h, y, 1 - g - h - y, g, z, 1 - g - z],
    ),
    "2.8 equal masses": Surface(
        block([3, 3], equal([0, 1], [3, 4])),
        [one, lambda s: s, lambda s, x: s],
        lambda s, x, y: [x, s - x, 1 - s, y, s - y, 1 - s],
    ),
    "masses in masses": Surface(
        block([4, 4], equal([0, 1, 2], [4, 5, 6]) + equal([0, 1], [4, 5])),
        [one, lambda s: s, lambda s, t: t, lambda s, t, x: t],
        lambda s, t, x, y: [x, t - x, s - t, 1 - s, y, t - y, s - t, 1 - s],
    ),
}  # fmt: skip


@pytest.fixture(params=SURFACES)
def surface(request):
    return SURFACES[request.param]


def priors(surface, seed=1):
    """Two priors with whole parameters, for which the quadrature is exact."""
    random = np.random.default_rng(seed)
    most = 3 if surface.block.size < 10 else 2
    return (random.integers(1, most + 1, surface.block.size).astype(float) for _ in range(2))


def test_constants_are_integrals(surface):
    forest = trees.planted(surface.block)
    one, other = priors(surface)
    powers = log(surface.integral(one) / surface.integral(other))
    fixed = (one - other) @ np.log(forest.fixed)
    (ours,) = forest.log_constant(one) - forest.log_constant(other) + fixed
    assert_allclose(ours, powers, rtol=1e-10)


def test_evidence_is_a_ratio_of_integrals(surface):
    forest = trees.planted(surface.block)
    prior, more = priors(surface, seed=2)
    counts = np.minimum(more - 1, 1.0)
    (ours,) = forest.log_evidence(prior, counts)
    whole = log(surface.integral(prior + counts) / surface.integral(prior))
    assert_allclose(ours, whole, rtol=1e-10)


def test_means_are_integrals(surface):
    alpha, _ = priors(surface, seed=3)
    ours = trees.planted(surface.block).mean(alpha)
    whole = surface.integral(alpha)
    for cell in range(surface.block.size):
        mean = surface.integral(alpha, lambda theta, cell=cell: theta[cell]) / whole
        assert_allclose(ours[cell], mean, rtol=1e-10)


def test_second_moments_need_the_ratio_of_constants():
    # one case that uses a shared block twice: the product of means is wrong [1.7]
    surface = SURFACES["4.7.2 general sharing"]
    forest, alpha = trees.planted(surface.block), np.array([1.0, 2, 1, 2, 3, 1])
    twice = np.array([1.0, 0, 0, 1, 0, 0])
    moment = surface.integral(alpha, lambda theta: theta[0] ** 2) / surface.integral(alpha)
    (evidence,) = forest.log_evidence(alpha, twice)
    assert_allclose(exp(evidence), moment, rtol=1e-10)
    assert moment > 1.05 * forest.mean(alpha)[0] ** 2


# --- the printed constants, as they stand ------------------------------------------------------


def test_the_generalised_dirichlet_in_both_orders_of_elimination():
    # b = (1, 2): Z_n = b_n / Π b^α · Γ(α_1) Γ(α_2) / Γ(Σ α); eliminating the first gives b_1
    a1, a2 = 3.0, 2.0
    first = naive.integral([lambda: 1.0], lambda x: x ** (a1 - 1) * ((1 - x) / 2) ** (a2 - 1))
    second = naive.integral([lambda: 0.5], lambda x: (1 - 2 * x) ** (a1 - 1) * x ** (a2 - 1))
    assert_allclose(first, 2.0 / 2.0**a2 * dirichlet(a1, a2), rtol=1e-12)
    assert_allclose(second, 1.0 / 2.0**a2 * dirichlet(a1, a2), rtol=1e-12)


def test_known_values_erratum_2_the_exponent_is_the_sum_less_one():
    alpha, S = np.array([2.0, 3.0, 1.0, 1.0]), 0.3
    whole = SURFACES["4.2.2 known values"].integral(alpha)
    unknown = alpha[:3]
    assert_allclose(whole, (1 - S) ** (unknown.sum() - 1) * dirichlet(*unknown), rtol=1e-12)
    assert whole < 0.6 * (1 - S) ** (unknown - 1).sum() * dirichlet(*unknown)


def test_sharing_has_the_constant_of_4_3_2():
    # positions with parameters of their own: the shared one has 1 + Σ (α - 1) [1.7]
    alpha = np.array([2.0, 3.0, 2.0, 1.0])
    shared = np.array([1 + 1 + 2, 2.0, 1.0])
    k = np.array([2.0, 1.0, 1.0])
    printed = k[2] / np.prod(k**shared) * dirichlet(*shared)
    assert_allclose(SURFACES["4.3.2 sharing in a row"].integral(alpha), printed, rtol=1e-12)


def test_proportions_have_the_constant_of_4_4_2_on_one_number_per_set():
    # erratum 30: the prior is on γ; powers of c belong to the likelihood
    alpha = np.array([2.0, 3.0, 2.0, 1.0])
    sets, c = np.array([1 + 1 + 2, 2.0, 1.0]), np.array([3.0, 1.0, 1.0])
    printed = c[2] / np.prod(c**sets) * dirichlet(*sets)
    powers = 2.0 ** (alpha[0] - 1)
    assert_allclose(SURFACES["4.1 proportions"].integral(alpha), powers * printed, rtol=1e-12)


def test_general_sharing_erratum_5_has_one_gamma_of_the_sum_per_row():
    alpha = np.array([2.0, 3, 1, 2, 2, 2])
    shared, first, second = 1 + 1 + 1, (3.0, 1.0), (2.0, 2.0)
    A, C = sum(first) + sum(second), 2
    printed = gamma(shared) * dirichlet(*first) * dirichlet(*second)
    printed *= gamma(A - C + 1) / gamma(A + shared - C + 1)
    assert_allclose(SURFACES["4.7.2 general sharing"].integral(alpha), printed, rtol=1e-12)


def test_a_sharing_tree_erratum_7_passes_up_a_parameter_and_not_an_exponent():
    surface = SURFACES["4.8.3 a sharing tree"]
    alpha = np.array([2.0, 2, 2, 1, 1, 2, 2, 2, 2, 1, 2])

    def constant(less):
        # leaves of the first two rows, the node that they share, the third row, the root
        leaves = [alpha[[2, 3]], alpha[[6, 7]]]
        h = 1 + (alpha[[1, 5]] - 1).sum()
        r = sum(map(sum, leaves)) - len(leaves) + less
        A = h + r
        third = alpha[[9, 10]]
        g, r_root = 1 + (alpha[[0, 4, 8]] - 1).sum(), A + third.sum() - 2 + less
        parts = [dirichlet(*each) for each in (*leaves, third)]
        return prod(parts) * dirichlet(h, r) * dirichlet(g, r_root)

    assert_allclose(surface.integral(alpha), constant(1), rtol=1e-10)
    assert abs(log(constant(0) / constant(1))) > 0.3


def test_equal_masses_in_a_row_have_the_constant_of_2_4():
    alpha = np.array([2.0, 1, 3, 2, 2])
    a = np.array([alpha[:4].sum() - 2 + 1, 2.0])
    within = dirichlet(*alpha[:2]) * dirichlet(*alpha[2:4])
    # e is eliminated: k of the group of e, which has one set, over Π k^a
    printed = within * 1 / 2.0 ** a[0] * dirichlet(*a)
    assert_allclose(SURFACES["2.4 equal masses in a row"].integral(alpha), printed, rtol=1e-12)


def test_equal_masses_across_rows_have_the_constant_of_2_8():
    alpha = np.array([2.0, 1, 3, 2, 2, 1])
    a = alpha[[0, 1, 3, 4]].sum() - 2 + 1, alpha[[2, 5]].sum() - 2 + 1
    printed = dirichlet(*alpha[:2]) * dirichlet(*alpha[3:5]) * dirichlet(*a)
    assert_allclose(SURFACES["2.8 equal masses"].integral(alpha), printed, rtol=1e-12)


# --- laws over every shape ----------------------------------------------------------------------


@pytest.mark.parametrize("name", trees.SHAPES)
def test_the_marginal_likelihood_of_all_small_data_sets_adds_up_to_1(name):
    given = trees.SHAPES[name]
    forest = trees.planted(given)
    alpha = np.random.default_rng(4).uniform(0.8, 3.0, given.size)
    rows = [0, int(given.row[-1]), 0]
    whole = [forest.log_evidence(alpha, counts)[0] for counts in naive.outcomes(given, rows)]
    assert_allclose(np.exp(whole).sum(), 1.0, rtol=1e-10)


@pytest.mark.parametrize("name", trees.SHAPES)
def test_one_more_case_is_predicted_by_the_mean(name):
    given = trees.SHAPES[name]
    forest, random = trees.planted(given), np.random.default_rng(5)
    alpha = random.uniform(0.8, 3.0, given.size)
    counts = random.integers(0, 9, given.size).astype(float)
    cell = np.eye(given.size)
    (before,) = forest.log_evidence(alpha, counts)
    after = [forest.log_evidence(alpha, counts + each)[0] for each in cell]
    assert_allclose(np.exp(np.array(after) - before), forest.mean(alpha + counts), rtol=1e-9)


@pytest.mark.parametrize("name", trees.SHAPES)
def test_draws_obey_the_rules_and_have_the_posterior_mean(name):
    given = trees.SHAPES[name]
    forest, random = trees.planted(given), np.random.default_rng(6)
    alpha = random.uniform(0.8, 3.0, given.size)
    draws = forest.sample(alpha, random, 4000)
    assert naive.worst(given, draws[0]) < 1e-12
    # 5 standard errors: wrong about once in two million cells
    error = draws.std(axis=0) / np.sqrt(4000)
    assert (np.abs(draws.mean(axis=0) - forest.mean(alpha)) <= 5 * error + 1e-12).all()


def test_ratios_have_a_dirichlet_of_their_own():
    # row masses and shares within lists are independent [2.5, 2.9]
    forest = trees.planted(block([3, 3], ratios=[[[0, 1], [3, 4]]]))
    alpha = np.array([2.0, 3, 4, 1, 2, 5])
    shares = np.array([2 + 1 - 1, 3 + 2 - 1]) / 6
    masses = [np.array([2 + 3 - 1, 4]) / 8, np.array([1 + 2 - 1, 5]) / 7]
    mean = np.concatenate([[*(shares * m[0]), m[1]] for m in masses])
    assert_allclose(forest.mean(alpha), mean, rtol=1e-12)


def test_positions_of_two_give_k_plus_one():
    forest = trees.planted(block([7], equal(*[[cell] for cell in range(6)])))
    assert_allclose(np.sort(forest.parameters(np.full(7, 2.0))), [2.0, 7.0], rtol=1e-15)


def test_a_prior_that_cannot_be_integrated_says_where():
    forest = trees.planted(trees.KNOWN, trees.SHARED)
    with pytest.raises(ImproperError, match="must be above 0") as caught:
        forest.mean(np.full(10, 0.6))
    assert isinstance(caught.value, EstimateError)
    assert caught.value.positions.tolist() == [4, 5, 6]
