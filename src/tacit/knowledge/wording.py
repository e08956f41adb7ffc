"""Cells, linear rows and rules in the words of the expert."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import quoted
from tacit.knowledge.cells import Cells
from tacit.knowledge.statements import Rule


def place(rule: Rule) -> str:
    """`expert.know:3`, `line 3`, or nothing for a rule built in Python."""
    if not rule.line:
        return rule.source
    return f"{rule.source}:{rule.line}" if rule.source else f"line {rule.line}"


def called(rules: Sequence[Rule], among: Sequence[Rule]) -> str:
    """`lines 5 and 9`: short names of some rules in a sentence about `among`."""
    if len({rule.source for rule in among}) == 1 and all(rule.line for rule in among):
        numbers = [str(line) for line in dict.fromkeys(rule.line for rule in rules)]
        if len({rule.line for rule in among}) == len(among):
            return f"line{'' if len(numbers) == 1 else 's'} {in_a_row(numbers)}"
    return in_a_row([f"`{rule.text}`" for rule in rules])


def in_a_row(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def plainly(value: float, digits: int = 6) -> str:
    """A number as people write it: 0.3, not 0.30000000000000004."""
    return f"{value:.{digits}g}" if abs(value) > 1e-12 else "0"


def expressed(cells: Cells, which: Ints, factors: Floats) -> str:
    """Σ factors · θ[which] in the expert's words; cells of one row with one factor are a set."""
    first, _ = cells.rows_of(which)
    groups: dict[tuple[int, float], list[int]] = {}
    for cell, start, factor in zip(which.tolist(), first.tolist(), factors.tolist(), strict=True):
        groups.setdefault((start, factor), []).append(cell)
    words: list[str] = []
    for (_, factor), members in groups.items():
        size = "" if abs(factor) == 1 else f"{plainly(abs(factor))} * "
        sign = "-" if factor < 0 else "+"
        said = size + mass(cells, members)
        words += [sign, said] if words else [f"-{said}" if factor < 0 else said]
    return " ".join(words) or "0"


def mass(cells: Cells, members: Sequence[int]) -> str:
    """`P(Stage={III, IV} | Age=young)`: cells of one row."""
    name = _table(cells, members[0])
    axes = cells.families[name]
    shape = tuple(len(axis.states) for axis in axes)
    at = np.unravel_index(np.array(members) - cells.starts[name], shape)
    child = axes[-1]
    states = [quoted(child.states[code]) for code in at[-1]]
    target = states[0] if len(states) == 1 else f"{{{', '.join(states)}}}"
    given = ", ".join(
        f"{quoted(axis.name)}={quoted(axis.states[codes[0]])}"
        for axis, codes in zip(axes[:-1], at, strict=False)
    )
    return f"P({quoted(child.name)}={target}{' | ' + given if given else ''})"


def _table(cells: Cells, cell: int) -> str:
    """The first variable whose table holds this cell."""
    start = max(start for start in cells.starts.values() if start <= cell)
    return next(name for name, first in cells.starts.items() if first == start)
