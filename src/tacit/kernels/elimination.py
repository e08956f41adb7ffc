"""Greedy orders of elimination on sets of bits."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

from tacit.arrays import Bools, Floats, Ints

Words: TypeAlias = npt.NDArray[np.uint64]


@njit(cache=True, nogil=True)
def bits(word: np.uint64) -> int:
    """How many bits are set."""
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    fours = np.uint64(0x3333333333333333)
    fours = (pairs & fours) + ((pairs >> np.uint64(2)) & fours)
    bytes_ = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((bytes_ * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, nogil=True)
def _elements(rows: Words, v: int, out: Ints) -> int:
    """The positions of the bits that are set in a row, rising; how many."""
    count = 0
    for at in range(rows.shape[1]):
        word = rows[v, at]
        while word:
            low = word & (~word + np.uint64(1))
            out[count] = 64 * at + bits(low - np.uint64(1))
            count += 1
            word ^= low
    return count


@njit(cache=True, nogil=True)
def _measure(rows: Words, v: int, cards: Ints, near: Ints) -> tuple[int, float]:
    """How many links among the neighbours of v are missing, and the cells of its clique."""
    count, weight, linked = _elements(rows, v, near), float(cards[v]), 0
    for at in range(count):
        u = near[at]
        weight *= cards[u]
        for word in range(rows.shape[1]):
            linked += bits(rows[v, word] & rows[u, word])
    return (count * (count - 1) - linked) // 2, weight


@njit(cache=True, nogil=True)
def _join(rows: Words, v: int, near: Ints, count: int, touched: int) -> None:
    """Take v out and link its neighbours; the row `touched` marks the variables whose price may
    have changed."""
    for word in range(rows.shape[1]):
        rows[touched, word] = rows[v, word]
    for at in range(count):
        u, new = near[at], False
        own = np.uint64(1) << np.uint64(u & 63)
        rows[u, v >> 6] ^= np.uint64(1) << np.uint64(v & 63)
        rows[u, u >> 6] |= own
        for word in range(rows.shape[1]):
            new |= rows[v, word] & ~rows[u, word] != 0
            rows[u, word] |= rows[v, word]
        rows[u, u >> 6] ^= own
        if new:
            for word in range(rows.shape[1]):
                rows[touched, word] |= rows[u, word]


@njit(cache=True, nogil=True)
def _cheapest(alive: Bools, late: Bools, price: Floats, weight: Floats) -> int:
    best = -1
    for v in range(alive.size):
        if not alive[v]:
            continue
        if best < 0 or late[v] != late[best]:
            better = best < 0 or late[best]
        elif price[v] != price[best]:
            better = price[v] < price[best]
        else:
            better = weight[v] < weight[best]
        if better:
            best = v
    return best


@njit(cache=True, nogil=True)
def greedy(
    rows: Words, cards: Ints, by_weight: bool, late: Bools, noise: Floats, order: Ints, at: Ints,
    held: Ints,
) -> float:  # fmt: skip
    """Eliminate always the variable that costs least; the cells of all cliques, -1 if `held` is
    too short for them.

    rows    (variables + 1, words)  who is linked to whom, as bits; it is used up
    late    the variables that must go last
    noise   by which the cost of each is multiplied, to find other orders
    order   (variables,) receives the order; at, held the clique of each step, its variable first

    The cost is the number of links that elimination adds, or the cells of the clique; no cost at
    all if no link is missing, since no order does better. Ties go to the smaller clique.
    """
    size = cards.size
    alive = np.ones(size, np.bool_)
    near, other = np.empty(size, np.int64), np.empty(size, np.int64)
    price, weight = np.empty(size), np.empty(size)
    for v in range(size):
        fill, weight[v] = _measure(rows, v, cards, near)
        price[v] = min(fill, 1) * weight[v] * noise[v] if by_weight else fill * noise[v]
    cost, end = 0.0, 0
    for step in range(size):
        v = _cheapest(alive, late, price, weight)
        alive[v], order[step], at[step] = False, v, end
        cost += weight[v]
        count = _elements(rows, v, near)
        if end + count + 1 > held.size:
            return -1.0
        held[end] = v
        for each in range(count):
            held[end + 1 + each] = near[each]
        end += count + 1
        _join(rows, v, near, count, size)
        for each in range(_elements(rows, size, near)):
            u = near[each]
            fill, weight[u] = _measure(rows, u, cards, other)
            price[u] = min(fill, 1) * weight[u] * noise[u] if by_weight else fill * noise[u]
    at[size] = end
    return cost
