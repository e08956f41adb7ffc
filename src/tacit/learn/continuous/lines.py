"""The posterior of Gaussian families: every number of every regression, in closed form."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from tacit.arrays import Column, Floats, Ints
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.estimate.continuous.conjugate import Conjugate, log_marginal, posterior_of
from tacit.estimate.continuous.drawn import Drawn
from tacit.estimate.continuous.prior import Pseudo
from tacit.estimate.continuous.regressions import Gaussian, joined, moments_at
from tacit.estimate.continuous.tying import Member
from tacit.estimate.posteriors import Interval
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import cells
from tacit.learn.fits import Evidence

Known: TypeAlias = Conjugate | Drawn
"""What is known of one regression: in closed form, or by draws."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The regressions of one family, one per configuration of its discrete parents.

    All that it gives is shaped (states of the discrete parents..., numbers): coefficients...,
    intercept, sd.
    """

    axes: tuple[Variable, ...]
    each: tuple[Known, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """What the numbers of one configuration are."""
        reals = [axis.name for axis in self.axes if isinstance(axis, Continuous)]
        return (*reals[:-1], "(intercept)", "(sd)")

    @property
    def mean(self) -> Floats:
        """E of each; the sd is the root of an inverse gamma."""
        return self._laid([own.mean for own in self.each])

    @property
    def sd(self) -> Floats:
        """The standard deviation of each; inf where there are too few degrees of freedom."""
        return self._laid([own.sd for own in self.each])

    @property
    def mode(self) -> Floats:
        """The most probable numbers, of the density of coefficients, intercept and variance."""
        return self._laid([own.mode for own in self.each])

    @property
    def drawn(self) -> tuple[Drawn, ...]:
        """The regressions that are known by draws."""
        return tuple(own for own in self.each if isinstance(own, Drawn))

    def interval(self, level: float) -> Interval:
        """Equal tails cut off."""
        found = [own.interval(level) for own in self.each]
        lower, upper = (self._laid([getattr(one, end) for one in found])
                        for end in ("lower", "upper"))  # fmt: skip
        return Interval(lower, upper, level)

    def draws(self, many: int, random: np.random.Generator) -> Floats:
        """(draws, configurations..., numbers)"""
        found = [own.draws(many, random) for own in self.each]
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
        """(cases,) log P(child | parents, old cases), a Student's t; 0 where the regression is
        known by draws."""
        found = np.zeros(len(columns[-1]))
        for own, here, rows, child in self._parts(columns):
            if isinstance(own, Conjugate):
                found[here] = own.log_density(rows, child)
        return found

    def log_densities(self, columns: Sequence[Column]) -> Floats:
        """(draws, cases) log P(child | parents, draw) where the regression is known by draws, 0
        elsewhere."""
        found = np.zeros((len(self.drawn[0].values), len(columns[-1])))
        for own, here, rows, child in self._parts(columns):
            if isinstance(own, Drawn):
                found[:, here] = own.log_densities(rows, child)
        return found

    def _parts(self, columns: Sequence[Column]) -> Iterator[tuple[Known, Ints, Floats, Floats]]:
        """Every regression with its cases: where they stand, their parents and 1, the child."""
        reals = [c for c, axis in zip(columns, self.axes, strict=True)
                 if isinstance(axis, Continuous)]  # fmt: skip
        codes = [c for c, axis in zip(columns, self.axes, strict=True)
                 if isinstance(axis, Discrete)]  # fmt: skip
        *parents, child = reals
        at = np.zeros(len(child), np.int64)
        if codes:
            at = cells(_shape(self.axes), codes)
        design: Floats = np.column_stack([*parents, np.ones(len(child))]).astype(np.float64)
        for configuration, own in enumerate(self.each):
            here = np.flatnonzero(at == configuration)
            yield own, here, design[here], np.asarray(child[here], dtype=np.float64)

    def _laid(self, found: Sequence[Floats]) -> Floats:
        return np.array(found).reshape(*_shape(self.axes), -1)


def lines_of(
    families: Mapping[str, tuple[Variable, ...]],
    evidence: Mapping[str, Evidence],
    normal: Mapping[str, Pseudo],
    ruled: Mapping[Member, Known],
) -> dict[str, Lines]:
    """The posterior of every Gaussian family.

    ruled  the regressions that rules speak of
    """
    found = {}
    for name, pseudo in normal.items():
        axes = families[name]
        each = [
            ruled.get((name, at)) or posterior_of(moments_at(evidence[name], at), pseudo)
            for at in range(prod(_shape(axes)))
        ]
        found[name] = Lines(axes, tuple(each))
    return found


def lines_evidence(
    evidence: Mapping[str, Evidence],
    normal: Mapping[str, Pseudo],
    ruled: Collection[Member] = (),
) -> float:
    """log P(the continuous cells given the discrete ones), without regressions under rules."""
    total = 0.0
    for name, pseudo in normal.items():
        held = evidence[name]
        many = held.weights.size if isinstance(held, ConditionalMoments) else 1
        free = [at for at in range(many) if (name, at) not in ruled]
        total += sum(log_marginal(moments_at(held, at), pseudo) for at in free)
    return total


def _shape(axes: Sequence[Variable]) -> tuple[int, ...]:
    return tuple(len(axis.states) for axis in axes if isinstance(axis, Discrete))
