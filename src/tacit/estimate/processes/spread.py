"""How well courses and scales are known: standard deviations from the curvature at the optimum."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.processes.moments import Layout, ProcessMoments
from tacit.estimate.processes.solving import inverse, rank
from tacit.estimate.processes.steps import Own, Shared, course_gram


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Standard deviations; nan where measurements tell nothing.

    courses     (size,), or (size, series) where nothing is shared
    scales      (processes, series)
    parameters  how many were learned, variances included
    """

    courses: Floats
    scales: Floats
    parameters: int


def shared_spread(moments: ProcessMoments, found: Shared, layout: Layout, own: bool) -> Spread:
    """Of an identified fit (a batch of one), by the delta method.

    With scales profiled out, the information about the courses p is that of their regression
    with the gram G replaced by G - H M⁻¹H', H = G diag(p) and M = diag(p)'H: what the scales
    explain is no longer told about the courses. Its null space holds the factor that is free for
    each process; J puts that factor where the mean square of the scales is 1. The variances are
    unbiased ones: divided by the measurements less the parameters.
    """
    scales, courses = found.scales[0], found.courses[0]
    weights, series = 1.0 / found.variances, scales.shape[1]
    apart = courses[:, None] * (layout.owner[:, None] == np.arange(len(layout.lengths)))
    seen = moments.gram[0] @ apart
    inner = inverse(apart.T @ seen)
    pure = moments.gram[0] - seen @ inner @ seen.transpose(0, 2, 1)
    profiled = replace(moments, gram=pure[None])
    spread = inverse(course_gram(profiled, found.scales, weights, layout)[0])
    lead = -(inner @ seen.transpose(0, 2, 1))[moments.pattern] * scales[layout.owner].T[:, None]
    noise = inner[moments.pattern] / weights[0][:, None, None]
    shift = np.einsum("kv,vkp->kp", scales, lead) / series
    turn = np.eye(layout.size) + apart @ shift
    jitter = np.einsum("kv,lv,vkl->kl", scales, scales, noise) / series**2
    about = turn @ spread @ turn.T + apart @ jitter @ apart.T
    rows = lead - scales.T[:, :, None] * shift
    own_noise = np.einsum("vkk->kv", noise) * (1 - 2 * scales**2 / series)
    about_scales = own_noise + scales**2 * np.diag(jitter)[:, None]
    about_scales += np.einsum("vkp,pq,vkq->kv", rows, spread, rows)
    parameters = shared_parameters(moments, layout, own)
    factor = _unbiased(float(moments.counts.sum()), parameters - (series if own else 1))
    known = np.einsum("cpp->p", moments.gram[0]) > 0
    sd = np.sqrt(np.maximum(factor * np.diag(about), 0.0))
    return Spread(
        np.where(known, sd, np.nan), np.sqrt(np.maximum(factor * about_scales, 0.0)), parameters
    )


def shared_parameters(moments: ProcessMoments, layout: Layout, own: bool) -> int:
    """Courses as far as they are measured, a scale per series less the free one, variances."""
    gram = moments.gram[0].sum(axis=0)
    seen = sum(bool(gram[block, block].any()) for block in layout.blocks)
    series = moments.squares.shape[1]
    return int(rank(gram) + seen * (series - 1) + (series if own else 1))


def own_spread(moments: ProcessMoments, found: Own, layout: Layout) -> Spread:
    """Of courses that every series has for itself: σ²(D'D)⁻¹, with an unbiased σ²."""
    series = moments.squares.shape[1]
    grams = moments.gram[0]
    diagonal = np.sqrt(np.einsum("cpp->cp", inverse(grams)))
    known = np.einsum("cpp->cp", grams) > 0
    ranks = np.array([rank(gram) for gram in grams])[moments.pattern]
    left = np.maximum(moments.counts[0] - ranks, 1.0)
    sd = np.sqrt(found.variances[0] * moments.counts[0] / left)
    courses = np.where(known, diagonal, np.nan)[moments.pattern].T * sd
    scales = np.zeros((len(layout.lengths), series))
    return Spread(courses, scales, int(ranks.sum()) + series)


def _unbiased(counts: float, parameters: int) -> float:
    return counts / max(counts - parameters, 1.0)
