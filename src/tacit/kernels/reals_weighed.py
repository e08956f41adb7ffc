"""Configurations of what is open, weighed by what their parts and tables say of each case."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.reals_told import Cases, Groups, Numbers, Parts, Room, Sums, Tables


@njit(cache=True, nogil=True)
def place(table: int, line: int, block: Ints, tables: Tables, cases: Cases, room: Room) -> None:
    """Where each case looks into a table, by what it observed."""
    room.base[line, : block.size] = tables.start[table]
    for at in range(tables.seen_at[table], tables.seen_at[table + 1]):
        for case in range(block.size):
            state = cases.codes[block[case], tables.seen[at]]
            room.base[line, case] += tables.stride[at] * state


@njit(cache=True, nogil=True)
def add_line(out: Floats, at: int, source: Floats, line: int, factor: float, many: int) -> None:
    """So many times a line of one array, added to one of another."""
    for case in range(many):
        out[at, case] += factor * source[line, case]


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"})
def sum_of(values: Floats) -> float:
    """The sum, in as many parts as the processor adds at once: an order that the length alone
    decides, so that the bits are the same every time."""
    total = 0.0
    for value in values:
        total += value
    return total


@njit(cache=True, nogil=True)
def weigh(
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
        room.joint[configuration, :many] = 0.0
        line = 0
        for part in range(some[0], some[1]):
            at = line + parts.of_joint[parts.joint_at[part] + configuration]
            add_line(room.joint, configuration, room.density, at, 1.0, many)
            line += parts.configurations[part]
        for table in range(few[0], few[1]):
            at = tables.of_joint[tables.joint_at[table] + configuration]
            if tables.seen_at[table] == tables.seen_at[table + 1]:
                room.joint[configuration, :many] += numbers.logs[tables.start[table] + at]
            else:
                base = room.base[table - few[0]]
                for case in range(many):
                    room.joint[configuration, case] += numbers.logs[base[case] + at]
    out.mass[group] += _normalise(room.joint, joint, room.mass, block, cases.weights)
    _share(some, few, joint, many, parts, tables, room, out)


@njit(cache=True, nogil=True)
def _normalise(logs: Floats, joint: int, mass: Floats, block: Ints, weights: Floats) -> float:
    """Shares of the weight of each case from logs; the log of what they sum to, over all cases.

    A case that cannot be has no shares.
    """
    whole = 0.0
    for case in range(block.size):
        mass[case] = logs[0, case]
    for line in range(1, joint):
        for case in range(block.size):
            mass[case] = max(mass[case], logs[line, case])
    for case in range(block.size):
        top, weight, total = mass[case], weights[block[case]], 0.0
        for line in range(joint):
            share = np.exp(logs[line, case] - top) if top > -np.inf else 0.0
            logs[line, case] = share
            total += share
        if weight > 0.0:
            whole += weight * (top + np.log(total) if total > 0.0 else -np.inf)
        mass[case] = weight / total if total > 0.0 else 0.0
    for line in range(joint):
        for case in range(block.size):
            logs[line, case] *= mass[case]
    return whole


@njit(cache=True, nogil=True)
def _share(
    some: tuple[int, int],
    few: tuple[int, int],
    joint: int,
    many: int,
    parts: Parts,
    tables: Tables,
    room: Room,
    out: Sums,
) -> None:
    """What was weighed together, given to parts and to tables."""
    line = 0
    for part in range(some[0], some[1]):
        room.density[line : line + parts.configurations[part], :many] = 0.0
        for configuration in range(joint):
            at = line + parts.of_joint[parts.joint_at[part] + configuration]
            add_line(room.density, at, room.joint, configuration, 1.0, many)
        line += parts.configurations[part]
    for table in range(few[0], few[1]):
        for configuration in range(joint):
            at = tables.of_joint[tables.joint_at[table] + configuration]
            if tables.seen_at[table] == tables.seen_at[table + 1]:
                share = sum_of(room.joint[configuration, :many])
                out.counts[tables.start[table] + at] += share
            else:
                base = room.base[table - few[0]]
                for case in range(many):
                    out.counts[base[case] + at] += room.joint[configuration, case]
