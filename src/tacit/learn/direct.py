"""The likelihood of incomplete cases maximised directly under rules, as a second opinion on EM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import EstimateError, OptionError
from tacit.estimate.curved.problem import Functions
from tacit.estimate.ruled.bends import all_of
from tacit.estimate.ruled.plan import Plan
from tacit.learn.climb import Climb
from tacit.learn.expectation import EmIterate, Problem, at, evidence, projected
from tacit.learn.fits import Stop
from tacit.learn.methods import Gradient
from tacit.learn.progress import Report

if TYPE_CHECKING:
    from scipy.optimize import LinearConstraint, NonlinearConstraint

MOST_CELLS = 600
"""Cells up to which sequential quadratic programs are solved in seconds."""
_LEAST = 1e-9


def run_direct(problem: Problem, method: Gradient, start: Floats, told: Report) -> Climb[EmIterate]:
    """Sequential quadratic programming on θ under the sums of the rows and all rules.

    The gradient of log P(cases) + Σ pseudo log θ is (E[N] + pseudo) / θ: what an E-step gives.
    The end is a local maximum, brought back to the rules to the last digit. [Sec. 3.3, direct]
    """
    from scipy.optimize import minimize

    plan = problem.plan
    assert plan is not None
    _refuse(problem)
    trace: list[float] = []
    scale = max(1.0, float(at(problem, start).expected.sum()))
    here = start

    def cost(theta: Floats) -> tuple[float, Floats]:
        found = at(problem, np.maximum(theta, 0.0))
        slopes = evidence(problem, found.expected) / np.maximum(theta, _LEAST)
        return -found.objective / scale, -slopes / scale

    def heard(xk: Floats) -> None:  # scipy goes by the name
        nonlocal here
        here = xk.copy()
        trace.append(-scale * cost(xk)[0])
        told(len(trace), method.max_steps, trace[-1])

    try:
        found = minimize(
            cost, here, jac=True, method="SLSQP", callback=heard,
            bounds=_bounds(plan, here.size), constraints=_constraints(problem, plan),
            options={"maxiter": method.max_steps, "ftol": method.tolerance},
        )  # fmt: skip
        here = np.asarray(found.x)
        stop = Stop.STEP_LIMIT if found.nit >= method.max_steps else Stop.CONVERGED
        if not found.success and stop is Stop.CONVERGED:
            raise EstimateError(
                f"tc.Gradient() did not get on under these rules: {found.message}\n\nuse tc.EM()"
            )
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    end = at(problem, projected(problem, np.maximum(here, 0.0)))
    return Climb(end, (*trace, end.objective), stop)


def _bounds(plan: Plan, size: int) -> list[tuple[float, float]]:
    lowest = np.full(size, _LEAST)
    lowest[plan.blocks.cells[plan.zeros]] = 0.0
    return [(low, 1.0) for low in lowest.tolist()]


def _refuse(problem: Problem) -> None:
    if problem.layout.size > MOST_CELLS:
        raise OptionError(
            f"tc.Gradient() under rules is for small networks, up to {MOST_CELLS} cells; "
            f"this one has {problem.layout.size:,}\n\nuse tc.EM(), which has no such limit"
        )


def _constraints(problem: Problem, plan: Plan) -> list[LinearConstraint | NonlinearConstraint]:
    from scipy.optimize import LinearConstraint

    rules, size = plan.blocks.rules, problem.layout.size
    starts, lengths = problem.layout.rows
    sums = np.zeros((starts.size, size))
    sums[np.repeat(np.arange(starts.size), lengths), np.arange(size)] = 1.0
    matrix = np.zeros((len(rules), size))
    matrix[rules.owner, plan.blocks.cells[rules.cells]] = rules.factors
    equal = np.vstack([sums, matrix[rules.equal]])
    limits = np.concatenate([np.ones(starts.size), rules.limits[rules.equal]])
    kept = _independent(equal)
    found: list[LinearConstraint | NonlinearConstraint] = [
        LinearConstraint(equal[kept], limits[kept], limits[kept])
    ]
    if not rules.equal.all():
        below = ~rules.equal
        found.append(LinearConstraint(matrix[below], -np.inf, rules.limits[below]))
    blocks = {*plan.bends.stated, *(each.block for each in plan.blocks.ratios)}
    for block in sorted(blocks):
        cells = plan.blocks.cells[plan.blocks.cell_at[block] : plan.blocks.cell_at[block + 1]]
        parts = all_of(plan.blocks, plan.bends.stated, block)
        found += [_bent(each, cells, size) for each in parts]
    return found


def _bent(part: Functions, cells: Ints, size: int) -> NonlinearConstraint:
    """Curved rules of a block, whose cells are these, as scipy takes them."""
    from scipy.optimize import NonlinearConstraint

    def slopes(theta: Floats) -> Floats:
        found = np.zeros((part.equal.size, size))
        found[:, cells[part.support]] = part.jacobian(theta[cells])
        return found

    lowest = np.where(part.equal, 0.0, -np.inf)
    return NonlinearConstraint(lambda theta: part.values(theta[cells]), lowest, 0.0, jac=slopes)


def _independent(matrix: Floats) -> Ints:
    """As many rows as the rank, which say all that the others say."""
    from scipy.linalg import qr

    _, triangle, order = qr(matrix.T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(triangle))
    return np.sort(order[: sizes.size][sizes > 1e-10 * sizes[0]]).astype(np.int64)
