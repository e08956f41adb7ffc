"""What a search for hidden variables is asked: settings, checked, and what all trials share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import lgamma
from typing import Any

import numpy as np

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset, absent
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.estimate.priors import BDeu, Prior
from tacit.estimate.scores.values import AnyScore
from tacit.infer.prediction import predict
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.limits import Limits, limits_of
from tacit.knowledge.mentions import rules_without, states_of
from tacit.knowledge.statements import Rule
from tacit.knowledge.terms import spoken
from tacit.learn.structure.question import without_impossible

PARAMS, LOCAL, FULL, STAGED = "params", "local", "full", "staged"
VARIANTS = (STAGED, LOCAL, FULL, PARAMS)
FIRST_STATES = (2, 3, 4)
"""Numbers of states that every place is tried with, beside the one that merging finds."""


@dataclass(frozen=True, slots=True)
class Named:
    """A hidden variable that an expert fixed: its children, and its states where they are known."""

    name: str
    children: tuple[str, ...]
    states: tuple[str, ...] | int | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """How to look, how much, and when to stop.

    score       the prior that scores dags, by its marginal likelihood; a price on parameters,
                `tc.BIC()`, where columns have real values
    variant     what may change beside the tables, once a variable is in its place
    named       what an expert fixes; put in first
    refused     sets of children that an expert does not want to see
    name        what a variable is called that nobody named
    states      its number of states, if it is known
    most        how many variables are accepted at most
    most_states  of any of them
    tries       places that are tried in each round
    shown       proposals of a round that are worked out
    bootstrap   samples that tell how sure links are; 0: signatures come from the dag alone
    threshold   of signatures among uncertain links
    least       children of a signature at least
    evidence    what a variable must gain, in nats, to be accepted
    restarts    starts of EM at random in the dag of the best proposal of a round
    method      how variables are looked for; None: by signatures
    """

    score: AnyScore = field(default_factory=lambda: BDeu(5))
    variant: str = STAGED
    named: tuple[Named, ...] = ()
    refused: tuple[frozenset[str], ...] = ()
    name: str = "H"
    states: int | None = None
    most: int = 3
    most_states: int = 10
    tries: int = 12
    shown: int = 3
    bootstrap: int = 20
    threshold: float = 0.4
    least: int = 4
    evidence: float = 3.0
    restarts: int = 5
    seed: int = 0
    threads: int | None = None
    method: Any = None

    def describe(self) -> dict[str, Any]:
        """All of it as plain data; what has no bearing on the result is left out."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        plain |= {
            "score": self.score.describe(),
            "named": [[each.name, list(each.children), _plain(each.states)] for each in self.named],
            "refused": [sorted(each) for each in self.refused],
            "method": None if self.method is None else self.method.describe(),
        }
        return {name: value for name, value in plain.items() if name != "threads"}

    @property
    def to_come(self) -> tuple[str, ...]:
        """What fixed variables and those that may be found are called."""
        found = (self.name, *(f"{self.name}{number}" for number in range(2, self.most + 1)))
        return (*(each.name for each in self.named), *found)

    @property
    def seek(self) -> str:
        """What may change while places are compared."""
        return LOCAL if self.variant == STAGED else self.variant

    @property
    def finish(self) -> str:
        """What may change when a proposal is worked out."""
        return FULL if self.variant == STAGED else self.variant


def _plain(states: tuple[str, ...] | int | None) -> list[str] | int | None:
    return list(states) if isinstance(states, tuple) else states


def required_of(named: Sequence[Named]) -> tuple[Rule, ...]:
    """That fixed variables keep their children, as rules."""
    arcs = (f"require {spoken(e.name)} -> {spoken(child)}" for e in named for child in e.children)
    text = "; ".join(arcs)
    return Knowledge.parse(text, "children").rules if text else ()


@dataclass(frozen=True, slots=True, eq=False)
class Bench:
    """What all trials of a round share.

    cases      to learn from, their columns in an order that no name decides
    known      hidden variables that are in already, with their states
    filled     the cases with a column for each of these: its most probable states
    knowledge  all that experts said
    """

    cases: Dataset
    settings: Settings
    knowledge: Knowledge | None
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    filled: Dataset | None = None

    @property
    def completed(self) -> Dataset:
        """The cases with all columns that there are, guessed ones among them."""
        return self.cases if self.filled is None else self.filled

    @property
    def mixed(self) -> bool:
        """Whether some columns have real values."""
        return any(isinstance(each, Continuous) for each in self.cases.variables.values())

    @property
    def prior(self) -> Prior | None:
        """Of the tables; None where likelihood and price score."""
        score = self.settings.score
        return score if isinstance(score, Prior) else None

    def states(self) -> Mapping[str, int]:
        """How many states each variable has that has states."""
        return {
            name: len(variable.states)
            for name, variable in self.completed.variables.items()
            if isinstance(variable, Discrete)
        }

    def spoken(self, dag: Dag) -> Knowledge | None:
        """The rules about variables that are there, and that fixed variables keep their children.

        Rules that name a variable which is still to come wait for it.
        """
        gone = [name for name in self.settings.to_come if name not in dag]
        rules = () if self.knowledge is None else self.knowledge.rules
        kept = list(rules_without(rules, gone))
        kept += required_of([each for each in self.settings.named if each.name in dag])
        return Knowledge(tuple(kept)) if kept else None

    def suits(self, name: str, states: Sequence[str]) -> bool:
        """Whether a hidden variable with these states has all that rules name."""
        rules = () if self.knowledge is None else self.knowledge.rules
        return states_of(rules, name) <= set(states)

    def limits(self, dag: Dag, name: str) -> Limits:
        """What may be of arcs once a variable is added to the dag."""
        return self.limits_of(Dag({**dag.parents, name: ()}))

    def limits_of(self, dag: Dag) -> Limits:
        """What the rules say of arcs, and that nothing with states follows from real values."""
        ruled, kinds = limits_of(self.spoken(dag), dag.names), self.cases.variables
        real = np.array([isinstance(kinds.get(name), Continuous) for name in dag.names])
        return without_impossible(ruled, real)

    def after(self, network: Network, name: str) -> Bench:
        """The bench of the next round, in whose network one more hidden variable stands."""
        variable = network.variables[name]
        assert isinstance(variable, Discrete)
        return replace(self, known={**self.known, name: variable.states}).filled_by(network)

    def filled_by(self, network: Network) -> Bench:
        """The bench with guesses of the hidden variables that stand in the network."""
        known = {each: states for each, states in self.known.items() if each in network}
        filled = guessed(self.cases, network, tuple(known)) if known else None
        return replace(self, known=known, filled=filled)


def guessed(cases: Dataset, network: Network, hidden: Sequence[str]) -> Dataset:
    """The cases with the most probable state of every hidden variable in each."""
    told = predict(network, cases)
    variables, columns = dict(cases.variables), dict(cases.columns)
    for name in hidden:
        variables[name] = network.variables[name]
        columns[name] = np.nan_to_num(told[name]).argmax(axis=1)
    return replace(cases, variables=variables, columns=columns)


def ways_to_name(states: Mapping[str, int]) -> float:
    """ln Π k!: the states of hidden variables have no names, so each of these orders is another
    maximum of the same height, and the Cheeseman-Stutz score sees one. [HV1 section 12]"""
    return sum(lgamma(number + 1) for number in states.values())


def in_own_order(cases: Dataset) -> Dataset:
    """The columns sorted by what stands in them: no name and no order of columns counts.

    States count by where they are first met. Columns that are equal up to the names of their
    states tie, and may then stay as they are.
    """

    def key(name: str) -> tuple[int, bytes]:
        codes = cases[name]
        _, first, number = np.unique(codes, return_index=True, return_inverse=True)
        rank = np.empty_like(first)
        rank[np.argsort(first)] = np.arange(first.size)
        missing = absent(codes)
        met = np.where(missing, -1, rank[number]).astype(np.int32)
        return int(first.size), met.tobytes()

    return cases.select(sorted(cases.names, key=key))
