"""What sharing promises, G1 to G7: exact by enumeration, or at random with a stated error rate.

A statistical test compares a mean of independent runs with its expectation and allows `WIDTH`
standard errors: a right estimator fails one such comparison in about 2 million.
"""

from __future__ import annotations

from itertools import product
from math import factorial, prod

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_equalities as naive
import trees
from trees import block, equal

WIDTH = 5.2


def near(values, expected):
    """Whether the mean of independent values is `expected`, up to WIDTH standard errors."""
    error = np.std(values, axis=0, ddof=1) / np.sqrt(len(values))
    return bool((np.abs(np.mean(values, axis=0) - expected) <= WIDTH * error).all())


def data_sets(theta, cases):
    """All counts of so many cases, with their probabilities."""
    for counts in product(range(cases + 1), repeat=theta.size):
        if sum(counts) == cases:
            ways = factorial(cases) / prod(map(factorial, counts))
            yield np.array(counts, dtype=float), ways * np.prod(theta ** np.array(counts))


def moments(given, theta, cases, seen=lambda counts: True):
    """Mean and variance of the estimate of a row, by enumeration; given that data were seen."""
    forest = trees.planted(given)
    pairs = [(forest.most_likely(n), p) for n, p in data_sets(theta, cases) if seen(n)]
    whole = sum(p for _, p in pairs)
    pairs = [(estimate, p / whole) for estimate, p in pairs]
    mean = sum(p * estimate for estimate, p in pairs)
    return mean, sum(p * (estimate - mean) ** 2 for estimate, p in pairs)


THETA = np.array([0.2, 0.2, 0.2, 0.4])
FREE, SHARED = block([4]), block([4], equal([0], [1], [2]))


@pytest.mark.parametrize("cases", [1, 2, 5])
def test_g1_plain_ml_is_unbiased_with_the_variance_of_lemma_7_1_1(cases):
    mean, variance = moments(FREE, THETA, cases)
    assert_allclose(mean, THETA, rtol=1e-12)
    assert_allclose(variance, THETA * (1 - THETA) / cases, rtol=1e-12)


@pytest.mark.parametrize("cases", [1, 2, 5])
def test_g2_sharing_is_unbiased_with_the_variance_of_lemma_7_1_2(cases):
    s = np.array([3, 3, 3, 1])
    mean, variance = moments(SHARED, THETA, cases)
    assert_allclose(mean, THETA, rtol=1e-12)
    assert_allclose(variance, THETA * (1 / s - THETA) / cases, rtol=1e-12)


@pytest.mark.parametrize("cases", [1, 2, 5])
def test_g3_sharing_lowers_the_variance_by_theorem_7_1_1(cases):
    s = np.array([3, 3, 3, 1])
    saved = moments(FREE, THETA, cases)[1] - moments(SHARED, THETA, cases)[1]
    assert_allclose(saved, THETA * (1 - 1 / s) / cases, atol=1e-14)


def of_a_child(random, runs, cases):
    """Estimates of one row of a child whose parent is drawn too: its number of cases varies."""
    seen = random.binomial(cases, 0.4, runs)
    seen = seen[seen > 0]
    counts = np.array([random.multinomial(n, THETA) for n in seen], dtype=float)
    free, shared = trees.planted(*[FREE] * len(seen)), trees.planted(*[SHARED] * len(seen))
    return seen, *(
        forest.most_likely(counts.ravel()).reshape(counts.shape) for forest in (free, shared)
    )


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(2, 22))]
)
def test_g1_to_g3_hold_for_a_row_whose_cases_vary(seed):
    seen, free, shared = of_a_child(np.random.default_rng(seed), 20_000, 12)
    inverse = 1 / seen  # E[1 / N given N > 0], from the same runs
    assert near(free, THETA)
    assert near(shared, THETA)
    s = np.array([3, 3, 3, 1])
    square = (free - THETA) ** 2 - (shared - THETA) ** 2
    assert near(square - inverse[:, None] * THETA * (1 - 1 / s), 0.0)


# --- G4 to G6: knowledge that is wrong -----------------------------------------------------------

# A -> B; the rows of B are said to share their first state, and do not
P_A, P_B = np.array([0.3, 0.7]), np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
WRONG = block([2, 3, 3], equal([2], [5]))
TRUE_COUNTS = np.concatenate([P_A, (P_A[:, None] * P_B).ravel()])


def divergence(theta):
    """KL(P, Q) over the joint distribution, state by state."""
    q_a, q_b = theta[:2], theta[2:].reshape(2, 3)
    return sum(
        P_A[a] * P_B[a, b] * np.log(P_A[a] * P_B[a, b] / (q_a[a] * q_b[a, b]))
        for a in range(2)
        for b in range(3)
    )


def test_g4_the_estimate_from_true_counts_is_the_nearest_network_of_theorem_7_2_1():
    best = trees.most_likely(WRONG, TRUE_COUNTS)
    assert naive.slope(WRONG, TRUE_COUNTS, best) < 1e-12  # the divergence is convex
    random = np.random.default_rng(1)
    for theta in trees.planted(WRONG).sample(1 + 200 * TRUE_COUNTS, random, 500):
        assert divergence(theta) >= divergence(best)
    shared = 0.3 * 0.5 + 0.7 * 0.2  # T = 1: both rows together hold all cases once
    assert_allclose(best[[2, 5]], shared, rtol=1e-12)


def errors(seed, cases, theta):
    """How far the estimate is from theta after so many cases, squared; on average over runs."""
    random, forest = np.random.default_rng(seed), trees.planted(WRONG)
    joint = random.multinomial(cases, (P_A[:, None] * P_B).ravel(), 400).astype(float)
    found = []
    for counts in joint:
        whole = np.concatenate([counts.reshape(2, 3).sum(axis=1), counts])
        found.append(((forest.most_likely(whole) - theta) ** 2).sum())
    return np.array(found)


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(2, 22))]
)
def test_g5_the_estimate_tends_to_the_nearest_network_as_theorem_7_2_2_says(seed):
    # errors shrink as 1 / sqrt(n): means of squares over 400 runs, times n, agree within a factor
    # of 2. Each has a relative deviation of at most sqrt(2 / 400) = 0.07, their ratio one of 0.1:
    # log 2 is more than 6 of these, and a right estimator fails less than once in 100 million
    best = trees.most_likely(WRONG, TRUE_COUNTS)
    scaled = [n * errors(seed, n, best).mean() for n in (10_000, 1_000_000)]
    assert 0.5 < scaled[0] / scaled[1] < 2.0
    assert ((best - np.concatenate([P_A, P_B.ravel()])) ** 2).sum() > 0.01  # and not to P


def test_g6_right_knowledge_tends_to_the_truth():
    # corollary 7.2.1: in the limit the counts are the probabilities
    rows = np.array([[0.5, 0.3, 0.2], [0.5, 0.1, 0.4]])
    counts = np.concatenate([P_A, (P_A[:, None] * rows).ravel()])
    assert_allclose(trees.most_likely(WRONG, counts)[2:], rows.ravel(), rtol=1e-12)


# --- G7: other types ---------------------------------------------------------------------------


def test_g7_equal_masses_lower_the_total_variance_but_not_of_every_cell():
    # two sets of mass 0.15, shares (0.5, 0.5) and (0.9, 0.1), both with cases [erratum 26]
    def both(counts):
        return counts[:2].any() and counts[2:4].any()

    theta = np.array([0.075, 0.075, 0.135, 0.015, 0.7])
    sums = block([5], equal([0, 1], [2, 3]))
    for cases, ratio, totals in ((5, 1.06, [0.0628, 0.0677]), (10, 1.12, [0.0338, 0.0381])):
        plain = moments(block([5]), theta, cases, both)[1]
        shared = moments(sums, theta, cases, both)[1]
        assert_allclose(shared[3] / plain[3], ratio, atol=0.02)
        assert_allclose([shared.sum(), plain.sum()], totals, atol=4e-4)
