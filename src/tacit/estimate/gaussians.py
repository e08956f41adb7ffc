"""Linear Gaussian families from moments: least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.core.errors import EstimateError
from tacit.core.variables import Continuous
from tacit.estimate.posteriors import Interval, check_level
from tacit.families.gaussian import LinearGaussian
from tacit.families.moments import Moments

SINGULAR = 1e-10
"""Directions of the standardised parents with less than this share of variance are not used."""
STILL = 1e-12
"""A variable whose sd is less than this share of its mean is constant, rounding aside."""
ROUNDING = 1e-13
"""Squares below this share of what they were computed from are rounding, not noise."""


OPEN = 1e-6
"""How far a projection may be from one before a coefficient counts as not determined."""


@dataclass(frozen=True, slots=True, eq=False)
class GaussianEstimate:
    """A family, the rank of its regression, and the inverse of the parents' scatter."""

    family: LinearGaussian
    rank: int
    inverse: Floats


def estimate_gaussian(variables: tuple[Continuous, ...], moments: Moments) -> GaussianEstimate:
    """Maximum likelihood: coefficients by least squares, sd² = residual sum of squares / cases.

    Parents that depend linearly on each other leave the coefficients open; of all that are equally
    likely the shortest is taken, in units of the parents' standard deviations. [Thm 2.2.4]
    """
    if moments.weight <= 0:
        raise EstimateError(f"there is no case for {variables[-1].name!r}")
    inner, cross, own = moments.scatter[:-1, :-1], moments.scatter[:-1, -1], moments.scatter[-1, -1]
    variance = np.diag(inner) / moments.weight
    still = variance <= (STILL * moments.means[:-1]) ** 2
    scale = np.where(still, np.inf, np.sqrt(np.diag(inner)))
    values, vectors = np.linalg.eigh(inner / np.outer(scale, scale))
    used = values > SINGULAR * max(1.0, values.max(initial=0.0))
    basis = vectors[:, used] / scale[:, None]
    inverse = (basis / values[used]) @ basis.T
    coefficients = inverse @ cross
    residual = float(own - coefficients @ cross)
    if residual <= max(ROUNDING * own, moments.weight * (STILL * moments.means[-1]) ** 2):
        residual = 0.0
    intercept = float(moments.means[-1] - coefficients @ moments.means[:-1])
    sd = float(np.sqrt(residual / moments.weight))
    family = LinearGaussian(variables, coefficients, intercept, sd)
    return GaussianEstimate(family, int(used.sum()), inverse)


def gaussian_log_likelihood(family: LinearGaussian, moments: Moments) -> float:
    """The log density of the cases behind the moments, without going back to them."""
    slopes = np.append(-family.coefficients, 1.0)
    off = float(slopes @ moments.means) - family.intercept
    squares = float(slopes @ moments.scatter @ slopes) + moments.weight * off**2
    if family.sd == 0:
        reach = np.abs(slopes)
        level = float(reach @ np.abs(moments.means)) + abs(family.intercept)
        summed = float(reach @ np.abs(moments.scatter) @ reach) + moments.weight * level**2
        return np.inf if squares <= ROUNDING * summed else -np.inf
    constant = np.log(2 * np.pi) + 2 * np.log(family.sd)
    return float(-0.5 * (moments.weight * constant + squares / family.sd**2))


def gaussian_interval(result: GaussianEstimate, moments: Moments, level: float) -> Interval:
    """Intervals of coefficients..., intercept and sd: Student's t and chi squared.

    They are the usual confidence intervals, and the posterior's under the flat prior on
    coefficients and log sd. nan where too few cases leave nothing to judge by, and for
    coefficients that dependent parents leave open.
    """
    from scipy.stats import chi2, t

    check_level(level)
    family, freedom = result.family, moments.weight - result.rank - 1
    centre = np.array([*family.coefficients, family.intercept])
    if freedom <= 0:
        unknown = np.full(centre.size + 1, np.nan)
        return Interval(unknown, unknown, level)
    residual = family.sd**2 * moments.weight
    parents = moments.means[:-1]
    spread = np.append(
        np.diag(result.inverse), 1 / moments.weight + parents @ result.inverse @ parents
    )
    reach = t.ppf((1 + level) / 2, freedom) * np.sqrt(residual / freedom * spread)
    reach = np.where(_determined(result, moments), reach, np.nan)
    low = np.sqrt(residual / chi2.ppf((1 + level) / 2, freedom))
    high = np.sqrt(residual / chi2.ppf((1 - level) / 2, freedom))
    return Interval(np.append(centre - reach, low), np.append(centre + reach, high), level)


def _determined(result: GaussianEstimate, moments: Moments) -> Bools:
    """Which of coefficients..., intercept are the same in every least-squares solution.

    Solutions differ by vectors the parents' scatter S maps to 0. With S⁺ its inverse on the rest,
    S⁺S leaves a determined coefficient as it is, and S S⁺ the means if the intercept is determined.
    """
    inner, means = moments.scatter[:-1, :-1], moments.means[:-1]
    kept = np.abs(np.diag(result.inverse @ inner) - 1) < OPEN
    apart = inner @ result.inverse @ means - means
    return np.append(kept, bool(np.all(np.abs(apart) <= OPEN * np.abs(means).max(initial=0.0))))
