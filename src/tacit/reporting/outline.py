"""Sections as blocks that text and markdown lay out: paragraphs, lists, sheets, code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tacit.core.errors import quoted
from tacit.reporting import (
    heldout,
    hierarchies,
    inferred,
    paths,
    predicted,
    process_words,
    proposed_words,
    sought,
    straying,
    valued,
)
from tacit.reporting.bent import curve_equation, followed
from tacit.reporting.blocks import Block, Bullets, Code, Paragraph, Section, Sheet
from tacit.reporting.inferred import hidden, missing
from tacit.reporting.lent import borrowed
from tacit.reporting.ruled import rules
from tacit.reporting.support import FEW
from tacit.reporting.views import (
    CARRIED,
    Shown,
    aside,
    came_from,
    carried,
    coefficients,
    kind_said,
    marks,
    moved_by,
    regression_heads,
    regression_rows,
    said_of_arcs,
    shown_tables,
    table_rows,
)
from tacit.reporting.wording import percent, places, some, weight

MOST_CELLS = 20_000
"""Cells of all tables that a text shows."""
MOST_LETTERS = 2_000
"""Letters of rules up to which settings repeat them."""


def _answer(section: Section) -> Iterator[Block]:
    yield Paragraph(" ".join(section["sentences"]))
    worries = [
        worry["text"] + (f" ({places(worry['where'])})" if worry["where"] else "")
        for worry in section["worries"]
    ]
    if worries:
        yield Bullets("Worth knowing", tuple(worries))
    if section["notes"]:
        yield Bullets("Notes of the fit", tuple(section["notes"]))


def _network(section: Section) -> Iterator[Block]:
    variables = [
        (
            quoted(one["name"]) + (" (hidden)" if one["hidden"] else ""),
            "real" if one["states"] is None else str(one["states"]),
            "-" if one["rows"] is None else f"{one['rows']:,}",
            weight(one["support"]),
        )
        for one in section["variables"]
    ]
    heads = ("variable", "states", "rows", "median cases per row")
    yield Sheet("Variables, parents before children", heads, tuple(variables))
    said, marked = said_of_arcs(section), any(map(marks, section["arcs"]))
    if said or marked:
        heads = ("parent", "child", *(CARRIED[what] for what in said), *(("",) if marked else ()))
        yield Sheet(
            f"Arcs, with {section['measure']}" if said else "Arcs",
            heads,
            tuple(
                (
                    quoted(arc["parent"]),
                    quoted(arc["child"]),
                    *(carried(arc, what) for what in said),
                    *((", ".join(marks(arc)),) if marked else ()),
                )
                for arc in section["arcs"]
            ),
            labels=2,
        )


def _course(section: Section) -> Iterator[Block]:
    yield from (sought.course if "search" in section else inferred.course)(section)


def _tables(section: Section) -> Iterator[Block]:
    if any(table["family"] == "table" for table in section["tables"]):
        prior = f" under the prior {section['prior']}" if section["prior"] else ""
        prior += aside(section)
        yield Paragraph(
            f"Probabilities with their {percent(section['level'])} credible intervals{prior}. "
            f"▲ and ▼ mark cells that {moved_by(section)} moved, with the distance from their "
            f"share of the row's cases; * marks rows on fewer than {FEW} cases"
            + (", ~ rows whose cases were mostly inferred." if _any_inferred(section) else ".")
        )
    for shown in shown_tables(section, MOST_CELLS):
        if shown.table["family"] == "table":
            yield _table(shown, section["moved_from"])
        elif shown.table["family"] == "conditional-gaussian":
            yield _conditional(shown)
        else:
            yield _gaussian(shown.table)


def _any_inferred(section: Section) -> bool:
    return any(True in table.get("inferred", ()) for table in section["tables"])


def _table(shown: Shown, moved_from: float) -> Sheet:
    table = shown.table
    given = [quoted(parent["name"]) for parent in table["parents"]]
    title = quoted(table["variable"]) + (f" given {', '.join(given)}" if given else "")
    title += f", {lent}" if (lent := came_from(table)) else ""
    heads = (*(parent["name"] for parent in table["parents"]), *table["states"], "cases")
    rows = tuple(
        (
            *row.given,
            *(" ".join(filter(None, (c.probability, c.interval, c.moved))) for c in row.cells),
            row.cases + ("~" if row.inferred else "") + ("*" if row.few else ""),
        )
        for row in table_rows(shown, moved_from)
    )
    return Sheet(title, heads, rows, labels=len(given), foot=shown.left_out)


def _conditional(shown: Shown) -> Sheet:
    given = [quoted(parent["name"]) for parent in shown.table["parents"]]
    discrete, parameters = regression_heads(shown.table)
    rows = tuple(
        (
            *row.given,
            *(" ".join(filter(None, cell)) for cell in row.cells),
            row.cases + ("*" if row.few else ""),
        )
        for row in regression_rows(shown)
    )
    foot = f"conditional Gaussian, a regression in each of {some(shown.table['rows'], 'row')}"
    return Sheet(
        f"{quoted(shown.table['variable'])} given {', '.join(given)}",
        (*discrete, *parameters, "cases"),
        rows,
        labels=len(discrete),
        foot=" ".join(filter(None, (f"{foot}.", shown.left_out))),
    )


def _gaussian(table: Section) -> Sheet:
    given = [quoted(parent["name"]) for parent in table["parents"]]
    title = quoted(table["variable"]) + (f" given {', '.join(given)}" if given else "")
    rows = tuple((name, value, interval) for name, value, interval in coefficients(table))
    foot = f"{kind_said(table)}, on {some(table['cases'], 'case')}"
    if "bands" in table:
        foot = f"{foot}. {curve_equation(table)}. {followed(table)}"
    return Sheet(title, ("", "value", "interval"), rows, foot=foot)


def _again(section: Section) -> Iterator[Block]:
    yield Code(section["python"])
    if section["command"]:
        yield Code(section["command"])
    yield from map(Paragraph, section.get("remarks", ()))
    told = {
        "source of the cases": section["source"] or "not said",
        "fingerprint of the cases": section["fingerprint"] or "none",
        "seed": "none; nothing was drawn at random" if section["seed"] is None else section["seed"],
        **section["settings"],
    }
    yield Sheet("", ("setting", "value"), tuple(_by_lines(flat(told))), labels=2)


def _by_lines(settings: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for key, value in settings:
        lines = value.splitlines() or [""]
        yield key, lines[0]
        yield from (("", line) for line in lines[1:])


def flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Settings one per line, nested ones under `outer.inner`; of long rules only the extent."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{before}{key}.")
        elif key == "knowledge" and len(value) > MOST_LETTERS:
            yield key, f"{some(len(value.splitlines()), 'line')} of rules, kept whole in the fit"
        else:
            yield f"{before}{key}", f"{value:g}" if isinstance(value, float) else str(value)


KINDS: Mapping[str, Callable[[Section], Iterator[Block]]] = {
    "answer": _answer,
    "network": _network,
    "arcs": sought.arcs,
    "guidance": sought.guidance,
    "rules": rules,
    "tables": _tables,
    "prediction": predicted.blocks,
    "values": valued.blocks,
    "folds": heldout.blocks,
    "learning": predicted.learning_blocks,
    "residuals": straying.blocks,
    "missing": missing,
    "hierarchy": hierarchies.blocks,
    "proposals": proposed_words.blocks,
    "hidden": hidden,
    "borrowed": borrowed,
    "path": paths.blocks,
    "course": _course,
    "again": _again,
    "courses": process_words.courses,
    "sharing": process_words.sharing,
    "onsets": process_words.onsets,
    "held_out": process_words.held_out,
    "repeat": process_words.repeat,
}


def blocks(section: Section) -> tuple[Block, ...]:
    """The blocks of a section, in the order of reading."""
    return tuple(KINDS[section["kind"]](section))
