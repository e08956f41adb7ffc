"""Posteriors in coordinates of gammas: every learned share is one gamma over the sum of its split.

A rule Σ f θ <= b, seen from the branches of one split with all other shares held, is
Σ_j C_j share_j + R <= b, which times the sum of gammas is Σ_j D_j g_j <= 0 with D_j = C_j + R - b:
linear, and a half-line in each g_j. So a sweep is a row of exact draws from truncated gammas.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Bools, Floats, Ints
from tacit.kernels.chance import State, below, gamma, log_gamma_draw
from tacit.kernels.records import Record, note
from tacit.kernels.slopes import between, gamma_between

LEAST = 1e-300
"""Gammas and cells below this are told as this: they would vanish."""
_FRESH = 64
"""Sums that are kept up to date are added up anew after so many sweeps."""


class Cone(NamedTuple):
    """A block whose equalities are a tree of splits, and its inequalities.

    shape      (branches,)   of the gamma of each branch
    split_at   (splits + 1,) the branches of each split
    faint      (splits,)     shapes so small that all gammas may vanish: kept with a scale
    fixed      (n,)          the product of given shares on the way to each cell
    path_at, path            the branches on the way to each cell
    rule_at, cells, factors, limit   the inequalities
    touch_at   (splits + 1,) the touches of each split: inequalities that name cells below it
    rule       (touches,)    the inequality
    alone      (touches,)    it touches no other split, so that D is constant
    entry_at   (touches + 1,) one entry for each of its cells below the split
    slot, constant (entries,) where it adds to D; factor times given shares
    other_at, other          the branches of other splits on the way to the cell
    spot_at    (touches + 1,) the slots of each touch: D of one branch each
    branch     (slots,)
    column_at  (branches + 1,), column  the slots of each branch
    owner      (slots,)      the touch of each slot
    scaled_at  (splits + 1,) the groups of branches that are scaled together
    group_split, group_at, member  of each group
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
    entry_at: Ints
    slot: Ints
    constant: Floats
    other_at: Ints
    other: Ints
    spot_at: Ints
    branch: Ints
    column_at: Ints
    column: Ints
    owner: Ints
    scaled_at: Ints
    group_split: Ints
    group_at: Ints
    member: Ints
    exchanges: Ints


class Room(NamedTuple):
    """What a chain keeps at hand.

    g, share (branches,); lift (splits,) logarithm of the scale of g; D (slots,); w (touches,)
    Σ D g; value (rules,) Σ f θ; limit (rules,) at most this now; theta (n,);
    moved (touches,)
    """

    g: Floats
    share: Floats
    lift: Floats
    D: Floats
    w: Floats
    value: Floats
    limit: Floats
    theta: Floats
    moved: Floats


def room_for(cone: Cone) -> Room:
    """Empty."""
    sizes = (cone.shape, cone.shape, cone.faint, cone.branch, cone.rule)
    rest = (cone.limit, cone.limit, cone.fixed, cone.rule)
    return Room(*(np.zeros(each.size) for each in (*sizes, *rest)))


@njit(cache=True, nogil=True)
def tell(cone: Cone, room: Room) -> None:
    """The cells of these shares."""
    for cell in range(cone.fixed.size):
        product = cone.fixed[cell]
        for at in range(cone.path_at[cell], cone.path_at[cell + 1]):
            product *= room.share[cone.path[at]]
        room.theta[cell] = product


@njit(cache=True, nogil=True)
def weigh(cone: Cone, room: Room) -> None:
    """The value of every rule at these cells."""
    for rule in range(cone.limit.size):
        total = 0.0
        for at in range(cone.rule_at[rule], cone.rule_at[rule + 1]):
            total += cone.factors[at] * room.theta[cone.cells[at]]
        room.value[rule] = total


@njit(cache=True, nogil=True)
def divide(cone: Cone, split: int, room: Room) -> None:
    """The shares of a split."""
    total = 0.0
    for j in range(cone.split_at[split], cone.split_at[split + 1]):
        total += room.g[j]
    for j in range(cone.split_at[split], cone.split_at[split + 1]):
        room.share[j] = room.g[j] / total


@njit(cache=True, nogil=True)
def settle(cone: Cone, room: Room) -> None:
    """Everything that follows from g, added up anew."""
    for split in range(cone.faint.size):
        divide(cone, split, room)
    tell(cone, room)
    weigh(cone, room)
    for touch in range(cone.rule.size):
        _state_rule(cone, touch, room)


@njit(cache=True, nogil=True)
def _state_rule(cone: Cone, touch: int, room: Room) -> None:
    """D of one inequality as its split sees it, and w = Σ D g."""
    first, last = cone.spot_at[touch], cone.spot_at[touch + 1]
    room.D[first:last] = 0.0
    here = 0.0
    for entry in range(cone.entry_at[touch], cone.entry_at[touch + 1]):
        product = cone.constant[entry]
        for at in range(cone.other_at[entry], cone.other_at[entry + 1]):
            product *= room.share[cone.other[at]]
        slot = cone.slot[entry]
        room.D[slot] += product
        here += product * room.share[cone.branch[slot]]
    rule = cone.rule[touch]
    beyond = -room.limit[rule]
    if not cone.alone[touch]:
        beyond += room.value[rule] - here
    total = 0.0
    for slot in range(first, last):
        room.D[slot] += beyond
        total += room.D[slot] * room.g[cone.branch[slot]]
    room.w[touch] = total


@njit(cache=True, nogil=True)
def _one_by_one(cone: Cone, split: int, room: Room, state: State) -> None:
    """Draw every gamma of a split given the others."""
    g, D, w = room.g, room.D, room.w
    for j in range(cone.split_at[split], cone.split_at[split + 1]):
        low, high = 0.0, math.inf
        old = g[j]
        for at in range(cone.column_at[j], cone.column_at[j + 1]):
            slot = cone.column[at]
            factor = D[slot]
            if factor > 0.0:
                high = min(high, old - w[cone.owner[slot]] / factor)
            elif factor < 0.0:
                low = max(low, old - w[cone.owner[slot]] / factor)
        if low > high:
            continue
        new = max(gamma_between(state, cone.shape[j], low, high), LEAST)
        change = new - old
        g[j] = new
        for at in range(cone.column_at[j], cone.column_at[j + 1]):
            slot = cone.column[at]
            w[cone.owner[slot]] += D[slot] * change


@njit(cache=True, nogil=True)
def _faintly(cone: Cone, split: int, room: Room, state: State) -> None:
    """The same where all gammas may be too small for a double: true gammas are g e^lift."""
    first, last = cone.split_at[split], cone.split_at[split + 1]
    _rescale(cone, split, room, room.g[first:last].max())
    for j in range(first, last):
        low, high = 0.0, math.inf
        for at in range(cone.column_at[j], cone.column_at[j + 1]):
            slot = cone.column[at]
            factor = room.D[slot]
            if factor > 0.0:
                high = min(high, room.g[j] - room.w[cone.owner[slot]] / factor)
            elif factor < 0.0:
                low = max(low, room.g[j] - room.w[cone.owner[slot]] / factor)
        if low > high or high <= 0.0:
            continue
        least = math.log(low) + room.lift[split] if low > 0.0 else -math.inf
        most = math.log(high) + room.lift[split] if high < math.inf else math.inf
        if least == -math.inf and most == math.inf:
            y = log_gamma_draw(state, cone.shape[j]) - room.lift[split]
        else:
            y = between(state, cone.shape[j], 0.0, least, most) - room.lift[split]
        if y > 200.0:
            room.g[j] = LEAST
            _rescale(cone, split, room, math.exp(min(y, 700.0)))
            y = 0.0
        room.g[j] = max(math.exp(y), LEAST)
        for at in range(cone.column_at[j], cone.column_at[j + 1]):
            _reweigh(cone, cone.owner[cone.column[at]], room)


@njit(cache=True, nogil=True)
def _rescale(cone: Cone, split: int, room: Room, by: float) -> None:
    room.lift[split] += math.log(by)
    for j in range(cone.split_at[split], cone.split_at[split + 1]):
        room.g[j] = max(room.g[j] / by, LEAST)
    for touch in range(cone.touch_at[split], cone.touch_at[split + 1]):
        _reweigh(cone, touch, room)


@njit(cache=True, nogil=True)
def _reweigh(cone: Cone, touch: int, room: Room) -> None:
    total = 0.0
    for slot in range(cone.spot_at[touch], cone.spot_at[touch + 1]):
        total += room.D[slot] * room.g[cone.branch[slot]]
    room.w[touch] = total


@njit(cache=True, nogil=True)
def _in_two(cone: Cone, split: int, room: Room, state: State) -> None:
    """A split of two branches has one share: a truncated beta."""
    first = cone.split_at[split]
    low, high = 0.0, math.inf
    for touch in range(cone.touch_at[split], cone.touch_at[split + 1]):
        one = two = 0.0
        for slot in range(cone.spot_at[touch], cone.spot_at[touch + 1]):
            if cone.branch[slot] == first:
                one = room.D[slot]
            else:
                two = room.D[slot]
        if one > 0.0:
            high = min(high, -two / one)
        elif one < 0.0:
            low = max(low, -two / one)
    if low > high or high <= 0.0:
        return
    least = math.log(low) if low > 0.0 else -math.inf
    most = math.log(high) if high < math.inf else math.inf
    y = between(state, cone.shape[first], cone.shape[first + 1], least, most)
    room.g[first] = max(1.0 / (1.0 + math.exp(-y)), LEAST) if y > -600.0 else LEAST
    room.g[first + 1] = max(1.0 / (1.0 + math.exp(y)), LEAST) if y < 600.0 else LEAST


@njit(cache=True, nogil=True)
def _freely(cone: Cone, split: int, room: Room, state: State) -> None:
    """A split that no inequality touches: an independent draw."""
    first, last = cone.split_at[split], cone.split_at[split + 1]
    if not cone.faint[split]:
        for j in range(first, last):
            shape = cone.shape[j]
            if shape >= 1.0:
                room.g[j] = gamma(state, shape)
            else:
                room.g[j] = max(math.exp(log_gamma_draw(state, shape)), LEAST)
        return
    highest = -math.inf
    for j in range(first, last):
        room.g[j] = log_gamma_draw(state, cone.shape[j])
        highest = max(highest, room.g[j])
    for j in range(first, last):
        room.g[j] = max(math.exp(room.g[j] - highest), LEAST)
    room.lift[split] = highest


@njit(cache=True, nogil=True)
def _scale(cone: Cone, group: int, room: Room, state: State) -> None:
    """Draw the common scale of some branches of a split: again a truncated gamma.

    In logarithms all of them move by the same s, and Σ (a (y + s) - e^(y + s)) is A s - G e^s.
    """
    g, D, w, moved = room.g, room.D, room.w, room.moved
    split = cone.group_split[group]
    first, last = cone.touch_at[split], cone.touch_at[split + 1]
    moved[first:last] = 0.0
    shape = size = 0.0
    for at in range(cone.group_at[group], cone.group_at[group + 1]):
        j = cone.member[at]
        shape += cone.shape[j]
        size += g[j]
        for column in range(cone.column_at[j], cone.column_at[j + 1]):
            slot = cone.column[column]
            moved[cone.owner[slot]] += D[slot] * g[j]
    low, high = 0.0, math.inf
    for touch in range(first, last):
        if moved[touch] > 0.0:
            high = min(high, 1.0 - w[touch] / moved[touch])
        elif moved[touch] < 0.0:
            low = max(low, 1.0 - w[touch] / moved[touch])
    if low > high:
        return
    by = gamma_between(state, shape, low * size, high * size) / size
    for at in range(cone.group_at[group], cone.group_at[group + 1]):
        g[cone.member[at]] *= by
    for touch in range(first, last):
        w[touch] += (by - 1.0) * moved[touch]


@njit(cache=True, nogil=True)
def _exchange(cone: Cone, i: int, j: int, split: int, room: Room, state: State) -> None:
    """Draw how two branches divide what they have together: a truncated beta.

    Where bounds leave the sum of a split little room, single gammas hardly move, and this does.
    """
    g, D, w, moved = room.g, room.D, room.w, room.moved
    first, last = cone.touch_at[split], cone.touch_at[split + 1]
    moved[first:last] = 0.0
    for at in range(cone.column_at[i], cone.column_at[i + 1]):
        moved[cone.owner[cone.column[at]]] += D[cone.column[at]]
    for at in range(cone.column_at[j], cone.column_at[j + 1]):
        moved[cone.owner[cone.column[at]]] -= D[cone.column[at]]
    total, low, high = g[i] + g[j], 0.0, g[i] + g[j]
    for touch in range(first, last):
        if moved[touch] > 0.0:
            high = min(high, g[i] - w[touch] / moved[touch])
        elif moved[touch] < 0.0:
            low = max(low, g[i] - w[touch] / moved[touch])
    if low >= high:
        return
    least = math.log(low / (total - low)) if low > 0.0 else -math.inf
    most = math.log(high / (total - high)) if high < total else math.inf
    y = between(state, cone.shape[i], cone.shape[j], least, most)
    old = g[i]
    g[i] = max(total / (1.0 + math.exp(-y)), LEAST) if y > -600.0 else LEAST
    g[j] = max(total / (1.0 + math.exp(y)), LEAST) if y < 600.0 else LEAST
    for touch in range(first, last):
        w[touch] += (g[i] - old) * moved[touch]


@njit(cache=True, nogil=True)
def _mix(cone: Cone, split: int, room: Room, state: State) -> None:
    """One pass over the gammas of a split, with what its rules need beside it."""
    first, last = cone.split_at[split], cone.split_at[split + 1]
    if cone.faint[split]:
        _faintly(cone, split, room, state)
        return
    _one_by_one(cone, split, room, state)
    for group in range(cone.scaled_at[split], cone.scaled_at[split + 1]):
        _scale(cone, group, room, state)
    for _ in range(cone.exchanges[split]):
        i = first + below(state, last - first)
        j = first + below(state, last - first - 1)
        _exchange(cone, i, j if j < i else j + 1, split, room, state)


@njit(cache=True, nogil=True)
def _sweep(cone: Cone, room: Room, state: State) -> None:
    """Every split once."""
    for split in range(cone.faint.size):
        first, last = cone.touch_at[split], cone.touch_at[split + 1]
        if first == last:
            _freely(cone, split, room, state)
            divide(cone, split, room)
            continue
        for touch in range(first, last):
            if not cone.alone[touch]:
                _state_rule(cone, touch, room)
        if cone.split_at[split + 1] - cone.split_at[split] == 2:
            _in_two(cone, split, room, state)
        else:
            _mix(cone, split, room, state)
        divide(cone, split, room)
        for touch in range(first, last):
            if not cone.alone[touch]:
                _tell_rule(cone, touch, room)


@njit(cache=True, nogil=True)
def _tell_rule(cone: Cone, touch: int, room: Room) -> None:
    """The value of an inequality after a change of the shares that it touches."""
    total = 0.0
    for slot in range(cone.spot_at[touch], cone.spot_at[touch + 1]):
        total += room.D[slot] * room.share[cone.branch[slot]]
    room.value[cone.rule[touch]] = total + room.limit[cone.rule[touch]]


@njit(cache=True, nogil=True)
def walk(
    cone: Cone, g: Floats, lift: Floats, room: Room, state: State, sweeps: int,
    record: Record, chain: int,
) -> None:  # fmt: skip
    """So many sweeps of one chain, noted down; g and lift are where it stands.

    chain: its place in the record, -1 if nothing is noted
    """
    room.g[:], room.lift[:], room.limit[:] = g, lift, cone.limit
    for sweep in range(sweeps):
        if sweep % _FRESH == 0:
            settle(cone, room)
        _sweep(cone, room, state)
        if chain >= 0:
            tell(cone, room)
            note(record, chain, room.theta)
    g[:], lift[:] = room.g, room.lift


@njit(cache=True, nogil=True)
def enter(cone: Cone, g: Floats, lift: Floats, room: Room, state: State, sweeps: int) -> bool:
    """Walk inside from shares that break inequalities; whether that was possible.

    An inequality that is broken holds with the limit that it reaches, which only falls.
    """
    room.g[:], room.lift[:], room.limit[:] = g, lift, math.inf
    for _ in range(sweeps):
        room.limit[:] = 0.0
        settle(cone, room)
        outside = False
        for rule in range(cone.limit.size):
            outside = outside or room.value[rule] > cone.limit[rule]
            room.limit[rule] = max(room.value[rule], cone.limit[rule])
        if not outside:
            g[:], lift[:] = room.g, room.lift
            return True
        for touch in range(cone.rule.size):
            _state_rule(cone, touch, room)
        _sweep(cone, room, state)
    return False


@njit(cache=True, nogil=True)
def _free_draw(cone: Cone, room: Room, state: State) -> bool:
    """An independent draw of everything; whether it obeys the inequalities."""
    for split in range(cone.faint.size):
        _freely(cone, split, room, state)
        divide(cone, split, room)
    tell(cone, room)
    for rule in range(cone.limit.size):
        total = 0.0
        for at in range(cone.rule_at[rule], cone.rule_at[rule + 1]):
            total += cone.factors[at] * room.theta[cone.cells[at]]
        if total > cone.limit[rule]:
            return False
    return True


@njit(cache=True, nogil=True)
def accepted(cone: Cone, room: Room, state: State, tries: int) -> int:
    """How many of so many free draws obey the inequalities."""
    found = 0
    for _ in range(tries):
        found += _free_draw(cone, room, state)
    return found


@njit(cache=True, nogil=True)
def reject(cone: Cone, room: Room, state: State, draws: int, record: Record, chain: int) -> None:
    """So many independent draws that obey the inequalities."""
    for _ in range(draws):
        while not _free_draw(cone, room, state):
            continue
        note(record, chain, room.theta)
