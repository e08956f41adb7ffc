"""The likelihood of incomplete cases maximised directly under rules, as a second opinion on EM."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError
from tacit.estimate.ruled.plan import Plan
from tacit.learn.climb import Climb
from tacit.learn.expectation import EmIterate, Problem, at, evidence, obedient
from tacit.learn.fits import Stop
from tacit.learn.methods import Gradient
from tacit.learn.progress import Report

MOST_CELLS = 600
"""Cells up to which sequential quadratic programs are solved in seconds."""
_LEAST = 1e-10


def run_direct(problem: Problem, method: Gradient, start: Floats, told: Report) -> Climb[EmIterate]:
    """Sequential quadratic programming on θ under the sums of the rows and the linear rules.

    The gradient of log P(cases) + Σ pseudo log θ is (E[N] + pseudo) / θ: what an E-step gives.
    The end is a local maximum, brought back to the rules to the last digit. [Sec. 3.3, direct]
    """
    from scipy.optimize import minimize

    plan = problem.plan
    assert plan is not None
    _refuse(problem, plan)
    trace: list[float] = []
    scale = max(1.0, float(at(problem, start).expected.sum()))
    here = np.maximum(start, _LEAST)

    def cost(theta: Floats) -> tuple[float, Floats]:
        theta = np.maximum(theta, _LEAST)
        found = at(problem, theta)
        return -found.objective / scale, -evidence(problem, found.expected) / theta / scale

    def heard(theta: Floats) -> None:
        nonlocal here
        here = theta.copy()
        trace.append(-scale * cost(theta)[0])
        told(len(trace), method.max_steps, trace[-1])

    try:
        found = minimize(
            cost, here, jac=True, method="SLSQP", callback=heard,
            bounds=[(_LEAST, 1.0)] * here.size, constraints=_constraints(problem, plan),
            options={"maxiter": method.max_steps, "ftol": method.tolerance},
        )  # fmt: skip
        here = np.asarray(found.x)
        stop = Stop.STEP_LIMIT if found.nit >= method.max_steps else Stop.CONVERGED
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    theta, ruled = obedient(problem, np.maximum(here, 0.0), np.maximum(here, 0.0))
    end = at(problem, theta, ruled=ruled)
    return Climb(end, (*trace, end.objective), stop)


def _refuse(problem: Problem, plan: Plan) -> None:
    if plan.blocks.ratios:
        raise OptionError("tc.Gradient() holds linear rules only, not ratios\n\nuse tc.EM()")
    if problem.layout.size > MOST_CELLS:
        raise OptionError(
            f"tc.Gradient() under rules is for small networks, up to {MOST_CELLS} cells; "
            f"this one has {problem.layout.size:,}\n\nuse tc.EM(), which has no such limit"
        )


def _constraints(problem: Problem, plan: Plan) -> list[dict[str, Any]]:
    rules, size = plan.blocks.rules, problem.layout.size
    starts, lengths = problem.layout.rows
    sums = np.zeros((starts.size, size))
    sums[np.repeat(np.arange(starts.size), lengths), np.arange(size)] = 1.0
    matrix = np.zeros((len(rules), size))
    matrix[rules.owner, plan.blocks.cells[rules.cells]] = rules.factors
    equal = np.vstack([sums, matrix[rules.equal]])
    limits = np.concatenate([np.ones(starts.size), rules.limits[rules.equal]])
    below, tops = matrix[~rules.equal], rules.limits[~rules.equal]
    return [
        {"type": "eq", "fun": _affine(equal, -limits), "jac": _constant(equal)},
        {"type": "ineq", "fun": _affine(-below, tops), "jac": _constant(-below)},
    ]


def _affine(matrix: Floats, shift: Floats) -> Callable[[Floats], Floats]:
    return lambda theta: np.asarray(matrix @ theta + shift)


def _constant(matrix: Floats) -> Callable[[Floats], Floats]:
    return lambda _: matrix
