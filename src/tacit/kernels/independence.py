"""Which linear equations follow from others."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Bools, Floats, Ints

FOLLOWS = 1e-9


@njit(cache=True, nogil=True)
def independent(rule_at: Ints, cell_at: Ints, at: Ints, cells: Ints, factors: Floats) -> Bools:
    """Which equations of each block do not follow from those before them.

    Each is made orthogonal to those kept so far, twice; what is left of one that follows is nothing
    but rounding. [Kahan's "twice is enough"; Giraud et al. 2005]

    rule_at  (blocks + 1,)  first equation of each block; cell_at its first cell
    at       (rules + 1,)   where the cells of each equation start
    """
    kept = np.zeros(at.size - 1, dtype=np.bool_)
    most_rules = most_cells = 0
    for block in range(rule_at.size - 1):
        most_rules = max(most_rules, rule_at[block + 1] - rule_at[block])
        most_cells = max(most_cells, cell_at[block + 1] - cell_at[block])
    basis = np.zeros((min(most_rules, most_cells) + 1, most_cells))
    spans = np.zeros((basis.shape[0], 2), dtype=np.int64)
    for block in range(rule_at.size - 1):
        first, size, rank = cell_at[block], cell_at[block + 1] - cell_at[block], 0
        for rule in range(rule_at[block], rule_at[block + 1]):
            before = _written(basis[rank], spans[rank], at, cells, factors, rule, first)
            _made_orthogonal(basis, spans, rank)
            low, high = spans[rank]
            after = np.sqrt((basis[rank, low:high] ** 2).sum())
            if rank < size and after > FOLLOWS * before:
                basis[rank, low:high] /= after
                kept[rule] = True
                rank += 1
    return kept


@njit(cache=True, nogil=True)
def _written(
    line: Floats, span: Ints, at: Ints, cells: Ints, factors: Floats, rule: int, first: int
) -> float:
    """The equation as a line, the span of its cells, and its length."""
    line[:] = 0.0
    span[0], span[1] = line.size, 0
    total = 0.0
    for k in range(at[rule], at[rule + 1]):
        cell = cells[k] - first
        line[cell] = factors[k]
        total += factors[k] * factors[k]
        span[0], span[1] = min(span[0], cell), max(span[1], cell + 1)
    return float(np.sqrt(total))


@njit(cache=True, nogil=True)
def _made_orthogonal(basis: Floats, spans: Ints, rank: int) -> None:
    """Take from line `rank` its parts along those before it; most of them are elsewhere."""
    line, span = basis[rank], spans[rank]
    for _ in range(2):
        for other in range(rank):
            low, high = max(span[0], spans[other, 0]), min(span[1], spans[other, 1])
            along = 0.0
            for cell in range(low, high):
                along += line[cell] * basis[other, cell]
            if along != 0.0:
                for cell in range(spans[other, 0], spans[other, 1]):
                    line[cell] -= along * basis[other, cell]
                span[0], span[1] = min(span[0], spans[other, 0]), max(span[1], spans[other, 1])
