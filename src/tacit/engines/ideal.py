"""Candidates ranked by their likeness to the ideal parent, on complete cases or their moments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError
from tacit.engines.curve_scores import STRAIGHT, CurveScorer
from tacit.engines.gaussian_scores import BGeScorer, GaussianScorer, spread
from tacit.engines.partials import partials
from tacit.engines.scoring import Scorer
from tacit.estimate.gaussians import SINGULAR
from tacit.estimate.ideal.profiles import Profile, assumed_ends, ideal_profile
from tacit.estimate.ideal.similarity import Sums, c2, replaced_c2
from tacit.families.responses import RESPONSES, Response

SIMILARITIES = ("ideal", "current", "exact")
"""What the ideal parent is taken to be: as the source has it; linearised where the curve now runs;
the same, less what the family's own parameters could do alone."""


FLAT = 1e-6
"""Directions of the tangent that are shorter than this share of the longest are not used."""


class Ranker(Protocol):
    """What each variable would gain as a parent, told without fitting the family."""

    def adding(self, child: int, parents: tuple[int, ...]) -> Floats:
        """(n,) of each variable as one more parent."""

    def replacing(self, child: int, parents: tuple[int, ...], out: int) -> Floats:
        """(n,) of each variable in the place of `out`, one of the parents."""


def ranker_of(scorer: Scorer, similarity: str) -> Ranker:
    """The ranker for the families that a scorer scores."""
    if isinstance(scorer, CurveScorer):
        return CurveRanker(scorer, similarity, _lines(scorer.straight, similarity))
    if isinstance(scorer, GaussianScorer):
        return _lines(scorer, similarity)
    if isinstance(scorer, BGeScorer):
        moments = scorer.reals.moments()
        sd, _ = spread(scorer.reals, moments)
        correlations = moments.scatter / moments.weight / np.outer(sd, sd)
        return LineRanker(correlations, moments.weight, similarity == "exact")
    raise OptionError(
        "tc.IdealParent() ranks parents by geometry, and these cases have states"
        "\n\nuse tc.HillClimb(), or leave columns with states out"
    )


def _lines(scorer: GaussianScorer, similarity: str) -> LineRanker:
    return LineRanker(scorer.correlations, scorer.weight, similarity == "exact")


@dataclass(frozen=True, slots=True, eq=False)
class LineRanker:
    """Straight lines: the ideal parent is the residual, and all sums follow from correlations.

    correlations  (n, n)  of the variables; expected ones where cells are missing, their variances
                  included, which is the similarity in moment form [HV2 3.6]
    exact         take off each candidate what the parents tell of it: C2 is then the gain itself
    """

    correlations: Floats
    weight: float
    exact: bool = False

    def adding(self, child: int, parents: tuple[int, ...]) -> Floats:
        """C2(y, z) of every z, both centred."""
        return c2(self._sums(child, parents))

    def replacing(self, child: int, parents: tuple[int, ...], out: int) -> Floats:
        """C2(y, z) less what the parent that goes had told, y the residual without its term."""
        kept = tuple(each for each in parents if each != out)
        whole = self._sums(child, parents)
        if self.exact:
            return replaced_c2(self._sums(child, kept), whole.own)
        slope = self._slope(child, parents, parents.index(out))
        shared = whole.shared + self.weight * slope * self.correlations[out]
        own = whole.own + self.weight * slope**2 * float(self.correlations[out, out])
        return replaced_c2(Sums(shared, own, whole.theirs, self.weight), whole.own)

    def _slope(self, child: int, parents: tuple[int, ...], at: int) -> float:
        """The coefficient of one parent."""
        who = list(parents)
        inner = self.correlations[np.ix_(who, who)]
        return float(np.linalg.lstsq(inner, self.correlations[who, child], rcond=None)[0][at])

    def _sums(self, child: int, parents: tuple[int, ...]) -> Sums:
        """The sums of the residual and every variable, what the parents tell of each taken off if
        `exact`: products of a residual need it of one side only."""
        every = np.arange(len(self.correlations))
        found = partials(self.correlations, child, parents, every)
        theirs = found.left if self.exact else np.diag(self.correlations)
        theirs = np.where(theirs > SINGULAR, theirs, 0.0)
        own = max(float(found.own), 0.0)
        return Sums(self.weight * found.cross, self.weight * own, self.weight * theirs, self.weight)


@dataclass(frozen=True, slots=True, eq=False)
class CurveRanker:
    """Curves: first-order expansion of the mean around the ideal parent, or around where it is.

    fits  of the families asked for last, by child and parents
    [HV2 3.7, equations 7.13 and 7.14]
    """

    scorer: CurveScorer
    similarity: str
    lines: LineRanker
    fits: dict[tuple[int, tuple[int, ...]], tuple[Floats, Floats]] = field(default_factory=dict)

    def adding(self, child: int, parents: tuple[int, ...]) -> Floats:
        """C2(y ∘ g', z ∘ g') of every z."""
        if self.scorer.kinds[child] == STRAIGHT:
            return self.lines.adding(child, parents)
        return c2(self._sums(child, parents, None))

    def replacing(self, child: int, parents: tuple[int, ...], out: int) -> Floats:
        """The same with the replace profile, less what the parent that goes had told."""
        if self.scorer.kinds[child] == STRAIGHT:
            return self.lines.replacing(child, parents, out)
        return replaced_c2(self._sums(child, parents, out), self._residual(child, parents))

    def _response(self, child: int) -> Response:
        code = int(self.scorer.kinds[child])
        return next(each for each in RESPONSES.values() if each.code == code)

    def _fit(self, child: int, parents: tuple[int, ...]) -> tuple[Floats, Floats]:
        key = child, parents
        if key not in self.fits:
            if len(self.fits) > 4 * len(self.scorer.names):
                self.fits.clear()
            known = np.zeros(0), np.array(assumed_ends(self.scorer.columns[child]))
            self.fits[key] = self.scorer.fitted(child, parents) if parents else known
        return self.fits[key]

    def _residual(self, child: int, parents: tuple[int, ...]) -> float:
        alpha, ends = self._fit(child, parents)
        activation = alpha @ self.scorer.columns[list(parents)]
        mean = ends[0] + ends[1] * self._response(child).value(activation)
        return float(self.scorer.weights @ (self.scorer.columns[child] - mean) ** 2)

    def _sums(self, child: int, parents: tuple[int, ...], out: int | None) -> Sums:
        """Sums of ideal and candidates in units of the child, the term of `out` left out."""
        alpha, ends = self._fit(child, parents)
        columns, who = self.scorer.columns, list(parents)
        terms = alpha[:, None] * columns[who]
        activation = terms.sum(axis=0)
        gone = terms[parents.index(out)] if out is not None else np.zeros_like(activation)
        if self.similarity == "ideal":
            profile = ideal_profile(
                self._response(child), columns[child], activation - gone, *ends.tolist()
            )
            return self._weighed(profile.scaled, profile.slope)
        profile = self._current(child, parents, activation, ends)
        ideal = profile.scaled + profile.slope * gone
        if self.similarity == "current":
            return self._weighed(ideal, profile.slope)
        stay = [each for each in parents if each != out]
        tangent = self._tangent(child, stay, activation, gone)
        return self._projected(ideal, profile.slope, tangent)

    def _current(
        self, child: int, parents: tuple[int, ...], activation: Floats, ends: Floats
    ) -> Profile:
        """The residual, and the slope of the mean where the curve runs now."""
        response, here = self._response(child), self.scorer.columns[child]
        if not parents:
            return Profile(np.zeros_like(here), np.ones_like(here), here)
        mean = ends[0] + ends[1] * response.value(activation)
        return Profile(np.zeros_like(here), ends[1] * response.slope(activation), here - mean)

    def _weighed(self, ideal: Floats, slope: Floats) -> Sums:
        """Σ w y z g' and the rest, of all variables at once."""
        weights, columns = self.scorer.weights, self.scorer.columns
        return Sums(
            columns @ (weights * ideal * slope),
            float(weights @ ideal**2),
            columns**2 @ (weights * slope**2),
            float(weights.sum()),
        )

    def _tangent(self, child: int, parents: list[int], activation: Floats, gone: Floats) -> Floats:
        """(cases, k + 2) what base, rise and the coefficients of these parents can do, once the
        term that goes is taken off the curve, to first order."""
        response, columns = self._response(child), self.scorer.columns
        slope = response.slope(activation)
        rows = [np.ones_like(activation), response.value(activation) - slope * gone]
        rows += [slope * columns[each] for each in parents]
        return np.array(rows).T

    def _projected(self, ideal: Floats, slope: Floats, tangent: Floats) -> Sums:
        """The sums of what the tangent leaves of ideal and candidates."""
        root = np.sqrt(self.scorer.weights)[:, None]
        left, sizes, _ = np.linalg.svd(tangent * root, full_matrices=False)
        basis = left[:, sizes > FLAT * sizes[0]]
        rows = np.concatenate([ideal[None], self.scorer.columns * slope]) * root.T
        rows = rows - (rows @ basis) @ basis.T
        squares = (rows**2).sum(axis=1)
        theirs = np.where(squares[1:] > SINGULAR * self.scorer.weights.sum(), squares[1:], 0.0)
        return Sums(rows[1:] @ rows[0], float(squares[0]), theirs, float(self.scorer.weights.sum()))
