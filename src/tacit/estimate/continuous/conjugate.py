"""The posterior of a regression under its conjugate prior, in closed form.

With A the second moments of (parents, 1) and R the squares that least squares leaves, of the
prior's cases (0) or of these and the cases together (1), of weights 0 and N:

    β | sd ~ Normal(b1, sd² A1⁻¹),   sd² ~ InverseGamma((freedom + N) / 2, R1 / 2),
    log P(cases) = -N/2 log π + log Γ((freedom + N)/2) - log Γ(freedom/2)
                   + freedom/2 log R0 - (freedom + N)/2 log R1 + ½ log |A0| - ½ log |A1|.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, pi

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.continuous.prior import Pseudo
from tacit.estimate.continuous.regressions import moments_at
from tacit.estimate.posteriors import Interval, check_level
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.moments import Moments


@dataclass(frozen=True, slots=True, eq=False)
class Conjugate:
    """A normal-inverse-gamma distribution of one regression.

    centre    (parents + 1,) the mean of coefficients..., intercept
    inverse   A⁻¹, over coefficients..., intercept
    log_det   log |A|
    residual  R
    freedom   degrees of freedom of the variance
    taken     directions that rules take from it
    """

    centre: Floats
    inverse: Floats
    log_det: float
    residual: float
    freedom: float
    taken: int = 0

    @staticmethod
    def of(moments: Moments, freedom: float) -> Conjugate:
        """The distribution behind moments of (parents..., child) that have full rank."""
        inner, cross = moments.scatter[:-1, :-1], moments.scatter[:-1, -1]
        means, scale = moments.means[:-1], np.sqrt(np.diag(inner))
        shared = inner / np.outer(scale, scale)
        slopes = np.linalg.solve(shared, cross / scale) / scale if scale.size else cross
        own = np.linalg.inv(shared) / np.outer(scale, scale)
        inverse = np.empty((scale.size + 1, scale.size + 1))
        inverse[:-1, :-1], inverse[:-1, -1], inverse[-1, :-1] = own, -own @ means, -own @ means
        inverse[-1, -1] = 1 / moments.weight + means @ own @ means
        centre = np.append(slopes, moments.means[-1] - slopes @ means)
        log_det = log(moments.weight) + np.linalg.slogdet(shared)[1] + 2 * np.log(scale).sum()
        left = float(moments.scatter[-1, -1] - slopes @ cross)
        return Conjugate(centre, inverse, float(log_det), max(left, 0.0), freedom)

    @property
    def mean(self) -> Floats:
        """(numbers,) E of coefficients..., intercept, sd, the root of an inverse gamma:
        E[sd] = √(R / 2) Γ((freedom - 1) / 2) / Γ(freedom / 2)."""
        ratio = exp(lgamma((self.freedom - 1) / 2) - lgamma(self.freedom / 2))
        return np.append(self.centre, np.sqrt(self.residual / 2) * ratio)

    @property
    def sd(self) -> Floats:
        """(numbers,) the standard deviation of each; inf where degrees of freedom are too few."""
        variance = self.residual / (self.freedom - 2) if self.freedom > 2 else np.inf
        with np.errstate(invalid="ignore"):
            spread = np.sqrt(np.diag(self.inverse) * variance)
        spread[np.diag(self.inverse) == 0] = 0.0
        left = variance - self.mean[-1] ** 2 if self.freedom > 2 else np.inf
        return np.append(spread, np.sqrt(max(left, 0.0)))

    @property
    def mode(self) -> Floats:
        """(numbers,) the most probable, of the density of coefficients, intercept and variance."""
        variance = self.residual / (self.freedom + self.centre.size - self.taken + 2)
        return np.append(self.centre, np.sqrt(variance))

    def draws(self, many: int, random: np.random.Generator) -> Floats:
        """(draws, numbers) coefficients..., intercept, sd."""
        betas, variances = self.draw(random, many)
        return np.column_stack([betas, np.sqrt(variances)])

    def log_density(self, rows: Floats, child: Floats) -> Floats:
        """(cases,) of the child, Student's t: (cases, parents + 1) rows of (parents, 1)."""
        from scipy.stats import t

        spread = 1 + np.einsum("ci,ij,cj->c", rows, self.inverse, rows)
        scale = np.sqrt(self.residual / self.freedom * spread)
        middle: Floats = np.asarray(rows @ self.centre, dtype=np.float64)
        return np.asarray(t.logpdf(child, self.freedom, middle, scale))

    def _root(self) -> Floats:
        """A root of the inverse, which has no rank in directions that rules take."""
        if not self.taken:
            return np.asarray(np.linalg.cholesky(self.inverse), dtype=np.float64)
        size = np.sqrt(np.diag(self.inverse))
        size = np.where(size > 0, size, 1.0)
        values, vectors = np.linalg.eigh(self.inverse / np.outer(size, size))
        return np.asarray(size[:, None] * vectors * np.sqrt(np.maximum(values, 0.0)))

    def draw(self, random: np.random.Generator, many: int) -> tuple[Floats, Floats]:
        """(draws, parents + 1) coefficients..., intercept, and (draws,) variances."""
        variance = self.residual / random.chisquare(self.freedom, many)
        root = self._root()
        away = random.standard_normal((many, self.centre.size)) @ root.T
        return self.centre + np.sqrt(variance)[:, None] * away, variance

    def interval(self, level: float) -> Interval:
        """Of coefficients..., intercept and sd: Student's t, and the root of an inverse gamma."""
        from scipy.stats import chi2, t

        check_level(level)
        spread = np.diag(self.inverse) * self.residual / self.freedom
        reach = t.ppf((1 + level) / 2, self.freedom) * np.sqrt(spread)
        ends = [np.sqrt(self.residual / chi2.ppf((1 + side * level) / 2, self.freedom))
                for side in (1, -1)]  # fmt: skip
        lower, upper = (
            np.append(self.centre - reach, ends[0]),
            np.append(self.centre + reach, ends[1]),
        )
        return Interval(lower, upper, level)


def posterior_of(moments: Moments, pseudo: Pseudo) -> Conjugate:
    """What is known of a regression after these cases."""
    whole = moments + pseudo.moments if moments.weight > 0 else pseudo.moments
    return Conjugate.of(whole, pseudo.freedom + moments.weight)


def posterior_interval(
    evidence: Moments | ConditionalMoments, pseudo: Pseudo, level: float
) -> Interval:
    """Intervals of coefficients..., intercept and sd, in every configuration."""
    many = evidence.weights.size if isinstance(evidence, ConditionalMoments) else 1
    each = [posterior_of(moments_at(evidence, at), pseudo).interval(level) for at in range(many)]
    if isinstance(evidence, Moments):
        return each[0]
    shape = (*evidence.shape, -1)
    lower, upper = (np.array([own.lower for own in each]), np.array([own.upper for own in each]))
    return Interval(lower.reshape(shape), upper.reshape(shape), level)


def log_marginal(moments: Moments, pseudo: Pseudo) -> float:
    """log P(the cases behind the moments), coefficients and variance integrated out."""
    if moments.weight <= 0:
        return 0.0
    before, after = Conjugate.of(pseudo.moments, pseudo.freedom), posterior_of(moments, pseudo)
    return (
        -moments.weight / 2 * log(pi)
        + lgamma(after.freedom / 2) - lgamma(before.freedom / 2)
        + before.freedom / 2 * log(before.residual) - after.freedom / 2 * log(after.residual)
        + (before.log_det - after.log_det) / 2
    )  # fmt: skip
