"""Tables with shared rows as chains that read one parent after the other.

P(child | parents) = values[row of the configuration]: the row is found by reading the parents one
after the other and remembering what still matters, Y_i = next(Y_{i-1}, parent i), and the child
depends on what is remembered before the last parent, and on that parent. The Y are further
variables with tables of zeros and ones. Any question about the network has the same answer; a tree
of a few leaves over dozens of parents needs neither a table nor a clique of all of them. (Boutilier
et al. 1996; the tables are those of a decision diagram, Bryant 1986)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from tacit.arrays import Codes, Ints
from tacit.core.errors import SizeError
from tacit.core.variables import Discrete
from tacit.families.shared import SharedRows
from tacit.families.table import Table
from tacit.families.tree_table import TreeTable

FEW_CELLS = 4_096
"""Tables up to this size are written out."""
WORTH = 4
"""A table is read parent by parent if that takes so many times fewer cells."""
MANY_CELLS = 2**16
"""Tables beyond this size are read parent by parent if that takes fewer cells at all."""

Steps: TypeAlias = tuple[Ints, ...]
"""Per parent (what is remembered, states of the parent) what is remembered then."""


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """One family taken apart.

    parents  in the order of reading, by their number among the parents of the family
    links    the names of Y_1, ..., Y_{n-1}
    """

    family: SharedRows
    parents: tuple[int, ...]
    links: tuple[str, ...]
    steps: Steps

    def variables(self) -> dict[str, Discrete]:
        """The links as variables; their states are numbers."""
        return {
            name: Discrete(name, tuple(map(str, range(int(step.max()) + 1))))
            for name, step in zip(self.links, self.steps, strict=False)
        }

    def tables(self) -> Iterator[Table]:
        """The tables of the links, then of the child."""
        own, before = self.variables(), tuple[Discrete, ...]()
        for name, step, parent in zip(self.links, self.steps, self.parents, strict=False):
            after = own[name]
            shown = np.eye(len(after.states))[step]
            axes = (*before, self.family.variables[parent], after)
            yield Table(axes, shown if before else shown[0])
            before = (after,)
        axes = (*before, self.family.variables[self.parents[-1]], self.family.variables[-1])
        values = self.family.values[self.steps[-1]]
        yield Table(axes, values if before else values[0])


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A reader in numbers: positions in a layout."""

    parents: tuple[int, ...]
    own: tuple[int, ...]
    steps: Steps

    def settle(self, codes: Codes) -> None:
        """Fill in what is remembered as far as the parents are known from the first on: in every
        case (cases, variables)."""
        known = np.ones(len(codes), dtype=np.bool_)
        state = np.zeros(len(codes), dtype=np.int64)
        for parent, own, step in zip(self.parents, self.own, self.steps, strict=False):
            known &= codes[:, parent] >= 0
            state = step[state, np.maximum(codes[:, parent], 0)]
            codes[known, own] = state[known]


def readers_of(families: Mapping[str, SharedRows], taken: set[str]) -> tuple[Reader, ...]:
    """Readers of those of these families that are too large to be written out."""
    found = []
    for name, family in families.items():
        steps = order = None
        if prod(len(variable.states) for variable in family.variables) > FEW_CELLS:
            order = _order(family)
            steps = _reading(family, order)
        if steps is not None and order is not None and len(order) > 1 and _pays(family, steps):
            links = tuple(_fresh(f"{name} up to {family.parents[at]}", taken) for at in order[:-1])
            found.append(Reader(family, tuple(order), links, steps))
    return tuple(found)


def _reading(family: SharedRows, order: Sequence[int]) -> Steps | None:
    """How it is read; None where too much had to be remembered, and its table is to be written."""
    try:
        return family.reading(order)
    except SizeError:
        return None


def _order(family: SharedRows) -> list[int]:
    """The parents as the tree asks for them, then those that it does not ask for."""
    first = family.tree.used if isinstance(family, TreeTable) else ()
    return list(dict.fromkeys([*first, *range(len(family.parents))]))


def _pays(family: SharedRows, steps: Steps) -> bool:
    whole = prod(len(variable.states) for variable in family.variables)
    cells = sum(step.size * (int(step.max()) + 1) for step in steps[:-1])
    cells += steps[-1].size * family.values.shape[1]
    return int(cells) * (1 if whole > MANY_CELLS else WORTH) < whole


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    taken.add(name)
    return name


def readings_in(places: Mapping[str, int], readers: Sequence[Reader]) -> tuple[Reading, ...]:
    """The readers by position."""
    return tuple(
        Reading(
            tuple(places[reader.family.parents[at]] for at in reader.parents),
            tuple(places[name] for name in reader.links),
            reader.steps,
        )
        for reader in readers
    )
