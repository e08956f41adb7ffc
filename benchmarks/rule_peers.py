"""The sides that solve one block at a time: cvxpy, Clarabel called directly, scipy's SLSQP.

Each takes a block and returns the work to be timed, as a function of the counts; what can be made
ready once for many counts is made outside of it. All maximise Σ w log θ with w = counts / Σ counts,
to the tolerances that the solvers come with; SLSQP is given gradients, and no equation twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rule_problems import Ruled
from tacit.arrays import Bools, Floats
from timing import clock

LEAST = 1e-10
"""SLSQP keeps cells above this, so that their logarithms exist."""
OFF = 1e-6
"""A result further from the optimum or from a rule is wrong."""
KEPT = 1e-12
"""A result that misses every rule by less keeps them: only such a one can show a better optimum."""
SLOW = 0.05
"""Seconds from which a side runs once on a block, not twice."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """θ, and whether the solver itself calls it solved."""

    theta: Floats
    solved: bool


Side = Callable[[Floats], Answer]


def cvxpy_once(block: Ruled, _: Bools) -> Side:
    """A problem stated anew for every block, as a user would."""

    def work(counts: Floats) -> Answer:
        import cvxpy as cp

        seen = counts > 0
        if block.lists.size:
            return cvxpy_compiled(block, seen)(counts)
        theta, kept = _stated(block)
        share = counts[seen] / counts.sum()
        return _answer(cp.Problem(cp.Maximize(share @ cp.log(theta[seen])), kept), theta)

    return work


def cvxpy_compiled(block: Ruled, seen: Bools) -> Side:
    """A problem stated and compiled once, with the counts as its parameter."""
    import cvxpy as cp

    share = cp.Parameter(int(seen.sum()), nonneg=True)
    if block.lists.size:
        logs = cp.Variable(block.size)
        kept = [cp.log_sum_exp(logs) <= 0, block.ratios @ logs == 0]
        problem, theta = cp.Problem(cp.Maximize(share @ logs[seen]), kept), cp.exp(logs)
    else:
        theta, kept = _stated(block)
        problem = cp.Problem(cp.Maximize(share @ cp.log(theta[seen])), kept)

    def work(counts: Floats) -> Answer:
        share.value = counts[seen] / counts.sum()
        return _answer(problem, theta)

    return work


def _stated(block: Ruled) -> tuple[Any, list[Any]]:
    import cvxpy as cp

    theta = cp.Variable(block.size)
    kept = [theta >= 0, block.sums @ theta == 1]
    if block.equal.any():
        kept.append(block.matrix[block.equal] @ theta == block.limits[block.equal])
    if not block.equal.all():
        kept.append(block.matrix[~block.equal] @ theta <= block.limits[~block.equal])
    return theta, kept


def _answer(problem: Any, theta: Any) -> Answer:
    import warnings

    import cvxpy as cp

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            problem.solve(solver=cp.CLARABEL)
        except cp.SolverError:
            return Answer(np.full(theta.shape, np.nan), False)
    found = np.full(theta.shape, np.nan) if theta.value is None else np.asarray(theta.value)
    return Answer(found, bool(problem.status == cp.OPTIMAL))


def clarabel(block: Ruled, seen: Bools) -> Side:
    """maximise Σ w t with (t, 1, θ) in the exponential cone: t <= log θ; matrices made once."""
    import clarabel as solver
    from scipy.sparse import csc_matrix, hstack, vstack

    n, cells = block.size, np.flatnonzero(seen)
    k = cells.size
    ratios = block.ratios[:, cells]
    equalities = np.vstack([block.sums, block.matrix[block.equal]])
    bounds = np.vstack([block.matrix[~block.equal], -np.eye(n)])
    cone = np.zeros((3 * k, n + k))
    cone[3 * np.arange(k), n + np.arange(k)] = -1.0
    cone[3 * np.arange(k) + 2, cells] = -1.0
    stacked = vstack([
        hstack([csc_matrix(equalities), csc_matrix((len(equalities), k))]),
        hstack([csc_matrix((len(ratios), n)), csc_matrix(ratios)]),
        hstack([csc_matrix(bounds), csc_matrix((len(bounds), k))]),
        csc_matrix(cone),
    ], format="csc")  # fmt: skip
    right = np.concatenate([
        np.ones(len(block.lengths)), block.limits[block.equal], np.zeros(len(ratios)),
        block.limits[~block.equal], np.zeros(n), np.tile([0.0, 1.0, 0.0], k),
    ])  # fmt: skip
    kinds = [solver.ZeroConeT(len(equalities) + len(ratios)), solver.NonnegativeConeT(len(bounds))]
    kinds += [solver.ExponentialConeT()] * k
    nothing, settings = csc_matrix((n + k, n + k)), solver.DefaultSettings()
    settings.verbose = False

    def work(counts: Floats) -> Answer:
        cost = np.concatenate([np.zeros(n), -counts[cells] / counts.sum()])
        found = solver.DefaultSolver(nothing, cost, stacked, right, kinds, settings).solve()
        return Answer(np.asarray(found.x)[:n], found.status == solver.SolverStatus.Solved)

    return work


def slsqp(block: Ruled, seen: Bools) -> Side:
    """Sequential quadratic programs, from even rows."""
    from scipy.optimize import LinearConstraint, NonlinearConstraint, minimize

    equal = np.vstack([block.sums, block.matrix[block.equal]])
    limits = np.concatenate([np.ones(len(block.lengths)), block.limits[block.equal]])
    chosen = _independent(equal)
    kept: list[Any] = [LinearConstraint(equal[chosen], limits[chosen], limits[chosen])]
    if not block.equal.all():
        kept.append(LinearConstraint(block.matrix[~block.equal], -np.inf,
                                     block.limits[~block.equal]))  # fmt: skip
    if len(ratios := block.ratios):
        kept.append(NonlinearConstraint(lambda theta: ratios @ np.log(theta), 0.0, 0.0,
                                        jac=lambda theta: ratios / theta))  # fmt: skip
    start = np.repeat(1.0 / np.array(block.lengths), block.lengths)

    def work(counts: Floats) -> Answer:
        share = np.where(seen, counts, 0.0) / counts.sum()
        found = minimize(
            lambda theta: (-float(share @ np.log(theta)), -share / theta), start, jac=True,
            method="SLSQP", bounds=[(LEAST, 1.0)] * block.size, constraints=kept,
            options={"maxiter": 500, "ftol": 1e-12},
        )  # fmt: skip
        return Answer(np.asarray(found.x), bool(found.success))

    return work


def _independent(matrix: Floats) -> Any:
    """As many rows as the rank, which say all that the others say."""
    from scipy.linalg import qr

    _, triangle, order = qr(matrix.T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(triangle))
    return np.sort(order[: sizes.size][sizes > 1e-10 * sizes[0]])


SIDES: dict[str, Callable[[Ruled, Bools], Side]] = {
    "cvxpy": cvxpy_once,
    "cvxpy, compiled": cvxpy_compiled,
    "Clarabel": clarabel,
    "SLSQP": slsqp,
}


def value(counts: Floats, theta: Floats) -> float:
    """Σ w log θ over the cells that were seen."""
    seen = counts > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(counts[seen] @ np.log(np.maximum(theta[seen], 0.0)) / counts.sum())


def missed(block: Ruled, theta: Floats) -> float:
    """By how much the worst kept rule, row sum or sign is missed."""
    over = block.matrix @ theta - block.limits
    misses = np.where(block.equal, np.abs(over), over)
    sums = np.abs(block.sums @ theta - 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.abs(np.expm1(block.ratios @ np.log(np.maximum(theta, 1e-300))))
    worst = (misses.max(initial=0.0), sums.max(), (-theta).max(), ratios.max(initial=0.0))
    return float(np.nan_to_num(max(worst), nan=np.inf))


def wrong(block: Ruled, counts: Floats, theta: Floats, best: float) -> bool:
    """Whether a result misses the optimum, relatively, or a rule by more than `OFF`."""
    return bool(
        not np.isfinite(theta).all()
        or abs(value(counts, theta) - best) > OFF * max(1.0, abs(best))
        or missed(block, theta) > OFF
    )


@dataclass(frozen=True, slots=True)
class Peer:
    """One side on a sample: median and mean seconds per block, and what went wrong.

    flagged  the solver says itself that it failed
    off      it says it did not, and is wrong
    beyond   by how much it found more than Tacit while keeping the rules, as a share
    """

    median: float
    mean: float
    flagged: int
    off: int
    beyond: float

    @property
    def failed(self) -> str:
        """`2 + 1` of the sample: flagged, and off without a word."""
        return f"{self.flagged} + {self.off}"


def _told(work: Side, weights: Floats, answers: list[Answer]) -> None:
    answers.append(work(weights))


def peers(blocks: Sequence[Ruled], counts: Sequence[Floats], thetas: Sequence[Floats],
          same: bool) -> dict[str, Peer]:  # fmt: skip
    """Every side on these blocks; `same`: they differ in their counts alone."""
    found = {}
    for name, prepare in SIDES.items():
        if name == "cvxpy, compiled" and not same:
            continue
        works = [prepare(blocks[0], counts[0] > 0)] * len(blocks) if same else [
            prepare(block, weights > 0) for block, weights in zip(blocks, counts, strict=True)
        ]  # fmt: skip
        runs, answers = [], []
        works[0](counts[0])
        for work, weights in zip(works, counts, strict=True):
            once = clock(partial(_told, work, weights, answers), patience=0)
            again = clock(partial(work, weights), patience=0) if once.wall < SLOW else once
            runs.append(min(once.wall, again.wall))
        best = [value(weights, theta) for weights, theta in zip(counts, thetas, strict=True)]
        flagged = [not answer.solved for answer in answers]
        off = [wrong(block, weights, answer.theta, least)
               for block, weights, answer, least
               in zip(blocks, counts, answers, best, strict=True)]  # fmt: skip
        beyond = [value(weights, answer.theta) - least
                  for block, weights, answer, least
                  in zip(blocks, counts, answers, best, strict=True)
                  if answer.solved and missed(block, answer.theta) <= KEPT]  # fmt: skip
        silently = sum(bad and not said for bad, said in zip(off, flagged, strict=True))
        found[name] = Peer(float(np.median(runs)), float(np.mean(runs)), sum(flagged),
                           silently, max(beyond, default=0.0))  # fmt: skip
    return found
