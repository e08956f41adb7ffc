"""Whatever way a block is solved, the general solver finds nothing better, nor does chance."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.core.variables import Discrete
from tacit.estimate.ruled.general import General
from tacit.estimate.ruled.multipliers import multipliers
from tacit.estimate.ruled.plan import compile_plan, solve
from tacit.knowledge.binding import bind
from tacit.knowledge.cells import Cells

A = Discrete("A", ("x", "y"))
B = Discrete("B", ("0", "1", "2"))
C = Discrete("C", ("s", "t", "u", "v", "w"))
D = Discrete("D", ("no", "yes"))
CELLS = Cells.of({"A": (A,), "B": (A, B), "C": (B, C), "D": (B, D)})

LINEAR = {
    "known values": "P(C=s | B=0) = 0.2; P(C=t | B=0) = 0.1",
    "sharing": "P(C=s | B=0) = P(C=t | B=0); P(C=u | B=0) = P(C=v | B=0)",
    "proportions": "P(C=s | B=0) = 2 * P(C=t | B=0)",
    "equal sums": "P(C={s, t} | B=0) = P(C={u, v} | B=0)",
    "general sharing": "P(C=s | B=0) = P(C=t | B=1) = P(C=w | B=2)",
    "sharing tree": "share P(C | B=*) { s; B={0, 1} { t } }",
    "equal masses": "P(C={s, t} | B=0) = P(C={s, t, u} | B=1)",
    "whole rows": "P(C | B=0) = P(C | B=2)",
    "upper bounds": "P(C={s, t} | B=0) <= 0.2; P(C=u | B=0) <= 0.1",
    "intervals": "0.3 <= P(C=s | B=0) <= 0.4; P(C={t, u} | B=0) <= 0.25",
    "sums against sums": "P(C={s, t} | B=0) <= P(C={u} | B=0)",
    "chain in a row": "P(C=s | B=0) <= P(C=t | B=0) <= P(C=u | B=0)",
    "chain across rows": "P(D=yes | B=0) <= P(D=yes | B=1) <= P(D=yes | B=2)",
    "influence": "C increases with B",
    "overlap": "P(C={s, t} | B=0) <= 0.4; P(C={t, u} | B=0) >= 0.5; P(C={u, v} | B=0) <= 0.3",
    "across tables": "P(D=yes | B=0) + P(C=s | B=1) <= 0.4; P(B=0 | A=x) = 3 * P(D=yes | B=0)",
    "about": "P(C | B=0) ~ P(C | B=1) +- 0.03",
    "ignores": "C ignores B",
    "tied tables": "table(B | A) = table(B | A); P(B | A=x) = P(B | A=y)",
}


def plan_of(text):
    return compile_plan(bind(tc.Knowledge.parse(text).rules, CELLS))


def objective(weights, theta):
    used = weights > 0
    return float(weights[used] @ np.log(theta[used]))


@pytest.mark.parametrize("text", LINEAR.values(), ids=LINEAR)
@pytest.mark.parametrize("seed", range(3))
def test_every_way_reaches_what_the_general_solver_reaches(text, seed):
    plan, random = plan_of(text), np.random.default_rng(seed)
    general = General.of(plan.blocks, np.arange(len(plan.blocks)))
    for _ in range(5):
        weights = random.gamma(0.7, 20.0, plan.blocks.cells.size)
        ours, theirs = solve(plan, weights), general.solve(weights)
        assert plan.blocks.rules.excess(ours.theta).max(initial=0.0) <= 1e-10
        assert_allclose(np.bincount(plan.blocks.row, ours.theta), 1.0, atol=1e-12)
        assert objective(weights, ours.theta) == pytest.approx(
            objective(weights, theirs.theta), rel=1e-9
        )
        assert_allclose(ours.theta, theirs.theta, atol=1e-6)


@pytest.mark.parametrize("text", LINEAR.values(), ids=LINEAR)
def test_no_way_loses_to_a_thousand_feasible_points(text):
    plan, random = plan_of(text), np.random.default_rng(7)
    weights = random.gamma(0.7, 20.0, plan.blocks.cells.size)
    best = objective(weights, solve(plan, weights).theta)
    corners = [solve(plan, random.gamma(0.3, 5.0, weights.size) + 1e-3).theta for _ in range(60)]
    mixtures = random.dirichlet(np.full(60, 0.3), 1000) @ np.array(corners)
    for theta in mixtures:
        assert plan.blocks.rules.excess(theta).max(initial=0.0) <= 1e-9
        assert objective(weights, theta) <= best + 1e-9 * abs(best)


@pytest.mark.parametrize("text", LINEAR.values(), ids=LINEAR)
def test_multipliers_explain_the_slope_of_the_objective(text):
    plan, random = plan_of(text), np.random.default_rng(3)
    weights = random.gamma(2.0, 20.0, plan.blocks.cells.size)
    ruling = solve(plan, weights)
    pull = multipliers(plan, ruling, weights)
    rules = plan.blocks.rules
    slope = weights / ruling.theta
    slope -= np.bincount(rules.cells, rules.factors * pull[rules.owner], minlength=slope.size)
    rows = plan.blocks.row
    mean = (np.bincount(rows, slope * ruling.theta) / np.bincount(rows, ruling.theta))[rows]
    assert_allclose(slope, mean, rtol=1e-5)
    assert (pull[~rules.equal] >= -1e-6 * weights.sum()).all()
    slack = rules.limits - rules.values(ruling.theta)
    assert (np.abs(pull * slack) <= 1e-6 * weights.sum()).all()


@pytest.mark.parametrize("text", LINEAR.values(), ids=LINEAR)
def test_a_solution_that_starts_from_another_is_as_good(text):
    plan, random = plan_of(text), np.random.default_rng(11)
    weights = random.gamma(2.0, 20.0, plan.blocks.cells.size)
    before = solve(plan, weights, prove=False)
    for size in (1e-6, 1e-2, 0.3, 3.0):
        weights = weights * np.exp(size * random.standard_normal(weights.size))
        warm, cold = solve(plan, weights, before, prove=False), solve(plan, weights)
        assert plan.blocks.rules.excess(warm.theta).max(initial=0.0) <= 1e-10
        assert objective(weights, warm.theta) == pytest.approx(
            objective(weights, cold.theta), rel=1e-10
        )
        before = warm
