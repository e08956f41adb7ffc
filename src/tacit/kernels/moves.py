"""Exact draws of the gammas of one split under inequalities Σ D g <= 0: one, some, or two at once.

first, last  the branches of the split; start, end: its touches
column_at, owner, D  the slots of every branch, their touches and factors; w is Σ D g of each touch
"""

from __future__ import annotations

import math

from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.chance import State, below, gamma, log_gamma_draw, uniform
from tacit.kernels.slopes import between, gamma_between

LEAST = 1e-300
"""Gammas and cells below this are told as this: they would vanish."""
_MOST_CUTS = 200
"""A slice that has shrunk so often is a point."""


@njit(cache=True, nogil=True)
def divide(first: int, last: int, faint: bool, g: Floats, share: Floats) -> None:
    """The shares of a split; of a faint one, g are logarithms."""
    total = 0.0
    if faint:
        highest = g[first:last].max()
        for j in range(first, last):
            share[j] = max(math.exp(g[j] - highest), LEAST)
            total += share[j]
    else:
        for j in range(first, last):
            share[j] = g[j]
            total += g[j]
    total = 1.0 / total
    for j in range(first, last):
        share[j] *= total


@njit(cache=True, nogil=True)
def freely(first: int, last: int, faint: bool, shape: Floats, g: Floats, state: State) -> None:
    """A split that no inequality touches: an independent draw."""
    for j in range(first, last):
        if faint:
            g[j] = log_gamma_draw(state, shape[j])
        elif shape[j] >= 1.0:
            g[j] = gamma(state, shape[j])
        else:
            g[j] = max(math.exp(log_gamma_draw(state, shape[j])), LEAST)


@njit(cache=True, nogil=True)
def one_by_one(
    first: int, last: int, shape: Floats, column_at: Ints, owner: Ints, D: Floats,
    inverse: Floats, g: Floats, w: Floats, state: State,
) -> None:  # fmt: skip
    """Draw every gamma of a split given the others."""
    for j in range(first, last):
        low, high = 0.0, math.inf
        old = g[j]
        for slot in range(column_at[j], column_at[j + 1]):
            bound = old - w[owner[slot]] * inverse[slot]
            if inverse[slot] > 0.0:
                high = min(high, bound)
            elif inverse[slot] < 0.0:
                low = max(low, bound)
        if low > high:
            continue
        new = max(gamma_between(state, shape[j], low, high), LEAST)
        g[j] = new
        for slot in range(column_at[j], column_at[j + 1]):
            w[owner[slot]] += D[slot] * (new - old)


@njit(cache=True, nogil=True)
def scale(
    at: int, until: int, start: int, end: int, member: Ints, shape: Floats, column_at: Ints,
    owner: Ints, D: Floats, g: Floats, w: Floats, moved: Floats, state: State,
) -> None:  # fmt: skip
    """Draw the common scale of some branches of a split, member[at:until]: a truncated gamma.

    In logarithms all of them move by the same s, and Σ (a (y + s) - e^(y + s)) is A s - G e^s.
    """
    moved[start:end] = 0.0
    shapes = size = 0.0
    for each in range(at, until):
        j = member[each]
        shapes += shape[j]
        size += g[j]
        for slot in range(column_at[j], column_at[j + 1]):
            moved[owner[slot]] += D[slot] * g[j]
    low, high = 0.0, math.inf
    for touch in range(start, end):
        if moved[touch] > 0.0:
            high = min(high, 1.0 - w[touch] / moved[touch])
        elif moved[touch] < 0.0:
            low = max(low, 1.0 - w[touch] / moved[touch])
    if low > high:
        return
    by = gamma_between(state, shapes, low * size, high * size) / size
    for each in range(at, until):
        g[member[each]] *= by
    for touch in range(start, end):
        w[touch] += (by - 1.0) * moved[touch]


@njit(cache=True, nogil=True)
def exchange(
    i: int, j: int, start: int, end: int, shape: Floats, column_at: Ints, owner: Ints,
    D: Floats, g: Floats, w: Floats, moved: Floats, state: State,
) -> None:  # fmt: skip
    """Draw how two branches divide what they have together: a truncated beta.

    Where bounds leave the sum of a split little room, single gammas hardly move, and this does. A
    slice that shrinks is not an independent draw, but takes less than half of the time.
    """
    moved[start:end] = 0.0
    for slot in range(column_at[i], column_at[i + 1]):
        moved[owner[slot]] += D[slot]
    for slot in range(column_at[j], column_at[j + 1]):
        moved[owner[slot]] -= D[slot]
    total, old, low, high = g[i] + g[j], g[i], 0.0, math.inf
    for touch in range(start, end):
        if moved[touch] > 0.0:
            high = min(high, old - w[touch] / moved[touch])
        elif moved[touch] < 0.0:
            low = max(low, old - w[touch] / moved[touch])
    if low >= high or high <= 0.0:
        return
    if shape[i] >= 1.0 and shape[j] >= 1.0:
        g[i] = _slice(state, shape[i] - 1.0, shape[j] - 1.0, old, total, low, min(high, total))
        g[j] = total - g[i]
    else:
        least = math.log(low / (total - low)) if 0.0 < low < total else -math.inf
        most = math.log(high / (total - high)) if high < total else math.inf
        _part(between(state, shape[i], shape[j], least, most), total, i, j, g)
    for touch in range(start, end):
        w[touch] += (g[i] - old) * moved[touch]


@njit(cache=True, nogil=True)
def _slice(
    state: State, a: float, b: float, old: float, total: float, low: float, high: float
) -> float:
    """One step for x^a (total - x)^b on [low, high], from `old`. [Neal 2003]"""
    level = math.log(uniform(state))
    for _ in range(_MOST_CUTS):
        new = low + (high - low) * uniform(state)
        if 0.0 < new < total:
            gain = a * math.log(new / old) + b * math.log((total - new) / (total - old))
            if gain >= level:
                return new
        if new < old:
            low = new
        else:
            high = new
    return old


@njit(cache=True, nogil=True)
def _part(odds: float, total: float, i: int, j: int, g: Floats) -> None:
    """Divide a total by the logarithm of odds; what would vanish is told as the least."""
    if odds > 0.0:
        small = math.exp(-odds)
        g[i], g[j] = total / (1.0 + small), max(total * small / (1.0 + small), LEAST)
    else:
        small = math.exp(odds)
        g[i], g[j] = max(total * small / (1.0 + small), LEAST), total / (1.0 + small)


@njit(cache=True, nogil=True)
def draw_two(
    i: int, start: int, end: int, faint: bool, shape: Floats, column_at: Ints, owner: Ints,
    D: Floats, g: Floats, moved: Floats, state: State,
) -> None:  # fmt: skip
    """A split of two branches has one share: a truncated beta."""
    moved[start:end] = 0.0
    for slot in range(column_at[i + 1], column_at[i + 2]):
        moved[owner[slot]] = D[slot]
    low, high = 0.0, math.inf
    for slot in range(column_at[i], column_at[i + 1]):
        if D[slot] > 0.0:
            high = min(high, -moved[owner[slot]] / D[slot])
        elif D[slot] < 0.0:
            low = max(low, -moved[owner[slot]] / D[slot])
    if low > high or high <= 0.0:
        return
    least = math.log(low) if low > 0.0 else -math.inf
    most = math.log(high) if high < math.inf else math.inf
    y = between(state, shape[i], shape[i + 1], least, most)
    if faint:
        g[i], g[i + 1] = y, 0.0
    else:
        _part(y, 1.0, i, i + 1, g)


@njit(cache=True, nogil=True)
def faintly(
    first: int, last: int, shape: Floats, column_at: Ints, owner: Ints, D: Floats,
    spot_at: Ints, spot: Ints, branch: Ints, g: Floats, state: State,
) -> None:  # fmt: skip
    """Draw every gamma given the others where all may be too small for a double.

    g are logarithms, and what an inequality says is computed on a scale of its own.
    """
    for j in range(first, last):
        low, high = -math.inf, math.inf
        for slot in range(column_at[j], column_at[j + 1]):
            if D[slot] == 0.0:
                continue
            bound = _log_bound(j, owner[slot], D[slot], D, spot_at, spot, branch, g)
            if D[slot] > 0.0:
                high = min(high, bound)
            else:
                low = max(low, bound)
        if low < high:
            g[j] = between(state, shape[j], 0.0, low, high)


@njit(cache=True, nogil=True)
def _log_bound(
    j: int, touch: int, own: float, D: Floats, spot_at: Ints, spot: Ints, branch: Ints,
    g: Floats,
) -> float:  # fmt: skip
    """log of - Σ D g over the other branches / own; -∞ where that is not above 0."""
    highest = -math.inf
    for at in range(spot_at[touch], spot_at[touch + 1]):
        if branch[at] != j and D[spot[at]] != 0.0:
            highest = max(highest, g[branch[at]])
    if highest == -math.inf:
        return -math.inf
    rest = 0.0
    for at in range(spot_at[touch], spot_at[touch + 1]):
        if branch[at] != j:
            rest += D[spot[at]] * math.exp(g[branch[at]] - highest)
    bound = -rest / own
    return math.log(bound) + highest if bound > 0.0 else -math.inf


@njit(cache=True, nogil=True)
def mix(
    first: int, last: int, start: int, end: int, groups: int, until: int, exchanges: int,
    group_at: Ints, member: Ints, shape: Floats, column_at: Ints, owner: Ints, D: Floats,
    g: Floats, w: Floats, moved: Floats, state: State,
) -> None:  # fmt: skip
    """Scale these groups, and let so many pairs exchange mass."""
    for group in range(groups, until):
        scale(group_at[group], group_at[group + 1], start, end, member, shape, column_at, owner,
              D, g, w, moved, state)  # fmt: skip
    for _ in range(exchanges):
        i, j = below(state, last - first), below(state, last - first - 1)
        exchange(first + i, first + j + (j >= i), start, end, shape, column_at, owner, D, g, w,
                 moved, state)  # fmt: skip
