"""The probability of an event of few variables: the sum over all their states, at once.

P(event) = Σ over configurations of Π over tables of one cell each. For some thousand configurations
that takes less time than planning does, and so do both derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.estimate.curved.events import Cut, contraction, cut_to
from tacit.knowledge.cells import Cells
from tacit.knowledge.curves import Event

MOST = 4096
"""Configurations up to which an event is enumerated."""


class Summed(Protocol):
    """The probability of an event as a function of all cells."""

    @property
    def cells(self) -> Ints:
        """The cells it depends on, table after table."""
        ...

    def value(self, theta: Floats) -> float:
        """P(event)"""
        ...

    def gradient(self, theta: Floats) -> tuple[float, Floats]:
        """P(event), and its derivative by each of `cells`."""
        ...

    def hessian(self, theta: Floats) -> Floats:
        """The second derivatives by each two of `cells`."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Enumeration:
    """places[t, c]: which of `cells` table t contributes to configuration c.

    pairs  (entries,) for each two tables and each configuration, the entry of the second
           derivatives that the product of all other tables is added to
    """

    cells: Ints
    places: Ints
    pairs: Ints

    @staticmethod
    def of(cut: Cut) -> Enumeration:
        """All configurations of the variables of these tables."""
        shape = tuple(cut.sizes[v] for v in sorted(cut.sizes))
        places, start = [], 0
        for table, scope in zip(cut.tables, cut.scopes, strict=True):
            order = np.argsort(scope)
            own = (start + np.arange(table.size)).reshape(table.shape).transpose(order)
            axes = [v if v in scope else -1 for v in range(len(shape))]
            wide = own.reshape([shape[v] if v >= 0 else 1 for v in axes])
            places.append(np.broadcast_to(wide, shape).ravel())
            start += table.size
        chosen = np.stack(places)
        pairs = [chosen[i] * start + chosen[j] for i, j in _pairs(len(chosen))]
        return Enumeration(cut.cells, chosen, np.concatenate([np.zeros(0, dtype=np.int64), *pairs]))

    def value(self, theta: Floats) -> float:
        """P(event)"""
        return float(theta[self.cells][self.places].prod(axis=0).sum())

    def gradient(self, theta: Floats) -> tuple[float, Floats]:
        """P(event), and its derivative by each of `cells`."""
        held = theta[self.cells][self.places]
        before, behind = _before(held), _before(held[::-1])[::-1]
        slopes = np.bincount(self.places.ravel(), (before * behind).ravel(), self.cells.size)
        return float((before[-1] * held[-1]).sum()), np.asarray(slopes)

    def hessian(self, theta: Floats) -> Floats:
        """The second derivatives by each two of `cells`; those within one table are 0."""
        held = theta[self.cells][self.places]
        before, behind = _before(held), _before(held[::-1])[::-1]
        size, rest = self.cells.size, []
        for i in range(len(held)):
            between = before[i]
            for j in range(i + 1, len(held)):
                rest.append(between * behind[j])
                between = between * held[j]
        if not rest:
            return np.zeros((size, size))
        found = np.bincount(self.pairs, np.concatenate(rest), size * size).reshape(size, size)
        return np.asarray(found + found.T)


def _before(held: Floats) -> Floats:
    """The product of all lines before each."""
    return np.concatenate([np.ones((1, held.shape[1])), np.cumprod(held[:-1], axis=0)])


def _pairs(count: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(count) for j in range(i + 1, count)]


def summed(cells: Cells, dag: Dag, event: Event) -> Summed:
    """The event enumerated if it has few configurations, else by contractions; an error that
    names what makes it too wide, if it is."""
    cut, planned = cut_to(cells, dag, event), contraction(cells, dag, event)
    many = prod(cut.sizes.values()) * len(cut.tables) ** 2 > MOST * 64
    return planned if many else Enumeration.of(cut)
