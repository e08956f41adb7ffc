"""The best dag by dynamic programming over sets of variables (Silander and Myllymäki 2006)."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Floats

BLOCK = 13
"""Sets of so many members are passed over while their scores stay in the cache."""


@njit(cache=True, nogil=True)
def members(some: int) -> int:
    """How many members a set of at most 32 has."""
    pairs = some - ((some >> 1) & 0x55555555)
    fours = (pairs & 0x33333333) + ((pairs >> 2) & 0x33333333)
    return int((((fours + (fours >> 4)) & 0x0F0F0F0F) * 0x01010101 & 0xFFFFFFFF) >> 24)


@njit(cache=True, nogil=True)
def without(some: int, variable: int) -> int:
    """A set as a set of the others of a variable, which it does not have."""
    low = some & ((1 << variable) - 1)
    return low | (some >> (variable + 1) << variable)


@njit(cache=True, nogil=True)
def restrict(local: Floats, needed: int, banned: int, most: int) -> int:
    """Set to -inf the sets that lack a needed or have a banned member or too many; count the rest.

    A score that was not asked for, nan, is such a set too.
    """
    left = 0
    for some in range(local.size):
        if some & banned or some & needed != needed or members(some) > most:
            local[some] = -np.inf
        elif local[some] > -np.inf:
            left += 1
        else:
            local[some] = -np.inf
    return left


@njit(cache=True, nogil=True)
def _raise(best: Floats, step: int) -> None:
    for start in range(0, best.size, 2 * step):
        lower, upper = best[start : start + step], best[start + step : start + 2 * step]
        for at in range(step):
            upper[at] = lower[at] if lower[at] > upper[at] else upper[at]


@njit(cache=True, nogil=True)
def raise_to_best(local: Floats) -> None:
    """Replace the score of every set by the best among its subsets: one member at a time."""
    block = min(local.size, 1 << BLOCK)
    for start in range(0, local.size, block):
        step = 1
        while step < block:
            _raise(local[start : start + block], step)
            step *= 2
    step = block
    while step < local.size:
        _raise(local, step)
        step *= 2


@njit(cache=True, nogil=True)
def best_totals(best: Floats, totals: Floats, start: int, end: int) -> None:
    """The best score of a dag over each set from `start` to `end`, by its best sink.

    best    (n, 2^(n-1))  of each variable with the best parents in each set of the others
    totals  (2^n,)        known below `start`
    """
    for some in range(start, end):
        found = -np.inf
        for variable in range(best.shape[0]):
            if some >> variable & 1:
                rest = some ^ (1 << variable)
                total = totals[rest] + best[variable, without(rest, variable)]
                found = total if total > found else found
        totals[some] = found


@njit(cache=True, nogil=True)
def smallest(best: Floats, within: int, least: float) -> int:
    """The set inside `within` that scores at least so much: fewest members, then lowest ones."""
    found, size = within, members(within)
    some = within
    while some > 0:
        some = (some - 1) & within
        if best[some] >= least:
            many = members(some)
            # of two sets of one size, the one that has the lowest member not in both comes first
            lowest = (some ^ found) & -(some ^ found)
            if many < size or (many == size and some & lowest):
                found, size = some, many
    return found
