"""Evidence about a curved family: moments, how steep its mean is in each number, and its bands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, readonly
from tacit.core.errors import NetworkError
from tacit.families.curved import CurvedGaussian
from tacit.families.moments import Moments

EDGES = np.array([0.02, 0.07, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.93, 0.98])
"""Shares of the normal distribution at which bands of cases end."""


@dataclass(frozen=True, slots=True, eq=False)
class CurveEvidence:
    """What is kept of the cases behind a curve; the cases alone would determine it.

    moments  of parents..., child
    tangent  (k + 2, k + 2) Σ w J Jᵀ, J the derivatives of the mean by coefficients..., base and
             rise at the family that was fitted
    bands    (bands, 4)     cases with similar activations: Σ w, Σ w activation, Σ w child and
             Σ w residual
    Sums are of cases seen by the same family.
    """

    moments: Moments
    tangent: Floats
    bands: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "tangent", readonly(self.tangent))
        object.__setattr__(self, "bands", readonly(self.bands))

    @staticmethod
    def of(family: CurvedGaussian, cases: Floats, weights: Floats | None = None) -> CurveEvidence:
        """The evidence in cases given as (cases, variables), the child last."""
        used = np.ones(len(cases)) if weights is None else weights
        parents, child = list(cases[:, :-1].T), cases[:, -1]
        activation = family.activation(parents, len(cases))
        moments = Moments.of(cases, weights)
        rows = tangent_rows(family, cases[:, :-1], moments.means[:-1])
        residual = child - family.mean(parents, len(cases))
        told = np.stack([np.ones(len(cases)), activation, child, residual], axis=1)
        bands = np.zeros((EDGES.size + 1, 4))
        np.add.at(bands, _band(activation, used), used[:, None] * told)
        tangent = (rows * used[:, None]).T @ rows
        return CurveEvidence(moments, (tangent + tangent.T) / 2, bands)

    @property
    def total(self) -> float:
        """The weight of all cases."""
        return self.moments.total

    def __add__(self, other: CurveEvidence) -> CurveEvidence:
        if self.tangent.shape != other.tangent.shape:
            raise NetworkError("evidence of families of different sizes is not of the same family")
        return CurveEvidence(
            self.moments + other.moments,
            self.tangent + other.tangent,
            self.bands + other.bands,
        )

    def __rmul__(self, strength: float) -> CurveEvidence:
        return CurveEvidence(
            strength * self.moments, strength * self.tangent, strength * self.bands
        )


def tangent_rows(family: CurvedGaussian, parents: Floats, means: Floats) -> Floats:
    """(cases, k + 2) the derivatives of the mean by coefficients..., base and rise.

    The threshold moves with the coefficients, so that the point `means` keeps its activation.
    """
    activation = family.activation(list(parents.T), len(parents))
    slopes = family.rise * family.response.slope(activation)[:, None] * (parents - means)
    ones, answer = np.ones(len(parents)), family.response.value(activation)
    return np.concatenate([slopes, ones[:, None], answer[:, None]], axis=1)


def _band(activation: Floats, weights: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The band of every case, by where its activation lies among all of them."""
    from scipy.special import ndtr

    total = weights.sum()
    if not total > 0:
        return np.zeros(len(activation), np.int64)
    mean = weights @ activation / total
    sd = np.sqrt(weights @ (activation - mean) ** 2 / total)
    shares = ndtr((activation - mean) / sd) if sd > 0 else np.full(len(activation), 0.5)
    return np.searchsorted(EDGES, shares)
