"""Exact propagation in clique trees, one context after the other."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.careful import collect_carefully
from tacit.kernels.strided import add, multiply
from tacit.kernels.trees import Program, Room

LEAST_MASS = 1e-200
"""Below this, cells of a clique may have been lost to underflow."""


@njit(cache=True, nogil=True)
def fill(
    p: Program, low: int, high: int, bases: Ints, base_at: int, theta: Floats, room: Room
) -> None:
    """The product of its factors in every clique from low to high."""
    for c in range(low, high):
        room.psi[p.at[c] : p.at[c] + p.cells[c]] = 1.0
        for slot in range(p.slots[c], p.slots[c + 1]):
            base = bases[base_at + p.slot_local[slot]]
            multiply(
                room.psi,
                p.at[c],
                p.cells[c],
                p.dims[c],
                p.dims[c + 1],
                p.cards,
                p.strides,
                p.slot_strides[slot],
                theta,
                base,
                room.digits,
            )


@njit(cache=True, nogil=True)
def collect(
    p: Program, low: int, high: int, bases: Ints, base_at: int, theta: Floats, room: Room
) -> float:
    """Fill the cliques low..high and pass messages to the root; log of the total mass.

    Afterwards each clique holds its factors times the messages from below, scaled to add up to
    one; -inf if the findings are impossible. Where a mass comes near the smallest number there is,
    everything is done again with care.
    """
    fill(p, low, high, bases, base_at, theta, room)
    psi, sep, log_mass = room.psi, room.sep, 0.0
    for c in range(low, high):
        start, stop = p.at[c], p.at[c] + p.cells[c]
        mass = 0.0
        for cell in range(start, stop):
            mass += psi[cell]
        if not mass > LEAST_MASS:
            return collect_carefully(p, low, high, bases, base_at, theta, room)
        log_mass += np.log(mass)
        for cell in range(start, stop):
            psi[cell] /= mass
        above = p.parent[c]
        if above >= 0:
            sep[p.sep_at[c] : p.sep_at[c] + p.sep_cells[c]] = 0.0
            add(
                psi,
                p.at[c],
                p.cells[c],
                p.dims[c],
                p.dims[c + 1],
                p.cards,
                p.strides,
                p.up[c],
                sep,
                p.sep_at[c],
                1.0,
                room.digits,
            )
            multiply(
                psi,
                p.at[above],
                p.cells[above],
                p.dims[above],
                p.dims[above + 1],
                p.cards,
                p.strides,
                p.down[c],
                sep,
                p.sep_at[c],
                room.digits,
            )
    return log_mass


@njit(cache=True, nogil=True)
def distribute(p: Program, low: int, high: int, room: Room) -> None:
    """Pass messages from the root back: each clique becomes its posterior."""
    psi, sep, fresh = room.psi, room.sep, room.fresh
    for c in range(high - 1, low - 1, -1):
        above = p.parent[c]
        if above < 0:
            continue
        first, last = p.sep_at[c], p.sep_at[c] + p.sep_cells[c]
        fresh[first:last] = 0.0
        add(
            psi,
            p.at[above],
            p.cells[above],
            p.dims[above],
            p.dims[above + 1],
            p.cards,
            p.strides,
            p.down[c],
            fresh,
            first,
            1.0,
            room.digits,
        )
        for place in range(first, last):
            fresh[place] = fresh[place] / sep[place] if sep[place] > 0.0 else 0.0
        multiply(
            psi,
            p.at[c],
            p.cells[c],
            p.dims[c],
            p.dims[c + 1],
            p.cards,
            p.strides,
            p.up[c],
            fresh,
            first,
            room.digits,
        )


@njit(cache=True, nogil=True)
def expect(
    p: Program, low: int, high: int, bases: Ints, base_at: int, weight: float, out: Floats,
    room: Room,
) -> None:  # fmt: skip
    """Add weight x the posterior of every factor to its cells of `out`."""
    for c in range(low, high):
        for slot in range(p.slots[c], p.slots[c + 1]):
            base = bases[base_at + p.slot_local[slot]]
            add(
                room.psi,
                p.at[c],
                p.cells[c],
                p.dims[c],
                p.dims[c + 1],
                p.cards,
                p.strides,
                p.slot_strides[slot],
                out,
                base,
                weight,
                room.digits,
            )
