"""The best fragment of three sources for every table of a network, all candidates at once.

What estimate/transfer/choosing.py does one candidate after another: fragments of one shape, in all
orders of their parents, are stacked; counts are whole numbers, so that log Γ is looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.transfer.choosing import TIED
from tacit.estimate.transfer.compatible import SLACK, exact_interval, most_likely
from tacit.estimate.transfer.fragments import orders
from tacit.estimate.transfer.metric import FLOOR
from tacit.experiments.zhou.worlds import Limits, World

CHECKS = {"strict": most_likely, "tolerant": exact_interval}


@dataclass(frozen=True)
class Stack:
    """Every fragment of every source, in every order of its parents that gives it one shape.

    counts  (candidates, rows, states)
    source, child  (candidates,) where each is from
    """

    counts: Ints
    source: Ints
    child: Ints

    @staticmethod
    def of(world: World, sources: Sequence[Floats], shape: tuple[int, ...]) -> Stack:
        """Of sources that have the tables of the world; a larger source comes first."""
        rows, last = int(np.prod(shape[:-1])), len(shape)
        stacked, child = [], []
        every = np.array(sources)
        for number, theirs in enumerate(world.shapes):
            if theirs[-1] != shape[-1] or sorted(theirs) != sorted(shape):
                continue
            held = every[:, world.starts[number] : world.starts[number + 1]]
            held = held.reshape(len(sources), *theirs)
            for order in orders(theirs[:-1], shape[:-1]):
                laid = np.transpose(held, (0, *(axis + 1 for axis in order), last))
                stacked.append(laid.reshape(len(sources), rows, shape[-1]))
                child.append(number)
        counts = np.concatenate(np.moveaxis(np.array(stacked, dtype=np.int64), 1, 0))
        source = np.repeat(np.arange(len(sources)), len(child))
        return Stack(counts, source, np.tile(child, len(sources)))

    @cached_property
    def totals(self) -> Ints:
        """(candidates, rows) cases."""
        return np.asarray(self.counts.sum(axis=-1))

    @cached_property
    def shares(self) -> Floats:
        """(candidates, cells) the most likely tables; rows without cases are 0."""
        shares = self.counts / np.maximum(self.totals, 1)[..., None]
        return np.asarray(shares.reshape(len(shares), -1))

    @cached_property
    def logs(self) -> Floats:
        """(candidates, cells) their logarithms, as the divergence takes them."""
        return np.asarray(np.log(np.maximum(self.shares, FLOOR)))

    def log_predictive(self, target: Floats) -> Floats:
        """(candidates,) ln P(target cases given the source's, one table for both), K2 priors.

        Rows without target cases add nothing. [estimation 3.5, eq. 4 and 5]
        """
        seen = np.flatnonzero(target.sum(axis=1))
        ours, theirs = target[seen].astype(np.int64), self.counts[:, seen]
        total, more = self.totals[:, seen], ours.sum(axis=1)
        table = _log_factorials(int(self.totals.max(initial=0) + more.max(initial=0)) + 16)
        each = (table[theirs + ours] - table[theirs]).sum(axis=-1)
        whole = ours.shape[1] - 1
        return np.asarray((each - table[total + more + whole] + table[total + whole]).sum(axis=-1))

    def divergence(self, target: Floats) -> Floats:
        """(candidates,) between the most likely tables, both ways, added over rows."""
        from scipy.special import xlogy

        logs = np.log(np.maximum(target, FLOOR))
        own = xlogy(self.shares, self.shares).sum(axis=1) + xlogy(target, target).sum()
        return np.asarray(0.5 * (own - self.logs @ target - self.shares @ logs))

    def allowed(self, lower: Floats, upper: Floats, check: str) -> Bools:
        """(candidates,) whether the rules about the cells of this table could hold in the source.

        strict: its most likely table keeps them; tolerant: its cases do not exclude them
        """
        cells = np.flatnonzero((lower > 0) | (upper < 1))
        if not cells.size:
            return np.ones(len(self.counts), dtype=bool)
        seen = self.counts.reshape(len(self.counts), -1)[:, cells].astype(np.float64)
        rest = self.totals[:, cells // self.counts.shape[-1]] - seen
        low, high = CHECKS[check](np.stack([seen, rest], axis=-1))
        kept = (low[..., 0] <= upper[cells] + SLACK) & (high[..., 0] >= lower[cells] - SLACK)
        return np.asarray(kept.all(axis=1))

    def best(self, fitness: Floats, allowed: Bools, child: int) -> int:
        """The fittest; among equals one of the same name, then of the larger source; -1: none."""
        if not allowed.any():
            return -1
        fitness = np.where(allowed, fitness, -np.inf)
        near = np.flatnonzero(fitness >= fitness.max() - TIED)
        return int(near[np.argmin(self.child[near] != child)])


@dataclass(frozen=True, slots=True, eq=False)
class Loan:
    """Cases borrowed for every table.

    counts    (cells,) laid out as the tables of the target; 0 where nothing was borrowed
    child     (tables,) which variable of the source they are of; -1: nothing was borrowed
    borrowed  (cells,) whether they are of a table that was
    """

    counts: Floats
    child: Ints
    borrowed: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """How well every candidate fits every table of the target."""

    world: World
    stacks: tuple[Stack, ...]
    fitness: tuple[Floats, ...]

    @staticmethod
    def of(world: World, stacks: tuple[Stack, ...], target: Floats) -> Search:
        """By the probability of the target's cases given those of the source."""
        return Search(
            world,
            stacks,
            tuple(
                each.log_predictive(world.table(target, number))
                for number, each in enumerate(stacks)
            ),
        )

    @staticmethod
    def nearest(world: World, stacks: tuple[Stack, ...], shares: Floats) -> Search:
        """By the divergence from the target's most likely tables: CPTAgg."""
        return Search(
            world,
            stacks,
            tuple(
                -each.divergence(world.table(shares, number).ravel())
                for number, each in enumerate(stacks)
            ),
        )

    def loan(self, limits: Limits | None = None, check: str = "strict") -> Loan:
        """The best candidate of each table that the rules allow."""
        limits = limits or Limits.none(self.world)
        counts = np.zeros(self.world.theta.size)
        borrowed = np.zeros(counts.size, dtype=bool)
        child = np.full(len(self.stacks), -1)
        for number, stack in enumerate(self.stacks):
            inside = slice(self.world.starts[number], self.world.starts[number + 1])
            allowed = stack.allowed(limits.lower[inside], limits.upper[inside], check)
            at = stack.best(self.fitness[number], allowed, number)
            if at >= 0:
                counts[inside], borrowed[inside] = stack.counts[at].ravel(), True
                child[number] = stack.child[at]
        return Loan(counts, child, borrowed)


def stacks_of(world: World, sources: Sequence[Floats]) -> tuple[Stack, ...]:
    """Of every table; tables of one shape have the same."""
    ordered = sorted(sources, key=lambda each: -each.sum())
    made = {shape: Stack.of(world, ordered, shape) for shape in set(world.shapes)}
    return tuple(made[shape] for shape in world.shapes)


def _log_factorials(most: int) -> Floats:
    from scipy.special import gammaln

    return np.asarray(gammaln(np.arange(most + 1) + 1.0))
