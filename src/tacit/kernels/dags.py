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
def _most_of_additions(gains: Floats, head: int, arcs: Bools, above: Bools) -> float:
    """The most that an arc to this head gains which closes no cycle."""
    most = -np.inf
    for tail in range(arcs.shape[0]):
        if gains[tail, head] > most and not (arcs[tail, head] or above[head, tail]):
            most = gains[tail, head]
    return most


@njit(cache=True, nogil=True)
def best_addition(
    gains: Floats,
    bounds: Floats,
    arcs: Bools,
    above: Bools,
    full: Bools,
    slack: float,
    marks: Any,
    here: Any,
    visited: Any,
) -> tuple[int, int, float]:
    """(tail, head, gain) of the best arc to add; -1 if there is none.

    bounds  (n,)  no addition to this head that closes no cycle gains more; made smaller
    """
    n = arcs.shape[0]
    best, from_, to = -np.inf, -1, -1
    for head in range(n):
        if bounds[head] <= best + slack or full[head]:
            continue
        bounds[head] = _most_of_additions(gains, head, arcs, above)
        if bounds[head] <= best + slack:
            continue
        for tail in range(n):
            if gains[tail, head] <= best + slack or arcs[tail, head] or tail == head:
                continue
            if not (above[head, tail] or _forbidden(here ^ marks[tail, head], visited)):
                best, from_, to = gains[tail, head], tail, head
    return from_, to, best


@njit(cache=True, nogil=True)
def _some_deletion(gains: Floats, bounds: Floats, arcs: Bools, free: Bools, least: float) -> bool:
    """Whether deleting some arc gains more than `least`; looks at heads whose bound is higher."""
    some = False
    for head in range(arcs.shape[0]):
        if bounds[head] > least:
            bounds[head] = -np.inf
            for tail in range(arcs.shape[0]):
                if arcs[tail, head] and gains[tail, head] > bounds[head] and free[tail, head]:
                    bounds[head] = gains[tail, head]
            some |= bounds[head] > least
    return some


@njit(cache=True, nogil=True)
def best_deletion(
    gains: Floats,
    bounds: Floats,
    arcs: Bools,
    free: Bools,
    slack: float,
    marks: Any,
    here: Any,
    visited: Any,
) -> tuple[int, int, float]:
    """(tail, head, gain) of the best arc to delete; -1 if there is none."""
    n = arcs.shape[0]
    best, from_, to = -np.inf, -1, -1
    for head in range(n):
        if bounds[head] <= best + slack:
            continue
        for tail in range(n):
            if not arcs[tail, head] or gains[tail, head] <= best + slack or not free[tail, head]:
                continue
            if not _forbidden(here ^ marks[tail, head], visited):
                best, from_, to = gains[tail, head], tail, head
    return from_, to, best


@njit(cache=True, nogil=True)
def _some_reversal(
    gains: Floats, bounds: Floats, arcs: Bools, above: Bools, free: Bools, least: float
) -> bool:
    """Whether turning some arc gains more than `least` and closes no cycle, likewise."""
    some = False
    for head in range(arcs.shape[0]):
        if bounds[head] > least:
            bounds[head] = -np.inf
            for tail in range(arcs.shape[0]):
                if not arcs[tail, head] or not free[tail, head]:
                    continue
                gain = gains[tail, head] + gains[head, tail]
                if gain <= bounds[head]:
                    continue
                if gain <= least or legal_reversal(arcs, above, tail, head):
                    bounds[head] = gain
            some |= bounds[head] > least
    return some


@njit(cache=True, nogil=True)
def best_reversal(
    gains: Floats,
    bounds: Floats,
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
    n = arcs.shape[0]
    best, from_, to = -np.inf, -1, -1
    for head in range(n):
        if bounds[head] <= best + slack:
            continue
        for tail in range(n):
            if not arcs[tail, head] or full[tail] or not free[tail, head]:
                continue
            gain, mark = gains[tail, head] + gains[head, tail], marks[tail, head]
            if gain <= best + slack or not legal_reversal(arcs, above, tail, head):
                continue
            if not _forbidden(here ^ mark ^ marks[head, tail], visited):
                best, from_, to = gain, tail, head
    return from_, to, best


@njit(cache=True, nogil=True)
def best_change(
    gains: Floats,
    bounds: Floats,
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
    bounds   (3, n)  no legal addition, deletion or reversal of an arc to this head gains more; made
             smaller where that is found
    above    (n, n)  whether the first is an ancestor of the second
    free     (n, n)  arcs that need not be
    full     (n,)    variables with as many parents as they may have
    slack    gains that differ by less are equal
    marks    (n, n)  random bits of every arc; the bits of a dag's arcs, together, are its mark
    here     the mark of this dag
    visited  the marks of dags not to go to
    """
    verb, tail, head, best = -1, -1, -1, -np.inf
    adding, deleting, turning = bounds[ADD], bounds[DELETE], bounds[REVERSE]
    from_, to, gain = best_addition(gains, adding, arcs, above, full, slack, marks, here, visited)
    if gain > best + slack:
        verb, tail, head, best = ADD, from_, to, gain
    if _some_deletion(gains, deleting, arcs, free, best + slack):
        from_, to, gain = best_deletion(gains, deleting, arcs, free, slack, marks, here, visited)
        if gain > best + slack:
            verb, tail, head, best = DELETE, from_, to, gain
    if _some_reversal(gains, turning, arcs, above, free, best + slack):
        from_, to, gain = best_reversal(
            gains, turning, arcs, above, free, full, slack, marks, here, visited
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
