"""A report as one HTML page that needs nothing beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from tacit.reporting import (
    heldout,
    hierarchies,
    inferred,
    lent,
    paths,
    predicted,
    process_views,
    proposed_words,
    ruled,
    sought,
    straying,
    unseen_views,
    valued,
    wording,
)
from tacit.reporting.bent import curve_equation, followed, picture
from tacit.reporting.charts import chart, thinned
from tacit.reporting.outline import flat
from tacit.reporting.pictures import (
    CLASSES,
    LARGE,
    Sketch,
    drawing,
    neighbourhood,
    thickness,
)
from tacit.reporting.support import FEW
from tacit.reporting.views import (
    CARRIED,
    Shown,
    aside,
    came_from,
    coefficients,
    equation,
    kind_said,
    marks,
    moved_by,
    regression_heads,
    regression_rows,
    said_of_arcs,
    shown_tables,
    table_rows,
)

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_CELLS = 40_000
"""Cells of all tables that the page shows."""
SHORT = 12
"""Tables of more rows are folded, and all of them in networks of more than OPEN variables."""
OPEN = 40
MANY = 60
"""Arcs; the list of more of them is folded."""
LONG = 20
"""Variables with missing cells, and rules of one verdict; the list of more of them is folded."""
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
        name: getattr(wording, name)
        for name in ("nats", "weight", "percent", "some", "counted", "probability")
    }
    environment.filters |= {"gain": sought.gain, "share": sought.share, "marks": marks}
    environment.filters |= {"ticked": _ticked}
    return environment


def _ticked(text: str) -> list[tuple[str, bool]]:
    """The text in pieces, and whether each stood between backticks."""
    return [(piece, at % 2 == 1) for at, piece in enumerate(text.split("`"))]


def _written(value: Any) -> Any:
    return wording.visible(value) if type(value) is str else value


def _places(known: Sections) -> View:
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
        "marked": {mark for arc in section["arcs"] for mark in marks(arc)},
        "barred": bool(section.get("missed")),
        "per_case": any(arc.get("per_case") for arc in section["arcs"]),
        "widths": [(thickness(share, picture.dots), share * sketch.strongest) for share in shares],
        "arcs": arcs,
        "said": {what: CARRIED[what] for what in said_of_arcs(section)},
        "place": sketch.place,
    }


def _arcs(known: Sections) -> View:
    section = known["arcs"]
    view = {**sought.arcs_view(section), **_places(known)}
    return {**view, "folded": len(section["arcs"]) > MANY}


def _guidance(known: Sections) -> View:
    return {**sought.guidance_view(known["guidance"]), **_places(known), "long": LONG}


def _rules(known: Sections) -> View:
    view = ruled.view(known["rules"])
    for group in view["groups"]:
        group["open"] = len(group["rules"]) <= LONG
    return view


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
        "moved_by": moved_by(section),
        "aside": aside(section),
        "any_table": any(view["lines"] is None for view in views),
        "marked": any(view["marked"] for view in views),
        "inferred": any(view["inferred"] for view in views),
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
        "inferred": False,
        "equation": equation(table) if table["family"] == "linear-gaussian" else "",
        "curve": None,
        "regressions": None,
    }
    if near is not None:
        view["picture"], view["beyond"] = neighbourhood(near, table["variable"])
    if table["family"] == "conditional-gaussian":
        discrete, parameters = regression_heads(table)
        view |= {"lines": (), "discrete": discrete, "parameters": parameters}
        view["regressions"] = list(regression_rows(shown))
        return {**view, "length": table["rows"], "few": table["few"]}
    if table["family"] != "table":
        lines = coefficients(table)
        view["kind"] = kind_said(table)
        if "bands" in table:
            view |= {"equation": curve_equation(table), "curve": picture(table)}
            view["followed"] = followed(table)
        return {**view, "lines": lines, "length": len(lines), "cases": table["cases"]}
    rows = list(table_rows(shown, section["moved_from"]))
    view["marked"] = any(cell.moved for row in rows for cell in row.cells)
    view["inferred"] = any(row.inferred for row in rows)
    return {
        **view,
        "lines": None,
        "states": table["states"],
        "rows": rows,
        "length": table["rows"],
        "few": table["few"],
        "lent": came_from(table),
    }


def _missing(known: Sections) -> View:
    section = known["missing"]
    common, more = inferred.common_patterns(section)
    shares = [one["share"] or 0.0 for one in section["cells"]]
    between = f"{wording.percent(min(shares))} to {wording.percent(max(shares))}"
    folded = f"{wording.some(len(shares), 'variable')} with gaps, {between} of their cells"
    return {
        "used": inferred.used(section),
        "folded": folded if len(shares) > LONG else "",
        "common": common,
        "more": more,
        "imputed_title": inferred.IMPUTED,
    }


def _borrowed(known: Sections) -> View:
    return {**lent.view(known["borrowed"]), **_places(known)}


def _course(known: Sections) -> View:
    section = known["course"]
    searched = sought.course_view(section) if "search" in section else None
    runs = inferred.starts(section)
    lines = [(one["path"], one["best"]) for one in runs]
    if not lines and len(section["trace"]) > 1:
        lines = [(thinned(section["trace"]), True)]
    drawn = chart(lines, "objective" if searched is None else "best score")
    return {
        "chart": drawn,
        "starts": runs if len(runs) > 1 else [],
        "searched": searched,
        "maximised": inferred.maximised(section),
    }


def _again(known: Sections) -> View:
    section = known["again"]
    return {
        "lines": list(flat(section["settings"])),
        "remarks": section.get("remarks", ()),
    }


KINDS: Mapping[str, tuple[str, Callable[[Sections], View]]] = {
    "answer": ("answer.html", _places),
    "network": ("network.html", _network),
    "arcs": ("arcs.html", _arcs),
    "guidance": ("guidance.html", _guidance),
    "rules": ("rules.html", _rules),
    "tables": ("tables.html", _tables),
    "prediction": ("prediction.html", lambda known: predicted.view(known["prediction"])),
    "values": ("values.html", lambda known: valued.view(known["values"])),
    "folds": ("held_out.html", lambda known: heldout.view(known["folds"])),
    "learning": ("learning.html", lambda known: predicted.learning_view(known["learning"])),
    "residuals": ("residuals.html", lambda known: straying.view(known["residuals"])),
    "missing": ("missing.html", _missing),
    "hierarchy": ("hierarchy.html", lambda known: hierarchies.view(known["hierarchy"])),
    "hidden": ("hidden.html", unseen_views.hidden_view),
    "proposals": ("proposals.html", proposed_words.view),
    "borrowed": ("borrowed.html", _borrowed),
    "path": ("path.html", lambda known: paths.view(known["path"])),
    "course": ("course.html", _course),
    "again": ("again.html", _again),
    "courses": ("courses.html", lambda known: process_views.courses(known["courses"])),
    "sharing": ("sharing.html", lambda known: process_views.sharing(known["sharing"])),
    "onsets": ("onsets.html", lambda known: process_views.onsets(known["onsets"])),
    "held_out": ("held_out.html", lambda known: process_views.held_out(known["held_out"])),
    "repeat": ("repeat.html", lambda known: process_views.repeat(known["repeat"])),
}
"""The template of every kind of section, and what it needs beside the facts."""
