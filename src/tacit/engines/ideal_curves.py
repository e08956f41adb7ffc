"""Ideal parents of curves: first-order expansions of the mean, all candidates at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.engines.curve_scores import STRAIGHT, CurveScorer
from tacit.engines.foresight import Foresight
from tacit.engines.ideal_lines import LineRanker
from tacit.estimate.gaussians import SINGULAR
from tacit.estimate.ideal.profiles import assumed_ends, ideal_profile
from tacit.estimate.ideal.similarity import Sums, c2, replaced_c2
from tacit.families.responses import RESPONSES, Response

FLAT = 1e-6
"""Directions of the tangent that are shorter than this share of the longest are not used."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A family as it is fitted, case by case.

    alpha, rise  the coefficients, and how far the curve rises
    activation   (cases,)  α · parents
    answer       (cases,)  the response to it
    slope        (cases,)  how the response changes with it
    residual     (cases,)  what the curve leaves of the child
    """

    alpha: Floats
    ends: tuple[float, float]
    activation: Floats
    answer: Floats
    slope: Floats
    residual: Floats


@dataclass(frozen=True, slots=True, eq=False)
class CurveRanker:
    """Curves: first-order expansion of the mean around the ideal parent, or around where it is.

    [HV2 3.7, equations 7.13 and 7.14]
    """

    scorer: CurveScorer
    similarity: str
    lines: LineRanker

    def tells(self, child: int) -> Bools:
        """All of them."""
        return self.lines.tells(child)

    def price(self, child: int, parents: tuple[int, ...], more: int = 0) -> float:
        """A coefficient each, and the rise of a curve, which a normal does not have."""
        bent = len(parents) + more > 0 and self.scorer.kinds[child] != STRAIGHT
        return self.lines.price(child, parents, more + bent)

    def foreseen(self, child: int, parents: tuple[int, ...]) -> Foresight:
        """C2(y ∘ g', z ∘ g') of every z; with the replace profile, less what the parent that goes
        had told."""
        if self.scorer.kinds[child] == STRAIGHT:
            return self.lines.foreseen(child, parents)
        curve = self._curve(child, parents)
        if self.similarity == "exact":
            return self._beyond_the_tangent(child, curve, parents)
        squares = float(self.scorer.weights @ curve.residual**2)
        replaced = [self._weighed(child, curve, parents, at) for at in range(len(parents))]
        rows = [replaced_c2(sums, squares) for sums in replaced]
        lost = np.array([float(np.asarray(sums.own)) for sums in replaced])
        return Foresight(
            c2(self._weighed(child, curve, parents, None)),
            np.array(rows).reshape(len(parents), len(self.scorer.columns)),
            -0.5 * self.scorer.straight.weight * np.log(lost / squares),
        )

    def _curve(self, child: int, parents: tuple[int, ...]) -> Curve:
        columns, response = self.scorer.columns, self._response(child)
        here = columns[child]
        if not parents:
            ends = assumed_ends(here)
            still = np.zeros_like(here)
            answer = np.full_like(here, float(response.value(np.zeros(1))[0]))
            return Curve(np.zeros(0), ends, still, answer, np.full_like(here, 1 / ends[1]), here)
        alpha, fitted = self.scorer.fitted(child, parents)
        base, rise = float(fitted[0]), float(fitted[1])
        activation = alpha @ columns[list(parents)]
        answer = response.value(activation)
        slope, residual = response.slope(activation), here - (base + rise * answer)
        return Curve(alpha, (base, rise), activation, answer, slope, residual)

    def _response(self, child: int) -> Response:
        code = int(self.scorer.kinds[child])
        return next(each for each in RESPONSES.values() if each.code == code)

    def _weighed(self, child: int, curve: Curve, parents: tuple[int, ...], out: int | None) -> Sums:
        """Sums of ideal and candidates in units of the child, the term of one parent left out."""
        columns, weights = self.scorer.columns, self.scorer.weights
        gone = np.zeros_like(curve.activation)
        if out is not None:
            gone = curve.alpha[out] * columns[parents[out]]
        slope = curve.ends[1] * curve.slope
        ideal = curve.residual + slope * gone
        if self.similarity == "ideal":
            profile = ideal_profile(
                self._response(child), columns[child], curve.activation - gone, *curve.ends
            )
            ideal, slope = profile.scaled, profile.slope
        return Sums(
            columns @ (weights * ideal * slope),
            float(weights @ ideal**2),
            self.scorer.squares @ (weights * slope**2),
            float(weights.sum()),
        )

    def _beyond_the_tangent(self, child: int, curve: Curve, parents: tuple[int, ...]) -> Foresight:
        """C2 of what base, rise and coefficients leave of residual and candidates.

        To first order they can do the tangent T = [1, r(a), r'(a) x_j ...]. Without parent j they
        can do all of it but one direction: that of T which is orthogonal to 1, to the terms that
        stay, and to r(a) - r'(a) α_j x_j. So one projection tells of every place.
        """
        weights, columns = self.scorer.weights, self.scorer.columns
        root, who = np.sqrt(weights), list(parents)
        terms = curve.slope * columns[who]
        tangent = np.concatenate([np.ones_like(root)[None], curve.answer[None], terms]) * root
        basis = _basis(tangent)
        slope = curve.ends[1] * curve.slope * root
        within = columns @ (basis * slope).T
        left = self.scorer.squares @ slope**2 - (within**2).sum(axis=1)
        residual = root * curve.residual
        inner = basis @ residual
        residual = residual - inner @ basis
        own, cross = float(residual @ residual), columns @ (slope * residual)
        extra, told = _directions(basis @ tangent.T, curve.alpha, curve.ends[1], inner)
        along = extra @ within.T
        cases, squares = float(weights.sum()), float(weights @ curve.residual**2)
        lost = own + told**2
        if len(parents) == 1:  # without it the child is a plain normal
            lost = np.array([weights @ columns[child] ** 2])
        spare = _there(left + along**2, cases)
        swaps = Sums(cross + told[:, None] * along, lost[:, None], spare, cases)
        return Foresight(
            c2(Sums(cross, own, _there(left, cases), cases)),
            replaced_c2(swaps, squares),
            -0.5 * cases * np.log(lost / squares),
        )


def _there(squares: Floats, cases: float) -> Floats:
    """Squares of which something is left; 0 where only rounding is."""
    return np.where(squares > SINGULAR * cases, squares, 0.0)


def _basis(rows: Floats) -> Floats:
    """Orthonormal rows that span these, as far as they are apart."""
    _, sizes, right = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(right[sizes > FLAT * sizes[0]])


def _directions(
    tangent: Floats, alpha: Floats, rise: float, inner: Floats
) -> tuple[Floats, Floats]:
    """(parents, basis) what the tangent can do with each parent only, and how much of the residual
    and of that parent's term lies there.

    tangent  (basis, parents + 2)  its columns in a basis of their own
    inner    (basis,)              the residual
    """
    dual = np.linalg.pinv(tangent)
    found = dual[2:] + alpha[:, None] * dual[1]
    sizes = np.sqrt((found**2).sum(axis=1, keepdims=True))
    found = found / np.where(sizes > 0, sizes, 1.0)
    term = rise * alpha * (found * tangent[:, 2:].T).sum(axis=1)
    return found, found @ inner + term
