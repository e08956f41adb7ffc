"""Rows whose density is a product over cells, one after another: moments and constants."""

from __future__ import annotations

from math import cos, log, pi, sqrt
from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.reaches import arranged
from tacit.kernels.separable import HIGH, LOW, MIDDLE
from tacit.kernels.separated import (
    MOST,
    Levels,
    integral,
    kinks,
    onward,
    room,
    spans,
    summed,
    told,
)


class Tables(NamedTuple):
    """The distribution of every cell given what is left to it, at the nodes of its level.

    sums   (cells, MOST, DOTS)  probabilities up to each point; sizes (cells, MOST) how many points
    places (cells, MOST, DOTS)  where it lies, 0 at the least and 1 at the most that x can be
    """

    sums: Floats
    places: Floats
    sizes: Ints


@njit(cache=True, nogil=True)
def node(levels: Levels, k: int, at: int) -> float:
    """The place of one node."""
    size = levels.sizes[k]
    low, high = levels.edges[k, at // size], levels.edges[k, at // size + 1]
    away = cos(pi * (at % size + 0.5) / size)
    return float(0.5 * (low + high) - 0.5 * (high - low) * away)


@njit(cache=True, nogil=True)
def nodes_of(levels: Levels, k: int) -> int:
    """How many nodes a level has; the first has one, the mass of the row."""
    return 1 if k == 0 else levels.sizes[k] * levels.pieces[k]


@njit(cache=True, nogil=True)
def climbed(row: Floats, levels: Levels, mass: float, tables: Tables) -> float:
    """All levels of a row, from the last cell to the first; the log of the constant."""
    spans(row, levels.span, mass)
    kinks(row, levels)
    guess, total = np.zeros(2), 0.0
    for k in range(row.shape[0] - 2, -1, -1):
        guess[0], guess[1] = 0.0, 1.0
        for at in range(nodes_of(levels, k)):
            s = mass if k == 0 else node(levels, k, at)
            count = integral(row, levels, k, s, guess)
            total = summed(levels.dots[2, :count])
            less = 0.0
            if k > 0 and levels.powers[k, 0] != 0.0:
                less += levels.powers[k, 0] * log(s - levels.ends[k, 0])
            if k > 0 and levels.powers[k, 1] != 0.0:
                less += levels.powers[k, 1] * log(levels.ends[k, 1] - s)
            levels.values[k, at] = total - less
            told(row, levels, k, levels.moments[k, at], count)
            if k + 2 < row.shape[0]:
                onward(levels, k, levels.way[k, at], count)
            if tables.sizes.size:
                tabled(row, levels, (k, at), count, tables)
    return total


@njit(cache=True, nogil=True)
def stepped(levels: Levels, k: int, weights: Floats, after: Floats) -> None:
    """From how probable the nodes of a level are to how probable those of the next are."""
    then = nodes_of(levels, k + 1)
    after[:then] = 0.0
    for at in range(nodes_of(levels, k)):
        for to in range(then):
            after[to] += weights[at] * levels.way[k, at, to]
    weights[:then] = after[:then]


@njit(cache=True, nogil=True)
def descended(row: Floats, levels: Levels, mean: Floats, sd: Floats) -> None:
    """Mean and standard deviation of every cell: nodes are weighed from the first level down."""
    count = row.shape[0]
    weights, after = np.zeros(MOST), np.zeros(MOST)
    weights[0] = 1.0
    for k in range(count - 1):
        size = nodes_of(levels, k)
        first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
        for at in range(size):
            first += weights[at] * levels.moments[k, at, 0]
            second += weights[at] * levels.moments[k, at, 1]
            third += weights[at] * levels.moments[k, at, 2]
            fourth += weights[at] * levels.moments[k, at, 3]
        mean[k], sd[k] = row[k, MIDDLE] + first, sqrt(max(second - first**2, 0.0))
        if k + 2 == count:
            mean[k + 1] = row[k + 1, MIDDLE] + third
            sd[k + 1] = sqrt(max(fourth - third**2, 0.0))
            break
        stepped(levels, k, weights, after)


@njit(cache=True, nogil=True)
def solved(cells: Floats, at: Ints, mass: Floats) -> tuple[Floats, Floats, Floats]:
    """Means and standard deviations of all cells, and the log constant of every row.

    cells  (cells, COLUMNS) those that can move, at least two in each row
    at     (rows + 1,) where those of each row start; mass (rows,) what they add up to
    """
    mean, sd = np.zeros(cells.shape[0]), np.zeros(cells.shape[0])
    constant = np.zeros(mass.size)
    levels, tables = room(np.max(np.diff(at))), no_tables()
    some, wide = np.zeros(np.max(np.diff(at))), np.zeros(np.max(np.diff(at)))
    for number in range(mass.size):
        mine = cells[at[number] : at[number + 1]]
        order = arranged(mine, mass[number])
        row = mine[order]
        constant[number] = climbed(row, levels, mass[number], tables)
        descended(row, levels, some, wide)
        for k in range(order.size):
            mean[at[number] + order[k]], sd[at[number] + order[k]] = some[k], wide[k]
    return mean, sd, constant


@njit(cache=True, nogil=True)
def no_tables() -> Tables:
    """Nothing is drawn."""
    return Tables(np.zeros((0, 0, 0)), np.zeros((0, 0, 0)), np.zeros((0, 0), np.int64))


@njit(cache=True, nogil=True)
def limits(row: Floats, levels: Levels, k: int, s: float) -> tuple[float, float]:
    """The least and the most that a cell can be when s is left to it and all after it."""
    low = max(row[k, LOW], s - levels.span[k + 1, 1])
    return low, max(min(row[k, HIGH], s - levels.span[k + 1, 0]), low)


@njit(cache=True, nogil=True)
def tabled(row: Floats, levels: Levels, at: tuple[int, int], count: int, out: Tables) -> None:
    """Write the distribution of a cell at a node: the points of its integral, in order.

    Sums up to a point are those of the trapezoidal rule and its first two corrections.
    """
    k, number = at
    s = levels.ends[k + 1, 0] + levels.dots[0, 0] + levels.dots[1, 0]
    low, high = limits(row, levels, k, s)
    sums, places = out.sums[k, number], out.places[k, number]
    for dot in range(count):
        held = (levels.dots[0, dot] - low) / (high - low) if high > low else 0.0
        to = dot
        while to > 0 and places[to - 1] > held:
            places[to], sums[to] = places[to - 1], sums[to - 1]
            to -= 1
        places[to], sums[to] = held, levels.dots[2, dot]
    total, before, far_before = 0.0, 0.0, 0.0
    for dot in range(count):
        part, after = sums[dot], sums[dot + 1] if dot + 1 < count else 0.0
        far_after = sums[dot + 2] if dot + 2 < count else 0.0
        third = far_after - 2.0 * (after - before) - far_before
        sums[dot] = total + 0.5 * part - (after - before) / 24.0 + third * (11.0 / 1440.0)
        total, before, far_before = total + part, part, before
    out.sizes[k, number] = count
