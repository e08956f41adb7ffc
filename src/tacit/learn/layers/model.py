"""Columns that depend on hidden roots along lines or curves, and what each case says of the roots.

Everything is in units of standardised columns; hidden roots are Normal(0, 1), which fixes their
scale. Columns depend on nothing but the roots, so a missing cell (nan) is summed out by leaving it
out. [HV2 3.5, 3.6, 3.8]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, pi

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.families.responses import RESPONSES, Response

MOST_STEPS = 40
CLOSE = 1e-9
STRAIGHT = RESPONSES["identity"]
BY_CODE: Mapping[int, Response] = {each.code: each for each in RESPONSES.values()}


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """Column i is base + rise r(slopes · h - threshold) + noise, r the identity of a straight line.

    codes      (columns,)  of the responses
    slopes     (columns, hidden)  0 where there is no arc
    base, rise, threshold, variance  (columns,)
    """

    codes: Ints
    arcs: Bools
    slopes: Floats
    base: Floats
    rise: Floats
    threshold: Floats
    variance: Floats

    @staticmethod
    def empty(codes: Ints, columns: Floats) -> Layer:
        """Nothing hidden: every column a normal of its own."""
        n = len(columns)
        none: Floats = np.zeros((n, 0))
        return Layer(
            codes, none.astype(np.bool_), none, np.nanmean(columns, axis=1), np.ones(n),
            np.zeros(n), np.nanvar(columns, axis=1),
        )  # fmt: skip

    @property
    def hidden(self) -> int:
        """How many hidden variables there are."""
        return int(self.slopes.shape[1])

    def parents(self, column: int) -> tuple[int, ...]:
        """The hidden parents of a column."""
        return tuple(np.flatnonzero(self.arcs[column]).tolist())

    @property
    def parameters(self) -> int:
        """Lines k + 2, curves k + 3, columns without parents 2; the roots have none."""
        many = self.arcs.sum(axis=1)
        curved = (self.codes != STRAIGHT.code) & (many > 0)
        return int((many + 2 + curved).sum())

    def mean(self, values: Floats) -> tuple[Floats, Floats]:
        """(cases, columns) the mean of every column at hidden values (cases, hidden), and how it
        rises with the activation."""
        activation = values @ self.slopes.T - self.threshold
        answer, slope = activation.copy(), np.ones_like(activation)
        for code, response in BY_CODE.items():
            here = (self.codes == code) & self.arcs.any(axis=1)
            if code != STRAIGHT.code and here.any():
                answer[:, here] = response.value(activation[:, here])
                slope[:, here] = response.slope(activation[:, here])
        return self.base + self.rise * answer, self.rise * slope


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """The normal distribution that each case says of the hidden variables.

    mean         (cases, hidden)
    covariance   (cases, hidden, hidden)
    evidence     (cases,)  log density of the columns: exact for lines, Laplace's for curves
    """

    mean: Floats
    covariance: Floats
    evidence: Floats


def believe(layer: Layer, columns: Floats, start: Floats | None = None) -> Belief:
    """The most probable hidden values of every case, and the curvature there.

    maximise  log N(h; 0, I) + Σ_i log N(x_i; base_i + rise_i r(slopes_i · h - threshold_i), σ_i²)

    by damped Gauss-Newton steps, all cases side by side. Straight lines are there in one step, and
    the answer is the exact posterior; along curves it is Laplace's.
    """
    cases, hidden = columns.shape[1], layer.hidden
    here = np.zeros((cases, hidden)) if start is None else start.copy()
    damping = np.full(cases, 0.0 if (layer.codes == STRAIGHT.code).all() else 1e-3)
    seen = _Seen.of(layer, columns)
    cost, gradient, curvature = _local(layer, seen, here)
    eye = np.eye(hidden)
    for _ in range(MOST_STEPS if hidden else 0):
        damped = curvature + damping[:, None, None] * eye
        step = np.linalg.solve(damped, gradient[:, :, None])[:, :, 0]
        tried = here + step
        there = _local(layer, seen, tried)
        better = there[0] <= cost
        moved = np.where(better, cost - there[0], 0.0)
        here = np.where(better[:, None], tried, here)
        cost = np.where(better, there[0], cost)
        gradient = np.where(better[:, None], there[1], gradient)
        curvature = np.where(better[:, None, None], there[2], curvature)
        damping = np.where(better, damping / 5, np.maximum(damping * 8, 1e-3))
        if (moved[better] <= CLOSE * (1 + cost[better])).all() and (better | (damping > 1e4)).all():
            break
    covariance = np.asarray(np.linalg.inv(curvature)) if hidden else np.zeros((cases, 0, 0))
    sign, size = np.linalg.slogdet(curvature) if hidden else (1.0, np.zeros(cases))
    del sign
    constant = -0.5 * (seen.shown @ (log(2 * pi) + np.log(layer.variance)))
    return Belief(here, covariance, constant - cost - 0.5 * size)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """What is shown of columns whose noise is known.

    values     (cases, columns)  0 where missing
    shown      (cases, columns)  1, or 0 where missing
    precision  (cases, columns)  one over the variance, 0 where missing
    """

    values: Floats
    shown: Floats
    precision: Floats

    @staticmethod
    def of(layer: Layer, columns: Floats) -> _Seen:
        shown = (~np.isnan(columns.T)).astype(np.float64)
        return _Seen(np.nan_to_num(columns.T), shown, shown / layer.variance)


def _local(layer: Layer, seen: _Seen, values: Floats) -> tuple[Floats, Floats, Floats]:
    """Half the squares, the direction down, and the curvature of Gauss and Newton, per case."""
    mean, rise = layer.mean(values)
    away = seen.values - mean
    off = away * seen.precision
    cost = 0.5 * (values**2).sum(axis=1) + 0.5 * (away * off).sum(axis=1)
    gradient = (off * rise) @ layer.slopes - values
    weighed = rise**2 * seen.precision
    outer = np.einsum("ih,ik->ihk", layer.slopes, layer.slopes).reshape(len(layer.slopes), -1)
    curvature = (weighed @ outer).reshape(len(values), layer.hidden, layer.hidden)
    return cost, gradient, curvature + np.eye(layer.hidden)


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Hidden values that have the means and covariances of a belief: 2 H of each case.

    Sums over them are the expected moments of straight lines exactly, and a cubature of degree
    three along curves. [HV2 3.6, the posterior of sigmoids]

    values   (hidden, points)
    columns  (columns, points) the observed columns, repeated; nan where a cell is missing
    weights  (points,)
    """

    values: Floats
    columns: Floats
    weights: Floats

    @staticmethod
    def of(belief: Belief, columns: Floats) -> Points:
        """The points of all cases: one of each, then another of each."""
        cases, hidden = belief.mean.shape
        if not hidden:
            return Points(np.zeros((0, cases)), columns, np.ones(cases))
        roots = np.linalg.cholesky(belief.covariance) * np.sqrt(hidden)
        away = [sign * roots[:, :, at] for at in range(hidden) for sign in (1.0, -1.0)]
        values = np.concatenate([belief.mean + each for each in away])
        return Points(
            np.ascontiguousarray(values.T),
            np.ascontiguousarray(np.tile(columns, 2 * hidden)),
            np.full(cases * 2 * hidden, 0.5 / hidden),
        )

    def only(self, columns: Sequence[int]) -> Points:
        """Those of the cases that show these columns, which are shown in the same cases."""
        kept = self.columns[list(columns)]
        shown = ~np.isnan(kept[0])
        if shown.all():
            return Points(self.values, kept, self.weights)
        return Points(self.values[:, shown], kept[:, shown], self.weights[shown])


def alike(columns: Floats) -> tuple[tuple[int, ...], ...]:
    """The columns in sets that are shown in the same cases."""
    kinds, which = np.unique(np.isnan(columns), axis=0, return_inverse=True)
    return tuple(
        tuple(np.flatnonzero(which.reshape(-1) == kind).tolist()) for kind in range(len(kinds))
    )
