"""Orders of elimination for sets of variables of a network, worked out on a desk."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.desk import (
    BELOW,
    BESIDE,
    CARD,
    HELD_AT,
    JOINED,
    LINKS,
    MARK,
    MEMBER,
    NUMBER,
    ORDER,
    PLACE,
    QUEUE,
    Desk,
)  # fmt: skip
from tacit.kernels.elimination import Words, greedy
from tacit.kernels.forests import Graph

TRIAL = 500.0
"""What it takes to try one more order, per variable: as much as a run of so many cells."""
MOST_TRIALS = 200
LARGE = 20_000
"""Variables up to which links fit in a table of bits."""


@njit(cache=True, nogil=True)
def eliminate(graph: Graph, desk: Desk, size: int, one_clique: float, effort: float) -> bool:
    """Write an elimination of the members on the desk; False if there is no room for it.

    one_clique  up to so many joint states a tree is not worth it
    effort      how much trying other orders may take, in runs of the tree; below 0 the members are
                not in an order worth trying

    The order in which the members stand is tried first, since it takes next to nothing.
    """
    rows, held, states = desk.rows, desk.held, 1.0
    for place in range(size):
        states *= rows[CARD, place]
        rows[NUMBER, place] = 0
    if states <= one_clique:
        return _complete(rows, held, size)
    cost = np.inf
    if effort >= 0.0:
        if not _as_listed(graph, rows, held, size, 0):
            return False
        cost = _cost(rows, held, size)
        if effort * cost <= TRIAL * size:
            return True
    steps = _strip(graph, rows, held, size)
    if steps < 0 or steps == size:
        return steps == size
    if size - steps > LARGE:
        return _as_listed(graph, rows, held, size, steps)
    found = _by_bits(graph, rows, held, size, steps, effort, cost)
    if found == 0:  # nothing was better than the order at hand
        for place in range(size):
            rows[NUMBER, place] = 0
        return _as_listed(graph, rows, held, size, 0)
    return found > 0


@njit(cache=True, nogil=True)
def _cost(rows: Ints, held: Ints, steps: int) -> float:
    """The cells of the cliques of the first steps."""
    total = 0.0
    for step in range(steps):
        cells = 1.0
        for at in range(rows[HELD_AT, step], rows[HELD_AT, step + 1]):
            cells *= rows[CARD, held[at]]
        total += cells
    return total


@njit(cache=True, nogil=True)
def _complete(rows: Ints, held: Ints, size: int) -> bool:
    """All in one clique."""
    end = 0
    if size * (size + 1) // 2 > held.size:
        return False
    for step in range(size):
        rows[ORDER, step], rows[HELD_AT, step] = step, end
        for place in range(step, size):
            held[end] = place
            end += 1
    rows[HELD_AT, size] = end
    return True


@njit(cache=True, nogil=True)
def _strip(graph: Graph, rows: Ints, held: Ints, size: int) -> int:
    """Eliminate, as long as there are any, variables with one neighbour or none: chains and trees
    are done with. How many; -1 if there is no room.

    NUMBER becomes -1 for those that went.
    """
    waiting, steps, end = 0, 0, 0
    for place in range(size):
        v, links = rows[MEMBER, place], 2 * rows[JOINED, place]
        for at in range(graph.near_at[v], graph.near_at[v + 1]):
            links += rows[PLACE, graph.near[at]] >= 0
        rows[LINKS, place], rows[NUMBER, place] = links, 0
        if links <= 1:
            rows[QUEUE, waiting] = place
            waiting += 1
    while steps < waiting:
        place = rows[QUEUE, steps]
        v = rows[MEMBER, place]
        rows[NUMBER, place], rows[ORDER, steps], rows[HELD_AT, steps] = -1, place, end
        if end + 2 > held.size:
            return -1
        held[end] = place
        end += 1
        for at in range(graph.near_at[v], graph.near_at[v + 1]):
            other = rows[PLACE, graph.near[at]]
            if other >= 0 and rows[NUMBER, other] >= 0:
                held[end] = other
                end += 1
                rows[LINKS, other] -= 1
                if rows[LINKS, other] == 1:
                    rows[QUEUE, waiting] = other
                    waiting += 1
        steps += 1
    rows[HELD_AT, steps] = end
    return steps


@njit(cache=True, nogil=True)
def _linked(graph: Graph, rows: Ints, size: int, left: int) -> Words:
    """Number what is left; who is linked to whom there, as bits. QUEUE lists it."""
    count = 0
    for place in range(size):
        if rows[NUMBER, place] >= 0:
            rows[NUMBER, place], rows[QUEUE, count] = count, place
            count += 1
    words = np.zeros((left + 1, (left + 63) // 64), dtype=np.uint64)
    for number in range(left):
        place = rows[QUEUE, number]
        v = rows[MEMBER, place]
        for at in range(graph.near_at[v], graph.near_at[v + 1]):
            other = rows[PLACE, graph.near[at]]
            if other >= 0 and rows[NUMBER, other] >= 0:
                near = rows[NUMBER, other]
                words[number, near >> 6] |= np.uint64(1) << np.uint64(near & 63)
        for near in range(left if rows[JOINED, place] else 0):
            if near != number and rows[JOINED, rows[QUEUE, near]]:
                words[number, near >> 6] |= np.uint64(1) << np.uint64(near & 63)
    return words


@njit(cache=True, nogil=True)
def set_noise(number: int, noise: Floats) -> None:
    """The same numbers between 1 and 5 every time; ones for numbers 0 and 1."""
    state = np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)
    for v in range(noise.size):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        share = np.float64(state >> np.uint64(11)) / 9007199254740992.0
        noise[v] = np.exp(1.6 * share) if number > 1 else 1.0


@njit(cache=True, nogil=True)
def _by_bits(
    graph: Graph, rows: Ints, held: Ints, size: int, steps: int, effort: float, least: float
) -> int:
    """The best of the greedy orders of what is left; the more it costs, the more are tried.

    Returns 1 if one costs less than `least`, 0 if none does, -1 if there is no room.
    """
    left, begin, found = size - steps, rows[HELD_AT, steps], 0
    words = _linked(graph, rows, size, left)
    cards, late, noise = np.empty(left, np.int64), np.zeros(left, np.bool_), np.empty(left)
    for number in range(left):
        cards[number] = rows[CARD, rows[QUEUE, number]]
    order, at, own = np.empty(left, np.int64), np.empty(left + 1, np.int64), np.empty_like(held)
    number, stripped = 0, _cost(rows, held, steps)
    while number == 0 or number < min(MOST_TRIALS, effort * least / (TRIAL * left)):
        set_noise(number, noise)
        cost = greedy(words.copy(), cards, number == 1, late, noise, order, at, own)
        if cost < 0.0 or begin + at[left] > held.size:
            return -1
        if stripped + cost < least:
            least, found = stripped + cost, 1
            _take(rows, held, begin, steps, order, at, own)
        number += 1
    return found


@njit(cache=True, nogil=True)
def _take(rows: Ints, held: Ints, begin: int, steps: int, order: Ints, at: Ints, own: Ints) -> None:
    """Write an order of what is left behind what is done; QUEUE says who is who."""
    left = order.size
    for place in range(at[left]):
        held[begin + place] = rows[QUEUE, own[place]]
    for step in range(left):
        rows[ORDER, steps + step] = rows[QUEUE, order[step]]
        rows[HELD_AT, steps + step] = begin + at[step]
    rows[HELD_AT, steps + left] = begin + at[left]


@njit(cache=True, nogil=True)
def _as_listed(graph: Graph, rows: Ints, held: Ints, size: int, steps: int) -> bool:
    """Eliminate what is left in the order in which it stands.

    The clique of a variable is what it is linked to later on, and what is left of the cliques in
    which it was the next to go: from rows[BELOW, place] on, each beside the other.
    """
    end = rows[HELD_AT, steps] if steps else 0
    for place in range(size):
        rows[MARK, place] = rows[BELOW, place] = rows[BESIDE, place] = -1
    for place in range(size):
        if rows[NUMBER, place] < 0:
            continue
        begin, up = end, size
        rows[ORDER, steps], rows[HELD_AT, steps], rows[LINKS, place] = place, end, steps
        end = _hold_near(graph, rows, held, end, place, size)
        child = rows[BELOW, place]
        while child >= 0:
            step = rows[LINKS, child]
            for at in range(rows[HELD_AT, step] + 1, rows[HELD_AT, step + 1]):
                end = _hold(rows, held, end, place, held[at])
            child = rows[BESIDE, child]
        if end < 0:
            return False
        steps += 1
        rows[HELD_AT, steps] = end
        for at in range(begin + 1, end):
            up = min(up, held[at])
        if up < size:
            rows[BESIDE, place], rows[BELOW, up] = rows[BELOW, up], place
    return True


@njit(cache=True, nogil=True)
def _hold_near(graph: Graph, rows: Ints, held: Ints, end: int, place: int, size: int) -> int:
    """Begin the clique of a variable with it and what it is linked to; where the clique ends."""
    if end >= held.size:
        return -1
    v, held[end] = rows[MEMBER, place], place
    end += 1
    for at in range(graph.near_at[v], graph.near_at[v + 1]):
        end = _hold(rows, held, end, place, rows[PLACE, graph.near[at]])
    for other in range(size if rows[JOINED, place] else 0):
        if rows[JOINED, other]:
            end = _hold(rows, held, end, place, other)
    return end


@njit(cache=True, nogil=True)
def _hold(rows: Ints, held: Ints, end: int, place: int, other: int) -> int:
    """Add `other` to a clique if it comes later and is not there yet; -1 without room."""
    if end < 0 or other <= place or rows[NUMBER, other] < 0 or rows[MARK, other] == place:
        return end
    if end >= held.size:
        return -1
    rows[MARK, other], held[end] = place, other
    return end + 1
