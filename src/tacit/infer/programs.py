"""Clique trees written out as the flat arrays that the propagation kernels run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tacit.infer.cliques import CliqueTree

if TYPE_CHECKING:
    from tacit.kernels.trees import Program


@dataclass(frozen=True, slots=True)
class Factor:
    """A table cut down to the variables that are open: {variable: stride}, read from some base."""

    strides: Mapping[int, int]


@dataclass(slots=True)
class ProgramBuilder:
    """Collects clique trees, one kind after the other."""

    kinds: list[int] = field(default_factory=lambda: [0])
    dims: list[int] = field(default_factory=lambda: [0])
    cards: list[int] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    slots: list[int] = field(default_factory=lambda: [0])
    slot_strides: list[int] = field(default_factory=list)
    slot_local: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    sep_at: list[int] = field(default_factory=list)
    sep_cells: list[int] = field(default_factory=list)
    up: list[int] = field(default_factory=list)
    down: list[int] = field(default_factory=list)
    strides: list[int] = field(default_factory=list)
    largest: list[int] = field(default_factory=lambda: [1, 1, 1])

    def add(self, tree: CliqueTree, factors: Sequence[Factor], cards: Sequence[int]) -> int:
        """Append one kind; its number. Each factor goes to the first clique that covers it."""
        homes = assign(tree, [frozenset(factor.strides) for factor in factors])
        first, cells, messages = len(self.cells), 0, 0
        for number, clique in enumerate(tree.cliques):
            sizes = [cards[v] for v in clique]
            self.cards += sizes
            self.dims.append(len(self.cards))
            self.cells.append(prod(sizes))
            self.at.append(cells)
            cells += self.cells[-1]
            for local in homes[number]:
                self.slot_strides.append(len(self.strides))
                self.slot_local.append(local)
                self.strides += [factors[local].strides.get(v, 0) for v in clique]
            self.slots.append(len(self.slot_local))
            messages += self._add_separator(tree, number, first, messages, cards)
            self.largest[2] = max(self.largest[2], len(clique))
        self.kinds.append(len(self.cells))
        self.largest[0] = max(self.largest[0], cells)
        self.largest[1] = max(self.largest[1], messages)
        return len(self.kinds) - 2

    def _add_separator(
        self, tree: CliqueTree, number: int, first: int, at: int, cards: Sequence[int]
    ) -> int:
        above, clique = tree.parents[number], tree.cliques[number]
        shared = [v for v in clique if above >= 0 and v in tree.cliques[above]]
        size, strides = 1, {}
        for v in reversed(shared):
            strides[v] = size
            size *= cards[v]
        self.parent.append(first + above if above >= 0 else -1)
        self.sep_at.append(at)
        self.sep_cells.append(size)
        self.up.append(len(self.strides))
        self.strides += [strides.get(v, 0) for v in clique]
        self.down.append(len(self.strides))
        if above >= 0:
            self.strides += [strides.get(v, 0) for v in tree.cliques[above]]
        return size

    def program(self) -> Program:
        """The arrays."""
        from tacit.kernels.trees import Program

        return Program(*(np.array(getattr(self, name), dtype=np.int64) for name in Program._fields))

    def work(self) -> tuple[int, int, int]:
        """Cells, messages and dimensions of the largest kind: what one worker needs."""
        cells, messages, dims = self.largest
        return cells, messages, dims


def assign(tree: CliqueTree, scopes: Sequence[frozenset[int]]) -> list[list[int]]:
    """For every clique the scopes it takes; a scope of no variables goes to the root."""
    last = len(tree.cliques) - 1
    holding: dict[int, list[int]] = {}
    for number, clique in enumerate(tree.cliques):
        for v in clique:
            holding.setdefault(v, []).append(number)
    inside = [frozenset(clique) for clique in tree.cliques]
    homes: list[list[int]] = [[] for _ in tree.cliques]
    for local, scope in enumerate(scopes):
        if scope:
            rarest = min(scope, key=lambda v: len(holding[v]))
            home = next(number for number in holding[rarest] if scope <= inside[number])
        else:
            home = last
        homes[home].append(local)
    return homes
