"""Trials: a hidden variable in some place, with some number of states, learned and scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError
from tacit.core.family import Family
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table
from tacit.learn.fit import fit
from tacit.learn.methods import EM
from tacit.learn.structure.cheeseman_stutz import cheeseman_stutz
from tacit.learn.structure.sem_asking import Said, ask
from tacit.learn.structure.sem_job import PLAIN
from tacit.learn.structure.sem_rounds import opened, round_at
from tacit.learn.structure.sem_running import Course, run_structural_em
from tacit.learn.structure.structural_em import STEPS
from tacit.learn.unseen.agglomerated import Agglomeration
from tacit.learn.unseen.agglomeration import agglomerate
from tacit.learn.unseen.heading import headed
from tacit.learn.unseen.places import Place
from tacit.learn.unseen.sought import FIRST_STATES, LOCAL, PARAMS, Bench, ways_to_name

GLANCE = 1
"""Rounds of structural EM after which the places are compared a first time."""
WHOLE = 50
NEW = 1e-6
"""Nats by which a score is higher, and not another rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A network with hidden variables, and its Cheeseman-Stutz score, the ways to name their
    states counted."""

    network: Network
    score: float


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


@dataclass(slots=True, eq=False)
class Memory:
    """What was learned before, by what was asked; a checkpoint keeps it.

    keep  told of everything new
    """

    learned: dict[str, Learned | None] = field(default_factory=dict)
    keep: Callable[[str, Learned | None], None] | None = None

    def recall(self, question: str, answer: Callable[[], Learned | None]) -> Learned | None:
        """The answer, worked out only the first time."""
        if question not in self.learned:
            found = answer()
            self.learned[question] = found
            if self.keep is not None:
                self.keep(question, found)
        return self.learned[question]


def question_of(start: Network, how: str, rounds: int) -> str:
    """What a piece of work is, in a word: where it begins and what may change."""
    said = sha256(f"{how} {rounds} {start.dag}".encode())
    for name in start:
        family = start[name]
        assert isinstance(family, Table)
        said.update(family.values.tobytes())
    return said.hexdigest()[:32]


def merged(bench: Bench, dag: Dag, name: str) -> Agglomeration | None:
    """The states that merging finds in a dag; None where no case has the whole blanket."""
    try:
        found = agglomerate(bench.completed, dag, name)
    except CasesError:
        return None
    return found if found.first_states > 1 else None


def numbers_to_try(bench: Bench, place: Place, found: Agglomeration) -> tuple[int, ...]:
    """Of states: those that are said, or a few small ones and what merging found."""
    settings = bench.settings
    said = place.asked.states if place.asked and place.asked.states else settings.states
    if said is not None:
        many = said if isinstance(said, int) else len(said)
        return (many,) if many <= found.first_states else ()
    most = min(settings.most_states, found.first_states)
    best = min(found.states, most)
    return tuple(sorted({k for k in (*FIRST_STATES, best) if 2 <= k <= most}))


def glances(bench: Bench, place: Place, memory: Memory) -> list[Trial]:
    """A place with several numbers of states, each learned for a moment, to compare places."""
    found = merged(bench, place.dag, place.name)
    if found is None:
        return []
    return [
        Trial(
            place,
            states,
            found.states,
            learned(bench, _start(bench, found, states, place), place.name, bench.settings.seek,
                    GLANCE, memory),
        )
        for states in numbers_to_try(bench, place, found)
    ]  # fmt: skip


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
    best, how, name = trial, bench.settings.finish, trial.place.name
    fixed = bool(trial.place.asked and trial.place.asked.states) or bench.settings.states
    for _ in range(WHOLE):
        if best.learned is None:
            return best
        again = merged(bench, best.learned.network.dag, name)
        rivals = [Trial(best.place, best.states, best.merged, best.learned)]
        if again is not None:
            most = min(bench.settings.most_states, again.first_states)
            numbers = {best.states} if fixed else {best.states - 1, best.states, best.states + 1}
            rivals += [
                Trial(
                    best.place,
                    k,
                    again.states,
                    Learned(_start(bench, again, k, best.place), best.score),
                )
                for k in sorted(numbers)
                if 2 <= k <= most
            ]
        tried = [_led_on(bench, each, how, memory) for each in rivals]
        better = max(tried, key=lambda each: each.score)
        if better.score <= best.score + NEW:
            return Trial(best.place, best.states, best.merged, best.learned, True)
        best = better
    return best


def curve_of(bench: Bench, trial: Trial) -> dict[int, float]:
    """By number of states, the score in the dag that was learned, tables alone fitted."""
    assert trial.learned is not None
    name, dag = trial.place.name, trial.learned.network.dag
    found = {trial.states: trial.learned.score}
    again = merged(bench, dag, name)
    if again is None:
        return found
    for states in range(2, min(trial.states + 3, again.first_states + 1)):
        if states != trial.states:
            start = _start(bench, again, states, trial.place)
            found[states] = _of_tables(bench, start, states_in(bench, start, name)).score
    return dict(sorted(found.items()))


def _led_on(bench: Bench, trial: Trial, how: str, memory: Memory) -> Trial:
    assert trial.learned is not None
    found = learned(bench, trial.learned.network, trial.place.name, how, WHOLE, memory)
    return Trial(trial.place, trial.states, trial.merged, found, True)


def _start(bench: Bench, found: Agglomeration, states: int, place: Place) -> Network:
    """The network of the cases as completed; states have the names that an expert gave."""
    network = found.start(states, bench.settings.score)
    said = place.asked.states if place.asked else None
    if said is None or isinstance(said, int) or len(said) != states:
        return network
    return renamed(network, Discrete(place.name, said))


def renamed(network: Network, variable: Discrete) -> Network:
    """The network with other names for the states of a variable."""
    variables = {**network.variables, variable.name: variable}
    families = dict[str, Family]()
    for name in network:
        family = network[name]
        assert isinstance(family, Table)
        axes = [variable if each.name == variable.name else each for each in family.variables]
        families[name] = Table(tuple(axes), family.values)
    return Network(network.dag, variables, families)


def learned(
    bench: Bench, start: Network, name: str, how: str, rounds: int, memory: Memory
) -> Learned | None:
    """Structural EM, or EM alone, from a network that has numbers; None if `name` was dropped."""
    states = states_in(bench, start, name)
    question = question_of(start, how, rounds)
    return memory.recall(question, lambda: _learned(bench, start, name, how, rounds, states))


def _learned(
    bench: Bench,
    start: Network,
    name: str,
    how: str,
    rounds: int,
    states: Mapping[str, tuple[str, ...]],
) -> Learned | None:
    if how == PARAMS:
        return _of_tables(bench, start, states)
    asked = ask(bench.cases, _said(bench, start, name, how, states))
    seed = (bench.settings.seed, 0)
    if rounds == GLANCE:
        begin = opened(asked.job, asked.dag, seed, 0, asked.given)
        found = round_at(asked.job, begin.network, asked.job.weights, (*seed, 0)).hypothesis
    else:
        course = Course(asked.dag, 1, rounds, bench.settings.seed, asked.given)
        found = run_structural_em(asked.job, course)[0].best
    return None if name not in found.network else _valued(bench, found.network, found.objective)


def _said(
    bench: Bench, start: Network, name: str, how: str, states: Mapping[str, tuple[str, ...]]
) -> Said:
    """What structural EM is asked."""
    settings = bench.settings
    return Said(
        start, states, bench.spoken(start.dag), settings.score, None, None, PLAIN,
        name if how == LOCAL else None, (), STEPS, settings.threads,
    )  # fmt: skip


def _of_tables(bench: Bench, start: Network, states: Mapping[str, tuple[str, ...]]) -> Learned:
    """The tables alone fitted by EM."""
    settings = bench.settings
    network = fit(
        start, observed(bench, start), hidden=states, knowledge=bench.spoken(start.dag),
        prior=settings.score, method=EM(restarts=1), start="given", seed=settings.seed,
        threads=settings.threads, progress=False,
    ).network  # fmt: skip
    return scored(bench, network)


def observed(bench: Bench, network: Network) -> Dataset:
    """The columns that the network measures."""
    return bench.cases.select([each for each in bench.cases.names if each in network])


def scored(bench: Bench, network: Network) -> Learned:
    """The network with its score."""
    return _valued(bench, network, cheeseman_stutz(network, bench.cases, bench.settings.score))


def _valued(bench: Bench, network: Network, score: float) -> Learned:
    """The network with its Cheeseman-Stutz score, ways to name hidden states counted."""
    hidden = {
        name: len(variable.states)
        for name, variable in network.variables.items()
        if isinstance(variable, Discrete) and name not in bench.cases
    }
    return Learned(network, score + ways_to_name(hidden))


def states_in(bench: Bench, network: Network, name: str) -> dict[str, tuple[str, ...]]:
    """The hidden variables of a network with their states."""
    found = {each: states for each, states in bench.known.items() if each in network}
    variable = network.variables[name]
    assert isinstance(variable, Discrete)
    return {**found, name: variable.states}
