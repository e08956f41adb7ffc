"""Partial covariances: what parents leave of a child and of each candidate, by elimination."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints

NO_FLOOR: Floats = np.zeros(0)
NO_CANDIDATES: Ints = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Partials:
    """Schur complements of the parents in symmetric matrices, stacked along the first axes.

    pivots  (..., parents)     what the parents before each parent leave of it
    own     (...,)             what all parents leave of the child
    left    (..., candidates)  ... and of each candidate
    cross   (..., candidates)  what child and candidate still share
    """

    pivots: Floats
    own: Floats
    left: Floats
    cross: Floats

    def with_each(self, least: float | Floats = 0.0) -> Floats:
        """What parents and one candidate leave of the child; nan where a candidate is used up.

        own - cross² / left, and a candidate is used up where no more than `least` is left of it.
        """
        used = self.left <= least
        share = self.cross**2 / np.where(used, 1.0, self.left)
        return np.asarray(np.where(used, np.nan, self.own[..., None] - share))


def partials(matrices: Floats, child: int, parents: tuple[int, ...], candidates: Ints) -> Partials:
    """The parents eliminated one by one from the rows of parents and child: O(k² candidates)."""
    k = len(parents)
    inner = np.array([*parents, child], dtype=np.int64)
    columns = np.concatenate([inner, candidates]).astype(np.int64)
    rows = matrices[..., inner[:, None], columns]
    left = np.diagonal(matrices, axis1=-2, axis2=-1)[..., columns[k:]].copy()
    pivots = np.zeros((*matrices.shape[:-2], k))
    for at in range(k):
        pivots[..., at] = pivot = rows[..., at, at].copy()
        scaled = rows[..., at, :] / np.where(pivot > 0, pivot, 1.0)[..., None]
        left -= rows[..., at, k:] * scaled[..., k:]
        rows[..., at + 1 :, :] -= rows[..., at + 1 :, at, None] * scaled[..., None, :]
    return Partials(pivots, left[..., 0], left[..., 1:], rows[..., k, k + 1 :])


def partials_in(
    matrix: Floats,
    child: int,
    parents: tuple[int, ...],
    candidates: Ints = NO_CANDIDATES,
    floor: Floats = NO_FLOOR,
) -> Partials:
    """The same in one matrix, by a kernel, to the same bits.

    floor  (variables,)  a bound below which no Schur complement lies, whatever rounding says
    """
    from tacit.kernels.schur import eliminated

    k = len(parents)
    columns = np.concatenate([[*parents, child], candidates]).astype(np.int64)
    rows, left, pivots = np.empty((k + 1, columns.size)), np.empty(columns.size - k), np.empty(k)
    eliminated(matrix, columns, floor, rows, left, pivots)
    if floor.size:
        left = np.maximum(left, floor[columns[k:]])
    return Partials(pivots, left[0], left[1:], rows[k, k + 1 :])


def partials_without(
    matrix: Floats,
    child: int,
    parents: tuple[int, ...],
    places: Ints,
    floor: Floats = NO_FLOOR,
) -> Partials:
    """The same with one of the parents left out, each of those at `places`, in rising order.

    All that happens before its turn is done once, so that all k of them cost O(k⁴ / 12).
    """
    from tacit.kernels.schur import left_out

    columns = np.array([*parents, child], dtype=np.int64)
    own, pivots = np.empty(places.size), np.empty((places.size, max(0, len(parents) - 1)))
    left_out(matrix, columns, places, floor, own, pivots)
    if floor.size:
        own = np.maximum(own, floor[child])
    nobody = np.zeros((places.size, 0))
    return Partials(pivots, own, nobody, nobody)


def own_without_each(matrix: Floats, child: int, parents: tuple[int, ...]) -> Floats:
    """(parents,) what is left of the child with each parent left out, where no parent is a linear
    function of the others: O(k³) for all of them, equal to one by one up to rounding."""
    from tacit.kernels.schur import each_left_out

    own = np.empty(len(parents))
    each_left_out(matrix, np.array([*parents, child], dtype=np.int64), own)
    return own
