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

from tacit.arrays import Bools, Floats, Ints
from tacit.kernels.families import log_gamma

FEW = 6.0
"""Counts up to which Γ(y + n) / Γ(y) is multiplied out."""
LARGE = 1e100


class Cells(NamedTuple):
    """What is known of every cell: its prior for one first state, its sign, and whether it is of
    the hidden variable's own family."""

    alpha: Floats
    sign: Floats
    own: Bools


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
def risen(y: float, count: float, sign: float, logs: Floats) -> float:
    """Add sign · log Γ(y + n) / Γ(y) to what `logs` gathers, or return it if n is not small.

    logs  (2,)  the product of all factors above the line, and of those below
    """
    if count > FEW or count != floor(count):
        return sign * (log_gamma(y + count) - log_gamma(y))
    product = y
    for more in range(1, int(count)):
        product *= y + more
    side = 0 if sign > 0 else 1
    logs[side] *= product
    if 1 / LARGE < logs[side] < LARGE:
        return 0.0
    total = log(logs[0]) - log(logs[1])
    logs[:] = 1.0
    return total


@njit(cache=True, nogil=True)
def worth(pool: Pool, cells: Cells, state: int, weight: float) -> float:
    """What a state's counts are worth if its prior is that of so many first states."""
    total, logs = 0.0, np.ones(2)
    for at in range(pool.start[state], pool.start[state] + pool.size[state]):
        key = pool.keys[at]
        total += risen(weight * cells.alpha[key], pool.counts[at], cells.sign[key], logs)
    return total + log(logs[0]) - log(logs[1])


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
        out[0 if cells.own[key] else 1] += times * cells.sign[key] * count * log(count)


@njit(cache=True, nogil=True)
def scores_along(
    starts: Ints, keys: Ints, counts: Floats, cells: Cells, merged: Ints, scores: Floats
) -> None:
    """What the states are worth after each merge if k of them share the prior evenly.

    cells   with the prior of a single state
    scores  (states,) by k - 1
    """
    pool = make_pool(starts, keys, counts, cells)
    living = np.arange(starts.size - 1)
    for step in range(merged.shape[0] + 1):
        if step:
            one, other = merged[step - 1]
            merge_cells(pool, one, other, living)
            living = left(living, other)
        total = 0.0
        for state in living:
            total += worth(pool, cells, state, 1.0 / living.size)
        scores[living.size - 1] = total
