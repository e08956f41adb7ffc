"""Rows whose rules bound the masses of sets, with chains of masses inside them."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Bools, Floats, Ints
from tacit.kernels.nested import Nest
from tacit.kernels.pooling import flow_up, pool

LEFT_OVER = 1e-12
"""Bounds that add up to 1 as nearly as this leave nothing to divide."""


@njit(cache=True, nogil=True)
def clip(
    first: int, last: int, counts: Floats, lower: Floats, upper: Floats, total: float,
    mass: Floats, fixed: Bools,
) -> float:  # fmt: skip
    """Divide `total` over the groups that are not fixed; what their upper bounds leave over.

    maximise  Σ N_g log m_g   subject to  Σ m_g = total,  lower_g <= m_g <= upper_g.

    The optimum is m_g = clip(u · N_g, lower_g, upper_g) with one u = 1/λ for all groups. Where more
    is cut off by upper bounds than is added by lower ones, the right u is larger still, so what is
    over stays over and can be fixed; likewise below. Every round fixes a group or ends.
    [inequality constraints 2.4; with lower = 0 it is Alg 5.2.1, whose fixed set only grows]
    """
    while True:
        free = 0.0
        for g in range(first, last):
            free += 0.0 if fixed[g] else counts[g]
        if free <= 0:
            return total
        over, under = 0.0, 0.0
        for g in range(first, last):
            if not fixed[g]:
                mass[g] = total * (counts[g] / free)
                over += max(0.0, mass[g] - upper[g])
                under += max(0.0, lower[g] - mass[g])
        if over <= 0 and under <= 0:
            return 0.0
        total -= _fix(first, last, over >= under, over <= under, lower, upper, mass, fixed)


@njit(cache=True, nogil=True)
def _fix(
    first: int, last: int, above: bool, below: bool, lower: Floats, upper: Floats,
    mass: Floats, fixed: Bools,
) -> float:  # fmt: skip
    """Fix what is above its upper or below its lower bound there; how much that takes."""
    taken = 0.0
    for g in range(first, last):
        if fixed[g]:
            continue
        over, under = above and mass[g] > upper[g], below and mass[g] < lower[g]
        if over or under:
            mass[g], fixed[g] = upper[g] if over else lower[g], True
            taken += mass[g]
    return taken


@njit(cache=True, nogil=True)
def part_row(first: int, last: int, nest: Nest, counts: Floats, mass: Floats, fixed: Bools) -> bool:
    """The most likely masses of the groups of a row; whether others are as likely.

    Groups without counts get their lower bounds; what the bounds of all others leave over is
    divided over them by their sizes. [inequality constraints 2.6]
    """
    rest = 1.0
    for g in range(first, last):
        fixed[g] = counts[g] <= 0
        if fixed[g]:
            mass[g] = nest.lower[g]
            rest -= mass[g]
    rest = clip(first, last, counts, nest.lower, nest.upper, rest, mass, fixed)
    if rest <= LEFT_OVER:
        return False
    for g in range(first, last):
        fixed[g] = counts[g] > 0
        rest += 0.0 if fixed[g] else nest.lower[g]
    clip(first, last, nest.size, nest.lower, nest.upper, rest, mass, fixed)
    can_rise, can_fall, can_both = 0, 0, 0
    for g in range(first, last):
        if counts[g] <= 0:
            rises, falls = mass[g] < nest.upper[g], mass[g] > nest.lower[g]
            can_rise, can_fall = can_rise + rises, can_fall + falls
            can_both += rises and falls
    return can_rise > 0 and can_fall > 0 and not (can_rise == can_fall == can_both == 1)


@njit(cache=True, nogil=True)
def solve_nests(
    which: Ints, nest: Nest, weights: Floats, theta: Floats, counts: Floats, mass: Floats,
    flat: Bools,
) -> None:  # fmt: skip
    """The most likely cells of these rows, written into theta; counts and mass of their sets.

    Inside a group rules are free of scale: only the shares of its parts matter, and they are those
    of the pooled counts. What has no counts falls into parts by the sizes of its sets.
    """
    sets = nest.parent.size
    fixed, value, above = np.empty(sets, dtype=np.bool_), np.empty(sets), np.empty(sets)
    work, spans = np.empty((6, sets)), np.empty((sets, 2), dtype=np.int64)
    for row in which:
        first, last = nest.set_at[row]
        _count(row, nest, weights, counts)
        flat[row] = part_row(first, first + nest.groups[row], nest, counts, mass, fixed)
        for chain in range(nest.chain_at[row, 0], nest.chain_at[row, 1]):
            begin, end = nest.member_at[chain]
            around = nest.parent[begin]
            by = counts if counts[around] > 0 else nest.size
            for k in range(begin, end):
                above[k] = by[k]
            pool(
                begin, end, above, nest.scale, nest.tied, nest.lower, nest.upper, value, work, spans
            )
            for k in range(begin, end):
                mass[k] = mass[around] * (value[k] * nest.scale[k] / by[around])
        for k in range(first, last):
            flat[row] |= counts[k] <= 0 and mass[k] > 0 and nest.ways[k] > 1
        for at in range(nest.cell_at[row, 0], nest.cell_at[row, 1]):
            home = nest.home[at]
            if counts[home] > 0:
                theta[at] = mass[home] * (weights[at] / counts[home])
            else:
                theta[at] = mass[home] / nest.size[home]


@njit(cache=True, nogil=True)
def _count(row: int, nest: Nest, weights: Floats, counts: Floats) -> None:
    """Add the weights of the cells up over the sets of a row."""
    first, last = nest.set_at[row]
    counts[first:last] = 0.0
    for at in range(nest.cell_at[row, 0], nest.cell_at[row, 1]):
        counts[nest.home[at]] += weights[at]
    for k in range(last - 1, first - 1, -1):
        if nest.parent[k] >= 0:
            counts[nest.parent[k]] += counts[k]


@njit(cache=True, nogil=True)
def price_nests(nest: Nest, counts: Floats, mass: Floats, gain: Floats, flow: Floats) -> None:
    """For every group the gain from more mass; for every other set what its link hands on.

    The price λ of a row lies between N/m of the groups that could grow and of those that could
    shrink; where no group can do both, the latter say what loosening an upper bound brings.
    A set of a chain pulls with N/m - λ, λ = N/m of the set around it. [Thm 5.1.1, Lemma 5.2.1]
    """
    sets = nest.parent.size
    pull, value = np.empty(sets), np.empty(sets)
    for row in range(nest.groups.size):
        first = nest.set_at[row, 0]
        _price_groups(first, first + nest.groups[row], nest, counts, mass, gain)
        for chain in range(nest.chain_at[row, 0], nest.chain_at[row, 1]):
            begin, end = nest.member_at[chain]
            price = _each(counts[nest.parent[begin]], mass[nest.parent[begin]])
            for k in range(begin, end):
                value[k] = mass[k] / nest.scale[k]
                pull[k] = nest.scale[k] * (_each(counts[k], mass[k]) - price)
                if mass[k] <= 0:
                    pull[k] = 0.0
            flow_up(begin, end, pull, value, nest.up, flow)


@njit(cache=True, nogil=True)
def _price_groups(
    first: int, last: int, nest: Nest, counts: Floats, mass: Floats, gain: Floats
) -> None:
    least, most, total = np.inf, -np.inf, 0.0
    for g in range(first, last):
        total += counts[g]
        if mass[g] > nest.lower[g]:
            least = min(least, _each(counts[g], mass[g]))
        if mass[g] < nest.upper[g]:
            most = max(most, _each(counts[g], mass[g]))
    price = least if least < np.inf else most if most > -np.inf else total
    for g in range(first, last):
        gain[g] = _each(counts[g], mass[g]) - price


@njit(cache=True, nogil=True)
def _each(count: float, mass: float) -> float:
    return count / mass if mass > 0 else 0.0
