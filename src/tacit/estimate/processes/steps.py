"""Least squares for courses that each series has for itself, and for courses that series share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.processes.moments import Layout, ProcessMoments
from tacit.estimate.processes.solving import regular, solved

ROUNDING = 1e-12
"""A variance below this share of the mean square of all measurements is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Courses that all series share up to a scale; a batch of such fits.

    courses    (batch, size)
    scales     (batch, processes, series)
    variances  (batch, series)
    rest       (batch, series) the squares that remain
    """

    courses: Floats
    scales: Floats
    variances: Floats
    rest: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Own:
    """Courses that every series has for itself; a batch of such fits.

    courses    (batch, size, series)
    variances  (batch, series)
    """

    courses: Floats
    variances: Floats


def fit_own(moments: ProcessMoments, layout: Layout) -> Own:
    """maximise  -n/2 log σ² - |x - Dp|²/2σ²  for every series by itself.

    Linear regression on a design of zeros and ones; what no measurement shows is 0, and σ² is
    divided by the measurements, not by what is left of them. [Sec. 6.3, Thm 2.2.4]
    """
    courses = np.empty((*moments.squares.shape[:1], layout.size, moments.squares.shape[1]))
    for number, series in _by_pattern(moments.pattern):
        courses[:, :, series] = solved(moments.gram[:, number], moments.cross[:, :, series])
    return Own(courses, variances_of(own_rest(moments, courses), moments, own=True))


def own_rest(moments: ProcessMoments, courses: Floats) -> Floats:
    """(batch, series) the squares that courses of (batch, size, series) leave."""
    rest = moments.squares - 2 * np.einsum("bpv,bpv->bv", courses, moments.cross)
    for number, series in _by_pattern(moments.pattern):
        some = courses[:, :, series]
        rest[:, series] += np.einsum("bpv,bpv->bv", moments.gram[:, number] @ some, some)
    return np.asarray(np.maximum(rest, 0.0))


def fit_scales(moments: ProcessMoments, courses: Floats, layout: Layout) -> tuple[Floats, Floats]:
    """The scales (batch, processes, series) that suit given courses, and the squares they leave.

    minimise  |x - Σ_k c_k D_k p_k|²: a regression on one response per process, for every series
    by itself. [Alg 6.3.1, step C]
    """
    inner, seen = responses(moments, courses, layout)
    if inner.shape[1] == 1:
        scales = solved(inner[:, 0], seen)
    else:
        several = solved(inner[:, moments.pattern], seen.transpose(0, 2, 1)[..., None])
        scales = several[..., 0].transpose(0, 2, 1)
    return scales, shared_rest(moments, inner, seen, scales)


def responses(moments: ProcessMoments, courses: Floats, layout: Layout) -> tuple[Floats, Floats]:
    """Products of the responses D_k p_k: (batch, patterns, K, K) with each other, (batch, K,
    series) with the series.
    """
    apart = courses[:, :, None] * (layout.owner[:, None] == np.arange(len(layout.lengths)))
    turned = apart.transpose(0, 2, 1)
    inner = turned[:, None] @ moments.gram @ apart[:, None]
    return np.asarray(inner), np.asarray(turned @ moments.cross)


def shared_rest(moments: ProcessMoments, inner: Floats, seen: Floats, scales: Floats) -> Floats:
    """(batch, series) the squares that remain."""
    if inner.shape[1] == 1:
        bent = inner[:, 0] @ scales
    else:
        bent = np.einsum("bvkl,blv->bkv", inner[:, moments.pattern], scales)
    rest = moments.squares + np.einsum("bkv,bkv->bv", scales, bent - 2 * seen)
    return np.asarray(np.maximum(rest, 0.0))


def surely_regular(moments: ProcessMoments) -> bool:
    """Whether the regression of the courses is regular whatever the scales.

    Its matrix is the gram times products of scales, entry by entry: with diagonals of one, its
    least eigenvalue is no smaller than that of the gram (Schur), unless all scales vanish.
    """
    return moments.gram.shape[1] == 1 and regular(moments.gram)


def fit_courses(
    moments: ProcessMoments,
    scales: Floats,
    weights: Floats,
    layout: Layout,
    sure: bool = False,
) -> Floats:
    """(batch, size) the courses that suit given scales; a series counts by its weight, 1/σ².

    minimise  Σ_v w_v |x_v - Σ_k c_kv D_k p_k|²: one regression over all series. [Alg 6.3.1, step P]

    sure: `surely_regular`, so that nobody needs to look again
    """
    right = np.empty((scales.shape[0], layout.size))
    for process, block in enumerate(layout.blocks):
        weighted = weights * scales[:, process]
        right[:, block] = np.einsum("bpv,bv->bp", moments.cross[:, block], weighted)
    matrix = course_gram(moments, scales, weights, layout)
    if sure and (scales != 0).any(axis=2).all():
        return np.asarray(np.linalg.solve(matrix, right[..., None])[..., 0])
    found = solved(matrix, right[..., None])
    return np.asarray(found[..., 0])


def course_gram(moments: ProcessMoments, scales: Floats, weights: Floats, layout: Layout) -> Floats:
    """(batch, size, size) Σ_v w_v c_kv c_lv (D'D)_kl: the normal matrix of the courses."""
    tied = np.stack(
        [
            (weights[:, None] * scales)[:, :, series] @ scales[:, :, series].transpose(0, 2, 1)
            for _, series in _by_pattern(moments.pattern)
        ],
        axis=1,
    )
    owner = layout.owner
    if tied.shape[1] == 1:
        return np.asarray(tied[:, 0][:, owner][:, :, owner] * moments.gram[:, 0])
    found = np.empty((scales.shape[0], layout.size, layout.size))
    for one, rows in enumerate(layout.blocks):
        for other, columns in enumerate(layout.blocks):
            found[:, rows, columns] = np.einsum(
                "bc,bcpq->bpq", tied[:, :, one, other], moments.gram[:, :, rows, columns]
            )
    return found


def variances_of(rest: Floats, moments: ProcessMoments, own: bool) -> Floats:
    """(batch, series) the most likely variance of every series, or of all of them together."""
    counts = moments.counts
    if not own:
        rest = np.broadcast_to(rest.sum(axis=1, keepdims=True), rest.shape)
        counts = np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape)
    return np.maximum(rest / np.maximum(counts, 1.0), rounding(moments)[:, None])


def rounding(moments: ProcessMoments) -> Floats:
    """(batch,) the variance below which nothing but rounding is left; 1 where all is 0."""
    mean = moments.squares.sum(axis=1) / np.maximum(moments.counts.sum(axis=1), 1.0)
    return np.asarray(np.where(mean > 0, ROUNDING * mean, 1.0))


def log_likelihoods(counts: Floats, rest: Floats, variances: Floats) -> Floats:
    """(batch, series) normal log-likelihoods in nats of so many measurements."""
    return np.asarray(-0.5 * (counts * np.log(2 * np.pi * variances) + rest / variances))


def leading(moments: ProcessMoments, layout: Layout) -> Floats:
    """(batch, size) a start: what the courses of single series have most in common.

    Per process the direction in which those courses are longest together: the first singular
    vector of their matrix.
    """
    single = fit_own(moments, layout).courses
    courses = np.empty(single.shape[:2])
    for block in layout.blocks:
        part = single[:, block]
        turned = part.transpose(0, 2, 1)
        if part.shape[1] <= part.shape[2]:
            courses[:, block] = np.linalg.eigh(part @ turned)[1][:, :, -1]
        else:
            courses[:, block] = (part @ np.linalg.eigh(turned @ part)[1][:, :, -1:])[:, :, 0]
    return courses


def identified(found: Shared, layout: Layout) -> Shared:
    """The same fit with scales of mean square 1 and mean above 0: a factor is free otherwise.

    Where no scale differs from 0 the course says nothing, and nothing is changed. [Sec. 6.3: c and
    P are known up to (ac, P/a)]
    """
    size = np.sqrt(np.mean(found.scales**2, axis=2))
    factor = np.where(size > 0, size, 1.0)
    factor = factor * np.where(found.scales.mean(axis=2) < 0, -1.0, 1.0)
    return Shared(
        found.courses * factor[:, layout.owner],
        found.scales / factor[:, :, None],
        found.variances,
        found.rest,
    )


def _by_pattern(pattern: Ints) -> list[tuple[int, Ints | slice]]:
    if not pattern.any():
        return [(0, slice(None))]
    order = np.argsort(pattern, kind="stable")
    cuts = np.flatnonzero(np.diff(pattern[order])) + 1
    return list(enumerate(np.split(order, cuts)))
