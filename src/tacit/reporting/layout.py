"""Where the boxes and arcs of a drawing go, as plain geometry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from tacit.reporting.layers import Layered, layered
from tacit.reporting.straight import Slots, straighten

Point: TypeAlias = tuple[float, float]

ROUNDS = 12
EFFORT = 300_000
"""Points times rounds, as in `layers`: the time of a drawing is bounded."""


@dataclass(frozen=True, slots=True)
class Spacing:
    """Distances of a drawing, in pixels.

    most     how wide a layer may become before it is divided
    between  from box to box of a layer
    passage  from an arc that passes to the box or arc beside it
    layers   from layer to layer, where arcs run straight; more where they run far sideways
    margin   around everything
    """

    most: float = 960.0
    between: float = 18.0
    passage: float = 9.0
    layers: float = 34.0
    margin: float = 6.0


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle by its left upper corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """The centre from left to right."""
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Layout:
    """A drawing without ink: all boxes and routes lie within 0..width, 0..height.

    routes  for every arc the points it runs through, from the lower edge of the parent to the
            upper edge of the child; y never falls
    """

    width: float
    height: float
    boxes: Mapping[str, Box]
    routes: Mapping[tuple[str, str], tuple[Point, ...]]


def layout(
    parents: Mapping[str, Sequence[str]],
    widths: Mapping[str, float],
    height: float,
    spacing: Spacing | None = None,
) -> Layout:
    """Boxes of these widths and this height in layers, every arc running down."""
    space = spacing or Spacing()
    names = list(parents)
    number = {name: at for at, name in enumerate(names)}
    who = [[number[parent] for parent in parents[name]] for name in names]
    wide = [widths[name] for name in names]
    cut = layered(who, [width + space.between for width in wide], space.most)
    wide += [0.0] * (cut.points - cut.real)
    across = _across(cut, wide, space)
    tops = _tops(cut, across, height, space)
    boxes = _boxes(names, cut, across, wide, tops, height)
    routes = _routes(names, cut, across, tops, boxes)
    right = max((box.x + box.width for box in boxes.values()), default=0.0)
    right = max([right, *(x for route in routes.values() for x, _ in route)])
    low = max((box.y + box.height for box in boxes.values()), default=0.0)
    return Layout(right + space.margin, low + space.margin, boxes, routes)


def _across(cut: Layered, wide: Sequence[float], space: Spacing) -> list[float]:
    """The middle of every point from left to right: near its neighbours, apart from the others.

    Each layer in turn takes the positions that are nearest to the middles of its neighbours, by
    weighted squares, among all that keep the distances; long arcs weigh more and become straight.
    """
    apart = [_distances(row, wide, cut.real, space) for row in cut.rows]
    need = [
        sum(gaps) + (wide[row[0]] + wide[row[-1]]) / 2 if row else 0.0
        for row, gaps in zip(cut.rows, apart, strict=True)
    ]
    room = max(max(need, default=0.0), min(space.most, 1.25 * max(need, default=0.0)))
    across = [0.0] * cut.points
    for row, gaps, needed in zip(cut.rows, apart, need, strict=True):
        x = (room - needed) / 2 + wide[row[0]] / 2
        for point, gap in zip(row, [0.0, *gaps], strict=True):
            x += gap
            across[point] = x
    both = [[*above, *below] for above, below in zip(cut.up, cut.down, strict=True)]
    rounds = max(3, min(ROUNDS, EFFORT // max(1, cut.points)))
    plan = [near for _ in range(rounds) for near in (cut.up, cut.down)] + [both] * 4
    layers = list(zip(cut.rows, apart, strict=True))
    for turn, near in enumerate(plan):
        for row, gaps in layers if turn % 2 == 0 else reversed(layers):
            _place_row(row, gaps, near, across, _Room(cut.real, wide, room))
    straighten(cut, across, Slots.of(cut, apart, room))
    return _from_the_margin(across, wide, space.margin)


@dataclass(frozen=True, slots=True)
class _Room:
    real: int
    wide: Sequence[float]
    width: float


def _distances(row: Sequence[int], wide: Sequence[float], real: int, space: Spacing) -> list[float]:
    return [
        (wide[left] + wide[right]) / 2
        + (space.between if left < real and right < real else space.passage)
        for left, right in pairwise(row)
    ]


def _place_row(
    row: Sequence[int],
    gaps: Sequence[float],
    near: Sequence[Sequence[int]],
    across: list[float],
    room: _Room,
) -> None:
    wanted, weights = [], []
    for point in row:
        pulls = [
            (across[other], 1.0 + 3.0 * (point >= room.real) + 4.0 * (other >= room.real))
            for other in near[point]
        ]
        total = sum(weight for _, weight in pulls)
        wanted.append(sum(x * w for x, w in pulls) / total if pulls else across[point])
        weights.append(total or 0.05)
    least, most = room.wide[row[0]] / 2, room.width - room.wide[row[-1]] / 2
    for point, x in zip(row, spread(wanted, weights, gaps, least, most), strict=True):
        across[point] = x


def spread(
    wanted: Sequence[float],
    weights: Sequence[float],
    gaps: Sequence[float],
    least: float,
    most: float,
) -> list[float]:
    """The x with Σ w (x - wanted)² least, x[i+1] - x[i] >= gaps[i], all within least..most.

    Less the sum of the gaps before it, x must rise: isotonic regression, solved by pooling
    neighbours that stand in the wrong order; cutting it off at the bounds keeps it optimal.
    """
    before = [0.0]
    for gap in gaps:
        before.append(before[-1] + gap)
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for want, weight, offset in zip(wanted, weights, before, strict=True):
        mean, total, many = want - offset, weight, 1
        while pools and pools[-1][0] >= mean:
            other, others, count = pools.pop()
            mean = (other * others + mean * total) / (others + total)
            total, many = total + others, many + count
        pools.append((mean, total, many))
    level = [mean for mean, _, many in pools for _ in range(many)]
    top = max(least, most - before[-1])
    return [min(max(x, least), top) + offset for x, offset in zip(level, before, strict=True)]


def _from_the_margin(across: list[float], wide: Sequence[float], margin: float) -> list[float]:
    left = min((x - width / 2 for x, width in zip(across, wide, strict=True)), default=0.0)
    return [x - left + margin for x in across]


def _tops(cut: Layered, across: Sequence[float], height: float, space: Spacing) -> list[float]:
    """The upper edge of every layer; arcs that run far sideways get more height to do so."""
    tops, top = [], space.margin
    for row in cut.rows:
        tops.append(top)
        far = max((abs(across[a] - across[b]) for a in row for b in cut.down[a]), default=0.0)
        top += height + space.layers * (1 + min(1.2, far / (16 * space.layers)))
    return tops


def _boxes(
    names: Sequence[str],
    cut: Layered,
    across: Sequence[float],
    wide: Sequence[float],
    tops: Sequence[float],
    height: float,
) -> dict[str, Box]:
    boxes = {
        v: Box(across[v] - wide[v] / 2, top, wide[v], height)
        for row, top in zip(cut.rows, tops, strict=True)
        for v in row
        if v < cut.real
    }
    return {name: boxes[v] for v, name in enumerate(names)}


def _routes(
    names: Sequence[str],
    cut: Layered,
    across: Sequence[float],
    tops: Sequence[float],
    boxes: Mapping[str, Box],
) -> dict[tuple[str, str], tuple[Point, ...]]:
    level = {point: at for at, row in enumerate(cut.rows) for point in row}
    leave = [_ports(boxes[name], cut.down[v], across) for v, name in enumerate(names)]
    enter = [_ports(boxes[name], cut.up[v], across) for v, name in enumerate(names)]
    routes = {}
    for tail, name in enumerate(names):
        box = boxes[name]
        for first in cut.down[tail]:
            points, last, point = [(leave[tail][first], box.y + box.height)], tail, first
            while point >= cut.real:
                top = tops[level[point]]
                points += [(across[point], top), (across[point], top + box.height)]
                last, point = point, cut.down[point][0]
            points.append((enter[point][last], boxes[names[point]].y))
            routes[name, names[point]] = tuple(points)
    return routes


def _ports(box: Box, ends: Sequence[int], across: Sequence[float]) -> dict[int, float]:
    """Where arcs touch an edge of a box: side by side, in the order of their other ends."""
    step = min(10.0, 0.85 * box.width / max(1, len(ends) - 1))
    first = box.middle - step * (len(ends) - 1) / 2
    ordered = sorted(ends, key=lambda other: (across[other], other))
    return {other: first + step * at for at, other in enumerate(ordered)}
