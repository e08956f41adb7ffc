"""The second opinion: a constrained optimiser that others wrote, on the same problem."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.estimate.curved.problem import Problem

MOST_CELLS = 150
"""Cells up to which sequential quadratic programs are solved in seconds."""
_LEAST = 1e-10


def slsqp(problem: Problem, start: Floats, steps: int = 100) -> Floats:
    """Where sequential quadratic programming of scipy ends from this start."""
    from scipy.optimize import NonlinearConstraint, minimize

    shares, equal = problem.shares, problem.equal
    seen = shares > 0

    def cost(theta: Floats) -> tuple[float, Floats]:
        held, slopes = np.maximum(theta, _LEAST), np.zeros(theta.size)
        slopes[seen] = -shares[seen] / held[seen]
        return -float(shares[seen] @ np.log(held[seen])), slopes

    def held(at: Bools, lowest: float) -> NonlinearConstraint:
        return NonlinearConstraint(
            lambda theta: problem.values(theta)[at],
            lowest,
            0.0,
            jac=lambda theta: problem.jacobian(theta)[at],
        )

    rules = [held(equal, 0.0)] if equal.all() else [held(equal, 0.0), held(~equal, -np.inf)]
    with np.errstate(all="ignore"):
        found = minimize(
            cost, np.maximum(start, _LEAST), jac=True, method="SLSQP", constraints=rules,
            bounds=[(_LEAST, 1.0)] * problem.size, options={"maxiter": steps, "ftol": 1e-9},
        )  # fmt: skip
    return np.asarray(found.x, dtype=np.float64)
