"""Rows whose density is a product over cells, one after another: moments, constants, draws."""

from __future__ import annotations

from math import cos, log, pi, sqrt
from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.reaches import arranged
from tacit.kernels.separable import DOTS, HIGH, LOW, MIDDLE
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
        then = nodes_of(levels, k + 1)
        after[:then] = 0.0
        for at in range(size):
            for to in range(then):
                after[to] += weights[at] * levels.way[k, at, to]
        weights[:then] = after[:then]


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
    """Write the distribution of a cell at a node: the points of its integral, in order."""
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
    total = 0.0
    for dot in range(count):
        part = sums[dot]
        sums[dot] = total + 0.5 * part
        total += part
    out.sizes[k, number] = count


@njit(cache=True, nogil=True)
def quantile(sums: Floats, places: Floats, chance: float) -> float:
    """Where so much of a distribution lies below."""
    at = np.searchsorted(sums, chance)
    if at == 0:
        return float(places[0])
    if at == sums.size:
        return float(places[-1])
    way = (chance - sums[at - 1]) / (sums[at] - sums[at - 1])
    return float(places[at - 1] + way * (places[at] - places[at - 1]))


@njit(cache=True, nogil=True)
def placed(levels: Levels, tables: Tables, k: int, s: float, chance: float) -> float:
    """A quantile of cell k given s, between those at the two nodes next to s."""
    piece = 0
    while piece < levels.pieces[k] - 1 and s > levels.edges[k, piece + 1]:
        piece += 1
    size = levels.sizes[k]
    low, high = piece * size, (piece + 1) * size - 1
    if k == 0:
        low = high = 0
    while high - low > 1:
        half = (low + high) // 2
        if node(levels, k, half) <= s:
            low = half
        else:
            high = half
    last = tables.sizes[k, low]
    found = quantile(tables.sums[k, low, :last], tables.places[k, low, :last], chance)
    if high == low:
        return found
    last = tables.sizes[k, high]
    other = quantile(tables.sums[k, high, :last], tables.places[k, high, :last], chance)
    one, two = node(levels, k, low), node(levels, k, high)
    way = min(max((s - one) / (two - one), 0.0), 1.0)
    return found + way * (other - found)


@njit(cache=True, nogil=True)
def drawn(cells: Floats, at: Ints, mass: Floats, chances: Floats) -> Floats:
    """(size, cells) draws, one for every line of `chances`, numbers between 0 and 1 of its shape.

    One cell after the other, each from its distribution given what those before it left.
    """
    most = np.max(np.diff(at))
    levels, out = room(most), np.zeros(chances.shape)
    tables = Tables(
        np.zeros((most, MOST, DOTS)), np.zeros((most, MOST, DOTS)), np.zeros((most, MOST), np.int64)
    )
    for number in range(mass.size):
        first, mine = at[number], cells[at[number] : at[number + 1]]
        order = arranged(mine, mass[number])
        row = mine[order]
        climbed(row, levels, mass[number], tables)
        for draw in range(chances.shape[0]):
            s = mass[number]
            for k in range(order.size - 1):
                to = first + order[k]
                low, high = limits(row, levels, k, s)
                place = placed(levels, tables, k, s, chances[draw, to])
                out[draw, to] = low + (high - low) * place
                s -= out[draw, to]
            out[draw, first + order[-1]] = max(s, 0.0)
    return out
