"""Evidence about a table: how often each configuration of parents and child was seen."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from tacit.arrays import Floats, Ints, readonly
from tacit.core.errors import CasesError, NetworkError, SizeError

DENSE_CELLS = 10_000_000
"""Tables up to this size keep every cell; larger ones only the cells seen (EST section 1.6)."""
ROUNDING = 1e-9
"""How far below zero a count may come out when cases are taken away."""


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
        _check_shapes(self.shape, other.shape)
        return Counts(self.values + other.values)

    def __sub__(self, other: Counts) -> Counts:
        _check_shapes(self.shape, other.shape)
        return Counts(_difference(self.values, other.values))

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

    def seen_rows(self) -> Ints:
        """Which parent configurations were seen, rising."""
        return np.unique(self.at // self.shape[-1])

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
        at, mine, theirs = self._beside(other)
        return SparseCounts(self.shape, at, mine + theirs)

    def __sub__(self, other: SparseCounts) -> SparseCounts:
        at, mine, theirs = self._beside(other)
        values = _difference(mine, theirs)
        return SparseCounts(self.shape, at[values > 0], values[values > 0])

    def __rmul__(self, strength: float) -> SparseCounts:
        return SparseCounts(self.shape, self.at, strength * self.values)

    def _beside(self, other: SparseCounts) -> tuple[Ints, Floats, Floats]:
        """The cells that either has seen, and what each counted in them."""
        _check_shapes(self.shape, other.shape)
        at = np.union1d(self.at, other.at)
        mine, theirs = np.zeros(at.size), np.zeros(at.size)
        mine[np.searchsorted(at, self.at)] = self.values
        theirs[np.searchsorted(at, other.at)] = other.values
        return at, mine, theirs


AnyCounts: TypeAlias = Counts | SparseCounts


def _check_shapes(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    if one != other:
        raise NetworkError(f"counts of the shapes {one} and {other} are not of the same table")


def _difference(before: Floats, taken: Floats) -> Floats:
    """Counts after subtraction: rounding below zero becomes zero, anything more is an error."""
    left = before - taken
    if (left < -ROUNDING * np.maximum(1.0, before)).any():
        raise CasesError(
            f"more cases are taken away than were counted: a count would become {left.min():g}"
        )
    return np.maximum(left, 0.0)
