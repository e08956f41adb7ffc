"""The general solver on blocks small enough to be solved by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import blocks_at_random
from blocks_at_random import Drawn, joined
from tacit.core.errors import ConflictError, EstimateError
from tacit.estimate.ruled.general import General, Solution
from tacit.estimate.ruled.impossible import ImpossibleEvidenceError


def block(lengths: tuple[int, ...], *rules: tuple[list[float], str, float]) -> Drawn:
    made = Drawn(lengths, np.zeros(sum(lengths)))
    for factors, relation, limit in rules:
        sign = -1.0 if relation == ">=" else 1.0
        made.rules.append((sign * np.array(factors), relation == "=", sign * limit))
    return made


def solved(made: Drawn, weights: list[float]) -> Solution:
    general = General.of(joined([made]), np.arange(1))
    return general.solve(np.array(weights, dtype=np.float64))


def test_a_rule_that_the_counts_obey_changes_nothing_and_costs_nothing():
    solution = solved(block((3,), ([1, 0, 0], "<=", 0.9)), [1, 2, 1])
    assert_allclose(solution.theta, [0.25, 0.5, 0.25], atol=1e-12)
    assert_allclose(solution.multipliers, [0], atol=1e-10)
    assert_allclose(solution.row_multipliers, [4])


def test_a_cap_is_reached_and_the_rest_divided_as_the_counts_are():
    solution = solved(block((3,), ([1, 0, 0], "<=", 0.2)), [6, 3, 1])
    assert_allclose(solution.theta, [0.2, 0.6, 0.2])
    assert_allclose(solution.multipliers, [6 / 0.2 - 4 / 0.8])


def test_a_multiplier_is_what_one_more_unit_of_the_limit_brings():
    def best(limit: float) -> float:
        theta = solved(block((3,), ([1, -1, 0], "<=", limit)), [6, 3, 1]).theta
        return float(np.array([6, 3, 1]) @ np.log(theta))

    solution = solved(block((3,), ([1, -1, 0], "<=", 0.05)), [6, 3, 1])
    slope = (best(0.05 + 1e-5) - best(0.05 - 1e-5)) / 2e-5
    assert_allclose(solution.multipliers, [slope], rtol=1e-6)


def test_a_proportion_across_rows():
    solution = solved(block((2, 2), ([1, 0, -2, 0], "=", 0.0)), [3, 7, 4, 6])
    p = solution.theta[2]
    assert_allclose(solution.theta, [2 * p, 1 - 2 * p, p, 1 - p], atol=1e-12)
    assert_allclose(7 / p - 14 / (1 - 2 * p) - 6 / (1 - p), 0, atol=1e-6)


def test_cells_that_nothing_holds_up_are_exactly_zero():
    solution = solved(block((4,), ([1, 1, 0, 0], "<=", 0.5)), [3, 0, 2, 0])
    assert_allclose(solution.theta, [0.5, 0, 0.5, 0], atol=1e-12)
    assert solution.theta[1] == 0
    assert solution.theta[3] == 0


def test_what_the_counts_leave_open_is_divided_evenly():
    """Half of the mass must go to cells that no case has shown."""
    solution = solved(block((3,), ([1, -1, -1], "<=", 0.0)), [10, 0, 0])
    assert_allclose(solution.theta, [0.5, 0.25, 0.25], atol=1e-9)


def test_a_block_without_cases_is_solved_as_if_each_cell_had_been_seen_once():
    solution = solved(block((3,), ([1, 0, 0], "<=", 0.2)), [0, 0, 0])
    assert_allclose(solution.theta, [0.2, 0.4, 0.4])
    assert_allclose(solution.multipliers, 0)
    assert_allclose(solution.certificate.gap, 0)


def test_equal_bounds_are_an_equality_and_prices_keep_their_sign():
    made = block((3,), ([1, 0, 0], "<=", 0.3), ([1, 0, 0], ">=", 0.3))
    few, many = solved(made, [1, 3, 3]), solved(made, [9, 1, 1])
    assert_allclose(few.theta, [0.3, 0.35, 0.35])
    assert (few.multipliers >= 0).all()
    assert (many.multipliers >= 0).all()
    assert_allclose(few.multipliers[0] - few.multipliers[1], 1 / 0.3 - 6 / 0.7)
    assert_allclose(many.multipliers[0] - many.multipliers[1], 9 / 0.3 - 2 / 0.7)


def test_cells_that_rules_force_to_zero_are_left_out_and_proved():
    made = block((3,), ([1, 0, 0], "<=", 0.0), ([0, 1, -1], "<=", 0.0))
    solution = solved(made, [0, 3, 1])
    assert_allclose(solution.theta, [0, 0.5, 0.5])
    assert solution.certificate.dual.max() <= 1e-8


def test_cases_of_a_cell_that_is_forced_to_zero_are_refused():
    made = block((3,), ([1, 0, 0], "<=", 0.0))
    with pytest.raises(ImpossibleEvidenceError) as caught:
        solved(made, [2, 3, 1])
    assert caught.value.positions.tolist() == [0]
    assert isinstance(caught.value, EstimateError)


def test_rules_that_contradict_each_other_are_refused():
    made = block((2,), ([1, 0], "<=", 0.3), ([1, 0], ">=", 0.4))
    with pytest.raises(ConflictError):
        solved(made, [1, 1])


def test_equalities_said_twice_have_one_price():
    made = block((3,), ([1, 0, 0], "=", 0.2), ([2, 0, 0], "=", 0.4), ([0, 1, 1], "=", 0.8))
    solution = solved(made, [5, 3, 1])
    assert_allclose(solution.theta, [0.2, 0.6, 0.2])
    assert solution.certificate.dual.max() <= 1e-10
    assert solution.certificate.gap.max() <= 1e-9


def test_only_the_chosen_blocks_are_solved():
    blocks = joined([block((2,), ([1, 0], "<=", p)) for p in (0.1, 0.2, 0.3)])
    general = General.of(blocks, np.array([0, 2]))
    solution = general.solve(np.ones(6))
    assert_allclose(solution.theta, [0.1, 0.9, np.nan, np.nan, 0.3, 0.7])
    assert solution.multipliers[1] == 0
    assert_allclose(solution.row_multipliers, [1 / 0.9, 0, 1 / 0.7])
    assert solution.certificate.gap.size == 2


def test_no_block_is_no_problem():
    blocks = joined([block((2,), ([1, 0], "<=", 0.1))])
    solution = General.of(blocks, np.zeros(0, dtype=np.int64)).solve(np.ones(2))
    assert np.isnan(solution.theta).all()


def test_threads_change_no_bit():
    rng = np.random.default_rng(3)
    drawn = [blocks_at_random.drawn(rng, 2, 6) for _ in range(30)]
    weights = np.concatenate([blocks_at_random.weights(rng, each) for each in drawn])
    general = General.of(joined(drawn), np.arange(30))
    one, two = general.solve(weights), general.solve(weights, threads=2)
    assert one.theta.tobytes() == two.theta.tobytes()
    assert one.multipliers.tobytes() == two.multipliers.tobytes()


def test_a_large_block_is_solved_like_a_small_one(monkeypatch):
    rng = np.random.default_rng(5)
    drawn = [blocks_at_random.drawn(rng, 3, 8) for _ in range(12)]
    weights = np.concatenate([blocks_at_random.weights(rng, each) for each in drawn])
    general = General.of(joined(drawn), np.arange(12))
    small = general.solve(weights)
    monkeypatch.setattr("tacit.estimate.ruled.general.SMALL_RULES", 0)
    for gain in (0.0, 1e9):  # never dense, always dense
        monkeypatch.setattr("tacit.estimate.ruled.large.DENSE_GAIN", gain)
        large = general.solve(weights)
        assert large.certificate.primal.max() <= 1e-11
        totals = np.add.reduceat(weights, general.blocks.cell_at[:-1])
        assert (large.certificate.gap <= 1e-9 * np.maximum(totals, 1)).all()
        seen = weights > 0
        assert_allclose(weights[seen] @ np.log(large.theta[seen]),
                        weights[seen] @ np.log(small.theta[seen]), rtol=1e-9)  # fmt: skip
