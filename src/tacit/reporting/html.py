"""A report as one HTML page that needs nothing beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from tacit.reporting import wording
from tacit.reporting.outline import flat
from tacit.reporting.pictures import (
    CLASSES,
    LARGE,
    Sketch,
    curve,
    drawing,
    neighbourhood,
    thickness,
)
from tacit.reporting.support import FEW
from tacit.reporting.views import Shown, coefficients, equation, shown_tables, table_rows

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_CELLS = 40_000
"""Cells of all tables that the page shows."""
SHORT = 12
"""Tables of more rows are folded, and all of them in networks of more than OPEN variables."""
OPEN = 40
PRINTED = 2_000
"""Up to so many rows in all, folded parts unfold on paper."""

Section: TypeAlias = Mapping[str, Any]
Sections: TypeAlias = Mapping[str, Section]
View: TypeAlias = dict[str, Any]


def page(facts: Mapping[str, Any]) -> str:
    """The sections in order, each by its own template."""
    known = {section["kind"]: section for section in facts["sections"]}
    sections = []
    for section in facts["sections"]:
        template, view = KINDS[section["kind"]]
        sections.append({**section, **view(known), "template": template})
    rows = sum(table["rows"] or 0 for table in known.get("network", {}).get("variables", ()))
    return _environment().get_template("page.html").render(
        title=facts["title"], sections=sections, print_all=rows <= PRINTED
    )  # fmt: skip


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("tacit.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_written,
    )
    environment.filters |= {
        name: getattr(wording, name) for name in ("nats", "weight", "percent", "some", "counted")
    }
    return environment


def _written(value: Any) -> Any:
    return wording.visible(value) if type(value) is str else value


def _answer(known: Sections) -> View:
    names = [one["name"] for one in known.get("network", {}).get("variables", ())]
    return {"place": {name: at for at, name in enumerate(names)}}


def _network(known: Sections) -> View:
    section = known["network"]
    sketch = Sketch.of(section)
    arcs = sorted(section["arcs"], key=lambda arc: -(arc["information"] or 0.0))
    picture = drawing(sketch)
    shares = (0.0, 0.5, 1.0) if sketch.strongest > 0 else (0.0,)
    return {
        "picture": picture,
        "overview": picture.dots,
        "any_hidden": any(one["hidden"] for one in section["variables"]),
        "classes": _classes(),
        "widths": [(thickness(share, picture.dots), share * sketch.strongest) for share in shares],
        "arcs": arcs,
        "place": sketch.place,
    }


def _classes() -> list[str]:
    between = [f"{low:g} to {high:g}" for low, high in pairwise(CLASSES)]
    return [f"under {CLASSES[0]:g}", *between, f"{CLASSES[-1]:g} or more"]


def _tables(known: Sections) -> View:
    section = known["tables"]
    shown = shown_tables(section, MOST_CELLS)
    sketch = Sketch.of(known["network"]) if "network" in known else None
    near = sketch if sketch is not None and len(sketch.variables) > LARGE else None
    views = [_table(one, section, near) for one in shown]
    few = len(views) <= OPEN
    for view in views:
        view["short"] = view["length"] <= SHORT
        view["open"] = few and view["short"]
    return {
        "views": views,
        "few": FEW,
        "any_table": any(view["lines"] is None for view in views),
        "marked": any(view["marked"] for view in views),
    }


def _table(shown: Shown, section: Section, near: Sketch | None) -> View:
    table = shown.table
    view: View = {
        "name": table["variable"],
        "parents": [parent["name"] for parent in table["parents"]],
        "left_out": shown.left_out,
        "picture": None,
        "beyond": 0,
        "marked": False,
        "equation": "" if table["family"] == "table" else equation(table),
    }
    if near is not None:
        view["picture"], view["beyond"] = neighbourhood(near, table["variable"])
    if table["family"] != "table":
        lines = coefficients(table)
        return {**view, "lines": lines, "length": len(lines), "cases": table["cases"]}
    rows = list(table_rows(shown, section["moved_from"]))
    view["marked"] = any(cell.moved for row in rows for cell in row.cells)
    return {
        **view,
        "lines": None,
        "states": table["states"],
        "rows": rows,
        "length": table["rows"],
        "few": table["few"],
    }


def _course(known: Sections) -> View:
    section = known["course"]
    trace = [value for value in section["trace"] if value is not None]
    if len(trace) < 2:
        return {"points": "", "low": None, "high": None}
    return {"points": curve(section["trace"]), "low": min(trace), "high": max(trace)}


def _again(known: Sections) -> View:
    section = known["again"]
    return {"lines": list(flat(section["settings"]))}


def _as_is(known: Sections) -> View:
    del known
    return {}


KINDS: Mapping[str, tuple[str, Callable[[Sections], View]]] = {
    "answer": ("answer.html", _answer),
    "network": ("network.html", _network),
    "tables": ("tables.html", _tables),
    "missing": ("missing.html", _as_is),
    "course": ("course.html", _course),
    "again": ("again.html", _again),
}
"""The template of every kind of section, and what it needs beside the facts."""
