"""Scores of curved families on complete cases: every family is climbed to its best fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import log, pi

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.engines.gaussian_scores import GaussianScorer, Reals, check_gaussian
from tacit.estimate.gaussians import SINGULAR
from tacit.estimate.scores.values import AnyScore, BGe, Penalised
from tacit.families.curved import CurvedGaussian

STRAIGHT = -1
"""The code of a child that has a straight line."""
KEPT = 20_000
"""Curves that are remembered; then all are forgotten."""


def curve_scorer(
    data: Dataset, score: AnyScore, curves: Mapping[str, type[CurvedGaussian]]
) -> CurveScorer:
    """The `Scorer` of continuous columns, some of which get curves, under BIC, AIC or the like."""
    known = check_gaussian(score)
    if isinstance(known, BGe):
        raise OptionError(
            f"{known.describe()} scores straight lines only: the marginal likelihood of a curve "
            "has no closed form\n\nfor curves use tc.BIC() or tc.AIC()"
        )
    kinds = np.full(len(data.names), STRAIGHT, dtype=np.int64)
    for name, kind in curves.items():
        kinds[data.names.index(name)] = kind.response.code
    return CurveScorer.of(Reals.of(data, data.names), known, kinds)


@dataclass(frozen=True, slots=True, eq=False)
class CurveScorer:
    """A `Scorer` of curves, and of straight lines for the other children.

    -N/2 (log 2π sd² + 1) - price (k + 3) for k parents: coefficients, base, rise and sd; without
    parents a curve is a plain normal. A family is singular, and scores -inf, where its parents
    depend on each other, or no more cases than parameters are left. [HV2 3.1]

    kinds     (variables,) the code of the response of each child, or STRAIGHT
    columns   (variables, cases) of mean 0 and variance 1; 0 where constant
    squares   (variables, cases) of them
    weights   of the cases
    straight  the scores of straight lines on the same cases
    fits      coefficients, (base, rise) and the squares left per weight, by child and parents
    """

    reals: Reals
    score: Penalised
    kinds: Ints
    columns: Floats
    squares: Floats
    weights: Floats
    straight: GaussianScorer
    fits: dict[tuple[int, tuple[int, ...]], tuple[Floats, Floats, float]] = field(
        default_factory=dict
    )

    @staticmethod
    def of(reals: Reals, score: Penalised, kinds: Ints, whole: Floats | None = None) -> CurveScorer:
        """The scorer of these cases; `whole` as for straight lines."""
        straight = GaussianScorer.of(reals, score, whole)
        weights = np.ones(len(reals.values)) if reals.weights is None else reals.weights
        used = weights > 0
        values, weights = reals.values[used], np.asarray(weights[used], np.float64)
        means = weights @ values / weights.sum()
        spread = straight.sd / reals.units
        columns = np.ascontiguousarray(((values - means) / spread).T)
        return CurveScorer(reals, score, kinds, columns, columns**2, weights, straight)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""
        return self.reals.names

    @property
    def curved(self) -> Bools:
        """(variables,) which children have curves."""
        return np.asarray(self.kinds != STRAIGHT)

    def weighted(self, weights: Floats) -> CurveScorer:
        """The same cases, counting as often as `weights` says."""
        reals = replace(self.reals, weights=weights)
        return CurveScorer.of(reals, self.score, self.kinds, self.straight.sd)

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """The score of the child with these parents."""
        if self.kinds[child] == STRAIGHT or not parents:
            return self.straight.family(child, parents)
        left = np.nan
        if self.weights.size > len(parents) + 3:
            left = self._fit(child, parents)[2]
        return float(self._score(child, len(parents), np.array(left)))

    def adding(self, child: int, parents: tuple[int, ...], candidates: Ints) -> Floats:
        """The score of the child with these parents and each of the candidates as one more."""
        if self.kinds[child] == STRAIGHT:
            return self.straight.adding(child, parents, candidates)
        from tacit.kernels.responses import fit_each

        left = np.full(candidates.size, np.nan)
        if self.weights.size > len(parents) + 4:
            before = np.array(parents, dtype=np.int64)
            fit_each(
                int(self.kinds[child]), self.columns, before, candidates, child, self.weights, left
            )
        return self._score(child, len(parents) + 1, left)

    def fitted(self, child: int, parents: tuple[int, ...]) -> tuple[Floats, Floats]:
        """Coefficients and (base, rise) of a curve, in units of the columns."""
        alpha, ends, _ = self._fit(child, parents)
        return alpha, ends

    def _fit(self, child: int, parents: tuple[int, ...]) -> tuple[Floats, Floats, float]:
        from tacit.kernels.responses import fit_response

        known = self.fits.get((child, parents))
        if known is None:
            alpha, ends, kind = np.zeros(len(parents)), np.zeros(2), int(self.kinds[child])
            who = np.array(parents, dtype=np.int64)
            left = fit_response(kind, self.columns, who, child, self.weights, alpha, ends)
            if len(self.fits) >= KEPT:
                self.fits.clear()
            known = self.fits[child, parents] = alpha, ends, left
        return known

    def _score(self, child: int, parents: int, left: Floats) -> Floats:
        fine = left > SINGULAR
        weight = self.straight.weight
        noise = np.log(np.where(fine, left, 1.0)) + 2 * log(self.straight.sd[child])
        price = self.score.per_parameter(weight) * (parents + 3)
        return np.where(fine, -0.5 * weight * (log(2 * pi) + 1 + noise) - price, -np.inf)
