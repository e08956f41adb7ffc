"""The last digits: from a point that misses rules by rounding to one that keeps them."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Floats
from tacit.kernels.normal import Part, Room

EXACT = 1e-15
SHARP = 1e-12
ALLOWED = 1e-13
SMALL = 1e-8
FOLLOWS = 1e-9
MOST_ROUNDS = 6


@njit(cache=True, nogil=True, error_model="numpy")
def land(p: Part, room: Room) -> None:
    """Keep all rules exactly; where that is possible, cells that vanish are 0 and slacks too.

    A cell without weight vanishes if it is small and its reduced cost is not; a slack if it is
    small and its multiplier is not.
    """
    before, mended = room.d_theta, room.inverse
    for j in range(p.n):
        before[j] = p.theta[j]
        if room.weight[j] == 0.0 and _vanishes(p.theta[j], p.reduced[j]):
            p.theta[j] = 0.0
    for i in range(p.m):
        mended[i] = 1.0 if i < p.e or _vanishes(p.slack[i], p.z[i]) else 0.0
    if _kept(p, room) > ALLOWED or _lost(p, room):
        for j in range(p.n):
            p.theta[j] = before[j]
        for i in range(p.m):
            mended[i] = 1.0 if i < p.e else 0.0
        _kept(p, room)
    _slacks(p, room)
    for i in range(p.e, p.m):
        p.slack[i] = max(room.right[i], 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _vanishes(small: float, large: float) -> bool:
    return small <= SMALL and small < 1e-3 * large


@njit(cache=True, nogil=True, error_model="numpy")
def _lost(p: Part, room: Room) -> bool:
    """Whether a cell with weight lost half of what it had."""
    lost = False
    for j in range(p.n):
        lost |= room.weight[j] > 0.0 and p.theta[j] < 0.5 * room.d_theta[j]
    return lost


@njit(cache=True, nogil=True, error_model="numpy")
def _slacks(p: Part, room: Room) -> None:
    """right := b - B θ."""
    for i in range(p.m):
        room.right[i] = p.limit[i]
    for j in range(p.n):
        for k in range(p.at[j], p.at[j + 1]):
            room.right[p.rule[k]] -= p.factor[k] * p.theta[j]


@njit(cache=True, nogil=True, error_model="numpy")
def _kept(p: Part, room: Room) -> float:
    """Move θ until no equality and no inequality is missed; by how much one still is.

    The move is the one of least Σ δ²/θ that mends every rule that is or was missed. To first order
    it changes the objective by no more than the multipliers times what was missed.
    """
    mended, worst = room.inverse, np.inf
    for _ in range(MOST_ROUNDS):
        _slacks(p, room)
        now = 0.0
        for i in range(p.m):
            if mended[i] > 0.0:
                now = max(now, abs(room.right[i]))
            elif room.right[i] < 0.0:
                now = max(now, -room.right[i])
                mended[i] = 1.0
        if now <= EXACT or now >= worst:
            return min(now, worst)
        worst = now
        _mend(p, room, _directions(p, room))
    return worst


@njit(cache=True, nogil=True, error_model="numpy")
def _directions(p: Part, room: Room) -> int:
    """Orthonormal directions in θ / sqrt(θ), and how far to go along each; how many."""
    rank, way = 0, room.off_primal
    for j in range(p.n):
        room.d_reduced[j] = np.sqrt(p.theta[j])
    for i in range(p.m):
        if room.inverse[i] > 0.0 and rank < p.n:
            length = _new_direction(p, room, i, rank, room.d_reduced)
            if length > 0.0:
                left = room.right[i]
                for k in range(rank):
                    left -= room.factor[k, rank] * way[k]
                way[rank] = left / length
                rank += 1
    return rank


@njit(cache=True, nogil=True, error_model="numpy")
def _new_direction(p: Part, room: Room, i: int, rank: int, scale: Floats) -> float:
    """Rule i, scaled, made orthogonal to the directions before; 0 if nothing but rounding is left.

    Its parts along them go to column `rank` of `factor`; the rest, of length 1, to the basis.
    """
    line, before = room.basis[rank], 0.0
    for j in range(p.n):
        line[j] = 0.0
        for k in range(p.at[j], p.at[j + 1]):
            if p.rule[k] == i:
                line[j] = p.factor[k] * scale[j]
                before += line[j] * line[j]
    room.factor[:rank, rank] = 0.0
    for _ in range(2):
        for k in range(rank):
            along = 0.0
            for j in range(p.n):
                along += line[j] * room.basis[k, j]
            for j in range(p.n):
                line[j] -= along * room.basis[k, j]
            room.factor[k, rank] += along
    after = 0.0
    for j in range(p.n):
        after += line[j] * line[j]
    if not after > FOLLOWS * FOLLOWS * before:
        return 0.0
    line[: p.n] /= np.sqrt(after)
    return float(np.sqrt(after))


@njit(cache=True, nogil=True, error_model="numpy")
def _mend(p: Part, room: Room, rank: int) -> None:
    """θ moved along the directions, as far as it stays positive."""
    share, move = 1.0, room.d_reduced
    for j in range(p.n):
        move[j] = 0.0
        for k in range(rank):
            move[j] += room.basis[k, j] * room.off_primal[k]
        move[j] *= np.sqrt(p.theta[j])
        if move[j] < -0.9 * p.theta[j]:
            share = min(share, -0.9 * p.theta[j] / move[j])
    for j in range(p.n):
        p.theta[j] += share * move[j]


@njit(cache=True, nogil=True, error_model="numpy")
def sharpen(p: Part, room: Room) -> None:
    """Multipliers for the point as it landed: least squares of θ v = w over the rules that bind.

    Kept only if they are better than those before.
    """
    room.d_multiplier[: p.m] = 0.0
    before = _off_balance(p, room)
    if before <= SHARP:
        return
    rank, which = 0, room.inverse
    for i in range(p.m):
        if (i < p.e or p.slack[i] <= ALLOWED) and rank < p.n:
            length = _new_direction(p, room, i, rank, p.theta)
            if length > 0.0:
                room.factor[rank, rank] = length
                which[rank] = i
                rank += 1
    for k in range(rank - 1, -1, -1):
        left = 0.0
        for j in range(p.n):
            left += room.basis[k, j] * (room.weight[j] - p.theta[j] * room.d_reduced[j])
        for other in range(k + 1, rank):
            left -= room.factor[k, other] * room.d_multiplier[int(which[other])]
        room.d_multiplier[int(which[k])] = left / room.factor[k, k]
    if _off_balance(p, room) < before:
        p.z[:] = room.right[: p.m]


@njit(cache=True, nogil=True, error_model="numpy")
def _off_balance(p: Part, room: Room) -> float:
    """The most that θ v is off w, v below 0, or s λ off 0, after a change of the multipliers.

    right := the multipliers then; d_reduced := their v.
    """
    worst = 0.0
    for i in range(p.m):
        room.right[i] = p.z[i] + room.d_multiplier[i]
    for i in range(p.e, p.m):
        room.right[i] = max(room.right[i], 0.0)
        worst = max(worst, p.slack[i] * room.right[i])
    for j in range(p.n):
        along = 0.0
        for k in range(p.at[j], p.at[j + 1]):
            along += p.factor[k] * room.right[p.rule[k]]
        room.d_reduced[j] = along
        worst = max(worst, abs(p.theta[j] * along - room.weight[j]), -along)
    return worst
