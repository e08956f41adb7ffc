"""Cells, linear rows and rules in the words of the expert."""

from __future__ import annotations

from collections import Counter
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


def written(rule: Rule) -> str:
    """A rule behind its place, on one line: `expert.know:3: P(A=yes) <= 0.3`."""
    text = " ".join(line.strip() for line in rule.text.splitlines())
    return f"{place(rule)}: {text}" if place(rule) else text


def called(rules: Sequence[Rule], among: Sequence[Rule]) -> str:
    """`lines 5 and 9`: short names of some rules in a sentence about `among`."""
    lines = Counter((rule.source, rule.line) for rule in among)
    alone = all(rule.line and lines[rule.source, rule.line] == 1 for rule in rules)
    if alone and len({rule.source for rule in among}) == 1:
        numbers = [str(rule.line) for rule in rules]
        return f"line{'' if len(numbers) == 1 else 's'} {in_a_row(numbers)}"
    if alone:
        return in_a_row([place(rule) for rule in rules])
    return in_a_row([f"`{rule.text}`" for rule in rules])


def in_a_row(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def plainly(value: float, digits: int = 6) -> str:
    """A number as people write it: 0.3, not 0.30000000000000004."""
    return f"{value + 0.0:.{digits}g}"


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
    name = _tables(cells, np.array(members[:1]))[0]
    return _mass(cells, name, members)


def labels(cells: Cells, which: Ints) -> list[str]:
    """Each of many cells alone: `P(Stage=III | Age=young)`."""
    names = _tables(cells, which)
    return [_mass(cells, name, [c]) for name, c in zip(names, which.tolist(), strict=True)]


def _mass(cells: Cells, name: str, members: Sequence[int]) -> str:
    *parents, child = cells.families[name]
    row, _ = divmod(members[0] - cells.starts[name], len(child.states))
    states = [
        quoted(child.states[(cell - cells.starts[name]) % len(child.states)]) for cell in members
    ]
    target = states[0] if len(states) == 1 else f"{{{', '.join(states)}}}"
    given: list[str] = []
    for parent in reversed(parents):
        row, code = divmod(row, len(parent.states))
        given.append(f"{quoted(parent.name)}={quoted(parent.states[code])}")
    behind = f" | {', '.join(reversed(given))}" if given else ""
    return f"P({quoted(name)}={target}{behind})"


def _tables(cells: Cells, which: Ints) -> list[str]:
    """For each cell the first variable whose table holds it."""
    first: dict[int, str] = {}
    for name, start in cells.starts.items():
        first.setdefault(start, name)
    starts = np.array(sorted(first), dtype=np.int64)
    found = starts[np.searchsorted(starts, which, side="right") - 1]
    return [first[start] for start in found.tolist()]
