"""The greatest log-likelihood of a line in each configuration, from moments by configuration."""

from __future__ import annotations

from math import log, pi

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.engines.partials import partials
from tacit.estimate.continuous.weak import weak_log_likelihood
from tacit.estimate.gaussians import SINGULAR
from tacit.families.conditional_moments import ConditionalMoments


def fitted_with(
    moments: ConditionalMoments,
    child: int,
    parents: tuple[int, ...],
    more: Ints,
    bounded: bool = False,
) -> Floats:
    """The greatest log-likelihood of the child with each of `more`, or (1,) with none of them.

    bounded  where it has no maximum, that of the most probable lines under a weak prior, not -inf
    """
    parameters = len(parents) + 2 + (more.size > 0)
    own = moments.weights > parameters
    thin = ~own & (moments.weights > 0)
    weights = moments.weights[own]
    matrices = moments.scatter[own] / weights[:, None, None]
    left = _left(matrices, child, parents, more)
    noise = np.log(np.where(left > 0, left, np.nan))
    total = -0.5 * (weights[:, None] * (log(2 * pi) + 1 + noise)).sum(axis=0)
    if thin.any():
        total = total + _pooled(moments, thin, child, parents, more)
    if bounded:
        for at in np.flatnonzero(np.isnan(total)):
            family = [*parents, *more[at : at + 1].tolist(), child]
            total[at] = weak_log_likelihood(_of(moments, family), thin)
    return np.where(np.isnan(total), -np.inf, total)


def _of(moments: ConditionalMoments, columns: list[int]) -> ConditionalMoments:
    """The moments of some columns, in this order."""
    square = np.ix_(columns, columns)
    scatter = moments.scatter[:, square[0], square[1]]
    return ConditionalMoments(moments.weights, moments.means[:, columns], scatter)


def _left(matrices: Floats, child: int, parents: tuple[int, ...], more: Ints) -> Floats:
    """The variance of the child that the parents leave, (groups, more or 1); nan if singular."""
    diagonal = np.diagonal(matrices, axis1=-2, axis2=-1)
    still = np.asarray(diagonal <= SINGULAR)
    root = np.sqrt(np.where(still, 1.0, diagonal))
    found = partials(matrices / (root[:, :, None] * root[:, None, :]), child, parents, more)
    left = found.with_each(SINGULAR) if more.size else found.own[:, None]
    bad = still[:, [child, *parents]].any(axis=1, keepdims=True)
    bad |= (found.pivots <= SINGULAR).any(axis=1, keepdims=True)
    singular: Bools = bad | ~(left > SINGULAR)
    if more.size:
        singular |= still[:, more]
    return np.asarray(np.where(singular, np.nan, left * diagonal[:, [child]]))


def _pooled(
    moments: ConditionalMoments, thin: Bools, child: int, parents: tuple[int, ...], more: Ints
) -> Floats:
    """The log-likelihood of the cases in thin configurations under the regression of all cases.

    With e and f what the parents leave of child and candidate, and g the slope of e on f, the
    squares are those of e - g f: Σ e² - 2 g Σ e f + g² Σ f² over the cases in question.
    """
    whole = moments.pooled()
    matrix = whole.scatter / whole.weight
    variance = _left(matrix[None], child, parents, more)[0]
    if np.isnan(variance).all():
        return np.asarray(variance)
    weights, means = moments.weights[thin], moments.means[thin] - whole.means
    squares = moments.scatter[thin].sum(axis=0) + (means * weights[:, None]).T @ means
    inner, columns = np.array(parents, dtype=np.int64), np.array([child, *more], dtype=np.int64)
    square, across = matrix[inner[:, None], inner], matrix[inner[:, None], columns]
    slopes = np.asarray(np.linalg.solve(square, across), dtype=np.float64)
    cross, summed = _residuals(squares, inner, columns, slopes)
    if more.size:
        shared, spare = _residuals(matrix, inner, columns, slopes)
        slope = shared[1:] / np.where(np.isnan(variance), 1.0, spare[1:])
        summed = summed[0] - 2 * slope * cross[1:] + slope**2 * summed[1:]
    return np.asarray(-0.5 * (weights.sum() * np.log(2 * pi * variance) + summed / variance))


def _residuals(matrix: Floats, inner: Ints, columns: Ints, slopes: Floats) -> tuple[Floats, Floats]:
    """Second moments of columns less their regressions on others: with the first, with itself."""
    over = matrix[inner[:, None], columns] - matrix[inner[:, None], inner] @ slopes
    first = matrix[columns[0], columns] - matrix[columns[0], inner] @ slopes - slopes[:, 0] @ over
    explained = (slopes * (matrix[inner[:, None], columns] + over)).sum(axis=0)
    return first, np.diag(matrix)[columns] - explained
