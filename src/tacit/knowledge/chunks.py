"""Many linear rows of one shape, and how they become `Rows`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.knowledge.rows import Rows

ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Σ factors · θ[cells[i]] = limit, or <= limit where not `equal`, for every i.

    cells    (rows, length)  in any order, the same cell several times if need be
    factors  (length,)
    sign     -1 where the rule says >= and was turned round
    """

    cells: Ints
    factors: Sequence[float]
    limit: float
    equal: bool
    sign: int = 1


def gathered(chunks: Sequence[Chunk], rule: Sequence[int]) -> tuple[Rows, dict[int, str]]:
    """All rows of all chunks: cells rising and each once, rows that always hold left out.

    rule  the number of the rule of each chunk, rising.
    The second value holds the rules of which something false is left, and what that is.
    """
    count = np.array([chunk.cells.shape[0] for chunk in chunks], dtype=np.int64)
    length = np.array([chunk.cells.shape[1] for chunk in chunks], dtype=np.int64)
    which = np.repeat(np.arange(count.size), count * length)
    within = np.arange(which.size) - _starts(count * length)[:-1][which]
    flat = np.array([each for chunk in chunks for each in chunk.factors], dtype=np.float64)
    factors = flat[_starts(length)[:-1][which] + within % length[which]]
    row = _starts(count)[:-1][which] + within // length[which]
    cells = np.concatenate([np.zeros(0, dtype=np.int64), *(c.cells.ravel() for c in chunks)])
    largest = np.zeros(int(count.sum()))
    np.maximum.at(largest, row, np.abs(factors))
    row, cells, factors = _collected(row, cells, factors)

    limits = np.repeat(np.array([chunk.limit for chunk in chunks], dtype=np.float64), count)
    equal = np.repeat(np.array([chunk.equal for chunk in chunks], dtype=np.bool_), count)
    sign = np.repeat(np.array([chunk.sign for chunk in chunks], dtype=np.int64), count)
    number = np.repeat(np.array(rule, dtype=np.int64), count)
    lengths = np.bincount(row, minlength=limits.size)
    rows = Rows(_starts(lengths), cells, factors, limits, equal, number, sign)
    empty = lengths == 0
    kept = rows.chosen(np.flatnonzero(~empty)) if empty.any() else rows
    false: dict[int, str] = {}
    for one in np.flatnonzero(empty & _broken(limits, equal, largest)).tolist():
        said = "=" if equal[one] else "<=" if sign[one] > 0 else ">="
        left = float(f"{sign[one] * limits[one]:.12g}")
        false.setdefault(int(number[one]), f"0 {said} {left!r}")
    return kept, false


def _starts(lengths: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _collected(row: Ints, cells: Ints, factors: Floats) -> tuple[Ints, Ints, Floats]:
    """Entries by row and cell, like cells added up, those that cancel left out."""
    if not row.size:
        return row, cells, factors
    key = row * (int(cells.max()) + 1) + cells
    if (key[1:] > key[:-1]).all() and factors.all():
        return row, cells, factors
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    total = np.add.reduceat(factors[order], first)
    size = np.add.reduceat(np.abs(factors[order]), first)
    left = np.abs(total) > ROUNDING * size
    chosen = order[first][left]
    return row[chosen], cells[chosen], total[left]


def _broken(limits: Floats, equal: Bools, largest: Floats) -> Bools:
    """Where 0 = limit or 0 <= limit is false, but for the rounding of factors of this size."""
    return np.asarray(np.where(equal, np.abs(limits), -limits) > ROUNDING * largest)
