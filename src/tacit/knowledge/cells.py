"""Where the cells of every table lie when all tables stand in one vector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from tacit.arrays import Ints
from tacit.core.variables import Discrete


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """All cells of the tables of a network, numbered table by table, row by row.

    families  parents..., child of every variable with a table
    starts    the first cell of each table; tables that are one share it
    size      how many cells there are
    """

    families: Mapping[str, tuple[Discrete, ...]]
    starts: Mapping[str, int]
    size: int

    @staticmethod
    def of(families: Mapping[str, tuple[Discrete, ...]]) -> Cells:
        """Tables one after the other."""
        starts, at = {}, 0
        for name, axes in families.items():
            starts[name] = at
            at += prod(len(axis.states) for axis in axes)
        return Cells(families, starts, at)

    def rows_of(self, cells: Ints) -> tuple[Ints, Ints]:
        """First cell and length of the row that each of these cells stands in."""
        names = sorted(self.families, key=lambda name: self.starts[name])
        starts = np.array([self.starts[name] for name in names], dtype=np.int64)
        lengths = np.array([len(self.families[name][-1].states) for name in names], dtype=np.int64)
        table = np.searchsorted(starts, cells, side="right") - 1
        start, length = starts[table], lengths[table]
        return start + (cells - start) // length * length, length

    @property
    def declared(self) -> set[str]:
        """The variables whose order of states somebody declared."""
        every = (axis for axes in self.families.values() for axis in axes)
        return {axis.name for axis in every if not axis.inferred_order}

    def block(self, name: str) -> Ints:
        """The cells of one table, shaped parents..., child."""
        shape = tuple(len(axis.states) for axis in self.families[name])
        return np.arange(self.starts[name], self.starts[name] + prod(shape)).reshape(shape)
