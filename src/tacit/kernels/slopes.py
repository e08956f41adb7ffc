"""Draws from log-concave densities on an interval: gammas and betas, cut on both sides.

A gamma of shape a is drawn as y = log g, with log density a y - e^y; a beta (a, b) as the log odds
y, with a y - (a + b) log(1 + e^y). Both are concave for all shapes above 0, however small, where
the densities of g and of the share are unbounded. `other` is b, or 0 for a gamma.
"""

from __future__ import annotations

import math

from numba import njit

from tacit.kernels.chance import State, gamma, log_gamma_draw, uniform

_FLAT = 1.5
"""Where the log density falls by less than this over the interval, draws are tried evenly."""
_STEEP = 0.5
"""Where its slope at the end is at least this many standard deviations, by one tangent."""
_TRIES, _PLAIN_TRIES = 4, 12
"""Plain draws that are tried before an envelope is built."""


@njit(cache=True, nogil=True)
def _height(y: float, shape: float, other: float) -> float:
    if other <= 0.0:
        return shape * y - math.exp(y)
    if y > 0.0:
        return -other * y - (shape + other) * math.log1p(math.exp(-y))
    return shape * y - (shape + other) * math.log1p(math.exp(y))


@njit(cache=True, nogil=True)
def _share(y: float) -> float:
    if y > 0.0:
        return 1.0 / (1.0 + math.exp(-y))
    small = math.exp(y)
    return small / (1.0 + small)


@njit(cache=True, nogil=True)
def _slope(y: float, shape: float, other: float) -> float:
    if other <= 0.0:
        return shape - math.exp(y)
    return shape - (shape + other) * _share(y)


@njit(cache=True, nogil=True)
def _bend(y: float, shape: float, other: float) -> float:
    if other <= 0.0:
        return math.exp(y)
    share = _share(y)
    return (shape + other) * share * (1.0 - share)


@njit(cache=True, nogil=True)
def _plain(state: State, shape: float, other: float) -> float:
    if other <= 0.0:
        return log_gamma_draw(state, shape)
    return log_gamma_draw(state, shape) - log_gamma_draw(state, other)


@njit(cache=True, nogil=True)
def _exponential(state: State, rate: float, width: float) -> float:
    """Of density e^(-rate x) on [0, width]; the width may be infinite, the rate is above 0."""
    u = uniform(state)
    if rate * width < 1e-8:
        return u * width
    if rate * width > 40.0:
        return min(width, -math.log(u) / rate)
    return min(width, -math.log1p(u * math.expm1(-rate * width)) / rate)


@njit(cache=True, nogil=True)
def between(state: State, shape: float, other: float, low: float, high: float) -> float:
    """Log gamma, or log odds of a beta, given that it lies in [low, high]."""
    if not low < high:
        return low
    mode = math.log(shape) if other <= 0.0 else math.log(shape) - math.log(other)
    top = min(max(mode, low), high)
    best = _height(top, shape, other)
    fall_low = best - _height(low, shape, other) if low > -math.inf else math.inf
    fall_high = best - _height(high, shape, other) if high < math.inf else math.inf
    if max(fall_low, fall_high) <= _FLAT:
        while True:
            y = low + (high - low) * uniform(state)
            if math.log(uniform(state)) <= _height(y, shape, other) - best:
                return y
    slope, bend = _slope(top, shape, other), _bend(top, shape, other)
    if mode < low and slope * slope >= _STEEP * _STEEP * bend:
        return _tail(state, shape, other, low, high - low, slope, best)
    if mode > high and slope * slope >= _STEEP * _STEEP * bend:
        return _tail(state, shape, other, high, low - high, slope, best)
    for _ in range(_TRIES):
        y = _plain(state, shape, other)
        if low <= y <= high:
            return y
    return _three_tangents(state, shape, other, low, high, top)


@njit(cache=True, nogil=True)
def _tail(
    state: State, shape: float, other: float, end: float, width: float, slope: float, best: float
) -> float:
    """Under the tangent at the end that is nearest to the mode; a width below 0 goes left."""
    side = 1.0 if width > 0 else -1.0
    rate = abs(slope)
    while True:
        x = _exponential(state, rate, abs(width))
        y = end + side * x
        if math.log(uniform(state)) <= _height(y, shape, other) - best + rate * x:
            return y


@njit(cache=True, nogil=True)
def _piece(height: float, slope: float, left: float, right: float) -> float:
    """∫ e^(height + slope (x - left)) over [left, right]; the ends may be infinite."""
    if not left < right:
        return 0.0
    if left == -math.inf:
        return math.exp(height) / slope
    if right == math.inf:
        return math.exp(height) / -slope
    width = right - left
    if abs(slope * width) < 1e-8:
        return math.exp(height) * width
    return math.exp(height) * math.expm1(slope * width) / slope


@njit(cache=True, nogil=True)
def _crossing(x: float, fx: float, sx: float, y: float, fy: float, sy: float) -> float:
    """Where the tangents at x and y meet."""
    if sx - sy <= 1e-12 * (abs(sx) + abs(sy)):
        return 0.5 * (x + y)
    return min(max((fy - fx + sx * x - sy * y) / (sx - sy), x), y)


@njit(cache=True, nogil=True)
def _three_tangents(
    state: State, shape: float, other: float, low: float, high: float, top: float
) -> float:
    """Under the tangents at the top and where the density has fallen to about 1/e on both sides."""
    best = _height(top, shape, other)
    slope, bend = _slope(top, shape, other), _bend(top, shape, other)
    reach = 2.0 / (abs(slope) + math.sqrt(slope * slope + 2.0 * bend))
    left, right = max(low, top - reach), min(high, top + reach)
    f_left, f_right = _height(left, shape, other) - best, _height(right, shape, other) - best
    s_left, s_right = _slope(left, shape, other), _slope(right, shape, other)
    first = _crossing(left, f_left, s_left, top, 0.0, slope)
    second = _crossing(top, 0.0, slope, right, f_right, s_right)
    at_first = f_left + s_left * (first - left)
    a = _piece(at_first, -s_left, 0.0, first - low)
    b = _piece(slope * (first - top), slope, first, second)
    c = _piece(f_right + s_right * (second - right), s_right, 0.0, high - second)
    while True:
        pick = uniform(state) * (a + b + c)
        if pick < a:
            y = first - _tilted(state, -s_left, first - low)
            bound = f_left + s_left * (y - left)
        elif pick < a + b:
            y = first + _tilted(state, slope, second - first)
            bound = slope * (y - top)
        else:
            y = second + _tilted(state, s_right, high - second)
            bound = f_right + s_right * (y - right)
        if math.log(uniform(state)) <= _height(y, shape, other) - best - bound:
            return y


@njit(cache=True, nogil=True)
def _tilted(state: State, slope: float, width: float) -> float:
    """Of density e^(slope x) on [0, width]; the slope is below 0 where the width is infinite."""
    if slope <= 0.0:
        return _exponential(state, -slope, width) if slope < 0.0 else uniform(state) * width
    return width - _exponential(state, slope, width)


@njit(cache=True, nogil=True)
def gamma_between(state: State, shape: float, low: float, high: float) -> float:
    """Gamma, given that it lies in [low, high].

    Plain draws where the mode is inside a wide interval, even ones where it is inside a narrow one,
    and exponential ones under a tangent where it is outside.
    """
    if not low < high:
        return low
    if shape <= 1.0:
        if shape == 1.0:
            return low + _exponential(state, 1.0, high - low)
        return _small_between(state, shape, low, high)
    mode, spread = shape - 1.0, math.sqrt(shape)
    if low >= mode or high <= mode:
        return _beside_the_mode(state, mode, spread, low, high)
    if high - low > spread:
        for _ in range(_PLAIN_TRIES):
            drawn = gamma(state, shape)
            if low <= drawn <= high:
                return drawn
        least = math.log(low) if low > 0.0 else -math.inf
        most = math.log(high) if high < math.inf else math.inf
        return min(max(math.exp(between(state, shape, 0.0, least, most)), low), high)
    while True:
        drawn = low + (high - low) * uniform(state)
        if math.log(uniform(state)) <= mode * math.log(drawn / mode) - (drawn - mode):
            return drawn


@njit(cache=True, nogil=True)
def _beside_the_mode(state: State, mode: float, spread: float, low: float, high: float) -> float:
    """The same where the interval is on one side of the mode.

    The tangent touches where that of a normal tail is best [Robert 1995], or at the nearer end
    where the interval is narrow.
    """
    side, end = (1.0, low) if low >= mode else (-1.0, high)
    at = end
    if high - low > spread:
        away = abs(end - mode) / spread
        at = mode + side * spread * 0.5 * (away + math.sqrt(away * away + 4.0))
        at = max(at, 0.5 * end)
    rate = side * (1.0 - mode / at)
    while True:
        drawn = end + side * _exponential(state, rate, high - low)
        if drawn > 0.0:
            step = (drawn - at) / at
            if math.log(uniform(state)) <= mode * (math.log1p(step) - step):
                return min(max(drawn, low), high)


@njit(cache=True, nogil=True)
def _small_between(state: State, shape: float, low: float, high: float) -> float:
    """The same for shapes up to 1: under x^(shape - 1) up to 1, under e^(-x) beyond."""
    if low <= 0.0 and high > 1.0:
        for _ in range(_TRIES):
            drawn = math.exp(log_gamma_draw(state, shape))
            if drawn <= high:
                return drawn
    edge = min(max(low, 1.0), high)
    bottom = low**shape if low > 0.0 else 0.0
    top = edge**shape
    near = math.exp(-low) * (top - bottom) / shape if low < edge else 0.0
    far = math.exp(-edge) - math.exp(-high) if edge < high else 0.0
    while True:
        if uniform(state) * (near + far) < near:
            drawn = (bottom + (top - bottom) * uniform(state)) ** (1.0 / shape)
            if math.log(uniform(state)) <= low - drawn:
                return float(min(max(drawn, low), high))
        else:
            drawn = edge + _exponential(state, 1.0, high - edge)
            if math.log(uniform(state)) <= (shape - 1.0) * math.log(drawn):
                return min(drawn, high)
