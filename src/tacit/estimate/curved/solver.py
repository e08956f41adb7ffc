"""The most likely tables under rules of any smooth kind: many climbs, looked through.

Climbs from many starts end in local maxima; Newton's method on the KKT system sharpens each; only
roots with θ >= 0, g = 0, h <= 0 and μ >= 0 whose second derivatives say "maximum" are kept; the
best is the answer, and another optimiser is asked whether it knows a better one.
[Alg 3.2.1 with erratum 11; parameter domain knowledge 1.5]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.estimate.curved.interior import climb
from tacit.estimate.curved.newton import Point, newton
from tacit.estimate.curved.problem import Placed, Problem
from tacit.estimate.curved.report import CurvedReport, Maximum, NoPointError, Second
from tacit.estimate.curved.second import MOST_CELLS, slsqp
from tacit.estimate.curved.starts import starts

HOLDS = 1e-8
"""A rule missed by less holds."""
ENOUGH = 8
"""Starts that say enough if they agree."""
ROOT = 1e-6
"""|F|, as a share of the evidence, below which a point is a root."""
_SAME = 1e-7
_APART = 1e-4
_ZERO = 1e-6
_ROUGH = 1e-5
_OTHERS = 2
"""Starts of its own that the second optimiser has; one where there are more cells than this."""
_FEW_CELLS = 60


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """A point that keeps the rules; `root`: the KKT conditions hold and it is a maximum there."""

    point: Point
    objective: float
    residual: float
    root: bool


def solve_curved(
    problem: Problem,
    *,
    count: int = 20,
    seed: int = 0,
    at: Floats | None = None,
    second: bool = True,
) -> CurvedReport:
    """The best local maximum from `count` starts, and what else is to be known of it.

    If the first of them all end in one maximum, they are enough.

    at      tables that keep the rules, from which one more climb starts; the answer is no worse
    second  whether another optimiser is asked too
    """
    found = [] if at is None else _from(problem, at, 0.01) + _itself(problem, at)
    closest, tried = np.full(problem.size, np.nan), int(at is not None)
    least = np.inf
    for start in starts(problem, count, seed):
        new = _from(problem, start)
        found, tried = found + new, tried + 1
        for theta in (start, *(each.point.theta for each in new)):
            if (missed := float(problem.missed(theta).max())) < least:
                closest, least = theta, missed
        if tried >= ENOUGH and _agree(problem, found):
            break
    opinion = None
    if second and problem.size <= MOST_CELLS:
        opinion, more = _second(problem, found, seed)
        found += more
    if not found:
        raise NoPointError(closest, problem.missed(closest))
    return _report(problem, found, tried, opinion)


def _agree(problem: Problem, found: list[_Found]) -> bool:
    """Whether all climbs but one at most ended in one maximum, or all where there is none."""
    maxima = _maxima(problem, found)
    if not maxima:
        return len(found) >= ENOUGH
    return len(maxima) == 1 and maxima[0].reached >= ENOUGH - 1


def improve(problem: Problem, at: Floats, multipliers: Floats | None = None) -> CurvedReport | None:
    """One run of Newton's method, or else one climb, from tables that keep the rules; None if
    both fail, or end lower.

    What a step of EM needs: the last answer is near.

    multipliers: of the last answer
    """
    held = problem.objective(at)
    if multipliers is not None:
        near = _judged(problem, newton(problem, Point(at, multipliers), steps=15).point)
        if near.root and _no_worse(near, held):
            return _report(problem, [near], 1, None)
    best = [each for each in _from(problem, at, 1e-4) if _no_worse(each, held)]
    return _report(problem, best, 1, None) if best else None


def _no_worse(found: _Found, held: float) -> bool:
    return found.objective >= held - 1e-12 * abs(held)


def _itself(problem: Problem, theta: Floats) -> list[_Found]:
    """The tables as they are, if they keep the rules: the answer is no worse than they."""
    if problem.missed(theta).max(initial=0.0) > HOLDS:
        return []
    nothing = Point(theta, np.zeros(problem.equal.size))
    return [_Found(nothing, problem.objective(theta), np.inf, False)]


def _from(problem: Problem, start: Floats, first: float = 0.1) -> list[_Found]:
    """The maximum that is reached from a start, if it keeps the rules."""
    point = climb(problem, np.maximum(start, 1e-10), first)
    if not np.isfinite(point.theta).all():
        return []
    found = _sharpened(problem, point)
    return [found] if problem.missed(found.point.theta).max(initial=0.0) <= HOLDS else []


def _sharpened(problem: Problem, point: Point) -> _Found:
    """The root of the KKT system next to a point; cells that want 0 are 0 there."""
    zero = (problem.shares == 0) & (point.theta < _ZERO) & (_pull(problem, point) > _ZERO)
    best = _judged(problem, point)
    for inner in (_without(problem, zero), problem) if zero.any() else (problem,):
        kept = np.flatnonzero(~zero) if inner is not problem else np.arange(problem.size)
        ran = newton(inner, Point(point.theta[kept], point.multipliers), steps=20).point
        theta = np.zeros(problem.size)
        theta[kept] = ran.theta
        if not np.isfinite(theta).all() or np.abs(theta - point.theta).max() > _APART:
            continue
        found = _judged(problem, Point(theta, ran.multipliers))
        if (found.root, -found.residual) >= (best.root, -best.residual):
            return found
    return best


def _pull(problem: Problem, point: Point) -> Floats:
    """What one more unit of every cell would cost by the rules."""
    return np.asarray(problem.jacobian(point.theta).T @ point.multipliers)


def _without(problem: Problem, zero: Bools) -> Problem:
    """The same with these cells held at 0 and left out."""
    kept, nothing = np.flatnonzero(~zero), np.zeros(problem.size)
    return Problem(
        problem.weights[kept], problem.row[kept], problem.matrix[:, kept], problem.limits,
        problem.level,
        tuple(Placed.at(each, np.arange(each.equal.size), kept, nothing)
              for each in problem.curved),
    )  # fmt: skip


def _judged(problem: Problem, point: Point) -> _Found:
    """A point with |F| there, and whether it is a root that is a maximum."""
    with np.errstate(all="ignore"):
        residual = _residual(problem, point)
        objective = problem.objective(np.maximum(point.theta, 0.0))
    keeps = problem.missed(point.theta).max(initial=0.0) <= HOLDS and point.theta.min() >= -HOLDS
    root = bool(keeps and residual <= ROOT and _highest(problem, point))
    theta = np.maximum(point.theta, 0.0)
    return _Found(replace(point, theta=theta), objective, residual, root)


def _residual(problem: Problem, point: Point) -> float:
    """|F| with θ v = w in place of v = w / θ, which bears cells at 0, and with all signs."""
    pull, values = _pull(problem, point), problem.values(point.theta)
    below = ~problem.equal
    parts = (
        point.theta * pull - problem.shares,
        np.minimum(pull, 0.0),
        np.where(below, np.minimum(point.multipliers, 0.0), 0.0),
        np.where(below, point.multipliers * values, 0.0),
        problem.missed(point.theta),
    )
    return max(float(np.abs(part).max(initial=0.0)) for part in parts)


def _highest(problem: Problem, point: Point) -> bool:
    """Whether no direction along the rules that bind goes uphill. [second-order condition]"""
    from scipy.linalg import null_space

    free = point.theta > _ZERO
    binds = problem.equal | (np.abs(problem.values(point.theta)) <= _ZERO)
    slopes = problem.jacobian(point.theta)[np.ix_(binds, free)]
    tangent = null_space(slopes, rcond=1e-9) if slopes.size else np.eye(int(free.sum()))
    if not tangent.size:
        return True
    bent = -problem.hessian(point.theta, point.multipliers)[np.ix_(free, free)]
    bent[np.diag_indices_from(bent)] -= problem.shares[free] / point.theta[free] ** 2
    curves = np.linalg.eigvalsh(tangent.T @ bent @ tangent)
    return bool(curves[-1] <= 1e-6 * max(1.0, abs(float(curves[0]))))


def _second(problem: Problem, found: list[_Found], seed: int) -> tuple[Second | None, list[_Found]]:
    """What sequential quadratic programming finds from the best answers and from other starts.

    Its answers are sharpened too, so that none is better for missing a rule by a little.
    """
    best = _best(found)
    begin = [] if best is None else [best.point.theta]
    more = []
    others = _OTHERS if problem.size <= _FEW_CELLS else 1
    for start in [*begin, *starts(problem, others, seed + 1)]:
        end = slsqp(problem, start)
        if np.isfinite(end).all() and problem.missed(end).max(initial=0.0) < _ROUGH:
            more += _from(problem, end, 1e-4)
    other = _best(more)
    if other is None:
        return None, []
    ahead = other.objective - best.objective if best is not None else np.inf
    return Second(other.objective, ahead, abs(ahead) <= _same(problem)), more


def _same(problem: Problem) -> float:
    return _SAME * max(1.0, float(problem.weights.sum()))


def _best(found: list[_Found]) -> _Found | None:
    """The highest; a root where others are not higher by more than rounding."""
    if not found:
        return None
    top = max(found, key=lambda each: each.objective)
    near = [each for each in found if each.objective >= top.objective - 1e-9 * abs(top.objective)]
    return max(near, key=lambda each: (each.root, -each.residual))


def _report(
    problem: Problem, found: list[_Found], count: int, opinion: Second | None
) -> CurvedReport:
    best = _best(found)
    assert best is not None
    total = float(problem.weights.sum())
    return CurvedReport(
        best.point.theta, best.objective, total * best.point.multipliers, best.residual, count,
        _maxima(problem, found), opinion, not problem.curved,
    )  # fmt: skip


def _maxima(problem: Problem, found: list[_Found]) -> tuple[Maximum, ...]:
    """The distinct ones, the best first."""
    seen = problem.weights > 0
    maxima: list[Maximum] = []
    for each in sorted((each for each in found if each.root), key=lambda each: -each.objective):
        for at, other in enumerate(maxima):
            apart = np.abs(each.point.theta - other.theta)[seen].max(initial=0.0)
            if apart < _APART and abs(each.objective - other.objective) <= _same(problem):
                maxima[at] = replace(other, reached=other.reached + 1)
                break
        else:
            maxima.append(Maximum(each.point.theta, each.objective, 1))
    return tuple(maxima)
