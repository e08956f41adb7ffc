"""What rows have in common short of being one: equal cells, equal masses, equal ratios.

A cut parts the states of a row in two: a set and the rest. The row is then a mass of the set, a
distribution inside the set and one inside the rest, which are independent of each other under a
Dirichlet prior. Each of the three may be tied across rows without the others: equal masses (of one
state: a shared cell), and equal ratios. Inside the parts one may cut again.
[Thm 4.7.1, 4.9.1, 4.10.1; parameter domain knowledge 2.0.2, 2.6, 2.8, 2.9]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import log
from typing import TypeAlias

import numpy as np

from tacit.arrays import Floats
from tacit.learn.discovery.partitions import (
    Found,
    Items,
    best_partition,
    worthy,
)
from tacit.learn.discovery.prices import log_choices

States: TypeAlias = tuple[int, ...]

MOST_UNITS = 60
"""Of more rows than this no links are looked for."""
ALL_SETS = 5
"""Of so many states all sets are tried; of more, single states and pairs, which then may grow."""
MOST_PAIRS = 30
"""Of more states than this, single states only."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A tie across rows: `mass`: of a set of states; otherwise the ratios inside it."""

    mass: bool
    states: States
    units: tuple[int, ...]
    gain: float
    sure: float
    price: float


@dataclass(frozen=True, slots=True)
class _Node:
    """Rows and a set of their states in which ties are looked for.

    tied  the mass of the set is the same in all of these rows
    whole the set is all states: rows that are one have been looked for already
    """

    states: States
    units: tuple[int, ...]
    tied: bool = True
    whole: bool = False


@dataclass(frozen=True, slots=True)
class _Choice:
    mass: bool
    states: States
    found: tuple[Found, ...]
    price: float

    @property
    def net(self) -> float:
        return sum(each.sure - each.price for each in self.found) - self.price


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """Rows (units, states) in which ties are looked for, by kinds and threshold."""

    counts: Floats
    alpha: Floats
    masses: bool
    ratios: bool
    least: float

    def cuts(self) -> tuple[Cut, ...]:
        """All ties found, each gaining on those before."""
        units, states = self.counts.shape
        if states < 3 or not 2 <= units <= MOST_UNITS:
            return ()
        found: list[Cut] = []
        nodes = [_Node(tuple(range(states)), tuple(range(units)), whole=True)]
        while nodes:
            node = nodes.pop()
            if len(node.units) < 2 or len(node.states) < 2:
                continue
            choice = self._best(node)
            if choice is None:
                continue
            for each in choice.found:
                cut = self._cut(node, choice, each)
                found.append(cut)
                nodes += self._below(node, cut, found)
            taken = {unit for each in choice.found for unit in each.group}
            left = tuple(u for at, u in enumerate(node.units) if at not in taken)
            nodes.append(replace(node, units=left))
        return tuple(found)

    def _cut(self, node: _Node, choice: _Choice, each: Found) -> Cut:
        units = tuple(node.units[at] for at in each.group)
        cost = each.price + choice.price / len(choice.found)
        return Cut(choice.mass, choice.states, units, each.gain, each.sure, cost)

    def _below(self, node: _Node, cut: Cut, found: list[Cut]) -> Iterator[_Node]:
        """Where to look further in the rows of a cut; a mass that follows from ratios is taken."""
        rest = tuple(state for state in node.states if state not in cut.states)
        if cut.mass:
            yield _Node(cut.states, cut.units)
            yield _Node(rest, cut.units)
            return
        if not rest:
            return
        tied: tuple[int, ...] = ()
        if node.tied and self.masses:
            choice = self._weighed(replace(node, units=cut.units), cut.states, True, 0.0)
            for each in choice.found[:1] if choice.net > self.least else ():
                more = self._cut(replace(node, units=cut.units), choice, each)
                found.append(more)
                tied = more.units
                yield _Node(rest, tied)
        yield _Node(rest, tuple(unit for unit in cut.units if unit not in tied), tied=False)

    def _best(self, node: _Node) -> _Choice | None:
        """The tie that gains most beyond its price, if it gains enough."""
        best = max(
            (self._weighed(node, states, mass) for mass, states in self._candidates(node)),
            key=lambda choice: choice.net,
            default=None,
        )
        if best is not None and best.found and len(node.states) > ALL_SETS:
            best = self._grown(node, best)
        return best if best is not None and best.found and best.net > self.least else None

    def _candidates(self, node: _Node) -> Iterator[tuple[bool, States]]:
        many = len(node.states)
        top = many if many <= ALL_SETS else 2 if many <= MOST_PAIRS else 1
        for states in chain(*(combinations(node.states, size) for size in range(1, top + 1))):
            if self._may(node, True, states) and 2 * len(states) <= many:
                yield True, states
            if self._may(node, False, states):
                yield False, states
        if many > ALL_SETS and self._may(node, False, node.states):
            yield False, node.states

    def _may(self, node: _Node, mass: bool, states: Sequence[int]) -> bool:
        """Whether such a tie can be said of this node, and is not another one in other words."""
        size, many = len(states), len(node.states)
        if mass:
            return self.masses and node.tied and 0 < size < many
        spare = node.whole or (node.tied and many == 2 and self.masses)
        return self.ratios and size > 1 and not (size == many and spare)

    def _weighed(
        self, node: _Node, states: States, mass: bool, price: float | None = None
    ) -> _Choice:
        """The best groups of rows for this tie."""
        items = self._items(node, states, mass)
        if price is None:
            many = len(node.states)
            price = log(2) + log(many) + log_choices(many, len(states))
        found = worthy(items, best_partition(items), self.least)
        return _Choice(mass, states, found, price)

    def _items(self, node: _Node, states: States, mass: bool) -> Items:
        rows = np.ix_(node.units, states)
        counts, alpha, reference = self.counts[rows], self.alpha[rows], np.ones(len(states))
        if mass:
            rest = np.ix_(node.units, [each for each in node.states if each not in states])
            counts = np.stack([counts.sum(axis=1), self.counts[rest].sum(axis=1)], axis=1)
            alpha = np.stack([alpha.sum(axis=1), self.alpha[rest].sum(axis=1)], axis=1)
            reference = np.array([len(states), len(node.states) - len(states)], dtype=np.float64)
        return Items(counts[:, None, :], alpha[:, None, :], reference)

    def _grown(self, node: _Node, best: _Choice) -> _Choice:
        """States added to the set, or taken out of it, as long as that gains."""
        while True:
            inside = set(best.states)
            sets = (
                tuple(sorted(inside ^ {state}))
                for state in node.states
                if self._may(node, best.mass, sorted(inside ^ {state}))
            )
            next_ = max(
                (self._weighed(node, states, best.mass) for states in sets),
                key=lambda choice: choice.net,
                default=best,
            )
            if next_.net <= best.net:
                return best
            best = next_
