"""Alarm with one of its inner variables hidden, and how far a number of states is from the truth.

[Elidan 2004, section 5.4; HV1 X5.3]
"""

from __future__ import annotations

from collections.abc import Iterable

from tacit.core.dataset import Dataset
from tacit.core.independence import markov_blanket
from tacit.core.network import Network
from tacit.infer.sampling import sample
from tacit.io.textbook import textbook
from tacit.learn.unseen.merging import TableWeights

EXACT, FEWER, MORE, COLLAPSED, OTHER = KINDS = (
    "exact", "one fewer", "one more", "collapsed", "other",
)  # fmt: skip


def weights(kind: str, *strengths: float) -> tuple[TableWeights, ...]:
    """One way to lay out a prior, with these strengths."""
    return tuple(TableWeights(kind, strength) for strength in strengths)


def alarm_cases(cases: int, seed: int) -> Dataset:
    """So many cases of all variables; they depend on the seed alone."""
    return sample(textbook("alarm"), cases, seed=seed)


def unseen(data: Dataset, *hidden: str) -> Dataset:
    """The cases without the columns of hidden variables."""
    return data.select([name for name in data.names if name not in hidden])


def inner(network: Network) -> tuple[str, ...]:
    """The variables with a child and at least two variables in the blanket. [erratum E38]"""
    dag = network.dag
    return tuple(
        name for name in dag.names if dag.children[name] and len(markov_blanket(dag, name)) > 1
    )


def states_of(network: Network, name: str) -> int:
    """How many states a variable has."""
    family = network[name]
    variable = family.variables[-1]
    return len(getattr(variable, "states", ()))


def deviation(states: int, true: int) -> str:
    """One of `KINDS`; one state is a collapse, also of a variable that has two."""
    if states == 1:
        return COLLAPSED
    return {0: EXACT, -1: FEWER, 1: MORE}.get(states - true, OTHER)


def tally(found: Iterable[str]) -> dict[str, int]:
    """How many there are of every kind."""
    each = list(found)
    return {kind: each.count(kind) for kind in KINDS}
