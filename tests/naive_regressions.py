"""Regressions under rules, as modelling solvers see them. Nothing here imports what it checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cvxpy as cp
import numpy as np
from scipy.optimize import minimize

Rules = Callable[[Sequence[cp.Variable]], list[cp.Constraint]]


def ruled_least_squares(
    designs: Sequence[np.ndarray], children: Sequence[np.ndarray], rules: Rules
) -> list[np.ndarray]:
    """minimise Σ |child - design β|² subject to rules; a column of ones is part of the design."""
    betas = [cp.Variable(design.shape[1]) for design in designs]
    squares = [
        cp.sum_squares(child - design @ beta)
        for design, child, beta in zip(designs, children, betas, strict=True)
    ]
    problem = cp.Problem(cp.Minimize(cp.sum(squares)), rules(betas))
    problem.solve(solver=cp.CLARABEL)
    assert problem.status == "optimal"
    return [np.asarray(beta.value) for beta in betas]


def log_likelihood(design: np.ndarray, child: np.ndarray, beta: np.ndarray, v: float) -> float:
    """That of a regression, case by case."""
    off = child - design @ beta
    return float(sum(-0.5 * (np.log(2 * np.pi * v) + each**2 / v) for each in off))


def most_likely(
    designs: Sequence[np.ndarray],
    children: Sequence[np.ndarray],
    constraints: Sequence[dict],
    starts: int = 4,
) -> float:
    """The largest log-likelihood over all β and logs of variances, by SLSQP from several starts.

    The vector is β of each regression, one after the other, then the logs of the variances.
    """
    sizes = [design.shape[1] for design in designs]
    ends = np.cumsum(sizes)

    def cost(x: np.ndarray) -> float:
        betas, logs = np.split(x[: ends[-1]], ends[:-1]), x[ends[-1] :]
        parts = zip(designs, children, betas, logs, strict=True)
        return -sum(log_likelihood(d, c, b, float(np.exp(u))) for d, c, b, u in parts)

    random, best = np.random.default_rng(0), -np.inf
    for _ in range(starts):
        begin = [
            np.linalg.lstsq(d, c, rcond=None)[0] for d, c in zip(designs, children, strict=True)
        ]
        noise = [np.log(np.var(child)) for child in children]
        x = np.concatenate([*begin, noise])
        x = x + 0.3 * random.standard_normal(x.size)
        found = minimize(
            cost, x, method="SLSQP", constraints=list(constraints),
            options={"maxiter": 1000, "ftol": 1e-13},
        )  # fmt: skip
        held = all(
            np.all(np.abs(each["fun"](found.x)) < 1e-6)
            if each["type"] == "eq"
            else np.all(each["fun"](found.x) > -1e-6)
            for each in constraints
        )
        if held:
            best = max(best, -float(found.fun))
    assert np.isfinite(best)
    return best
