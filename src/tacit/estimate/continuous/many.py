"""Many regressions at once, all with as many parents: least squares and densities as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.gaussians import ROUNDING, SINGULAR, STILL
from tacit.families.conditional_moments import ConditionalMoments


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
    inner, cross = moments.scatter[:, :size, :size], moments.scatter[:, :size, size]
    own, means = moments.scatter[:, size, size], moments.means
    diagonal = np.diagonal(inner, axis1=1, axis2=2)
    still = diagonal / weights[:, None] <= (STILL * means[:, :size]) ** 2
    scale = np.where(still, np.inf, np.sqrt(diagonal))
    values, vectors = np.linalg.eigh(inner / (scale[:, :, None] * scale[:, None, :]))
    used = values > SINGULAR * np.maximum(1.0, values.max(axis=1, initial=0.0))[:, None]
    shares = np.where(used, 1.0 / np.where(used, values, 1.0), 0.0)
    basis = vectors / scale[:, :, None]
    slopes = np.einsum("bij,bj->bi", basis, shares * np.einsum("bij,bi->bj", basis, cross))
    residual = own - np.einsum("bi,bi->b", slopes, cross)
    least = np.maximum(ROUNDING * own, weights * (STILL * means[:, size]) ** 2)
    residual = np.where(residual <= least, 0.0, residual)
    levels = means[:, size] - np.einsum("bi,bi->b", slopes, means[:, :size])
    return Lines(slopes, levels, residual / weights)
