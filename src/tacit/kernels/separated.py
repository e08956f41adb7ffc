"""Moments and constants of rows whose density is a product over cells, Π f_k(θ_k), Σ θ = 1.

F_k(s), what cells k, k+1, ... weigh together when s is left to them, is a function of one number:
from the last cell to the first, each comes from the one after it, and from the first to the last
every node is weighed by how probable it is. Narrow cells come first: what is left then varies
little, and what follows is smooth over so short a way.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.separable import (
    ABOVE,
    COUNT,
    DOTS,
    EDGE,
    FACTS,
    FALLS,
    FIRST,
    GAP,
    HIGH,
    LAST,
    LEAST,
    LEFT,
    LOW,
    MIDDLE,
    NEXT,
    OPEN,
    OWN,
    POINTS,
    REACH,
    RISES,
    SPAN,
    START,
    WIDE,
    A,
    angle,
    around,
    lagrange,
    mirrored,
    peak,
    points,
)

NODES = 32
"""Of a function that is smooth from end to end; pieces between kinks have `FEWER`."""
FEWER = 20
PIECES = 6
MOST = PIECES * FEWER
_FAINT = 1e-16
_DUST = 1e-14
_NEAR = 1e-4
"""So near to where cells can get at all, they get there."""


class Levels(NamedTuple):
    """What is known of F_k, for every k, and room to work in.

    span    (cells, 2)   where what is left lies
    ends    (cells, 2)   the least and the most that can be left; powers (cells, 2) at these
    edges   (cells, PIECES + 1)  between which it is smooth; pieces (cells,) how many of them
    sizes   (cells,)     how many nodes in each piece
    values  (cells, MOST)  log F less its powers, at nodes
    moments (cells, MOST, 4)  of x given s, about its middle, first and second; then of what is left
    way     (cells, MOST, MOST)  from nodes to nodes of the next level, as probabilities
    dots    (3, DOTS)    points of one integral: x, what is left above the least, log weights
    """

    span: Floats
    ends: Floats
    powers: Floats
    edges: Floats
    pieces: Ints
    sizes: Ints
    values: Floats
    moments: Floats
    way: Floats
    dots: Floats
    facts: Floats
    three: Floats


@njit(cache=True, nogil=True)
def room(cells: int) -> Levels:
    """For rows of up to so many cells."""
    return Levels(
        np.zeros((cells, 2)), np.zeros((cells, 2)), np.zeros((cells, 2)),
        np.zeros((cells, PIECES + 1)), np.zeros(cells, np.int64), np.zeros(cells, np.int64),
        np.zeros((cells, MOST)), np.zeros((cells, MOST, 4)), np.zeros((cells, MOST, MOST)),
        np.zeros((3, DOTS)), np.zeros(FACTS), np.zeros(6),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def spans(row: Floats, span: Floats, mass: float) -> None:
    """Where what is left at each level lies, from what cells before and after it can do.

    Deviations of independent cells add as squares; those that stop at a limit add as they are.
    """
    count = row.shape[0]
    stiff, loose = np.zeros((count + 1, 2)), np.zeros((count + 1, 2))
    for k in range(count):
        for side in range(2):
            away = abs(row[k, REACH + side] - row[k, MIDDLE])
            limited = row[k, REACH + side] == row[k, LOW + side]
            stiff[k + 1, side] = stiff[k, side] + (away if limited else 0.0)
            loose[k + 1, side] = loose[k, side] + (0.0 if limited else away**2)
    least, most, after = 0.0, 0.0, 0.0
    low_before, high_before = row[:, LOW].sum(), row[:, HIGH].sum()
    for k in range(count - 1, -1, -1):
        least, most, after = least + row[k, LOW], most + row[k, HIGH], after + row[k, MIDDLE]
        low_before, high_before = low_before - row[k, LOW], high_before - row[k, HIGH]
        low = max(least, mass - high_before)
        high = max(min(most, mass - low_before), low)
        near = _NEAR * (high - low)
        for side in range(2):
            behind = stiff[count, side] - stiff[k, side]
            behind += sqrt(max(loose[count, side] - loose[k, side], 0.0))
            before = stiff[k, 1 - side] + sqrt(loose[k, 1 - side])
            away = min(behind, before)
            span[k, side] = after - away if side == 0 else after + away
        span[k, 0] = low if span[k, 0] < low + near else span[k, 0]
        span[k, 1] = high if span[k, 1] > high - near else span[k, 1]


@njit(cache=True, nogil=True)
def kinks(row: Floats, levels: Levels) -> None:
    """Ends, powers and pieces of every level, from the last cell to the first.

    Sums of limits that cells reach are kinks of what they weigh together.
    """
    count = row.shape[0]
    found, sums = np.zeros(2 * PIECES + 2), np.zeros(4 * PIECES + 4)
    many, least, most, power = 1, 0.0, 0.0, -1.0
    for k in range(count - 1, -1, -1):
        least, most = least + row[k, LOW], most + row[k, HIGH]
        power += 1.0 if row[k, LOW] > 0 else row[k, A]
        start, end = levels.span[k, 0], levels.span[k, 1]
        levels.ends[k, 0], levels.ends[k, 1] = least, most
        levels.powers[k, 0] = power
        levels.powers[k, 1] = count - k - 1.0 if most - end < end - start else 0.0
        size = 0
        for at in range(many):
            for side in range(2):
                if row[k, OPEN + side] != 0.0:
                    sums[size] = found[at] + row[k, LOW + side]
                    size += 1
        many = distinct(sums, size, (start, end), found)
        split(levels, k, found, many)


@njit(cache=True, nogil=True)
def distinct(sums: Floats, size: int, span: tuple[float, float], found: Floats) -> int:
    """Write the sums within a span to `found`, in order, each once; how many."""
    start, end = span
    near = 1e-9 * (end - start)
    for last in range(1, size):
        at, held = last, sums[last]
        while at > 0 and sums[at - 1] > held:
            sums[at] = sums[at - 1]
            at -= 1
        sums[at] = held
    many = 0
    for at in range(size):
        inside = start - near <= sums[at] <= end + near
        if inside and many < found.size and (many == 0 or sums[at] > found[many - 1] + near):
            found[many] = sums[at]
            many += 1
    return many


@njit(cache=True, nogil=True)
def split(levels: Levels, k: int, found: Floats, many: int) -> None:
    """Write the pieces of a level between kinks."""
    start, end = levels.span[k, 0], levels.span[k, 1]
    near = 1e-7 * (end - start)
    pieces = 1
    levels.edges[k, 0] = start
    for at in range(many):
        if start + near < found[at] < end - near and pieces < PIECES:
            levels.edges[k, pieces] = found[at]
            pieces += 1
    levels.edges[k, pieces] = end
    levels.pieces[k] = pieces
    levels.sizes[k] = NODES if pieces == 1 else FEWER


@njit(cache=True, nogil=True)
def integral(row: Floats, levels: Levels, k: int, s: float, guess: Floats) -> int:
    """Points and log weights of F_k(s), in parts between the kinks of what follows; how many.

    guess: where the last integrand of this level had its peak in v, and how wide it was
    """
    facts, after = levels.facts, k + 1
    start, end = s - levels.span[after, 1], s - levels.span[after, 0]
    start = row[k, LOW] if start < row[k, LOW] + _DUST else start
    end = max(row[k, HIGH] if end > row[k, HIGH] - _DUST else end, start)
    facts[LEFT], facts[LEAST] = s, levels.ends[after, 0]
    facts[LAST], facts[COUNT] = 1.0 if k + 2 == row.shape[0] else 0.0, levels.sizes[after]
    facts[RISES], facts[FALLS] = levels.powers[after, 0], levels.powers[after, 1]
    facts[OWN : OWN + 4], facts[NEXT : NEXT + 4] = row[k, :4], row[after, :4]
    count, pieces = 0, levels.pieces[after]
    for piece in range(pieces - 1, -1, -1):
        edges = levels.edges[after, piece], levels.edges[after, piece + 1]
        one = start if piece == pieces - 1 else max(start, s - edges[1])
        other = end if piece == 0 else min(end, s - edges[0])
        if other <= one or (pieces > 1 and other - one < _DUST * s):
            continue
        gap, above = s - other - levels.ends[after, 0], levels.ends[after, 1] - s + one
        facts[START], facts[WIDE] = one, other - one
        facts[GAP] = gap if gap > _DUST else 0.0
        facts[ABOVE] = above if above > _DUST else 0.0
        facts[EDGE], facts[SPAN] = edges[0], edges[1] - edges[0]
        facts[FIRST] = piece * levels.sizes[after]
        around(facts, levels.values[after], levels.three, guess[0], 0.7 * guess[1])
        guess[0], guess[1] = peak(facts, levels.values[after], levels.three)
        count = points(facts, levels.values[after], levels.dots, count, guess[0], guess[1])
    if count == 0:
        levels.dots[0, 0], levels.dots[2, 0] = start, -1e6
        levels.dots[1, 0] = max(s - start - levels.ends[after, 0], 0.0)
    return max(count, 1)


@njit(cache=True, nogil=True)
def summed(logs: Floats) -> float:
    """The log of the integral; the log weights of its points become their probabilities."""
    top = float(logs.max())
    total = 0.0
    for at in range(logs.size):
        logs[at] = exp(logs[at] - top)
        total += logs[at]
    for at in range(logs.size):
        logs[at] /= total
    return top + log(total)


@njit(cache=True, nogil=True)
def told(row: Floats, levels: Levels, k: int, out: Floats, count: int) -> None:
    """The moments of x at a node, and those of what is left."""
    out[:] = 0.0
    for dot in range(count):
        part = levels.dots[2, dot]
        away = levels.dots[0, dot] - row[k, MIDDLE]
        left = levels.ends[k + 1, 0] + levels.dots[1, dot] - row[k + 1, MIDDLE]
        out[0] += part * away
        out[1] += part * away * away
        out[2] += part * left
        out[3] += part * left * left


@njit(cache=True, nogil=True)
def onward(levels: Levels, k: int, out: Floats, count: int) -> None:
    """How probable the nodes of the next level are from a node of this one."""
    pieces, size = levels.pieces[k + 1], levels.sizes[k + 1]
    edges, dots, least = levels.edges[k + 1], levels.dots, levels.ends[k + 1, 0]
    out[: pieces * size] = 0.0
    for dot in range(count):
        if dots[2, dot] < _FAINT:
            continue
        s, piece = least + dots[1, dot], 0
        while piece < pieces - 1 and s > edges[piece + 1]:
            piece += 1
        t = angle(edges[piece], edges[piece + 1] - edges[piece], size, s)
        first = int(t + 1.0) - 3
        parts = lagrange(t - first)
        for one in range(POINTS):
            out[piece * size + mirrored(first + one, size)] += dots[2, dot] * parts[one]
