"""Rows whose density is a product over cells, one after another: draws and quantiles."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.reaches import arranged
from tacit.kernels.remaining import Tables, climbed, limits, node, nodes_of, stepped
from tacit.kernels.separable import DOTS, HIGH, LOW
from tacit.kernels.separated import MOST, Levels, room

_HALVINGS = 50
_CLOSE = 1e-9


@njit(cache=True, nogil=True)
def room_for(cells: int) -> Tables:
    """For rows of up to so many cells."""
    return Tables(
        np.zeros((cells, MOST, DOTS)),
        np.zeros((cells, MOST, DOTS)),
        np.zeros((cells, MOST), np.int64),
    )


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
    levels, tables, out = room(most), room_for(most), np.zeros(chances.shape)
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


@njit(cache=True, nogil=True)
def below(tables: Tables, at: tuple[int, int], place: float) -> float:
    """How probable it is that a cell lies below a place, at a node."""
    last = tables.sizes[at]
    sums, places = tables.sums[at][:last], tables.places[at][:last]
    to = np.searchsorted(places, place)
    if to == 0:
        return 0.0
    if to == last:
        return 1.0
    way = (place - places[to - 1]) / (places[to] - places[to - 1])
    linear = float(sums[to - 1] + way * (sums[to] - sums[to - 1]))
    if to < 3 or to + 3 > last or np.min(np.diff(places[to - 3 : to + 3])) < _CLOSE:
        return linear
    found = 0.0
    for one in range(to - 3, to + 3):
        part = sums[one]
        for other in range(to - 3, to + 3):
            if other != one:
                part *= (place - places[other]) / (places[one] - places[other])
        found += part
    return float(min(max(found, sums[to - 1]), sums[to]))


@njit(cache=True, nogil=True)
def mixed(
    row: Floats, levels: Levels, tables: Tables, weights: Floats, of: tuple[int, float, bool]
) -> float:
    """How probable it is that cell k is below x; or what it leaves, where that is asked."""
    k, x, rest = of
    total = 0.0
    for at in range(nodes_of(levels, k)):
        s = levels.span[0, 0] if k == 0 else node(levels, k, at)
        low, high = limits(row, levels, k, s)
        wide = high - low if high > low else 1.0
        if rest:
            total += weights[at] * (1.0 - below(tables, (k, at), (s - x - low) / wide))
        else:
            total += weights[at] * below(tables, (k, at), (x - low) / wide)
    return total


@njit(cache=True, nogil=True)
def quantiles(cells: Floats, at: Ints, mass: Floats, chances: Floats) -> Floats:
    """(chances, cells) where so much of each cell lies below: nodes are weighed as for means."""
    most = np.max(np.diff(at))
    levels, tables = room(most), room_for(most)
    out = np.zeros((chances.size, cells.shape[0]))
    weights, after = np.zeros(MOST), np.zeros(MOST)
    for number in range(mass.size):
        mine = cells[at[number] : at[number + 1]]
        order = arranged(mine, mass[number])
        row = mine[order]
        climbed(row, levels, mass[number], tables)
        levels.span[0, 0] = mass[number]
        weights[0] = 1.0
        for cell in range(order.size):
            k = min(cell, order.size - 2)
            if 0 < cell == k:
                stepped(levels, k - 1, weights, after)
            for one in range(chances.size):
                low, high = row[cell, LOW], row[cell, HIGH]
                for _ in range(_HALVINGS):
                    half = 0.5 * (low + high)
                    of = (k, half, cell > k)
                    if mixed(row, levels, tables, weights, of) < chances[one]:
                        low = half
                    else:
                        high = half
                out[one, at[number] + order[cell]] = half
    return out
