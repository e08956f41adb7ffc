"""Equations at random: whatever is recognised as a tree is feasible and optimal."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import naive_equalities as naive
import trees
from tacit.estimate.ruled.recognise import recognise


def some(random, cells, most):
    return random.choice(cells, random.integers(1, min(most, len(cells)) + 1), replace=False)


def drawn(random):
    """A block of one to three rows with a few statements about masses, and at times ratios."""
    lengths = random.integers(2, 7, random.integers(1, 4))
    ends = np.cumsum(lengths)
    rows = [np.arange(end - length, end) for end, length in zip(ends, lengths, strict=True)]
    equations = []
    for _ in range(random.integers(1, 5)):
        one, other = (rows[random.integers(len(rows))] for _ in range(2))
        left = some(random, one, 3)
        right = np.setdiff1d(other, left)
        if random.random() < 0.2:
            equations += trees.known(left.tolist(), float(random.choice([0.0, 0.1, 0.2, 0.3])))
        elif right.size:
            factor = float(random.choice([1.0, 1.0, 2.0])) if one is other else 1.0
            sets = left.tolist(), random.permutation(right)[: left.size].tolist()
            equations += trees.times(sets[0], factor, sets[1])
    return trees.block(lengths, equations, _lists(random, rows))


def _lists(random, rows):
    if random.random() < 0.5:
        return []
    one, other = (random.permutation(rows[random.integers(len(rows))]) for _ in range(2))
    other = np.setdiff1d(other, one[:2]) if one[0] in other else other
    size = min(2, one.size, other.size)
    return [[one[:size], other[:size]]] if size > 1 else []


def check(given, random):
    """What came of one block."""
    tree = recognise(given)
    if tree is None:
        return "no tree"
    forest = trees.planted(given)
    counts = random.gamma(1.0, 5.0, given.size) + 0.1
    theta = forest.most_likely(counts)
    assert naive.worst(given, theta) < 1e-9
    assert naive.worst(given, forest.mean(counts + 0.5)) < 1e-9
    if (theta > 0).all():
        assert naive.slope(given, counts, theta) < 1e-8
        return tree.kind
    if not given.ratios:
        assert all(naive.highest(given, cell) < 1e-9 for cell in np.flatnonzero(theta == 0))
    return "zeros"


def campaign(seed, blocks):
    random = np.random.default_rng(seed)
    found = Counter(check(drawn(random), random) for _ in range(blocks))
    assert blocks // 10 < found["no tree"] < 9 * blocks // 10
    assert len(found) > 8, found


def test_blocks_at_random_are_solved_or_left_alone():
    campaign(1, 1200)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(10))
def test_many_blocks_at_random_are_solved_or_left_alone(seed):
    campaign(100 + seed, 5000)


def test_a_solver_agrees_on_blocks_at_random():
    against_a_solver(2, 12)


@pytest.mark.full
def test_a_solver_agrees_on_many_blocks_at_random():
    against_a_solver(3, 1000)


def against_a_solver(seed, wanted):
    random, found = np.random.default_rng(seed), 0
    while found < wanted:
        given = drawn(random)
        tree = None if given.ratios else recognise(given)
        counts = random.integers(1, 60, given.size).astype(float)
        if tree is not None and (tree.fixed > 0).all():
            theta = trees.planted(given).most_likely(counts)
            best = naive.optimum(given, counts)
            assert abs(counts @ np.log(theta) - best) <= 1e-8 * abs(best)
            found += 1


def test_a_rule_that_the_free_optimum_obeys_changes_nothing():
    counts = np.array([3.0, 3, 4, 2, 1, 1, 2])
    given = trees.block([4, 3], trees.equal([0], [1]) + trees.known([3], 2 / 12))
    free = trees.most_likely(trees.block([4, 3]), counts)
    np.testing.assert_allclose(trees.most_likely(given, counts), free, rtol=1e-12)


def test_a_further_rule_never_raises_the_objective():
    random = np.random.default_rng(4)
    for name, given in trees.LINEAR.items():
        counts = random.integers(1, 50, given.size).astype(float)
        free = trees.most_likely(trees.block(np.bincount(given.row).tolist()), counts)
        ruled = trees.most_likely(given, counts)
        assert counts @ np.log(ruled) <= counts @ np.log(free) + 1e-9, name
