"""Rows of tables in which rules only bound the masses of sets that do not overlap.

Most blocks of most files are of this kind, and all that rules leave to them is known in closed
form, to the last digit however small the numbers are: no linear program can say that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.knowledge.blocks import Blocks

NOTHING = 1e-300
"""A mass below this is 0; every larger one is a number like any other."""
_ROUNDED = 2.3e-16
_SAME = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """What the rules leave to such rows.

    blocks     which blocks these are; their rules can hold together
    positions  of their cells; low, high, inside: the least and the largest value of each, and one
               between, so that no rule holds with equality and no cell is 0 that need not
    rules      of their inequalities those that always hold with equality
    """

    blocks: Bools
    positions: Ints
    low: Floats
    high: Floats
    inside: Floats
    rules: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Sets:
    """Sets of cells, each in one block, and the bounds of their masses.

    of     (positions,) the set of each position; owner (sets,) the block of each set
    named  (rules,) the set each rule speaks of; limit: what it says of its mass
    """

    of: Ints
    owner: Ints
    cells: Ints
    named: Ints
    limit: Floats
    low: Floats
    high: Floats

    def total(self, values: Floats, blocks: int) -> Floats:
        """Σ over all sets of the same block."""
        return np.asarray(np.bincount(self.owner, values, blocks)[self.owner], dtype=np.float64)


def bounded(blocks: Blocks) -> Bounded:
    """The blocks of one row in which rules bound disjoint masses and can hold together.

    Σ low <= 1 <= Σ high over the sets of a row says that they can. A set has at least what the
    others at most leave to it, and at most what they at least leave: clip(1 - Σ other, low, high).
    """
    count = len(blocks)
    block = np.repeat(np.arange(count), np.diff(blocks.cell_at))
    rule_block = np.repeat(np.arange(count), np.diff(blocks.rule_at))
    sets = _sets(blocks, block)
    dust = np.asarray(_ROUNDED * (np.bincount(sets.owner, minlength=count) + 2.0))[sets.owner]
    least, most = sets.total(sets.low, count), sets.total(sets.high, count)
    fits = np.diff(blocks.row_at) == 1
    fits[[each.block for each in blocks.ratios]] = False
    fits[_overlapping(blocks, sets, rule_block)] = False
    fits[sets.owner[(sets.low > sets.high) | (least > 1 + dust) | (most < 1 - dust)]] = False

    low, high, settled = _masses(sets, dust, count)
    near = _SAME * np.maximum(np.abs(sets.limit), low[sets.named]) + dust[sets.named]
    tight = settled[sets.named] & (np.abs(sets.limit - low[sets.named]) <= near)
    positions = np.flatnonzero(fits[block])
    of = sets.of[positions]
    return Bounded(
        blocks=fits,
        positions=positions,
        low=np.where(sets.cells[of] == 1, low[of], 0.0),
        high=high[of],
        inside=(_between(sets, low, high, count) / sets.cells)[of],
        rules=np.flatnonzero(tight & ~blocks.rules.equal & fits[rule_block]),
    )


def _masses(sets: _Sets, dust: Floats, blocks: int) -> tuple[Floats, Floats, Bools]:
    """The least and the largest mass of each set, and whether they are one number."""
    least, most = sets.total(sets.low, blocks), sets.total(sets.high, blocks)
    at_least, at_most = np.abs(least - 1) <= dust, np.abs(most - 1) <= dust
    low = np.clip(_left(1.0 - (most - sets.high), dust), sets.low, sets.high)
    high = np.clip(_left(1.0 - (least - sets.low), dust), sets.low, sets.high)
    low = np.where(at_most, sets.high, np.where(at_least, sets.low, low))
    open_ = sets.high - sets.low > _SAME * sets.high
    alone = sets.total(open_.astype(np.float64), blocks) <= 1
    settled = alone | at_least | at_most | ~open_
    return low, np.where(settled, low, high), settled


def _left(mass: Floats, dust: Floats) -> Floats:
    """What is left of 1, without the dust of additions."""
    return np.asarray(np.where(np.abs(mass) <= dust, 0.0, mass))


def _between(sets: _Sets, low: Floats, high: Floats, blocks: int) -> Floats:
    """Masses that add up to 1, all equally far on the way from low to high."""
    least, most = sets.total(low, blocks), sets.total(high, blocks)
    way = (1.0 - least) / np.where(most > least, most - least, 1.0)
    return np.asarray(low + np.clip(way, 0.0, 1.0) * (high - low))


def _sets(blocks: Blocks, block: Ints) -> _Sets:
    """Each rule names a set by its first cell; what no rule of a block names is one more set."""
    rules = blocks.rules
    size, first = blocks.cells.size, rules.cells[rules.at[:-1]]
    label = size + block
    label[rules.cells] = first[rules.owner]
    found, of = np.unique(label, return_inverse=True)
    named = np.searchsorted(found, label[first])
    factor = rules.factors[rules.at[:-1]]
    limit = rules.limits / factor
    low, high = np.zeros(found.size), np.ones(found.size)
    upper = rules.equal | (factor > 0)
    lower = rules.equal | (factor < 0)
    np.minimum.at(high, named[upper], limit[upper])
    np.maximum.at(low, named[lower], limit[lower])
    owner = np.zeros(found.size, dtype=np.int64)
    owner[of] = block
    return _Sets(of, owner, np.bincount(of), named, limit, low, high)


def _overlapping(blocks: Blocks, sets: _Sets, rule_block: Ints) -> Ints:
    """Blocks with rules that weigh cells, or whose sets are neither equal nor disjoint."""
    rules = blocks.rules
    uneven = rules.factors != rules.factors[rules.at[:-1]][rules.owner]
    other = sets.of[rules.cells] != sets.named[rules.owner]
    wrong = rule_block[rules.owner[uneven | other]]
    part = rule_block[np.diff(rules.at) != sets.cells[sets.named]]
    return np.concatenate([wrong, part])
