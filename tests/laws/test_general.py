"""Laws of the general solver, on random blocks and against solvers that know nothing of it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

import blocks_at_random
import naive_solver
from blocks_at_random import Drawn, joined
from tacit.estimate.ruled.general import General, Solution

Floats = npt.NDArray[np.float64]


def drawn_blocks(seed: int, many: int) -> tuple[list[Drawn], Floats]:
    """Half of them ordinary, half degenerate; cells that must be 0 have no weight."""
    rng = np.random.default_rng(seed)
    draw = [lambda: blocks_at_random.drawn(rng, 5, 20), lambda: blocks_at_random.degenerate(rng)]
    blocks = [draw[number % 2]() for number in range(many)]
    return blocks, np.concatenate([blocks_at_random.weights(rng, block) for block in blocks])


def possible(general: General, weights: Floats) -> Floats:
    return np.where(general.interior.zero, 0.0, weights)


def totals_of(general: General, weights: Floats) -> Floats:
    return np.add.reduceat(weights, general.blocks.cell_at[:-1])


def assert_proved(general: General, solution: Solution, weights: Floats) -> None:
    totals = totals_of(general, weights)
    assert solution.certificate.primal.max() <= 1e-11
    assert solution.certificate.dual.max() <= 1e-8
    assert (solution.certificate.gap <= 1e-8 * totals).all()
    assert (solution.certificate.gap <= 1e-9 * totals).mean() >= 0.999
    inequalities = ~general.blocks.rules.equal
    scale = np.repeat(totals, np.diff(general.blocks.rule_at))[inequalities]
    assert (solution.multipliers[inequalities] >= -1e-12 * scale).all()


def assert_no_worse_than(oracle, blocks: list[Drawn], general: General, weights: Floats) -> int:
    """Feasible to 1e-9, and no less likely than the oracle's answer; how many it could answer."""
    solution, answered = general.solve(weights), 0
    for number, block in enumerate(blocks):
        cells = slice(general.blocks.cell_at[number], general.blocks.cell_at[number + 1])
        rules = slice(general.blocks.rule_at[number], general.blocks.rule_at[number + 1])
        theta, given = solution.theta[cells], weights[cells]
        limits = np.array([limit for _, _, limit in block.rules])
        equal = np.array([equal for _, equal, _ in block.rules])
        stated = (block.lengths, block.matrix, limits, equal)
        assert naive_solver.most_missed(*stated, theta) <= 1e-9
        if not given.any():
            continue
        try:
            other = oracle(*stated, given)
        except naive_solver.UnsolvedError:
            continue  # counted by the caller
        answered += 1
        prices = np.abs(solution.multipliers[rules]).sum() + given.sum()
        bought = naive_solver.most_missed(*stated, other) * prices * given.size
        ours, theirs = (naive_solver.objective(given, each) for each in (theta, other))
        assert ours >= theirs - 1e-8 * max(abs(theirs), given.sum()) - bought
    return answered


def test_random_blocks_are_as_likely_as_cvxpy_makes_them():
    blocks, weights = drawn_blocks(1, 60)
    general = General.of(joined(blocks), np.arange(60))
    answered = assert_no_worse_than(
        naive_solver.most_likely, blocks, general, possible(general, weights)
    )
    assert answered >= 50


@pytest.mark.full
@pytest.mark.parametrize("seed", range(100, 115))
def test_many_random_blocks_are_as_likely_as_clarabel_makes_them(seed):
    blocks, weights = drawn_blocks(seed, 200)
    general = General.of(joined(blocks), np.arange(200))
    answered = assert_no_worse_than(
        naive_solver.most_likely_directly, blocks, general, possible(general, weights)
    )
    assert answered >= 140


def test_every_answer_is_proved():
    blocks, weights = drawn_blocks(2, 300)
    general = General.of(joined(blocks), np.arange(300))
    weights = possible(general, weights)
    assert_proved(general, general.solve(weights), weights)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(200, 220))
def test_thousands_of_answers_are_proved(seed):
    blocks, weights = drawn_blocks(seed, 1000)
    general = General.of(joined(blocks), np.arange(1000))
    weights = possible(general, weights)
    assert_proved(general, general.solve(weights), weights)


@pytest.mark.parametrize("change", [1e-6, 1e-3, 0.3])
def test_a_warm_start_is_as_good_as_a_cold_one(change):
    blocks, weights = drawn_blocks(3, 100)
    general = General.of(joined(blocks), np.arange(100))
    weights = possible(general, weights)
    before = general.solve(weights)
    moved = weights * (1 + change * np.random.default_rng(0).random(weights.size))
    assert_proved(general, general.solve(moved, start=before), moved)


def test_warm_starts_take_fewer_steps():
    blocks, weights = drawn_blocks(4, 100)
    general = General.of(joined(blocks), np.arange(100))
    weights = possible(general, weights)
    cold = general.solve(weights)
    warm = general.solve(weights * 1.001, start=cold)
    assert warm.steps.mean() < 0.8 * cold.steps.mean()


def test_a_further_rule_never_raises_the_optimum():
    rng = np.random.default_rng(6)
    more = [blocks_at_random.drawn(rng, 3, 10) for _ in range(60)]
    fewer = [Drawn(each.lengths, each.inside, each.rules[:-1]) for each in more]
    weights = np.concatenate([blocks_at_random.weights(rng, each) for each in more])
    strict, loose = (General.of(joined(each), np.arange(60)) for each in (more, fewer))
    with_it, without = strict.solve(weights).theta, loose.solve(weights).theta
    for number in range(60):
        cells = slice(strict.blocks.cell_at[number], strict.blocks.cell_at[number + 1])
        given = weights[cells]
        low, high = (naive_solver.objective(given, each[cells]) for each in (with_it, without))
        assert low <= high + 1e-9 * max(abs(high), given.sum())


def test_the_scale_of_the_weights_changes_prices_only():
    blocks, weights = drawn_blocks(7, 60)
    general = General.of(joined(blocks), np.arange(60))
    weights = possible(general, weights)
    one, many = general.solve(weights), general.solve(1024.0 * weights)
    np.testing.assert_allclose(many.theta, one.theta, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(many.multipliers, 1024.0 * one.multipliers, rtol=1e-9)


def test_newtons_method_that_fails_gives_the_interior_point_back():
    """Blocks on which it fails go on from where they were: few steps, and rules kept exactly."""
    rng = np.random.default_rng(301)
    blocks = [
        blocks_at_random.degenerate(rng) if number % 2 else blocks_at_random.drawn(rng)
        for number in range(250)
    ]
    weights = np.concatenate([blocks_at_random.weights(rng, block) for block in blocks])
    solution = General.of(joined(blocks), np.arange(250)).solve(weights)
    assert solution.steps.max() <= 40
    assert solution.certificate.primal.max() <= 1e-13
