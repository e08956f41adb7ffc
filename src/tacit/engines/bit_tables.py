"""Complete cases as sets of bits, for tables that are small enough to be counted so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tacit.arrays import Bools, Codes, Ints

Words: TypeAlias = npt.NDArray[np.uint64]
MOST_STATES = 64
"""Variables with more states have no bits."""
MOST_CELLS = 1_024
MOST_WORDS = 8_000_000
"""Of the cells of a table, together."""
WORTH = 256
"""Pairs of a cell with cases and a state, up to which counting bits is faster than cases."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cases in every cell of a table, the last variable fastest.

    words   (cells, words)
    totals  (cells,)  how many they are
    """

    words: Words
    totals: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Bits:
    """Which cases show a state: a row of bits for each state of each variable.

    words  (rows, words)  case 64 w + b is bit b of word w
    first  (variables,)   the row of the first state; -1 of a variable with too many
    """

    words: Words
    first: Ints
    states: Ints
    cases: int

    @staticmethod
    def of(codes: Codes, states: Ints) -> Bits:
        """Of codes (variables, cases), none of them missing."""
        has = states <= MOST_STATES
        ends = np.cumsum(np.where(has, states, 0))
        first = np.where(has, ends - states, -1)
        cases = codes.shape[1]
        rows = np.zeros((int(ends[-1]) if ends.size else 0, -(-cases // 64) * 8), dtype=np.uint8)
        for variable in np.flatnonzero(has):
            for state in range(int(states[variable])):
                packed = np.packbits(codes[variable] == state, bitorder="little")
                rows[first[variable] + state, : packed.size] = packed
        return Bits(rows.view(np.uint64), first, states, cases)

    def cells(self, variables: Sequence[int]) -> Cells | None:
        """The cases by what these variables show; None if there are too many cells for bits."""
        from tacit.kernels.bits import cells_of

        many = prod(int(self.states[each]) for each in variables)
        words = self.words.shape[1]
        if many > MOST_CELLS or many * words > MOST_WORDS:
            return None
        if any(self.first[each] < 0 for each in variables):
            return None
        room = np.empty((many, words), dtype=np.uint64)
        if words:
            room[0] = ~np.uint64(0)
            room[0, -1] >>= np.uint64(64 * words - self.cases)
        asked = np.array(variables, dtype=np.int64)
        return Cells(room, cells_of(self.words, self.first, self.states, asked, room))

    def worth(self, cells: Cells, candidates: Ints) -> Bools:
        """Which candidates are counted faster so than case by case."""
        pairs = np.count_nonzero(cells.totals) * (self.states[candidates] - 1)
        return np.asarray((self.first[candidates] >= 0) & (pairs <= WORTH))
