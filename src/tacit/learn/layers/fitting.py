"""EM of two layers: beliefs about the hidden variables, then lines and curves through them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.estimate.gaussians import SINGULAR
from tacit.learn.layers.model import BY_CODE, STRAIGHT, Belief, Layer, Points, believe

MOST_STEPS = 200
TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A layer, what the cases say of its hidden variables, and the log-likelihood of the cases."""

    layer: Layer
    belief: Belief
    log_likelihood: float

    @staticmethod
    def at(layer: Layer, columns: Floats, start: Floats | None = None) -> Fitted:
        """The beliefs under a layer."""
        belief = believe(layer, columns, start)
        return Fitted(layer, belief, float(belief.evidence.sum()))


def em(fitted: Fitted, columns: Floats, most_steps: int = MOST_STEPS) -> Fitted:
    """Steps of EM until the log-likelihood stands still; one that lowers it is not taken.

    With straight lines no step does. Along curves beliefs are Laplace's, and one may.
    """
    for _ in range(most_steps):
        points = Points.of(fitted.belief, columns)
        layer = maximised(fitted.layer, points)
        after = Fitted.at(layer, columns, fitted.belief.mean)
        gained = after.log_likelihood - fitted.log_likelihood
        if gained > 0:
            fitted = after
        if gained <= TOLERANCE * abs(fitted.log_likelihood):
            break
    return fitted


def maximised(layer: Layer, points: Points, fresh: Bools | None = None) -> Layer:
    """Every column fitted to its hidden parents at the points of the cases that show it.

    fresh  (columns,) curves that are climbed from new starts instead of from where they are
    """
    slopes, base, rise = np.zeros_like(layer.slopes), layer.base.copy(), np.ones(len(layer.base))
    threshold, variance = np.zeros(len(base)), layer.variance.copy()
    for column in range(len(base)):
        who, seen = list(layer.parents(column)), points.only([column])
        if layer.codes[column] == STRAIGHT.code or not who:
            coefficients, base[column], left = _line(seen, who)
            slopes[column, who] = coefficients
        else:
            again = fresh is not None and bool(fresh[column])
            told = _curve(layer, column, seen, who, again)
            slopes[column, who], base[column], rise[column], threshold[column], left = told
        variance[column] = max(left / seen.weights.sum(), SINGULAR)
    return replace(
        layer, slopes=slopes, base=base, rise=rise, threshold=threshold, variance=variance
    )


def _line(points: Points, who: list[int]) -> tuple[Floats, float, float]:
    """Coefficients, intercept and the squares left, of the one column there is."""
    child = points.columns[0]
    design = np.concatenate([points.values[who], np.ones((1, child.size))])
    weighed = design * points.weights
    solution = np.linalg.lstsq(weighed @ design.T, weighed @ child, rcond=None)[0]
    off = child - solution @ design
    return solution[:-1], float(solution[-1]), float(points.weights @ off**2)


def _curve(
    layer: Layer, column: int, points: Points, who: list[int], fresh: bool
) -> tuple[Floats, float, float, float, float]:
    """Slopes, base, rise, threshold and the squares left, of the one column that the points have
    and in their units."""
    from tacit.kernels.responses import descend, fit_response

    weights = points.weights
    rows = np.concatenate([points.values[who], points.columns])
    means = rows @ weights / weights.sum()
    sds = np.sqrt((rows - means[:, None]) ** 2 @ weights / weights.sum())
    sds = np.where(sds > 0, sds, 1.0)
    scaled = np.ascontiguousarray((rows - means[:, None]) / sds[:, None])
    code, ends = int(layer.codes[column]), np.zeros(2)
    alpha = layer.slopes[column, who] * sds[:-1]
    order = np.arange(len(who), dtype=np.int64)
    if fresh or not alpha.any():
        fit_response(code, scaled, order, len(who), weights, alpha, ends)
    else:
        descend(code, scaled, order, scaled[-1], weights, alpha, ends)
    coefficients = alpha / sds[:-1]
    threshold = float(coefficients @ means[:-1])
    base, rise = float(means[-1] + sds[-1] * ends[0]), float(sds[-1] * ends[1])
    answer = BY_CODE[code].value(coefficients @ points.values[who] - threshold)
    off = points.columns[0] - base - rise * answer
    return coefficients, base, rise, threshold, float(weights @ off**2)
