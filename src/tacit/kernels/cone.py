"""Posteriors in coordinates of gammas: every learned share is one gamma over the sum of its split.

A rule Σ f θ <= b, seen from the branches of one split with all other shares held, is
Σ_j C_j share_j + R <= b, which times the sum of gammas is Σ_j D_j g_j <= 0 with D_j = C_j + R - b:
linear, and a half-line in each g_j. So a sweep is a row of exact draws from truncated gammas.

Arrays are passed one by one where it is hot: a tuple of many arrays costs more than a draw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Bools, Floats, Ints
from tacit.kernels.chance import State
from tacit.kernels.moves import divide, draw_two, faintly, freely, mix, one_by_one
from tacit.kernels.records import Record, note

_FRESH = 64
"""Sums that are kept up to date are added up anew after so many sweeps."""


class Cone(NamedTuple):
    """A block whose equalities are a tree of splits, and its inequalities.

    shape      (branches,)   of the gamma of each branch
    split_at   (splits + 1,) the branches of each split
    faint      (splits,)     shapes so small that all gammas may vanish: kept as logarithms
    fixed      (n,)          the product of given shares on the way to each cell
    path_at, path            the branches on the way to each cell
    rule_at, cells, factors, limit   the inequalities
    touch_at   (splits + 1,) the touches of each split: inequalities that name cells below it
    rule       (touches,)    the inequality
    alone      (touches,)    it touches no other split, so that D is constant
    column_at  (branches + 1,) the slots of each branch: one for every touch that sees it
    owner      (slots,)      the touch
    spot_at, spot, branch    the slots of each touch, and the branch of each of these
    entry_at   (touches + 1,) one entry for each of its cells below the split
    slot, constant (entries,) where it adds to D; factor times given shares
    entry_branch (entries,)  the branch of the split that the cell is below
    other_at, other          the branches of other splits on the way to the cell
    scaled_at  (splits + 1,) the groups of branches that are scaled together
    group_at, member         the branches of each group
    exchanges  (splits,)     how many pairs of branches exchange mass in a sweep
    """

    shape: Floats
    split_at: Ints
    faint: Bools
    fixed: Floats
    path_at: Ints
    path: Ints
    rule_at: Ints
    cells: Ints
    factors: Floats
    limit: Floats
    touch_at: Ints
    rule: Ints
    alone: Bools
    column_at: Ints
    owner: Ints
    spot_at: Ints
    spot: Ints
    branch: Ints
    entry_at: Ints
    slot: Ints
    constant: Floats
    entry_branch: Ints
    other_at: Ints
    other: Ints
    scaled_at: Ints
    group_at: Ints
    member: Ints
    exchanges: Ints


class Room(NamedTuple):
    """What a chain keeps at hand.

    g, share (branches,); D, inverse (slots,) the latter 1 / D, and 0 where D is 0;
    w, moved (touches,) the former Σ D g; value (rules,) Σ f θ; limit (rules,) at most this now;
    theta (n,)
    """

    g: Floats
    share: Floats
    D: Floats
    inverse: Floats
    w: Floats
    moved: Floats
    value: Floats
    limit: Floats
    theta: Floats


def room_for(cone: Cone) -> Room:
    """Empty."""
    sizes = (cone.shape, cone.shape, cone.owner, cone.owner)
    rest = (cone.rule, cone.rule, cone.limit, cone.limit, cone.fixed)
    return Room(*(np.zeros(each.size) for each in (*sizes, *rest)))


@njit(cache=True, nogil=True)
def tell(fixed: Floats, path_at: Ints, path: Ints, share: Floats, theta: Floats) -> None:
    """The cells of these shares."""
    for cell in range(fixed.size):
        product = fixed[cell]
        for at in range(path_at[cell], path_at[cell + 1]):
            product *= share[path[at]]
        theta[cell] = product


@njit(cache=True, nogil=True)
def settle(cone: Cone, room: Room) -> None:
    """Everything that follows from g, added up anew."""
    for split in range(cone.faint.size):
        first, last = cone.split_at[split], cone.split_at[split + 1]
        divide(first, last, cone.faint[split], room.g, room.share)
    tell(cone.fixed, cone.path_at, cone.path, room.share, room.theta)
    for rule in range(cone.limit.size):
        room.value[rule] = 0.0
        for at in range(cone.rule_at[rule], cone.rule_at[rule + 1]):
            room.value[rule] += cone.factors[at] * room.theta[cone.cells[at]]
    for touch in range(cone.rule.size):
        _state(
            touch, touch + 1, True, cone.rule, cone.alone, cone.spot_at, cone.spot, cone.branch,
            cone.entry_at, cone.slot, cone.constant, cone.entry_branch, cone.other_at, cone.other,
            room.g, room.share, room.value, room.limit, room.D, room.inverse, room.w,
        )  # fmt: skip


@njit(cache=True, nogil=True)
def _state(
    first: int, last: int, everyone: bool, rules: Ints, alone: Bools, spot_at: Ints, spot: Ints,
    branch: Ints, entry_at: Ints, slots: Ints, constant: Floats, entry_branch: Ints,
    other_at: Ints, other: Ints, g: Floats, share: Floats, value: Floats, limit: Floats,
    D: Floats, inverse: Floats, w: Floats,
) -> None:  # fmt: skip
    """D of these touches as their split sees them, and w = Σ D g; of everyone, or not of those
    that touch no other split.
    """
    for touch in range(first, last):
        if alone[touch] and not everyone:
            continue
        for at in range(spot_at[touch], spot_at[touch + 1]):
            D[spot[at]] = 0.0
        here = 0.0
        for entry in range(entry_at[touch], entry_at[touch + 1]):
            product = constant[entry]
            for at in range(other_at[entry], other_at[entry + 1]):
                product *= share[other[at]]
            D[slots[entry]] += product
            here += product * share[entry_branch[entry]]
        rest = 0.0 if alone[touch] else value[rules[touch]] - here
        rest -= limit[rules[touch]]
        total = 0.0
        for at in range(spot_at[touch], spot_at[touch + 1]):
            slot = spot[at]
            D[slot] += rest
            inverse[slot] = 1.0 / D[slot] if D[slot] != 0.0 else 0.0
            total += D[slot] * g[branch[at]]
        w[touch] = total


@njit(cache=True, nogil=True)
def _values(
    first: int, last: int, rules: Ints, alone: Bools, spot_at: Ints, spot: Ints, branch: Ints,
    share: Floats, limit: Floats, D: Floats, value: Floats,
) -> None:  # fmt: skip
    """The values of inequalities after a change of the shares of a split that they touch."""
    for touch in range(first, last):
        if alone[touch]:
            continue
        total = 0.0
        for at in range(spot_at[touch], spot_at[touch + 1]):
            total += D[spot[at]] * share[branch[at]]
        value[rules[touch]] = total + limit[rules[touch]]


@njit(cache=True, nogil=True)
def walk(
    cone: Cone, g: Floats, room: Room, state: State, sweeps: int,
    record: Record, chain: int,
) -> None:  # fmt: skip
    """So many sweeps of one chain, noted down; g is where it stands.

    chain: its place in the record, -1 if nothing is noted
    """
    room.g[:], room.limit[:] = g, cone.limit
    done = 0
    while done < sweeps:
        settle(cone, room)
        many = min(_FRESH, sweeps - done)
        _sweep(cone, room, state, many, record, chain)
        done += many
    g[:] = room.g


@njit(cache=True, nogil=True)
def _sweep(cone: Cone, room: Room, state: State, sweeps: int, record: Record, chain: int) -> None:
    """So many sweeps, every split once in each."""
    shape, split_at, faint, touch_at = cone.shape, cone.split_at, cone.faint, cone.touch_at
    fixed, path_at, path = cone.fixed, cone.path_at, cone.path
    rules, alone, column_at, owner = cone.rule, cone.alone, cone.column_at, cone.owner
    spot_at, spot, branch, entry_at = cone.spot_at, cone.spot, cone.branch, cone.entry_at
    slots, constant, entry_branch = cone.slot, cone.constant, cone.entry_branch
    other_at, other, scaled_at, group_at = cone.other_at, cone.other, cone.scaled_at, cone.group_at
    member, exchanges = cone.member, cone.exchanges
    g, share, D, inverse, w = room.g, room.share, room.D, room.inverse, room.w
    moved, value, limit, theta = room.moved, room.value, room.limit, room.theta
    tally, centre, batches = record.tally, record.centre, record.batches
    squares, kept = record.squares, record.kept
    together = alone.all()
    for _ in range(sweeps):
        for split in range(faint.size):
            first, last, dim = split_at[split], split_at[split + 1], faint[split]
            start, end = touch_at[split], touch_at[split + 1]
            if not together:
                _state(start, end, False, rules, alone, spot_at, spot, branch, entry_at, slots,
                       constant, entry_branch, other_at, other, g, share, value, limit, D, inverse,
                       w)  # fmt: skip
            if start == end:
                freely(first, last, dim, shape, g, state)
            elif last - first == 2:
                draw_two(first, start, end, dim, shape, column_at, owner, D, g, moved, state)
            elif dim:
                faintly(first, last, shape, column_at, owner, D, spot_at, spot, branch, g, state)
            else:
                one_by_one(first, last, shape, column_at, owner, D, inverse, g, w, state)
                mix(first, last, start, end, scaled_at[split], scaled_at[split + 1],
                    exchanges[split], group_at, member, shape, column_at, owner, D, g, w, moved,
                    state)  # fmt: skip
            divide(first, last, dim, g, share)
            if not together:
                _values(start, end, rules, alone, spot_at, spot, branch, share, limit, D, value)
        if chain >= 0:
            tell(fixed, path_at, path, share, theta)
            note(tally, centre, batches, squares, kept, chain, theta)


@njit(cache=True, nogil=True)
def enter(cone: Cone, g: Floats, room: Room, state: State, sweeps: int, record: Record) -> bool:
    """Walk inside from shares that break inequalities; whether that was possible.

    An inequality that is broken holds with the limit that it reaches, which only falls.
    """
    room.g[:], room.limit[:] = g, cone.limit
    for _ in range(sweeps):
        settle(cone, room)
        outside = False
        for rule in range(cone.limit.size):
            outside = outside or room.value[rule] > cone.limit[rule]
            room.limit[rule] = max(room.value[rule], cone.limit[rule])
        if not outside:
            g[:] = room.g
            return True
        settle(cone, room)
        _sweep(cone, room, state, 1, record, -1)
    return False


@njit(cache=True, nogil=True)
def _obeyed(rule_at: Ints, cells: Ints, factors: Floats, limit: Floats, theta: Floats) -> bool:
    for rule in range(limit.size):
        total = 0.0
        for at in range(rule_at[rule], rule_at[rule + 1]):
            total += factors[at] * theta[cells[at]]
        if total > limit[rule]:
            return False
    return True


@njit(cache=True, nogil=True)
def reject(
    cone: Cone, room: Room, state: State, draws: int, most: int, record: Record, chain: int
) -> int:
    """Independent draws that obey the inequalities: so many, from at most so many; how many.

    chain: its place in the record, -1 if nothing is noted
    """
    shape, split_at, faint, g, share = cone.shape, cone.split_at, cone.faint, room.g, room.share
    fixed, path_at, path, theta = cone.fixed, cone.path_at, cone.path, room.theta
    rule_at, cells, factors, limit = cone.rule_at, cone.cells, cone.factors, cone.limit
    tally, centre, batches = record.tally, record.centre, record.batches
    squares, kept = record.squares, record.kept
    found = tried = 0
    while found < draws and tried < most:
        tried += 1
        for split in range(faint.size):
            freely(split_at[split], split_at[split + 1], faint[split], shape, g, state)
            divide(split_at[split], split_at[split + 1], faint[split], g, share)
        tell(fixed, path_at, path, share, theta)
        if _obeyed(rule_at, cells, factors, limit, theta):
            found += 1
            if chain >= 0:
                note(tally, centre, batches, squares, kept, chain, theta)
    return found
