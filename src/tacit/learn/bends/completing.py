"""Cases with gaps completed by draws, each of them several times: what a search can be made at."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.learn.bends.expecting import Expected, expect
from tacit.learn.bends.pieces import Divided, Told
from tacit.learn.bends.shape import Numbers, Shape


def completed(shape: Shape, numbers: Numbers, told: Told, copies: int, seed: int) -> Told:
    """Whole cases as they are, and every other one so many times, with what it lacks drawn from
    P(what it lacks | what was observed), each copy weighing its share of the case.

    One seed gives the same draws at all numbers. [Wei and Tanner 1990]
    """
    gone: Bools = np.asarray(np.isnan(told.values).any(axis=1))
    lacking = np.flatnonzero(gone)
    place = np.full(len(gone), -1, dtype=np.int64)
    place[lacking] = np.arange(lacking.size)
    filled = np.repeat(told.values[lacking][:, None, :], copies, axis=1)
    divided = Divided.of(shape, told, all_unknown=True)
    for each in expect(shape, numbers, divided):
        _fill(each, filled, place, copies, np.random.default_rng([seed, *_key(each)]))
    return Told(
        np.concatenate([told.values[~gone], filled.reshape(-1, filled.shape[2])]),
        np.concatenate([told.weights[~gone], np.repeat(told.weights[lacking] / copies, copies)]),
    )


def _key(each: Expected) -> list[int]:
    """What names a piece."""
    return [14, *each.piece.bends.tolist(), 99, *each.piece.rest.tolist()]


def _fill(
    each: Expected, filled: Floats, place: Ints, copies: int, random: np.random.Generator
) -> None:
    """Write the copies of the cases of a piece: points picked as evenly as their shares allow, the
    rest drawn given them."""
    piece, cases = each.piece, len(each.piece.cases)
    even = random.permuted(np.tile(np.arange(copies), (cases, 1)), axis=1)
    at = (even + random.random((cases, 1))) / copies
    ends = np.cumsum(each.shares, axis=1)
    picked = np.minimum((ends[:, None, :] < at[:, :, None]).sum(axis=2), ends.shape[1] - 1)
    rows = np.arange(cases)[:, None]
    here = place[piece.cases]
    filled[here[:, None, None], np.arange(copies)[:, None], piece.bends] = each.points[rows, picked]
    root = np.linalg.cholesky(each.covariance)
    shaken = random.standard_normal((cases, copies, piece.rest.size)) @ root.T
    filled[here[:, None, None], np.arange(copies)[:, None], piece.rest] = (
        each.rest[rows, picked] + shaken
    )
