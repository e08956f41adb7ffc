"""A network as flat arrays: its cells one after another, so that all rows are estimated at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.network import Network
from tacit.families.table import Table


@dataclass(frozen=True)
class World:
    """The truth that cases are drawn from; tables are numbered parents before children.

    parents  of each table, the numbers of its parents
    shapes   of each table, (parents..., child)
    theta    (cells,) all tables, row by row
    """

    name: str
    parents: tuple[tuple[int, ...], ...]
    shapes: tuple[tuple[int, ...], ...]
    theta: Floats

    @staticmethod
    def of(name: str, network: Network) -> World:
        """A network of tables."""
        order = list(network)
        families = [network[each] for each in order]
        tables = [each for each in families if isinstance(each, Table)]
        assert len(tables) == len(families), "a network of discrete variables"
        return World(
            name,
            tuple(tuple(order.index(parent) for parent in each.parents) for each in tables),
            tuple(each.values.shape for each in tables),
            np.concatenate([each.values.ravel() for each in tables]),
        )

    @cached_property
    def starts(self) -> Ints:
        """(tables + 1,) where the cells of each table start."""
        return np.concatenate([[0], np.cumsum([np.prod(each) for each in self.shapes])]).astype(int)

    @cached_property
    def rows_at(self) -> Ints:
        """(rows + 1,) where the cells of each row start."""
        sizes = [np.full(int(np.prod(each[:-1])), each[-1]) for each in self.shapes]
        return np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(int)

    @cached_property
    def row(self) -> Ints:
        """(cells,) the row of each cell."""
        return np.repeat(np.arange(self.rows_at.size - 1), np.diff(self.rows_at))

    @cached_property
    def states(self) -> Ints:
        """(cells,) how many states the row of each cell has."""
        return np.asarray(np.diff(self.rows_at)[self.row])

    @property
    def free_parameters(self) -> int:
        """How many cells can be chosen freely."""
        return int(self.theta.size - self.rows_at.size + 1)

    def table(self, cells: Floats, number: int) -> Floats:
        """(rows, states) of one table."""
        inside = slice(self.starts[number], self.starts[number + 1])
        return cells[inside].reshape(-1, self.shapes[number][-1])

    def totals(self, cells: Floats) -> Floats:
        """(cells,) what the row of each cell adds up to."""
        return np.asarray(np.bincount(self.row, cells)[self.row])


def draw_counts(world: World, theta: Floats, cases: int, rng: np.random.Generator) -> Floats:
    """(cells,) how often each cell was seen in cases drawn from these tables."""
    codes = np.zeros((len(world.shapes), cases), dtype=np.int64)
    counts = np.zeros(theta.size)
    for number, shape in enumerate(world.shapes):
        rows = np.zeros(cases, dtype=np.int64)
        for parent, size in zip(world.parents[number], shape[:-1], strict=True):
            rows = rows * size + codes[parent]
        steps = np.cumsum(world.table(theta, number), axis=1)[rows, :-1]
        codes[number] = (rng.random(cases)[:, None] >= steps).sum(axis=1)
        start, end = world.starts[number], world.starts[number + 1]
        counts[start:end] = np.bincount(rows * shape[-1] + codes[number], minlength=end - start)
    return counts


def with_noise(world: World, share: float, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """The tables with some of them, at least one, made anew at random; and which.

    A random row is uniform numbers made to add up to 1. [estimation 3.8]
    """
    many = len(world.shapes)
    chosen = np.sort(rng.choice(many, max(1, round(share * many)), replace=False))
    theta = world.theta.copy()
    for number in chosen:
        table = world.table(theta, number)
        table[:] = rng.random(table.shape)
        table /= table.sum(axis=1, keepdims=True)
    return theta, chosen


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """What rules leave to every cell: between lower and upper, (cells,)."""

    lower: Floats
    upper: Floats

    @property
    def ruled(self) -> Bools:
        """(cells,) which cells a rule speaks of."""
        return (self.lower > 0) | (self.upper < 1)

    @staticmethod
    def none(world: World) -> Limits:
        """No rule at all."""
        return Limits(np.zeros(world.theta.size), np.ones(world.theta.size))

    @staticmethod
    def about(world: World, cells: Ints, within: float) -> Limits:
        """(1 - within) θ <= θ_ours <= (1 + within) θ, of some cells. [Liao and Ji 2009]"""
        limits = Limits.none(world)
        limits.lower[cells] = np.maximum((1 - within) * world.theta[cells], 0.0)
        limits.upper[cells] = np.minimum((1 + within) * world.theta[cells], 1.0)
        return limits


def free_cells(world: World, rng: np.random.Generator) -> Ints:
    """All free parameters in random order: of each row all cells but one, which is left at random.

    With 5 rules the first five are ruled; with as many rules as there are free parameters, all.
    """
    keys = rng.random(world.theta.size)
    ends = np.lexsort((keys, world.row))[world.rows_at[1:] - 1]
    return np.asarray(rng.permutation(np.setdiff1d(np.arange(keys.size), ends)))
