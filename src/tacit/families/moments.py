"""Evidence about a linear Gaussian family: weight, means and co-products of its variables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, readonly
from tacit.core.errors import CasesError, NetworkError
from tacit.families.counts import ROUNDING


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Weight, means and centred co-products of (parents..., child).

    weight   the number of cases, weighted
    means    (variables,)
    scatter  (variables, variables)  Σ w (z - mean)(z - mean)ᵀ

    Centred, so that large means do not eat the digits of small variances; sums follow the pairwise
    update of Chan, Golub and LeVeque (1979).
    """

    weight: float
    means: Floats
    scatter: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", readonly(self.means))
        object.__setattr__(self, "scatter", readonly(self.scatter))

    @staticmethod
    def of(cases: Floats, weights: Floats | None = None) -> Moments:
        """The moments of cases given as (cases, variables)."""
        weight = float(len(cases) if weights is None else weights.sum())
        if weight == 0:
            size = cases.shape[1]
            return Moments(0.0, np.zeros(size), np.zeros((size, size)))
        means = np.average(cases, axis=0, weights=weights)
        centred = cases - means
        weighted = centred if weights is None else centred * weights[:, None]
        scatter = weighted.T @ centred
        return Moments(weight, means, (scatter + scatter.T) / 2)  # symmetric to the last bit

    @property
    def total(self) -> float:
        """The weight of all cases."""
        return self.weight

    def __add__(self, other: Moments) -> Moments:
        return Moments(*self._combined(other, 1.0))

    def __sub__(self, other: Moments) -> Moments:
        if other.weight > self.weight + ROUNDING:
            raise CasesError(
                f"cases worth {other.weight:g} cannot be taken away "
                f"from cases worth {self.weight:g}"
            )
        weight, means, scatter = self._combined(other, -1.0)
        squares = np.diag(scatter)
        if (squares < -ROUNDING * np.diag(self.scatter)).any():
            raise CasesError(
                "other cases are taken away than were counted: "
                f"a sum of squares would become {squares.min():g}"
            )
        np.fill_diagonal(scatter, np.maximum(squares, 0.0))
        return Moments(weight, means, scatter)

    def __rmul__(self, strength: float) -> Moments:
        return Moments(strength * self.weight, self.means, strength * self.scatter)

    def _combined(self, other: Moments, sign: float) -> tuple[float, Floats, Floats]:
        if self.means.shape != other.means.shape:
            raise NetworkError(
                f"moments of {self.means.size} and of {other.means.size} variables "
                "are not of the same family"
            )
        weight = self.weight + sign * other.weight
        if abs(weight) <= ROUNDING:
            size = self.means.size
            return 0.0, np.zeros(size), np.zeros((size, size))
        apart = other.means - self.means
        means = self.means + apart * (sign * other.weight / weight)
        between = np.outer(apart, apart) * (self.weight * other.weight * sign / weight)
        return weight, means, self.scatter + sign * other.scatter + between
