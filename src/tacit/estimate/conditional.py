"""Conditional Gaussian families from moments: least squares, configuration by configuration."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import EstimateError
from tacit.core.variables import Continuous, Variable
from tacit.estimate.gaussians import (
    GaussianEstimate,
    estimate_gaussian,
    gaussian_interval,
    gaussian_log_likelihood,
)
from tacit.estimate.posteriors import Interval
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.gaussian import LinearGaussian


@dataclass(frozen=True, slots=True, eq=False)
class ConditionalEstimate:
    """A family, and the regressions it is made of.

    regressions  one per configuration; None where too few cases left it to that of all cases
    unseen       how many of these have no case at all
    """

    family: ConditionalGaussian
    regressions: tuple[GaussianEstimate | None, ...]
    unseen: int

    @property
    def redundant(self) -> int:
        """Coefficients that dependent parents leave open, in all configurations together."""
        slopes = len(self.family.continuous) - 1
        return sum(slopes - own.rank for own in self.regressions if own is not None)

    @property
    def thin(self) -> int:
        """How many configurations have too few cases for a regression of their own."""
        return self.regressions.count(None)


def estimate_conditional(
    variables: tuple[Variable, ...], moments: ConditionalMoments
) -> ConditionalEstimate:
    """Maximum likelihood in every configuration that has more cases than parameters.

    With fewer the likelihood has no maximum: any case lies on some line, without noise. Such a
    configuration takes the regression of all cases on the same continuous parents.
    """
    if moments.total <= 0:
        raise EstimateError(f"there is no case for {variables[-1].name!r}")
    axes = tuple(axis for axis in variables if isinstance(axis, Continuous))
    many, parameters = prod(moments.shape), len(axes) + 1
    pooled = estimate_gaussian(axes, moments.pooled()).family
    regressions = tuple(
        estimate_gaussian(axes, moments.at(at)) if enough else None
        for at, enough in enumerate((moments.weights > parameters).reshape(-1))
    )
    used = [pooled if own is None else own.family for own in regressions]
    slopes = np.array([each.coefficients for each in used]).reshape(many, len(axes) - 1)
    family = ConditionalGaussian(
        variables,
        slopes.reshape(*moments.shape, len(axes) - 1),
        np.array([each.intercept for each in used]).reshape(moments.shape),
        np.array([each.sd for each in used]).reshape(moments.shape),
    )
    return ConditionalEstimate(family, regressions, int((moments.weights <= 0).sum()))


def conditional_log_likelihood(family: ConditionalGaussian, moments: ConditionalMoments) -> float:
    """The log density of the cases behind the moments; -inf if some of them are impossible."""
    parts = [
        gaussian_log_likelihood(_at(family, at), moments.at(at))
        for at in np.flatnonzero(moments.weights > 0).tolist()
    ]
    return -np.inf if -np.inf in parts else float(sum(parts))


def conditional_interval(
    result: ConditionalEstimate, moments: ConditionalMoments, level: float
) -> Interval:
    """Intervals of coefficients..., intercept and sd in every configuration; nan where it has no
    regression of its own."""
    width = len(result.family.continuous) + 1
    lower = np.full((len(result.regressions), width), np.nan)
    upper = lower.copy()
    for at, own in enumerate(result.regressions):
        if own is not None:
            found = gaussian_interval(own, moments.at(at), level)
            lower[at], upper[at] = found.lower, found.upper
    shape = (*moments.shape, width)
    return Interval(lower.reshape(shape), upper.reshape(shape), level)


def _at(family: ConditionalGaussian, configuration: int) -> LinearGaussian:
    slopes: Floats = family.coefficients.reshape(prod(family.shape), -1)[configuration]
    intercept, sd = family.intercept.reshape(-1), family.sd.reshape(-1)
    return LinearGaussian(
        family.continuous, slopes, float(intercept[configuration]), float(sd[configuration])
    )
