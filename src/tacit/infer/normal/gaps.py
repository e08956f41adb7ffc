"""Expected moments of all variables of a linear Gaussian network together, where cells are missing.

With Λ the precision of the joint normal, what a case lacks is Normal(m, V): Λ_uu (m - μ_u) =
-Λ_uo (x_o - μ_o), V the inverse of Λ_uu. The best mean field, a product of normals, has the same
means and the variances 1 / Λ_jj, which are too small. [HV2 3.6, HV2-31]
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.families.moments import Moments


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """A linear Gaussian network as matrices: x = intercept + slopes x + noise, parents first.

    slopes  (n, n)  [child, parent]
    """

    slopes: Floats
    intercept: Floats
    variance: Floats

    @property
    def precision(self) -> Floats:
        """The inverse of the joint covariance."""
        apart = np.eye(len(self.slopes)) - self.slopes
        return np.asarray((apart.T / self.variance) @ apart)

    @property
    def mean(self) -> Floats:
        """Of the joint normal."""
        return np.asarray(np.linalg.solve(np.eye(len(self.slopes)) - self.slopes, self.intercept))


@dataclass(frozen=True, slots=True, eq=False)
class Completed:
    """Cases with their gaps filled by means, and what is known of them together.

    values          (cases, n)
    moments         expected ones of all variables: means' own, and the covariances of what is open
    log_likelihood  of what was observed
    """

    values: Floats
    moments: Moments
    log_likelihood: float


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Cases grouped by which cells they lack.

    groups  the cases of each pattern, and the places that are open there
    """

    values: Floats
    weights: Floats
    groups: tuple[tuple[Ints, Bools], ...]

    @staticmethod
    def of(values: Floats, weights: Floats | None = None) -> Patterns:
        """The patterns of (cases, n) with nan where a cell is missing."""
        used = np.ones(len(values)) if weights is None else weights
        gaps = np.isnan(values)
        kinds, which = np.unique(gaps, axis=0, return_inverse=True)
        which = which.reshape(-1)
        groups = tuple((np.flatnonzero(which == at), open_) for at, open_ in enumerate(kinds))
        return Patterns(values, used, groups)

    def completed(self, lines: Lines, *, mean_field: bool = False) -> Completed:
        """The E-step under a network."""
        precision, mean = lines.precision, lines.mean
        _, size = np.linalg.slogdet(precision)
        filled = self.values.copy()
        spread = np.zeros_like(precision)
        total = 0.0
        for cases, open_ in self.groups:
            weights, seen = self.weights[cases], ~open_
            off = np.where(open_, 0.0, self.values[cases] - mean)
            here = size
            if open_.any():
                inner = precision[np.ix_(open_, open_)]
                off[:, open_] = np.linalg.solve(inner, -(off @ precision[:, open_]).T).T
                filled[np.ix_(cases, open_)] = mean[open_] + off[:, open_]
                covariance = np.diag(1 / np.diag(inner)) if mean_field else np.linalg.inv(inner)
                spread[np.ix_(open_, open_)] += weights.sum() * covariance
                here = size - np.linalg.slogdet(inner)[1]
            squares = np.einsum("mi,ij,mj->m", off, precision, off)
            total += float(weights @ (0.5 * (here - seen.sum() * log(2 * pi) - squares)))
        plain = Moments.of(filled, self.weights)
        return Completed(filled, Moments(plain.weight, plain.means, plain.scatter + spread), total)
