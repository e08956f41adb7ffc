"""Inequalities with closed forms: bounds, sums against sums, chains. All blocks at once.

An inequality is an equality or nothing at the optimum. Bounds on the masses of disjoint sets are
solved by clipping, chains by pooling adjacent violators; both nest, because what lies inside a
bounded set is free of scale. Rules whose scopes overlap in any other way are not taken: applying
closed forms one after the other would be wrong there. [Thm 5.1.1, 5.2.1; inequality constraints
2.2 to 2.6]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.ruled import nests, orders
from tacit.estimate.ruled.impossible import ImpossibleEvidenceError
from tacit.estimate.ruled.nests import Nests, nests_of
from tacit.estimate.ruled.orders import RowOrders, orders_of
from tacit.knowledge.blocks import Blocks

UNDERFLOW = 1e-300
"""A weight below this may be a probability of 0 for want of digits alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """What closed forms found; only the positions of blocks that were solved mean something.

    theta       (positions,)  the most likely cells
    non_unique  (blocks,)     other cells are as likely: a choice was made, as even as rules allow
    zero        (blocks,)     a cell without counts is 0
    """

    theta: Floats
    non_unique: Bools
    zero: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """The blocks that closed forms solve, ready to be solved often.

    blocks  (blocks,)  their numbers, rising
    kinds   (blocks,)  how each is solved, in words
    """

    blocks: Ints
    kinds: tuple[str, ...]
    within: Blocks
    rows: Nests
    chains: RowOrders

    def solve(self, weights: Floats, only: Ints | None = None) -> Floats:
        """The most likely cells. maximise Σ weights log θ under the rules.

        weights  (positions,)  none below 0
        only     numbers of blocks; None: all that closed forms solve
        """
        return self.solved(weights, only).theta

    def fill(self, weights: Floats, theta: Floats, wanted: Bools) -> None:
        """Write the most likely cells of the blocks that are wanted (blocks,) to theta."""
        rows = np.flatnonzero(wanted[self.rows.blocks])
        if rows.size:
            self.rows.solve(rows, weights, theta)
        chains = np.flatnonzero(wanted[self.chains.blocks])
        if chains.size:
            self.chains.solve(chains, weights, theta)

    def solved(self, weights: Floats, only: Ints | None = None) -> Solved:
        """The most likely cells, and where they are not the only ones.

        A row without counts is solved as if every cell had been seen equally often.
        """
        theta = np.zeros(weights.size)
        by_block = np.zeros((2, len(self.within)), dtype=np.bool_)
        asked = self.blocks if only is None else only
        rows, chains = _among(self.rows.blocks, asked), _among(self.chains.blocks, asked)
        assert rows.size + chains.size == asked.size, "a block that closed forms do not solve"
        if rows.size:
            *_, flat = self.rows.solve(rows, weights, theta)
            by_block[0, self.rows.blocks] = flat
        if chains.size:
            by_block[0, self.chains.blocks] |= self.chains.solve(chains, weights, theta)
        nothing = np.zeros(theta.size, dtype=np.bool_)
        nothing[_positions(self.within, asked)] = True
        nothing &= theta <= 0
        if np.any(impossible := nothing & (weights > UNDERFLOW)):
            raise ImpossibleEvidenceError(np.flatnonzero(impossible))
        block = np.searchsorted(self.within.cell_at, np.flatnonzero(nothing), side="right") - 1
        by_block[1, block] = True
        return Solved(theta, by_block[0, self.blocks], by_block[1, self.blocks])

    def multipliers(self, weights: Floats) -> Floats:
        """(rules,) what the optimum gains per unit of each rule's limit, 0 for other blocks.

        Not below 0 for inequalities, of either sign for equalities.
        """
        out, theta = np.zeros(len(self.within.rules)), np.zeros(weights.size)
        if self.rows.blocks.size:
            self.rows.prices(weights, theta, out)
        if self.chains.blocks.size:
            self.chains.prices(weights, theta, out)
        return out


def closed(blocks: Blocks) -> Closed:
    """Find the blocks whose rules have a closed form, by looking at the rules alone."""
    plain = np.ones(len(blocks), dtype=np.bool_)
    plain[[each.block for each in blocks.ratios]] = False
    lengths = np.bincount(blocks.row, minlength=int(blocks.row_at[-1]))
    pairs = np.ones(len(blocks), dtype=np.bool_)
    block_of_row = np.repeat(np.arange(len(blocks)), np.diff(blocks.row_at))
    pairs[block_of_row[lengths != 2]] = False
    single = np.diff(blocks.row_at) == 1
    chains = orders_of(blocks, np.flatnonzero(plain & pairs))
    rows = nests_of(blocks, np.flatnonzero(plain & single & ~pairs))
    number = np.concatenate([rows.blocks, chains.blocks])
    kinds = [nests.KINDS[k] for k in rows.kind] + [orders.KINDS[k] for k in chains.kind]
    order = np.argsort(number)
    return Closed(number[order], tuple(kinds[k] for k in order), blocks, rows, chains)


def _among(mine: Ints, asked: Ints) -> Ints:
    """Where the blocks asked for stand among mine; others are not mine."""
    return np.flatnonzero(np.isin(mine, asked, assume_unique=True))


def _positions(blocks: Blocks, which: Ints) -> Bools:
    wanted = np.zeros(len(blocks), dtype=np.bool_)
    wanted[which] = True
    return np.repeat(wanted, np.diff(blocks.cell_at))
