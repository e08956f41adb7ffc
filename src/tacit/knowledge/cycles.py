"""Cycles of arcs that may not be there: variables on them, and the shortest."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Bools


def cyclic(arcs: Bools) -> Bools:
    """(n,) the variables that remain when those without arcs in, or without arcs out, go first.

    All cycles are among them; there are none if and only if none remains.
    """
    left = np.ones(len(arcs), dtype=np.bool_)
    into, out = arcs.sum(axis=0), arcs.sum(axis=1)
    while (going := left & ((into == 0) | (out == 0))).any():
        left &= ~going
        into = into - arcs[going].sum(axis=0)
        out = out - arcs[:, going].sum(axis=1)
    return left


def shortest_cycle(arcs: Bools) -> tuple[int, ...] | None:
    """The variables on a cycle of the fewest arcs, in its order; None if there is none."""
    inside = cyclic(arcs)
    children = {
        at: np.flatnonzero(arcs[at] & inside).tolist() for at in np.flatnonzero(inside).tolist()
    }
    best: tuple[int, ...] | None = None
    for start in children:
        path = way(children, start, start)
        if path is not None and (best is None or len(path) < len(best)):
            best = path
            if len(best) <= 2:
                break
    return best


def way(children: dict[int, list[int]], start: int, end: int) -> tuple[int, ...] | None:
    """The variables on a shortest way from `start` to `end`, without `end`; at least one arc."""
    before: dict[int, int] = {}
    reached = [start]
    while reached:
        further = []
        for at in reached:
            for to in children.get(at, ()):
                if to in before:
                    continue
                before[to] = at
                if to == end:
                    return _back(before, start, end)
                further.append(to)
        reached = further
    return None


def _back(before: dict[int, int], start: int, end: int) -> tuple[int, ...]:
    path = [before[end]]
    while path[-1] != start:
        path.append(before[path[-1]])
    return tuple(reversed(path))
