"""Paths as runs of a fit: side by side, interruptible, kept on disk, ended by EM itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.interrupts import asked_to_end
from tacit.core.variables import Discrete
from tacit.engines.expected import expectation
from tacit.learn.bottleneck.completion import State, Work
from tacit.learn.bottleneck.contexts import merged
from tacit.learn.bottleneck.continuation import Along, Change, Followed, Route, follow, outset
from tacit.learn.bottleneck.effective import proper
from tacit.learn.bottleneck.evolving import Evolution
from tacit.learn.bottleneck.keeping import (
    along_of,
    growth_kept,
    growth_plain,
    kept_of,
    plain,
    steps_kept,
)
from tacit.learn.bottleneck.path import BottleneckPath, PathStep
from tacit.learn.bottleneck.reshaping import Ground, Growth, distinct
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.bottleneck.shape import Shape
from tacit.learn.bottleneck.threshold import threshold
from tacit.learn.bottleneck.trees import hanging
from tacit.learn.checkpoints import Checkpoint, Kept
from tacit.learn.climb import Climb
from tacit.learn.em import Ears, Task, climbed, shared, side_by_side, start_of
from tacit.learn.expectation import EmIterate, Problem, at
from tacit.learn.fits import Stop
from tacit.learn.methods import EM
from tacit.learn.progress import Report, Tally
from tacit.learn.structure.cheeseman_stutz import completed_score

PARTS = 1000
"""Into how many parts the progress of a path is told; the last hundredth is EM's."""
ON_THE_WAY = 0.99


@dataclass(frozen=True, slots=True, eq=False)
class Bottleneck:
    """The whole job: how paths are followed, what EM's would be, and who listens.

    families  parents..., child of every variable
    alpha     the prior's pseudo-counts, flat
    shape     the network at the start, where it changes on the way
    ground    what such a path stands on
    """

    settings: IBEM
    task: Task
    families: Mapping[str, tuple[Discrete, ...]]
    alpha: Floats
    threads: int
    told: Report
    checkpoint: Checkpoint | None = None
    shape: Shape | None = None
    ground: Ground | None = None


@dataclass(frozen=True, slots=True)
class PathClimb(Climb[EmIterate]):
    """Where a path ended; its trace holds a value per gamma and then EM's own steps.

    problem  what the end belongs to
    shape    the network there, where it changed on the way
    score    what that is worth: its Cheeseman-Stutz score
    """

    path: BottleneckPath
    problem: Problem
    shape: Shape | None = None
    score: float = 0.0


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
    if job.ground is not None:
        job = replace(job, ground=replace(job.ground, settings=job.settings))
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
    ground = job.ground
    if ground is not None:
        ground = replace(ground, data=distinct(rest), held=distinct(held), settings=settings)
    task = replace(job.task, problem=part)
    job = replace(job, settings=settings, task=task, ground=ground)

    def held_out(theta: Floats) -> float:
        return at(judge, theta).log_likelihood

    route = replace(_route(job, part, rest), seed=(job.task.seed, number), held_out=held_out)
    return side_by_side(lambda _, ears: _Run(job, route, number, ears).whole(), 1, 1, tally)[0]


def _route(job: Bottleneck, problem: Problem, data: Dataset) -> Route:
    if job.ground is not None and job.shape is not None:
        return job.ground.route(job.shape, (job.task.seed, 0))
    contexts = merged(data, problem.layout, job.task.hidden, problem.expected.known)
    seed = (job.task.seed, 0)
    work = Work(problem, contexts, job.settings.penalty == "entropy")
    tree = hanging(contexts) if job.settings.inference == "exact" else None
    return Route(work, job.settings, job.alpha, threshold(contexts), seed, tree=tree)


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
        route = self.route
        if checkpoint is None or kept is None:
            start = outset(route, start_of(self.job.task, self.number))
            start = replace(start, growth=self._growth())
        else:
            growth = growth_kept(kept, checkpoint) if self.job.ground is not None else None
            if growth is not None and self.job.ground is not None:
                route = self.job.ground.route(growth.shape, route.seed, route.threshold)
            if kept.stop is not None:
                return self._done(route, kept, steps_kept(kept, checkpoint), growth)
            start = replace(along_of(route.work.contexts, kept, checkpoint), growth=growth)
        found = self._ended(follow(route, start, self._heard, self._keep, self._change()))
        self._close(found)
        return found

    def _growth(self) -> Growth | None:
        shape = self.job.shape
        return None if shape is None else Growth(shape, tuple(shape.states))

    def _change(self) -> Change | None:
        return None if self.job.ground is None else Evolution(self.job.ground)

    def _done(
        self, route: Route, kept: Kept, steps: tuple[PathStep, ...], growth: Growth | None
    ) -> PathClimb:
        """A path that a checkpoint knows to its end."""
        begin = at(route.work.problem, kept.theta, kept.before)
        climb = Climb(begin, kept.trace, Stop[kept.stop or ""])
        return self._told_of(climb, route, self._path(route, steps, growth), growth)

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
        settings, end = self.job.settings, found.end
        problem = end.route.work.problem
        path = self._path(end.route, found.steps, end.growth)
        trace = tuple(each.fit for each in found.steps)
        begin, stop = at(problem, found.state.theta), found.stop
        climb = Climb(begin, (*trace, begin.objective), stop)
        if not (stop is Stop.INTERRUPTED or settings.last < 1 or not settings.finish):
            last = climbed(problem, EM(), begin, self._polished)
            climb = replace(last, trace=(*trace, *last.trace))
        return self._told_of(climb, end.route, path, end.growth)

    def _told_of(
        self,
        climb: Climb[EmIterate],
        route: Route,
        path: BottleneckPath,
        growth: Growth | None,
    ) -> PathClimb:
        """The climb with its path, and with what its network is worth if that changed."""
        problem, score = route.work.problem, 0.0
        if growth is not None:
            layout, alpha = problem.layout, proper(problem.layout, route.alpha)
            by_name = {name: layout.block(alpha, v) for v, name in enumerate(layout.names)}
            score = completed_score(layout, climb.iterate, by_name)
        shape = None if growth is None else growth.shape
        return PathClimb(climb.iterate, climb.trace, climb.stop, path, problem, shape, score)

    def _close(self, found: PathClimb) -> None:
        """Write down what is done, and say so."""
        end, checkpoint = found.iterate, self.job.checkpoint
        if found.stop is Stop.INTERRUPTED:
            self.ears.stop.set()
            if checkpoint is not None and (last := checkpoint.of_run(self.number)) is not None:
                checkpoint.keep(self.number, last, now=True)
        elif checkpoint is not None:
            more: dict[str, Any] = {"steps": plain(found.path.steps)}
            if found.shape is not None:
                more["growth"] = growth_plain(Growth(found.shape, found.path.hidden))
            kept = Kept(end.theta, end.before, found.trace, found.stop.name, more)
            checkpoint.keep(self.number, kept, now=True)
        try:
            self.ears.tally.step(self.number, PARTS, end.objective, ended=True)
        except KeyboardInterrupt:  # this path is done, but no other is wanted
            self.ears.stop.set()

    def _path(
        self, route: Route, steps: tuple[PathStep, ...], growth: Growth | None
    ) -> BottleneckPath:
        contexts = route.work.contexts
        hidden = (contexts.open[at].variable for at in contexts.hidden)
        names = tuple(contexts.layout.names[each] for each in hidden)
        if growth is not None:
            names = growth.names
        bound = not contexts.exact and route.tree is None
        return BottleneckPath(names, route.threshold, bound, steps, self.tried)
