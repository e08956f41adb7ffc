"""Which layer of a drawing each variable stands in, and in which order: arcs down, few crossings.

The steps are those of Sugiyama, Tagawa and Toda (1981): layers, then points where long arcs pass
through the layers between, then an order within each layer. Variables are numbers here; nothing is
random and nothing depends on the clock, so one dag has one drawing.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TypeAlias

Neighbours: TypeAlias = Sequence[Sequence[int]]

SWEEPS = 24
EFFORT = 400_000
"""Points times sweeps: larger drawings get fewer sweeps, so that time stays bounded."""


@dataclass(frozen=True, slots=True)
class Layered:
    """A dag cut into layers: every arc a chain of points, one per layer it touches.

    rows   the points of each layer, from left to right; those from `real` on are passages of arcs
    up     the points that each point is joined to in the layer above
    down   ... and in the layer below
    """

    real: int
    rows: list[list[int]]
    up: list[list[int]]
    down: list[list[int]]

    @property
    def points(self) -> int:
        """Variables and passages together."""
        return len(self.up)


def layered(parents: Neighbours, widths: Sequence[float], most: float) -> Layered:
    """Layers no wider than `most` where that can be had, in an order that crosses few arcs."""
    level = levels(parents, widths, most)
    cut = _with_passages(parents, level)
    return _ordered(cut)


def levels(parents: Neighbours, widths: Sequence[float], most: float) -> list[int]:
    """The layer of every variable, below all its parents; variables without arcs come last.

    Longest paths first, then each variable moves to where its arcs are shortest. Too wide a layer
    becomes several: no arc joins two variables of a layer, so any division will do. Sinks go to
    the upper ones, near their parents, and sources to the lower ones.
    """
    children = _children(parents)
    joined = [v for v in _topological(parents) if parents[v] or children[v]]
    level = [0] * len(parents)
    for v in joined:
        level[v] = max((level[p] + 1 for p in parents[v]), default=0)
    _shorten(joined, level, parents, children, widths, float("inf"))
    lone = [v for v in range(len(parents)) if not (parents[v] or children[v])]
    last = max((level[v] for v in joined), default=-1)
    for v in lone:
        level[v] = last + 1
    _split(level, parents, children, widths, most)
    _shorten(joined, level, parents, children, widths, most)
    used = {old: new for new, old in enumerate(sorted(set(level)))}
    return [used[old] for old in level]


def _children(parents: Neighbours) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parents]
    for child, who in enumerate(parents):
        for parent in who:
            children[parent].append(child)
    return children


def _topological(parents: Neighbours) -> list[int]:
    children, waiting = _children(parents), [len(who) for who in parents]
    order = [v for v, missing in enumerate(waiting) if not missing]
    for v in order:
        for child in children[v]:
            waiting[child] -= 1
            if not waiting[child]:
                order.append(child)
    return order


def _shorten(
    joined: Sequence[int],
    level: list[int],
    parents: Neighbours,
    children: Neighbours,
    widths: Sequence[float],
    most: float,
) -> None:
    """Move variables between parents and children to where the arcs are shortest and room is."""
    filled = _filled(level, widths)
    for sweep in range(8):
        moved = False
        for v in joined if sweep % 2 else reversed(joined):
            pull = len(children[v]) - len(parents[v])
            if pull > 0 and children[v]:
                places = range(min(level[c] for c in children[v]) - 1, level[v], -1)
            elif pull < 0 and parents[v]:
                places = range(max(level[p] for p in parents[v]) + 1, level[v])
            else:
                continue
            place = next((p for p in places if filled[p] + widths[v] <= most), None)
            if place is not None:
                filled[level[v]] -= widths[v]
                filled[place] += widths[v]
                level[v], moved = place, True
        if not moved:
            return


def _filled(level: Sequence[int], widths: Sequence[float]) -> list[float]:
    filled = [0.0] * (max(level, default=-1) + 1)
    for at, width in zip(level, widths, strict=True):
        filled[at] += width
    return filled


def _split(
    level: list[int],
    parents: Neighbours,
    children: Neighbours,
    widths: Sequence[float],
    most: float,
) -> None:
    members: list[list[int]] = [[] for _ in range(max(level, default=-1) + 1)]
    for v, at in enumerate(level):
        members[at].append(v)
    below = 0
    for members_here in members:
        sinks_first = sorted(members_here, key=lambda v: (len(children[v]) - len(parents[v]), v))
        filled = 0.0
        for v in sinks_first:
            if filled and filled + widths[v] > most:
                below, filled = below + 1, 0.0
            level[v], filled = below, filled + widths[v]
        below += 1


def _with_passages(parents: Neighbours, level: Sequence[int]) -> Layered:
    rows: list[list[int]] = [[] for _ in range(max(level, default=-1) + 1)]
    up: list[list[int]] = [[] for _ in parents]
    down: list[list[int]] = [[] for _ in parents]
    for v in _nearby(parents):
        rows[level[v]].append(v)
    for child, who in enumerate(parents):
        for parent in who:
            tail = parent
            for between in range(level[parent] + 1, level[child]):
                rows[between].append(len(up))
                down[tail].append(len(up))
                up.append([tail])
                down.append([])
                tail = len(up) - 1
            down[tail].append(child)
            up[child].append(tail)
    return Layered(len(parents), rows, up, down)


def _nearby(parents: Neighbours) -> list[int]:
    """All variables, depth first along arcs either way, so that what is joined starts nearby."""
    children = _children(parents)
    order, seen = [], [False] * len(parents)
    for start in range(len(parents)):
        path = [start]
        while path:
            v = path.pop()
            if seen[v]:
                continue
            seen[v] = True
            order.append(v)
            path.extend(reversed([*children[v], *parents[v]]))
    return order


def _ordered(cut: Layered) -> Layered:
    """The best order that some sweeps come by: each layer by the middle of its neighbours."""
    rows = [list(row) for row in cut.rows]
    place = _places(rows, cut.points)
    best, fewest = rows, _crossings(rows, cut.down, place)
    for sweep in range(max(4, min(SWEEPS, EFFORT // max(1, cut.points)))):
        if not fewest:
            break
        rows = [list(row) for row in rows]
        near = cut.up if sweep % 2 == 0 else cut.down
        for row in rows if sweep % 2 == 0 else reversed(rows):
            _sort_row(row, near, place)
        if cut.points <= 1500:
            _swap_neighbours(rows, cut, place)
        crossings = _crossings(rows, cut.down, place)
        if crossings < fewest:
            best, fewest = rows, crossings
    return Layered(cut.real, best, cut.up, cut.down)


def _places(rows: Sequence[Sequence[int]], points: int) -> list[float]:
    """Each point's share of the way from left to right: comparable between layers."""
    place = [0.0] * points
    for row in rows:
        for at, point in enumerate(row):
            place[point] = (at + 0.5) / len(row)
    return place


def _sort_row(row: list[int], near: Neighbours, place: list[float]) -> None:
    middle = {
        point: sum(place[other] for other in near[point]) / len(near[point])
        if near[point]
        else place[point]
        for point in row
    }
    row.sort(key=middle.__getitem__)
    _renumber(row, place)


def _renumber(row: Sequence[int], place: list[float]) -> None:
    for at, point in enumerate(row):
        place[point] = (at + 0.5) / len(row)


def _swap_neighbours(rows: Sequence[list[int]], cut: Layered, place: list[float]) -> None:
    """Exchange points that stand side by side wherever that saves crossings."""
    for row in rows:
        for at in range(len(row) - 1):
            left, right = row[at], row[at + 1]
            now = sum(_inversions(near[left], near[right], place) for near in (cut.up, cut.down))
            then = sum(_inversions(near[right], near[left], place) for near in (cut.up, cut.down))
            if then < now:
                row[at], row[at + 1] = right, left
        _renumber(row, place)


def _inversions(left: Sequence[int], right: Sequence[int], place: Sequence[float]) -> int:
    return sum(place[a] > place[b] for a in left for b in right)


def _crossings(rows: Sequence[Sequence[int]], down: Neighbours, place: Sequence[float]) -> int:
    """Pairs of arcs that cross: inversions among their lower ends, taken from left to right."""
    total = 0
    for row, _ in pairwise(rows):
        passed: list[float] = []
        for end in chain.from_iterable(sorted(place[b] for b in down[point]) for point in row):
            total += len(passed) - bisect_right(passed, end)
            insort(passed, end)
    return total
