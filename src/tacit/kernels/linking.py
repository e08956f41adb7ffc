"""Which quantities rules link to each other, and in what order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Bools, Floats, Ints


class Trace(NamedTuple):
    """What following the links between things tells of each thing.

    part    (things,)  the connected part it belongs to, numbered by its first thing
    level   (things,)  how many steps up it is from the lowest level of its part
    order   (things,)  all things, part after part, by levels, each after its `up`
    scale   (things,)  what it is worth of the thing where the part starts, were all links tight
    up      (things,)  the thing it was reached from, -1 where the part starts
    link    (things,)  the link it was reached by
    closed  (things,)  whether links close a ring in the part that starts here
    """

    part: Ints
    level: Ints
    order: Ints
    scale: Floats
    up: Ints
    link: Ints
    closed: Bools


@njit(cache=True, nogil=True)
def trace(near_at: Ints, near: Ints, low: Ints, high: Ints, ratio: Floats, equal: Bools) -> Trace:
    """Follow links low <= ratio · high (equal: =), from the lowest thing of every connected part.

    near_at, near  the links of each thing
    """
    things = near_at.size - 1
    found = Trace(
        np.full(things, -1), np.zeros(things, dtype=np.int64), np.zeros(things, dtype=np.int64),
        np.ones(things), np.full(things, -1), np.full(things, -1), np.zeros(things, dtype=np.bool_),
    )  # fmt: skip
    queue, starts, done = np.empty(things, dtype=np.int64), np.zeros(things, dtype=np.int64), 0
    for thing in range(things):
        if found.part[thing] >= 0:
            continue
        size = _walk(thing, thing, near_at, near, low, high, ratio, equal, found, queue)
        start = thing
        for k in range(size):
            if found.level[queue[k]] < found.level[start]:
                start = queue[k]
        if start != thing:
            for k in range(size):
                found.part[queue[k]] = -1
            _walk(start, thing, near_at, near, low, high, ratio, equal, found, queue)
        part = found.order[done : done + size]
        if found.closed[thing]:  # levels in a ring depend on the way taken
            part[:] = queue[:size]
        else:
            _by_level(queue[:size], found.level, starts, part)
        done += size
    return found


@njit(cache=True, nogil=True)
def _walk(
    start: int, name: int, near_at: Ints, near: Ints, low: Ints, high: Ints, ratio: Floats,
    equal: Bools, found: Trace, queue: Ints,
) -> int:  # fmt: skip
    """Reach everything linked to `start`, in rounds; how many things that is."""
    found.part[start], found.level[start], found.scale[start] = name, 0, 1.0
    found.up[start], found.link[start] = -1, -1
    queue[0], size, k = start, 1, 0
    while k < size:
        here = queue[k]
        k += 1
        for at in range(near_at[here], near_at[here + 1]):
            link = near[at]
            if link == found.link[here]:
                continue
            rising = low[link] == here
            there = high[link] if rising else low[link]
            if found.part[there] >= 0:
                found.closed[name] = True
                continue
            step = 0 if equal[link] else 1
            found.part[there], found.up[there], found.link[there] = name, here, link
            found.level[there] = found.level[here] + (step if rising else -step)
            worth = 1.0 / ratio[link] if rising else ratio[link]
            found.scale[there] = found.scale[here] * worth
            queue[size] = there
            size += 1
    return size


@njit(cache=True, nogil=True)
def _by_level(things: Ints, level: Ints, starts: Ints, out: Ints) -> None:
    """Sort things by their levels 0, 1, ...; those of one level stay in order."""
    starts[: things.size] = 0
    for thing in things:
        starts[level[thing]] += 1
    at = 0
    for k in range(things.size):
        at, starts[k] = at + starts[k], at
    for thing in things:
        out[starts[level[thing]]] = thing
        starts[level[thing]] += 1
