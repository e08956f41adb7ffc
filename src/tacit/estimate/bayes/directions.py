"""Directions in which the cells of a block can move without breaking an equality."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.knowledge.rows import Rows

_NOTHING = 1e-10
_ALL_PAIRS = 5
"""Up to so many cells, all pairs of them exchange mass; beyond, each with two others."""


def equations(row: Ints, equal: Rows, free: Bools) -> Floats:
    """(equations, n) row sums and equalities over the cells; columns of cells not free are 0."""
    sums = (row == np.arange(int(row[-1]) + 1)[:, None]).astype(np.float64)
    rules = np.zeros((len(equal), row.size))
    rules[equal.owner, equal.cells] = equal.factors
    return np.concatenate([sums, rules]) * free


def basis(matrix: Floats, free: Bools) -> Floats:
    """(dimension, n) sparse directions that span all moves of free cells: A d = 0.

    By elimination; each direction moves one cell that no other does.
    """
    left, pivots, at = matrix.copy(), [], 0
    columns = np.flatnonzero(free).tolist()
    for column in columns:
        if at == left.shape[0]:
            break
        best = at + int(np.argmax(np.abs(left[at:, column])))
        if abs(left[best, column]) <= _NOTHING:
            continue
        left[[at, best]] = left[[best, at]]
        left[at] /= left[at, column]
        others = np.arange(left.shape[0]) != at
        left[others] -= np.outer(left[others, column], left[at])
        pivots.append(column)
        at += 1
    rest = [column for column in columns if column not in set(pivots)]
    found = np.zeros((len(rest), matrix.shape[1]))
    for direction, column in zip(found, rest, strict=True):
        direction[column] = 1.0
        direction[pivots] = -left[: len(pivots), column]
    found[np.abs(found) <= _NOTHING] = 0.0
    return found


def pairs(matrix: Floats, free: Bools) -> Floats:
    """(pairs, n) from one cell to another that the equations do not tell apart."""
    cells = np.flatnonzero(free)
    _, kind = np.unique(matrix[:, cells], axis=1, return_inverse=True)
    found = []
    for each in range(int(kind.max(initial=-1)) + 1):
        alike = cells[kind.ravel() == each].tolist()
        size = len(alike)
        if size <= _ALL_PAIRS:
            found += list(combinations(alike, 2))
        else:
            steps = (1, size // 2)
            found += [(alike[i], alike[(i + by) % size]) for by in steps for i in range(size)]
    told = np.zeros((len(found), free.size))
    for direction, (one, two) in zip(told, found, strict=True):
        direction[one], direction[two] = 1.0, -1.0
    return told


def stretched(span: Floats, values: Floats, most: int) -> Floats:
    """(directions, n) the principal axes of these draws (draws, n), the longest first."""
    if span.shape[0] < 2:
        return span[:0]
    plain = np.linalg.qr(span.T)[0]
    spread = np.cov(values @ plain, rowvar=False)
    lengths, axes = np.linalg.eigh(spread)
    found = (plain @ axes[:, ::-1][:, :most]).T[lengths[::-1][:most] > 0]
    found = found / np.abs(found).max(axis=1, keepdims=True)
    moves = np.abs(span).max(axis=0, initial=0.0) > 0
    return np.asarray(np.where(moves & (np.abs(found) > 1e-14), found, 0.0))


def multiples(span: Floats, point: Floats) -> Ints:
    """(n,) cells of one number are multiples of each other whatever is allowed; -1: cannot move."""
    moves = np.abs(span).max(axis=0, initial=0.0) > 0
    found = np.full(point.size, -1, dtype=np.int64)
    relative = np.round((span[:, moves] / point[moves]), 8)
    _, kind = np.unique(relative, axis=1, return_inverse=True)
    found[moves] = kind.ravel()
    return found
