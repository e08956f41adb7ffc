"""Hill climbing and tabu search over dags, with restarts. [HV1 1.6, Algorithms 1 and 2]"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from tacit.learn.fits import Stop
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.perturbing import reordered, shaken
from tacit.learn.structure.settings import PLENTY, HillClimb, IdealParent, Tabu
from tacit.learn.structure.state import Change, Parents, State, rounding


@dataclass(slots=True, eq=False)
class Walk:
    """A search on its way: all that is needed to go on with it.

    now            where it stands
    best, highest  the best dag so far and its score
    visited        marks of the dags not to go back to
    since          steps of this climb without a better dag
    bettered       whether this climb found a better dag
    failed         climbs in a row that found none
    restarts       how often it began anew
    changes        all that was done, each with the number of restarts before
    trace          the best score before any step and after each
    chosen_at      the dag at which candidates were chosen; None: there are none
    scored         changes that were scored when the walk was left, in a search that scores few
    state          the dag on its way, once a climb began
    """

    now: Parents
    best: Parents
    highest: float
    visited: list[int] = field(default_factory=list)
    since: int = 0
    bettered: bool = False
    failed: int = 0
    restarts: int = 0
    changes: list[tuple[Change, int]] = field(default_factory=list)
    trace: list[float] = field(default_factory=list)
    chosen_at: Parents | None = None
    scored: Sequence[Sequence[int]] = ()
    state: State | None = None


Heard: TypeAlias = Callable[[Walk], None]
"""Told after every step; it may raise KeyboardInterrupt."""
Resampled: TypeAlias = Callable[[np.random.Generator], Ledger]
"""The same question asked of resampled cases."""
Begins: TypeAlias = Callable[[Ledger, Parents, str], State]
"""A dag on its way, from the scores, its parents and which gains it keeps up to date."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What a climb needs: the scores, the settings, chance, and who hears of it.

    begins  the dag on its way that steps are taken from; None: one whose changes are all scored
    """

    ledger: Ledger
    settings: HillClimb | Tabu | IdealParent
    rng: np.random.Generator
    heard: Heard
    resampled: Resampled
    begins: Begins | None = None

    def state(self, parents: Parents) -> State:
        """The dag with these parents, on its way."""
        if self.begins is not None:
            return self.begins(self.ledger, parents, self.asks)
        return State.at(self.ledger, parents, self.asks)

    @property
    def length(self) -> int:
        """How many dags are remembered."""
        return self.settings.length if isinstance(self.settings, Tabu) else 0

    @property
    def patience(self) -> int:
        """Steps without a better dag after which a climb ends."""
        if not isinstance(self.settings, Tabu):
            return 1
        return self.settings.patience or self.settings.length // 2 + 1

    def sated(self, walk: Walk) -> bool:
        """Whether so much was done that nothing begins anew unless that was asked for."""
        plenty = len(walk.changes) * self.ledger.n >= PLENTY
        return self.settings.restarts is None and plenty

    @property
    def asks(self) -> str:
        """Which gains a dag on its way keeps up to date."""
        if self.settings.ascent == "first":
            return "none"
        return "replacing" if self.settings.replace else "all"


def begun(ledger: Ledger, start: Parents) -> Walk:
    """A search that has not made a step."""
    score = ledger.total(start)
    return Walk(start, start, score, trace=[score])


def climb(task: Task, walk: Walk) -> Stop:
    """Search until nothing better is found any more; the walk holds the best dag at any time."""
    if task.settings.candidates is not None:
        _choose(task, walk, walk.chosen_at or walk.now)
    try:
        while True:
            for _ in _steps(task, walk):
                task.heard(walk)
            if _spent(task, walk):
                return Stop.STEP_LIMIT
            if _chosen_anew(task, walk):
                continue
            walk.failed = 0 if walk.bettered else walk.failed + (walk.restarts > 0)
            if walk.failed >= task.settings.vain or task.sated(walk):
                return Stop.CONVERGED
            _restart(task, walk)
            task.heard(walk)
    except KeyboardInterrupt:
        return Stop.INTERRUPTED


def _spent(task: Task, walk: Walk) -> bool:
    steps, families = task.settings.max_steps, task.settings.max_evaluations
    if steps is not None and len(walk.changes) >= steps:
        return True
    return families is not None and task.ledger.evaluations >= families


def _choose(task: Task, walk: Walk, parents: Parents) -> None:
    many = task.settings.candidates
    assert many is not None
    task.ledger.choose(parents, many)
    walk.chosen_at = parents


def _chosen_anew(task: Task, walk: Walk) -> bool:
    """Whether candidates were chosen again, at a dag better than the one they were chosen at."""
    if walk.chosen_at is None:
        return False
    before = task.ledger.total(walk.chosen_at)
    if walk.highest <= before + rounding(before):
        return False
    _choose(task, walk, walk.best)
    walk.now, walk.visited, walk.since = walk.best, [], 0
    return True


def _steps(task: Task, walk: Walk) -> Iterator[None]:
    """The steps of one climb, each already noted in the walk."""
    state = walk.state = task.state(walk.now)
    state.take_up(walk.scored)
    walk.scored = ()
    changes = _best_changes(task, walk, state)
    if task.settings.ascent == "first":
        changes = _first_changes(state, task.rng, task.settings.replace)
    if not walk.visited:
        _note(walk, state)
        walk.visited, walk.since = [int(state.mark)], 0
    while not _spent(task, walk):
        change = next(changes, None)
        if change is None:
            return
        before = state.score
        state.make(change)
        walk.changes.append((replace(change, gain=state.score - before), walk.restarts))
        walk.visited = [*walk.visited, int(state.mark)][-max(1, task.length) :]
        _note(walk, state)
        walk.trace.append(walk.highest)
        yield


def _note(walk: Walk, state: State) -> None:
    """Remember where the walk is, and the dag if none was better; of equal ones the last."""
    walk.now, score = state.now, state.score
    better = score > walk.highest + rounding(walk.highest)
    walk.since = 0 if better else walk.since + 1
    walk.bettered |= better
    if better or score >= walk.highest:
        walk.best, walk.highest = walk.now, max(score, walk.highest)


def _best_changes(task: Task, walk: Walk, state: State) -> Iterator[Change]:
    while not task.length or walk.since < task.patience:
        visited = np.array(walk.visited if task.length else [], dtype=np.uint64)
        change = state.best(visited)
        if change is None or change.gain == -np.inf:
            return
        if not task.length and change.gain <= rounding(walk.highest):
            return
        yield change


def _first_changes(state: State, rng: np.random.Generator, replacing: bool) -> Iterator[Change]:
    """Changes that gain: after each, all pairs of variables in a new order, until none does."""
    pairs = np.argwhere(~np.eye(state.ledger.n, dtype=np.bool_))
    while True:
        tried = (
            change
            for tail, head in rng.permutation(pairs)
            for change in _between(state, int(tail), int(head), replacing)
        )
        least = rounding(state.score)
        gaining = (replace(change, gain=state.gain(change)) for change in tried)
        found = next((change for change in gaining if change.gain > least), None)
        if found is None:
            return
        yield found


def _between(state: State, tail: int, head: int, replacing: bool) -> Iterator[Change]:
    """The legal changes that take out the arc, turn it or put it in."""
    if state.arcs[head, tail]:
        return
    new = (tail, head)
    changes = [Change("add", tail, head, 0.0)]
    if replacing:
        outs = state.parents[head]
        changes += [Change("replace", tail, head, 0.0, out) for out in outs]
    if state.arcs[tail, head]:
        new = (head, tail)
        changes = [Change(verb, tail, head, 0.0) for verb in ("delete", "reverse")]
    for change in changes:
        if (change.verb == "delete" or state.ledger.candidate(*new)) and state.legal(change):
            yield change


def _restart(task: Task, walk: Walk) -> None:
    """Leave the best dag for one nearby."""
    settings = task.settings
    match settings.perturb:
        case "order":
            limits = task.ledger.limits
            walk.now = reordered(walk.best, limits, settings.shaken, task.rng)
        case "moves":
            state = State.at(task.ledger, walk.best, "none")
            walk.now = shaken(state, settings.shaken, task.rng)
        case _:
            ledger = task.resampled(task.rng)
            there = begun(ledger, walk.best)
            plain = HillClimb(restarts=0, candidates=settings.candidates)
            stop = climb(replace(task, ledger=ledger, settings=plain, heard=_silent), there)
            if stop is Stop.INTERRUPTED:
                raise KeyboardInterrupt
            task.ledger.evaluations += ledger.evaluations
            walk.now = there.best
    walk.restarts += 1
    walk.visited, walk.since, walk.bettered = [], 0, False


def _silent(walk: Walk) -> None:
    del walk
