"""Elimination one variable at a time, traced back to the best or to a random assignment.

Clique c eliminates its first dimension, by sum or by maximum; its message holds the others.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Bools, Codes, Floats, Ints
from tacit.kernels.careful import fill_carefully, send
from tacit.kernels.cut import Cut, Tree, cut_room, cut_tree
from tacit.kernels.strided import room_for
from tacit.kernels.trees import Program


@njit(cache=True, nogil=True)
def _reduce(p: Program, c: int, psi: Floats, sep: Floats, by_max: bool) -> None:
    """The message of clique c: its first dimension summed out, or its maximum. A clique whose
    first dimension was observed passes everything on."""
    start, cells, messages = p.at[c], p.cells[c], p.sep_cells[c]
    for place in range(messages):
        best = 0.0
        for layer in range(cells // messages):
            value = psi[start + layer * messages + place]
            best = max(best, value) if by_max else best + value
        sep[p.sep_at[c] + place] = best


@njit(cache=True, nogil=True)
def eliminate_all(
    tree: Tree, codes: Codes, by_max: Bools, theta: Floats
) -> tuple[float, Cut, Floats]:
    """Run an elimination with findings; the log of its value, its cut and its potentials."""
    mine = cut_room(tree)
    cells, messages = cut_tree(tree, codes, mine)
    room = room_for(cells, messages, tree.most_dims)
    p, cliques = mine.program, tree.program.cells.size
    log_value = fill_carefully(p, 0, cliques, mine.bases, 0, theta, room)
    for c in range(cliques):
        if log_value == -np.inf:
            break
        first = tree.variables[tree.program.dims[c]]
        _reduce(p, c, room.psi, room.sep, by_max[first])
        log_value += send(p, c, room) if p.parent[c] >= 0 else np.log(room.sep[p.sep_at[c]])
    return log_value, mine, room.psi


@njit(cache=True, nogil=True)
def _layer(tree: Tree, mine: Cut, codes: Codes, assigned: Ints, c: int) -> tuple[int, int]:
    """Where in clique c the cells that agree with the assignment of its later variables start,
    and how far apart they are."""
    p, place, size = tree.program, 0, 1
    for dim in range(p.dims[c + 1] - 1, p.dims[c], -1):
        v = tree.variables[dim]
        if codes[v] < 0:
            place += assigned[v] * size
            size *= p.cards[dim]
    return mine.program.at[c] + place, size


@njit(cache=True, nogil=True)
def trace_best(
    tree: Tree, mine: Cut, codes: Codes, by_max: Bools, psi: Floats, assigned: Ints
) -> None:
    """The assignment that reaches the maximum, last eliminated variable first."""
    for c in range(tree.program.cells.size - 1, -1, -1):
        v = tree.variables[tree.program.dims[c]]
        if codes[v] >= 0 or not by_max[v]:
            continue
        start, size = _layer(tree, mine, codes, assigned, c)
        best = -1.0
        for state in range(tree.program.cards[tree.program.dims[c]]):
            if psi[start + state * size] > best:
                best = psi[start + state * size]
                assigned[v] = state


@njit(cache=True, nogil=True)
def trace_random(
    tree: Tree, mine: Cut, codes: Codes, psi: Floats, uniform: Floats, out: Ints
) -> None:
    """Independent assignments drawn from the posterior, one per row of `out` and `uniform`."""
    for case in range(out.shape[0]):
        for c in range(tree.program.cells.size - 1, -1, -1):
            v = tree.variables[tree.program.dims[c]]
            if codes[v] >= 0:
                out[case, v] = codes[v]
                continue
            start, size = _layer(tree, mine, codes, out[case], c)
            card, total = tree.program.cards[tree.program.dims[c]], 0.0
            for state in range(card):
                total += psi[start + state * size]
            left = uniform[case, v] * total
            for state in range(card):
                chance = psi[start + state * size]
                if chance > 0.0:
                    out[case, v] = state
                    left -= chance
                    if left < 0.0:
                        break
