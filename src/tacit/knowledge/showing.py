"""A check as text and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import product

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import quoted
from tacit.core.grid import Grid, counted
from tacit.knowledge.checks import Check
from tacit.knowledge.implied import SAME
from tacit.knowledge.wording import plainly, written

MOST_RULES, MOST_FORCED, MOST_TABLES, MOST_ROWS = 60, 20, 12, 24


def as_text(check: Check) -> str:
    """The verdict, each rule with what it stands for, what is forced, intervals, notes.

    Where rules conflict, the conflicts alone.
    """
    parts = [verdict(check), *(str(conflict) for conflict in check.conflicts)]
    if check.more:
        parts.append(f"and {counted(check.more, 'more part')} of the network with other conflicts")
    parts += [against for _, against in check.structure if against]
    if not check.feasible:  # nothing may stand between the reader and the conflict
        return "\n\n".join(parts)
    parts.append("\n".join(_rules(check)))
    if forced := _forced(check):
        parts.append("\n".join(["Forced by the rules", *(f"  {line}" for line in forced)]))
    parts += [*map(str, tables(check)), _more_tables(check)]
    parts.append("\n".join(f"note: {note}" for note in check.notes))
    return "\n\n".join(part for part in parts if part)


def verdict(check: Check) -> str:
    """One line: how many rules, and whether they can hold together."""
    count = check.count
    head, alone = counted(count, "rule"), count == 1
    if not check.feasible:
        return f"{head}: {'it cannot hold' if alone else 'they cannot all hold'}"
    if len(check.curved) == count:
        return (
            f"{head}: not linear; a fit will look for tables that obey {'it' if alone else 'them'}"
        )
    if alone:
        return f"{head}: it can hold"
    spare = f", {len(check.redundant):,} implied by others" if check.redundant else ""
    who = "those that are linear" if check.curved else "they"
    return f"{head}: {who} can hold together{spare}"


def _rules(check: Check) -> Iterator[str]:
    """Each rule, what it stands for where that is more than it says, and who implies it."""
    for number, rule in enumerate(check.rules[:MOST_RULES]):
        yield written(rule)
        lines = check.expansion(number, 6)
        if len(lines) > 1 or (lines and lines[0] != str(rule.statement)):
            yield from (f"    {line}" for line in lines)
        if number in check.redundant:
            yield f"    ({check.implied_by(number)})"
    if (more := len(check.rules) - MOST_RULES) > 0:
        yield f"... and {counted(more, 'more rule')}"
    yield from map(written, check.linked[:MOST_RULES])
    if check.regressed is not None:
        for number, rule in enumerate(check.regressed.rules[:MOST_RULES]):
            yield written(rule)
            lines = check.regressed.expansion(number)
            if len(lines) > 1:
                yield from (f"    {line}" for line in lines[:6])
    yield from (f"{written(rule)}\n    (so it is)" for rule, no in check.structure if not no)


def _forced(check: Check) -> list[str]:
    total = check.fixed[0].size + check.tight.size
    lines = list(check.forced_first(MOST_FORCED))
    return [*lines, f"... and {total - MOST_FORCED:,} more"] if total > MOST_FORCED else lines


def tables(check: Check) -> list[Grid]:
    """What the rules leave to the cells of each table, ruled rows only."""
    shown = list(check.intervals.items())[:MOST_TABLES]
    grids = [_grid(check, name, values) for name, values in shown]
    return [grid for grid in grids if grid.rows]


def _more_tables(check: Check) -> str:
    more = len(check.intervals) - MOST_TABLES
    return f"... and {counted(more, 'more table')}" if more > 0 else ""


def _grid(check: Check, name: str, values: Floats) -> Grid:
    *parents, child = check.bound.cells.families[name]
    flat = values.reshape(-1, len(child.states), 2)
    free = ((flat[:, :, 0] == 0) & (flat[:, :, 1] == 1)).all(axis=1)
    said = ~free & ~np.isnan(flat).any(axis=(1, 2))
    states = list(product(*(axis.states for axis in parents)))
    rows = tuple(
        (*map(quoted, states[row]), *map(_interval, flat[row, :, 0], flat[row, :, 1]))
        for row in np.flatnonzero(said)[:MOST_ROWS].tolist()
    )
    more = int(said.sum()) - len(rows)
    given = f" | {', '.join(quoted(axis.name) for axis in parents)}" if parents else ""
    return Grid(
        f"The rules leave to P({quoted(name)}{given})",
        (*(quoted(axis.name) for axis in parents), *map(quoted, child.states)),
        rows,
        labels=len(parents),
        foot=f"  ... and {counted(more, 'more row')}" if more else "",
    )


def _interval(low: float, high: float) -> str:
    if high - low <= SAME * high:
        return plainly((low + high) / 2, 4)
    return f"{plainly(low, 4)} to {plainly(high, 4)}"


def as_html(check: Check) -> str:
    """The same for notebooks."""
    parts = [f"<p>{escape(verdict(check))}</p>"]
    told = [*map(str, check.conflicts), *(against for _, against in check.structure if against)]
    parts += [f"<pre>{escape(each)}</pre>" for each in told]
    parts.append(f"<pre>{escape(chr(10).join(_rules(check)))}</pre>")
    if forced := _forced(check):
        items = "".join(f"<li>{escape(line)}</li>" for line in forced)
        parts.append(f"<p>Forced by the rules</p><ul>{items}</ul>")
    parts += [grid._repr_html_() for grid in tables(check)]
    parts.append(f"<p>{escape(_more_tables(check))}</p>")
    parts += [f"<p>note: {escape(note)}</p>" for note in check.notes]
    return "".join(parts)
