"""What a rule says, cell by cell, in the language itself."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from tacit.arrays import Ints
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.curves import Atom, Mass
from tacit.knowledge.rows import Products, Rows
from tacit.knowledge.statements import Compare, Expression, Part, Ratios
from tacit.knowledge.terms import Probability, Term, Word


def expansion(bound: Bound, number: int, most: int = 12) -> tuple[str, ...]:
    """The lines that rule `number` stands for, `... (37 more)` behind the first ones.

    Lines parse again and bind to the same rows and curves; only those of a function in Python
    are no statements of the language.
    """
    which = np.flatnonzero(bound.rows.rule == number)
    lists = [each.lists for each in bound.proportions if each.rule == number]
    curves = [each for part in bound.curved if part.rule == number for each in part.instances]
    total = which.size + len(lists) + len(curves)
    shown = bound.rows.chosen(which[:most])
    lines = [_line(bound.cells, shown, row) for row in range(len(shown))]
    lines += [_ratio(bound.cells, each) for each in lists[: most - len(lines)]]
    lines += [each.text for each in curves[: most - len(lines)]]
    return (*lines, f"... ({total - most} more)") if total > most else tuple(lines)


def instance(bound: Bound, row: int) -> str:
    """What one linear row says, in the language."""
    return _line(bound.cells, bound.rows, row)


def cell_label(cells: Cells, cell: int) -> str:
    """P(Cancer=yes | Smoker=no, Genes=bad)"""
    return str(_probability(cells, (cell,)))


def atom_said(cells: Cells, atom: Atom) -> str:
    """A mass, or an event, in the language."""
    if isinstance(atom, Mass):
        return str(_probability(cells, atom.cells))
    held = [(cells.families[name][-1], codes) for name, codes in atom.held]
    terms = (Term(Word(axis.name), tuple(Word(axis.states[code]) for code in codes))
             for axis, codes in held)  # fmt: skip
    return str(Probability(tuple(terms)))


def _probability(cells: Cells, chosen: tuple[int, ...]) -> Probability:
    """The mass of these cells of one row."""
    name = _table(cells, chosen[0])
    *parents, child = cells.families[name]
    shape = [len(axis.states) for axis in (*parents, child)]
    *at, _ = np.unravel_index(chosen[0] - cells.starts[name], shape)
    codes = [(cell - cells.starts[name]) % shape[-1] for cell in chosen]
    target = Term(Word(name), tuple(Word(child.states[code]) for code in codes))
    given = zip(parents, at, strict=True)
    return Probability(
        (target,), tuple(Term(Word(axis.name), (Word(axis.states[c]),)) for axis, c in given)
    )


@lru_cache(maxsize=4)
def _by_start(cells: Cells) -> tuple[list[int], list[str]]:
    """First cells, rising, and the names of their tables; the first one where several are one."""
    names = {cells.starts[name]: name for name in reversed(list(cells.families))}
    return sorted(names), [names[start] for start in sorted(names)]


def _table(cells: Cells, cell: int) -> str:
    starts, names = _by_start(cells)
    return names[bisect_right(starts, cell) - 1]


def _line(cells: Cells, rows: Rows, row: int) -> str:
    """Positive factors stand on the left as written, negative ones on the right, then the number.

    What has nothing on the left is turned round: 0.2 <= P(A=a) reads P(A=a) >= 0.2.
    """
    entries = slice(rows.at[row], rows.at[row + 1])
    sign = int(rows.sign[row])
    parts = _masses(cells, rows.cells[entries], [sign * f for f in rows.factors[entries].tolist()])
    limit = sign * float(rows.limits[row])
    if all(part.factor < 0 for part in parts):
        parts, limit, sign = [Part(-part.factor, part.of) for part in parts], -limit, -sign
    left = [part for part in parts if part.factor > 0]
    right = [Part(-part.factor, part.of) for part in parts if part.factor < 0]
    if limit != 0 or not right:
        right.append(Part(_short(limit)))
    said = "=" if rows.equal[row] else "<=" if sign > 0 else ">="
    return str(Compare((Expression(tuple(left)), Expression(tuple(right))), (said,)))


def _masses(cells: Cells, chosen: Ints, factors: list[float]) -> list[Part]:
    """Cells of one row with one factor are one mass."""
    masses: dict[tuple[str, int, float], list[int]] = {}
    for factor, cell in zip(factors, chosen.tolist(), strict=True):
        name = _table(cells, cell)
        row = (cell - cells.starts[name]) // len(cells.families[name][-1].states)
        masses.setdefault((name, row, factor), []).append(cell)
    return [
        Part(_short(factor), _probability(cells, tuple(mass)))
        for (_, _, factor), mass in masses.items()
    ]


def _short(value: float) -> float:
    """Without the dust of additions: 0.3 - 0.1 is 0.2."""
    return float(f"{value:.12g}") + 0.0


def _ratio(cells: Cells, lists: Ints) -> str:
    sides = (tuple(_probability(cells, (cell,)) for cell in side) for side in lists.tolist())
    return str(Ratios(tuple(sides)))


def products_said(cells: Cells, products: Products) -> Iterator[str]:
    """What products say, row by row."""
    for left, right in zip(products.left.T.tolist(), products.right.T.tolist(), strict=True):
        sides = (" * ".join(cell_label(cells, cell) for cell in side) for side in (left, right))
        yield " <= ".join(sides)
