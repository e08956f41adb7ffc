"""What rules say without data: the interval of every cell, and rules that others imply.

Each question is a linear program over one block; one program asks one question of every block.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.programs import Part, extreme, part_of

SAME = 1e-9
"""Numbers nearer than this are one."""


def cell_intervals(blocks: Blocks, chosen: Ints) -> Floats:
    """(positions, 2) the least and the largest value of each cell; nan in blocks not chosen."""
    found = np.full((blocks.cells.size, 2), np.nan)
    sizes = np.diff(blocks.cell_at)[chosen]
    part: Part | None = None
    for at in range(int(sizes.max(initial=0))):
        members = chosen[sizes > at]
        if part is None or part.blocks != members.size:
            part = part_of(blocks, members)
        places = np.searchsorted(part.positions, blocks.cell_at[members] + at)
        for side, way in enumerate((1.0, -1.0)):
            cost = np.zeros(part.positions.size)
            cost[places] = way
            found[part.positions[places], side] = extreme(part, cost).x[places]
    return np.asarray(np.clip(found, 0.0, 1.0))


def redundant(blocks: Blocks, chosen: Ints) -> dict[int, tuple[int, ...]]:
    """Rules that others imply, by number, each with the others that do.

    Later rules are given up first, and what was given up implies nothing: of two equal rules the
    second is implied by the first. A rule is judged only if all its rows stand in blocks chosen.
    """
    known = np.isin(_block_of_rules(blocks), chosen)
    outside = set(blocks.rules.rule[~known].tolist())
    everything = np.flatnonzero(known & ~np.isin(blocks.rules.rule, list(outside)))
    asked = _Asked(blocks, set())
    first = asked.implying(everything)
    dropped: dict[int, tuple[int, ...]] = {}
    waiting = sorted(first, reverse=True)
    where = _blocks_of_statements(blocks, waiting)
    while waiting:
        turn = _apart(waiting, where)
        waiting = [number for number in waiting if number not in turn]
        again = {number for number in turn if first[number] & dropped.keys()}
        rows = np.flatnonzero(np.isin(blocks.rules.rule, list(again)))
        judged = _Asked(blocks, set(dropped)).implying(rows) if again else {}
        for number in sorted(turn - again | judged.keys(), reverse=True):
            by = judged[number] if number in again else first[number]
            dropped[number] = tuple(sorted(by))
    return dict(sorted(dropped.items()))


def _block_of_rules(blocks: Blocks) -> Ints:
    return np.repeat(np.arange(len(blocks)), np.diff(blocks.rule_at))


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


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """Which rules follow from the others; `dropped` ones count for nothing."""

    blocks: Blocks
    dropped: set[int]
    needed: set[int] = field(default_factory=set)

    def implying(self, rows: Ints) -> dict[int, set[int]]:
        """Of the rules that these rows belong to, those implied, each with what implies it."""
        rules = self.blocks.rules
        by: dict[int, set[int]] = {number: set() for number in rules.rule[rows].tolist()}
        queues = self._queues(rows)
        while questions := self._next(queues):
            for number, others in self._answers(*map(np.array, zip(*questions, strict=True))):
                if others is None:
                    self.needed.add(number)
                else:
                    by[number] |= others
        return {number: found for number, found in by.items() if number not in self.needed}

    def _queues(self, rows: Ints) -> list[list[tuple[int, int, int]]]:
        """For every block its questions, the last first: block, row, which side of it."""
        block = _block_of_rules(self.blocks)[rows].tolist()
        equal = self.blocks.rules.equal[rows].tolist()
        queues: dict[int, list[tuple[int, int, int]]] = {}
        for at, row, both in zip(block, rows.tolist(), equal, strict=True):
            sides = (1, -1) if both else (1,)
            queues.setdefault(at, []).extend((at, row, side) for side in sides)
        return [queue[::-1] for _, queue in sorted(queues.items())]

    def _next(self, queues: list[list[tuple[int, int, int]]]) -> list[tuple[int, int, int]]:
        """One question of each block, about rules not yet seen to be needed."""
        rule = self.blocks.rules.rule
        found = []
        for queue in queues:
            while queue:
                question = queue.pop()
                if int(rule[question[1]]) not in self.needed:
                    found.append(question)
                    break
        return found

    def _answers(self, block: Ints, row: Ints, side: Ints) -> list[tuple[int, set[int] | None]]:
        """For each question the number of its rule and what implies that row; None: nothing."""
        rules = self.blocks.rules
        whole = part_of(self.blocks, block)
        own = rules.rule[row][whole.rule_block]
        gone = list(self.dropped)
        part = whole.only(
            (rules.rule[whole.rules] != own) & ~np.isin(rules.rule[whole.rules], gone)
        )
        asked = rules.chosen(row)
        cost = np.zeros(part.positions.size)
        places = np.searchsorted(part.positions, asked.cells)
        cost[places] = -side[asked.owner] * asked.factors
        best = extreme(part, cost)
        scale = np.bincount(asked.owner, np.abs(asked.factors), row.size) + 1.0
        reached = -np.bincount(asked.owner, cost[places] * best.x[places], row.size)
        holds = reached <= side * asked.limits + SAME * scale
        priced = np.abs(best.prices) > SAME
        return self._with_reasons(asked.rule, holds, part.rule_block[priced], part.rules[priced])

    def _with_reasons(
        self, number: Ints, holds: Bools, block: Ints, rows: Ints
    ) -> list[tuple[int, set[int] | None]]:
        reasons: list[set[int] | None] = [set() if each else None for each in holds.tolist()]
        for at, other in zip(block.tolist(), self.blocks.rules.rule[rows].tolist(), strict=True):
            if (known := reasons[at]) is not None:
                known.add(other)
        return list(zip(number.tolist(), reasons, strict=True))


def affordable(work: Ints, total: int) -> Bools:
    """Which blocks to look into, the least work first, so that all of it stays below `total`."""
    order = np.argsort(work, kind="stable")
    chosen = np.zeros(work.size, dtype=np.bool_)
    chosen[order] = np.cumsum(work[order]) <= total
    return chosen
