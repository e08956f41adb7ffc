"""Cliques and strided tables: two primitives do all the work of exact inference.

Potentials are never copied from the tables: a factor of a clique is a base position in the flat
parameters `theta` plus one stride per dimension of the clique. `multiply` takes a strided factor
into a clique, `add` adds a clique into a strided target; the same strides read parameters and write
expected counts.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.trees import Room


@njit(cache=True, nogil=True)
def room_for(cells: int, messages: int, dims: int) -> Room:
    """Work space for the largest clique tree."""
    digits = np.zeros(dims + 1, dtype=np.int64)
    return Room(np.empty(cells), np.empty(messages), np.empty(messages), digits)


@njit(cache=True, nogil=True)
def _next(
    first: int, inner: int, cards: Ints, strides: Ints, at: int, offset: int, digits: Ints
) -> int:
    """Step the dimensions first..inner, the last fastest; the offset of the new digits."""
    for dim in range(inner - 1, first - 1, -1):
        place = dim - first
        digits[place] += 1
        offset += strides[at + place]
        if digits[place] < cards[dim]:
            return offset
        offset -= strides[at + place] * cards[dim]
        digits[place] = 0
    return offset


@njit(cache=True, nogil=True)
def multiply(
    psi: Floats, start: int, cells: int, first: int, last: int, cards: Ints, strides: Ints, at: int,
    values: Floats, base: int, digits: Ints,
) -> None:  # fmt: skip
    """psi[cell] *= values[base + strides · digits(cell)] for the cells from `start` on.

    The clique has the dimensions first..last of `cards`; its strides start at `at`. Single arrays,
    not a program: handing over a tuple of arrays costs more than a small clique.
    """
    inner, count, step = last - 1, 1, 0
    if last > first:
        count, step = cards[inner], strides[at + inner - first]
    cell, offset = start, base
    for _ in range(cells // count):
        for digit in range(count):
            psi[cell + digit] *= values[offset + digit * step]
        cell += count
        offset = _next(first, inner, cards, strides, at, offset, digits)


@njit(cache=True, nogil=True)
def add(
    psi: Floats, start: int, cells: int, first: int, last: int, cards: Ints, strides: Ints, at: int,
    out: Floats, base: int, scale: float, digits: Ints,
) -> None:  # fmt: skip
    """out[base + strides · digits(cell)] += scale * psi[cell] for the cells from `start` on."""
    inner, count, step = last - 1, 1, 0
    if last > first:
        count, step = cards[inner], strides[at + inner - first]
    cell, offset = start, base
    for _ in range(cells // count):
        for digit in range(count):
            out[offset + digit * step] += scale * psi[cell + digit]
        cell += count
        offset = _next(first, inner, cards, strides, at, offset, digits)
