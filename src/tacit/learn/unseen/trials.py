"""Trials: a hidden variable in some place, with some number of states, learned and scored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tacit.core.dag import Dag
from tacit.core.errors import CasesError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.knowledge.mentions import states_of
from tacit.learn.methods import EM
from tacit.learn.unseen.agglomerated import Agglomeration
from tacit.learn.unseen.agglomeration import agglomerate
from tacit.learn.unseen.heading import headed, starred
from tacit.learn.unseen.learning import (
    GLANCE,
    NEW,
    Learned,
    Memory,
    from_nowhere,
    learned,
    of_tables,
    renamed,
    states_in,
)
from tacit.learn.unseen.places import Place
from tacit.learn.unseen.sought import FIRST_STATES, FULL, PARAMS, Bench

WHOLE = 50
STARTS, STEPS = 3, 20
"""Random starts of EM, and the steps of each, where no states can be merged to begin with."""


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A place, a number of states, and what became of it.

    merged   how many states merging found there
    learned  None where the variable lost its children: the cases do not need it there
    settled  whether structural EM came to its end
    """

    place: Place
    states: int
    merged: int
    learned: Learned | None
    settled: bool = False

    @property
    def score(self) -> float:
        """Of the network; minus infinity where there is none."""
        return -float("inf") if self.learned is None else self.learned.score

    @property
    def children(self) -> frozenset[str]:
        """Of the hidden variable, as learned; none where it was dropped."""
        name = self.place.name
        return frozenset() if self.learned is None else _children(self.learned, name)


def _children(learned: Learned, name: str) -> frozenset[str]:
    return frozenset(learned.network.dag.children[name])


def merged(bench: Bench, dag: Dag, name: str) -> Agglomeration | None:
    """The states that merging finds in a dag; None where no case has the whole blanket, or columns
    have real values, which do not repeat."""
    if bench.mixed:
        return None
    try:
        found = agglomerate(bench.completed, dag, name)
    except CasesError:
        return None
    return found if found.first_states > 1 else None


def numbers_to_try(bench: Bench, place: Place, found: Agglomeration | None) -> tuple[int, ...]:
    """Of states: those that are said, or a few small ones and what merging found."""
    settings = bench.settings
    said = place.asked.states if place.asked and place.asked.states else settings.states
    most = settings.most_states if found is None else min(settings.most_states, found.first_states)
    many = {*FIRST_STATES, *_named_by_rules(bench, place)}
    if found is not None:
        many.add(min(found.states, most))
    if said is not None:
        many = {said if isinstance(said, int) else len(said)}
        most = max(many)
    return tuple(k for k in sorted(many) if 2 <= k <= most and _suits(bench, place, k))


def _named_by_rules(bench: Bench, place: Place) -> set[int]:
    """The least number of states that has all states rules name, where they are numbers."""
    rules = () if bench.knowledge is None else bench.knowledge.rules
    named = states_of(rules, place.name)
    return {max(map(int, named))} if named and all(map(str.isdecimal, named)) else set()


def _suits(bench: Bench, place: Place, states: int) -> bool:
    """Whether rules know the states that the variable would have."""
    return bench.suits(place.name, _names(place, states))


def _names(place: Place, states: int) -> tuple[str, ...]:
    """What the states are called: as an expert said, or by number."""
    said = place.asked.states if place.asked else None
    if isinstance(said, tuple) and len(said) == states:
        return said
    return tuple(str(at + 1) for at in range(states))


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """A place as merging sees it.

    merging  None where no case has the whole blanket
    numbers  of states that it is to be tried with
    """

    place: Place
    merging: Agglomeration | None
    numbers: tuple[int, ...]


def seen(bench: Bench, place: Place) -> Sight | None:
    """The states merged there; None if there is nothing to try."""
    found = merged(bench, place.dag, place.name)
    numbers = numbers_to_try(bench, place, found)
    return Sight(place, found, numbers) if numbers else None


def glance(bench: Bench, sight: Sight, states: int, memory: Memory) -> Trial:
    """A place with one number of states, learned for a moment, to compare places."""
    place = sight.place
    start = _start(bench, sight.merging, states, place, place.dag)
    found = learned(bench, start, place.name, bench.settings.seek, GLANCE, memory)
    return Trial(place, states, 0 if sight.merging is None else sight.merging.states, found)


def settled(bench: Bench, trial: Trial, memory: Memory) -> Trial:
    """The trial led to its end."""
    if trial.learned is None:
        return trial
    how, network = bench.settings.seek, trial.learned.network
    found = learned(bench, network, trial.place.name, how, WHOLE, memory)
    return Trial(trial.place, trial.states, trial.merged, found, True)


def worked_out(bench: Bench, trial: Trial, memory: Memory) -> Trial:
    """The best that comes of a trial, with arcs that may point either way leaving the variable."""
    best, name = _worked_out(bench, trial, memory), trial.place.name
    if best.learned is None or bench.settings.finish == PARAMS:
        return best
    network = best.learned.network
    better = headed(network, name, bench.limits(network.dag, name))
    if better is network:
        return best
    return replace(best, learned=Learned(better, best.score))


def _worked_out(bench: Bench, trial: Trial, memory: Memory) -> Trial:
    """The best that comes of a trial: other numbers of states by turns with changes of the dag.

    Merging begins again in the dag that was learned, and one state more and one less are tried
    from it. What scores highest goes on, until nothing scores higher.
    """
    best, how = trial, bench.settings.finish
    for _ in range(WHOLE):
        if best.learned is None:
            return best
        tried = [_led_on(bench, each, how, memory) for each in _rivals(bench, best)]
        better = max(tried, key=lambda each: each.score)
        if better.score <= best.score + NEW:
            return Trial(best.place, best.states, best.merged, best.learned, True)
        best = better
    return best


def _rivals(bench: Bench, best: Trial) -> Iterator[Trial]:
    """The trial itself, and starts near it: other numbers of states, in its dag and in the one in
    which its variable is the only parent of all its neighbours."""
    assert best.learned is not None
    yield Trial(best.place, best.states, best.merged, best.learned)
    dag, name, settings = best.learned.network.dag, best.place.name, bench.settings
    fixed = bool(best.place.asked and best.place.asked.states) or settings.states
    star = starred(dag, name, bench.limits(dag, name)) if settings.finish == FULL else None
    if star is not None and not all(star.children[each] for each in bench.known if each in star):
        star = None  # nothing would speak of a hidden variable that is known
    for begin, fewer in ((dag, 1), (star, 0)):
        if begin is None:
            continue
        again = merged(bench, begin, name)
        if again is None and not bench.mixed:
            continue
        numbers = (best.states,) if fixed else range(best.states - fewer, best.states + 2)
        most = (
            settings.most_states if again is None else min(settings.most_states, again.first_states)
        )
        for k in numbers:
            if 2 <= k <= most and _suits(bench, best.place, k):
                start = _start(bench, again, k, best.place, begin)
                merging = 0 if again is None else again.states
                yield Trial(best.place, k, merging, Learned(start, best.score))


def curve_of(bench: Bench, trial: Trial, again: Agglomeration | None) -> dict[int, float]:
    """By number of states, the score in the dag that was learned, tables alone fitted.

    again  the states merged in that dag
    """
    assert trial.learned is not None
    name = trial.place.name
    found = {trial.states: trial.learned.score}
    most = bench.settings.most_states if bench.mixed else 0 if again is None else again.first_states
    for states in range(2, min(trial.states + 3, most + 1)):
        if states != trial.states and _suits(bench, trial.place, states):
            start = _start(bench, again, states, trial.place, trial.learned.network.dag)
            other = of_tables(bench, start, states_in(bench, start, name))
            if other is not None:
                found[states] = other.score
    return dict(sorted(found.items()))


def _led_on(bench: Bench, trial: Trial, how: str, memory: Memory) -> Trial:
    assert trial.learned is not None
    found = learned(bench, trial.learned.network, trial.place.name, how, WHOLE, memory)
    return Trial(trial.place, trial.states, trial.merged, found, True)


def _start(
    bench: Bench, found: Agglomeration | None, states: int, place: Place, dag: Dag
) -> Network:
    """The network of the cases as completed; states have the names that an expert gave.

    Where no blanket is complete, or fewer states could be merged than are wanted, EM goes a few
    steps from random starts in the dag instead.
    """
    if found is None or states > found.first_states:
        known = {name: each for name, each in bench.known.items() if name in dag}
        unseen = {**known, place.name: _names(place, states)}
        return from_nowhere(bench, dag, unseen, EM(restarts=STARTS, max_steps=STEPS), 0)
    network = found.start(states, bench.prior)
    return renamed(network, Discrete(place.name, _names(place, states)))
