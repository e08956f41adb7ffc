"""A climb to a local maximum: the KKT system with its complementarity relaxed.

θ v = w + τ,   s z = τ,   v = Jg'y + Jh'z,   g = 0,   h + s = 0,   with θ, v, s, z > 0,

is solved by damped Newton steps for smaller and smaller τ. Its limit solves the system of
`newton`: v = w / θ, and z h = 0 with both signs right. Cells without evidence have the weight τ,
so that what the rules leave open is divided about evenly. [Fiacco and McCormick 1968; steps and
line search as in Waechter and Biegler 2006]
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.curved.newton import FRACTION, Point, longest
from tacit.estimate.curved.problem import Problem

LAST = 1e-8
"""The weight, as a share of all, that cells without evidence have at the end."""
_MEMORY = 4
"""A step may go over this many earlier values of the merit function, to get round bends."""


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """All that a step changes; `slack` and `lift` are of inequalities alone.

    pull   (positions,)    v: what a cell would bring
    level  (equalities,)   y
    lift   (inequalities,) z
    """

    theta: Floats
    pull: Floats
    slack: Floats
    level: Floats
    lift: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """The constraints at a state."""

    equal: Floats
    below: Floats
    slopes: Floats
    lower: Floats


def climb(problem: Problem, theta: Floats, first: float = 0.1, steps: int = 150) -> Point:
    """The local maximum that is reached from these tables, all of whose cells are above 0.

    first  τ at the beginning: small where the start is near a maximum
    """
    with np.errstate(all="ignore"):
        tau, state = first, _begin(problem, theta, first)
        merits, penalty = deque[float](maxlen=_MEMORY), 1.0
        for _ in range(steps):
            look = _look(problem, state.theta)
            error = _error(problem, state, look, tau)
            while error < 10 * tau and tau > LAST:
                tau = max(LAST, min(0.2 * tau, tau**1.5))
                merits.clear()
                penalty, error = 1.0, _error(problem, state, look, tau)
            if error < 0.1 * LAST or not np.isfinite(error):
                break
            change = _direction(problem, state, look, tau)
            if change is None:
                break
            multipliers = (state.level + change.level, state.lift + change.lift)
            penalty = max(penalty, 1.2 * max(np.abs(each).max(initial=0) for each in multipliers))
            moved = _searched(problem, state, change, tau, penalty, merits)
            if moved is None:
                break
            state = moved
    return _point(problem, state)


def _begin(problem: Problem, theta: Floats, tau: float) -> State:
    look = _look(problem, theta)
    slack = np.maximum(-look.below, np.sqrt(tau) * 0.1)
    pull, lift = (problem.shares + tau) / theta, tau / slack
    wanted = pull - look.lower.T @ lift
    level = np.linalg.lstsq(look.slopes.T, wanted, rcond=1e-10)[0]
    level = level if np.abs(level).max(initial=0) < 1e3 else np.zeros(level.size)
    return State(theta, pull, slack, np.asarray(level), lift)


def _look(problem: Problem, theta: Floats) -> Look:
    values, slopes, equal = problem.values(theta), problem.jacobian(theta), problem.equal
    return Look(values[equal], values[~equal], slopes[equal], slopes[~equal])


def _error(problem: Problem, state: State, look: Look, tau: float) -> float:
    """By how much the equations are missed at most."""
    parts = (
        look.slopes.T @ state.level + look.lower.T @ state.lift - state.pull,
        state.theta * state.pull - problem.shares - tau,
        look.equal,
        look.below + state.slack,
        state.slack * state.lift - tau,
    )
    scale = max(1.0, float(np.abs(state.pull).mean()) / 100)
    sizes = [float(np.abs(part).max(initial=0.0)) for part in parts]
    return max(sizes[0] / scale, *sizes[1:])


def _direction(problem: Problem, state: State, look: Look, tau: float) -> State | None:
    """The step of Newton's method, v and s eliminated.

    The matrix of the second derivatives is lifted until it is positive on the tangent space, which
    the signs of the pivots tell, so that the step goes uphill.
    """
    theta, weights = state.theta, problem.shares + tau
    n, m, k = theta.size, look.equal.size, look.below.size
    matrix = np.zeros((n + m + k,) * 2)
    held = np.zeros(m + k)
    held[problem.equal], held[~problem.equal] = state.level, state.lift
    matrix[:n, :n] = problem.hessian(theta, held)
    matrix[np.arange(n), np.arange(n)] += state.pull / theta
    matrix[n : n + m, :n], matrix[n + m :, :n] = look.slopes, look.lower
    matrix[:n, n:] = matrix[n:, :n].T
    below = n + m + np.arange(k)
    matrix[below, below] = -state.slack / state.lift
    right = np.concatenate([
        weights / theta - look.slopes.T @ state.level - look.lower.T @ state.lift,
        -look.equal,
        -look.below - tau / state.lift,
    ])  # fmt: skip
    found = _solved(matrix, right, n, m)
    if found is None:
        return None
    moved, level, lift = np.split(found, [n, n + m])
    return State(
        moved,
        weights / theta - state.pull - state.pull / theta * moved,
        -look.below - state.slack - look.lower @ moved,
        level,
        lift,
    )


def _solved(matrix: Floats, right: Floats, n: int, m: int) -> Floats | None:
    """The solution once as many pivots are positive as there are cells; None if that fails."""
    diagonal = np.arange(right.size)
    lift, shift = 0.0, 0.0
    size = float(np.median(np.abs(np.diag(matrix)[:n])))
    for _ in range(40):
        tried = matrix.copy()
        tried[diagonal[:n], diagonal[:n]] += lift
        tried[diagonal[n : n + m], diagonal[n : n + m]] -= shift
        if not np.isfinite(tried).all():
            return None
        found = _by_pivots(tried, right, n)
        if found is not None:
            return found
        shift = 1e-9
        lift = max(1e-6 * size, 4.0 * lift)
    return None


def _by_pivots(matrix: Floats, right: Floats, positive: int) -> Floats | None:
    """The solution of a symmetric system that has so many positive eigenvalues and no zero.

    One factorisation, of Bunch and Kaufman, tells the signs and solves; refined once.
    """
    from scipy.linalg.lapack import dsytrf, dsytrs

    factor, pivots, _ = dsytrf(matrix, lower=1, lwork=32 * right.size)
    signs = _signs(factor, pivots)
    if (signs == 0).any() or int((signs > 0).sum()) != positive:
        return None
    found, _ = dsytrs(factor, pivots, right, lower=1)
    more, _ = dsytrs(factor, pivots, right - matrix @ found, lower=1)
    found = np.asarray(found + more, dtype=np.float64)
    return found if np.isfinite(found).all() else None


def _signs(factor: Floats, pivots: Ints) -> Floats:
    """The signs of the eigenvalues: blocks of two have negative pivots, both the same."""
    diagonal = np.diag(factor).copy()
    at = np.flatnonzero(pivots < 0)[::2]
    one, other, off = diagonal[at], diagonal[at + 1], factor[at + 1, at]
    middle, root = (one + other) / 2, np.hypot((one - other) / 2, off)
    diagonal[at], diagonal[at + 1] = middle + root, middle - root
    return np.sign(np.where(np.abs(diagonal) < 1e-14 * np.abs(diagonal).max(), 0.0, diagonal))


def _searched(
    problem: Problem,
    state: State,
    change: State,
    tau: float,
    penalty: float,
    merits: deque[float],
) -> State | None:
    """The state after a step that lowers the merit function; None if none does."""
    fraction = max(FRACTION, 1 - tau)
    length = min(
        longest(state.theta, change.theta, fraction), longest(state.slack, change.slack, fraction)
    )
    dual = min(
        longest(state.pull, change.pull, fraction), longest(state.lift, change.lift, fraction)
    )
    merits.append(_merit(problem, state.theta, state.slack, tau, penalty))
    for _ in range(40):
        theta, slack = state.theta + length * change.theta, state.slack + length * change.slack
        merit = _merit(problem, theta, slack, tau, penalty)
        if np.isfinite(merit) and merit <= max(merits) + 1e-13 * abs(merits[-1]):
            return State(
                theta,
                _near((problem.shares + tau) / theta, state.pull + dual * change.pull),
                slack,
                state.level + length * change.level,
                _near(tau / slack, state.lift + dual * change.lift),
            )
        length /= 2
    return None


def _near(central: Floats, values: Floats) -> Floats:
    """Multipliers not so far from where they should be that they spoil the next step."""
    return np.clip(values, central / 1e8, central * 1e8)


def _merit(problem: Problem, theta: Floats, slack: Floats, tau: float, penalty: float) -> float:
    """What is to become small: barrier and, at a price, what the constraints are missed by."""
    values, equal = problem.values(theta), problem.equal
    missed = np.abs(values[equal]).sum() + np.abs(values[~equal] + slack).sum()
    barrier = (problem.shares + tau) @ np.log(theta) + tau * np.log(slack).sum()
    return float(penalty * missed - barrier)


def _point(problem: Problem, state: State) -> Point:
    multipliers = np.zeros(problem.equal.size)
    multipliers[problem.equal], multipliers[~problem.equal] = state.level, state.lift
    return Point(state.theta, multipliers)
