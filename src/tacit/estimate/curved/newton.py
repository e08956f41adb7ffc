"""Newton's method on the KKT system, as the theorem has it.

F(θ, λ, μ) = ( ∇l - Jg'λ - Jh'μ,  g,  μ ∘ h ) = 0   with   ∇l = w / θ.

It knows nothing of maxima, nor of h <= 0 and μ >= 0: its roots must be looked through. From a point
near a maximum it gets to the last digit. [Alg 2.1.1, 3.2.1; parameter domain knowledge 1.5]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.estimate.curved.problem import Problem

FRACTION = 0.9
"""The part of the way to the boundary, where a cell would be 0, that a step may go."""
SOLVED = 1e-12
_FAR = 1e12


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Tables, and the multiplier of every constraint: of linear rules, then of functions."""

    theta: Floats
    multipliers: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Newton:
    """Where Newton's method ended: the point, |F| there (inf: it went astray), and its steps."""

    point: Point
    residual: float
    steps: int


def newton(
    problem: Problem,
    start: Point,
    *,
    fraction: float | None = FRACTION,
    search: bool = True,
    steps: int = 100,
) -> Newton:
    """Steps of Newton's method until |F| is nothing or does not get smaller.

    fraction  of the way to the boundary that a step may go; None: wherever it goes
    search    whether steps are halved until |F| is smaller, and the method ends where none is
    """
    here, taken = start, 0
    with np.errstate(all="ignore"):
        residual = float(np.abs(equations(problem, here)).max())
        while residual > SOLVED and taken < steps and np.isfinite(residual):
            found = _step(problem, here, fraction, residual if search else np.inf)
            if found is None:
                break
            here, taken = found, taken + 1
            residual = float(np.abs(equations(problem, here)).max())
            if not np.abs(here.theta).max() < _FAR:
                return Newton(here, np.inf, taken)
    return Newton(here, residual, taken)


def _step(problem: Problem, here: Point, fraction: float | None, before: float) -> Point | None:
    """The next point; None if no shorter step brings |F| below `before`."""
    change = _direction(system(problem, here), -equations(problem, here))
    moved, lifted = np.split(change, [problem.size])
    length = 1.0 if fraction is None else longest(here.theta, moved, fraction)
    for _ in range(30):
        point = Point(here.theta + length * moved, here.multipliers + length * lifted)
        if before == np.inf or float(np.abs(equations(problem, point)).max()) < before:
            return point
        length /= 2
    return None


def _direction(matrix: Floats, right: Floats) -> Floats:
    """The solution, the smallest one where there are many."""
    try:
        found = np.linalg.solve(matrix, right)
        if np.isfinite(found).all():
            return np.asarray(found, dtype=np.float64)
    except np.linalg.LinAlgError:
        pass
    if not (np.isfinite(matrix).all() and np.isfinite(right).all()):
        return np.full(right.size, np.nan)
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=1e-13)[0])


def longest(values: Floats, change: Floats, fraction: float = FRACTION) -> float:
    """The longest step, at most 1, that goes only this fraction of the way to zero."""
    falling = change < 0
    if not falling.any():
        return 1.0
    return min(1.0, fraction * float((-values[falling] / change[falling]).min()))


def equations(problem: Problem, at: Point) -> Floats:
    """F, with weights as shares of all, so that its size says something."""
    values, slopes = problem.values(at.theta), problem.jacobian(at.theta)
    gradient = _over(problem.shares, at.theta) - slopes.T @ at.multipliers
    return np.concatenate([gradient, _complementary(problem.equal, at.multipliers, values)])


def system(problem: Problem, at: Point) -> Floats:
    """The derivative of F by θ and all multipliers."""
    n, slopes = problem.size, problem.jacobian(at.theta)
    equal, values = problem.equal, problem.values(at.theta)
    found = np.zeros((n + equal.size,) * 2)
    found[:n, :n] = -problem.hessian(at.theta, at.multipliers)
    found[np.arange(n), np.arange(n)] -= _over(problem.shares, at.theta**2)
    found[:n, n:] = -slopes.T
    found[n:, :n] = np.where(equal, 1.0, at.multipliers)[:, None] * slopes
    which = n + np.arange(equal.size)
    found[which, which] = np.where(equal, 0.0, values)
    return found


def _complementary(equal: Bools, multipliers: Floats, values: Floats) -> Floats:
    return np.asarray(np.where(equal, values, multipliers * values))


def _over(weights: Floats, theta: Floats) -> Floats:
    """w / θ, 0 where there is no weight."""
    return np.asarray(np.where(weights > 0, weights / np.where(weights > 0, theta, 1.0), 0.0))
