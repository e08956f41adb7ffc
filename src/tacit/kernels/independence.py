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
    for block in range(rule_at.size - 1):
        first, size, rank = cell_at[block], cell_at[block + 1] - cell_at[block], 0
        for rule in range(rule_at[block], rule_at[block + 1]):
            line = basis[rank, :size]
            line[:] = 0.0
            for k in range(at[rule], at[rule + 1]):
                line[cells[k] - first] = factors[k]
            before = np.sqrt((line * line).sum())
            for _ in range(2):
                for other in range(rank):
                    line -= (line * basis[other, :size]).sum() * basis[other, :size]
            after = np.sqrt((line * line).sum())
            if rank < size and after > FOLLOWS * before:
                line /= after
                kept[rule] = True
                rank += 1
    return kept
