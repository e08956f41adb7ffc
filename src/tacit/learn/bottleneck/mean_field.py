"""Mean-field EM over several starts: what information bottleneck EM is at gamma 1, without a path.

[HV2 2.7, 2.8, Theorem 6.4.2]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.interrupts import asked_to_end
from tacit.learn.bottleneck.completion import State, Work, e_step, step
from tacit.learn.bottleneck.contexts import merged
from tacit.learn.checkpoints import Checkpoint, Kept
from tacit.learn.climb import Climb, climb
from tacit.learn.em import Ears, Task, climbed, shared, side_by_side, start_of
from tacit.learn.expectation import EmIterate, at
from tacit.learn.fits import Stop
from tacit.learn.methods import EM, MeanFieldEM
from tacit.learn.progress import Report, Tally


def run_mean_field(
    task: Task,
    method: MeanFieldEM,
    data: Dataset,
    threads: int,
    told: Report,
    checkpoint: Checkpoint | None,
) -> list[Climb[EmIterate]]:
    """All runs in the order of their numbers, from the starts that EM of this seed has.

    The trace of a run holds lower bounds of its objective, and last the objective itself.
    """
    runs = method.runs(bool(task.hidden))
    problem = task.problem
    contexts = merged(data, problem.layout, task.hidden, problem.expected.known)
    task, work = shared(task, runs, threads), Work(problem, contexts)
    tally = Tally(told, runs, method.max_steps)

    def one(number: int, ears: Ears) -> Climb[EmIterate]:
        kept = checkpoint.of_run(number) if checkpoint is not None else None
        if kept is not None and kept.stop is not None:
            return Climb(at(problem, kept.theta, kept.before), kept.trace, Stop[kept.stop])
        found = _climbed(task, work, method, number, ears)
        if found.stop is Stop.INTERRUPTED:
            ears.stop.set()
        elif checkpoint is not None:
            end = found.iterate
            kept = Kept(end.theta, end.before, found.trace, found.stop.name)
            checkpoint.keep(number, kept, now=True)
        try:
            tally.step(number, method.max_steps, found.iterate.objective, ended=True)
        except KeyboardInterrupt:  # this run is done, but no other is wanted
            ears.stop.set()
        return found

    with asked_to_end():
        return side_by_side(one, runs, threads, tally)


def _climbed(
    task: Task, work: Work, method: MeanFieldEM, number: int, ears: Ears
) -> Climb[EmIterate]:
    def heard(state: State, history: Sequence[float]) -> None:
        ears.tally.step(number, min(len(history), method.max_steps - 1), state.fit)
        if ears.ended():
            raise KeyboardInterrupt

    def polished(here: EmIterate, history: Sequence[float]) -> None:
        del history
        ears.tally.step(number, method.max_steps - 1, here.objective)
        if ears.ended():
            raise KeyboardInterrupt

    found = climb(
        lambda state: step(work, state),
        begin(work, start_of(task, number)),
        tolerance=method.tolerance,
        max_steps=method.max_steps,
        told=heard,
    )
    end = at(task.problem, found.iterate.theta)
    trace = (*found.trace, end.objective)
    if found.stop is Stop.INTERRUPTED or not method.finish:
        return Climb(end, trace, found.stop)
    last = climbed(task.problem, EM(), end, polished)
    return replace(last, trace=(*found.trace, *last.trace))


def begin(work: Work, theta: Floats) -> State:
    """The shares that follow from some parameters, found from even ones, at gamma 1."""
    contexts = work.contexts
    even = [
        np.full((contexts.weights.size, each.states), 1.0 / each.states) for each in contexts.open
    ]
    return e_step(work, theta, even, 1.0)
