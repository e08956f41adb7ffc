"""Cases with states and reals completed at random, as their network says of what they lack.

All unknown reals of a case are drawn together from their normal distribution given its states; each
unknown state before that with the reals integrated out, given the other states. So a case with one
unknown state is drawn exactly from what is known of it, whatever reals it lacks beside.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Bools, Floats, Ints
from tacit.kernels.chance import State, normal, uniform


class Tables(NamedTuple):
    """The discrete families, as layouts number them."""

    cards: Ints
    touch_at: Ints
    touch: Ints
    axes_at: Ints
    axes: Ints
    strides: Ints
    starts: Ints


class Lines(NamedTuple):
    """The regressions: of each real its continuous parents, the discrete ones that choose, and
    where its coefficients, its levels, and sums of its variables begin."""

    parent_at: Ints
    parent: Ints
    switch_at: Ints
    switch: Ints
    stride: Ints
    slope_at: Ints
    level_at: Ints
    sum_at: Ints
    product_at: Ints


class Numbers(NamedTuple):
    """Parameters: cells of tables; coefficients, intercepts and variances of the noise."""

    theta: Floats
    slopes: Floats
    levels: Floats
    noise: Floats


@njit(cache=True, nogil=True)
def _configuration(lines: Lines, real: int, codes: Ints) -> int:
    found = 0
    for at in range(lines.switch_at[real], lines.switch_at[real + 1]):
        found += codes[lines.switch[at]] * lines.stride[at]
    return found


@njit(cache=True, nogil=True)
def _add_row(
    lines: Lines, real: int, factors: Floats, off: float, noise: float, column: Ints, root: Floats,
    pull: Floats,
) -> None:  # fmt: skip
    """Add what one regression says of the unknowns: off + Σ factors · unknowns ~ Normal(0, noise).

    factors: of its parents..., itself
    """
    first, last = lines.parent_at[real], lines.parent_at[real + 1]
    for one in range(first, last + 1):
        here = column[lines.parent[one] if one < last else real]
        if here < 0:
            continue
        pull[here] -= factors[one - first] * off / noise
        for other in range(first, last + 1):
            there = column[lines.parent[other] if other < last else real]
            if there >= 0:
                root[here, there] += factors[one - first] * factors[other - first] / noise


@njit(cache=True, nogil=True)
def _rooted(root: Floats, pull: Floats, size: int) -> float:
    """The Cholesky root of a precision in its place, pull solved by it, and log ∫ of its normal."""
    total = 0.0
    for row in range(size):
        for col in range(row + 1):
            found = root[row, col]
            for before in range(col):
                found -= root[row, before] * root[col, before]
            root[row, col] = math.sqrt(found) if row == col else found / root[col, col]
        found = pull[row]
        for before in range(row):
            found -= root[row, before] * pull[before]
        pull[row] = found / root[row, row]
        total += 0.5 * pull[row] * pull[row] - math.log(root[row, row])
    return total


@njit(cache=True, nogil=True)
def _density(
    lines: Lines, numbers: Numbers, codes: Ints, reals: Floats, column: Ints, root: Floats,
    pull: Floats, size: int,
) -> float:  # fmt: skip
    """The log density of the reals that are known, the `size` others integrated out, up to what is
    the same for all states. `root` becomes the Cholesky root of their precision, and `pull` what
    solves root · pull = precision · mean."""
    total = 0.0
    root[:size, :size] = 0.0
    pull[:size] = 0.0
    factors = np.empty(lines.level_at.size)
    for real in range(lines.level_at.size):
        which = _configuration(lines, real, codes)
        first, last = lines.parent_at[real], lines.parent_at[real + 1]
        slope = lines.slope_at[real] + which * (last - first)
        level = lines.level_at[real] + which
        noise, off = numbers.noise[level], -numbers.levels[level]
        for at in range(first, last + 1):
            place = lines.parent[at] if at < last else real
            factors[at - first] = -numbers.slopes[slope + at - first] if at < last else 1.0
            if column[place] < 0:
                off += factors[at - first] * reals[place]
        total -= 0.5 * (math.log(noise) + off * off / noise)
        _add_row(lines, real, factors, off, noise, column, root, pull)
    return total + _rooted(root, pull, size)


@njit(cache=True, nogil=True)
def _log_mass(tables: Tables, theta: Floats, codes: Ints, variable: int) -> float:
    """The log probability of the tables that speak of a variable."""
    total = 0.0
    for which in range(tables.touch_at[variable], tables.touch_at[variable + 1]):
        family = tables.touch[which]
        cell = tables.starts[family]
        for axis in range(tables.axes_at[family], tables.axes_at[family + 1]):
            cell += codes[tables.axes[axis]] * tables.strides[axis]
        total += math.log(theta[cell]) if theta[cell] > 0.0 else -np.inf
    return total


@njit(cache=True, nogil=True)
def _chosen(state: State, logs: Floats, top: float, size: int) -> int:
    """A place, as probable as its log says."""
    total = 0.0
    for at in range(size):
        total += math.exp(logs[at] - top)
    wanted = uniform(state) * total
    for at in range(size):
        wanted -= math.exp(logs[at] - top)
        if wanted < 0.0:
            return at
    return size - 1


@njit(cache=True, nogil=True)
def _refill_states(
    state: State, tables: Tables, lines: Lines, numbers: Numbers, codes: Ints, reals: Floats,
    no_code: Bools, column: Ints, root: Floats, pull: Floats, size: int, logs: Floats,
) -> None:  # fmt: skip
    """Draw the states that a case lacks, one after the other."""
    for variable in range(tables.cards.size):
        if not no_code[variable]:
            continue
        before, top = codes[variable], -np.inf
        for value in range(tables.cards[variable]):
            codes[variable] = value
            logs[value] = _log_mass(tables, numbers.theta, codes, variable)
            if logs[value] > -np.inf:
                logs[value] += _density(lines, numbers, codes, reals, column, root, pull, size)
            top = max(top, logs[value])
        codes[variable] = before
        if top > -np.inf:
            codes[variable] = _chosen(state, logs, top, tables.cards[variable])


@njit(cache=True, nogil=True)
def _refill_reals(
    state: State, reals: Floats, column: Ints, root: Floats, pull: Floats, size: int
) -> None:
    """Draw the reals that a case lacks, given the root of their precision."""
    for row in range(size - 1, -1, -1):
        found = pull[row] + normal(state)
        for after in range(row + 1, size):
            found -= root[after, row] * pull[after]
        pull[row] = found / root[row, row]
    for real in range(reals.size):
        if column[real] >= 0:
            reals[real] = pull[column[real]]


@njit(cache=True, nogil=True)
def refill(
    state: State, tables: Tables, lines: Lines, numbers: Numbers, codes: Ints, reals: Floats,
    no_code: Bools, no_real: Bools,
) -> None:  # fmt: skip
    """Draw what every case lacks; `no_code` and `no_real` say what that is.

    A state that nothing is possible for, given the others, stays as it is.
    """
    many = reals.shape[1]
    root, pull = np.empty((many, many)), np.empty(many)
    column = np.empty(many, np.int64)
    logs = np.empty(max(1, tables.cards.max()) if tables.cards.size else 1)
    for case in range(codes.shape[0]):
        size = 0
        for real in range(many):
            column[real] = size if no_real[case, real] else -1
            size += no_real[case, real]
        _refill_states(
            state, tables, lines, numbers, codes[case], reals[case], no_code[case], column, root,
            pull, size, logs,
        )  # fmt: skip
        if size:
            _density(lines, numbers, codes[case], reals[case], column, root, pull, size)
            _refill_reals(state, reals[case], column, root, pull, size)


@njit(cache=True, nogil=True)
def add_up(
    tables: Tables, lines: Lines, codes: Ints, reals: Floats, weights: Floats, centre: Floats,
    counts: Floats, weight: Floats, sums: Floats, products: Floats,
) -> None:  # fmt: skip
    """Add every case to the counts of tables, and to weights, sums and products of (parents...,
    child) about a centre, family by family and configuration by configuration."""
    for case in range(codes.shape[0]):
        for family in range(tables.starts.size):
            cell = tables.starts[family]
            for axis in range(tables.axes_at[family], tables.axes_at[family + 1]):
                cell += codes[case, tables.axes[axis]] * tables.strides[axis]
            counts[cell] += weights[case]
        for real in range(lines.level_at.size):
            which = _configuration(lines, real, codes[case])
            first, last = lines.parent_at[real], lines.parent_at[real + 1]
            size = last - first + 1
            weight[lines.level_at[real] + which] += weights[case]
            into = lines.sum_at[real] + which * size
            square = lines.product_at[real] + which * size * size
            for one in range(size):
                place = lines.parent[first + one] if one < size - 1 else real
                value = weights[case] * (reals[case, place] - centre[place])
                sums[into + one] += value
                for other in range(size):
                    near = lines.parent[first + other] if other < size - 1 else real
                    products[square + one * size + other] += value * (
                        reals[case, near] - centre[near]
                    )
