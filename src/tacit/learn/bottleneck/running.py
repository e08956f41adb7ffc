"""Paths as runs of a fit: side by side, interruptible, kept on disk, ended by EM itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError, listed
from tacit.core.interrupts import asked_to_end
from tacit.core.variables import Discrete
from tacit.engines.expected import expectation
from tacit.learn.bottleneck.completion import State, Work
from tacit.learn.bottleneck.contexts import Contexts, merged
from tacit.learn.bottleneck.continuation import Along, Followed, Route, follow, outset
from tacit.learn.bottleneck.keeping import along_of, kept_of, plain, steps_kept
from tacit.learn.bottleneck.path import BottleneckPath, PathStep
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.bottleneck.threshold import threshold
from tacit.learn.bottleneck.trees import Tree, tree_of
from tacit.learn.checkpoints import Checkpoint, Kept
from tacit.learn.climb import Climb
from tacit.learn.em import Ears, Task, climbed, shared, side_by_side, start_of
from tacit.learn.expectation import EmIterate, Problem, at
from tacit.learn.fits import Stop
from tacit.learn.methods import EM
from tacit.learn.progress import Report, Tally

PARTS = 1000
"""Into how many parts the progress of a path is told; the last hundredth is EM's."""
ON_THE_WAY = 0.99


@dataclass(frozen=True, slots=True, eq=False)
class Bottleneck:
    """The whole job: how paths are followed, what EM's would be, and who listens.

    families  parents..., child of every variable
    alpha     the prior's pseudo-counts, flat
    """

    settings: IBEM
    task: Task
    families: Mapping[str, tuple[Discrete, ...]]
    alpha: Floats
    threads: int
    told: Report
    checkpoint: Checkpoint | None = None


@dataclass(frozen=True, slots=True)
class PathClimb(Climb[EmIterate]):
    """Where a path ended; its trace holds a value per gamma and then EM's own steps."""

    path: BottleneckPath


def run_bottleneck(job: Bottleneck, data: Dataset) -> list[PathClimb]:
    """All paths in the order of their numbers; each depends on its number and the seed alone.

    Where the last gamma is to be chosen, one path on a part of the cases chooses it first.
    """
    settings, tried = job.settings, tuple[PathStep, ...]()
    choosing = isinstance(settings.until, str)
    tally = Tally(job.told, settings.restarts + choosing, PARTS)
    with asked_to_end():
        if choosing:
            first = _validated(job, data, tally)
            if first.stop is Stop.INTERRUPTED:
                begin = at(job.task.problem, first.iterate.theta)
                return [replace(first, iterate=begin, trace=(begin.objective,))]
            tried = first.path.steps
            job = replace(job, settings=replace(settings, until=first.path.chosen))
        return _paths(job, data, tally, tried)


def _paths(
    job: Bottleneck, data: Dataset, tally: Tally, tried: tuple[PathStep, ...]
) -> list[PathClimb]:
    runs = job.settings.restarts
    job = replace(job, task=shared(job.task, runs, job.threads))
    route = _route(job, job.task.problem, data)

    def one(number: int, ears: Ears) -> PathClimb:
        own = replace(route, seed=(job.task.seed, number))
        return _Run(job, own, number, ears, tried).whole()

    return side_by_side(one, runs, job.threads, tally)


def _validated(job: Bottleneck, data: Dataset, tally: Tally) -> PathClimb:
    """One path to gamma 1 on a part of the cases; the rest tells at every gamma how likely it is.

    Which cases are held out depends on the seed alone. It takes the number after the last path's.
    """
    problem, number = job.task.problem, job.settings.restarts
    order = np.random.default_rng([job.task.seed, number]).permutation(len(data))
    many = min(max(round(job.settings.held_out * len(data)), 1), len(data) - 1)
    held, rest = data.take(np.sort(order[:many])), data.take(np.sort(order[many:]))
    judge = replace(problem, expected=expectation(held, problem.layout, job.families))
    part = replace(problem, expected=expectation(rest, problem.layout, job.families))
    settings = replace(job.settings, finish=False)
    job = replace(job, settings=settings, task=replace(job.task, problem=part))

    def held_out(theta: Floats) -> float:
        return at(judge, theta).log_likelihood

    route = replace(_route(job, part, rest), seed=(job.task.seed, number), held_out=held_out)
    return side_by_side(lambda _, ears: _Run(job, route, number, ears).whole(), 1, 1, tally)[0]


def _route(job: Bottleneck, problem: Problem, data: Dataset) -> Route:
    contexts = merged(data, problem.layout, job.task.hidden, problem.expected.known)
    seed = (job.task.seed, 0)
    work = Work(problem, contexts, job.settings.penalty == "entropy")
    tree = _tree(contexts) if job.settings.inference == "exact" else None
    return Route(work, job.settings, job.alpha, threshold(contexts), seed, tree=tree)


def _tree(contexts: Contexts) -> Tree:
    """How hidden variables hang together; an error where they do not do so in trees."""
    found = tree_of(contexts)
    if found is None:
        gaps = [contexts.layout.names[each.variable] for each in contexts.open if not each.hidden]
        reason = f"{listed(gaps)} has gaps" if gaps else "they hang together in more than trees"
        raise OptionError(
            f'inference="exact" needs hidden variables in trees and no missing cells: {reason}'
            '\n\nuse inference="mean-field", which EM itself may finish'
        )
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """One path from its start, or from where a checkpoint left it, to its end.

    tried  the path that chose the last gamma
    """

    job: Bottleneck
    route: Route
    number: int
    ears: Ears
    tried: tuple[PathStep, ...] = ()

    def whole(self) -> PathClimb:
        """The path, or what a checkpoint knows of it, if it is done."""
        checkpoint = self.job.checkpoint
        kept = checkpoint.of_run(self.number) if checkpoint is not None else None
        if checkpoint is None or kept is None:
            start = outset(self.route, start_of(self.job.task, self.number))
        elif kept.stop is not None:
            begin = at(self.job.task.problem, kept.theta, kept.before)
            path = self._path(steps_kept(kept, checkpoint))
            return PathClimb(begin, kept.trace, Stop[kept.stop], path)
        else:
            start = along_of(self.route.work.contexts, kept, checkpoint)
        found = self._ended(follow(self.route, start, self._heard, self._keep))
        self._close(found)
        return found

    def _heard(self, state: State) -> None:
        self._told(state.gamma / self.job.settings.last, state.fit)

    def _polished(self, here: EmIterate, history: Sequence[float]) -> None:
        del history
        self._told(1.0, here.objective)

    def _told(self, share: float, objective: float) -> None:
        self.ears.tally.step(self.number, int(ON_THE_WAY * PARTS * share), objective)
        if self.ears.ended():
            raise KeyboardInterrupt

    def _keep(self, here: Along) -> None:
        if self.job.checkpoint is not None:
            self.job.checkpoint.keep(self.number, kept_of(here))

    def _ended(self, found: Followed) -> PathClimb:
        """The climb that a path came to; at gamma 1 EM itself goes on from there."""
        problem, settings = self.job.task.problem, self.job.settings
        path = self._path(found.steps)
        trace = tuple(each.fit for each in found.steps)
        begin, stop = at(problem, found.state.theta), found.stop
        if stop is Stop.INTERRUPTED or settings.last < 1 or not settings.finish:
            return PathClimb(begin, (*trace, begin.objective), stop, path)
        last = climbed(problem, EM(), begin, self._polished)
        return PathClimb(last.iterate, (*trace, *last.trace), last.stop, path)

    def _close(self, found: PathClimb) -> None:
        """Write down what is done, and say so."""
        end, checkpoint = found.iterate, self.job.checkpoint
        if found.stop is Stop.INTERRUPTED:
            self.ears.stop.set()
            if checkpoint is not None and (last := checkpoint.of_run(self.number)) is not None:
                checkpoint.keep(self.number, last, now=True)
        elif checkpoint is not None:
            more = {"steps": plain(found.path.steps)}
            kept = Kept(end.theta, end.before, found.trace, found.stop.name, more)
            checkpoint.keep(self.number, kept, now=True)
        try:
            self.ears.tally.step(self.number, PARTS, end.objective, ended=True)
        except KeyboardInterrupt:  # this path is done, but no other is wanted
            self.ears.stop.set()

    def _path(self, steps: tuple[PathStep, ...]) -> BottleneckPath:
        contexts = self.route.work.contexts
        hidden = (contexts.open[at].variable for at in contexts.hidden)
        names = tuple(contexts.layout.names[each] for each in hidden)
        bound = not contexts.exact and self.route.tree is None
        return BottleneckPath(names, self.route.threshold, bound, steps, self.tried)
