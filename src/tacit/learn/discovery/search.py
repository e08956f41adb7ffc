"""The search through all tables: whole tables first, then rows, then parts of rows, then orders.

Every find is weighed on top of those before it, and only the rows it touches are looked at again,
so gains add up to the log marginal likelihood of all finds together. [PDK-42]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import log

import numpy as np

from tacit.core.errors import quoted
from tacit.core.grid import counted
from tacit.learn.discovery import saying
from tacit.learn.discovery.cells import CellItems, best_cells
from tacit.learn.discovery.cuts import MOST_UNITS, Cut, Search
from tacit.learn.discovery.finds import Proposal
from tacit.learn.discovery.orders import Rising
from tacit.learn.discovery.partitions import Found, Groups, Items, best_partition, worthy
from tacit.learn.discovery.rows import MOST_PARENTS, MOST_ROWS, RowsFound, find_rows
from tacit.learn.discovery.sheets import Sheet, Unit, alike, together
from tacit.learn.progress import Report

MOST_CELLS = 2e8
"""States cubed times rows, beyond which equal cells are not looked for."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is looked for.

    least   what a rule must gain beyond its price, in nats
    kinds   of rules
    orders  per variable its states from low to high, where somebody knows
    """

    least: float
    kinds: frozenset[str]
    orders: Mapping[str, Sequence[int]]
    seed: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found, and what to say about it."""

    proposals: tuple[Proposal, ...]
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Page:
    """A table while it is searched.

    units  rows that are one; all rows that have cases and are open
    cells  per unit its groups of equal cells
    tied   units that have parts in common with others
    """

    sheet: Sheet
    units: tuple[Unit, ...] = ()
    cells: dict[Unit, Groups] = field(default_factory=dict)
    tied: set[Unit] = field(default_factory=set)


def searched(sheets: Mapping[str, Sheet], wishes: Wishes, told: Report) -> Outcome:
    """All rules found in these tables."""
    found: list[Proposal] = []
    notes: list[str] = []
    pages = [_Page(sheet) for sheet in _one_tables(sheets, wishes, found)]
    total = 3 * len(pages)
    for at, page in enumerate(pages):
        rows = find_rows(page.sheet, wishes.least, "rows" in wishes.kinds)
        page.units = rows.units
        found += _rows_said(page.sheet, rows)
        notes += _rows_notes(page.sheet, rows, wishes)
        told(at + 1, total)
    parts: list[Proposal] = []
    for at, page in enumerate(pages):
        parts += _parts(page, wishes)
        notes += _parts_notes(page, wishes)
        told(len(pages) + at + 1, total)
    kinds = ("links", "ratios", "cells")
    found += sorted(parts, key=lambda each: kinds.index(each.kind))
    for at, page in enumerate(pages):
        if "orders" in wishes.kinds:
            found += _orders(page, wishes)
        told(2 * len(pages) + at + 1, total)
    return Outcome(tuple(found), tuple(notes))


def _one_tables(
    sheets: Mapping[str, Sheet], wishes: Wishes, found: list[Proposal]
) -> Iterator[Sheet]:
    """The tables, those that are one together."""
    joined: dict[str, Sheet | None] = dict(sheets)
    for candidates in alike(sheets) if "tables" in wishes.kinds else ():
        items = Items(
            np.array([each.counts for each in candidates]),
            np.array([each.alpha for each in candidates]),
            np.ones(candidates[0].states),
        )
        for each in worthy(items, best_partition(items), wishes.least):
            members = [candidates[at] for at in each.group]
            whole = together(members)
            rule = saying.one_table([member.axes for member in members])
            cases = float(whole.counts.sum())
            found.append(Proposal(rule, "tables", each.gain, each.sure, each.price, cases))
            for member in members[1:]:
                joined[member.names[0]] = None
            joined[whole.names[0]] = whole
    yield from (sheet for sheet in joined.values() if sheet is not None)


def _rows_said(sheet: Sheet, rows: RowsFound) -> Iterator[Proposal]:
    child, parents = sheet.names[0], sheet.axes[:-1]
    for each in rows.ignored:
        held = {parents[at].name: parents[at].states[code] for at, code in each.held}
        rule = saying.ignores(child, [parents[at].name for at in each.parents], held)
        cases = sheet.cases(each.units)
        yield Proposal(rule, "rows", each.gain, each.sure, each.price, cases)
    for group in rows.groups:
        units = [rows.before[at] for at in group.group]
        rule = saying.equal_rows(child, _contexts(sheet, units))
        yield Proposal(rule, "rows", group.gain, group.sure, group.price, sheet.cases(units))


def _contexts(sheet: Sheet, units: Sequence[Unit]) -> list[dict[str, str]]:
    return [sheet.context(sheet.speaker(unit)) for unit in units]


def _parts(page: _Page, wishes: Wishes) -> list[Proposal]:
    """Equal cells, and what rows have in common: whichever gains more comes first."""
    links_first, cells_first = _Page(page.sheet, page.units), _Page(page.sheet, page.units)
    one = [*_links(links_first, wishes), *_cells(links_first, wishes)]
    if not links_first.tied or not links_first.units:
        page.cells = links_first.cells
        return one
    other = [*_cells(cells_first, wishes), *_links(cells_first, wishes)]
    better, said = max(
        ((links_first, one), (cells_first, other)),
        key=lambda each: sum(found.sure - found.price for found in each[1]),
    )
    page.cells, page.tied = better.cells, better.tied
    return said


def _links(page: _Page, wishes: Wishes) -> Iterator[Proposal]:
    sheet, kinds = page.sheet, wishes.kinds
    units = [unit for unit in page.units if unit not in page.cells]
    if len(units) < 2 or not kinds & {"links", "ratios"}:
        return
    items = sheet.pooled(units)
    search = Search(
        items.counts[:, 0], items.alpha[:, 0], "links" in kinds, "ratios" in kinds, wishes.least
    )
    for cut in search.cuts():
        tied = [units[at] for at in cut.units]
        page.tied.update(tied)
        yield _cut_said(sheet, cut, tied)


def _cut_said(sheet: Sheet, cut: Cut, units: Sequence[Unit]) -> Proposal:
    """The tie in words. A set of states is named in all rows that are one, so that the rules are a
    tree of splits whichever of these rows one looks at; of one state a row speaks for the others.
    """
    states = [sheet.axes[-1].states[at] for at in cut.states]
    places = [place for unit in units for place in sheet.places(unit)]
    if len(states) == 1:
        places = [(sheet.names[0], context) for context in _contexts(sheet, units)]
    say = saying.equal_masses if cut.mass else saying.equal_ratios
    kind = "links" if cut.mass else "ratios"
    cases = sheet.cases(units)
    return Proposal(say(states, places), kind, cut.gain, cut.sure, cut.price, cases)


def _cells(page: _Page, wishes: Wishes) -> Iterator[Proposal]:
    sheet = page.sheet
    units = [unit for unit in page.units if unit not in page.tied]
    if "cells" not in wishes.kinds or not units or _too_many_cells(sheet, units):
        return
    child, which = sheet.axes[-1], log(len(units))
    for unit in units:
        items = CellItems(sheet.counts[list(unit)].sum(axis=0), sheet.alpha[list(unit)].sum(axis=0))
        found = worthy(items, best_cells(items), wishes.least + which)
        if not found:
            continue
        page.cells[unit] = _whole(found, sheet.states)
        for each in found:
            states = [child.states[at] for at in each.group]
            rule = saying.equal_cells(child.name, states, sheet.context(sheet.speaker(unit)))
            cases = float(items.counts[list(each.group)].sum())
            price = each.price + which / len(found)
            yield Proposal(rule, "cells", each.gain, each.sure, price, cases)


def _whole(found: Sequence[Found], states: int) -> Groups:
    """A partition of all states: the groups found, and the others alone."""
    groups = [each.group for each in found]
    inside = set(chain(*groups))
    return tuple(sorted([*groups, *((at,) for at in range(states) if at not in inside)]))


def _too_many_cells(sheet: Sheet, units: Sequence[Unit]) -> bool:
    return sheet.states**3 * float(len(units)) > MOST_CELLS


def _orders(page: _Page, wishes: Wishes) -> Iterator[Proposal]:
    """Rises and falls of a table that no rule of the expert speaks of and no part ties."""
    sheet = page.sheet
    if page.tied or not sheet.open.all() or not sheet.shape:
        return
    inside = set(chain(*page.units))
    rest = [(row,) for row in range(len(sheet.counts)) if row not in inside]
    units = [*page.units, *rest]
    cells = {at: page.cells[unit] for at, unit in enumerate(units) if unit in page.cells}
    orders = [wishes.orders.get(axis.name) for axis in sheet.axes]
    random = np.random.default_rng([wishes.seed, *map(ord, sheet.names[0])])
    for each in Rising(sheet, units, cells, orders).found(wishes.least, random):
        rule = saying.influence(sheet.names[0], sheet.axes[each.parent].name, each.direction)
        cases = float(sheet.counts.sum())
        yield Proposal(rule, "orders", each.gain, each.sure, each.price, cases)


def _rows_notes(sheet: Sheet, rows: RowsFound, wishes: Wishes) -> Iterator[str]:
    name = quoted(sheet.names[0])
    if "rows" not in wishes.kinds:
        return
    if rows.left:
        yield (
            f"{name} has {counted(rows.left + MOST_ROWS, 'row')} with cases: the {MOST_ROWS:,} "
            "with the most were compared with each other"
        )
    if len(sheet.shape) > MOST_PARENTS:
        yield (
            f"{name} has {len(sheet.shape)} parents: contexts in which some of them do not matter "
            f"are looked for up to {MOST_PARENTS}"
        )


def _parts_notes(page: _Page, wishes: Wishes) -> Iterator[str]:
    sheet, name = page.sheet, quoted(page.sheet.names[0])
    if wishes.kinds & {"links", "ratios"} and sheet.states > 2 and len(page.units) > MOST_UNITS:
        yield (
            f"{name} has {counted(len(page.units), 'different row')}: parts that rows have in "
            f"common are looked for among at most {MOST_UNITS}"
        )
    if "cells" in wishes.kinds and _too_many_cells(sheet, page.units):
        yield (
            f"{name} has {counted(sheet.states, 'state')} in {counted(len(page.units), 'row')}: "
            "too many to look for equal cells"
        )
