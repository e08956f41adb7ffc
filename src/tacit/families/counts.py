"""Evidence about a table: how often each configuration of parents and child was seen."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from tacit.arrays import Floats, Ints, readonly
from tacit.core.errors import CasesError, SizeError

DENSE_CELLS = 10_000_000
"""Tables up to this size keep every cell; larger ones only the cells seen (EST section 1.6)."""
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Evidence about one table: N(parents, child), the child on the last axis."""

    values: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", readonly(self.values))

    @property
    def shape(self) -> tuple[int, ...]:
        """States of the parents..., states of the child."""
        return self.values.shape

    @property
    def total(self) -> float:
        """The weight of all cases counted."""
        return float(self.values.sum())

    def rows(self) -> Floats:
        """One line per parent configuration."""
        return self.values.reshape(-1, self.values.shape[-1])

    def dense(self) -> Counts:
        """Itself: every cell is kept."""
        return self

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.values + other.values)

    def __sub__(self, other: Counts) -> Counts:
        return Counts(_not_negative(self.values - other.values))

    def __rmul__(self, strength: float) -> Counts:
        return Counts(strength * self.values)


@dataclass(frozen=True, slots=True, eq=False)
class SparseCounts:
    """Evidence about a table too large to keep whole: the cells that were seen, and no others.

    at      positions of those cells in the flattened table, rising
    values  the weight in each of them
    """

    shape: tuple[int, ...]
    at: Ints
    values: Floats

    @property
    def total(self) -> float:
        """The weight of all cases counted."""
        return float(self.values.sum())

    def rows(self) -> Floats:
        """One line per parent configuration that was seen; the others hold only zeros."""
        row, child = np.divmod(self.at, self.shape[-1])
        seen, place = np.unique(row, return_inverse=True)
        rows = np.zeros((seen.size, self.shape[-1]))
        rows[place, child] = self.values
        return rows

    def dense(self) -> Counts:
        """Every cell, where that is not beyond reason; a network needs the whole table."""
        size = prod(self.shape)
        if size > 20 * DENSE_CELLS:
            shape = " x ".join(map(str, self.shape))
            raise SizeError(
                f"a table of {shape} = {size:,} cells is too large to keep whole"
                "\n\nremove parents, or merge states with tc.discretise"
            )
        values = np.zeros(size)
        values[self.at] = self.values
        return Counts(values.reshape(self.shape))

    def __add__(self, other: SparseCounts) -> SparseCounts:
        at, place = np.unique(np.concatenate([self.at, other.at]), return_inverse=True)
        added = np.bincount(place, np.concatenate([self.values, other.values]), at.size)
        return SparseCounts(self.shape, at, np.asarray(added, dtype=np.float64))

    def __sub__(self, other: SparseCounts) -> SparseCounts:
        left = self + (-1.0) * other
        values = _not_negative(left.values)
        kept = values > 0
        return SparseCounts(self.shape, left.at[kept], values[kept])

    def __rmul__(self, strength: float) -> SparseCounts:
        return SparseCounts(self.shape, self.at, strength * self.values)


AnyCounts: TypeAlias = Counts | SparseCounts


def _not_negative(difference: Floats) -> Floats:
    """Counts after subtraction: rounding below zero becomes zero, anything more is an error."""
    if difference.size and difference.min() < -ROUNDING:
        raise CasesError(
            "more cases are taken away than were counted: "
            f"a count would become {difference.min():g}"
        )
    return np.maximum(difference, 0.0)
