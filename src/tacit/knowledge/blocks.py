"""Rows of tables that rules tie together: problems that can be solved on their own.

The log-likelihood is a sum over rows of tables. Join two rows where a rule speaks of both; each
connected component is a block, and the optimum is the union of the blocks' optima.
[Property 2.2.2; parameter domain knowledge 1.4]
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.knowledge.bound import Bound
from tacit.knowledge.rows import Rows, stacked


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """One block; positions 0..n-1 are its cells, row after row.

    row      (n,)    the row of the table that each position stands in, 0, 1, ... and rising
    rules    linear rules over positions
    ratios   lists of positions that are multiples of each other, each (lists, length)
    """

    row: Ints
    rules: Rows
    ratios: tuple[Ints, ...] = ()

    @property
    def size(self) -> int:
        """How many cells it has."""
        return int(self.row.size)


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """Positions that are multiples of each other, list by list: (lists, length)."""

    lists: Ints
    block: int
    rule: int


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """All rows that rules speak of, block after block.

    cells     (n,)           the cell at each position
    row       (n,)           the row of each position, rising
    cell_at   (blocks + 1,)  the first position of each block
    row_at    (blocks + 1,)  its first row
    rules     all linear rules over positions, block after block, each divided by its largest factor
    rule_at   (blocks + 1,)  its first rule
    origin    (rules,)       where each rule stands among the rows it was bound from
    ratios    lists of positions that are multiples of each other
    """

    cells: Ints
    row: Ints
    cell_at: Ints
    row_at: Ints
    rules: Rows
    rule_at: Ints
    origin: Ints
    ratios: tuple[Aligned, ...] = ()

    def __len__(self) -> int:
        return int(self.cell_at.size) - 1

    @property
    def cell_block(self) -> Ints:
        """(n,) the block of each position."""
        return np.repeat(np.arange(len(self)), np.diff(self.cell_at))

    @property
    def rule_block(self) -> Ints:
        """(rules,) the block of each rule."""
        return np.repeat(np.arange(len(self)), np.diff(self.rule_at))

    def _ratios_of(self, number: int) -> Iterator[Aligned]:
        """The ratios of a block; all of them stand in the order of their blocks."""
        start = bisect_left(self.ratios, number, key=lambda each: each.block)
        return takewhile(lambda each: each.block == number, islice(self.ratios, start, None))

    def __getitem__(self, number: int) -> Block:
        first, last = self.cell_at[number], self.cell_at[number + 1]
        which = np.arange(self.rule_at[number], self.rule_at[number + 1])
        rules = self.rules.chosen(which)
        ratios = tuple(each.lists - first for each in self._ratios_of(number))
        return Block(self.row[first:last] - self.row_at[number], rules.moved(-first), ratios)


def blocks_of(bound: Bound, also: Ints | None = None, together: Sequence[Ints] = ()) -> Blocks:
    """The connected components of ruled rows, in the order of their first cells.

    also      cells whose rows are wanted even where no rule speaks of them
    together  groups of cells that rules tie which are not linear
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows = bound.rows
    lists = [*(part.lists for part in bound.proportions), *together]
    lists += [] if also is None else list(also.reshape(-1, 1))
    named = np.concatenate([rows.cells, *(each.ravel() for each in lists)])
    first, length = bound.cells.rows_of(named)
    starts, at, which = np.unique(first, return_index=True, return_inverse=True)
    links = np.concatenate([rows.owner, *_numbered(lists, len(rows))])
    table_rows = starts.size
    graph = coo_array((np.ones(links.size, dtype=np.int8), (which, links + table_rows)),
                      shape=(_nodes(table_rows, len(rows), lists),) * 2)  # fmt: skip
    _, component = connected_components(graph, directed=False)
    block, order = _ordered(component[:table_rows].astype(np.int64))
    return _assembled(bound, starts[order], length[at][order], block[order])


def _numbered(lists: list[Ints], first: int) -> list[Ints]:
    return [np.full(each.size, first + at) for at, each in enumerate(lists)]


def _nodes(table_rows: int, rules: int, lists: list[Ints]) -> int:
    return table_rows + rules + len(lists)


def _ordered(component: Ints) -> tuple[Ints, Ints]:
    """Blocks numbered by their first row, and the rows sorted by block."""
    found, first, inverse = np.unique(component, return_index=True, return_inverse=True)
    rank = np.empty(found.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(found.size)
    block = rank[inverse]
    return block, np.argsort(block, kind="stable")


def _assembled(bound: Bound, starts: Ints, lengths: Ints, block: Ints) -> Blocks:
    blocks = int(block[-1]) + 1 if block.size else 0
    row = np.repeat(np.arange(starts.size), lengths)
    within = np.arange(row.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    cells = starts[row] + within
    sorter = np.argsort(cells)
    rows = bound.rows
    positions = sorter[np.searchsorted(cells, rows.cells, sorter=sorter)]
    owner_block = np.zeros(len(rows), dtype=np.int64)
    owner_block[rows.owner] = block[row[positions]]
    size = scales(rows)
    moved = replace(
        rows, cells=positions, factors=rows.factors / size[rows.owner], limits=rows.limits / size
    )
    origin = np.argsort(owner_block, kind="stable")
    ratios = sorted(
        (
            Aligned(placed, int(block[row[placed.flat[0]]]), part.rule)
            for part in bound.proportions
            for placed in [sorter[np.searchsorted(cells, part.lists, sorter=sorter)]]
        ),
        key=lambda each: each.block,
    )
    return Blocks(
        cells=cells,
        row=row,
        cell_at=_counted_up(block[row], blocks),
        row_at=_counted_up(block, blocks),
        rules=moved.chosen(origin),
        rule_at=_counted_up(owner_block, blocks),
        origin=origin,
        ratios=tuple(ratios),
    )


def scales(rows: Rows) -> Floats:
    """The largest factor of every row, by which blocks divide it; 1 for rows without cells."""
    found = np.zeros(len(rows))
    np.maximum.at(found, rows.owner, np.abs(rows.factors))
    return np.asarray(np.where(found > 0, found, 1.0))


def _counted_up(labels: Ints, kinds: int) -> Ints:
    return np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=kinds))]).astype(np.int64)


def copies_without(blocks: Blocks, pairs: Sequence[tuple[int, int]]) -> Blocks:
    """A copy of a block without one of its rules, for each (block, rule), one after the other."""
    return _joined([_copy(blocks, block, rule, only=False) for block, rule in pairs])


def copies_with_only(blocks: Blocks, pairs: Sequence[tuple[int, int]]) -> Blocks:
    """A copy of a block with one of its rules alone, for each (block, rule)."""
    return _joined([_copy(blocks, block, rule, only=True) for block, rule in pairs])


def _joined(copies: Sequence[Blocks]) -> Blocks:
    cells, rows, rules = (
        _counted_up_to([sizes[kind] for sizes in map(_sizes, copies)]) for kind in range(3)
    )
    moved = [copy.rules.moved(first) for copy, first in zip(copies, cells, strict=False)]
    ratios = tuple(
        Aligned(each.lists + first, number, each.rule)
        for number, (copy, first) in enumerate(zip(copies, cells, strict=False))
        for each in copy.ratios
    )
    return Blocks(
        cells=np.concatenate([copy.cells for copy in copies]),
        row=np.concatenate([copy.row + at for copy, at in zip(copies, rows, strict=False)]),
        cell_at=cells,
        row_at=rows,
        rules=stacked(moved),
        rule_at=rules,
        origin=np.concatenate([copy.origin for copy in copies]),
        ratios=ratios,
    )


def _sizes(one: Blocks) -> tuple[int, int, int]:
    return int(one.cells.size), int(one.row[-1]) + 1, len(one.rules)


def _counted_up_to(sizes: list[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _copy(blocks: Blocks, block: int, rule: int, *, only: bool) -> Blocks:
    """One block without a rule, or with it alone; positions and rows count from 0."""
    first, last = int(blocks.cell_at[block]), int(blocks.cell_at[block + 1])
    kept = np.arange(blocks.rule_at[block], blocks.rule_at[block + 1])
    kept = kept[(blocks.rules.rule[kept] == rule) == only]
    rules = blocks.rules.chosen(kept)
    rows = int(blocks.row_at[block + 1] - blocks.row_at[block])
    return Blocks(
        cells=blocks.cells[first:last],
        row=blocks.row[first:last] - blocks.row_at[block],
        cell_at=np.array([0, last - first]),
        row_at=np.array([0, rows]),
        rules=rules.moved(-first),
        rule_at=np.array([0, kept.size]),
        origin=blocks.origin[kept],
        ratios=tuple(
            Aligned(each.lists - first, 0, each.rule)
            for each in blocks._ratios_of(block)
            if (each.rule == rule) == only
        ),
    )
