"""Beta distributions cut off to an interval: mass, moments, quantiles and draws, many at once.

Everything is computed in logarithms, so that intervals far out in a tail, or a thousandth wide,
are like any other. [parameter domain knowledge 3.1, 3.2; estimation 3.3]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.bayes.lines import FAR, log_sum, nodes, stretch

_TINY = 1e-280
"""A smaller probability is reckoned in logarithms."""
_NARROW = 1e-2
"""Where logs of two probabilities differ by less, their difference is integrated instead."""
_FRACTIONS = 10_000
_HALVINGS = 60
_STEPS = 128


def log_mass(a: Floats, b: Floats, low: Floats, high: Floats) -> Floats:
    """log P(low <= x <= high) for x ~ Beta(a, b): log(I_high(a, b) - I_low(a, b)).

    Reckoned from the end of the line that is nearer to the interval, seen from the mean.
    """
    a, b, low, high = np.broadcast_arrays(*(np.asarray(each, float) for each in (a, b, low, high)))
    turned = low + high > 2 * a / (a + b)
    one, other = np.where(turned, b, a), np.where(turned, a, b)
    top = log_cdf(one, other, np.where(turned, 1 - low, high))
    bottom = log_cdf(one, other, np.where(turned, 1 - high, low))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = top + np.log1p(-np.exp(np.minimum(bottom - top, 0.0)))
        narrow = (high > low) & (top - bottom < _NARROW)
    found = np.where(high > low, found, -np.inf)
    if narrow.any():
        _, weights = _lines(a[narrow], b[narrow], low[narrow], high[narrow])
        found[narrow] = log_sum(weights) - _log_beta(a[narrow], b[narrow])
    return found


def log_cdf(a: Floats, b: Floats, x: Floats) -> Floats:
    """log I_x(a, b), also where I_x underflows."""
    from scipy.special import betainc

    with np.errstate(divide="ignore"):
        found = np.log(betainc(a, b, x))
    small = (found < np.log(_TINY)) & (x > 0)
    if small.any():
        found[small] = _log_fraction(a[small], b[small], x[small])
    return np.asarray(found)


def moments(a: Floats, b: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The mean and the variance of Beta(a, b) held to [low, high].

    E x is a / (a + b) times the mass of Beta(a + 1, b) over that of Beta(a, b). Where digits would
    cancel, the variance is integrated. [3.1]
    """
    mass = log_mass(a, b, low, high)
    with np.errstate(invalid="ignore"):
        first = a / (a + b) * np.exp(log_mass(a + 1, b, low, high) - mass)
        second = (
            (a + 1)
            / (a + b + 1)
            * np.exp(log_mass(a + 2, b, low, high) - log_mass(a + 1, b, low, high))
        )
    point = ~(high > low)
    mean = np.where(point, low, np.clip(first, low, high))
    variance = np.where(point, 0.0, mean * np.maximum(second - mean, 0.0))
    close = ~point & (variance < 1e-6 * np.minimum(mean, 1 - mean) ** 2)
    if close.any():
        points, weights = _lines(a[close], b[close], low[close], high[close])
        weights = np.exp(weights - log_sum(weights)[:, None])
        from scipy.special import expit

        x = expit(points)
        mean[close] = centre = np.clip((weights * x).sum(axis=1), low[close], high[close])
        variance[close] = (weights * (x - centre[:, None]) ** 2).sum(axis=1)
    return mean, variance


def quantile(a: Floats, b: Floats, low: Floats, high: Floats, share: Floats) -> Floats:
    """Where Beta(a, b) held to [low, high] has so much of its mass below.

    By the inverse of the incomplete beta function where that has its digits; else by halving.
    """
    from scipy.special import betainc, betaincc, betainccinv, betaincinv

    a, b, low, high, share = np.broadcast_arrays(a, b, low, high, share)
    turned = low + high > 2 * a / (a + b)
    with np.errstate(all="ignore"):
        below, above = betainc(a, b, low), betainc(a, b, high)
        left, right = betaincc(a, b, low), betaincc(a, b, high)
        found = np.where(
            turned,
            betainccinv(a, b, left + share * (right - left)),
            betaincinv(a, b, below + share * (above - below)),
        )
    most, part = np.where(turned, left, above), np.where(turned, left - right, above - below)
    lost = ~((part > _NARROW * most) & (most > _TINY) & np.isfinite(found))
    if lost.any():
        found[lost] = _halved(*(each[lost] for each in (a, b, low, high, share)))
    return np.asarray(np.clip(found, low, high))


def draw(
    a: Floats, b: Floats, low: Floats, high: Floats, random: np.random.Generator, size: int
) -> Floats:
    """(size, distributions) independent draws of Beta(a, b) held to [low, high].

    In logits the density has one top: steps above it on a grid, and what falls between the steps
    and the density is drawn again.
    """
    from scipy.special import expit

    start, width = _logits(low, high)
    start, end, _ = stretch(_density(a, b), start, start + width)
    width = (end - start) / _STEPS
    edges = start[:, None] + width[:, None] * np.arange(_STEPS + 1)
    values = _density(a, b)(edges)
    steps = np.maximum(values[:, 1:], values[:, :-1])
    top = np.clip(np.log(a / b), start, end)
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = np.where(width > 0, (top - start) / width, 0.0).astype(np.int64)
    inside = np.minimum(inside, _STEPS - 1)
    at = np.arange(a.size)
    steps[at, inside] = _density(a, b)(top[:, None])[:, 0]
    found = np.empty((size, a.size))
    found[:] = low
    moving = np.flatnonzero(width > 0)
    if moving.size:
        points = _stepped(a[moving], b[moving], start[moving], width[moving], steps[moving],
                          random, size)  # fmt: skip
        found[:, moving] = np.clip(expit(points), low[moving], high[moving])
    return found


def _stepped(
    a: Floats, b: Floats, start: Floats, width: Floats, steps: Floats,
    random: np.random.Generator, size: int,
) -> Floats:  # fmt: skip
    """(size, distributions) draws below the steps, kept where they are below the density."""
    heights = np.exp(steps - steps.max(axis=1, keepdims=True))
    tops = np.cumsum(heights, axis=1)
    ladder = (tops / tops[:, -1:] + np.arange(a.size)[:, None]).ravel()
    found = np.empty((size, a.size))
    open_ = np.arange(found.size)
    while open_.size:
        at = open_ % a.size
        step = np.searchsorted(ladder, random.random(open_.size) + at, side="right")
        step = np.clip(step - at * _STEPS, 0, _STEPS - 1)
        tried = start[at] + width[at] * (step + random.random(open_.size))
        fall = -a[at] * np.logaddexp(0.0, -tried) - b[at] * np.logaddexp(0.0, tried)
        with np.errstate(divide="ignore"):
            kept = np.log(random.random(open_.size)) <= fall - steps[at, step]
        found.flat[open_[kept]] = tried[kept]
        open_ = open_[~kept]
    return found


def _density(a: Floats, b: Floats) -> Callable[[Floats], Floats]:
    """The log density in logits, up to its constant: of points (distributions, k)."""

    def density(points: Floats) -> Floats:
        return np.asarray(
            -a[:, None] * np.logaddexp(0.0, -points) - b[:, None] * np.logaddexp(0.0, points)
        )

    return density


def _logits(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The starts of intervals as logits, and their widths, to all digits."""
    from scipy.special import logit

    with np.errstate(divide="ignore", invalid="ignore"):
        start = np.clip(logit(low), -FAR, FAR)
        width = np.log1p((high - low) / low) - np.log1p(-(high - low) / (1 - low))
        wide = np.clip(logit(high), -FAR, FAR) - start
    return start, np.where(np.isfinite(width), width, wide)


def _lines(a: Floats, b: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Nodes in logits, and the log weight of each with the density x^(a-1) (1-x)^(b-1)."""
    start, width = _logits(low, high)
    density = _density(a, b)
    points, weights = nodes(lambda at: density(start[:, None] + at), np.zeros(a.size), width)
    points = start[:, None] + points
    return points, weights + density(points)


def _halved(a: Floats, b: Floats, low: Floats, high: Floats, share: Floats) -> Floats:
    """In logits, since the quantile may be tiny."""
    from scipy.special import expit

    with np.errstate(divide="ignore"):
        goal = np.log(share) + log_mass(a, b, low, high)
    start, width = _logits(low, high)
    end = start + width
    for _ in range(_HALVINGS):
        middle = 0.5 * (start + end)
        under = log_mass(a, b, low, expit(middle)) < goal
        start, end = np.where(under, middle, start), np.where(under, end, middle)
    return np.asarray(expit(0.5 * (start + end)))


def _log_beta(a: Floats, b: Floats) -> Floats:
    from scipy.special import betaln

    return np.asarray(betaln(a, b))


def _log_fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """log I_x(a, b) below the mean, by its continued fraction. [DLMF 8.17.22, Lentz]"""
    front = a * np.log(x) + b * np.log1p(-x) - np.log(a) - _log_beta(a, b)
    tiny = 1e-300
    c, d = np.ones_like(x), 1 - (a + b) * x / (a + 1)
    d = 1 / np.where(np.abs(d) < tiny, tiny, d)
    value = d.copy()
    for m in range(1, _FRACTIONS):
        step = np.ones_like(x)
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 + factor * d, 1 + factor / c
            d = 1 / np.where(np.abs(d) < tiny, tiny, d)
            c = np.where(np.abs(c) < tiny, tiny, c)
            step = c * d
            value = value * step
        if np.all(np.abs(step - 1) < 1e-15):
            break
    return np.asarray(front + np.log(value))
