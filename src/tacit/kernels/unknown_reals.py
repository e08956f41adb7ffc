"""What is known of missing pieces around reals: solved, weighed and summed, group after group.

A group is cases that lack the same variables. Its parts are least squares in a few unknowns u,
A u = b + noise of sd 1, one of them in every configuration of the discrete variables that are open;
every configuration of these together is weighed. With A = Q R, u has mean R⁻¹ Qᵀ b and covariance
R⁻¹ R⁻ᵀ, and what is left of b tells how probable the configuration is.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.reals_factored import factor_all
from tacit.kernels.reals_summed import add_spread, collect, name_unknowns
from tacit.kernels.reals_told import (
    BLOCK,
    Cases,
    Groups,
    Numbers,
    Parts,
    Regressions,
    Room,
    Sums,
    Tables,
)
from tacit.kernels.reals_weighed import add_line, place, weigh


@njit(cache=True, nogil=True)
def add_expected(
    groups: Groups,
    parts: Parts,
    tables: Tables,
    families: Regressions,
    cases: Cases,
    numbers: Numbers,
    room: Room,
    out: Sums,
) -> None:
    """Add up what all groups say."""
    room.column[:] = -1
    for group in range(groups.joint.size):
        some, few = parts_of(groups, group), tables_of(groups, group)
        factor_all(some, parts, families, numbers, room)
        room.total[:] = 0.0
        first, last = groups.cases_at[group], groups.cases_at[group + 1]
        for start in range(first, last, BLOCK):
            block = groups.cases[start : min(start + BLOCK, last)]
            _respond(some, block, parts, families, cases, numbers, room)
            for table in range(few[0], few[1]):
                place(table, table - few[0], block, tables, cases, room)
            weigh(group, some, few, block, groups, parts, tables, cases, numbers, room, out)
            collect(some, block.size, parts, families, room, out)
        add_spread(some, parts, families, room, out)


@njit(cache=True, nogil=True)
def parts_of(groups: Groups, group: int) -> tuple[int, int]:
    """The range of the parts of a group."""
    return groups.parts_at[group], groups.parts_at[group + 1]


@njit(cache=True, nogil=True)
def tables_of(groups: Groups, group: int) -> tuple[int, int]:
    """The range of its tables."""
    return groups.tables_at[group], groups.tables_at[group + 1]


@njit(cache=True, nogil=True)
def _respond(
    some: tuple[int, int],
    block: Ints,
    parts: Parts,
    families: Regressions,
    cases: Cases,
    numbers: Numbers,
    room: Room,
) -> None:
    """The log density of every configuration of every part, and the means of its unknowns."""
    place, line, mean, many = 0, 0, room.column.size, block.size
    for part in range(some[0], some[1]):
        rows = parts.rows[parts.rows_at[part] : parts.rows_at[part + 1]]
        unknown = parts.unknown[part]
        name_unknowns(part, parts, room.column, True)
        _show(rows, block, families, cases, room)
        for configuration in range(parts.configurations[part]):
            choice = parts.choice[parts.choice_at[part] + configuration * rows.size :]
            middle = place + unknown * rows.size
            across = room.factors[place:middle].reshape(unknown, rows.size)
            inverse = room.factors[middle : middle + unknown**2].reshape(unknown, unknown)
            _right_sides(rows, choice, unknown, many, families, numbers, room)
            if unknown:
                means = room.held[mean : mean + unknown, :many]
                _solve(across, inverse, room.right[:, :many], room.turned[:, :many], means)
            _squares(room.density, line, many, room.constant[line], room.right, rows.size)
            place, line, mean = middle + unknown**2, line + 1, mean + unknown
        name_unknowns(part, parts, room.column, False)


@njit(cache=True, nogil=True)
def _show(rows: Ints, block: Ints, families: Regressions, cases: Cases, room: Room) -> None:
    """What was observed in the families of a part, about the centre."""
    for row in rows:
        for axis in range(families.axes_at[row], families.axes_at[row + 1]):
            variable = families.axes[axis]
            if room.column[variable] < 0:
                centre = families.centre[variable]
                own = room.held[variable]
                for at in range(block.size):
                    own[at] = cases.reals[block[at], variable] - centre


@njit(cache=True, nogil=True)
def _right_sides(
    rows: Ints,
    choice: Ints,
    unknown: int,
    many: int,
    families: Regressions,
    numbers: Numbers,
    room: Room,
) -> None:
    """(intercept + Σ coefficients · observed parents - the child, where it was observed) / sd"""
    for at in range(rows.size):
        row = rows[at]
        first, last = families.axes_at[row], families.axes_at[row + 1] - 1
        start = families.slope_at[row] + choice[at] * (last - first)
        regression = families.level_at[row] + choice[at]
        level = numbers.levels[regression] - families.centre[row]
        for axis in range(first, last):
            level += numbers.slopes[start + axis - first] * families.centre[families.axes[axis]]
        precision = 1.0 / np.sqrt(numbers.noise[regression])
        if at >= unknown:
            _begin(room.right, at, many, room.held, row, level * precision, precision)
        else:
            room.right[at, :many] = level * precision
        for axis in range(first, last):
            variable = families.axes[axis]
            if room.column[variable] < 0:
                slope = numbers.slopes[start + axis - first] * precision
                add_line(room.right, at, room.held, variable, slope, many)


@njit(cache=True, nogil=True)
def _begin(
    right: Floats, at: int, many: int, held: Floats, row: int, level: float, precision: float
) -> None:
    for case in range(many):
        right[at, case] = level - precision * held[row, case]


@njit(cache=True, nogil=True)
def _squares(
    density: Floats, line: int, many: int, constant: float, right: Floats, rows: int
) -> None:
    density[line, :many] = constant
    for at in range(rows):
        for case in range(many):
            density[line, case] -= 0.5 * right[at, case] ** 2


@njit(cache=True, nogil=True)
def _solve(across: Floats, inverse: Floats, right: Floats, turned: Floats, means: Floats) -> None:
    """R⁻¹ Qᵀ b into the means; of b stays what no unknown accounts for."""
    for one in range(across.shape[0]):
        turned[one] = 0.0
        for at in range(across.shape[1]):
            for case in range(right.shape[1]):
                turned[one, case] += across[one, at] * right[at, case]
    for one in range(across.shape[0]):
        means[one] = 0.0
        for at in range(across.shape[1]):
            for case in range(right.shape[1]):
                right[at, case] -= across[one, at] * turned[one, case]
        for other in range(one, across.shape[0]):
            for case in range(right.shape[1]):
                means[one, case] += inverse[one, other] * turned[other, case]
