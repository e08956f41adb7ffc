"""Networks with hidden variables learned and scored, and a memory of them: work is done once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.family import Family
from tacit.core.interrupts import Asked
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table
from tacit.learn.fit import fit
from tacit.learn.methods import EM
from tacit.learn.structure.cheeseman_stutz import cheeseman_stutz
from tacit.learn.structure.confidence import ArcConfidence
from tacit.learn.structure.sem_asking import Said, ask
from tacit.learn.structure.sem_job import PLAIN, STEPS
from tacit.learn.structure.sem_mixed import opened_mixed, round_at_mixed
from tacit.learn.structure.sem_rounds import opened, round_at
from tacit.learn.structure.sem_running import Course, run_structural_em
from tacit.learn.unseen.likely import drawn, led_by_em, likelihood_less_price
from tacit.learn.unseen.sought import LOCAL, PARAMS, Bench, ways_to_name

FIRST_STEPS = 20
"""Of EM before that round: it begins where merging ended."""
NEW = 1e-6
"""Nats by which a score is higher, and not another rounding."""
GLANCE = 1
"""Rounds of structural EM after which the places are compared a first time."""


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A network with hidden variables, and its Cheeseman-Stutz score, or, beside real values, its
    BIC; the ways to name their states counted."""

    network: Network
    score: float


@dataclass(slots=True, eq=False)
class Memory:
    """What was learned before, by what was asked; a checkpoint keeps it.

    keep   told of everything new
    sure   how sure links are, in bootstrap samples
    ended  whether someone asked for the end: work may then have been broken off, and is forgotten
    """

    learned: dict[str, Learned | None] = field(default_factory=dict)
    keep: Callable[[str, Learned | None], None] | None = None
    sure: ArcConfidence | None = None
    keep_sure: Callable[[ArcConfidence], None] | None = None
    ended: Asked = bool

    def recall(self, question: str, answer: Callable[[], Learned | None]) -> Learned | None:
        """The answer, worked out only the first time."""
        if question not in self.learned:
            found = answer()
            if self.ended():
                return found
            self.learned[question] = found
            if self.keep is not None:
                self.keep(question, found)
        return self.learned[question]

    def links(self, answer: Callable[[], ArcConfidence | None]) -> ArcConfidence | None:
        """How sure links are, worked out only the first time."""
        if self.sure is None:
            found = answer()
            if self.ended() or found is None:
                return found
            self.sure = found
            if self.keep_sure is not None:
                self.keep_sure(found)
        return self.sure


def question_of(start: Network, how: str, rounds: int) -> str:
    """What a piece of work is, in a word: where it begins and what may change."""
    said = sha256(f"{how} {rounds} {start.dag}".encode())
    for name in start:
        family = start[name]
        if isinstance(family, Table):
            said.update(family.values.tobytes())
        else:
            said.update(repr(family.to_plain()).encode())
    return said.hexdigest()[:32]


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
        return of_tables(bench, start, states)
    asked = ask(bench.cases, _said(bench, start, name, how, states))
    seed = (bench.settings.seed, 0)
    if rounds == GLANCE:
        first, one = (opened_mixed, round_at_mixed) if bench.mixed else (opened, round_at)
        begin = first(asked.job, asked.dag, seed, 0, asked.given, FIRST_STEPS)
        found = one(asked.job, begin.network, asked.job.weights, (*seed, 0)).hypothesis
    else:
        course = Course(asked.dag, 1, rounds, bench.settings.seed, asked.given)
        found = run_structural_em(asked.job, course)[0].best
    if name not in found.network:
        return None
    return _valued(bench, found.network, found.objective)


def _said(
    bench: Bench, start: Network, name: str, how: str, states: Mapping[str, tuple[str, ...]]
) -> Said:
    """What structural EM is asked."""
    settings = bench.settings
    return Said(
        start, states, bench.spoken(start.dag), settings.score, None, None, PLAIN,
        name if how == LOCAL else None, STEPS, settings.threads,
    )  # fmt: skip


def of_tables(
    bench: Bench, start: Network, states: Mapping[str, tuple[str, ...]]
) -> Learned | None:
    """The parameters alone fitted by EM."""
    settings = bench.settings
    if bench.mixed:
        return scored(bench, led_by_em(bench, start, states))
    network = fit(
        start, observed(bench, start), hidden=states, knowledge=bench.spoken(start.dag),
        prior=bench.prior, method=EM(restarts=1), start="given", seed=settings.seed,
        threads=settings.threads, progress=False,
    ).network  # fmt: skip
    return scored(bench, network)


def from_nowhere(
    bench: Bench, dag: Dag, hidden: Mapping[str, tuple[str, ...]], method: EM, number: int
) -> Network:
    """The dag fitted by EM from random tables of its hidden variables; another number, others."""
    settings = bench.settings
    if bench.mixed:
        return drawn(bench, dag, hidden, method, number)
    seed = int(np.random.SeedSequence([settings.seed, 2, number]).generate_state(1)[0])
    cases = bench.cases.select([name for name in bench.cases.names if name in dag])
    return fit(
        dag, cases, hidden=hidden, knowledge=bench.spoken(dag), prior=bench.prior,
        method=method, seed=seed, threads=settings.threads, progress=False,
    ).network  # fmt: skip


def scored(bench: Bench, network: Network) -> Learned:
    """The network with its score."""
    prior = bench.prior
    if prior is None:
        return _valued(bench, network, likelihood_less_price(bench, network))
    return _valued(bench, network, cheeseman_stutz(network, bench.cases, prior))


def at_best(bench: Bench, network: Network) -> Learned:
    """A network without the variable that is sought, scored at the parameters that score highest:
    beside real values the most likely ones, as those of every trial are."""
    hidden = {each: states for each, states in bench.known.items() if each in network}
    led = led_by_em(bench, network, hidden) if bench.mixed else None
    return scored(bench, network if led is None else led)


def _valued(bench: Bench, network: Network, score: float) -> Learned:
    """The network with its score, ways to name hidden states counted."""
    hidden = {
        name: len(variable.states)
        for name, variable in network.variables.items()
        if isinstance(variable, Discrete) and name not in bench.cases
    }
    return Learned(network, score + ways_to_name(hidden))


def observed(bench: Bench, network: Network) -> Dataset:
    """The columns that the network measures."""
    return bench.cases.select([each for each in bench.cases.names if each in network])


def states_in(bench: Bench, network: Network, name: str) -> dict[str, tuple[str, ...]]:
    """The hidden variables of a network with their states."""
    found = {each: states for each, states in bench.known.items() if each in network}
    variable = network.variables[name]
    assert isinstance(variable, Discrete)
    return {**found, name: variable.states}


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
