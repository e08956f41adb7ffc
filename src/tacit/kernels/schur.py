"""Schur complements in one matrix: parents eliminated one by one, and with each of them left out.

Rows are those of parents and child; every step does what numpy would, in the same order, so that
what comes out has the same bits as elimination over stacks of matrices.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints

TOGETHER = 64
"""Columns from which all parents are taken out before the next ones are looked at."""


@njit(cache=True, nogil=True)
def _pivot(value: float, variable: int, floor: Floats) -> float:
    """The pivot, no less than the floor of its variable where there are floors."""
    if floor.size and value < floor[variable]:
        value = floor[variable]
    return value


@njit(cache=True, nogil=True)
def _eliminate(rows: Floats, at: int, pivot: float, left: Floats, scaled: Floats) -> None:
    """Take the variable of row `at` out of the rows behind it, and of what is left of the last,
    in a square of rows."""
    width = rows.shape[1]
    by = pivot if pivot > 0 else 1.0
    for column in range(at, width):
        scaled[column] = rows[at, column] / by
    left[0] -= rows[at, width - 1] * scaled[width - 1]
    for row in range(at + 1, rows.shape[0]):
        factor = rows[row, at]
        for column in range(at + 1, width):
            rows[row, column] -= factor * scaled[column]


@njit(cache=True, nogil=True)
def _eliminate_from(rows: Floats, pivots: Floats, first: int, last: int, left: Floats) -> None:
    """Take the parents out of the columns from `first` to `last`, a few that stay near the
    processor; the columns of the parents are done.

    left  of these columns
    """
    scaled = np.empty(last - first)
    for at in range(pivots.size):
        by = pivots[at] if pivots[at] > 0 else 1.0
        here = rows[at, first:last]
        for column in range(here.size):
            scaled[column] = here[column] / by
            left[column] -= here[column] * scaled[column]
        for row in range(at + 1, rows.shape[0]):
            factor, there = rows[row, at], rows[row, first:last]
            for column in range(there.size):
                there[column] -= factor * scaled[column]


@njit(cache=True, nogil=True)
def eliminated(
    matrix: Floats, columns: Ints, floor: Floats, rows: Floats, left: Floats, pivots: Floats
) -> None:
    """What parents leave of child and candidates, and what child and candidates still share.

    columns  parents, child, candidates
    floor    (variables,) a bound below which no pivot lies; empty: none
    rows     (parents + 1, columns)   the last row ends with what child and candidates share
    left     (1 + candidates,)        of child and candidates
    pivots   (parents,)               what the parents before each leave of it
    """
    parents, width = pivots.size, columns.size
    for row in range(parents + 1):
        for column in range(width):
            rows[row, column] = matrix[columns[row], columns[column]]
    for column in range(parents, width):
        left[column - parents] = matrix[columns[column], columns[column]]
    scaled, inner = np.empty(parents + 1), rows[:, : parents + 1]
    for at in range(parents):
        pivots[at] = _pivot(rows[at, at], columns[at], floor)
        _eliminate(inner, at, pivots[at], left, scaled)
    for first in range(parents + 1, width, TOGETHER):
        last = min(first + TOGETHER, width)
        _eliminate_from(rows, pivots, first, last, left[first - parents : last - parents])


@njit(cache=True, nogil=True)
def left_out(
    matrix: Floats, columns: Ints, places: Ints, floor: Floats, own: Floats, pivots: Floats
) -> None:
    """What the other parents leave of the child, with the parents at `places` left out in turn.

    Up to the one that is left out the elimination is that of all parents, and done once.

    columns  parents, child;  places, in rising order
    own      (places,)               what is left of the child
    pivots   (places, parents - 1)   of the others
    """
    parents = columns.size - 1
    rows = np.empty((parents + 1, parents + 1))
    for row in range(parents + 1):
        for column in range(parents + 1):
            rows[row, column] = matrix[columns[row], columns[column]]
    left, spare, scaled = np.empty(1), np.empty(1), np.empty(parents + 1)
    trail, so_far = np.empty((parents, parents)), np.empty(parents)
    left[0] = matrix[columns[parents], columns[parents]]
    done = 0
    for which in range(places.size):
        without = places[which]
        while done < without:
            so_far[done] = _pivot(rows[done, done], columns[done], floor)
            _eliminate(rows, done, so_far[done], left, scaled)
            done += 1
        many = parents - without
        here = trail[:many, :many]
        here[:, :] = rows[without + 1 :, without + 1 :]
        spare[0] = left[0]
        pivots[which, :without] = so_far[:without]
        for at in range(many - 1):
            pivot = _pivot(here[at, at], columns[without + 1 + at], floor)
            pivots[which, without + at] = pivot
            _eliminate(here, at, pivot, spare, scaled)
        own[which] = spare[0]


@njit(cache=True, nogil=True)
def _kept(matrix: Floats, first: int, last: int, room: Floats, into: Floats) -> None:
    """What all others leave of the variables from `first` to `last` and of the very last one.

    All squares hold their upper triangles only.
    """
    size, many = matrix.shape[0], matrix.shape[0] - 1 - (last - first)
    order = np.empty(size, np.int64)
    order[:first], order[first:many] = np.arange(first), np.arange(last, size - 1)
    order[many : size - 1], order[size - 1] = np.arange(first, last), size - 1
    for row in range(size):
        for column in range(row, size):
            one, other = order[row], order[column]
            room[row, column] = matrix[min(one, other), max(one, other)]
    for at in range(many):
        for row in range(at + 1, size):
            factor = room[at, row] / room[at, at]
            for column in range(row, size):
                room[row, column] -= factor * room[at, column]
    into[:, :] = room[many:size, many:size]


@njit(cache=True, nogil=True)
def each_left_out(matrix: Floats, columns: Ints, own: Floats) -> None:
    """What the other parents leave of the child, with every parent left out in turn: O(k³).

    One half is taken out for all of the other half, and so on within each of them. No parent may
    be a linear function of the others.

    columns  parents, child
    """
    size = columns.size
    deep = 2 + int(np.ceil(np.log2(size)))
    rooms, spare = np.empty((deep, size, size)), np.empty((size, size))
    rooms[0] = matrix[columns][:, columns]
    waiting = np.empty((2 * deep, 5), np.int64)  # the halves, whose they are, and how deep
    waiting[0] = 0, size - 1, 0, size - 1, 1
    many = 1
    while many:
        many -= 1
        low, high, from_, to, level = waiting[many]
        whole, here = to - from_ + 1, high - low + 1
        block = rooms[level, :here, :here]
        _kept(rooms[level - 1, :whole, :whole], low - from_, high - from_, spare, block)
        if high - low == 1:
            own[low] = block[1, 1]
            continue
        middle = (low + high) // 2
        waiting[many] = middle, high, low, high, level + 1
        waiting[many + 1] = low, middle, low, high, level + 1
        many += 2
