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
                _place(table, table - few[0], block, tables, cases, room)
            _weigh(group, some, few, block, groups, parts, tables, cases, numbers, room, out)
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
            for at in range(rows.size):
                own = room.right[at, :many]
                _right_side(rows[at], choice[at], at >= unknown, families, numbers, room, own)
            if unknown:
                means = room.held[mean : mean + unknown, :many]
                _solve(across, inverse, room.right[:, :many], room.turned[:, :many], means)
            density = room.density[line, :many]
            density[:] = room.constant[line]
            for at in range(rows.size):
                for case in range(many):
                    density[case] -= 0.5 * room.right[at, case] ** 2
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
                for at in range(block.size):
                    room.held[variable, at] = cases.reals[block[at], variable] - centre


@njit(cache=True, nogil=True)
def _right_side(
    row: int,
    choice: int,
    seen: bool,
    families: Regressions,
    numbers: Numbers,
    room: Room,
    out: Floats,
) -> None:
    """(intercept + Σ coefficients · observed parents - the child, where it was observed) / sd"""
    first, last = families.axes_at[row], families.axes_at[row + 1] - 1
    start = families.slope_at[row] + choice * (last - first)
    regression = families.level_at[row] + choice
    level = numbers.levels[regression] - families.centre[row]
    for axis in range(first, last):
        level += numbers.slopes[start + axis - first] * families.centre[families.axes[axis]]
    out[:] = level
    for axis in range(first, last):
        variable = families.axes[axis]
        if room.column[variable] < 0:
            slope = numbers.slopes[start + axis - first]
            for case in range(out.size):
                out[case] += slope * room.held[variable, case]
    if seen:
        for case in range(out.size):
            out[case] -= room.held[row, case]
    precision = 1.0 / np.sqrt(numbers.noise[regression])
    for case in range(out.size):
        out[case] *= precision


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


@njit(cache=True, nogil=True)
def _place(table: int, line: int, block: Ints, tables: Tables, cases: Cases, room: Room) -> None:
    """Where each case looks into a table, by what it observed."""
    room.base[line, : block.size] = tables.start[table]
    for at in range(tables.seen_at[table], tables.seen_at[table + 1]):
        for case in range(block.size):
            state = cases.codes[block[case], tables.seen[at]]
            room.base[line, case] += tables.stride[at] * state


@njit(cache=True, nogil=True)
def _weigh(
    group: int,
    some: tuple[int, int],
    few: tuple[int, int],
    block: Ints,
    groups: Groups,
    parts: Parts,
    tables: Tables,
    cases: Cases,
    numbers: Numbers,
    room: Room,
    out: Sums,
) -> None:
    """The posterior of every configuration of what is open; that of each part into `density`."""
    many, joint = block.size, groups.joint[group]
    for configuration in range(joint):
        own = room.joint[configuration, :many]
        own[:] = 0.0
        line = 0
        for part in range(some[0], some[1]):
            at = line + parts.of_joint[parts.joint_at[part] + configuration]
            for case in range(many):
                own[case] += room.density[at, case]
            line += parts.configurations[part]
        for table in range(few[0], few[1]):
            at = tables.of_joint[tables.joint_at[table] + configuration]
            for case in range(many):
                own[case] += numbers.logs[room.base[table - few[0], case] + at]
    _normalise(room.joint[:joint, :many], room.mass[:many])
    for case in range(many):
        weight = cases.weights[block[case]]
        if weight > 0.0:
            out.mass[group] += weight * room.mass[case]
        for configuration in range(joint):
            room.joint[configuration, case] *= weight
    _share(group, some, few, many, groups, parts, tables, room, out)


@njit(cache=True, nogil=True)
def _normalise(logs: Floats, mass: Floats) -> None:
    """Shares from logs; the log of what they sum to. Shares of nothing are 0."""
    mass[:] = logs[0]
    for configuration in range(1, logs.shape[0]):
        for case in range(mass.size):
            mass[case] = max(mass[case], logs[configuration, case])
    for case in range(mass.size):
        top, total = mass[case], 0.0
        for configuration in range(logs.shape[0]):
            share = np.exp(logs[configuration, case] - top) if top > -np.inf else 0.0
            logs[configuration, case] = share
            total += share
        if total > 0.0:
            mass[case] = top + np.log(total)
            for configuration in range(logs.shape[0]):
                logs[configuration, case] /= total


@njit(cache=True, nogil=True)
def _share(
    group: int,
    some: tuple[int, int],
    few: tuple[int, int],
    many: int,
    groups: Groups,
    parts: Parts,
    tables: Tables,
    room: Room,
    out: Sums,
) -> None:
    """What was weighed together, given to tables and to parts."""
    line, joint = 0, groups.joint[group]
    for part in range(some[0], some[1]):
        room.density[line : line + parts.configurations[part], :many] = 0.0
        for configuration in range(joint):
            at = line + parts.of_joint[parts.joint_at[part] + configuration]
            for case in range(many):
                room.density[at, case] += room.joint[configuration, case]
        line += parts.configurations[part]
    for table in range(few[0], few[1]):
        for configuration in range(joint):
            at = tables.of_joint[tables.joint_at[table] + configuration]
            for case in range(many):
                chance = room.joint[configuration, case]
                out.counts[room.base[table - few[0], case] + at] += chance
