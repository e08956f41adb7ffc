"""The best single change of a dag, and who is whose ancestor after it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from tacit.arrays import Bools, Floats, Ints

ADD, DELETE, REVERSE = 0, 1, 2


@njit(cache=True, nogil=True)
def legal_reversal(arcs: Bools, above: Bools, tail: int, head: int) -> bool:
    """Whether no other path leads from tail to head."""
    for other in range(arcs.shape[0]):
        if arcs[other, head] and other != tail and above[tail, other]:
            return False
    return True


@njit(cache=True, nogil=True)
def _forbidden(mark: Any, visited: Any) -> bool:
    at = 0
    while at < visited.size and visited[at] != mark:
        at += 1
    return bool(at < visited.size)


@njit(cache=True, nogil=True)
def best_addition(
    gains: Floats,
    tops: Floats,
    arcs: Bools,
    above: Bools,
    full: Bools,
    slack: float,
    marks: Any,
    here: Any,
    visited: Any,
) -> tuple[int, int, float]:
    """(tail, head, gain) of the best arc to add; -1 if there is none."""
    n = arcs.shape[0]
    best, from_, to = -np.inf, -1, -1
    for head in range(n):
        if tops[head] <= best + slack or full[head]:
            continue
        for tail in range(n):
            if gains[tail, head] <= best + slack or arcs[tail, head] or tail == head:
                continue
            if not (above[head, tail] or _forbidden(here ^ marks[tail, head], visited)):
                best, from_, to = gains[tail, head], tail, head
    return from_, to, best


@njit(cache=True, nogil=True)
def best_deletion(
    gains: Floats,
    tails: Ints,
    heads: Ints,
    free: Bools,
    slack: float,
    marks: Any,
    here: Any,
    visited: Any,
) -> tuple[int, int, float]:
    """(tail, head, gain) of the best arc to delete; -1 if there is none."""
    best, from_, to = -np.inf, -1, -1
    for at in range(tails.size):
        tail, head = tails[at], heads[at]
        open_ = free[tail, head] and gains[tail, head] > best + slack
        if open_ and not _forbidden(here ^ marks[tail, head], visited):
            best, from_, to = gains[tail, head], tail, head
    return from_, to, best


@njit(cache=True, nogil=True)
def best_reversal(
    gains: Floats,
    tails: Ints,
    heads: Ints,
    arcs: Bools,
    above: Bools,
    free: Bools,
    full: Bools,
    slack: float,
    marks: Any,
    here: Any,
    visited: Any,
) -> tuple[int, int, float]:
    """(tail, head, gain) of the best arc to turn; -1 if there is none."""
    best, from_, to = -np.inf, -1, -1
    for at in range(tails.size):
        tail, head = tails[at], heads[at]
        gain, mark = gains[tail, head] + gains[head, tail], marks[tail, head]
        if gain <= best + slack or full[tail] or not free[tail, head]:
            continue
        if not legal_reversal(arcs, above, tail, head):
            continue
        if not _forbidden(here ^ mark ^ marks[head, tail], visited):
            best, from_, to = gain, tail, head
    return from_, to, best


@njit(cache=True, nogil=True)
def best_change(
    gains: Floats,
    tops: Floats,
    tails: Ints,
    heads: Ints,
    arcs: Bools,
    above: Bools,
    free: Bools,
    full: Bools,
    slack: float,
    marks: Any,
    here: Any,
    visited: Any,
) -> tuple[int, int, int, float]:
    """(verb, tail, head, gain) of the best legal change that leads to no visited dag; verb -1 if
    there is none. Of equal ones the first counts: add, delete, reverse, then head, then tail.

    gains    (n, n)  what adding or deleting the arc [tail, head] gains; -inf where it may not be
    tops     (n,)    no gain of an arc to this head is larger
    tails, heads     the arcs, by head, then tail
    above    (n, n)  whether the first is an ancestor of the second
    free     (n, n)  arcs that need not be
    full     (n,)    variables with as many parents as they may have
    slack    gains that differ by less are equal
    marks    (n, n)  random bits of every arc; the bits of a dag's arcs, together, are its mark
    here     the mark of this dag
    visited  the marks of dags not to go to
    """
    verb, tail, head, best = -1, -1, -1, -np.inf
    from_, to, gain = best_addition(gains, tops, arcs, above, full, slack, marks, here, visited)
    if gain > best + slack:
        verb, tail, head, best = ADD, from_, to, gain
    from_, to, gain = best_deletion(gains, tails, heads, free, slack, marks, here, visited)
    if gain > best + slack:
        verb, tail, head, best = DELETE, from_, to, gain
    from_, to, gain = best_reversal(
        gains, tails, heads, arcs, above, free, full, slack, marks, here, visited
    )
    if gain > best + slack:
        verb, tail, head, best = REVERSE, from_, to, gain
    return verb, tail, head, best


@njit(cache=True, nogil=True)
def add_paths(above: Bools, tail: int, head: int) -> None:
    """Ancestors after the arc from tail to head came."""
    n = above.shape[0]
    for higher in range(n):
        if (higher == tail or above[higher, tail]) and not above[higher, head]:
            for lower in range(n):
                if lower == head or above[head, lower]:
                    above[higher, lower] = True


@njit(cache=True, nogil=True)
def find_paths(arcs: Bools, above: Bools) -> None:
    """Ancestors from scratch, every variable after its parents."""
    n = arcs.shape[0]
    waiting = arcs.sum(axis=0)
    ready = np.empty(n, np.int64)
    below = np.zeros((n, n), np.bool_)  # [lower, higher], so that rows are joined to rows
    last = 0
    for head in np.flatnonzero(waiting == 0):
        ready[last] = head
        last += 1
    first = 0
    while first < last:
        here = ready[first]
        first += 1
        for lower in np.flatnonzero(arcs[here]):
            below[lower] |= below[here]
            below[lower, here] = True
            waiting[lower] -= 1
            if waiting[lower] == 0:
                ready[last] = lower
                last += 1
    above[:, :] = below.T


@njit(cache=True, nogil=True)
def swap_gain(
    rows: Floats,
    outs: Ints,
    head: int,
    above: Bools,
    slack: float,
    here: Any,
    marks: Any,
    visited: Any,
) -> tuple[float, int, int]:
    """(gain, new parent, old parent) of the best legal change of one parent of `head`.

    rows  (parents, n)  what it gains to take n instead of this parent
    """
    best, tail, instead = -np.inf, -1, -1
    for at in range(rows.shape[0]):
        for other in range(rows.shape[1]):
            if rows[at, other] > best + slack and not above[head, other]:
                mark = here ^ marks[outs[at], head] ^ marks[other, head]
                if not _forbidden(mark, visited):
                    best, tail, instead = rows[at, other], other, outs[at]
    return best, tail, instead
