"""The normal equations of the interior-point method, and what it works on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints

TINY_PIVOT = 1e-15


class Program(NamedTuple):
    """Blocks one after the other; within a block its equalities come first.

    cell_at  (blocks + 1,)  first cell of each block
    rule_at  (blocks + 1,)  its first rule
    equal    (blocks,)      how many of its rules are equalities
    at       (cells + 1,)   where the rules of each cell start
    rule     (entries,)     a rule of the cell, counted within the block, rising
    factor   (entries,)     its factor there
    limit    (rules,)
    """

    cell_at: Ints
    rule_at: Ints
    equal: Ints
    at: Ints
    rule: Ints
    factor: Floats
    limit: Floats


class Point(NamedTuple):
    """Where the blocks stand: one number per cell, or per rule."""

    theta: Floats
    reduced: Floats
    slack: Floats
    multiplier: Floats


class Memory(NamedTuple):
    """A point on the way to the optimum, and the weights it was found with; nan if there is none.

    A later solution for similar weights starts there: far from the bounds, near the optimum. The
    optimum itself is kept as well (`end_...`), from where Newton's method may get to the next one.
    """

    weight: Floats
    theta: Floats
    reduced: Floats
    slack: Floats
    multiplier: Floats
    end_theta: Floats
    end_slack: Floats
    end_multiplier: Floats


class Room(NamedTuple):
    """What one thread writes on, for the largest of its blocks."""

    weight: Floats
    d_theta: Floats
    d_reduced: Floats
    bend: Floats
    off_dual: Floats
    d_multiplier: Floats
    d_slack: Floats
    bend_slack: Floats
    off_primal: Floats
    right: Floats
    inverse: Floats
    normal: Floats
    factor: Floats
    basis: Floats


class Part(NamedTuple):
    """One block: its sizes and its share of all arrays.

    damping  a step is that of a problem with damping / 2 · |θ - where it is|² taken off: cells
             without weight that do not vanish have v = 0, and nothing else holds their steps back
    """

    n: int
    m: int
    e: int
    at: Ints
    rule: Ints
    factor: Floats
    limit: Floats
    theta: Floats
    reduced: Floats
    slack: Floats
    z: Floats
    damping: float


def empty_point(cells: int, rules: int) -> Point:
    """A point to be filled."""
    return Point(np.zeros(cells), np.zeros(cells), np.zeros(rules), np.zeros(rules))


def no_memory(cells: int, rules: int) -> Memory:
    """Nothing to start from."""
    way, end = empty_point(cells, rules), empty_point(cells, rules)
    return Memory(np.full(cells, np.nan), *way, end.theta, end.slack, end.multiplier)


def room_for(cells: int, rules: int) -> Room:
    """Room for blocks of up to so many cells and rules."""
    shapes = [(cells,)] * 5 + [(rules,)] * 6 + [(rules, rules)] * 2
    shapes.append((min(rules, cells) + 1, cells))
    return Room(*(np.zeros(shape) for shape in shapes))


@njit(cache=True, nogil=True, error_model="numpy")
def normal_matrix(p: Part, room: Room) -> None:
    """B diag(θ/v) B' + diag(0, s/λ): its upper half, kept, and copied to be factorised."""
    normal = room.normal
    for i in range(p.m):
        normal[i, i : p.m] = 0.0
    for j in range(p.n):
        scale = p.theta[j] / (p.reduced[j] + p.damping * p.theta[j])
        for k in range(p.at[j], p.at[j + 1]):
            scaled, i = scale * p.factor[k], p.rule[k]
            for other in range(k, p.at[j + 1]):
                normal[i, p.rule[other]] += scaled * p.factor[other]
    for i in range(p.e, p.m):
        normal[i, i] += p.slack[i] / p.z[i]


@njit(cache=True, nogil=True, error_model="numpy")
def factorise(m: int, room: Room) -> int:
    """U'U of the normal matrix; a rule that depends on those before it gets no part.

    How many do.
    """
    dependent = 0
    u, inverse = room.factor, room.inverse
    for i in range(m):
        for k in range(i, m):
            u[i, k] = room.normal[i, k]
    for i in range(m):
        if u[i, i] <= TINY_PIVOT * room.normal[i, i]:
            inverse[i] = 0.0
            dependent += 1
            u[i, i:m] = 0.0
            continue
        inverse[i] = 1.0 / np.sqrt(u[i, i])
        for k in range(i, m):
            u[i, k] *= inverse[i]
        for k in range(i + 1, m):
            along = u[i, k]
            if along != 0.0:
                for other in range(k, m):
                    u[k, other] -= along * u[i, other]
    return dependent


@njit(cache=True, nogil=True, error_model="numpy")
def solve_normal(m: int, room: Room) -> None:
    """right := (U'U)^-1 right."""
    u, x, inverse = room.factor, room.right, room.inverse
    for i in range(m):
        x[i] *= inverse[i]
        along = x[i]
        for k in range(i + 1, m):
            x[k] -= u[i, k] * along
    for i in range(m - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, m):
            total -= u[i, k] * x[k]
        x[i] = total * inverse[i]
