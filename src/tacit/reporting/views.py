"""Tables made ready to be laid out: which rows are shown, and every number as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.core.errors import quoted
from tacit.reporting.support import FEW
from tacit.reporting.tabled import fair, fullest
from tacit.reporting.turning import NOBODY
from tacit.reporting.wording import (
    interval,
    joined,
    moved,
    nats,
    probability,
    real,
    real_interval,
    some,
    weight,
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A table of the facts with the rows that are laid out, and a sentence about the others."""

    table: Mapping[str, Any]
    rows: tuple[int, ...] = ()
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A probability as text; `shade` is the same to two digits, nothing where it is nothing."""

    probability: str
    interval: str
    moved: str
    shade: str


@dataclass(frozen=True, slots=True)
class Row:
    """One parent configuration; `few` if it rests on fewer than 5 cases, `none` on none.

    inferred  most of its cases were inferred, not seen
    """

    given: tuple[str, ...]
    cells: tuple[Cell, ...]
    cases: str
    few: bool
    none: bool
    inferred: bool


def shown_tables(section: Mapping[str, Any], cells: int) -> list[Shown]:
    """Every table, with so many of its rows that all tables together show at most `cells`."""
    tables = section["tables"]
    shapes = [(len(table.get("position", ())), _width(table)) for table in tables]
    most = fair(shapes, cells, max((rows for rows, _ in shapes), default=0))
    return [_shown(table, most) if "position" in table else Shown(table) for table in tables]


def _width(table: Mapping[str, Any]) -> int:
    return len(table["states"] if "states" in table else table["parameters"])


def _shown(table: Mapping[str, Any], most: int) -> Shown:
    rows = tuple(fullest(np.asarray(table["cases"]), most).tolist())
    left = table["rows"] - len(rows)
    if not left:
        return Shown(table, rows)
    held = len(table["position"])
    text = (
        f"{left:,} of {some(table['rows'], 'row')} are left out here, those with the fewest cases"
    )
    if held == table["rows"]:
        return Shown(table, rows, f"{text}; the report saved as .json holds them all.")
    where = f"fit.network[{table['variable']!r}]"
    return Shown(
        table, rows, f"{text}; the report saved as .json holds {held:,} rows, {where} all of them."
    )


def table_rows(shown: Shown, moved_from: float) -> Iterator[Row]:
    """The rows that are laid out, every number as text."""
    table = shown.table
    sizes = [len(parent["states"]) for parent in table["parents"]]
    for at in shown.rows:
        places = np.unravel_index(table["position"][at], sizes) if sizes else ()
        given = (
            parent["states"][place] for parent, place in zip(table["parents"], places, strict=True)
        )
        cases = table["cases"][at]
        cells = tuple(_cells(table, at, moved_from))
        inferred = bool(table["inferred"]) and table["inferred"][at]
        yield Row(tuple(given), cells, weight(cases), cases < FEW, cases == 0, inferred)


def _cells(table: Mapping[str, Any], at: int, moved_from: float) -> Iterator[Cell]:
    values, shifts = table["probability"][at], table["moved"][at]
    unknown = [None] * len(values)
    lower = table["lower"][at] if table["lower"] else unknown
    upper = table["upper"][at] if table["upper"] else unknown
    for value, low, high, shift in zip(values, lower, upper, shifts, strict=True):
        mark = moved(shift) if shift is not None and abs(shift) >= moved_from else ""
        shade = f"{value or 0.0:.2f}".strip("0").rstrip(".")
        yield Cell(probability(value), interval(low, high), mark, shade)


def carried(arc: Mapping[str, Any], what: str) -> str:
    """The information of an arc, under either of its two names."""
    return "not computed" if what in arc.get("unsaid", ()) else nats(arc[what])


CARRIED = {"information": "alone", "given_others": "given the other parents"}
"""What lists of arcs say of them, and the heads of it."""


def said_of_arcs(section: Mapping[str, Any]) -> list[str]:
    """Which of that is computed for any arc."""
    return [
        what
        for what in CARRIED
        if any(what not in arc.get("unsaid", ()) for arc in section["arcs"])
    ]


def marks(arc: Mapping[str, Any]) -> list[str]:
    """What a drawing marks an arc with, after a search, in words."""
    told = ["required by a rule"] if arc.get("required") else []
    return [*told, *(["may turn"] if arc.get("direction") == NOBODY else [])]


@dataclass(frozen=True, slots=True)
class Regression:
    """One configuration of the discrete parents: value and interval of every parameter as text."""

    given: tuple[str, ...]
    cells: tuple[tuple[str, str], ...]
    cases: str
    few: bool
    none: bool


def regression_rows(shown: Shown) -> Iterator[Regression]:
    """The regressions of a conditional Gaussian family that are laid out."""
    table = shown.table
    parents = [parent for parent in table["parents"] if parent["states"] is not None]
    sizes = [len(parent["states"]) for parent in parents]
    for at in shown.rows:
        places = np.unravel_index(table["position"][at], sizes)
        given = tuple(parent["states"][p] for parent, p in zip(parents, places, strict=True))
        numbers = zip(table["value"][at], table["lower"][at], table["upper"][at], strict=True)
        cells = tuple((real(*each), real_interval(*each[1:])) for each in numbers)
        cases = table["cases"][at]
        yield Regression(given, cells, weight(cases), cases < FEW, cases == 0)


def regression_heads(table: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The names of the discrete parents, and of the parameters."""
    discrete = [parent["name"] for parent in table["parents"] if parent["states"] is not None]
    return discrete, [each["parent"] or f"({each['kind']})" for each in table["parameters"]]


def came_from(table: Mapping[str, Any]) -> str:
    """`borrowed from Leeds and York`; nothing where a table is all its own."""
    names = table.get("lenders") or []
    return f"borrowed from {joined(map(quoted, names), 3)}" if names else ""


def moved_by(section: Mapping[str, Any]) -> str:
    """What moved cells away from their share of the cases."""
    others = [word for key, word in _MOVERS.items() if section.get(key)]
    return joined(["the prior", *others], 3).replace(" and ", " or ")


_MOVERS = {"ruled": "a rule", "lent": "a source"}


def aside(section: Mapping[str, Any]) -> str:
    """What the intervals leave out of account."""
    left = ["the rules"] if section.get("ruled") else []
    if section.get("lent") and not section.get("loans_counted"):
        left.append("what was borrowed")
    return f", {joined(left, 2)} left aside" if left else ""


def coefficients(table: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The parameters of a linear Gaussian family, or of causes: name, value, interval."""
    return [
        (
            one["parent"] if one["kind"] in ("coefficient", "link") else f"({one['kind']})",
            real(one["value"], one["lower"], one["upper"]),
            real_interval(one["lower"], one["upper"]),
        )
        for one in table["parameters"]
    ]


def kind_said(table: Mapping[str, Any]) -> str:
    """The family in words."""
    return str(table["family"]).replace("-gaussian", " Gaussian")


def equation(table: Mapping[str, Any]) -> str:
    """A linear Gaussian family as people write it: `Power = 40 + 2.15 × Wind, sd 1.60`."""
    told = {name: value for name, value, _ in coefficients(table)}
    terms = "".join(
        f" {'−' if told[name].startswith('-') else '+'} {told[name].lstrip('-')} × {name}"
        for name in (parent["name"] for parent in table["parents"])
    )
    return f"{table['variable']} = {told['(intercept)']}{terms}, with noise of sd {told['(sd)']}"
