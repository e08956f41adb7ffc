"""What all groups together say: a course per series, as it would be measured without noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.processes.moments import Layout, ProcessMoments
from tacit.estimate.processes.steps import Shared, fit_own
from tacit.learn.processes.alternating import Effort, alone, alternate, quick


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """The courses that every series shows, scales included, and its variance.

    courses    (size, series)
    variances  (series,)
    shared     the fit of each group; empty where nothing is shared
    """

    courses: Floats
    variances: Floats
    shared: tuple[Shared, ...] = ()


def learned_of(
    fits: Sequence[Shared], groups: Sequence[Ints], layout: Layout, series: int
) -> Learned:
    """The fits of all groups (batches of one) side by side."""
    courses, variances = np.empty((layout.size, series)), np.empty(series)
    for found, group in zip(fits, groups, strict=True):
        courses[:, group] = found.courses[0][:, None] * found.scales[0][layout.owner]
        variances[group] = found.variances[0]
    return Learned(courses, variances, tuple(fits))


def relearned(
    moments: ProcessMoments,
    layout: Layout,
    groups: Sequence[Ints],
    effort: Effort,
    before: Learned | None,
) -> Learned:
    """Every group fitted to the evidence, from where it stood before; no groups: series alone."""
    if not groups:
        own = fit_own(moments, layout)
        return Learned(own.courses[0], own.variances[0])
    fits = []
    for at, group in enumerate(groups):
        some = moments.take(group)
        if group.size == 1:
            fits.append(alone(some, layout))
        elif before is None:
            fits.append(quick(some, layout, effort))
        else:
            start = before.shared[at].courses
            fits.append(alternate(some, layout, start, effort).iterate.found)
    return learned_of(fits, groups, layout, moments.squares.shape[1])
