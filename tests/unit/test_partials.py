"""Schur complements by elimination: against solved equations, and with each parent left out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tacit.core.dataset import Dataset
from tacit.core.variables import Continuous
from tacit.engines import gaussian_scores
from tacit.engines.gaussian_scores import gaussian_scorer
from tacit.engines.partials import (
    own_without_each,
    partials,
    partials_in,
    partials_without,
)
from tacit.engines.scoring import Removing
from tacit.estimate.scores.values import BIC, BGe

SIZES = (0, 1, 2, 3, 7, 20, 45)


def correlated(n: int, seed: int, cases: int = 200) -> np.ndarray:
    """The correlations of columns that have much in common."""
    random = np.random.default_rng(seed)
    mixing = random.normal(size=(n, n)) + 3 * random.normal(size=(n, 1))
    return np.corrcoef((random.normal(size=(cases, n)) @ mixing.T).T)


def question(n: int, k: int, seed: int) -> tuple[int, tuple[int, ...], np.ndarray]:
    """A child, k parents in rising order, and all others."""
    order = np.random.default_rng(seed).permutation(n)
    return int(order[0]), tuple(sorted(order[1 : k + 1].tolist())), np.sort(order[k + 1 :])


def schur(matrix: np.ndarray, rows: list[int], given: tuple[int, ...]) -> np.ndarray:
    """What is left of some variables given others, by the formula."""
    inner = np.ix_(given, given)
    across = matrix[np.ix_(given, rows)]
    return matrix[np.ix_(rows, rows)] - across.T @ np.linalg.solve(matrix[inner], across)


@pytest.mark.parametrize("k", SIZES)
def test_elimination_is_the_solution_of_the_equations(k):
    matrix = correlated(60, k)
    child, parents, others = question(60, k, k)
    found = partials_in(matrix, child, parents, others)
    for at, other in enumerate(others.tolist()):
        left = schur(matrix, [child, other], parents)
        assert_allclose(
            [found.own, found.left[at], found.cross[at]],
            [left[0, 0], left[1, 1], left[0, 1]],
            atol=1e-9,
        )
    for at, parent in enumerate(parents):
        assert found.pivots[at] == pytest.approx(schur(matrix, [parent], parents[:at])[0, 0])


@pytest.mark.parametrize("k", SIZES)
def test_the_kernel_has_the_bits_of_a_stack_of_matrices(k):
    matrix = correlated(60, 100 + k)
    child, parents, others = question(60, k, 100 + k)
    one, many = partials_in(matrix, child, parents, others), partials(
        matrix[None], child, parents, others
    )  # fmt: skip
    for name in ("pivots", "own", "left", "cross"):
        assert_array_equal(getattr(one, name), getattr(many, name)[0])


@pytest.mark.parametrize("k", SIZES[1:])
def test_with_a_parent_left_out_it_is_the_elimination_of_the_others(k):
    matrix = correlated(60, 200 + k)
    child, parents, _ = question(60, k, 200 + k)
    places = np.flatnonzero(np.random.default_rng(k).random(k) < 0.8)
    found = partials_without(matrix, child, parents, places)
    halves = own_without_each(matrix, child, parents)
    for at, place in enumerate(places.tolist()):
        others = parents[:place] + parents[place + 1 :]
        alone = partials_in(matrix, child, others)
        assert_array_equal(found.pivots[at], alone.pivots)
        assert found.own[at] == alone.own
        assert halves[place] == pytest.approx(float(alone.own), rel=1e-10)


def test_a_floor_bounds_pivots_and_what_is_left():
    matrix = correlated(8, 5)
    floor = np.full(8, 0.4)
    found = partials_in(matrix, 0, (1, 2, 3), np.array([4, 5]), floor)
    assert found.pivots.min() >= 0.4
    assert found.left.min() >= 0.4
    less = partials_without(matrix, 0, (1, 2, 3), np.array([1]), floor)
    alone = partials_in(matrix, 0, (1, 3), floor=floor)
    assert_array_equal(less.pivots[0], alone.pivots)
    assert less.own[0] == max(alone.own, 0.4)


def drawn(n: int, cases: int, copies: bool = False) -> Dataset:
    random = np.random.default_rng(n)
    values = random.normal(size=(cases, n)) @ random.normal(size=(n, n))
    if copies:
        values[:, 5] = values[:, 2] - 2 * values[:, 3]
    names = [f"V{at}" for at in range(n)]
    return Dataset(
        {name: Continuous(name) for name in names}, dict(zip(names, values.T, strict=True))
    )


@pytest.mark.parametrize("score", [BIC(), BGe()], ids=lambda each: each.describe())
@pytest.mark.parametrize("copies", [False, True])
def test_scores_without_each_parent_are_those_of_the_smaller_families(score, copies):
    scorer = gaussian_scorer(drawn(50, 90, copies), score)
    assert isinstance(scorer, Removing)
    for k in (1, 2, 6, 48):
        parents = tuple(range(k))
        found = scorer.without(49, parents, np.arange(k))
        one_by_one = [scorer.family(49, parents[:at] + parents[at + 1 :]) for at in range(k)]
        assert_allclose(found, one_by_one, rtol=1e-12)
        few = np.array([0, k - 1]) if k > 1 else np.array([0])
        assert_allclose(scorer.without(49, parents, few), found[few], rtol=1e-12)


def test_many_parents_are_left_out_by_halves_only_where_no_family_is_singular(monkeypatch):
    halved = []
    by_halves = gaussian_scores.own_without_each
    monkeypatch.setattr(
        gaussian_scores,
        "own_without_each",
        lambda *asked: halved.append(asked[2]) or by_halves(*asked),
    )
    for copies, times in ((False, 1), (True, 0)):
        halved.clear()
        scorer = gaussian_scorer(drawn(50, 90, copies), BIC())
        scorer.without(49, tuple(range(48)), np.arange(48))
        assert len(halved) == times
