"""Runs of EM around curves: several starts where variables are hidden, the best wins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tacit.core.errors import EstimateError
from tacit.core.network import Network
from tacit.learn.bends.climbing import (
    Iterate,
    Problem,
    at,
    begun,
    bends_of,
    plain_step,
    resumed,
    squarem_step,
    straightened,
)
from tacit.learn.bends.shape import Numbers
from tacit.learn.checkpoints import Checkpoint, Kept
from tacit.learn.climb import Climb
from tacit.learn.continuous.running import led_runs
from tacit.learn.em import Ears, kept_run
from tacit.learn.methods import EM
from tacit.learn.progress import Report


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """EM's whole job.

    lines    the straight lines that a run of this number begins with
    given    a network that the first run begins with instead
    several  whether it matters where to start
    """

    problem: Problem
    method: EM
    lines: Callable[[int], Network]
    given: Network | None
    several: bool
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One climb, and the problem it climbed on: thresholds are where its start put the means."""

    problem: Problem
    climb: Climb[Iterate]


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """What the runs came to; `lost` are those that ran into a variance of nothing."""

    runs: tuple[Run, ...]
    lost: tuple[str, ...]


def run_bent(task: Task, threads: int, told: Report, checkpoint: Checkpoint | None) -> Ended:
    """All runs in the order of their numbers; an error if none of them found a maximum."""
    several = task.method.runs(task.several)

    def one(method: EM, number: int, ears: Ears, kept: Checkpoint | None) -> Run:
        return _one_run(replace(task, method=method), number, ears, kept)

    shape = task.problem.shape
    curved = [shape.dag.names[place] for place in shape.curves]
    return Ended(*led_runs(task.method, several, one, (threads, told, checkpoint), curved))


def _one_run(task: Task, number: int, ears: Ears, checkpoint: Checkpoint | None) -> Run:
    straight = task.problem.shape.straight()
    shape, numbers = straightened(task.problem, Numbers.of_network(straight, task.lines(number)))
    problem = replace(task.problem, shape=shape)

    def begin(kept: Kept | None) -> Iterate:
        if kept is not None:
            return at(problem, kept.theta, kept.before)
        if number == 0 and task.given is not None:
            return resumed(problem, task.given)
        random = np.random.default_rng([task.seed, number, 1])
        return begun(problem, numbers, bends_of(shape, number, random))

    step = squarem_step if task.method.accelerate else plain_step
    found = kept_run(number, task.method, begin, lambda here: step(problem, here), ears, checkpoint)
    if not np.isfinite(found.iterate.objective):
        raise EstimateError(
            "EM found no parameters under which all cases are possible"
            '\n\nleave out start="given", or look for values that contradict each other'
        )
    return Run(problem, found)
