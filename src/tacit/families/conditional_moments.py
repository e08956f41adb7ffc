"""Evidence about a conditional Gaussian family: moments of every configuration apart."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from tacit.arrays import Bools, Floats, Ints, readonly
from tacit.core.errors import CasesError, NetworkError, SizeError
from tacit.families.cause_counts import CauseCounts
from tacit.families.counts import DENSE_CELLS, ROUNDING
from tacit.families.curve_evidence import CurveEvidence
from tacit.families.moments import Moments

LONG = 64
"""Cases per configuration from which on each is worth a matrix product of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class ConditionalMoments:
    """Moments of (continuous parents..., child), one for each configuration of discrete parents.

    weights  (states of the discrete parents...,)  the number of cases, weighted
    means    (..., variables)
    scatter  (..., variables, variables)           Σ w (z - mean)(z - mean)ᵀ

    They add up configuration by configuration, as `Moments` do.
    """

    weights: Floats
    means: Floats
    scatter: Floats

    def __post_init__(self) -> None:
        for name in ("weights", "means", "scatter"):
            object.__setattr__(self, name, readonly(getattr(self, name)))

    @staticmethod
    def of(
        at: Ints, shape: tuple[int, ...], cases: Floats, weight: Floats | None = None
    ) -> ConditionalMoments:
        """The moments of cases given as (cases, variables), with the configuration of each.

        at      (cases,)  the position of its configuration in a table of this shape
        weight  (cases,)  how often each case counts
        """
        size = cases.shape[1]
        check_moments(shape, size)
        many = prod(shape)
        weights, means = np.zeros(many), np.zeros((many, size))
        scatter = np.zeros((many, size, size))
        order = np.argsort(at, kind="stable")
        held, weighed = cases[order], None if weight is None else weight[order]
        counts = np.bincount(at, minlength=many)
        seen, ends = np.flatnonzero(counts), np.cumsum(counts[counts > 0])
        if seen.size * LONG > len(cases):
            weights[seen], means[seen], scatter[seen] = _together(held, weighed, ends)
        else:
            for group, start, end in zip(seen, ends - counts[seen], ends, strict=True):
                part = None if weighed is None else weighed[start:end]
                here = Moments.of(held[start:end], part)
                weights[group], means[group], scatter[group] = (
                    here.weight, here.means, here.scatter,
                )  # fmt: skip
        return ConditionalMoments(
            weights.reshape(shape),
            means.reshape(*shape, size),
            scatter.reshape(*shape, size, size),
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """States of the discrete parents."""
        return self.weights.shape

    @property
    def size(self) -> int:
        """How many continuous variables there are, the child among them."""
        return int(self.means.shape[-1])

    @property
    def total(self) -> float:
        """The weight of all cases."""
        return float(self.weights.sum())

    def at(self, configuration: int) -> Moments:
        """The moments of one configuration, by its position."""
        size = self.size
        return Moments(
            float(self.weights.reshape(-1)[configuration]),
            self.means.reshape(-1, size)[configuration],
            self.scatter.reshape(-1, size, size)[configuration],
        )

    def pooled(self) -> Moments:
        """The moments of all cases, whatever their configuration."""
        size, weights, total = self.size, self.weights.reshape(-1), self.total
        if total <= 0:
            return Moments(0.0, np.zeros(size), np.zeros((size, size)))
        means = self.means.reshape(-1, size)
        middle = weights @ means / total
        apart = means - middle
        between = (apart * weights[:, None]).T @ apart
        within = self.scatter.reshape(-1, size, size).sum(axis=0)
        return Moments(total, middle, within + (between + between.T) / 2)

    def __add__(self, other: ConditionalMoments) -> ConditionalMoments:
        return ConditionalMoments(*self._combined(other, 1.0))

    def __sub__(self, other: ConditionalMoments) -> ConditionalMoments:
        self._check(other)
        if (other.weights > self.weights + ROUNDING).any():
            raise CasesError("more cases are taken away from a configuration than were counted")
        weights, means, scatter = self._combined(other, -1.0)
        squares = np.diagonal(scatter, axis1=-2, axis2=-1)
        before = np.diagonal(self.scatter, axis1=-2, axis2=-1)
        if (squares < -ROUNDING * before).any():
            raise CasesError(
                "other cases are taken away than were counted: "
                f"a sum of squares would become {squares.min():g}"
            )
        places = np.arange(self.size)
        scatter[..., places, places] = np.maximum(squares, 0.0)
        return ConditionalMoments(weights, means, scatter)

    def __rmul__(self, strength: float) -> ConditionalMoments:
        return ConditionalMoments(strength * self.weights, self.means, strength * self.scatter)

    def _check(self, other: ConditionalMoments) -> None:
        if self.means.shape != other.means.shape:
            raise NetworkError(
                f"moments of the shapes {self.means.shape} and {other.means.shape} "
                "are not of the same family"
            )

    def _combined(self, other: ConditionalMoments, sign: float) -> tuple[Floats, Floats, Floats]:
        """The pairwise update of Chan, Golub and LeVeque (1979), in every configuration."""
        self._check(other)
        weights = self.weights + sign * other.weights
        none: Bools = np.abs(weights) <= ROUNDING
        share = sign * other.weights / np.where(none, 1.0, weights)
        apart = other.means - self.means
        means = self.means + apart * share[..., None]
        between = (
            apart[..., :, None] * apart[..., None, :] * (self.weights * share)[..., None, None]
        )
        scatter = self.scatter + sign * other.scatter + between
        return (
            np.where(none, 0.0, weights),
            np.where(none[..., None], 0.0, means),
            np.where(none[..., None, None], 0.0, scatter),
        )


AnyMoments: TypeAlias = Moments | ConditionalMoments | CauseCounts | CurveEvidence
"""Evidence about what is no table: a continuous child, or one of independent causes."""


def check_moments(shape: tuple[int, ...], size: int) -> None:
    """Nothing, or an error about more configurations than moments can be kept of."""
    numbers = prod(shape) * size * (size + 1)
    if numbers > DENSE_CELLS:
        raise SizeError(
            f"a regression in each of {prod(shape):,} configurations of discrete parents needs "
            f"{numbers:,} numbers, more than can be kept; the most are {DENSE_CELLS:,}"
            "\n\nremove parents, or merge states with tc.discretise"
        )


def _together(cases: Floats, weight: Floats | None, ends: Ints) -> tuple[Floats, Floats, Floats]:
    """Weights, means and co-products of spans of cases, all spans at once."""
    starts, lengths = np.append(0, ends[:-1]), np.diff(ends, prepend=0)
    weighed = np.ones(len(cases)) if weight is None else weight
    weights = np.add.reduceat(weighed, starts)
    sums = np.add.reduceat(cases * weighed[:, None], starts, axis=0)
    means = sums / np.where(weights > 0, weights, 1.0)[:, None]
    centred = cases - np.repeat(means, lengths, axis=0)
    scatter = np.empty((ends.size, cases.shape[1], cases.shape[1]))
    for column in range(cases.shape[1]):
        products = centred * (centred[:, column] * weighed)[:, None]
        scatter[:, column] = np.add.reduceat(products, starts, axis=0)
    return weights, means, (scatter + scatter.transpose(0, 2, 1)) / 2
