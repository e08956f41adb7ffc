"""What rules leave to the cells they speak of: blocks, what is forced, trees of splits."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Ints
from tacit.estimate.ruled.plan import compile_blocks
from tacit.estimate.ruled.splits import Forest
from tacit.knowledge.blocks import Blocks, blocks_of
from tacit.knowledge.bound import Bound
from tacit.knowledge.polytope import Interior, relative_interior


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """Blocks of rows with their rules, what the rules force, and the trees among them.

    forest: None where the rules cannot hold together
    """

    blocks: Blocks
    inside: Interior
    forest: Forest | None

    @property
    def feasible(self) -> bool:
        """Whether the rules can hold together."""
        return bool(self.inside.feasible.all())


def ground_of(bound: Bound, also: Ints | None = None) -> Ground:
    """The ground that rules stand on; `also` names cells whose rows are wanted anyhow."""
    blocks = blocks_of(bound, also)
    inside = relative_interior(blocks)
    if not inside.feasible.all():
        return Ground(blocks, inside, None)
    return Ground(blocks, inside, compile_blocks(blocks, inside).forest)


def said_of(bound: Bound, cells: Ints, rules: Ints) -> Bound:
    """What some of the rules say of some of the cells; no statement reaches beyond them."""
    rows = bound.rows
    first = rows.cells[np.minimum(rows.at[:-1], max(rows.cells.size - 1, 0))]
    kept = np.flatnonzero(np.isin(rows.rule, rules) & np.isin(first, cells))
    lists = tuple(
        part
        for part in bound.proportions
        if part.rule in rules and bool(np.isin(part.lists.flat[0], cells))
    )
    return replace(bound, rows=rows.chosen(kept), proportions=lists, products=(), curved=())


def row_starts(bound: Bound, cells: Ints) -> Ints:
    """The first cell of every row that holds one of these cells."""
    return np.unique(bound.cells.rows_of(cells)[0])
