"""The posterior of Gaussian families: every number of every regression, in closed form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, lgamma, prod

import numpy as np

from tacit.arrays import Column, Floats
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.estimate.continuous.conjugate import Conjugate, log_marginal, posterior_of
from tacit.estimate.continuous.prior import Pseudo
from tacit.estimate.continuous.regressions import Gaussian, joined, moments_at
from tacit.estimate.posteriors import Interval
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import cells
from tacit.learn.fits import Evidence


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The regressions of one family, one per configuration of its discrete parents.

    All that it gives is shaped (states of the discrete parents..., numbers): coefficients...,
    intercept, sd.
    """

    axes: tuple[Variable, ...]
    each: tuple[Conjugate, ...]

    @staticmethod
    def of(axes: tuple[Variable, ...], evidence: Evidence, pseudo: Pseudo) -> Lines:
        """What is known after these cases."""
        many = prod(_shape(axes))
        return Lines(
            axes, tuple(posterior_of(moments_at(evidence, at), pseudo) for at in range(many))
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """What the numbers of one configuration are."""
        reals = [axis.name for axis in self.axes if isinstance(axis, Continuous)]
        return (*reals[:-1], "(intercept)", "(sd)")

    @property
    def mean(self) -> Floats:
        """E of each; the sd is the root of an inverse gamma."""
        return self._laid([np.append(own.centre, _mean_sd(own)) for own in self.each])

    @property
    def sd(self) -> Floats:
        """The standard deviation of each; inf where there are too few degrees of freedom."""
        found = []
        for own in self.each:
            variance = own.residual / (own.freedom - 2) if own.freedom > 2 else np.inf
            spread = np.sqrt(np.diag(own.inverse) * variance)
            left = variance - _mean_sd(own) ** 2 if own.freedom > 2 else np.inf
            found.append(np.append(spread, np.sqrt(max(left, 0.0))))
        return self._laid(found)

    @property
    def mode(self) -> Floats:
        """The most probable numbers, of the density of coefficients, intercept and variance."""
        found = []
        for own in self.each:
            variance = own.residual / (own.freedom + own.centre.size + 2)
            found.append(np.append(own.centre, np.sqrt(variance)))
        return self._laid(found)

    def interval(self, level: float) -> Interval:
        """Equal tails cut off."""
        found = [own.interval(level) for own in self.each]
        lower, upper = (self._laid([getattr(one, end) for one in found])
                        for end in ("lower", "upper"))  # fmt: skip
        return Interval(lower, upper, level)

    def draws(self, many: int, random: np.random.Generator) -> Floats:
        """(draws, configurations..., numbers)"""
        found = []
        for own in self.each:
            betas, variances = own.draw(random, many)
            found.append(np.column_stack([betas, np.sqrt(variances)]))
        return np.stack(found, axis=1).reshape(many, *_shape(self.axes), -1)

    def family(self, numbers: Floats) -> Gaussian:
        """The family with these numbers, shaped as the mean is."""
        reals = tuple(axis for axis in self.axes if isinstance(axis, Continuous))
        lines = numbers.reshape(len(self.each), -1)
        return joined(
            self.axes,
            [LinearGaussian(reals, line[:-2], float(line[-2]), float(line[-1])) for line in lines],
        )

    def log_predictive(self, columns: Sequence[Column]) -> Floats:
        """(cases,) log P(child | parents, old cases), a Student's t."""
        from scipy.stats import t

        reals = [c for c, axis in zip(columns, self.axes, strict=True)
                 if isinstance(axis, Continuous)]  # fmt: skip
        codes = [c for c, axis in zip(columns, self.axes, strict=True)
                 if isinstance(axis, Discrete)]  # fmt: skip
        *parents, child = reals
        at = np.zeros(len(child), np.int64)
        if codes:
            at = cells(_shape(self.axes), codes)
        design: Floats = np.column_stack([*parents, np.ones(len(child))]).astype(np.float64)
        found = np.full(len(child), np.nan)
        for configuration, own in enumerate(self.each):
            here = np.flatnonzero(at == configuration)
            rows = design[here]
            spread = 1 + np.einsum("ci,ij,cj->c", rows, own.inverse, rows)
            scale = np.sqrt(own.residual / own.freedom * spread)
            middle: Floats = np.asarray(rows @ own.centre, dtype=np.float64)
            found[here] = t.logpdf(child[here], own.freedom, middle, scale)
        return found

    def _laid(self, found: Sequence[Floats]) -> Floats:
        return np.array(found).reshape(*_shape(self.axes), -1)


def lines_of(
    families: Mapping[str, tuple[Variable, ...]],
    evidence: Mapping[str, Evidence],
    normal: Mapping[str, Pseudo],
) -> dict[str, Lines]:
    """The posterior of every Gaussian family."""
    return {name: Lines.of(families[name], evidence[name], normal[name]) for name in normal}


def lines_evidence(evidence: Mapping[str, Evidence], normal: Mapping[str, Pseudo]) -> float:
    """log P(the continuous cells given the discrete ones)."""
    total = 0.0
    for name, pseudo in normal.items():
        held = evidence[name]
        many = held.weights.size if hasattr(held, "weights") else 1
        total += sum(log_marginal(moments_at(held, at), pseudo) for at in range(many))
    return total


def _mean_sd(own: Conjugate) -> float:
    """E[sd]: √(R / 2) Γ((freedom - 1) / 2) / Γ(freedom / 2)."""
    ratio = exp(lgamma((own.freedom - 1) / 2) - lgamma(own.freedom / 2))
    return float(np.sqrt(own.residual / 2) * ratio)


def _shape(axes: Sequence[Variable]) -> tuple[int, ...]:
    return tuple(len(axis.states) for axis in axes if isinstance(axis, Discrete))
