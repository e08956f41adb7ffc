"""EM over several starts: the best climb wins."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Event
from typing import Protocol, TypeVar

import numpy as np

from tacit.arrays import Floats
from tacit.core.interrupts import Asked, asked_to_end
from tacit.learn.checkpoints import Checkpoint, Kept
from tacit.learn.climb import Climb, Iterate, climb
from tacit.learn.expectation import EmIterate, Problem, at, plain_step, projected, squarem_step
from tacit.learn.fits import Stop
from tacit.learn.methods import EM
from tacit.learn.progress import Report, Tally
from tacit.learn.starts import start_parameters

R = TypeVar("R")


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """EM's whole job: the problem, its settings, which variables are hidden, and the seed.

    given  parameters to start the first run from, instead of the data's
    """

    problem: Problem
    method: EM
    hidden: tuple[int, ...]
    seed: int
    given: Floats | None = None


def run_em(
    task: Task,
    threads: int,
    told: Report,
    checkpoint: Checkpoint | None = None,
) -> list[Climb[EmIterate]]:
    """All runs in the order of their numbers; interrupted ones as far as they came.

    Runs share the compiled problem and go side by side on `threads`; the result of each depends
    on its number and the seed alone.
    """
    runs = task.method.runs(bool(task.hidden) and task.given is None)
    task = shared(task, runs, threads)
    tally = Tally(told, runs, task.method.max_steps)
    return side_by_side(
        lambda number, ears: _one_run(task, number, ears, checkpoint), runs, threads, tally
    )


def shared(task: Task, runs: int, threads: int) -> Task:
    """The task with as many threads for an E-step as it may have.

    One run has all of them, of several each has one.
    """
    return replace(task, problem=replace(task.problem, threads=threads if runs == 1 else 1))


def side_by_side(one: Callable[[int, Ears], R], runs: int, threads: int, tally: Tally) -> list[R]:
    """What every run came to, in the order of their numbers, as far as they were begun."""
    with asked_to_end() as asked:
        ears = Ears(tally, Event(), asked)

        def numbered(number: int) -> R:
            return one(number, ears)

        numbers, workers = iter(range(runs)), min(threads, runs)
        if workers == 1:
            found = _in_turn(numbered, numbers, ears)
        else:
            with ThreadPoolExecutor(workers) as pool:
                shares = pool.map(lambda _: _in_turn(numbered, numbers, ears), range(workers))
            found = dict(ChainMap(*shares))
    if not found:
        raise KeyboardInterrupt
    return [found[number] for number in sorted(found)]


def _in_turn(one: Callable[[int], R], numbers: Iterator[int], ears: Ears) -> dict[int, R]:
    """The runs one after the other, until all are done or someone asks for the end.

    Several threads may take their numbers from one iterator.
    """
    found = {}
    for number in numbers:
        try:
            found[number] = one(number)
        except KeyboardInterrupt:  # before its first step: the runs so far are what there is
            ears.stop.set()
        except BaseException:
            ears.stop.set()  # what other threads have begun is of no use any more
            raise
        if ears.ended():
            break
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Ears:
    """Who hears of progress, and whether all runs are to end."""

    tally: Tally
    stop: Event
    asked: Asked

    def ended(self) -> bool:
        """Whether no further step is wanted."""
        return self.stop.is_set() or self.asked()


class Carried(Iterate, Protocol):
    """An iterate that a checkpoint can keep."""

    @property
    def theta(self) -> Floats:
        """Its parameters, from which all else follows."""

    @property
    def before(self) -> Floats | None:
        """Those one plain step earlier, where an extrapolation may start."""


C = TypeVar("C", bound=Carried)


def _one_run(
    task: Task,
    number: int,
    ears: Ears,
    checkpoint: Checkpoint | None,
) -> Climb[EmIterate]:
    problem, method = task.problem, task.method

    def begin(kept: Kept | None) -> EmIterate:
        if kept is None:
            return at(problem, start_of(task, number))
        return at(problem, kept.theta, kept.before)

    step = squarem_step if method.accelerate else plain_step
    return kept_run(number, method, begin, lambda here: step(problem, here), ears, checkpoint)


def kept_run(
    number: int,
    method: EM,
    begin: Callable[[Kept | None], C],
    step: Callable[[C], C],
    ears: Ears,
    checkpoint: Checkpoint | None,
) -> Climb[C]:
    """One run, from where a checkpoint left it, to its end; the checkpoint hears of every step."""
    kept = checkpoint.of_run(number) if checkpoint is not None else None
    start = begin(kept)
    if kept is not None and kept.stop is not None:
        return Climb(start, kept.trace, Stop[kept.stop])

    def heard(here: C, history: Sequence[float]) -> None:
        ears.tally.step(number, len(history), here.objective)
        if ears.ended():
            raise KeyboardInterrupt
        if checkpoint is not None:
            checkpoint.keep(number, Kept(here.theta, here.before, tuple(history), None))

    found = climb(
        step,
        start,
        tolerance=method.tolerance,
        max_steps=method.max_steps,
        trace=() if kept is None else kept.trace[:-1],
        told=heard,
    )
    end = found.iterate
    if found.stop is Stop.INTERRUPTED:
        ears.stop.set()
    if checkpoint is not None and found.stop is not Stop.INTERRUPTED:
        checkpoint.keep(number, Kept(end.theta, end.before, found.trace, found.stop.name), now=True)
    elif checkpoint is not None and (last := checkpoint.of_run(number)) is not None:
        checkpoint.keep(number, last, now=True)
    try:
        ears.tally.step(number, len(found.trace), end.objective, ended=True)
    except KeyboardInterrupt:  # this run is done, but no other is wanted
        ears.stop.set()
    return found


def climbed(
    problem: Problem,
    method: EM,
    begin: EmIterate,
    heard: Callable[[EmIterate, Sequence[float]], None],
    trace: Sequence[float] = (),
) -> Climb[EmIterate]:
    """One run of EM from here to where nothing improves."""
    step = squarem_step if method.accelerate else plain_step
    return climb(
        lambda here: step(problem, here),
        begin,
        tolerance=method.tolerance,
        max_steps=method.max_steps,
        trace=trace,
        told=heard,
    )


def start_of(task: Task, number: int) -> Floats:
    """The parameters a run begins with: it depends on the seed and the run's number alone.

    Where rules speak of them they are the nearest, in divergence, that obey.
    """
    return projected(task.problem, _free_start(task, number))


def _free_start(task: Task, number: int) -> Floats:
    if number == 0 and task.given is not None:
        return task.given
    random = np.random.default_rng([task.seed, number])
    first = number == 0 and task.method.init == "data"
    known = task.problem.expected.known
    theta = start_parameters(task.problem.layout, known, task.hidden, random, first)
    links = task.problem.links
    return theta if links is None else links.begun(theta, task.hidden, random, first)


def best_run(climbs: Sequence[Climb[EmIterate]]) -> int:
    """The run with the highest objective, the first of equals."""
    return int(np.argmax([found.iterate.objective for found in climbs]))
