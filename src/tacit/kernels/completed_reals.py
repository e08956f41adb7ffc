"""Expected moments of completed cases: missing pieces written out as far as a question needs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Codes, Floats, Ints
from tacit.kernels.completing import Joints


class PieceReals(NamedTuple):
    """The reals that are missing in the pieces of `Joints`.

    real_at  (kinds + 1,)     where the reals of a kind start among `reals`
    mean_at  (contexts + 1,)  where its means start in `mean`, (joint states, reals) of them
    cov_at   (contexts,)      where the covariances of its joint states start in `cov`, (joint
                              states, reals, reals) of them; contexts may share them
    left_at  (contexts + 1,)  where the covariance over all its joint states starts in `left`
    """

    real_at: Ints
    reals: Ints
    mean_at: Ints
    mean: Floats
    cov_at: Ints
    cov: Floats
    left_at: Ints
    left: Floats


class Question(NamedTuple):
    """Which discrete variables choose the configuration, and which reals are asked for.

    stride  (variables,)  of each in the number of a configuration, 0 of others
    local   (members,)    of each member of a kind among the states of its kind that are told apart
    many    (kinds,)      how many states of a kind are told apart; 1: the kind is not touched
    column  (reals,)      where each stands among those asked for, -1 if it does not
    """

    stride: Ints
    local: Ints
    many: Ints
    column: Ints


@njit(cache=True, nogil=True)
def _told_apart(state: int, kind: int, joints: Joints, asked: Question) -> tuple[int, int]:
    """Which of the states told apart a joint state is, and its part of the configuration."""
    to, place = 0, 0
    for member in range(joints.member_at[kind], joints.member_at[kind + 1]):
        variable = joints.members[member]
        digit = state // joints.strides[member] % joints.states[variable]
        to += digit * asked.local[member]
        place += digit * asked.stride[variable]
    return to, place


@njit(cache=True, nogil=True)
def _projected(
    context: int, joints: Joints, held: PieceReals, asked: Question, share: Floats, offset: Ints,
    mean: Floats,
) -> None:  # fmt: skip
    """A touched piece by the states that are told apart: shares, places, and means of reals."""
    kind = joints.kind[context]
    many, width = asked.many[kind], held.real_at[kind + 1] - held.real_at[kind]
    share[:many] = 0.0
    mean[:many, :width] = 0.0
    for state in range(joints.size[kind]):
        part = joints.joint[joints.joint_at[context] + state]
        to, place = _told_apart(state, kind, joints, asked)
        offset[to] = place
        share[to] += part
        for i in range(width):
            mean[to, i] += part * held.mean[held.mean_at[context] + state * width + i]
    for to in range(many):
        if share[to] > 0.0:
            mean[to, :width] /= share[to]


@njit(cache=True, nogil=True)
def _projected_apart(
    context: int, joints: Joints, held: PieceReals, asked: Question, share: Floats, mean: Floats,
    cov: Floats,
) -> None:  # fmt: skip
    """Its covariances: over joint states put together the mean of theirs plus that of their
    means."""
    kind = joints.kind[context]
    many, width = asked.many[kind], held.real_at[kind + 1] - held.real_at[kind]
    cov[:many, :width, :width] = 0.0
    for state in range(joints.size[kind]):
        part = joints.joint[joints.joint_at[context] + state]
        if part <= 0.0:
            continue
        to, _ = _told_apart(state, kind, joints, asked)
        at = held.mean_at[context] + state * width
        own = held.cov_at[context] + state * width * width
        for i in range(width):
            off = held.mean[at + i] - mean[to, i]
            for j in range(i + 1):
                other = held.mean[at + j] - mean[to, j]
                cov[to, i, j] += part * (held.cov[own + i * width + j] + off * other)
    for to in range(many):
        if share[to] > 0.0:
            for i in range(width):
                for j in range(i + 1):
                    cov[to, i, j] /= share[to]
                    cov[to, j, i] = cov[to, i, j]


@njit(cache=True, nogil=True)
def _added(
    weight: float, at: int, z: Floats, centre: Floats, deep: bool, first: Floats, second: Floats
) -> None:
    """One line in its configuration: Σ w (z - centre), or Σ w (z - centre)(z - centre)ᵀ."""
    if not deep:
        for i in range(z.size):
            first[at, i] += weight * (z[i] - centre[at, i])
        return
    for i in range(z.size):
        off = weight * (z[i] - centre[at, i])
        for j in range(i + 1):
            second[at, i, j] += off * (z[j] - centre[at, j])


@njit(cache=True, nogil=True)
def _spread(
    weight: float, at: int, kind: int, block: Floats, held: PieceReals, column: Ints,
    second: Floats,
) -> None:  # fmt: skip
    """The covariance of a piece's reals, added to those asked for."""
    start, width = held.real_at[kind], held.real_at[kind + 1] - held.real_at[kind]
    for i in range(width):
        row = column[held.reals[start + i]]
        if row < 0:
            continue
        for j in range(width):
            other = column[held.reals[start + j]]
            if 0 <= other <= row:
                second[at, row, other] += weight * block[i, j]


class Room(NamedTuple):
    """What a line needs while it is added: its touched pieces, projected, and its values."""

    share: Floats
    offset: Ints
    mean: Floats
    cov: Floats
    touched: Ints
    digit: Ints
    z: Floats
    block: Floats


@njit(cache=True, nogil=True)
def _room(joints: Joints, held: PieceReals, asked: Question, lines: Ints, values: Floats) -> Room:
    most, width, pieces = 1, 0, 1
    for kind in range(asked.many.size):
        most = max(most, asked.many[kind])
        width = max(width, held.real_at[kind + 1] - held.real_at[kind])
    for line in lines:
        pieces = max(pieces, joints.piece_at[line + 1] - joints.piece_at[line])
    return Room(
        np.empty((pieces, most)), np.zeros((pieces, most), np.int64),
        np.empty((pieces, most, width)), np.empty((pieces, most, width, width)),
        np.empty(pieces, np.int64), np.empty(pieces, np.int64),
        np.empty(values.shape[1]), np.empty((width, width)),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _touch(
    line: int, joints: Joints, held: PieceReals, asked: Question, room: Room, deep: bool
) -> tuple[int, int]:
    """The touched pieces of a line projected: how many they are, and in how many ways."""
    hit, ways = 0, 1
    for piece in range(joints.piece_at[line], joints.piece_at[line + 1]):
        context = joints.context[piece]
        many = asked.many[joints.kind[context]]
        if many > 1:
            share, mean = room.share[hit], room.mean[hit]
            _projected(context, joints, held, asked, share, room.offset[hit], mean)
            if deep:
                _projected_apart(context, joints, held, asked, share, mean, room.cov[hit])
            room.touched[hit] = context
            ways *= many
            hit += 1
    return hit, ways


@njit(cache=True, nogil=True)
def _chosen(
    way: int, hit: int, joints: Joints, held: PieceReals, asked: Question, room: Room
) -> tuple[float, int]:
    """One way of the touched pieces: its posterior, and its part of the configuration; its means
    are put among the values of the line."""
    weight, at = 1.0, 0
    for each in range(hit):
        kind = joints.kind[room.touched[each]]
        digit = way % asked.many[kind]
        way //= asked.many[kind]
        room.digit[each] = digit
        weight *= room.share[each, digit]
        at += room.offset[each, digit]
        for i in range(held.real_at[kind], held.real_at[kind + 1]):
            to = asked.column[held.reals[i]]
            if to >= 0:
                room.z[to] = room.mean[each, digit, i - held.real_at[kind]]
    return weight, at


@njit(cache=True, nogil=True)
def _open(
    line: int, weight: float, at: int, hit: int, joints: Joints, held: PieceReals,
    asked: Question, room: Room, second: Floats,
) -> None:  # fmt: skip
    """What is left open of the reals of all pieces of a line, touched or not."""
    for each in range(hit):
        kind = joints.kind[room.touched[each]]
        _spread(weight, at, kind, room.cov[each, room.digit[each]], held, asked.column, second)
    for piece in range(joints.piece_at[line], joints.piece_at[line + 1]):
        context = joints.context[piece]
        kind = joints.kind[context]
        own = held.real_at[kind + 1] - held.real_at[kind]
        if asked.many[kind] > 1 or own == 0:
            continue
        for i in range(own):
            for j in range(own):
                room.block[i, j] = held.left[held.left_at[context] + i * own + j]
        _spread(weight, at, kind, room.block, held, asked.column, second)


@njit(cache=True, nogil=True)
def expected_moments(
    joints: Joints, held: PieceReals, asked: Question, lines: Ints, codes: Codes, values: Floats,
    weights: Floats, centre: Floats, deep: bool, count: Floats, first: Floats, second: Floats,
) -> None:  # fmt: skip
    """Add the lines, pieces that are touched written out, to their configurations.

    lines    those that are added
    codes    (variables, all lines)  -1 where missing
    values   (all lines, reals asked for)  what was observed, the posterior mean where it was not
    centre   (configurations, reals)  what values are taken about
    deep     False: count Σ w and first Σ w (z - centre); True: the lower half of second,
             Σ w ((z - centre)(z - centre)ᵀ + what is left open)
    """
    room = _room(joints, held, asked, lines, values)
    for line in lines:
        if weights[line] <= 0.0:
            continue
        base = 0
        for variable in range(asked.stride.size):
            if asked.stride[variable] > 0 and codes[variable, line] > 0:
                base += codes[variable, line] * asked.stride[variable]
        hit, ways = _touch(line, joints, held, asked, room, deep)
        for way in range(ways):
            room.z[:] = values[line]
            share, at = _chosen(way, hit, joints, held, asked, room)
            weight, at = weights[line] * share, base + at
            if weight <= 0.0:
                continue
            if not deep:
                count[at] += weight
            _added(weight, at, room.z, centre, deep, first, second)
            if deep:
                _open(line, weight, at, hit, joints, held, asked, room, second)
