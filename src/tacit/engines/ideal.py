"""Candidates ranked by their likeness to the ideal parent, whatever the families are."""

from __future__ import annotations

import numpy as np

from tacit.core.errors import OptionError
from tacit.engines.curve_scores import CurveScorer
from tacit.engines.foresight import SIMILARITIES, Foresight, Ranker
from tacit.engines.gaussian_scores import BGeScorer, GaussianScorer, spread
from tacit.engines.ideal_curves import CurveRanker
from tacit.engines.ideal_lines import LineRanker
from tacit.engines.ideal_mixed import MixedRanker
from tacit.engines.mixed_curve_scores import MixedCurveScorer
from tacit.engines.mixed_scores import MixedScorer
from tacit.engines.scoring import Scorer

__all__ = ["SIMILARITIES", "Foresight", "Ranker", "ranker_of"]


def ranker_of(scorer: Scorer, similarity: str) -> Ranker:
    """The ranker for the families that a scorer scores."""
    if isinstance(scorer, CurveScorer):
        return CurveRanker(scorer, similarity, _lines(scorer.straight, similarity))
    if isinstance(scorer, MixedScorer):
        return MixedRanker(scorer, similarity)
    if isinstance(scorer, MixedCurveScorer):
        bent = scorer.curves
        curves = CurveRanker(bent, similarity, _lines(bent.straight, similarity))
        return MixedRanker(scorer.straight, similarity, curves)
    if isinstance(scorer, GaussianScorer):
        return _lines(scorer, similarity)
    if isinstance(scorer, BGeScorer):
        moments = scorer.reals.moments()
        sd, _ = spread(scorer.reals, moments)
        correlations = moments.scatter / moments.weight / np.outer(sd, sd)
        price = 0.5 * float(np.log(max(moments.weight, 1.0)))
        return LineRanker(correlations, moments.weight, price, similarity == "exact")
    raise OptionError(
        "tc.IdealParent() ranks continuous parents by geometry, and all of these columns have "
        "states\n\nuse tc.HillClimb()"
    )


def _lines(scorer: GaussianScorer, similarity: str) -> LineRanker:
    price = scorer.score.per_parameter(scorer.weight)
    return LineRanker(scorer.correlations, scorer.weight, price, similarity == "exact")
