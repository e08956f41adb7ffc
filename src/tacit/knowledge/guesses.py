"""Tables that may lie inside what rules allow, guessed for all blocks at once.

Where a guess keeps every rule with room to spare, nothing is forced in its block, and no linear
program need be asked. Guesses that fail cost little and prove nothing.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.programs import Part, part_of

MARGIN = 1e-6
"""So much room, in units of its largest factor, every inequality must keep in a guess."""
_KEPT = 1e-14
_ROOM = 1e-3
_ROUNDS = 60
_LEVELS = 400
_STEP = 0.1
_LEAN = 4.0


class _Judge:
    """Some blocks, and what a table over their positions is worth."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.entry_rule = np.repeat(np.arange(len(part.limits)), np.diff(part.matrix.indptr))
        self.rows = int(part.sums.shape[0])
        self.row = np.repeat(np.arange(self.rows), np.diff(part.sums.indptr))

    def room(self, point: Floats) -> Floats:
        """How far each rule is from being broken; minus infinity for an equality not kept."""
        left = self.part.limits - self.part.matrix @ point
        kept = np.where(np.abs(left) <= _KEPT, np.inf, -np.inf)
        return np.asarray(np.where(self.part.equal, kept, left))

    def inside(self, point: Floats) -> Bools:
        """(blocks,) whether every rule is kept with room to spare and no cell is near 0."""
        fine = np.ones(self.part.blocks, dtype=np.bool_)
        fine[self.part.rule_block[self.room(point) < MARGIN]] = False
        fine[self.part.block[point < MARGIN]] = False
        return fine

    def normal(self, logs: Floats) -> Floats:
        """Rows in these proportions that add up to 1."""
        weights = np.exp(logs)
        return np.asarray(weights / np.bincount(self.row, weights, self.rows)[self.row])


def guessed(blocks: Blocks, chosen: Ints) -> tuple[Ints, Floats]:
    """Those of the chosen blocks where no guess lies inside; (all positions,) the other guesses."""
    point = np.full(blocks.cells.size, np.nan)
    for guess in (_even, _ordered, _dominant, _moved):
        if not chosen.size:
            break
        judge = _Judge(part_of(blocks, chosen))
        table = guess(judge)
        good = judge.inside(table)
        point[judge.part.positions[good[judge.part.block]]] = table[good[judge.part.block]]
        chosen = chosen[~good]
    return chosen, point


def _even(judge: _Judge) -> Floats:
    return judge.normal(np.zeros(judge.row.size))


def _ordered(judge: _Judge) -> Floats:
    """Rows leaning with their rank towards cells that rules name, the more the more often."""
    return judge.normal(_lean(judge, *_steps(judge)))


def _dominant(judge: _Judge) -> Floats:
    """The same where rules hold upper tails of rows up and lower tails down, or the reverse.

    Ranks then follow the sequence of the rows, and cells lean to the side the rules put them.
    """
    below, above, side = _steps(judge)
    turned = below > above
    return judge.normal(
        _lean(judge, np.minimum(below, above), np.maximum(below, above),
              np.where(turned, -side, side))
    )  # fmt: skip


def _moved(judge: _Judge) -> Floats:
    """Ordered rows moved away, a little at a time, from inequalities that lack room."""
    logs = _lean(judge, *_steps(judge))
    for _ in range(_ROUNDS):
        logs = np.maximum(logs - _STEP * _pressure(judge, judge.normal(logs)), -12.0)
    return judge.normal(logs)


def _pressure(judge: _Judge, point: Floats) -> Floats:
    """Factors of the inequalities that lack room, added up cell by cell, none beyond 1."""
    lacking = (judge.room(point) < _ROOM) & ~judge.part.equal
    return np.asarray(np.clip(judge.part.matrix.T @ lacking.astype(np.float64), -1.0, 1.0))


def _lean(judge: _Judge, below: Ints, above: Ints, side: Floats) -> Floats:
    """(positions,) logarithms of weights: the rank of the row times the side of the cell.

    Where rules put rows below others, those that lean the more the higher they rank keep chains,
    orders and influences (stochastic dominance).
    """
    part, ordered = judge.part, below >= 0
    rank = _ranks(judge, below[ordered], above[ordered])
    entries = ordered[judge.entry_rule]
    score = np.bincount(
        part.matrix.indices[entries], side[judge.entry_rule[entries]], judge.row.size
    )
    most, highest = np.zeros(judge.rows), np.zeros(part.blocks)
    np.maximum.at(most, judge.row, np.abs(score))
    np.maximum.at(highest, part.block, rank[judge.row])
    share = rank[judge.row] / np.maximum(highest[part.block], 1.0) - 0.5
    return np.asarray(_LEAN * share * score / np.maximum(most[judge.row], 1.0))


def _ranks(judge: _Judge, below: Ints, above: Ints) -> Floats:
    """(rows,) the longest way up to each row, where rules put one row below another."""
    pairs = np.unique(below * judge.rows + above)
    below, above = pairs // judge.rows, pairs % judge.rows
    rank = np.zeros(judge.rows)
    for _ in range(_LEVELS):
        higher = rank.copy()
        np.maximum.at(higher, above, rank[below] + 1.0)
        if np.array_equal(higher, rank):
            break
        rank = higher
    return rank


def _steps(judge: _Judge) -> tuple[Ints, Ints, Floats]:
    """(rules,) the row whose cells a rule holds below those of another row, that row, and 1.

    -1 for rules of other kinds.
    """
    matrix, rules = judge.part.matrix, len(judge.part.limits)
    row, free = judge.row[matrix.indices], ~judge.part.equal[judge.entry_rule]
    below, above = np.full(rules, -1, dtype=np.int64), np.full(rules, -1, dtype=np.int64)
    up, down = free & (matrix.data > 0), free & (matrix.data < 0)
    below[judge.entry_rule[up]] = row[up]
    above[judge.entry_rule[down]] = row[down]
    other = (below < 0) | (above < 0) | (below == above)
    below[other] = above[other] = -1
    return below, above, np.ones(rules)
