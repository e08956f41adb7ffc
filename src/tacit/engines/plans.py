"""Which families are counted together: several in one small table, summed out afterwards.

A table of up to 256 cells costs one increment per case however many families it covers, and its
positions fit a byte. Covering all families with few such tables makes counting about as fast as
reading the columns. Plans depend on the shape of a problem only and are kept for its next batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import TypeAlias

import numpy as np

from tacit.arrays import Codes, Ints

CELLS = 256
Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Families covered by tables of at most 256 cells.

    groups, columns, strides, keeps  the tables, as `kernels.counting.count_bytes` wants them
    sources, targets  every cell of a table, flat, and the cell of a family that it adds to
    starts            where the cells of each family begin among all targets, and their end
    """

    groups: Ints
    columns: Ints
    strides: Codes
    keeps: Codes
    sources: Ints
    targets: Ints
    starts: Ints


@dataclass(slots=True)
class _Group:
    """Families under one table while the cover is sought."""

    cells: int = 1
    columns: dict[int, None] = field(default_factory=dict)
    families: list[int] = field(default_factory=list)

    def growth(self, family: Shape, places: Shape) -> int:
        return prod(places[column] for column in family if column not in self.columns)

    def add(self, at: int, family: Shape, places: Shape) -> None:
        self.cells *= self.growth(family, places)
        self.columns.update(dict.fromkeys(family))
        self.families.append(at)


def places(states: int, complete: bool) -> int:
    """How many codes a column needs room for in a table of bytes.

    A missing cell is all ones, so keeping just enough low bits of a code gives it a place of its
    own behind the states: the last of the next power of two.
    """
    return states if complete else 1 << states.bit_length()


@lru_cache(maxsize=64)
def plan(families: tuple[Shape, ...], states: Shape, complete: tuple[bool, ...]) -> Plan:
    """A cover of these families, given as positions of columns, each of at most 256 places."""
    rooms = tuple(map(places, states, complete))
    groups = _cover(families, rooms)
    ends = np.cumsum([0, *(prod(states[column] for column in family) for family in families)])
    maps = [
        (at * CELLS + cell, ends[member] + target)
        for at, group in enumerate(groups)
        for member in group.families
        for cell, target in [_summed_out(tuple(group.columns), families[member], states, rooms)]
    ]
    slots = [slot for group in groups for slot in _slots(tuple(group.columns), rooms)]
    keeps = [0xFFFF if complete[column] else (rooms[column] - 1) * 0x0101 for column, _ in slots]
    return Plan(
        groups=np.cumsum([0, *(len(group.columns) + len(group.columns) % 2 for group in groups)]),
        columns=np.array([column for column, _ in slots], dtype=np.int64),
        strides=np.array([stride for _, stride in slots], dtype=np.uint16),
        keeps=np.array(keeps, dtype=np.uint16),
        sources=np.concatenate([source for source, _ in maps]),
        targets=np.concatenate([target for _, target in maps]),
        starts=ends,
    )


def _slots(columns: Shape, rooms: Shape) -> list[tuple[int, int]]:
    """Columns with their strides, in pairs; an odd one is joined by itself, adding nothing."""
    slots = list(zip(columns, _strides(columns, rooms), strict=True))
    return slots if len(slots) % 2 == 0 else [*slots, (columns[-1], 0)]


def _cover(families: Sequence[Shape], rooms: Shape) -> list[_Group]:
    """Largest families first, each into the group it enlarges least, the fullest of those."""
    groups: list[_Group] = []
    for at in sorted(range(len(families)), key=lambda at: -prod(rooms[c] for c in families[at])):
        family, best, least = families[at], None, (CELLS + 1, 0)
        for group in groups:
            growth = group.growth(family, rooms)
            if growth * group.cells <= CELLS and (growth, -group.cells) < least:
                best, least = group, (growth, -group.cells)
        if best is None:
            best = _Group()
            groups.append(best)
        best.add(at, family, rooms)
    return groups


def _strides(columns: Shape, rooms: Shape) -> list[int]:
    """How far apart the codes of each column lie in a table of these columns, the last fastest."""
    return [prod(rooms[other] for other in columns[at + 1 :]) for at in range(len(columns))]


def _summed_out(group: Shape, family: Shape, states: Shape, rooms: Shape) -> tuple[Ints, Ints]:
    """The cells of the group's table that hold complete cases, and the family's cells they are."""
    cells = np.arange(prod(rooms[column] for column in group))
    targets = np.zeros_like(cells)
    known = np.ones(cells.size, dtype=np.bool_)
    strides = dict(zip(group, _strides(group, rooms), strict=True))
    for column in family:
        codes = cells // strides[column] % rooms[column]
        targets = targets * states[column] + codes
        known &= codes < states[column]
    return cells[known], targets[known]
