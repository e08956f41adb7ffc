"""Normals and gammas that linear rules cut off, drawn one coordinate at a time.

Of a standard normal w with rows · w <= room, a coordinate given the others is a standard normal in
an interval: so is every draw here, whatever the rules leave. An interval that holds the mode is
drawn by trial; one in a tail from the exponential that touches the density at its near end.
[Geweke 1991; Robert 1995]
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tacit.arrays import Floats
from tacit.kernels.chance import State, log_gamma_draw, normal, uniform

_TRIALS = 40
"""Draws that are thrown away before an interval is taken to be narrow."""


@njit(cache=True, nogil=True)
def _exponential(state: State, rate: float, width: float) -> float:
    """An exponential, at most `width`."""
    if rate * width < 1e-12:
        return uniform(state) * width
    share = -math.expm1(-rate * width) if width < np.inf else 1.0
    return min(-math.log1p(-uniform(state) * share) / rate, width)


@njit(cache=True, nogil=True)
def cut_normal(state: State, low: float, high: float) -> float:
    """A standard normal in [low, high]."""
    if not low < high:
        return low if abs(low) < abs(high) else high
    if low <= 0.0 <= high:
        for _ in range(_TRIALS):
            x = normal(state)
            if low <= x <= high:
                return x
        while True:
            x = low + uniform(state) * (high - low)
            if math.log(uniform(state)) <= -0.5 * x * x:
                return x
    sign = 1.0
    if high < 0.0:
        low, high, sign = -high, -low, -1.0
    while True:
        beyond = _exponential(state, low, high - low)
        if math.log(uniform(state)) <= -0.5 * beyond * beyond:
            return sign * (low + beyond)


@njit(cache=True, nogil=True)
def cut_gamma(state: State, shape: float, low: float, high: float) -> float:
    """A gamma of a shape of at least 1 and rate 1 in [low, high]."""
    if not low < high:
        return low
    mode = shape - 1.0
    if low <= mode <= high:
        for _ in range(_TRIALS):
            x = math.exp(log_gamma_draw(state, shape))
            if low <= x <= high:
                return x
        while True:
            x = low + uniform(state) * (high - low)
            drop = (mode * math.log(x / mode) if mode > 0.0 else 0.0) - (x - mode)
            if math.log(uniform(state)) <= drop:
                return x
    near = low if low > mode else high
    slope = abs(mode / near - 1.0)
    while True:
        away = _exponential(state, slope, high - low)
        x = low + away if low > mode else high - away
        if x > 0.0 or mode == 0.0:
            bend = mode * (math.log(x / near) - (x - near) / near) if mode > 0.0 else 0.0
            if math.log(uniform(state)) <= bend:
                return x


@njit(cache=True, nogil=True)
def sweep_normal(state: State, point: Floats, rows: Floats, room: Floats, sweeps: int) -> None:
    """So many sweeps of a standard normal under rows · point <= room, from a point that obeys."""
    left = room - rows @ point
    for _ in range(sweeps):
        for at in range(point.size):
            low, high = -np.inf, np.inf
            for row in range(room.size):
                factor = rows[row, at]
                if factor == 0.0:
                    continue
                end = point[at] + max(left[row], 0.0) / factor
                if factor > 0.0:
                    high = min(high, end)
                else:
                    low = max(low, end)
            new = cut_normal(state, low, high)
            for row in range(room.size):
                left[row] -= rows[row, at] * (new - point[at])
            point[at] = new
