"""What the pages about hidden processes need beside the facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.reporting import process_words as words
from tacit.reporting.blocks import Section, Sheet
from tacit.reporting.process_pictures import DOWN, maps, plots

LONG = 25
"""Rows from which a table is folded."""


def courses(section: Section) -> dict[str, Any]:
    """Curves, and the same as tables."""
    drawn = plots(section)
    sheets = [block for block in words.courses(section) if isinstance(block, Sheet)]
    return {
        "said": words.said_of_courses(section),
        "plots": drawn,
        "height": DOWN * (-(-len(drawn) // 2)),
        "many": len(section["groups"]) > words.SHOWN,
        "sheets": [_sheet(one.title, one.heads, one.rows) for one in sheets],
    }


def sharing(section: Section) -> dict[str, Any]:
    """Maps, groups, and the search."""
    sheets = [_sheet("Groups", words.group_heads(section), words.group_rows(section))]
    if section["cells"]:
        sheets.append(_sheet(words.CELLS_TITLE, words.CELL_HEADS, words.cell_rows(section)))
    if section["merges"]:
        sheets.append(_sheet(words.MERGES_TITLE, words.MERGE_HEADS, words.merge_rows(section)))
    return {
        "maps": maps(section),
        "sliced": section["map"] is not None and len(section["map"]["places"][0]) > 2,
        "sheets": sheets,
        "left_out": words.left_out(section),
    }


def onsets(section: Section) -> dict[str, Any]:
    """The table of onsets."""
    title = "The most probable time of each"
    return {"sheets": [_sheet(title, words.ONSET_HEADS, words.onset_rows(section))]}


def held_out(section: Section) -> dict[str, Any]:
    """The table of folds."""
    sheet = _sheet("Folds, in nats", words.FOLD_HEADS, words.fold_rows(section))
    return {"said": words.said_of_folds(section), "sheets": [{**sheet, "open": False}]}


def repeat(section: Section) -> dict[str, Any]:
    """The settings."""
    return {
        "remarks": section.get("remarks", ()),
        "rows": words.repeat_rows(section),
        "command": section.get("command"),
    }


def _sheet(title: str, heads: tuple[str, ...], rows: Any) -> dict[str, Any]:
    shown: list[Mapping[int, str]] = list(rows)
    return {"title": title, "heads": heads, "rows": shown, "open": len(shown) <= LONG}
