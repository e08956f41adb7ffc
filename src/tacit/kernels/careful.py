"""Propagation that cannot underflow: every product is scaled at once.

A clique that takes in a thousand factors, a class with so many features, holds numbers too small
for a float before it is scaled.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.strided import add, multiply
from tacit.kernels.trees import Program, Room


@njit(cache=True, nogil=True)
def rescale(psi: Floats, start: int, cells: int) -> float:
    """Divide the cells from `start` on by the largest; its log, -inf if there is nothing left."""
    top = 0.0
    for cell in range(start, start + cells):
        top = max(top, psi[cell])
    if not top > 0.0:
        return -np.inf
    for cell in range(start, start + cells):
        psi[cell] /= top
    return float(np.log(top))


@njit(cache=True, nogil=True)
def fill_carefully(
    p: Program, low: int, high: int, bases: Ints, base_at: int, theta: Floats, room: Room
) -> float:
    """The product of its factors in every clique, the largest cell 1; the log of what that took."""
    log_scale = 0.0
    for c in range(low, high):
        room.psi[p.at[c] : p.at[c] + p.cells[c]] = 1.0
        for slot in range(p.slots[c], p.slots[c + 1]):
            multiply(
                room.psi, p.at[c], p.cells[c], p.dims[c], p.dims[c + 1], p.cards, p.strides,
                p.slot_strides[slot], theta, bases[base_at + p.slot_local[slot]], room.digits,
            )  # fmt: skip
            log_scale += rescale(room.psi, p.at[c], p.cells[c])
            if log_scale == -np.inf:
                return log_scale
    return log_scale


@njit(cache=True, nogil=True)
def send(p: Program, c: int, room: Room) -> float:
    """Multiply the message of clique c into the clique above; the log of the scale taken out."""
    above = p.parent[c]
    multiply(
        room.psi, p.at[above], p.cells[above], p.dims[above], p.dims[above + 1], p.cards,
        p.strides, p.down[c], room.sep, p.sep_at[c], room.digits,
    )  # fmt: skip
    return rescale(room.psi, p.at[above], p.cells[above])


@njit(cache=True, nogil=True)
def collect_carefully(
    p: Program, low: int, high: int, bases: Ints, base_at: int, theta: Floats, room: Room
) -> float:
    """What `collect` does, scaled after every product."""
    psi, sep = room.psi, room.sep
    log_mass = fill_carefully(p, low, high, bases, base_at, theta, room)
    for c in range(low, high):
        if log_mass == -np.inf:
            return log_mass
        mass = 0.0
        for cell in range(p.at[c], p.at[c] + p.cells[c]):
            mass += psi[cell]
        log_mass += np.log(mass)
        for cell in range(p.at[c], p.at[c] + p.cells[c]):
            psi[cell] /= mass
        if p.parent[c] >= 0:
            sep[p.sep_at[c] : p.sep_at[c] + p.sep_cells[c]] = 0.0
            add(
                psi, p.at[c], p.cells[c], p.dims[c], p.dims[c + 1], p.cards, p.strides, p.up[c],
                sep, p.sep_at[c], 1.0, room.digits,
            )  # fmt: skip
            log_mass += send(p, c, room)
    return log_mass
