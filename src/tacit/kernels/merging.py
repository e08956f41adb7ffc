"""States of a hidden variable merged pair by pair, the best pair first.

A state is a list of cells with counts; cells that it lacks count nothing. What a state is worth is
the sum over its cells of sign · log Γ(w a + n) / Γ(w a), where n is the count, a the prior of the
cell for one state, and w how many of the first states it holds. A merge adds counts and w, so its
gain knows the two states alone, and is kept in a table of pairs until one of them is gone.
"""

from __future__ import annotations

from math import floor, log
from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.families import log_gamma

FEW = 6.0
"""Counts up to which Γ(y + n) / Γ(y) is multiplied out."""
TALLIED = 100
"""Counts up to which cells with the same prior are priced together."""


class Cells(NamedTuple):
    """What is known of every cell.

    alpha  its prior in one first state
    sign   how often log Γ(w a + n) / Γ(w a) counts: 1 in a cell, -1 in a row; where rows and cells
           are of the same configurations, they are one, with the sum of their signs
    sides  (cells, 2)  the part of the sign that is of the hidden variable's own family, and the
           part that is of its children
    group  which cells have the same prior
    """

    alpha: Floats
    sign: Floats
    sides: Floats
    group: Ints


class Pool(NamedTuple):
    """The states: the cells of `state` are `keys[start[state] : start[state] + size[state]]`, in
    order; `free[0]` is where room begins.

    worth   what the state is worth by itself
    weight  how many of the first states it holds
    """

    keys: Ints
    counts: Floats
    start: Ints
    size: Ints
    weight: Ints
    worth: Floats
    free: Ints


@njit(cache=True, nogil=True)
def make_pool(starts: Ints, keys: Ints, counts: Floats, cells: Cells) -> Pool:
    """The first states, with room for those that come of them."""
    states = starts.size - 1
    room = 2 * keys.size + 1
    pool = Pool(
        np.empty(room, np.int64), np.empty(room), starts[:-1].copy(), np.diff(starts),
        np.ones(states, np.int64), np.zeros(states), np.array([keys.size]),
    )  # fmt: skip
    pool.keys[: keys.size] = keys
    pool.counts[: keys.size] = counts
    for state in range(states):
        pool.worth[state] = worth(pool, cells, state, 1.0)
    return pool


@njit(cache=True, nogil=True)
def log_risen(y: float, count: float) -> float:
    """log Γ(y + n) / Γ(y)."""
    if count > FEW or count != floor(count):
        return log_gamma(y + count) - log_gamma(y)
    product = y
    for more in range(1, int(count)):
        product *= y + more
    return log(product)


@njit(cache=True, nogil=True)
def worth(pool: Pool, cells: Cells, state: int, weight: float) -> float:
    """What a state's counts are worth if its prior is that of so many first states."""
    total = 0.0
    for at in range(pool.start[state], pool.start[state] + pool.size[state]):
        key = pool.keys[at]
        total += cells.sign[key] * log_risen(weight * cells.alpha[key], pool.counts[at])
    return total


@njit(cache=True, nogil=True)
def compact(pool: Pool, living: Ints) -> None:
    """Move the cells of the living together; a merge never has more than its two states had."""
    old_keys, old_counts = pool.keys.copy(), pool.counts.copy()
    to = 0
    for state in living:
        first, size = pool.start[state], pool.size[state]
        pool.keys[to : to + size] = old_keys[first : first + size]
        pool.counts[to : to + size] = old_counts[first : first + size]
        pool.start[state] = to
        to += size
    pool.free[0] = to


@njit(cache=True, nogil=True)
def join(pool: Pool, one: int, other: int) -> None:
    """Write the cells of two states together, in order, and let `one` be that."""
    a, b, to = pool.start[one], pool.start[other], pool.free[0]
    a_end, b_end, begin = a + pool.size[one], b + pool.size[other], to
    while a < a_end or b < b_end:
        if b == b_end or (a < a_end and pool.keys[a] < pool.keys[b]):
            pool.keys[to], pool.counts[to] = pool.keys[a], pool.counts[a]
            a += 1
        elif a == a_end or pool.keys[b] < pool.keys[a]:
            pool.keys[to], pool.counts[to] = pool.keys[b], pool.counts[b]
            b += 1
        else:
            pool.keys[to], pool.counts[to] = pool.keys[a], pool.counts[a] + pool.counts[b]
            a, b = a + 1, b + 1
        to += 1
    pool.start[one], pool.size[one], pool.free[0] = begin, to - begin, to


@njit(cache=True, nogil=True)
def merge_cells(pool: Pool, one: int, other: int, living: Ints) -> None:
    """Let `one` be both states; `living` are all that are left, both among them."""
    if pool.free[0] + pool.size[one] + pool.size[other] > pool.keys.size:
        compact(pool, living)
    join(pool, one, other)
    pool.weight[one] += pool.weight[other]


@njit(cache=True, nogil=True)
def merge(pool: Pool, cells: Cells, grows: bool, one: int, other: int, living: Ints) -> None:
    """The same, and what the new state is worth."""
    merge_cells(pool, one, other, living)
    pool.worth[one] = worth(pool, cells, one, float(pool.weight[one]) if grows else 1.0)


@njit(cache=True, nogil=True)
def left(living: Ints, gone: int) -> Ints:
    """All but one of the living, in the same memory."""
    to = 0
    for state in living:
        if state != gone:
            living[to] = state
            to += 1
    return living[:to]


@njit(cache=True, nogil=True)
def likelihood_changes(
    starts: Ints, keys: Ints, counts: Floats, cells: Cells, merged: Ints, changes: Floats
) -> None:
    """Per merge, how the greatest log-likelihood of the own family and of the children changes.

    changes (states - 1, 2)
    """
    pool = make_pool(starts, keys, counts, cells)
    living = np.arange(starts.size - 1)
    for step in range(merged.shape[0]):
        one, other = merged[step]
        add_likelihood(pool, cells, one, -1.0, changes[step])
        add_likelihood(pool, cells, other, -1.0, changes[step])
        merge_cells(pool, one, other, living)
        living = left(living, other)
        add_likelihood(pool, cells, one, 1.0, changes[step])


@njit(cache=True, nogil=True)
def add_likelihood(pool: Pool, cells: Cells, state: int, times: float, out: Floats) -> None:
    """Add what a state's cells say, n log n by their sign, to that of their side."""
    for at in range(pool.start[state], pool.start[state] + pool.size[state]):
        key, count = pool.keys[at], pool.counts[at]
        for side in range(2):
            out[side] += times * cells.sides[key, side] * count * log(count)


@njit(cache=True, nogil=True)
def tally(pool: Pool, cells: Cells, state: int, times: float, seen: Floats) -> bool:
    """Add the signs of a state's cells to those of the same prior and count; whether it has cells
    with counts that are not counted so: large ones, and parts."""
    more = False
    for at in range(pool.start[state], pool.start[state] + pool.size[state]):
        key, count = pool.keys[at], pool.counts[at]
        if count < seen.shape[1] and count == floor(count):
            seen[cells.group[key], int(count)] += times * cells.sign[key]
        else:
            more = True
    return more


@njit(cache=True, nogil=True)
def tallied(alphas: Floats, seen: Floats) -> float:
    """What all cells that were tallied are worth."""
    total = 0.0
    for group in range(alphas.size):
        rise = 0.0
        for count in range(1, seen.shape[1]):
            rise += log(alphas[group] + count - 1.0)
            total += seen[group, count] * rise
    return total


@njit(cache=True, nogil=True)
def scores_along(
    starts: Ints, keys: Ints, counts: Floats, cells: Cells, alphas: Floats, merged: Ints,
    scores: Floats,
) -> None:  # fmt: skip
    """What the states are worth after each merge if k of them share the prior evenly.

    alphas  (groups,) the prior of the cells of each group, were there a single state
    scores  (states,) by k - 1
    """
    pool = make_pool(starts, keys, counts, cells)
    living = np.arange(starts.size - 1)
    seen = np.zeros((alphas.size, TALLIED + 1))
    more = np.zeros(living.size, np.bool_)
    for state in living:
        more[state] = tally(pool, cells, int(state), 1.0, seen)
    for step in range(merged.shape[0] + 1):
        if step:
            one, other = merged[step - 1]
            tally(pool, cells, one, -1.0, seen)
            tally(pool, cells, other, -1.0, seen)
            merge_cells(pool, one, other, living)
            living = left(living, other)
            more[one] = tally(pool, cells, one, 1.0, seen)
        total = tallied(alphas / living.size, seen)
        for state in living:
            if more[state]:
                total += untallied(pool, cells, alphas, int(state), living.size)
        scores[living.size - 1] = total


@njit(cache=True, nogil=True)
def untallied(pool: Pool, cells: Cells, alphas: Floats, state: int, states: int) -> float:
    """What those cells of a state are worth that were not tallied."""
    total = 0.0
    for at in range(pool.start[state], pool.start[state] + pool.size[state]):
        key, count = pool.keys[at], pool.counts[at]
        if count > TALLIED or count != floor(count):
            total += cells.sign[key] * log_risen(alphas[cells.group[key]] / states, count)
    return total
