"""Posteriors of blocks that have one or two dimensions left, by quadrature over what is feasible.

Any density, any linear rules: rows of two or three states with misses or normal factors, chains of
three states, two tied rows of two states. The feasible set is a line or a polygon; points in it
are sums of its corners with weights of at least 0, so that cells near 0 keep their digits, and
intervals may be as narrow as they like. [estimation 3.3]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.lines import FAR, levels_for, log_sum, nodes

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


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """What the posterior of one block says of its cells.

    values   (nodes, cells)  points, and the weight of each (nodes,)
    """

    log_constant: float
    mean: Floats
    sd: Floats
    values: Floats
    weights: Floats

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Where each cell lies with this probability, equal tails cut off."""
        found = np.empty((2, self.mean.size))
        for cell in range(self.mean.size):
            order = np.argsort(self.values[:, cell], kind="stable")
            weights = self.weights[order]
            middle = np.cumsum(weights) - 0.5 * weights
            tails = [(1 - level) / 2, (1 + level) / 2]
            found[:, cell] = np.interp(tails, middle, self.values[order, cell])
        return found[0], found[1]

    def draw(self, random: np.random.Generator, size: int) -> Floats:
        """(size, cells) nodes drawn by weight."""
        return self.values[random.choice(self.weights.size, size, p=self.weights)]


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
        ends = [_clean(point + basis[:, 0] * at) for at in (low, high)]
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


def _clean(theta: Floats) -> Floats:
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
        theta = [[_clean(point + basis @ np.array(each)) for each in pair] for pair in ends]
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


def summary(parts: Sequence[Patch], density: Density) -> Summary:
    """The posterior over all parts: constants, moments and the nodes they are made of.

    The measure is that of the plane in cells; constants of one set of rules can be compared. Cells
    that are 0 everywhere take no part.
    """
    moving = np.flatnonzero(filled(parts))
    inner = [Patch(part.start[:, moving], part.end[:, moving], part.flat) for part in parts]
    found = _summed(inner, at_cells(density, moving))
    values = np.zeros((found.weights.size, density.alpha.size))
    mean, sd = np.zeros(density.alpha.size), np.zeros(density.alpha.size)
    mean[moving], sd[moving], values[:, moving] = found.mean, found.sd, found.values
    return replace(found, mean=mean, sd=sd, values=values)


def filled(parts: Sequence[Patch]) -> Bools:
    """(cells,) those that are not 0 everywhere."""
    corners = np.concatenate([end for part in parts for end in (part.start, part.end)])
    return np.asarray(corners.max(axis=0) > 0)


def _summed(parts: Sequence[Patch], density: Density) -> Summary:
    values, logs = [], []
    for part in parts:
        theta, weights = _nodes(part, density)
        values.append(np.exp(theta))
        logs.append(weights + _log(density, theta))
    theta, log_weights = np.concatenate(values), np.concatenate(logs)
    constant = float(log_sum(log_weights))
    single = log_weights.size == 1  # a point, however improbable
    weights = np.ones(1) if single else np.exp(log_weights - constant)
    weights /= weights.sum()
    mean = weights @ theta
    variance = weights @ (theta - mean) ** 2
    return Summary(constant, mean, np.sqrt(variance), theta, weights)


def _log(density: Density, logs: Floats) -> Floats:
    """The log density at logarithms of cells, which may be too small for numbers."""
    powers = density.alpha - 1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        total = np.where(powers == 0, 0.0, powers * logs).sum(axis=-1)
        if density.misses is not None:
            fails = density.misses * np.log1p(-np.minimum(np.exp(logs), 1.0))
            total = total + np.where(density.misses == 0, 0.0, fails).sum(axis=-1)
    if density.centre is not None and density.spread is not None:
        away = (np.exp(logs) - density.centre) / density.spread
        total = total - 0.5 * (away * away).sum(axis=-1)
    return np.asarray(total)


def _nodes(part: Patch, density: Density) -> tuple[Floats, Floats]:
    """(nodes, cells) logarithms of points of a part, and the log weight of each."""
    with np.errstate(divide="ignore"):
        start, end = np.log(part.start), np.log(part.end)
    if np.array_equal(part.start, part.end):
        return start[:1], np.zeros(1)
    levels = levels_for(density.alpha)
    if part.flat:
        whole = float(np.linalg.norm(part.end[0] - part.start[0]))

        def along(points: Floats) -> Floats:
            return _log(density, _between(start[0], end[0], points)) - _turn(points)

        points, weights = nodes(along, np.full(1, -FAR), np.full(1, FAR), levels + 4)
        theta = _between(start[0], end[0], points)[0]
        return theta, (weights - _turn(points))[0] + np.log(whole)
    lines = _Lines(start, end, _sides(part), density)
    outer, rows = nodes(
        lambda points: lines.at(points)[2], np.full(1, -FAR), np.full(1, FAR), levels
    )
    theta, weights, _ = lines.at(outer)
    high = part.start[1] - part.start[0] + part.end[1] - part.end[0]
    side, span = high / np.linalg.norm(high), part.end[0] - part.start[0]
    area = float(np.linalg.norm(span - side * (side @ span)))
    logs = weights + (rows - _turn(outer))[0][:, None] + np.log(area)
    return theta.reshape(-1, theta.shape[-1]), logs.ravel()


def _sides(part: Patch) -> Floats:
    """(2,) the log length of the first and the last line across."""
    lengths = np.linalg.norm(np.stack([part.start, part.end])[:, 1] -
                             np.stack([part.start, part.end])[:, 0], axis=1)  # fmt: skip
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(_clean(lengths)))


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """The lines across a part, which are parallel: logarithms of its corners and of its sides."""

    start: Floats
    end: Floats
    sides: Floats
    density: Density

    def at(self, outer: Floats) -> tuple[Floats, Floats, Floats]:
        """Nodes on lines at (1, k) points: log θ (k, nodes, cells), log weights, log integrals.

        The integrals are (1, k), with the measure of the outer points.
        """
        one, other = (_between(self.start[side], self.end[side], outer)[0] for side in (0, 1))
        length = _between(self.sides[:1], self.sides[1:], outer)[0]

        def along(points: Floats) -> Floats:
            inner = _between(one[:, None], other[:, None], points)
            return _log(self.density, inner) - _turn(points)

        far = np.full(outer.shape[1], FAR)
        points, weights = nodes(along, -far, far, levels_for(self.density.alpha))
        theta = _between(one[:, None], other[:, None], points)
        logs = weights - _turn(points) + length
        found = log_sum(logs + _log(self.density, theta)) - _turn(outer)[0]
        return theta, logs, found[None]


def _between(start: Floats, end: Floats, points: Floats) -> Floats:
    """(..., cells) logarithms of the points between two, at logits; start, end: logarithms."""
    left, right = -np.logaddexp(0, points)[..., None], -np.logaddexp(0, -points)[..., None]
    return np.asarray(np.logaddexp(left + start, right + end))


def _turn(points: Floats) -> Floats:
    """The log of what a step in x is more than a step in its logit, turned round."""
    return np.asarray(np.logaddexp(0, points) + np.logaddexp(0, -points))


def at_cells(density: Density, positions: Ints) -> Density:
    """The density of these positions alone."""
    return replace(
        density,
        alpha=density.alpha[positions],
        misses=None if density.misses is None else density.misses[positions],
        centre=None if density.centre is None else density.centre[positions],
        spread=None if density.spread is None else density.spread[positions],
    )
