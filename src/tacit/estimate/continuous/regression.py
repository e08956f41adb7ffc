"""One regression from its evidence, with what a prior adds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import EstimateError, quoted
from tacit.core.variables import Continuous
from tacit.estimate.continuous.prior import Pseudo
from tacit.estimate.estimates import ML, Estimate
from tacit.estimate.gaussians import GaussianEstimate, estimate_gaussian
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.gaussian import LinearGaussian
from tacit.families.moments import Moments


@dataclass(frozen=True, slots=True, eq=False)
class Extra:
    """What an estimate adds to the evidence of a regression.

    moments  squares that count like those of cases
    weight   by how much the divisor of the variance grows
    pools    whether configurations with no more cases than numbers take the regression of all
    """

    moments: Moments
    weight: float
    pools: bool = False

    @staticmethod
    def of(pseudo: Pseudo | None, estimate: Estimate) -> Extra | None:
        """What this estimate makes of a prior; None if nothing is added."""
        if pseudo is None or isinstance(estimate, ML):
            return None
        return Extra(pseudo.moments, pseudo.weight(estimate), pseudo.pools)

    def repeated(self, many: int) -> ConditionalMoments:
        """Its moments so many times, one line each."""
        own = self.moments
        return ConditionalMoments(
            np.full(many, own.weight),
            np.broadcast_to(own.means, (many, *own.means.shape)),
            np.broadcast_to(own.scatter, (many, *own.scatter.shape)),
        )

    def value(self, family: LinearGaussian) -> float:
        """-½ weight log sd² - (squares of the prior's cases) / 2 sd², its part of the objective."""
        if family.sd == 0:
            raise no_variance(family.child)
        squares = residual(family.coefficients, family.intercept, self.moments)
        return float(-self.weight * np.log(family.sd) - 0.5 * squares / family.sd**2)


def no_variance(child: str) -> EstimateError:
    """The error about squares that are rounding, those of the prior included."""
    return EstimateError(
        f"{quoted(child)} varies less than its size rounds to, so no variance can be told"
        "\n\nsubtract a number from the column that brings it near 0"
    )


def residual(coefficients: Floats, intercept: float, moments: Moments) -> float:
    """Σ w (child - intercept - coefficients · parents)²"""
    slopes = np.append(-coefficients, 1.0)
    off = float(slopes @ moments.means) - intercept
    return max(0.0, float(slopes @ moments.scatter @ slopes) + moments.weight * off**2)


def estimate_regression(
    variables: tuple[Continuous, ...], moments: Moments, extra: Extra | None
) -> GaussianEstimate:
    """maximise  log P(cases given β, sd) + the prior's part.

    Coefficients by least squares on the cases and the prior's; sd² is what is left of their
    squares, divided by the weight of the cases and what the prior adds to it. [Thm 2.2.4]
    """
    if extra is None:
        return estimate_gaussian(variables, moments)
    whole = moments + extra.moments
    found = estimate_gaussian(variables, whole)
    divisor = moments.weight + extra.weight
    if divisor <= 0:
        raise EstimateError(
            f"the variance of {quoted(variables[-1].name)} has no such estimate: the prior's "
            f"{extra.weight:+.4g} and cases worth {moments.weight:g} leave nothing to divide by"
            "\n\nuse a larger scale_strength in tc.NormalGamma, or estimate=tc.Smoothed()"
        )
    sd = found.family.sd * float(np.sqrt(whole.weight / divisor))
    family = LinearGaussian(variables, found.family.coefficients, found.family.intercept, sd)
    return GaussianEstimate(family, found.rank, found.inverse)
