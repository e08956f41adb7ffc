"""About where each cell of a row lies, before anything is integrated."""

from __future__ import annotations

from math import log

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.separable import (
    CAPPED,
    CENTRE,
    HIGH,
    LOW,
    MIDDLE,
    MISSES,
    OPEN,
    REACH,
    WEIGHT,
    A,
)

_DEEP = 42.0
"""A cell lies where its tilted density is not smaller than its peak by e to this power."""
_ROUNDS = 100


@njit(cache=True, nogil=True)
def slope(cell: Floats, x: float) -> tuple[float, float]:
    """The derivative of log(x f(x)), and minus the second: it falls, whatever a > 0 is."""
    one, other = 1.0 / x, 1.0 / (1.0 - x) if x < 1.0 else 1e300
    found, bend = cell[A] * one, cell[A] * one * one
    if cell[MISSES] != 0.0:
        found, bend = found - cell[MISSES] * other, bend + cell[MISSES] * other * other
    found -= cell[WEIGHT] * (x - cell[CENTRE])
    return found, bend + cell[WEIGHT]


@njit(cache=True, nogil=True)
def top(cell: Floats, tilt: float, x: float) -> float:
    """Where x f(x) e^(tilt x) is largest between the limits of a cell, from a guess."""
    low, high = float(cell[LOW]), float(cell[HIGH])
    if slope(cell, high)[0] + tilt >= 0.0:
        return high
    if low > 0.0 and slope(cell, low)[0] + tilt <= 0.0:
        return low
    for _ in range(_ROUNDS):
        found, bend = slope(cell, x)
        found += tilt
        if found > 0.0:
            low = x
        else:
            high = x
        new = x + found / bend
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - x) <= 1e-6 * new:
            return new
        x = new
    return x


@njit(cache=True, nogil=True)
def middles(cells: Floats, mass: float) -> float:
    """Where every cell of a row is likely, so that they add up; the tilt that makes them.

    e^(tilt x) in every factor changes nothing where all cells add up to one number.
    """
    tilt, low, high = 0.0, -np.inf, np.inf
    cells[:, MIDDLE] = 0.5 * (cells[:, LOW] + cells[:, HIGH])
    for _ in range(_ROUNDS):
        total, more = -mass, 0.0
        for cell in cells:
            cell[MIDDLE] = top(cell, tilt, cell[MIDDLE])
            total += cell[MIDDLE]
            if cell[LOW] < cell[MIDDLE] < cell[HIGH]:
                more += 1.0 / slope(cell, cell[MIDDLE])[1]
        if abs(total) < 1e-6 * mass:
            break
        if total > 0.0:
            high = tilt
        else:
            low = tilt
        new = tilt - total / more if more > 0.0 else np.inf
        tilt = new if low < new < high else halfway(low, high)
    return tilt


@njit(cache=True, nogil=True)
def halfway(low: float, high: float) -> float:
    """Between two numbers, or far beyond the one that is known."""
    if low == -np.inf:
        return min(4.0 * high, -1.0)
    if high == np.inf:
        return max(4.0 * low, 1.0)
    return 0.5 * (low + high)


@njit(cache=True, nogil=True)
def tilted(cell: Floats, tilt: float, x: float) -> float:
    """log(x f(x)) + tilt x."""
    if x <= 0.0 or (x >= 1.0 and cell[MISSES] > 0.0):
        return -np.inf
    found = cell[A] * log(x) + tilt * x
    if cell[MISSES] != 0.0:
        found += cell[MISSES] * log(1.0 - x)
    return float(found - 0.5 * cell[WEIGHT] * (x - cell[CENTRE]) ** 2)


@njit(cache=True, nogil=True)
def reach(cell: Floats, tilt: float, limit: float) -> float:
    """How far from its middle towards a limit a cell lies; the limit, where it gets there."""
    least = tilted(cell, tilt, cell[MIDDLE]) - _DEEP
    if tilted(cell, tilt, limit) >= least:
        return limit
    near, far = cell[MIDDLE], limit
    for _ in range(30):
        half = 0.5 * (near + far)
        if tilted(cell, tilt, half) >= least:
            near = half
        else:
            far = half
    return limit if abs(far - limit) <= 1e-6 * abs(cell[MIDDLE] - limit) else far


@njit(cache=True, nogil=True)
def arranged(cells: Floats, mass: float) -> Ints:
    """The order of cells from narrow to wide, among equals those that a rule caps first; where
    each lies is written beside it."""
    tilt = middles(cells, mass)
    order = np.zeros(cells.shape[0], np.int64)
    key = np.zeros(cells.shape[0])
    for k in range(cells.shape[0]):
        cell = cells[k]
        cell[REACH], cell[REACH + 1] = reach(cell, tilt, cell[LOW]), reach(cell, tilt, cell[HIGH])
        cell[OPEN] = 1.0 if cell[REACH] == cell[LOW] else 0.0
        cell[OPEN + 1] = cell[CAPPED] if cell[REACH + 1] == cell[HIGH] else 0.0
        wide = (cell[REACH + 1] - cell[REACH]) * (1.0 - 0.5 * cell[OPEN + 1])
        at = k
        while at > 0 and key[at - 1] > wide:
            key[at], order[at] = key[at - 1], order[at - 1]
            at -= 1
        key[at], order[at] = wide, k
    return order
