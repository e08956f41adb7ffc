"""The missing parts of cases: connected pieces, and a hash of what surrounds each."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

from tacit.arrays import Codes, Ints

Words: TypeAlias = npt.NDArray[np.uint64]


class Names(NamedTuple):
    """What pieces are recognised by.

    near_at, near  the neighbours of each variable, as ranges
    of_set    (variables, 2)  random words that name a set of missing variables
    of_state  (states, 2)     random words that name an observed state; `state_at` says where those
                              of a variable start
    """

    near_at: Ints
    near: Ints
    of_set: Words
    of_state: Words
    state_at: Ints


class Records(NamedTuple):
    """One line per piece: its case, its lowest variable, its size, two words for the set of its
    variables and two for the set and its surroundings."""

    case: Ints
    first: Ints
    size: Ints
    words: Words


@njit(cache=True, nogil=True)
def components(codes: Codes, names: Names, out: Records) -> int:
    """Write one record per connected piece of missing cells of every case; how many there are.

    codes: (cases, variables), -1 where missing. Sums of random words do not depend on the order in
    which a piece is walked.
    """
    found, mark = 0, np.int64(-1)
    stack = np.empty(codes.shape[1], dtype=np.int64)
    stamp = np.full(codes.shape[1], -1, dtype=np.int64)
    for case in range(codes.shape[0]):
        mark += 1
        lowest = mark
        for start in range(codes.shape[1]):
            if codes[case, start] >= 0 or stamp[start] >= lowest:
                continue
            mark += 1
            size, depth, stack[0] = 0, 1, start
            stamp[start] = mark
            set0 = set1 = around0 = around1 = np.uint64(0)
            while depth:
                depth -= 1
                here = stack[depth]
                size += 1
                set0 += names.of_set[here, 0]
                set1 += names.of_set[here, 1]
                for at in range(names.near_at[here], names.near_at[here + 1]):
                    other = names.near[at]
                    if stamp[other] == mark:
                        continue
                    stamp[other] = mark
                    state = codes[case, other]
                    if state < 0:
                        stack[depth] = other
                        depth += 1
                    else:
                        around0 += names.of_state[names.state_at[other] + state, 0]
                        around1 += names.of_state[names.state_at[other] + state, 1]
            out.case[found], out.first[found], out.size[found] = case, start, size
            out.words[found, 0], out.words[found, 1] = set0, set1
            out.words[found, 2], out.words[found, 3] = set0 + around0, set1 + around1
            found += 1
    return found


@njit(cache=True, nogil=True)
def distinct(words: Words, column: int, example: Ints, which: Ints) -> int:
    """Number the distinct pairs of words in two columns by appearance; how many there are.

    example  receives the first row of each;  which  the number of every row
    """
    size = 16
    while size < 2 * words.shape[0]:
        size *= 2
    table, count = np.full(size, -1, dtype=np.int64), 0
    for row in range(words.shape[0]):
        slot = np.int64(words[row, column] & np.uint64(size - 1))
        while table[slot] >= 0:
            other = example[table[slot]]
            if (
                words[other, column] == words[row, column]
                and words[other, column + 1] == words[row, column + 1]
            ):
                break
            slot = (slot + 1) % size
        if table[slot] < 0:
            table[slot], example[count] = count, row
            count += 1
        which[row] = table[slot]
    return count
