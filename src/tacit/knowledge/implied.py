"""What rules say without data: the interval of every cell, and rules that others imply.

Each question is a linear program over one block. Blocks have nothing in common, nor have copies
of one block, so one program asks as many questions as are worth a call.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.bounded import bounded
from tacit.knowledge.programs import batches, extreme, part_of, sizes
from tacit.knowledge.rows import Rows

SAME = 1e-9
"""Numbers nearer than this are one."""


def cell_intervals(blocks: Blocks, chosen: Ints) -> Floats:
    """(positions, 2) the least and the largest value of each cell; nan in blocks not chosen."""
    found = np.full((blocks.cells.size, 2), np.nan)
    block = blocks.cell_block
    wanted = np.zeros(len(blocks), dtype=np.bool_)
    wanted[chosen] = True
    simple = bounded(blocks)
    known = wanted[block[simple.positions]]
    found[simple.positions[known]] = np.column_stack([simple.low, simple.high])[known]
    cells = np.flatnonzero((wanted & ~simple.blocks)[block])
    for asked in batches(sizes(blocks)[block[cells]]):
        part = part_of(blocks, block[cells[asked]])
        places = part.first + cells[asked] - blocks.cell_at[block[cells[asked]]]
        for side, way in enumerate((1.0, -1.0)):
            cost = np.zeros(part.positions.size)
            cost[places] = way
            found[cells[asked], side] = extreme(part, cost).x[places]
    return np.asarray(np.clip(found, 0.0, 1.0))


def redundant(blocks: Blocks, chosen: Ints) -> dict[int, tuple[int, ...]]:
    """Rules that others imply, by number, each with the others that do.

    Later rules are given up first, and what was given up implies nothing: of two equal rules the
    second is implied by the first. A rule is judged only if all its rows stand in blocks chosen.
    """
    known = np.isin(_block_of_rules(blocks), chosen)
    outside = np.unique(blocks.rules.rule[~known])
    first = _implied(blocks, np.flatnonzero(~np.isin(blocks.rules.rule, outside)), [])
    dropped: dict[int, set[int]] = {}
    waiting = sorted(first, reverse=True)
    where = _blocks_of_statements(blocks, waiting)
    while waiting:
        turn = _apart(waiting, where)
        waiting = [number for number in waiting if number not in turn]
        again = [number for number in turn if first[number] & dropped.keys()]
        rows = np.flatnonzero(np.isin(blocks.rules.rule, again))
        judged = _implied(blocks, rows, list(dropped))
        dropped |= {number: first[number] for number in turn.difference(again)} | judged
    return _by_kept(dropped)


def _by_kept(dropped: dict[int, set[int]]) -> dict[int, tuple[int, ...]]:
    """Reasons that were given up themselves, later, give way to their own reasons."""
    kept: dict[int, set[int]] = {}
    for number in reversed(dropped):
        kept[number] = set().union(*(kept.get(other, {other}) for other in dropped[number]))
    return {number: tuple(sorted(by)) for number, by in sorted(kept.items())}


def _block_of_rules(blocks: Blocks) -> Ints:
    return blocks.rule_block


def _blocks_of_statements(blocks: Blocks, numbers: Iterable[int]) -> dict[int, set[int]]:
    where: dict[int, set[int]] = {number: set() for number in numbers}
    block = _block_of_rules(blocks).tolist()
    for number, at in zip(blocks.rules.rule.tolist(), block, strict=True):
        if number in where:
            where[number].add(at)
    return where


def _apart(waiting: list[int], where: dict[int, set[int]]) -> set[int]:
    """The first of the waiting rules in each block, if it is first in all its blocks."""
    taken: set[int] = set()
    turn = set()
    for number in waiting:
        if not where[number] & taken:
            turn.add(number)
        taken |= where[number]
    return turn


def _implied(blocks: Blocks, rows: Ints, dropped: list[int]) -> dict[int, set[int]]:
    """Of the rules that these rows belong to, those implied, each with what implies it.

    dropped  rules that count for nothing
    """
    numbers = blocks.rules.rule[rows]
    by: dict[int, set[int]] = {number: set() for number in numbers.tolist()}
    needed: set[int] = set()
    rows, sides = _questions(blocks, rows)
    while rows.size:
        asked = next(batches(sizes(blocks)[_block_of_rules(blocks)[rows]]))
        holds, which, reasons = _answers(blocks, rows[asked], sides[asked], dropped)
        numbers = blocks.rules.rule[rows[asked]]
        needed.update(numbers[~holds].tolist())
        for number, reason in zip(numbers[which].tolist(), reasons.tolist(), strict=True):
            by[number].add(reason)
        open_ = ~np.isin(blocks.rules.rule[rows], list(needed))
        open_[asked] = False
        rows, sides = rows[open_], sides[open_]
    return {number: found for number, found in by.items() if number not in needed}


def _questions(blocks: Blocks, rows: Ints) -> tuple[Ints, Ints]:
    """Each row and its side (both, of an equality), the first row of every rule first."""
    both = blocks.rules.equal[rows]
    every = np.concatenate([rows, rows[both]])
    sides = np.concatenate([np.ones(rows.size), -np.ones(int(both.sum()))]).astype(np.int64)
    order = np.lexsort((sides, every, blocks.rules.rule[every]))
    number = blocks.rules.rule[every][order]
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    turn = np.arange(number.size) - np.repeat(starts, np.diff(np.append(starts, number.size)))
    order = order[np.argsort(turn, kind="stable")]
    return every[order], sides[order]


def _answers(blocks: Blocks, row: Ints, side: Ints, dropped: list[int]) -> tuple[Bools, Ints, Ints]:
    """Whether each row follows from the other rules; (question, rule) pairs that say from which."""
    rules, block = blocks.rules, _block_of_rules(blocks)[row]
    whole = part_of(blocks, block)
    number = rules.rule[whole.rules]
    own = rules.rule[row][whole.rule_block]
    part = whole.only((number != own) & ~np.isin(number, dropped))
    asked = rules.chosen(row)
    places = asked.cells + (part.first - blocks.cell_at[block])[asked.owner]
    cost = np.zeros(part.positions.size)
    cost[places] = -side[asked.owner] * asked.factors
    best = extreme(part, cost)
    scale = np.bincount(asked.owner, np.abs(asked.factors), row.size) + 1.0
    reached = -np.bincount(asked.owner, cost[places] * best.x[places], row.size)
    most = side * asked.limits + SAME * scale
    holds = reached <= most
    alone = _bare(blocks, asked, side) <= most
    priced = (np.abs(best.prices) > SAME) & (holds & ~alone)[part.rule_block]
    return holds, part.rule_block[priced], rules.rule[part.rules[priced]]


def _bare(blocks: Blocks, asked: Rows, side: Ints) -> Floats:
    """How large each row can be in a table that keeps no rules: all mass where it counts most."""
    group = np.column_stack([asked.owner, blocks.row[asked.cells]])
    pairs, which, named = np.unique(group, axis=0, return_inverse=True, return_counts=True)
    best = np.where(named < np.bincount(blocks.row)[pairs[:, 1]], 0.0, -np.inf)
    np.maximum.at(best, which.ravel(), side[asked.owner] * asked.factors)
    return np.asarray(np.bincount(pairs[:, 0], best, len(asked)))


def affordable(work: Ints, total: int) -> Bools:
    """Which blocks to look into, the least work first, so that all of it stays below `total`."""
    order = np.argsort(work, kind="stable")
    chosen = np.zeros(work.size, dtype=np.bool_)
    chosen[order] = np.cumsum(work[order]) <= total
    return chosen
