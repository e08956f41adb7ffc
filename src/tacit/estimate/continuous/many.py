"""Many regressions at once, all with as many parents: least squares and densities as arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.variables import Continuous
from tacit.estimate.continuous.regression import Extra, estimate_regression, no_variance
from tacit.estimate.gaussians import ROUNDING, SINGULAR, STILL
from tacit.families.conditional_moments import ConditionalMoments

NEARLY = 0.01
"""An sd below this share of its column's is nearly nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """(regressions, parents) coefficients; (regressions,) intercepts and variances."""

    slopes: Floats
    levels: Floats
    variances: Floats

    def squares(self, moments: ConditionalMoments) -> Floats:
        """(regressions,) Σ w (child - intercept - coefficients · parents)²"""
        ends = np.concatenate([-self.slopes, np.ones((len(self.slopes), 1))], axis=1)
        off = np.einsum("bi,bi->b", ends, moments.means) - self.levels
        within = np.einsum("bi,bij,bj->b", ends, moments.scatter, ends)
        return np.asarray(np.maximum(within + moments.weights * off**2, 0.0))

    def log_likelihood(self, moments: ConditionalMoments) -> float:
        """The log density of all cases behind the moments; every variance is above 0."""
        logs = np.log(2 * np.pi * self.variances)
        return float(-0.5 * np.sum(moments.weights * logs + self.squares(moments) / self.variances))


def best_lines(moments: ConditionalMoments) -> Lines:
    """What `estimate_gaussian` finds from each of these moments; those of no case are all 0."""
    size = moments.size - 1
    weights = np.where(moments.weights > 0, moments.weights, 1.0)
    cross, own, means = (
        moments.scatter[:, :size, size],
        moments.scatter[:, size, size],
        moments.means,
    )
    scale, values, vectors, used = _directions(moments)
    shares = np.where(used, 1.0 / np.where(used, values, 1.0), 0.0)
    basis = vectors / scale[:, :, None]
    slopes = np.einsum("bij,bj->bi", basis, shares * np.einsum("bij,bi->bj", basis, cross))
    residual = own - np.einsum("bi,bi->b", slopes, cross)
    least = np.maximum(ROUNDING * own, weights * (STILL * means[:, size]) ** 2)
    residual = np.where(residual <= least, 0.0, residual)
    levels = means[:, size] - np.einsum("bi,bi->b", slopes, means[:, :size])
    return Lines(slopes, levels, residual / weights)


def ranks(moments: ConditionalMoments) -> Ints:
    """(regressions,) how many coefficients the cases determine."""
    return np.asarray(_directions(moments)[3].sum(axis=1))


def _directions(moments: ConditionalMoments) -> tuple[Floats, Floats, Floats, Bools]:
    """The parents' scales, and the spectrum of their correlations: values, vectors, and which of
    them tell anything."""
    size = moments.size - 1
    weights = np.where(moments.weights > 0, moments.weights, 1.0)
    inner = moments.scatter[:, :size, :size]
    diagonal = np.diagonal(inner, axis1=1, axis2=2)
    still = diagonal / weights[:, None] <= (STILL * moments.means[:, :size]) ** 2
    scale = np.where(still, np.inf, np.sqrt(diagonal))
    values, vectors = np.linalg.eigh(inner / (scale[:, :, None] * scale[:, None, :]))
    used = values > SINGULAR * np.maximum(1.0, values.max(axis=1, initial=0.0))[:, None]
    return scale, values, vectors, used


def lines_under(
    variables: tuple[Continuous, ...], moments: ConditionalMoments, extra: Extra
) -> Lines:
    """What `estimate_regression` finds from each of these moments with the same prior."""
    whole = moments + extra.repeated(len(moments.weights))
    divisor = moments.weights + extra.weight
    for at in np.flatnonzero(divisor <= 0)[:1].tolist():
        estimate_regression(variables, moments.at(at), extra)
    found = best_lines(whole)
    if not found.variances.all():
        raise no_variance(variables[-1].name)
    own = Lines(found.slopes, found.levels, found.variances * whole.weights / divisor)
    few = pooled_where(moments, extra)
    if not few.any():
        return own
    every = lines_under(variables, _together(moments), replace(extra, pools=False))
    return Lines(
        np.where(few[:, None], every.slopes, own.slopes),
        np.where(few, every.levels, own.levels),
        np.where(few, every.variances, own.variances),
    )


def pooled_where(moments: ConditionalMoments, extra: Extra) -> Bools:
    """(regressions,) which take that of all cases: under a weak prior those with no more cases than
    numbers to estimate, since any of these lie on some line."""
    few = moments.weights <= moments.size + 1
    return np.asarray(few & (extra.pools and moments.weights.size > 1))


def _together(moments: ConditionalMoments) -> ConditionalMoments:
    """The moments of all regressions as those of one."""
    whole = moments.pooled()
    return ConditionalMoments(
        np.array([whole.weight]), whole.means[None, :], whole.scatter[None, :, :]
    )


@dataclass(frozen=True, slots=True, eq=False)
class Leaning:
    """Where a prior decides what the cases of a family leave open, regression by regression.

    few    those with no more cases than numbers to estimate
    none   those of them without any case
    still  others, whose noise without the prior would be nothing or nearly so
    exact  those of them where it would be nothing
    same   those of them where the variable itself has nearly the same value in all cases
    open   how many coefficients of the others only the prior tells apart
    sds    the standard deviations that were estimated
    """

    few: Bools
    none: Bools
    still: Bools
    exact: Bools
    same: Bools
    open: int
    sds: Floats


def leaning(moments: ConditionalMoments, extra: Extra, sds: Floats) -> Leaning:
    """Where the cases say too little, and less of the noise than the prior does."""
    weights, own = moments.weights, extra.moments
    pooled = pooled_where(moments, extra)
    few: Bools = np.asarray((weights <= moments.size + 1) & ~pooled)
    squares, added = weights * best_lines(moments).variances, float(own.scatter[-1, -1])
    least = np.minimum(added, NEARLY**2 * weights * added / own.weight)
    still: Bools = np.asarray(~few & ~pooled & (squares <= least))
    same = still & (moments.scatter[:, -1, -1] <= least)
    missed = (moments.size - 1 - ranks(moments))[~few & ~pooled]
    none, exact = few & (weights <= 0), still & (squares == 0)
    return Leaning(few, none, still, exact, same, int(missed.sum()), sds)
