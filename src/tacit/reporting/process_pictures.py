"""Courses as curves and groups as maps: shapes with coordinates for templates to write as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tacit.core.errors import quoted
from tacit.reporting.blocks import Section
from tacit.reporting.process_words import SHOWN
from tacit.reporting.wording import shortened, some

WIDTH, HEIGHT = 220.0, 100.0
ACROSS, DOWN = 320, 168
SIDES = (7.0, 18.0)
"""Of the square of one series on a map: at least and at most."""
PAGE = 620.0
MOST_STEPS = 80
"""Values of one axis beyond which no map is drawn."""


@dataclass(frozen=True, slots=True)
class Plot:
    """The course of a process: curves on one scale, the band of an interval, a line at 0.

    curves  polylines, and whether each is the one to look at
    """

    title: str
    x: int
    y: int
    curves: tuple[tuple[str, bool], ...]
    band: str
    zero: float
    low: str
    high: str
    last: str
    label: str


@dataclass(frozen=True, slots=True)
class Square:
    """A series on a map; share: how strongly it shows the process, of the strongest."""

    x: float
    y: float
    share: float
    tip: str


@dataclass(frozen=True, slots=True)
class Slice:
    """Series of one value of the last axis; borders: where groups meet, as an SVG path."""

    x: float
    y: float
    title: str
    squares: tuple[Square, ...]
    borders: str


@dataclass(frozen=True, slots=True)
class Map:
    """All slices, for one process."""

    title: str
    width: float
    height: float
    side: float
    slices: tuple[Slice, ...]
    label: str


def plots(section: Section) -> list[Plot]:
    """Per process all groups together where they are many; then group by group."""
    groups, names = section["groups"], list(section["processes"])
    found: list[Plot] = []

    def add(title: str, told: Sequence[Mapping[str, Any]], name: str, band: bool) -> None:
        place = (70 + ACROSS * (len(found) % 2), 28 + DOWN * (len(found) // 2))
        found.append(
            _plot(title, [one["courses"][name] for one in told], place, section["step"], band)
        )

    if len(groups) > SHOWN:
        for name in names:
            add(f"{_name(name)}, {some(len(groups), 'group')}", groups, name, False)
    for group in groups[:SHOWN]:
        for name in names:
            of = f"{_name(group['name'])}, {some(group['size'], 'series', 'series')}"
            add(_name(name) + (f": {of}" if len(groups) > 1 else ""), [group], name, True)
    return found


def _name(name: str) -> str:
    return shortened(quoted(name), 18)


def _plot(
    title: str,
    courses: Sequence[Mapping[str, Any]],
    place: tuple[int, int],
    step: float,
    band: bool,
) -> Plot:
    known = [each for course in courses for each in course["value"] if each is not None]
    edges = (
        [each for key in ("low", "high") for course in courses for each in course[key]]
        if band
        else []
    )
    values = [*known, *(each for each in edges if each is not None), 0.0]
    low, high = min(values), max(values)
    span, long = (high - low) or 1.0, max(len(course["value"]) for course in courses)

    def point(at: int, value: float) -> str:
        return f"{WIDTH * at / max(1, long - 1):.1f},{HEIGHT * (high - value) / span:.1f}"

    def line(values: Sequence[float | None]) -> str:
        return " ".join(point(at, value) for at, value in enumerate(values) if value is not None)

    area = ""
    if band:
        tops = [point(at, v) for at, v in enumerate(courses[0]["high"]) if v is not None]
        lows = [point(at, v) for at, v in enumerate(courses[0]["low"]) if v is not None]
        area = " ".join([*tops, *reversed(lows)])
    first = courses[0]["value"]
    top = max(range(len(first)), key=lambda at: abs(first[at] or 0.0))
    said = f"{title}: {first[top]:.3g} at its peak, {top * step:g} after the onset"
    return Plot(
        title, *place, tuple((line(course["value"]), band) for course in courses), area,
        round(HEIGHT * high / span, 1), f"{low:.3g}", f"{high:.3g}", f"{(long - 1) * step:g}", said,
    )  # fmt: skip


def maps(section: Section) -> list[Map]:
    """A map per process; none where series lie on no grid, or one that is too fine."""
    told = section["map"]
    if told is None:
        return []
    axes = [
        sorted({place[axis] for place in told["places"]}) for axis in range(len(told["places"][0]))
    ]
    if len(axes) > 3 or any(len(axis) > MOST_STEPS for axis in axes):
        return []
    index = [{value: at for at, value in enumerate(axis)} for axis in axes]
    cells = [
        tuple(book[value] for book, value in zip(index, place, strict=True))
        for place in told["places"]
    ]
    wide = [(*cell, 0, 0)[:3] for cell in cells]
    names = [group["name"] for group in section["groups"]]
    return [
        _map(name, wide, told["groups"], told["strength"][name], axes, len(names))
        for name in section["processes"]
    ]


def _map(
    process: str,
    cells: Sequence[tuple[int, ...]],
    groups: Sequence[int],
    strength: Sequence[float | None],
    axes: Sequence[Sequence[float]],
    many: int,
) -> Map:
    most = max((each or 0.0 for each in strength), default=0.0) or 1.0
    levels = sorted({cell[2] for cell in cells})
    columns, rows = max(cell[0] for cell in cells) + 1, max(cell[1] for cell in cells) + 1
    side = min(SIDES[1], max(SIDES[0], (PAGE / len(levels) - 16) // columns))
    across, down = side * columns + 16, side * rows + 26
    per_row = max(1, int(PAGE // across))
    slices = []
    for at, level in enumerate(levels):
        inside = [(cell[0], cell[1], at) for at, cell in enumerate(cells) if cell[2] == level]
        title = "" if len(axes) < 3 else f"{axes[2][level]:g}"
        squares = tuple(
            Square(side * x, side * y, (strength[one] or 0.0) / most, f"{strength[one] or 0.0:.3g}")
            for x, y, one in inside
        )
        borders = _borders({(x, y): groups[one] for x, y, one in inside}, side)
        slices.append(
            Slice(4 + across * (at % per_row), 18 + down * (at // per_row), title, squares, borders)
        )
    extent = f"{some(len(cells), 'series', 'series')} in {some(many, 'group')}"
    label = f"{quoted(process)}: strength of {extent}"
    width = 8 + across * min(per_row, len(levels))
    return Map(
        _name(process), width, down * (-(-len(levels) // per_row)) + 8, side, tuple(slices), label
    )


def _borders(group: Mapping[tuple[int, int], int], side: float) -> str:
    """Lines along the edges of squares beyond which another group, or nothing, lies."""
    parts = []
    for (x, y), own in sorted(group.items()):
        left, top, right, low = side * x, side * y, side * (x + 1), side * (y + 1)
        corners = ((left, top), (right, top), (right, low), (left, low), (left, top))
        beyond = ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y))
        for (begin, end), other in zip(pairwise(corners), beyond, strict=True):
            if group.get(other) != own:
                parts.append(f"M{begin[0]:g} {begin[1]:g}L{end[0]:g} {end[1]:g}")
    return "".join(parts)
