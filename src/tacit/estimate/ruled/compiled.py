"""Blocks of linear rules made ready for the interior-point method.

What the rules force is taken out first, so that what is left has an inside: cells that must be 0
are left out, inequalities that must hold with equality become equalities, and equalities that
follow from others are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.errors import ConflictError
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.polytope import Interior, relative_interior
from tacit.knowledge.rows import Rows

if TYPE_CHECKING:
    from tacit.kernels.normal import Program


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """The program of some blocks, and where its cells and rules come from.

    positions  (cells,)  the position of each cell of the program
    sources    (rules,)  the rule that each of its rules was; -1 - row for the sum of a row
    scales     (rules,)  what each was divided by
    block      (cells,)  the block of the program that each cell stands in
    """

    program: Program
    positions: Ints
    sources: Ints
    scales: Floats
    block: Ints


def chosen_blocks(blocks: Blocks, which: Ints) -> Blocks:
    """These blocks alone; `cells` holds their positions among all, `origin` their rules."""
    positions, block = spans(blocks.cell_at, which)
    rules, _ = spans(blocks.rule_at, which)
    place = np.zeros(blocks.cells.size, dtype=np.int64)
    place[positions] = np.arange(positions.size)
    rows = blocks.rules.chosen(rules)
    _, row = np.unique(blocks.row[positions], return_inverse=True)
    return Blocks(
        cells=positions,
        row=np.asarray(row, dtype=np.int64),
        cell_at=_counted_up(block, which.size),
        row_at=_sums(np.diff(blocks.row_at)[which]),
        rules=Rows(rows.at, place[rows.cells], rows.factors, rows.limits, rows.equal,
                   rows.rule, rows.sign),
        rule_at=_sums(np.diff(blocks.rule_at)[which]),
        origin=rules,
    )  # fmt: skip


def compiled(blocks: Blocks, interior: Interior) -> Compiled:
    """The program of all of these blocks."""
    from tacit.kernels.normal import Program

    rules = _rules(blocks, interior)
    free = ~interior.zero
    cell = np.cumsum(free) - 1
    owner, cells, factors = rules.owner[free[rules.cells]], cell[rules.cells], rules.factors
    cells, factors = cells[free[rules.cells]], factors[free[rules.cells]]
    scales = np.zeros(len(rules))
    np.maximum.at(scales, owner, np.abs(factors))
    block = blocks.cell_block[free]
    rule_block = _rule_blocks(blocks)
    scaled = factors / scales[owner]
    kept = (scales > 0) & _independent(blocks, rules, (owner, cells, scaled), rule_block, block)
    order = np.flatnonzero(kept)
    order = order[np.lexsort((~rules.equal[order], rule_block[order]))]
    place = np.full(len(rules), -1)
    place[order] = np.arange(order.size)
    rule_at = _counted_up(rule_block[order], len(blocks))
    entries = np.flatnonzero(kept[owner])
    entries = entries[np.lexsort((place[owner[entries]], cells[entries]))]
    local = place[owner[entries]] - rule_at[block[cells[entries]]]
    equal = np.bincount(rule_block[order][rules.equal[order]], minlength=len(blocks))
    program = Program(
        _counted_up(block, len(blocks)), rule_at, equal, _counted_up(cells[entries], block.size),
        local, scaled[entries], rules.limits[order] / scales[order],
    )  # fmt: skip
    return Compiled(program, np.flatnonzero(free), rules.rule[order], scales[order], block)


def _rules(blocks: Blocks, interior: Interior) -> Rows:
    """Sums of rows, then all rules; `rule` is -1 - row or the number of the rule."""
    rows, given = int(blocks.row[-1]) + 1 if blocks.row.size else 0, blocks.rules
    sums = np.concatenate([[0], np.cumsum(np.bincount(blocks.row, minlength=rows))])
    return Rows(
        at=np.concatenate([sums, blocks.row.size + given.at[1:]]).astype(np.int64),
        cells=np.concatenate([np.arange(blocks.row.size), given.cells]),
        factors=np.concatenate([np.ones(blocks.row.size), given.factors]),
        limits=np.concatenate([np.ones(rows), given.limits]),
        equal=np.concatenate([np.ones(rows, dtype=np.bool_), given.equal | interior.tight]),
        rule=np.concatenate([-1 - np.arange(rows), np.arange(len(given))]),
        sign=np.ones(rows + len(given), dtype=np.int64),
    )


def _rule_blocks(blocks: Blocks) -> Ints:
    count = np.arange(len(blocks))
    return np.concatenate(
        [np.repeat(count, np.diff(blocks.row_at)), np.repeat(count, np.diff(blocks.rule_at))]
    )


def _independent(
    blocks: Blocks, rules: Rows, entries: tuple[Ints, Ints, Floats], rule_block: Ints, block: Ints
) -> Bools:
    """Which rules are to be kept: all but equalities that follow from those before them."""
    from tacit.kernels.independence import independent

    owner, cells, scaled = entries
    cell_at = _counted_up(block, len(blocks))
    equalities = np.flatnonzero(rules.equal)
    equalities = equalities[np.argsort(rule_block[equalities], kind="stable")]
    place = np.full(len(rules), -1)
    place[equalities] = np.arange(equalities.size)
    chosen = np.flatnonzero(rules.equal[owner])
    chosen = chosen[np.argsort(place[owner[chosen]], kind="stable")]
    kept = np.ones(len(rules), dtype=np.bool_)
    at = _counted_up(place[owner[chosen]], equalities.size)
    rule_at = _counted_up(rule_block[equalities], len(blocks))
    kept[equalities] = independent(rule_at, cell_at, at, cells[chosen], scaled[chosen])
    return kept


def inside_of(blocks: Blocks) -> Interior:
    """What the rules force; a conflict is an error."""
    interior = relative_interior(blocks)
    if not interior.feasible.all():
        first = int(np.flatnonzero(~interior.feasible)[0])
        numbers = blocks.rules.rule[blocks.rule_at[first] : blocks.rule_at[first + 1]]
        raise ConflictError("the rules contradict each other", tuple(map(str, np.unique(numbers))))
    return interior


def spans(at: Ints, which: Ints) -> tuple[Ints, Ints]:
    """The numbers at[b]..at[b+1]-1 of every chosen b, and which of the chosen each belongs to."""
    lengths = np.diff(at)[which]
    owner = np.repeat(np.arange(which.size), lengths)
    first = np.repeat(at[which] - (np.cumsum(lengths) - lengths), lengths)
    return first + np.arange(owner.size), owner


def _sums(lengths: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _counted_up(labels: Ints, kinds: int) -> Ints:
    return _sums(np.bincount(labels, minlength=kinds))
