"""Posteriors of any density on a polytope: draws along chords in fixed directions.

Along a chord a Dirichlet over two cells is a truncated beta and drawn as such; every other density
is drawn by slices that shrink towards the point [Neal 2003]. Where the density is unbounded at an
end of the chord, with a power between -1 and 0, the slice is taken in the quantiles of that power,
in which it is bounded.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numba import njit

from tacit.arrays import Bools, Floats, Ints
from tacit.kernels.chance import State, uniform
from tacit.kernels.records import Record, note
from tacit.kernels.slopes import between

LEAST = 1e-300
"""Cells below this are told as this: they would vanish."""
_FRESH = 64
"""What inequalities leave is added up anew after so many sweeps."""
_TOGETHER = 1e-9
"""Cells that vanish so near to the end of a chord, as part of it, vanish there."""
_LEAST_POWER = -1.0 + 1e-6
_MOST_CUTS = 200
"""A slice that has shrunk so often is a point."""


class Chords(NamedTuple):
    """A block with a density and directions that its equalities allow.

    power, misses, centre, tightness (n,)
             log p = Σ power log θ + misses log(1 - θ) - tightness (θ - centre)² / 2
    bare     nothing but powers
    rule_at, cells, factors, limit   the inequalities
    step_at, where, step             the cells that a direction moves, and how far
    cut_at, cut, rate                the inequalities that it moves, and how fast
    pair     (directions,)  it gives to one cell what it takes from another, and that is all
    """

    power: Floats
    misses: Floats
    centre: Floats
    tightness: Floats
    bare: bool
    rule_at: Ints
    cells: Ints
    factors: Floats
    limit: Floats
    step_at: Ints
    where: Ints
    step: Floats
    cut_at: Ints
    cut: Ints
    rate: Floats
    pair: Bools


class Desk(NamedTuple):
    """What a chain keeps at hand.

    theta  (n,)
    slack  (rules,)  what every inequality leaves
    gap    (most cells of a direction,)  how far beyond the end of the chord each of them vanishes
    """

    theta: Floats
    slack: Floats
    gap: Floats


@njit(cache=True, nogil=True)
def fresh_slack(chords: Chords, desk: Desk) -> None:
    """What every inequality leaves, added up anew."""
    for rule in range(chords.limit.size):
        total = chords.limit[rule]
        for at in range(chords.rule_at[rule], chords.rule_at[rule + 1]):
            total -= chords.factors[at] * desk.theta[chords.cells[at]]
        desk.slack[rule] = total


@njit(cache=True, nogil=True)
def _reach(chords: Chords, way: int, desk: Desk) -> tuple[float, float]:
    """How far theta can move along a direction, back and forth."""
    low, high = -math.inf, math.inf
    for at in range(chords.step_at[way], chords.step_at[way + 1]):
        reach = -desk.theta[chords.where[at]] / chords.step[at]
        if chords.step[at] > 0.0:
            low = max(low, reach)
        else:
            high = min(high, reach)
    for at in range(chords.cut_at[way], chords.cut_at[way + 1]):
        reach = max(desk.slack[chords.cut[at]], 0.0) / chords.rate[at]
        if chords.rate[at] > 0.0:
            high = min(high, reach)
        else:
            low = max(low, reach)
    return low, high


@njit(cache=True, nogil=True)
def _ends(chords: Chords, way: int, desk: Desk, low: float, high: float) -> tuple[float, float]:
    """The power of the density at each end where it is unbounded, else 0; fills the gaps."""
    left = right = 0.0
    near = _TOGETHER * (high - low)
    first = chords.step_at[way]
    for at in range(first, chords.step_at[way + 1]):
        cell = chords.where[at]
        reach = -desk.theta[cell] / chords.step[at]
        if chords.step[at] > 0.0:
            desk.gap[at - first] = max(low - reach, 0.0)
            left += chords.power[cell] if low - reach <= near else 0.0
        else:
            desk.gap[at - first] = max(reach - high, 0.0)
            right += chords.power[cell] if reach - high <= near else 0.0
    return max(min(left, 0.0), _LEAST_POWER), max(min(right, 0.0), _LEAST_POWER)


@njit(cache=True, nogil=True)
def _exchange(chords: Chords, way: int, desk: Desk, low: float, high: float, state: State) -> float:
    """Draw how two cells divide their mass under a Dirichlet; how far that is."""
    first = chords.step_at[way]
    i, j, size = chords.where[first], chords.where[first + 1], chords.step[first]
    theta = desk.theta
    total, old = theta[i] + theta[j], theta[i]
    least, most = old + size * low, old + size * high
    if size < 0.0:
        least, most = most, least
    bottom = math.log(least / (total - least)) if 0.0 < least < total else -math.inf
    top = math.log(most / (total - most)) if 0.0 < most < total else math.inf
    y = between(state, chords.power[i] + 1.0, chords.power[j] + 1.0, bottom, top)
    theta[i] = max(total / (1.0 + math.exp(-y)), LEAST) if y > -600.0 else LEAST
    theta[j] = max(total / (1.0 + math.exp(y)), LEAST) if y < 600.0 else LEAST
    return float((theta[i] - old) / size)


@njit(cache=True, nogil=True)
def _moved(chords: Chords, at: int, gap: float, x: float, y: float) -> float:
    """A cell after the move to x from the lower and y from the upper end of the chord.

    Measured from the end where it is smallest, so that nothing cancels.
    """
    step = chords.step[at]
    return float(max(step * (gap + x) if step > 0.0 else -step * (gap + y), LEAST))


@njit(cache=True, nogil=True)
def _height(chords: Chords, way: int, desk: Desk, x: float, y: float) -> float:
    """The log density there, up to what the direction does not move."""
    first = chords.step_at[way]
    total = 0.0
    for at in range(first, chords.step_at[way + 1]):
        cell = chords.where[at]
        value = _moved(chords, at, desk.gap[at - first], x, y)
        total += chords.power[cell] * math.log(value)
        if not chords.bare:
            away = value - chords.centre[cell]
            total -= 0.5 * chords.tightness[cell] * away * away
            if chords.misses[cell] != 0.0:
                total += chords.misses[cell] * math.log(max(1.0 - value, LEAST))
    return total


@njit(cache=True, nogil=True)
def _slice(chords: Chords, way: int, desk: Desk, low: float, high: float, state: State) -> float:
    """Draw along the chord by a shrinking slice; how far that is.

    x is a quantile of the density that is (2 x)^left on the lower half of the chord and
    (2 - 2 x)^right on the upper one; its powers are taken out of the height.
    """
    left, right = _ends(chords, way, desk, low, high)
    width = high - low
    half = (1.0 + right) / (2.0 + left + right)
    x, y = -low / width, high / width
    u = (
        half * (2.0 * x) ** (1.0 + left)
        if x < 0.5
        else 1.0 - (1.0 - half) * (2.0 * y) ** (1.0 + right)
    )
    level = _level(chords, way, desk, x, y, width, left, right) + math.log(uniform(state))
    bottom, top = 0.0, 1.0
    for _ in range(_MOST_CUTS):
        new = bottom + (top - bottom) * uniform(state)
        if new < half:
            x = 0.5 * (new / half) ** (1.0 / (1.0 + left))
            y = 1.0 - x
        else:
            y = 0.5 * ((1.0 - new) / (1.0 - half)) ** (1.0 / (1.0 + right))
            x = 1.0 - y
        if _level(chords, way, desk, x, y, width, left, right) >= level:
            _go(chords, way, desk, x * width, y * width)
            return float(low + x * width if x < 0.5 else high - y * width)
        if new < u:
            bottom = new
        else:
            top = new
    return 0.0


@njit(cache=True, nogil=True)
def _level(
    chords: Chords, way: int, desk: Desk, x: float, y: float, width: float,
    left: float, right: float,
) -> float:  # fmt: skip
    end = left * math.log(2.0 * x + LEAST) if x < 0.5 else right * math.log(2.0 * y + LEAST)
    return _height(chords, way, desk, x * width, y * width) - end


@njit(cache=True, nogil=True)
def _go(chords: Chords, way: int, desk: Desk, x: float, y: float) -> None:
    first = chords.step_at[way]
    for at in range(first, chords.step_at[way + 1]):
        desk.theta[chords.where[at]] = _moved(chords, at, desk.gap[at - first], x, y)


@njit(cache=True, nogil=True)
def step_along(chords: Chords, way: int, desk: Desk, state: State) -> None:
    """One draw along one direction."""
    low, high = _reach(chords, way, desk)
    if not (low <= 0.0 <= high and low < high):
        return
    if chords.pair[way] and chords.bare:
        far = _exchange(chords, way, desk, low, high, state)
    else:
        far = _slice(chords, way, desk, low, high, state)
    for at in range(chords.cut_at[way], chords.cut_at[way + 1]):
        desk.slack[chords.cut[at]] -= far * chords.rate[at]


@njit(cache=True, nogil=True)
def walk_along(chords: Chords, theta: Floats, desk: Desk, state: State, sweeps: int,
               record: Record, chain: int) -> None:  # fmt: skip
    """So many sweeps of one chain over all directions, noted down; theta is where it stands.

    chain: its place in the record, -1 if nothing is noted
    """
    desk.theta[:] = theta
    for sweep in range(sweeps):
        if sweep % _FRESH == 0:
            fresh_slack(chords, desk)
        for way in range(chords.step_at.size - 1):
            step_along(chords, way, desk, state)
        if chain >= 0:
            note(record.tally, record.centre, record.batches, record.squares, record.kept, chain,
                 desk.theta)  # fmt: skip
    theta[:] = desk.theta
