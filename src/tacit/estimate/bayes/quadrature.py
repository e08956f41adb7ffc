"""Posteriors of blocks that have one or two dimensions left, by quadrature over what is feasible.

Any density, any linear rules: rows of two or three states with misses or normal factors, chains of
three states, two rows of two states in order. [estimation 3.3]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.feasible import Patch, clean, filled, refuse_improper
from tacit.estimate.bayes.lines import FAR, levels_for, log_sum, nodes


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """What the posterior of one block says of its cells.

    values   (nodes, cells)  points, and the weight of each (nodes,)
    line     whether they stand on one line
    """

    log_constant: float
    mean: Floats
    sd: Floats
    values: Floats
    weights: Floats
    line: bool

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
        """(size, cells) nodes drawn by weight; between nodes, where they stand on one line."""
        if not self.line:
            return self.values[random.choice(self.weights.size, size, p=self.weights)]
        order = np.lexsort(self.values.T)
        weights, values = self.weights[order], self.values[order]
        middle = np.cumsum(weights) - 0.5 * weights
        shares = random.random(size)
        return np.stack([np.interp(shares, middle, each) for each in values.T], axis=1)


def summary(parts: Sequence[Patch], density: Density) -> Summary:
    """The posterior over all parts: constants, moments and the nodes they are made of.

    The measure is that of the plane in cells; constants of one set of rules can be compared. Cells
    that are 0 everywhere take no part.
    """
    moving = np.flatnonzero(filled(parts))
    inner = [Patch(part.start[:, moving], part.end[:, moving], part.flat) for part in parts]
    if density.misses is None:  # which only add to powers
        refuse_improper(inner, density.alpha[moving], moving)
    found = _summed(inner, at_cells(density, moving))
    values = np.zeros((found.weights.size, density.alpha.size))
    mean, sd = np.zeros(density.alpha.size), np.zeros(density.alpha.size)
    mean[moving], sd[moving], values[:, moving] = found.mean, found.sd, found.values
    return replace(found, mean=mean, sd=sd, values=values)


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
    line = all(part.flat for part in parts)
    return Summary(constant, mean, np.sqrt(variance), theta, weights, line)


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
        return np.asarray(np.log(clean(lengths)))


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
