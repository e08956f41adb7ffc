"""Runs of EM with continuous variables: several starts, those left out whose noise is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

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
    runs = task.method.runs(task.several)
    tally = Tally(told, runs, task.method.max_steps)

    def one(number: int, ears: Ears) -> Climb[NormalIterate] | str:
        try:
            return _one_run(task, number, ears, checkpoint)
        except NoNoiseError as lost:
            if not task.method.accelerate:
                return lost.name
        try:  # an extrapolation may leap to where plain steps would not have gone
            plain = replace(task, method=replace(task.method, accelerate=False))
            return _one_run(plain, number, ears, None)
        except NoNoiseError as lost:
            return lost.name

    found = side_by_side(one, runs, threads, tally)
    climbs = tuple(each for each in found if isinstance(each, Climb))
    lost = tuple(each for each in found if isinstance(each, str))
    if not climbs:
        raise no_maximum(lost[0])
    return Ended(climbs, lost)


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


def no_maximum(name: str) -> EstimateError:
    """The error about noise that shrinks to nothing."""
    return EstimateError(
        f"the noise of {name!r} shrinks to nothing: some cases lie on an exact function of its "
        "parents, and the likelihood of what was observed has no maximum"
        "\n\nsay how much noise to expect, prior=[tc.BDeu(1), tc.NormalGamma()] for example, or "
        "try more restarts or fewer hidden states"
    )
