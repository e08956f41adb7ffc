"""The likelihood of incomplete cases maximised directly, by its gradient."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats
from tacit.learn.climb import Climb
from tacit.learn.expectation import EmIterate, Problem, at, evidence, normalised
from tacit.learn.fits import Stop
from tacit.learn.methods import Gradient
from tacit.learn.progress import Report


def run_gradient(
    problem: Problem, method: Gradient, start: Floats, told: Report
) -> Climb[EmIterate]:
    """L-BFGS on logits η, θ = softmax(η) row by row.

    The gradient of log P(cases) + Σ pseudo log θ in η is W - θ Σ_row W with W = E[N] + pseudo: what
    an E-step gives. Pseudo-counts below zero have no maximum on the way and are refused there.
    """
    from scipy.optimize import minimize

    layout = problem.layout
    starts, lengths = layout.rows
    trace: list[float] = []
    here = np.log(np.maximum(start, 1e-8))

    def cost(logits: Floats) -> tuple[float, Floats]:
        theta = _softmax(problem, logits)
        here = at(problem, theta)
        weights = evidence(problem, here.expected)
        totals = np.repeat(np.add.reduceat(weights, starts), lengths)
        return -here.objective, -(weights - theta * totals)

    def heard(xk: Floats) -> None:  # scipy goes by the name
        nonlocal here
        here = xk.copy()
        trace.append(-cost(xk)[0])
        told(len(trace), method.max_steps, trace[-1])

    try:
        found = minimize(
            cost,
            here,
            jac=True,
            method="L-BFGS-B",
            callback=heard,
            options={
                "maxiter": method.max_steps,
                "ftol": method.tolerance,
                "gtol": 1e-8,
                "maxcor": 30,
            },
        )
        here = found.x
        stop = Stop.STEP_LIMIT if found.nit >= method.max_steps else Stop.CONVERGED
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    end = at(problem, _softmax(problem, here))
    return Climb(end, (*trace, end.objective), stop)


def _softmax(problem: Problem, logits: Floats) -> Floats:
    starts, lengths = problem.layout.rows
    top = np.repeat(np.maximum.reduceat(logits, starts), lengths)
    return normalised(problem.layout, np.exp(logits - top))
