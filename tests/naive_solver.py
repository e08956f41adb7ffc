"""The most likely rows under linear rules, by solvers that know nothing of ours.

A block is a plain value: lengths of rows, a matrix of rules with limits, which are equalities, and
weights. Both oracles answer only what their solver itself calls solved.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

TOLERANCES = (1e-10, 1e-9, 1e-8)


def sums_of(lengths: Sequence[int]) -> Floats:
    """(rows, cells) 1 where a cell stands in a row."""
    row = np.repeat(np.arange(len(lengths)), lengths)
    return np.asarray(row == np.arange(len(lengths))[:, None], dtype=np.float64)


def objective(weights: Floats, theta: Floats) -> float:
    """Σ w log θ; cells without weight add nothing."""
    seen = weights > 0
    with np.errstate(divide="ignore"):
        return float(weights[seen] @ np.log(np.maximum(theta[seen], 0.0)))


def most_missed(
    lengths: Sequence[int], matrix: Floats, limits: Floats, equal: Bools, theta: Floats
) -> float:
    """By how much the worst kept rule, row sum or sign is missed."""
    over = matrix @ theta - limits
    misses = np.where(equal, np.abs(over), over)
    sums = np.abs(sums_of(lengths) @ theta - 1.0)
    return float(max(misses.max(initial=0.0), sums.max(), (-theta).max(), 0.0))


class UnsolvedError(AssertionError):
    """The solver does not call its own answer solved."""


def most_likely(
    lengths: Sequence[int], matrix: Floats, limits: Floats, equal: Bools, weights: Floats
) -> Floats:
    """θ by cvxpy and Clarabel."""
    import cvxpy as cp

    theta, seen = cp.Variable(weights.size), weights > 0
    kept = [theta >= 0, sums_of(lengths) @ theta == 1]
    if equal.any():
        kept.append(matrix[equal] @ theta == limits[equal])
    if not equal.all():
        kept.append(matrix[~equal] @ theta <= limits[~equal])
    share = weights[seen] / weights.sum()
    problem = cp.Problem(cp.Maximize(share @ cp.log(theta[seen])), kept)
    for close in TOLERANCES:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # the status says the same
                problem.solve(solver=cp.CLARABEL, tol_gap_abs=close, tol_gap_rel=close,
                              tol_feas=close, max_iter=500)  # fmt: skip
        except cp.error.SolverError:
            continue
        if problem.status == cp.OPTIMAL:
            return np.asarray(theta.value, dtype=np.float64)
    raise UnsolvedError(problem.status)


def most_likely_directly(
    lengths: Sequence[int], matrix: Floats, limits: Floats, equal: Bools, weights: Floats
) -> Floats:
    """θ by Clarabel without a modelling language.

    maximise Σ w t with (t, 1, θ) in the exponential cone: t <= log θ.
    """
    import clarabel
    from scipy.sparse import csc_matrix, hstack, vstack

    n, seen = weights.size, np.flatnonzero(weights > 0)
    k = seen.size
    share = weights[seen] / weights.sum()
    equalities = np.vstack([sums_of(lengths), matrix[equal]])
    bounds = np.vstack([matrix[~equal], -np.eye(n)])
    cone = np.zeros((3 * k, n + k))
    cone[3 * np.arange(k), n + np.arange(k)] = -1.0
    cone[3 * np.arange(k) + 2, seen] = -1.0
    one = np.zeros(3 * k)
    one[1::3] = 1.0
    stacked = vstack([
        hstack([csc_matrix(equalities), csc_matrix((len(equalities), k))]),
        hstack([csc_matrix(bounds), csc_matrix((len(bounds), k))]),
        csc_matrix(cone),
    ], format="csc")  # fmt: skip
    right = np.concatenate([np.ones(len(lengths)), limits[equal], limits[~equal], np.zeros(n), one])
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_iter = False, 500
    cones = [clarabel.ZeroConeT(len(equalities)), clarabel.NonnegativeConeT(len(bounds))]
    for close in TOLERANCES:
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = close
        solution = clarabel.DefaultSolver(
            csc_matrix((n + k, n + k)), np.concatenate([np.zeros(n), -share]), stacked, right,
            cones + [clarabel.ExponentialConeT()] * k, settings,
        ).solve()  # fmt: skip
        if solution.status == clarabel.SolverStatus.Solved:
            return np.asarray(solution.x, dtype=np.float64)[:n]
    raise UnsolvedError(solution.status)
