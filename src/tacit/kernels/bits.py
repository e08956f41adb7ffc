"""Counts of cases by sets of bits: one bit per case, one row of bits per state.

The cases in a cell of a table of parents and child are one row of bits; of these, those with a
candidate in one of its states are found 64 at a time. For small tables that takes a tenth of the
time of going from case to case.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit, types
from numba.extending import intrinsic

from tacit.arrays import Floats, Ints
from tacit.kernels.families import score_rows

Words: TypeAlias = npt.NDArray[np.uint64]
TOGETHER = 16
"""Candidates that are counted before the next cases are looked at."""
STRETCH = 512
"""Words of every row that are in use at a time, so that they stay near the processor."""


def _ones_made(typing: Any, word: Any) -> Any:
    del typing, word

    def built(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        del context, signature
        return builder.ctpop(given[0])

    return types.int64(types.uint64), built


_ones: Any = intrinsic(_ones_made)
"""How many bits of a word are set."""


@njit(cache=True, nogil=True)
def _shared(one: Words, other: Words) -> int:
    """How many cases are in both."""
    found = 0
    for at in range(one.size):
        found += _ones(one[at] & other[at])
    return found


@njit(cache=True, nogil=True)
def _split(bits: Words, first: int, states: int, room: Words, many: int) -> int:
    """Divide each of the first sets by the states of one more variable, which runs fastest."""
    for cell in range(many - 1, -1, -1):
        for state in range(states - 1, -1, -1):
            here = room[cell * states + state]
            for word in range(here.size):
                here[word] = room[cell, word] & bits[first + state, word]
    return many * states


@njit(cache=True, nogil=True)
def cells_of(bits: Words, first: Ints, states: Ints, variables: Ints, room: Words) -> Ints:
    """The cases in every cell of a table of these variables, the last fastest; how many in each.

    bits   (rows, words)   the cases in each state
    first  (variables,)    the row of the first state of each variable
    room   (cells, words)  for the answer; its first row holds all cases
    """
    many = 1
    for which in variables:
        many = _split(bits, first[which], states[which], room, many)
    totals = np.zeros(many, np.int64)
    for cell in range(many):
        totals[cell] = _shared(room[cell], room[cell])
    return totals


@njit(cache=True, nogil=True)
def _count(
    bits: Words, first: int, states: int, cells: Words, there: Ints, stretch: Any, out: Ints
) -> None:
    """Add the cases of a stretch of words for all states of a candidate but the last."""
    start, end = stretch
    for state in range(states - 1):
        column = bits[first + state, start:end]
        table = out[state * cells.shape[0] :]
        for at in range(there.size):
            table[there[at]] += _shared(cells[there[at], start:end], column)


@njit(cache=True, nogil=True)
def score_by_bits(
    bits: Words,
    first: Ints,
    states: Ints,
    candidates: Ints,
    cells: Words,
    totals: Ints,
    child_states: int,
    alphas: Floats,
    known: Floats,
    out: Floats,
) -> None:
    """The fit of the child's rows with each candidate as one more parent.

    cells   (cells, words)  the cases in a table of parents x child, child fastest
    totals  (cells,)        how many they are
    alphas, known           as `score_rows` takes them
    """
    size, words, most = totals.size, bits.shape[1], 1
    there = np.flatnonzero(totals)
    for number in range(candidates.size):
        most = max(most, states[candidates[number]])
    tables = np.zeros((TOGETHER, size * most), np.int64)
    for start in range(0, candidates.size, TOGETHER):
        many = min(TOGETHER, candidates.size - start)
        tables[:many] = 0
        for word in range(0, words, STRETCH):
            stretch = (word, min(word + STRETCH, words))
            for at in range(many):
                which = candidates[start + at]
                _count(bits, first[which], states[which], cells, there, stretch, tables[at])
        for at in range(many):
            last = states[candidates[start + at]] - 1
            table = tables[at, : size * (last + 1)]
            table[size * last :] = totals
            for cell in range(size * last):
                table[size * last + cell % size] -= table[cell]
            out[start + at] = score_rows(table, child_states, alphas[start + at], known)
