"""Courses and scales of a group of series by alternating least squares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.processes.moments import Layout, ProcessMoments
from tacit.estimate.processes.steps import (
    Shared,
    fit_courses,
    fit_own,
    fit_scales,
    identified,
    leading,
    log_likelihoods,
    own_rest,
    surely_regular,
    variances_of,
)
from tacit.learn.climb import Climb, climb
from tacit.learn.fits import Stop


@dataclass(frozen=True, slots=True)
class Effort:
    """How a group is fitted.

    own        whether every series has a variance of its own
    restarts   random starts, beside the two that are always tried
    tolerance  the share of the objective below which a sweep gains nothing
    max_steps  sweeps at most
    """

    own: bool = False
    restarts: int = 0
    tolerance: float = 1e-8
    max_steps: int = 500


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """Courses, scales and variances after a sweep, and the log-likelihood there.

    objective  in nats, summed over the batch
    """

    found: Shared
    objective: float


Told = Callable[[Sweep, Sequence[float]], None]


def alternate(
    moments: ProcessMoments,
    layout: Layout,
    courses: Floats,
    effort: Effort,
    told: Told | None = None,
) -> Climb[Sweep]:
    """maximise  Σ_v [-n_v/2 log 2πσ_v² - Σ (x_v - Σ_k c_kv D_k p_k)²/2σ_v²]  from given courses.

    Courses, scales and variances in turn, each at its optimum given the others, so no sweep lowers
    the log-likelihood. Courses and scales multiply each other: there may be several maxima, and
    where a start leads is one of them. [Alg 6.3.1, with the squares that erratum 19 speaks of]
    """

    sure = surely_regular(moments)

    def at(courses: Floats) -> Sweep:
        scales, rest = fit_scales(moments, courses, layout)
        variances = variances_of(rest, moments, effort.own)
        objective = float(log_likelihoods(moments.counts, rest, variances).sum())
        return Sweep(Shared(courses, scales, variances, rest), objective)

    def step(sweep: Sweep) -> Sweep:
        weights = _weights(sweep.found.variances)
        return at(fit_courses(moments, sweep.found.scales, weights, layout, sure))

    return climb(
        step, at(courses), tolerance=effort.tolerance, max_steps=effort.max_steps, told=told
    )


def _weights(variances: Floats) -> Floats:
    """1/σ² up to a factor per entry of the batch, which moves no optimum."""
    return np.asarray(variances.min(axis=1, keepdims=True) / variances)


def quick(moments: ProcessMoments, layout: Layout, effort: Effort) -> Shared:
    """A fit from one start, for every entry of the batch: what searches and folds use."""
    if moments.squares.shape[1] == 1:
        return alone(moments, layout)
    return alternate(moments, layout, leading(moments, layout), effort).iterate.found


def alone(moments: ProcessMoments, layout: Layout) -> Shared:
    """The fit of one series, which has a closed form; its scales are 1."""
    own = fit_own(moments, layout)
    scales = np.ones((own.courses.shape[0], len(layout.lengths), 1))
    rest = own_rest(moments, own.courses)
    return Shared(own.courses[:, :, 0], scales, own.variances, rest)


@dataclass(frozen=True, slots=True, eq=False)
class GroupFit:
    """The best of several starts, identified, and how all of them went."""

    found: Shared
    runs: tuple[Climb[Sweep], ...]

    @property
    def best(self) -> Climb[Sweep]:
        """The start that was the best; the first of those that tie."""
        return max(self.runs, key=lambda run: run.iterate.objective)


def fit_group(
    moments: ProcessMoments,
    layout: Layout,
    effort: Effort,
    random: np.random.Generator,
    told: Told | None = None,
) -> GroupFit:
    """The most likely courses of one group (a batch of one) among several starts.

    Starts are what single series have most in common, all scales alike, and courses at random.
    """
    if moments.squares.shape[1] == 1:
        found = alone(moments, layout)
        objective = float(log_likelihoods(moments.counts, found.rest, found.variances).sum())
        climbed = Climb(Sweep(found, objective), (objective,), Stop.CLOSED_FORM)
        return GroupFit(found, (climbed,))
    ones = np.ones((1, len(layout.lengths), moments.squares.shape[1]))
    starts = [
        leading(moments, layout),
        fit_courses(moments, ones, ones[:, 0], layout),
        *(random.standard_normal((1, layout.size)) for _ in range(effort.restarts)),
    ]
    runs: list[Climb[Sweep]] = []
    for start in starts:
        runs.append(alternate(moments, layout, start, effort, told))
        if runs[-1].stop is Stop.INTERRUPTED:
            break
    best = max(runs, key=lambda run: run.iterate.objective)
    return GroupFit(identified(best.iterate.found, layout), tuple(runs))
