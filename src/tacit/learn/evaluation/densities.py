"""Measures of predicted mixtures of normals, each by its definition, case by case.

`truth` is (cases,) the value that came; `weights`, `means` and `sds` are (cases, normals) or what
broadcasts to that. An sd of 0 is a value that is certain.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays import Bools, Floats

LOG_TURN = float(np.log(2 * np.pi))
SAME = 1e-9
"""Values this close to one that is certain, relative to both, are the same, rounding aside."""
SHARP = 1e-13
"""An sd below this share of the value is rounding."""


def log_densities(truth: Floats, weights: Floats, means: Floats, sds: Floats) -> Floats:
    """(cases,) log Σ w N(y; μ, σ²), in nats; inf on a value that is certain and came."""
    from scipy.special import logsumexp

    off = truth[:, None] - means
    sharp, on = _certain(truth, means, sds)
    safe = np.where(sharp, 1.0, sds)
    with np.errstate(divide="ignore", over="ignore"):
        inside = np.log(weights) - 0.5 * (off / safe) ** 2 - np.log(safe) - LOG_TURN / 2
    inside = np.where(sharp, np.where(on & (weights > 0), np.inf, -np.inf), inside)
    found = np.asarray(logsumexp(np.where(np.isposinf(inside), 0.0, inside), axis=1))
    return np.where(np.isposinf(inside).any(axis=1), np.inf, found)


def shares_below(truth: Floats, weights: Floats, means: Floats, sds: Floats) -> Floats:
    """(cases,) the probability integral transform F(y) = Σ w Φ((y - μ) / σ), even between 0 and 1
    if predictions are right; half of what is certain and came lies below. [Dawid 1984]"""
    from scipy.special import ndtr

    off = truth[:, None] - means
    sharp, on = _certain(truth, means, sds)
    with np.errstate(over="ignore"):
        smooth = ndtr(off / np.where(sharp, 1.0, sds))
    step = np.where(on, 0.5, (off > 0).astype(np.float64))
    return np.asarray((weights * np.where(sharp, step, smooth)).sum(axis=1))


def crps(truth: Floats, weights: Floats, means: Floats, sds: Floats) -> Floats:
    """(cases,) the continuous ranked probability score ∫ (F(x) - 1{x >= y})² dx; 0 is perfect.

    = E|X - y| - ½ E|X - X'|, and the absolute value of a normal has a closed mean; with several
    normals X - X' is a mixture over all their pairs. [Gneiting and Raftery 2007; Grimit, Gneiting,
    Berrocal and Johnson 2006]
    """
    wide = np.broadcast_to(sds, means.shape)
    found = (weights * _mean_distance(truth[:, None] - means, wide)).sum(axis=1)
    if not sds.any():
        return np.asarray(found - 0.5 * _mean_gap(weights, means))
    for one in range(means.shape[1]):
        apart = means[:, one:] - means[:, [one]]
        spread = np.hypot(wide[:, one:], wide[:, [one]])
        pairs = weights[:, one:] * _mean_distance(apart, spread)
        twice = np.where(np.arange(pairs.shape[1]) > 0, 2.0, 1.0)
        found -= 0.5 * weights[:, one] * (pairs * twice).sum(axis=1)
    return np.asarray(found)


def _mean_gap(weights: Floats, points: Floats) -> Floats:
    """(cases,) E|X - X'| of weighted points: 2 Σ gap · F (1 - F) over gaps between neighbours."""
    order = np.argsort(points, axis=1, kind="stable")
    below = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)[:, :-1]
    gaps = np.diff(np.take_along_axis(points, order, axis=1), axis=1)
    return np.asarray(2 * (gaps * below * (1 - below)).sum(axis=1))


def _mean_distance(mean: Floats, sd: Floats) -> Floats:
    """E|X| = 2 σ φ(μ / σ) + μ (2 Φ(μ / σ) - 1) of a normal; |μ| where σ is 0."""
    from scipy.special import ndtr

    safe = np.where(sd > 0, sd, 1.0)
    with np.errstate(over="ignore"):
        scaled = mean / safe
        bell = np.exp(-0.5 * scaled**2 - LOG_TURN / 2)
    smooth = 2 * safe * bell + mean * (2 * ndtr(scaled) - 1)
    return np.where(sd > 0, smooth, np.abs(mean))


def _certain(truth: Floats, means: Floats, sds: Floats) -> tuple[Bools, Bools]:
    """(cases, normals) whether a value is certain, and whether it is the one that came."""
    reach = np.abs(truth[:, None]) + np.abs(means)
    on: Bools = np.asarray(np.abs(truth[:, None] - means) <= SAME * reach)
    return np.asarray(sds <= SHARP * reach), on
