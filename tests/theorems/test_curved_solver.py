"""Newton's method on the KKT system: its robustness, every closed form by it, roots looked through.

[Alg 2.1.1, 3.2.1 with erratum 11; Prop. 2.1.1, 2.1.2; parameter domain knowledge 1.5]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_curved_fit as naive
import naive_inequalities
import trees
from tacit.estimate.curved.component import Component
from tacit.estimate.curved.newton import Point, equations, newton
from tacit.estimate.curved.problem import Bilinear, Problem, proportional
from tacit.estimate.curved.report import NoPointError
from tacit.estimate.curved.second import slsqp
from tacit.estimate.curved.solver import improve, solve_curved
from tacit.knowledge.polytope import Interior

COUNTS = np.array([20.0, 15.0, 5.0, 8.0, 3.0, 12.0])
PAIR = ([0, 1], [2, 4])


def under(weights, lengths, rules=(), curved=()):
    """A problem over rows of these lengths; rules: (factors, limit, equal)."""
    row = np.repeat(np.arange(len(lengths)), lengths)
    sums = (row == np.arange(len(lengths))[:, None]).astype(float)
    matrix = np.vstack([sums, *(np.atleast_2d(factors) for factors, _, _ in rules)])
    limits = np.array([1.0] * len(lengths) + [limit for _, limit, _ in rules])
    level = np.array([True] * len(lengths) + [equal for _, _, equal in rules])
    return Problem(np.asarray(weights, dtype=float), row, matrix, limits, level, tuple(curved))


def sum_against_sum(weights, pair):
    """Σ A <= Σ B within one row: the type of theorem 5.1.1."""
    factors = np.zeros(len(weights))
    factors[pair[0]], factors[pair[1]] = 1.0, -1.0
    return under(weights, [len(weights)], [(factors, 0.0, False)])


def runs_of(fraction, count=500):
    """Where Newton's method ends from random tables, λ at its value and μ between 0 and 1."""
    problem, random = sum_against_sum(COUNTS, PAIR), np.random.default_rng(5)
    theorem = naive_inequalities.sums_against_sums(COUNTS, [PAIR])
    told = {"right": 0, "spurious": 0, "astray": 0}
    steps, free = [], []
    for _ in range(count):
        start = Point(random.dirichlet(np.ones(6)), np.array([1.0, random.random()]))
        end = newton(problem, start, fraction=fraction, search=False)
        if not end.residual < 1e-8:
            told["astray"] += 1
        elif np.abs(end.point.theta - theorem).max() < 1e-6:
            told["right"] += 1
            steps.append(end.steps)
        else:
            told["spurious"] += 1
            free.append(end.point)
    return {kind: number / count for kind, number in told.items()}, steps, free, problem


def test_plain_newton_is_right_from_two_starts_in_three():
    told, steps, _, _ = runs_of(None)
    assert 0.55 < told["right"] < 0.75
    assert 0.10 < told["spurious"] < 0.26
    assert 0.09 < told["astray"] < 0.24
    assert 6 <= np.median(steps) <= 10


def test_with_the_fraction_to_the_boundary_no_run_goes_astray():
    told, _, free, problem = runs_of(0.9)
    assert told["astray"] == 0
    assert 0.63 < told["right"] < 0.82
    for point in free:  # nearly always μ = 0 with h > 0: the estimate without the rule
        assert abs(point.multipliers[1]) < 1e-8
        assert problem.values(point.theta)[1] > 1e-3
        assert_allclose(point.theta, COUNTS / COUNTS.sum(), atol=1e-7)


def test_roots_that_break_the_rule_are_thrown_out():
    report = solve_curved(sum_against_sum(COUNTS, PAIR))
    assert_allclose(report.theta, naive_inequalities.sums_against_sums(COUNTS, [PAIR]), atol=1e-9)
    assert len(report.roots) == 1
    assert report.proven  # all rules are linear: any KKT point is global (Prop. 2.1.1)
    assert "global" in str(report)


def test_equalities_alone_take_seven_steps_from_even_rows():
    problem = under(COUNTS, [6], [(np.array([1.0, 1, 0, -1, -1, 0]), 0.0, True)])
    even = Point(np.full(6, 1 / 6), np.array([1.0, 0.0]))
    end = newton(problem, even, fraction=None, search=False)
    assert end.residual < 1e-12
    assert end.steps <= 10


@pytest.mark.parametrize("name", trees.SHAPES)
def test_each_closed_form_is_reproduced(name):
    block = trees.SHAPES[name]
    none = np.zeros(len(block.rules), dtype=bool)
    inside = Interior(np.ones(1, dtype=bool), np.zeros(block.size), none, np.zeros(block.size) > 0)
    ratios = [proportional(lists, 0) for lists in block.ratios]
    component = Component.of(block, inside, ratios)
    random = np.random.default_rng(11)
    for _ in range(3):
        N = random.integers(1, 60, block.size).astype(float)
        answer = component.solve(N, count=6, second=False)
        assert_allclose(answer.theta, trees.most_likely(block, N), atol=1e-6)
        assert answer.report.residual < 1e-6


def test_upper_bounds_are_theorem_5_2_1():
    random = np.random.default_rng(3)
    sets, caps = [[0, 1], [2], [3, 4], [5]], np.array([0.3, 0.25, 0.4, 0.35])
    for _ in range(5):
        N = random.integers(1, 60, 6).astype(float)
        rules = [
            (np.isin(np.arange(6), cells) * 1.0, cap, False)
            for cells, cap in zip(sets, caps, strict=True)
        ]
        theorem, *_ = naive_inequalities.upper_bounds(N, sets, caps)
        assert_allclose(solve_curved(under(N, [6], rules)).theta, theorem, atol=1e-7)


def independence(weights):
    """One row of four as a 2 x 2 table of rank one."""
    equal = Bilinear.of(np.array([[0], [3]]), np.array([[1], [2]]), True, 0)
    return under(weights, [4], curved=[equal])


def test_independence_has_its_closed_form_also_where_nothing_was_seen():
    for N in ([12.0, 3, 5, 9], [0.0, 3, 5, 2], [4.0, 0, 0, 6]):
        table = np.reshape(N, (2, 2)) / np.sum(N)
        theorem = np.outer(table.sum(axis=1), table.sum(axis=0)).ravel()
        report = solve_curved(independence(N))
        assert_allclose(report.theta, theorem, atol=1e-7)
        assert report.second is not None
        assert report.second.agrees
        assert not report.proven


def test_no_random_feasible_point_is_better():
    random = np.random.default_rng(9)
    N = random.integers(1, 40, 8).astype(float)
    lists = np.array([[0, 1, 2], [4, 5, 6]])
    first = (np.eye(8)[0], 0.1, False)
    problem = under(N, [4, 4], [first], [proportional(lists, 0)])
    report = solve_curved(problem)
    assert problem.missed(report.theta).max() < 1e-9
    kept = 0
    while kept < 1000:
        shares = random.dirichlet(np.ones(3))
        mass = random.random(2)
        theta = np.concatenate([mass[0] * shares, [1 - mass[0]], mass[1] * shares, [1 - mass[1]]])
        if theta[0] <= 0.1:
            kept += 1
            assert problem.missed(theta).max() < 1e-12
            assert problem.objective(theta) <= report.objective + 1e-9


def test_multipliers_are_what_moving_a_limit_brings():
    N, lists = np.array([9.0, 4, 7, 3, 8, 8]), np.array([[0, 1], [3, 4]])

    def solved(limit):
        rule = (np.eye(6)[0], limit, False)
        return solve_curved(under(N, [3, 3], [rule], [proportional(lists, 0)]))

    here, step = solved(0.2), 1e-4
    slope = (solved(0.2 + step).objective - solved(0.2 - step).objective) / (2 * step)
    assert here.multipliers[2] == pytest.approx(slope, rel=1e-4)


@dataclass(frozen=True, eq=False)
class Apart:
    """(θ - low)(high - θ) <= 0 in one cell: below or above, not between."""

    cell: int
    low: float
    high: float

    @property
    def equal(self):
        return np.array([False])

    @property
    def rule(self):
        return np.array([0])

    @property
    def support(self):
        return np.array([self.cell])

    def values(self, theta):
        return np.array([(theta[self.cell] - self.low) * (self.high - theta[self.cell])])

    def jacobian(self, theta):
        return np.array([[self.low + self.high - 2 * theta[self.cell]]])

    def hessian(self, theta, multipliers):
        return np.array([[-2.0 * multipliers[0]]])


def test_both_local_maxima_are_seen_and_the_better_is_taken():
    for N, best in (([11.0, 9.0], 0.7), ([9.0, 11.0], 0.3)):
        report = solve_curved(under(N, [2], curved=[Apart(0, 0.3, 0.7)]))
        assert report.theta[0] == pytest.approx(best, abs=1e-8)
        assert {round(each.theta[0], 6) for each in report.roots} == {0.3, 0.7}
        assert report.starts == 20
        assert sum(each.reached for each in report.roots) >= 20
        assert "2 local maxima were seen" in str(report)
        assert "this is the best from 20 starts" in str(report)
        assert "not proven to be global" in str(report)


def test_tiny_problems_are_as_on_a_grid():
    """Two rows of two: θ₀ θ₂ <= c and its mirror, against all points of a fine grid."""
    random = np.random.default_rng(4)
    for _ in range(6):
        N, top = random.integers(1, 30, 4).astype(float), random.uniform(0.05, 0.4)
        high = Bilinear.of(np.array([[0], [2]]), np.array([[1], [3]]), False, 0)
        report = solve_curved(under(N, [2, 2], [(np.eye(4)[0], top, False)], [high]), count=8)
        value, point = naive.on_a_grid(
            N, lambda x, y, top=top: (x * y <= (1 - x) * (1 - y)) & (x <= top)
        )
        assert report.objective >= value - 1e-9
        assert report.objective <= value + 0.02 * N.sum()
        assert_allclose(report.theta, point, atol=0.01)


def test_the_second_optimiser_ends_where_the_first_does():
    problem = independence([12.0, 3, 5, 9])
    assert_allclose(slsqp(problem, np.full(4, 0.25)), solve_curved(problem).theta, atol=1e-5)


def test_one_step_from_the_last_answer_is_never_worse():
    random = np.random.default_rng(8)
    problem = independence(random.integers(1, 40, 4).astype(float))
    last = solve_curved(problem)
    for _ in range(20):
        other = independence(random.integers(0, 40, 4) + random.random(4))
        found = improve(other, last.theta, last.multipliers / problem.weights.sum())
        assert found is not None
        assert found.objective >= other.objective(last.theta) - 1e-9
        assert_allclose(found.theta, solve_curved(other, count=3).theta, atol=1e-6)


def test_the_answer_is_a_root_of_the_system_as_printed():
    problem = sum_against_sum(COUNTS, PAIR)
    report = solve_curved(problem)
    root = Point(report.theta, report.multipliers / COUNTS.sum())
    assert np.abs(equations(problem, root)).max() < 1e-9
    assert report.multipliers[0] == pytest.approx(COUNTS.sum())  # λ = N (key step of 5.1.1)


def test_cells_without_evidence_are_divided_evenly():
    bent = Bilinear.of(np.array([[0], [4]]), np.array([[1], [3]]), False, 0)
    report = solve_curved(under([5.0, 3, 0, 0, 0, 0], [3, 3], curved=[bent]))
    assert np.isfinite(report.theta).all()
    assert report.theta[2] == pytest.approx(0.0, abs=1e-8)
    nothing = solve_curved(under(np.zeros(6), [3, 3], curved=[bent]))
    assert np.isfinite(nothing.theta).all()
    assert nothing.theta.min() > 0.1


def test_rules_that_no_table_keeps_are_said_to_be_missed():
    both = [Apart(0, 0.2, 0.9), Apart(1, 0.2, 0.9)]
    rules = [(np.eye(3)[0], 0.5, False), (-np.eye(3)[0], -0.3, False)]
    with pytest.raises(NoPointError) as raised:
        solve_curved(under([3.0, 4, 5], [3], rules, both), count=4)
    assert raised.value.missed.max() > 0.01
