"""The M-step: lines by least squares on expected moments, curves by descent at weighted points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import EstimateError, quoted
from tacit.estimate.continuous.regression import Extra, estimate_regression
from tacit.estimate.gaussians import SINGULAR
from tacit.families.curve_evidence import CurveEvidence
from tacit.families.curved import CurvedGaussian
from tacit.families.moments import Moments
from tacit.learn.bends.expecting import Expected
from tacit.learn.bends.pieces import Divided
from tacit.learn.bends.shape import Numbers, Shape
from tacit.learn.continuous.families import NO_NOISE, NoNoiseError, standard_slopes


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What cases show whole, gathered once.

    rows     per family (cases, parents..., child), `weights` of these
    moments  of them
    extra    what a prior adds to lines
    """

    rows: tuple[Floats, ...]
    weights: tuple[Floats, ...]
    moments: tuple[Moments, ...]
    extra: Mapping[int, Extra]

    @staticmethod
    def of(shape: Shape, divided: Divided, extra: Mapping[int, Extra]) -> Known:
        """The whole cases of every family."""
        rows, weights = [], []
        for at, cases in enumerate(divided.whole):
            axes = [*shape.parents[at].tolist(), at]
            rows.append(divided.told.values[np.ix_(cases, np.array(axes))])
            weights.append(divided.told.weights[cases])
        pairs = zip(rows, weights, strict=True)
        moments = tuple(Moments.of(own, each) for own, each in pairs)
        return Known(tuple(rows), tuple(weights), moments, extra)


def maximise(
    shape: Shape,
    here: Numbers,
    known: Known,
    expected: Sequence[Expected],
    bends: Floats | None = None,
) -> Numbers:
    """The best numbers at the expected moments and points. Curves climb from where they are, so
    that none gets worse.

    bends  (variables,) at the start: curves climb from new starts, and those below hidden
           variables are as bent as this says along the straight regression
    """
    slopes, base, rise = np.zeros_like(here.slopes), here.base.copy(), here.rise.copy()
    logs = here.logs.copy()
    for at in range(len(shape.variables)):
        above = shape.parents[at]
        if at in shape.curves:
            squares = Squares.of(shape, at, known, expected)
            alpha = here.slopes[at, above] * shape.spread[above]
            left = (
                squares.climbed(alpha) if bends is None else squares.begun(float(bends[at]), alpha)
            )
            found = squares.written(alpha, left)
            slopes[at, above], base[at], rise[at], variance = found
        else:
            slopes[at, above], base[at], variance = _line(shape, at, known, expected)
        if variance <= NO_NOISE * shape.spread[at] ** 2:
            raise NoNoiseError(shape.dag.names[at])
        logs[at] = np.log(variance)
    return Numbers(slopes, base, rise, logs)


def moments_of(shape: Shape, at: int, known: Known, expected: Sequence[Expected]) -> Moments:
    """Those of a family: of what was shown whole, and expected ones."""
    found = known.moments[at]
    for each in expected:
        if at in each.piece.families:
            own = Moments.of(*each.rows(shape, at))
            scatter = own.scatter + each.spread(shape, at)
            found = found + Moments(own.weight, own.means, scatter)
    return found


def _line(
    shape: Shape, at: int, known: Known, expected: Sequence[Expected]
) -> tuple[Floats, float, float]:
    """Slopes, base and variance."""
    centre = shape.centre[shape.parents[at]]
    moments = moments_of(shape, at, known, expected)
    if at in shape.hidden:
        slopes = standard_slopes(moments)
        return slopes, float(slopes @ centre), 1.0
    family = estimate_regression(shape.axes(at), moments, known.extra.get(at)).family
    level = family.intercept + float(family.coefficients @ centre)
    return family.coefficients, level, family.sd**2


def curve_rows(
    shape: Shape, at: int, known: Known, expected: Sequence[Expected]
) -> tuple[Floats, Floats, float]:
    """Parents..., child of a curve at all points, their weights, and Σ w Var(child) beside them."""
    parts = [(known.rows[at], known.weights[at])]
    beside = 0.0
    for each in expected:
        if at in each.piece.families:
            parts.append(each.rows(shape, at))
            beside += float(each.spread(shape, at)[-1, -1])
    rows, weights = zip(*parts, strict=True)
    return np.concatenate(rows), np.concatenate(weights), beside


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """minimise  Σ w (child - base - rise r(coefficients · (parents - centre)))², at all points,
    in units of spreads about the centre.

    columns  (parents..., child; rows)
    beside   Σ w Var(child) beside the points
    ends     base and rise of what was found last
    """

    shape: Shape
    at: int
    columns: Floats
    weights: Floats
    beside: float
    ends: Floats

    @staticmethod
    def of(shape: Shape, at: int, known: Known, expected: Sequence[Expected]) -> Squares:
        """Those of one curve."""
        rows, weights, beside = curve_rows(shape, at, known, expected)
        axes = np.array([*shape.parents[at].tolist(), at])
        scaled = np.ascontiguousarray(((rows - shape.centre[axes]) / shape.spread[axes]).T)
        return Squares(shape, at, scaled, weights, beside, np.zeros(2))

    @property
    def order(self) -> Ints:
        """The rows of the parents."""
        return np.arange(len(self.columns) - 1, dtype=np.int64)

    @property
    def code(self) -> int:
        """Of the response."""
        return self.shape.curves[self.at].response.code

    def climbed(self, alpha: Floats) -> float:
        """The squares left a descent away from `alpha`, which is moved there."""
        from tacit.kernels.responses import descend

        return float(descend(
            self.code, self.columns, self.order, self.columns[-1], self.weights, alpha, self.ends
        ))  # fmt: skip

    def begun(self, bend: float, alpha: Floats) -> float:
        """The best of several climbs; with hidden parents as bent as this."""
        from tacit.kernels.responses import direction, fit_response, project

        child, none = self.columns[-1], np.zeros(len(self.weights))
        if self.shape.hidden.isdisjoint(self.shape.parents[self.at].tolist()):
            left = fit_response(
                self.code, self.columns, self.order, len(self.order), self.weights, alpha, self.ends
            )
            return float(left * self.weights.sum())
        told = direction(self.columns, self.order, child, self.weights, alpha)
        alpha *= bend / told if told > 0 else np.nan
        return float(project(
            self.code, self.columns, self.order, child, self.weights, alpha, none, none.copy(),
            self.ends,
        ))  # fmt: skip

    def written(self, alpha: Floats, left: float) -> tuple[Floats, float, float, float]:
        """Slopes, base, rise and variance in the units of the cases."""
        shape, at, total = self.shape, self.at, float(self.weights.sum())
        if not left > SINGULAR * total:
            kind, child = shape.curves[at].kind, quoted(shape.dag.names[at])
            raise EstimateError(
                f"the {kind} of {child} has no estimate: its parents depend on each other, or "
                "it is an exact function of them\n\ngive it fewer parents, or leave families= out"
            )
        own = float(shape.spread[at])
        base, rise = float(shape.centre[at] + own * self.ends[0]), float(own * self.ends[1])
        variance = (left * own**2 + self.beside) / total
        return alpha / shape.spread[shape.parents[at]], base, rise, float(variance)


def curve_evidence(
    shape: Shape, family: CurvedGaussian, known: Known, expected: Sequence[Expected]
) -> CurveEvidence:
    """What is kept of the points behind a curve."""
    at = shape.dag.names.index(family.child)
    rows, weights, beside = curve_rows(shape, at, known, expected)
    found = CurveEvidence.of(family, rows, weights)
    scatter = found.moments.scatter.copy()
    scatter[-1, -1] += beside
    moments = Moments(found.moments.weight, found.moments.means, scatter)
    return CurveEvidence(moments, found.tangent, found.bands)
