"""Runs of EM with continuous variables: several starts, those left out whose noise is lost."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from tacit.core.errors import EstimateError
from tacit.core.network import Network
from tacit.learn.checkpoints import Checkpoint, Kept
from tacit.learn.climb import Climb
from tacit.learn.continuous.families import NoNoiseError
from tacit.learn.continuous.problem import (
    NormalIterate,
    Ready,
    at,
    obedient,
    plain_step,
    squarem_step,
)
from tacit.learn.em import Ears, kept_run, side_by_side
from tacit.learn.methods import EM
from tacit.learn.progress import Report, Tally

R = TypeVar("R")


@dataclass(frozen=True, slots=True, eq=False)
class NormalTask:
    """EM's whole job.

    start    the network that a run of this number begins with
    several  whether it matters where to start
    """

    ready: Ready
    method: EM
    start: Callable[[int], Network]
    several: bool


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """What the runs came to; `lost` are those that ran into a variance of nothing."""

    climbs: tuple[Climb[NormalIterate], ...]
    lost: tuple[str, ...]


def run_normal(
    task: NormalTask, threads: int, told: Report, checkpoint: Checkpoint | None
) -> Ended:
    """All runs in the order of their numbers; an error if none of them found a maximum."""
    several = task.method.runs(task.several)

    def one(method: EM, number: int, ears: Ears, kept: Checkpoint | None) -> Climb[NormalIterate]:
        return _one_run(replace(task, method=method), number, ears, kept)

    return Ended(*led_runs(task.method, several, one, (threads, told, checkpoint)))


def led_runs(
    method: EM,
    several: int,
    one_run: Callable[[EM, int, Ears, Checkpoint | None], R],
    course: tuple[int, Report, Checkpoint | None],
    curved: Collection[str] = (),
) -> tuple[tuple[R, ...], tuple[str, ...]]:
    """Several runs side by side, and whose noise the others lost; an error if all lost some.

    course  threads, who is told, and where runs are kept
    curved  the variables that follow curves, of which no prior speaks
    """
    threads, told, checkpoint = course
    tally = Tally(told, several, method.max_steps)

    def one(number: int, ears: Ears) -> R | _Lost:
        try:
            return one_run(method, number, ears, checkpoint)
        except NoNoiseError as lost:
            if not method.accelerate:
                return _Lost(lost.name)
        try:  # an extrapolation may leap to where plain steps would not have gone
            return one_run(replace(method, accelerate=False), number, ears, None)
        except NoNoiseError as lost:
            return _Lost(lost.name)

    found = side_by_side(one, several, threads, tally)
    gone = tuple(each.name for each in found if isinstance(each, _Lost))
    runs = tuple(each for each in found if not isinstance(each, _Lost))
    if not runs:
        raise no_maximum(gone[0], gone[0] in curved)
    return runs, gone


@dataclass(frozen=True, slots=True)
class _Lost:
    """A run that ended where the noise of a variable shrinks to nothing."""

    name: str


def _one_run(
    task: NormalTask, number: int, ears: Ears, checkpoint: Checkpoint | None
) -> Climb[NormalIterate]:
    ready = task.ready

    def begin(kept: Kept | None) -> NormalIterate:
        if kept is not None:
            return at(ready, kept.theta, kept.before)
        return obedient(ready, ready.problem.vector.of(task.start(number)))

    step = squarem_step if task.method.accelerate else plain_step
    found = kept_run(number, task.method, begin, lambda here: step(ready, here), ears, checkpoint)
    if not np.isfinite(found.iterate.objective):
        raise EstimateError(
            "EM found no parameters under which all cases are possible"
            '\n\nleave out start="given", or look for values that contradict each other'
        )
    return found


def no_maximum(name: str, curved: bool) -> EstimateError:
    """The error about noise that shrinks to nothing."""
    right = (
        "no prior speaks of curves: leave it out of families="
        if curved
        else "give regressions a prior that keeps some noise, prior=tc.WeakNormal() with "
        "estimate=tc.Smoothed()"
    )
    return EstimateError(
        f"the noise of {name!r} shrinks to nothing: some cases lie on an exact function of its "
        "parents, and the likelihood of what was observed has no maximum"
        f"\n\n{right}, or try more restarts or fewer hidden states"
    )
