"""Partial covariances: what parents leave of a child and of each candidate, by elimination."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints


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


def partials(
    matrices: Floats,
    child: int,
    parents: tuple[int, ...],
    candidates: Ints,
    floor: Floats | None = None,
) -> Partials:
    """The parents eliminated one by one from the rows of parents and child: O(k² candidates).

    floor  (variables,)  a bound below which no Schur complement lies, whatever rounding says
    """
    k = len(parents)
    inner = np.array([*parents, child], dtype=np.int64)
    columns = np.concatenate([inner, candidates]).astype(np.int64)
    rows = matrices[..., inner[:, None], columns]
    left = np.diagonal(matrices, axis1=-2, axis2=-1)[..., columns[k:]].copy()
    pivots = np.zeros((*matrices.shape[:-2], k))
    for at, parent in enumerate(parents):
        pivot = rows[..., at, at].copy()
        if floor is not None:
            pivot = np.maximum(pivot, floor[parent])
        pivots[..., at] = pivot
        scaled = rows[..., at, :] / np.where(pivot > 0, pivot, 1.0)[..., None]
        left -= rows[..., at, k:] * scaled[..., k:]
        rows[..., at + 1 :, :] -= rows[..., at + 1 :, at, None] * scaled[..., None, :]
    if floor is not None:
        left = np.maximum(left, floor[columns[k:]])
    return Partials(pivots, left[..., 0], left[..., 1:], rows[..., k, k + 1 :])
