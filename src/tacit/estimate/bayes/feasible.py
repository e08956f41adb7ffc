"""The feasible set of a block that has one or two dimensions left: a line, or a polygon in parts.

Points in a part are sums of its corners with weights of at least 0, so that cells near 0 keep
their digits, and intervals may be as narrow as they like.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, pairwise

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.ruled.splits import ImproperError

_HOLDS = 1e-9
_ZERO = 1e-13


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A part of a feasible set: from `start` to `end`, each a pair of points, across in a line.

    θ = (1-u) [(1-v) start[0] + v start[1]] + u [(1-v) end[0] + v end[1]]

    start, end  (2, cells); a line has two equal points at each end
    """

    start: Floats
    end: Floats
    flat: bool


def patches(
    equations: tuple[Floats, Floats], limits: tuple[Floats, Floats], point: Floats
) -> tuple[Patch, ...] | None:
    """The feasible set {A θ = b, G θ <= h}, in parts; None where it has over two dimensions.

    point: inside, with room to all limits
    """
    _, sizes, right = np.linalg.svd(equations[0])
    rank = int((sizes > 1e-10).sum())
    basis = right[rank:].T
    if basis.shape[1] > 2:
        return None
    if basis.shape[1] == 0:
        return (Patch(np.stack([point, point]), np.stack([point, point]), True),)
    slopes, room = limits[0] @ basis, limits[1] - limits[0] @ point
    if basis.shape[1] == 1:
        low, high = _span(slopes[:, 0], room)
        ends = [clean(point + basis[:, 0] * at) for at in (low, high)]
        return (Patch(np.stack([ends[0]] * 2), np.stack([ends[1]] * 2), True),)
    return _polygon(basis, slopes, room, point)


def _span(slopes: Floats, room: Floats) -> tuple[float, float]:
    """The least and the greatest x with slopes · x <= room."""
    with np.errstate(divide="ignore", invalid="ignore"):
        at = room / slopes
    small = 1e-14
    return (
        float(np.max(at[slopes < -small], initial=-np.inf)),
        float(np.min(at[slopes > small], initial=np.inf)),
    )


def clean(theta: Floats) -> Floats:
    """0 for what is nothing but rounding."""
    return np.where(theta < _ZERO, 0.0, theta)


def _polygon(basis: Floats, slopes: Floats, room: Floats, point: Floats) -> tuple[Patch, ...]:
    """Between the corners, from left to right, lines across lie between the same two edges."""
    corners = _corners(slopes, room)
    at = np.unique(np.round(corners[:, 0], 13))
    found = []
    for one, other in pairwise(at.tolist()):
        if other - one < _ZERO:
            continue
        ends = []
        for x in (one, other):
            inner = min(max(x, one + 1e-9 * (other - one)), other - 1e-9 * (other - one))
            low, high = _span(slopes[:, 1], room - slopes[:, 0] * inner)
            ends.append([(inner, low), (inner, high)])
        ends = _stretched(ends, one, other)
        theta = [[clean(point + basis @ np.array(each)) for each in pair] for pair in ends]
        found.append(Patch(np.array(theta[0]), np.array(theta[1]), False))
    return tuple(found)


def _stretched(
    ends: list[list[tuple[float, float]]], one: float, other: float
) -> list[list[tuple[float, float]]]:
    """The edges, taken a little inside, drawn out to the corners."""
    (start, end) = ends
    found: list[list[tuple[float, float]]] = [[], []]
    for first, last in zip(start, end, strict=True):
        slope = (last[1] - first[1]) / (last[0] - first[0])
        found[0].append((one, first[1] + slope * (one - first[0])))
        found[1].append((other, last[1] + slope * (other - last[0])))
    return found


def _corners(slopes: Floats, room: Floats) -> Floats:
    """(corners, 2) where two limits meet and all others hold."""
    one, other = np.triu_indices(room.size, 1)
    pairs = np.stack([slopes[one], slopes[other]], axis=1)
    apart = np.abs(np.linalg.det(pairs)) > 1e-12
    pairs, rights = pairs[apart], np.stack([room[one], room[other]], axis=1)[apart]
    at = np.linalg.solve(pairs, rights[..., None])[..., 0]
    return at[np.all(at @ slopes.T <= room + _HOLDS * (1 + np.abs(room)), axis=1)]


def refuse_improper(parts: Sequence[Patch], alpha: Floats, cells: Ints) -> None:
    """An error where so many cells get to 0 at once that the density has no integral.

    At a distance r from a corner of a plane the density is r^Σ(α-1), and there is r dr of it; from
    an edge, or from the end of a line, there is dr.
    """
    for part in parts:
        if np.array_equal(part.start, part.end):
            continue
        corners = np.concatenate([part.start, part.end])
        for one, other in combinations_with_replacement(corners, 2):
            apart = not np.allclose(one, other, atol=_HOLDS)
            both = np.flatnonzero((one == 0) & (other == 0))
            room = 1 if apart or part.flat else 2
            left = room + float((alpha[both] - 1).sum())
            if left <= 0 and not (apart and part.flat):
                raise ImproperError(cells[both], left)


def filled(parts: Sequence[Patch]) -> Bools:
    """(cells,) those that are not 0 everywhere."""
    corners = np.concatenate([end for part in parts for end in (part.start, part.end)])
    return np.asarray(corners.max(axis=0) > 0)
