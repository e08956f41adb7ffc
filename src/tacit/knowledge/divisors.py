"""Divisors that other rules hold at 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays import Bools, Ints
from tacit.knowledge.curves import Atom, Mass, Terms
from tacit.knowledge.expansion import atom_said
from tacit.knowledge.faults import fault
from tacit.knowledge.names import Names
from tacit.knowledge.rows import Rows
from tacit.knowledge.statements import Rule
from tacit.knowledge.wording import written


def check_divisors(
    names: Names, rules: Sequence[Rule], rows: Rows, divisors: Sequence[tuple[int, Terms]]
) -> None:
    """Nothing, or an error about a rule that divides by what a row of another one holds at 0."""
    if not divisors:
        return
    zero, by = _zeros(names, rows)
    if not zero.any():
        return
    for number, terms in divisors:
        guilty = [_vanishes(names, atoms, zero) for _, atoms in terms]
        if not guilty or None in guilty:
            continue
        first = next(cell for cell in guilty if cell is not None)
        atom = next(a for a in terms[0][1] if _at(names, a, zero) is not None)
        raise fault(
            rules[number], None,
            f"this rule divides by {atom_said(names.cells, atom)}, which the rules hold at 0",
            f"held at 0 by  {written(rules[by[first]])}",
        )  # fmt: skip


def _vanishes(names: Names, atoms: Sequence[Atom], zero: Bools) -> int | None:
    """A cell that is 0 and makes this product 0; None if there is none."""
    return next((cell for a in atoms if (cell := _at(names, a, zero)) is not None), None)


def _at(names: Names, atom: Atom, zero: Bools) -> int | None:
    """A cell of an atom whose cells are all 0: of a mass, or of one variable of an event."""
    if isinstance(atom, Mass):
        sets = [np.array(atom.cells)]
    else:
        held = dict(atom.held)
        sets = [_cells(names, name, held) for name in held]
    return next((int(cells[0]) for cells in sets if cells.size and zero[cells].all()), None)


def _cells(names: Names, name: str, held: dict[str, tuple[int, ...]]) -> Ints:
    """The cells of one table that agree with an event."""
    layout = names.layouts[name]
    axes = (*layout.parents.values(), layout.child)
    block = names.cells.block(name)
    return block[np.ix_(*(held.get(axis.name, axis.every) for axis in axes))].ravel()


def _zeros(names: Names, rows: Rows) -> tuple[Bools, Ints]:
    """Cells that one row of a rule holds at 0, and the rule that does.

    Σ positive · θ <= 0 holds its cells at 0; a mass of at least 1 those beside it in its row.
    """
    zero = np.zeros(names.cells.size, dtype=np.bool_)
    by = np.zeros(names.cells.size, dtype=np.int64)
    lowest = np.minimum.reduceat(rows.factors, rows.at[:-1]) if len(rows) else rows.limits
    for row in np.flatnonzero((lowest > 0) & (rows.limits <= 0)).tolist():
        cells = rows.cells[rows.at[row] : rows.at[row + 1]]
        zero[cells], by[cells] = True, rows.rule[row]
    first, length = names.cells.rows_of(rows.cells)
    for row in np.flatnonzero(_full(rows)).tolist():
        at = int(rows.at[row])
        inside = rows.cells[at : rows.at[row + 1]]
        whole = np.arange(first[at], first[at] + length[at])
        if np.isin(inside, whole).all():
            beside = np.setdiff1d(whole, inside)
            zero[beside], by[beside] = True, rows.rule[row]
    return zero, by


def _full(rows: Rows) -> Bools:
    """Rows that say of a sum of cells that it is 1, or at least 1."""
    factor = rows.factors[rows.at[:-1]]
    even = np.bincount(rows.owner, rows.factors != factor[rows.owner], len(rows)) == 0
    one = np.abs(rows.limits - factor) <= 1e-15 * np.abs(factor)
    return np.asarray(even & one & (rows.equal | (factor < 0)))
