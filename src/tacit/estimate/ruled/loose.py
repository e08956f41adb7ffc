"""Rows that no equality speaks of, and whether inequalities hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.knowledge.blocks import Blocks

HOLDS = 1e-12
"""A rule missed by less holds."""


@dataclass(frozen=True, slots=True, eq=False)
class Loose:
    """Rows that no equality speaks of: each is divided as its weights are, evenly without any.

    positions, row  of their cells; rows are numbered 0, 1, ... and `even` is one over their length
    """

    positions: Ints
    row: Ints
    even: Floats

    @staticmethod
    def of(blocks: Blocks, which: Bools) -> Loose:
        """The rows of these blocks."""
        positions = np.flatnonzero(np.repeat(which, np.diff(blocks.cell_at)))
        _, row = np.unique(blocks.row[positions], return_inverse=True)
        return Loose(positions, row, 1.0 / np.bincount(row)[row])

    def fill(self, weights: Floats, theta: Floats) -> None:
        """Write the most likely rows to their positions. [Thm 2.2.1]"""
        held = weights[self.positions]
        totals = np.bincount(self.row, held)[self.row]
        empty = totals <= 0
        shares = held / np.where(empty, 1.0, totals)
        theta[self.positions] = np.where(empty, self.even, shares)


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """The inequalities of all blocks, ready to be looked at often.

    cells, factors, owner  entry by entry; owner is the inequality
    tops                   (inequalities,) the limit, with what rounding may add
    block                  (inequalities,) the block of each
    """

    cells: Ints
    factors: Floats
    owner: Ints
    tops: Floats
    block: Ints
    blocks: int

    @staticmethod
    def of(blocks: Blocks, block: Ints) -> Limits:
        """The inequalities of these blocks; `block` is that of every rule."""
        which = np.flatnonzero(~blocks.rules.equal)
        rules = blocks.rules.chosen(which)
        tops = rules.limits + HOLDS
        return Limits(rules.cells, rules.factors, rules.owner, tops, block[which], len(blocks))

    def broken(self, theta: Floats) -> Bools:
        """(blocks,) whether an inequality of the block does not hold."""
        found = np.zeros(self.blocks, dtype=np.bool_)
        if self.tops.size:
            values = np.bincount(self.owner, self.factors * theta[self.cells], self.tops.size)
            found[self.block[values > self.tops]] = True
        return found
