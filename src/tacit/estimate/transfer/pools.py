"""Tables of several sites taken together by weights, as Luis, Sucar and Morales (2010) do.

Arrays are (..., states), one row per last axis; rows that a site never saw are all zero, and what
comes out is divided by its sum, since weights by the cell do not keep it one. A row that nobody saw
stays zero. [estimation 3.7, guard v]
"""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats

TURN = 3.0
"""Cases per cell from which on confidence follows its formula."""
LEAST, MOST = 0.25, 0.75
"""How much of the others' average DBLP takes."""


def renormalised(rows: Floats) -> Floats:
    """Every row divided by its sum; rows of nothing stay so."""
    total = rows.sum(axis=-1, keepdims=True)
    return np.asarray(rows / np.where(total > 0, total, 1.0))


def linear_pool(tables: Floats, weights: Floats) -> Floats:
    """k Σ w_i P_i over the first axis."""
    return renormalised(np.tensordot(weights, tables, axes=1))


def logarithmic_pool(tables: Floats, weights: Floats) -> Floats:
    """k ∏ P_i^w_i over the first axis; weights are divided by the sum of those who saw the row.

    Where sites exclude each other's states nothing would be left, and the linear pool is taken.
    """
    seen = tables.sum(axis=-1, keepdims=True) > 0
    wide = np.broadcast_to(weights.reshape(-1, *[1] * (tables.ndim - 1)), seen.shape) * seen
    total = wide.sum(axis=0)
    shares = wide / np.where(total > 0, total, 1.0)
    logs = np.log(np.where(tables > 0, tables, 1.0))
    possible = ((tables > 0) | (shares == 0)).all(axis=0)
    product = np.where(possible & (total > 0), np.exp((shares * logs).sum(axis=0)), 0.0)
    lost = product.sum(axis=-1, keepdims=True) <= 0
    return np.where(lost, linear_pool(tables, weights), renormalised(product))


def confidence(cases: float, cells: int, low: str = "printed", *, doubled: bool = False) -> float:
    """How far a table of so many cells is to be trusted, with c cases per cell:

    f = 1 - ln(c) / c  where c >= 3;  below,  f = 1 - c ln(3) / 3  as printed, or
    f = c (1 - ln(3) / 3) / 3  with low="linear".

    As printed it rises to 1 as cases vanish, so that large tables trust nothing at all; the linear
    form falls to 0. Both meet at 3. [eq. 8; guards i and vi]

    doubled: c = N / 2T, of which the printed c = N / (T + 2) may be a misprint
    """
    c = cases / (2 * cells if doubled else cells + 2)
    if c >= TURN:
        return float(1 - np.log(c) / c)
    if low == "printed":
        return float(1 - c * np.log(TURN) / TURN)
    return float(c * (1 - np.log(TURN) / TURN) / TURN)


def distance_coefficients(distances: Floats, *, rising: bool = False) -> Floats:
    """c_i = (d_i - d_min) (c_max - c_min) / (d_max - d_min) + c_min, cell by cell.

    As printed it rises with the distance; the text wants the others' average to count more where
    the target is near it, and so it falls unless `rising`. Halfway where all distances are the
    same. [guards ii and iii]
    """
    span = float(np.ptp(distances)) if distances.size else 0.0
    if span <= 0:
        return np.full_like(distances, (LEAST + MOST) / 2)
    share = (distances - distances.min()) / span
    return np.asarray(LEAST + (MOST - LEAST) * (share if rising else 1 - share))


def distance_shares(target: Floats, average: Floats, *, rising: bool = False) -> Floats:
    """How much of the average each cell takes, from |p_target - p̄| in rows that both saw; all of
    it in rows that the target never saw, and nothing in rows that only the target did."""
    mine, theirs = (each.sum(axis=-1) > 0 for each in (target, average))
    shares = np.zeros_like(target)
    shares[theirs & ~mine] = 1.0
    both = mine & theirs
    shares[both] = distance_coefficients(np.abs(target - average)[both], rising=rising)
    return shares


def distance_pool(target: Floats, average: Floats, *, rising: bool = False) -> Floats:
    """DBLP: p' = (1 - c_i) p_target + c_i p̄, where c_i follows from |p_target - p̄|.

    average: of the sources, their linear pool by confidence
    """
    taken = distance_shares(target, average, rising=rising)
    return renormalised((1 - taken) * target + taken * average)


def local_average(target: Floats, sources: Floats, average: Floats) -> Floats:
    """p̄_local: the mean, cell by cell, of those source probabilities that lie within
    p_target ± (p_target - p̄); p_target where there are none, p̄ in rows that the target never saw.
    [guard iv]

    sources: (sites, ..., states)
    """
    reach = np.abs(target - average)
    saw = np.broadcast_to(sources.sum(axis=-1, keepdims=True) > 0, sources.shape)
    near = saw & (np.abs(sources - target) <= reach + 1e-12)
    number = near.sum(axis=0)
    mean = np.where(near, sources, 0.0).sum(axis=0) / np.maximum(number, 1)
    unseen = target.sum(axis=-1, keepdims=True) <= 0
    return np.where(unseen, average, np.where(number > 0, mean, target))


def local_pool(target: Floats, local: Floats, trust: float, *, renormalise: bool = True) -> Floats:
    """LoLP: p' = f p_target + (1 - f) p̄_local; CPTAgg puts the one source chosen in place of
    p̄_local. [eq. 12]

    trust        f, the confidence in the target
    renormalise  otherwise as printed: rows need not add up to one
    """
    mixed = trust * target + (1 - trust) * local
    return _or_the_other(target, local, mixed) if renormalise else mixed


def _or_the_other(target: Floats, other: Floats, mixed: Floats) -> Floats:
    """The mixture where both saw the row; otherwise the row of the one who did."""
    mine = target.sum(axis=-1, keepdims=True) > 0
    theirs = other.sum(axis=-1, keepdims=True) > 0
    single = np.where(mine, target, other)
    return renormalised(np.where(mine & theirs, mixed, single))
