"""Gaussian families taken apart: one linear regression per configuration of discrete parents."""

from __future__ import annotations

from math import prod
from typing import TypeAlias

import numpy as np

from tacit.core.family import Family
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.conditional_moments import AnyMoments, ConditionalMoments
from tacit.families.counts import Counts, SparseCounts
from tacit.families.gaussian import LinearGaussian
from tacit.families.moments import Moments

Gaussian: TypeAlias = LinearGaussian | ConditionalGaussian


def regressions(family: Family) -> list[LinearGaussian]:
    """One linear Gaussian per configuration of the discrete parents."""
    if isinstance(family, LinearGaussian):
        return [family]
    assert isinstance(family, ConditionalGaussian)
    many = prod(family.shape)
    slopes = family.coefficients.reshape(many, -1)
    levels, sds = family.intercept.reshape(-1), family.sd.reshape(-1)
    return [
        LinearGaussian(family.continuous, slopes[at], float(levels[at]), float(sds[at]))
        for at in range(many)
    ]


def joined(variables: tuple[Variable, ...], found: list[LinearGaussian]) -> Gaussian:
    """The family that these regressions make, configuration by configuration."""
    shape = tuple(len(axis.states) for axis in variables if isinstance(axis, Discrete))
    if not shape:
        return found[0]
    slopes = sum(isinstance(axis, Continuous) for axis in variables) - 1
    coefficients = np.array([each.coefficients for each in found]).reshape(*shape, slopes)
    levels = np.array([each.intercept for each in found]).reshape(shape)
    return ConditionalGaussian(
        variables, coefficients, levels, np.array([each.sd for each in found]).reshape(shape)
    )


def moments_at(evidence: Counts | SparseCounts | AnyMoments, configuration: int) -> Moments:
    """The moments of one configuration."""
    if isinstance(evidence, ConditionalMoments):
        return evidence.at(configuration)
    assert isinstance(evidence, Moments)
    return evidence


def flat_moments(evidence: Counts | SparseCounts | AnyMoments) -> ConditionalMoments:
    """The moments of every configuration, one line each; one line where there are none."""
    assert isinstance(evidence, Moments | ConditionalMoments)
    own = evidence.weight if isinstance(evidence, Moments) else evidence.weights
    size = evidence.means.shape[-1]
    means, scatter = evidence.means.reshape(-1, size), evidence.scatter.reshape(-1, size, size)
    return ConditionalMoments(np.reshape(own, -1), means, scatter)
