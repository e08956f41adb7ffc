"""Rules as numbers: linear rows over the cells of all tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Σ factors · θ[cells] = limit, or <= limit where not `equal`; one after the other.

    at      (rows + 1,) where the cells of each row start
    cells   (entries,)  rising within a row, each once, no factor zero
    rule    (rows,)     the number of the rule each row comes from
    sign    (rows,)     -1 where the row was written as >= and turned round, else 1
    """

    at: Ints
    cells: Ints
    factors: Floats
    limits: Floats
    equal: Bools
    rule: Ints
    sign: Ints

    def __len__(self) -> int:
        return int(self.limits.size)

    def values(self, theta: Floats) -> Floats:
        """Σ factors · θ of every row."""
        products = self.factors * theta[self.cells]
        return np.asarray(np.bincount(self.owner, products, minlength=len(self)), dtype=np.float64)

    @property
    def owner(self) -> Ints:
        """(entries,) the row that each entry belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.at))

    def excess(self, theta: Floats) -> Floats:
        """How far each row is from holding: 0 where it holds."""
        over = self.values(theta) - self.limits
        return np.asarray(np.where(self.equal, np.abs(over), np.maximum(over, 0.0)))

    def moved(self, by: int) -> Rows:
        """The same rows over cells that are numbered so much higher."""
        return replace(self, cells=self.cells + by)

    def chosen(self, which: Ints) -> Rows:
        """These rows alone, in this order."""
        lengths = np.diff(self.at)[which]
        at = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        entries = np.repeat(self.at[which] - at[:-1], lengths) + np.arange(at[-1])
        return Rows(
            at, self.cells[entries], self.factors[entries], self.limits[which],
            self.equal[which], self.rule[which], self.sign[which],
        )  # fmt: skip


def stacked(parts: Sequence[Rows]) -> Rows:
    """All rows, one part after the other."""
    entries = np.cumsum([0, *(part.cells.size for part in parts)])
    starts = [part.at[:-1] + first for part, first in zip(parts, entries, strict=False)]
    return Rows(
        np.concatenate([*starts, entries[-1:]]).astype(np.int64),
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("cells", "factors", "limits", "equal", "rule", "sign")
        ),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Proportions:
    """Lists of cells that are multiples of each other: θ[lists[i]] ∝ θ[lists[0]].

    lists  (lists, length)  aligned: column j holds cells that play the same part
    rule   the number of the rule it comes from
    """

    lists: Ints
    rule: int


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """θ[left[0]] · θ[left[1]] <= θ[right[0]] · θ[right[1]], row by row: product synergy."""

    left: Ints
    right: Ints
    rule: int
