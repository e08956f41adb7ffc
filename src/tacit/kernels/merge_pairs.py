"""All pairs of states compared, and the best pair merged until one state is left."""

from __future__ import annotations

from math import floor, log
from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Bools, Floats, Ints
from tacit.kernels.merging import (
    FEW,
    Cells,
    Pool,
    left,
    log_risen,
    make_pool,
    merge,
    worth,
)

LARGE = 1e100
"""Products beyond this are written as logarithms."""


class Desk(NamedTuple):
    """Room to compare one state with others.

    here    (cells,)   its counts
    known   (weights,) of which combined weight `alone` is known for it
    alone   (weights,) what it would be worth at that weight
    """

    here: Floats
    known: Bools
    alone: Floats


class Pairs(NamedTuple):
    """The gain of every pair and, per state, its best partner among those after it.

    table    pairs (i, j), i < j, row after row
    living   (states,) those that are left, in order; `many[0]` of them
    """

    table: Floats
    partner: Ints
    best: Floats
    living: Ints
    many: Ints


@njit(cache=True, nogil=True)
def make_desk(cells: int, states: int) -> Desk:
    """For so many cells and first states; a state may be compared with itself."""
    return Desk(np.zeros(cells), np.zeros(2 * states + 1, np.bool_), np.zeros(2 * states + 1))


@njit(cache=True, nogil=True)
def lay_out(pool: Pool, desk: Desk, state: int) -> None:
    """Put a state on the desk."""
    for at in range(pool.start[state], pool.start[state] + pool.size[state]):
        desk.here[pool.keys[at]] = pool.counts[at]


@njit(cache=True, nogil=True)
def clear(pool: Pool, desk: Desk, state: int) -> None:
    """Take it off again."""
    for at in range(pool.start[state], pool.start[state] + pool.size[state]):
        desk.here[pool.keys[at]] = 0.0
    desk.known[:] = False


@njit(cache=True, nogil=True)
def gains(
    pool: Pool, cells: Cells, desk: Desk, grows: bool, one: int, others: Ints, out: Floats
) -> None:
    """What merging the state on the desk with each of others gains.

    Together they are worth what the one is worth at the joint weight, and what the counts of the
    other add: Γ(w a + n + m) / Γ(w a + n) per cell. Products of few factors need one logarithm.
    """
    for line, other in enumerate(others):
        weight = pool.weight[one] + pool.weight[other] if grows else 1
        if not desk.known[weight]:
            desk.alone[weight] = worth(pool, cells, one, float(weight))
            desk.known[weight] = True
        total = desk.alone[weight] - pool.worth[one] - pool.worth[other]
        above, below = 1.0, 1.0
        for at in range(pool.start[other], pool.start[other] + pool.size[other]):
            key, count = pool.keys[at], pool.counts[at]
            y, sign = weight * cells.alpha[key] + desk.here[key], cells.sign[key]
            if count > FEW or count != floor(count) or abs(sign) != 1.0:
                total += sign * log_risen(y, count)
                continue
            product = y
            for more in range(1, int(count)):
                product *= y + more
            if sign > 0:
                above *= product
            else:
                below *= product
            if not (1 / LARGE < above < LARGE and 1 / LARGE < below < LARGE):
                total += log(above) - log(below)
                above, below = 1.0, 1.0
        out[line] = total + log(above / below)


@njit(cache=True, nogil=True)
def place(states: int, one: int, other: int) -> int:
    """Where the table has the pair (one, other), one < other."""
    return one * states - one * (one + 1) // 2 + other - one - 1


@njit(cache=True, nogil=True)
def choose_partner(pairs: Pairs, state: int, tie: float) -> None:
    """The best partner of a state among the living after it; of equals the first."""
    states = pairs.partner.size
    row = place(states, state, state + 1) - state - 1
    best, partner = -np.inf, -1
    for at in range(pairs.many[0] - 1, -1, -1):
        other = pairs.living[at]
        if other <= state:
            break
        found = pairs.table[row + other]
        if found >= best - tie:
            best, partner = (found, other) if found > best else (best, other)
    pairs.best[state], pairs.partner[state] = best, partner


@njit(cache=True, nogil=True)
def make_pairs(pool: Pool, cells: Cells, desk: Desk, grows: bool, most: int, tie: float) -> Pairs:
    """All pairs of the first `most` states."""
    pairs = Pairs(
        np.empty(most * (most - 1) // 2), np.full(most, -1), np.full(most, -np.inf),
        np.arange(most), np.array([most]),
    )  # fmt: skip
    for one in range(most):
        lay_out(pool, desk, one)
        row = pairs.table[place(most, one, one + 1) : place(most, one, most)]
        gains(pool, cells, desk, grows, one, pairs.living[one + 1 :], row)
        clear(pool, desk, one)
        choose_partner(pairs, one, tie)
    return pairs


@njit(cache=True, nogil=True)
def best_pair(pairs: Pairs, tie: float) -> tuple[int, int]:
    """The pair that gains most; of equals the first."""
    one, best = -1, -np.inf
    for at in range(pairs.many[0] - 1, -1, -1):
        state = pairs.living[at]
        if pairs.partner[state] >= 0 and pairs.best[state] >= best - tie:
            best = max(best, pairs.best[state])
            one = state
    return one, pairs.partner[one]


@njit(cache=True, nogil=True)
def renew(
    pool: Pool, cells: Cells, desk: Desk, pairs: Pairs, grows: bool, one: int, gone: int, tie: float
) -> None:
    """The gains of all pairs with a new state, and the partners that change by it."""
    states, living = pairs.partner.size, pairs.living[: pairs.many[0]]
    found = np.empty(living.size)
    lay_out(pool, desk, one)
    gains(pool, cells, desk, grows, one, living, found)
    clear(pool, desk, one)
    for at, state in enumerate(living):
        if state != one:
            pairs.table[place(states, min(state, one), max(state, one))] = found[at]
    for state in living:
        if state >= gone:
            break
        lost = state == one or pairs.partner[state] in (one, gone)
        nearer = state < one and pairs.table[place(states, state, one)] >= pairs.best[state] - tie
        if lost or nearer:
            choose_partner(pairs, state, tie)


@njit(cache=True, nogil=True)
def squeeze(
    pool: Pool, cells: Cells, desk: Desk, grows: bool, most: int, tie: float,
    merged: Ints, gained: Floats,
) -> int:  # fmt: skip
    """Let every state after the first `most` join the one of these where it gains most."""
    states = pool.start.size
    living, found = np.arange(states), np.empty(most)
    for step in range(states - most):
        state = states - 1 - step
        lay_out(pool, desk, state)
        gains(pool, cells, desk, grows, state, living[:most], found)
        clear(pool, desk, state)
        into = int(np.flatnonzero(found >= found.max() - tie)[0])
        merge(pool, cells, grows, into, state, living[: state + 1])
        merged[step, 0], merged[step, 1], gained[step] = into, state, found[into]
    return states - most


@njit(cache=True, nogil=True)
def merge_all(
    starts: Ints, keys: Ints, counts: Floats, cells: Cells, grows: bool, most: int, tie: float,
    merged: Ints, gained: Floats,
) -> None:  # fmt: skip
    """Merge to one state; write which two states became the first of them, and what it gained.

    grows  whether the prior of a merged state is the sum of the two
    most   how many states are compared all with all; the others, which come last, join these first
    merged (states - 1, 2), gained (states - 1,)
    """
    pool = make_pool(starts, keys, counts, cells)
    states = starts.size - 1
    desk = make_desk(cells.alpha.size, states)
    step = 0
    if states > most:
        step = squeeze(pool, cells, desk, grows, most, tie, merged, gained)
    pairs = make_pairs(pool, cells, desk, grows, min(most, states), tie)
    while step < states - 1:
        one, other = best_pair(pairs, tie)
        merged[step, 0], merged[step, 1] = one, other
        gained[step] = pairs.table[place(pairs.partner.size, one, other)]
        merge(pool, cells, grows, one, other, pairs.living[: pairs.many[0]])
        pairs.many[0] = left(pairs.living[: pairs.many[0]], other).size
        renew(pool, cells, desk, pairs, grows, one, other, tie)
        step += 1
