"""Scores where some columns have states and some continuous ones follow curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.variables import Discrete
from tacit.engines.curve_scores import CurveScorer, curve_scorer
from tacit.engines.mixed_scores import MixedScorer, mixed_scorer
from tacit.estimate.scores.values import AnyScore
from tacit.families.curved import CurvedGaussian


def mixed_curve_scorer(
    data: Dataset,
    score: AnyScore,
    curves: Mapping[str, type[CurvedGaussian]],
    threads: int | None = None,
) -> MixedCurveScorer:
    """The `Scorer` of all columns under BIC, AIC or LogLikelihood, some with curves."""
    straight = mixed_scorer(data, score, threads)
    named = data.variables.items()
    reals = data.select([name for name, each in named if not isinstance(each, Discrete)])
    return MixedCurveScorer.of(straight, curve_scorer(reals, score, curves))


@dataclass(frozen=True, slots=True, eq=False)
class MixedCurveScorer:
    """A `Scorer` of curves, and of tables and conditional Gaussian families for the other children.

    A curve is of continuous parents, and scores -inf with any other.

    straight  the scorer of all columns, as if none had a curve
    curves    of the continuous ones alone, by their numbers among themselves
    curved    (variables,)  which children have curves
    """

    straight: MixedScorer
    curves: CurveScorer
    curved: Bools

    @staticmethod
    def of(straight: MixedScorer, curves: CurveScorer) -> MixedCurveScorer:
        """Of the two scorers."""
        curved = np.zeros(len(straight.names), dtype=np.bool_)
        curved[~straight.discrete] = curves.curved
        return MixedCurveScorer(straight, curves, curved)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""
        return self.straight.names

    def weighted(self, weights: Floats) -> MixedCurveScorer:
        """The same cases, counting as often as `weights` says."""
        return MixedCurveScorer.of(self.straight.weighted(weights), self.curves.weighted(weights))

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """The score of the child with these parents."""
        if not self.curved[child]:
            return self.straight.family(child, parents)
        states, reals = self.straight.apart(parents)
        return -np.inf if states else self.curves.family(int(self.straight.place[child]), reals)

    def adding(self, child: int, parents: tuple[int, ...], candidates: Ints) -> Floats:
        """The score of the child with these parents and each of the candidates as one more."""
        if not self.curved[child]:
            return self.straight.adding(child, parents, candidates)
        (states, reals), place = self.straight.apart(parents), self.straight.place
        found = np.full(candidates.size, -np.inf)
        real = ~self.straight.discrete[candidates]
        if not states and real.any():
            found[real] = self.curves.adding(int(place[child]), reals, place[candidates[real]])
        return found
