"""Drawings of a network as shapes with coordinates, ready for a template to write as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.reporting.layout import Layout, Point, Spacing, layout
from tacit.reporting.views import carried, marks
from tacit.reporting.wording import nats, shortened, some, text_width

LARGE = 100
"""Networks of more variables are drawn as an overview, and variable by variable."""
CLASSES = (5.0, 20.0, 100.0)
"""Median cases per row from which a variable is shaded one step deeper."""
MOST_NEAR = 40
"""Parents, and children, that the drawing of one variable shows."""
HEIGHT, DOT = 26.0, 9.0


@dataclass(frozen=True, slots=True)
class Shape:
    """The box of a variable; `at` is its place among the variables of the network."""

    at: int
    x: float
    y: float
    width: float
    height: float
    label: str
    tip: str
    look: str


@dataclass(frozen=True, slots=True)
class Stroke:
    """An arc as an SVG path; `head` is the tip of its arrow, or the bar that ends a forbidden arc.

    look  "turns", "required", both, or "barred" for an arc that is not there, since rules forbid it
    pin   across, down and radius of the mark at the tail of a required arc
    """

    ends: tuple[int, int]
    path: str
    width: float
    head: str
    tip: str
    look: str = ""
    pin: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything an SVG needs; `label` says in words what is to be seen."""

    width: float
    height: float
    label: str
    shapes: tuple[Shape, ...]
    strokes: tuple[Stroke, ...]
    dots: bool


@dataclass(frozen=True, slots=True)
class Sketch:
    """What a section says about its network, by name."""

    variables: Mapping[str, Mapping[str, Any]]
    place: Mapping[str, int]
    arcs: Mapping[tuple[str, str], Mapping[str, Any]]
    above: Mapping[str, Sequence[str]]
    below: Mapping[str, Sequence[str]]
    strongest: float
    missed: Mapping[tuple[str, str], float]

    @staticmethod
    def of(section: Mapping[str, Any]) -> Sketch:
        """The sketch of a network section."""
        variables = {one["name"]: one for one in section["variables"]}
        arcs = {(arc["parent"], arc["child"]): arc for arc in section["arcs"]}
        strongest = max(map(strength, section["arcs"]), default=0.0)
        place = {name: at for at, name in enumerate(variables)}
        above: dict[str, list[str]] = {name: [] for name in variables}
        below: dict[str, list[str]] = {name: [] for name in variables}
        for tail, head in arcs:
            above[head].append(tail)
            below[tail].append(head)
        missed = {(one["parent"], one["child"]): one["gain"] for one in section.get("missed", ())}
        return Sketch(variables, place, arcs, above, below, strongest, missed)

    def share(self, arc: tuple[str, str]) -> float:
        """What an arc carries as a share of what the strongest one does."""
        return strength(self.arcs[arc]) / self.strongest if self.strongest > 0 else 0.0

    def look(self, name: str, *more: str) -> str:
        """The classes that style a variable: its support, and whether it is hidden."""
        variable = self.variables[name]
        step = sum(variable["support"] >= edge for edge in CLASSES)
        return " ".join([f"s{step}", *(["hidden"] if variable["hidden"] else []), *more])

    def about(self, name: str) -> str:
        """A variable in a line."""
        variable = self.variables[name]
        hidden = ", hidden" if variable["hidden"] else ""
        if variable["rows"] is None:
            return f"{name}{hidden}: real, {some(variable['support'], 'case')}"
        what = "real" if variable["states"] is None else some(variable["states"], "state")
        return (
            f"{name}{hidden}: {what}, "
            f"{some(variable['rows'], 'row')}, median {some(variable['support'], 'case')} per row"
        )


def strength(arc: Mapping[str, Any]) -> float:
    """The information of an arc; where that is not computed, what a score gains by it per case."""
    return float(arc["information"] or arc.get("per_case") or 0.0)


def thickness(share: float, dots: bool) -> float:
    """How thick an arc is drawn that carries this share of the strongest one's information."""
    return 0.6 + 1.6 * share if dots else 1.0 + 5.0 * share


def drawing(sketch: Sketch) -> Picture:
    """The whole network: with names up to `LARGE` variables, beyond that as dots."""
    parents = _with_missed(sketch)
    extent = (
        f"{some(len(parents), 'variable')} and {some(len(sketch.arcs), 'arc')}{_marked(sketch)}"
    )
    if len(parents) > LARGE:
        space = Spacing(most=1000, between=5, passage=2.5, layers=20, margin=4)
        laid = layout(parents, dict.fromkeys(parents, DOT), DOT, space)
        return _picture(sketch, laid, f"Overview of the network: {extent}", dots=True)
    laid = layout(parents, _box_widths(parents), HEIGHT)
    return _picture(sketch, laid, f"The network: {extent}, listed below", dots=False)


def _marked(sketch: Sketch) -> str:
    """`, 2 of them required by a rule, 5 may turn`."""
    counts = Counter(mark for arc in sketch.arcs.values() for mark in marks(arc))
    told = "".join(f", {many:,} {mark}" for mark, many in sorted(counts.items(), reverse=True))
    if sketch.missed:
        told += f", and {some(len(sketch.missed), 'forbidden arc')} that the score would gain by"
    return told


def _with_missed(sketch: Sketch) -> dict[str, list[str]]:
    """The parents, forbidden arcs among them as far as all of these together close no cycle."""
    parents = {name: list(who) for name, who in sketch.above.items()}
    for tail, head in sketch.missed:
        if not _reaches(parents, head, tail):
            parents[head].append(tail)
    return parents


def _reaches(parents: Mapping[str, Sequence[str]], top: str, end: str) -> bool:
    """Whether a way down leads from `top` to `end`."""
    todo, seen = [end], {end}
    while todo:
        for name in parents[todo.pop()]:
            if name == top:
                return True
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return False


def neighbourhood(sketch: Sketch, name: str) -> tuple[Picture, int]:
    """A variable with its parents above and its children below; and how many do not fit in."""
    above = sorted(sketch.above[name], key=lambda tail: -sketch.share((tail, name)))
    below = sorted(sketch.below[name], key=lambda head: -sketch.share((name, head)))
    parents: dict[str, list[str]] = {name: above[:MOST_NEAR]}
    parents |= {tail: [] for tail in above[:MOST_NEAR]}
    parents |= {head: [name] for head in below[:MOST_NEAR]}
    space = Spacing(most=760, between=12, passage=7, layers=26)
    laid = layout(parents, _box_widths(parents), HEIGHT, space)
    label = f"{name} with {some(len(above), 'parent')} and {some(len(below), 'child', 'children')}"
    picture = _picture(sketch, laid, label, dots=False, centre=name)
    return picture, len(above) + len(below) + 1 - len(parents)


def _box_widths(parents: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Room for the name, and for the arcs that leave or enter side by side."""
    children = Counter(parent for who in parents.values() for parent in who)
    return {
        name: max(44.0, text_width(shortened(name)) + 18.0, 7.0 * max(len(who), children[name]))
        for name, who in parents.items()
    }


def _picture(
    sketch: Sketch, laid: Layout, label: str, *, dots: bool, centre: str | None = None
) -> Picture:
    shapes = tuple(
        Shape(
            sketch.place[name],
            round(box.x, 1),
            round(box.y, 1),
            round(box.width, 1),
            box.height,
            "" if dots else shortened(name),
            sketch.about(name),
            sketch.look(name, *(["centre"] if name == centre else [])),
        )
        for name, box in laid.boxes.items()
    )
    strokes = tuple(_stroke(sketch, arc, route, dots) for arc, route in laid.routes.items())
    return Picture(round(laid.width), round(laid.height), label, shapes, strokes, dots)


def _stroke(sketch: Sketch, arc: tuple[str, str], route: Sequence[Point], dots: bool) -> Stroke:
    tail, head = arc
    ends = (sketch.place[tail], sketch.place[head])
    if arc not in sketch.arcs:
        return _barred(sketch, arc, route, dots)
    told = sketch.arcs[arc]
    x, y = route[-1]
    width = thickness(sketch.share(arc), dots)
    length, half = (0.0, 0.0) if dots else (4 + width, 2.5 + 0.75 * width)
    tip = f"M{_n(x - half)} {_n(y - length)}h{_n(2 * half)}L{_n(x)} {_n(y)}z" if length else ""
    pinned = bool(told.get("required")) and not dots
    look = [
        *(["required"] if told.get("required") else []),
        *(["turns"] if "may turn" in marks(told) else []),
    ]
    return Stroke(
        ends,
        _path([*route[:-1], (x, y - length)]),
        round(width, 2),
        tip,
        "; ".join([f"{tail} → {head}: {carried(told, 'information')}", *marks(told)]),
        " ".join(look),
        _pin(route[0], width) if pinned else None,
    )


def _pin(start: Point, width: float) -> tuple[float, float, float]:
    """A mark a little wider than the arc, where it leaves its parent."""
    radius = round(2.5 + 0.6 * width, 1)
    return round(start[0], 1), round(start[1] + radius, 1), radius


def _barred(sketch: Sketch, arc: tuple[str, str], route: Sequence[Point], dots: bool) -> Stroke:
    """An arc that is not there: dashed, up to a bar above its child."""
    (tail, head), (x, y) = arc, route[-1]
    short, half = (1.0, 3.0) if dots else (4.0, 6.0)
    return Stroke(
        (sketch.place[tail], sketch.place[head]),
        _path([*route[:-1], (x, y - short)]),
        1.0 if dots else 1.5,
        f"M{_n(x - half)} {_n(y - short)}h{_n(2 * half)}",
        f"{tail} → {head}: forbidden; the score would gain {nats(sketch.missed[arc])}",
        "barred",
    )


def _path(route: Sequence[Point]) -> str:
    """Through all points, leaving and entering each straight down."""
    x, y = route[0]
    parts = [f"M{_n(x)} {_n(y)}"]
    for across, down in route[1:]:
        if abs(across - x) < 0.5:
            parts.append(f"V{_n(down)}")
        else:
            half = (y + down) / 2
            parts.append(f"C{_n(x)} {_n(half)} {_n(across)} {_n(half)} {_n(across)} {_n(down)}")
            x = across
        y = down
    return "".join(parts)


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
