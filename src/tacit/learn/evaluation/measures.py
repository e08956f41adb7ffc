"""Measures of predicted distributions, each by its definition and weighted by case.

`probability` is (cases, states), `truth` (cases,) the position of the state that came, `weights`
(cases,) how often each case counts. All are averages over cases but the area under the curve.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints


def log_scores(probability: Floats, truth: Ints) -> Floats:
    """(cases,) log of what was given to the state that came, in nats; -inf where that was 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probability[np.arange(truth.size), truth]))


def brier_scores(probability: Floats, truth: Ints) -> Floats:
    """(cases,) Σ over states of (probability - indicator)²: 0 is perfect, 2 is certain and wrong.

    For two states this is twice the square that some people call the Brier score. [Brier 1950]
    """
    indicator = np.zeros_like(probability)
    indicator[np.arange(truth.size), truth] = 1.0
    return np.asarray(((probability - indicator) ** 2).sum(axis=1))


def hits(probability: Floats, truth: Ints) -> Floats:
    """(cases,) 1 where the state that came was the most probable, shared where several were."""
    best = probability == probability.max(axis=1, keepdims=True)
    return np.asarray(best[np.arange(truth.size), truth] / best.sum(axis=1))


def area(value: Floats, positive: Bools, weights: Floats) -> float:
    """P(a case with the state has a higher value than one without), ties half: the AUC.

    Σ over values v of w₊(v) (W₋(< v) + w₋(v) / 2) / (W₊ W₋); nan without cases of both kinds.
    [Mann and Whitney 1947]
    """
    _, place = np.unique(value, return_inverse=True)
    size = int(place.max()) + 1 if place.size else 0
    with_it = np.bincount(place[positive], weights[positive], size)
    without = np.bincount(place[~positive], weights[~positive], size)
    total = with_it.sum() * without.sum()
    if not total > 0:
        return float("nan")
    below = np.cumsum(without) - without
    return float(with_it @ (below + without / 2) / total)


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Predictions between `low` and `high`: what was said on average, and what came.

    weight  of the predictions in it
    error   standard error of `observed`, as if it were as predicted
    """

    low: float
    high: float
    weight: float
    predicted: float
    observed: float
    error: float


def calibration(
    value: Floats, positive: Bools, weights: Floats, bins: int
) -> tuple[CalibrationBin, ...]:
    """Predicted probabilities in `bins` intervals of equal width; empty ones are left out."""
    place = np.minimum((value * bins).astype(np.int64), bins - 1)
    weight = np.bincount(place, weights, bins)
    said = np.bincount(place, weights * value, bins)
    came = np.bincount(place, weights * positive, bins)
    spread = np.bincount(place, weights * value * (1 - value), bins)
    return tuple(
        CalibrationBin(
            at / bins,
            (at + 1) / bins,
            float(weight[at]),
            float(said[at] / weight[at]),
            float(came[at] / weight[at]),
            float(np.sqrt(max(spread[at], 0.0)) / weight[at]),
        )
        for at in np.flatnonzero(weight > 0).tolist()
    )


def even_bins(value: Floats, weights: Floats, bins: int) -> tuple[CalibrationBin, ...]:
    """Shares of values in `bins` intervals of equal width, where all should be equal; empty ones
    are kept."""
    place = np.clip((value * bins).astype(np.int64), 0, bins - 1)
    weight, total = np.bincount(place, weights, bins), float(weights.sum())
    said = 1 / bins
    error = float(np.sqrt(said * (1 - said) / total)) if total else float("nan")
    return tuple(
        CalibrationBin(at / bins, (at + 1) / bins, float(each), said, float(each / total), error)
        for at, each in enumerate(weight)
        if total
    )


def calibration_error(bins: tuple[CalibrationBin, ...]) -> float:
    """Σ weight |predicted - observed| / Σ weight: the expected calibration error."""
    total = sum(each.weight for each in bins)
    if not total:
        return float("nan")
    return sum(each.weight * abs(each.predicted - each.observed) for each in bins) / total
