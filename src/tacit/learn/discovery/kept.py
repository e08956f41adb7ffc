"""Rules that were there before: rows that they tie are one from the start, others stay out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Ints
from tacit.knowledge.blocks import Block, Blocks
from tacit.knowledge.bound import Bound
from tacit.learn.discovery.sheets import Unit


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """What rules say of the rows of one table.

    rows   (rows,) a rule speaks of the row
    units  rows that the rules hold to be one, and of which they say nothing else
    """

    rows: Bools
    units: tuple[Unit, ...] = ()

    @property
    def shut(self) -> Bools:
        """(rows,) rows of which more is said than that they are one."""
        found = self.rows.copy()
        for unit in self.units:
            found[list(unit)] = False
        return found


def kept_rows(bound: Bound, blocks: Blocks) -> Mapping[str, Kept]:
    """Per table that rules speak of, what they say of its rows."""
    touched = np.zeros(bound.cells.size, dtype=np.bool_)
    touched[blocks.cells] = True
    units = [] if bound.curved else list(_units(bound, blocks))
    found = {}
    for name, axes in bound.cells.families.items():
        cells = bound.cells.block(name).reshape(-1, len(axes[-1].states))
        rows: Bools = touched[cells].max(axis=1)
        if rows.any():
            first = int(cells[0, 0])
            mine = [unit for unit in units if first <= unit[0] <= cells[-1, -1]]
            held = tuple(tuple(((unit - first) // cells.shape[1]).tolist()) for unit in mine)
            found[name] = Kept(rows, held)
    return found


def _units(bound: Bound, blocks: Blocks) -> Iterator[Ints]:
    """The first cells of rows that are one, block by block; nothing of blocks that say more."""
    for number in range(len(blocks)):
        block = blocks[number]
        cells = blocks.cells[blocks.cell_at[number] : blocks.cell_at[number + 1]]
        labels = _whole_rows(block)
        tables = {_table_of(bound, int(cell)) for cell in cells}
        if labels is None or len(tables) > 1:
            continue
        firsts = cells[np.flatnonzero(np.diff(block.row, prepend=-1))]
        for label in np.unique(labels):
            yield np.sort(firsts[labels == label])


def _table_of(bound: Bound, cell: int) -> int:
    return max(start for start in bound.cells.starts.values() if start <= cell)


def _whole_rows(block: Block) -> Ints | None:
    """(rows,) which rows of a block are one; None if its rules say anything else."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rules = block.rules
    pairs = np.diff(rules.at) == 2
    if block.ratios or not len(rules) or not (pairs.all() and rules.equal.all()):
        return None
    ends, factors = rules.cells.reshape(-1, 2), rules.factors.reshape(-1, 2)
    if rules.limits.any() or factors.sum(axis=1).any():
        return None
    graph = coo_array((np.ones(len(ends)), ends.T), shape=(block.size, block.size))
    _, label = connected_components(graph, directed=False)
    lengths = np.bincount(block.row)
    if np.unique(lengths).size > 1:
        return None
    rows, which = np.unique(label.reshape(-1, lengths[0]), axis=0, return_inverse=True)
    if np.unique(rows).size < rows.size:
        return None
    return np.asarray(which).ravel()
