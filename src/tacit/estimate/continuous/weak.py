"""The weak prior where the likelihood of regressions has no maximum.

Where many values are equal, or cases lie on one line, noise shrinks to nothing and the likelihood
grows without bound. One pseudo-case in every configuration, whose deviations are a small part ε of
the columns' own, keeps it up:

    maximise  log P(cases given β, sd) - ½ log sd² - ½ ε² (scale² + Σ (β sd_parent)² + off²) / sd².

The score is the first term alone, at that maximum. [Fraley and Raftery 2007]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tacit.arrays import Bools
from tacit.core.variables import Continuous, Variable
from tacit.estimate.continuous.many import Lines, lines_under
from tacit.estimate.continuous.prior import Scales, WeakNormal
from tacit.estimate.continuous.regression import Extra, estimate_regression
from tacit.estimate.continuous.regressions import Gaussian, joined, moments_at
from tacit.estimate.estimates import Smoothed
from tacit.families.conditional_moments import AnyMoments, ConditionalMoments


def weak_prior(axes: Sequence[Variable], scales: Scales) -> Extra:
    """What it adds to each regression of a family (parents..., child)."""
    names = [axis.name for axis in axes if isinstance(axis, Continuous)]
    extra = Extra.of(WeakNormal().pseudo(names, scales), Smoothed())
    assert extra is not None
    return extra


def weak_lines(axes: tuple[Variable, ...], held: AnyMoments, extra: Extra) -> Gaussian:
    """The most probable regressions of a family, configuration by configuration."""
    reals = tuple(axis for axis in axes if isinstance(axis, Continuous))
    many = held.weights.size if isinstance(held, ConditionalMoments) else 1
    every = [estimate_regression(reals, moments_at(held, at), extra).family for at in range(many)]
    return joined(axes, every)


def weak_log_likelihood(held: ConditionalMoments, thin: Bools) -> float:
    """The log-likelihood of the last column given the others at the most probable regressions, of
    columns with mean 0 and variance 1.

    thin  configurations that take the regression of all cases
    """
    size = held.means.shape[-1]
    axes = [Continuous(str(at)) for at in range(size)]
    extra = weak_prior(axes, Scales(tuple(a.name for a in axes), np.zeros(size), np.ones(size)))
    own, total = _some(held, ~thin), 0.0
    if own.weights.size:
        total = _lines(own, extra).log_likelihood(own)
    if thin.any():
        whole = held.pooled()
        pooled = ConditionalMoments(
            np.array([whole.weight]), whole.means[None], whole.scatter[None]
        )
        line = _lines(pooled, extra)
        rare = _some(held, thin)
        parts = (line.slopes, line.levels, line.variances)
        repeated = Lines(*(np.repeat(each, rare.weights.size, axis=0) for each in parts))
        total += repeated.log_likelihood(rare)
    return total


def _lines(held: ConditionalMoments, extra: Extra) -> Lines:
    axes = tuple(Continuous(str(at)) for at in range(held.size))
    return lines_under(axes, held, replace(extra, pools=False))


def _some(held: ConditionalMoments, which: Bools) -> ConditionalMoments:
    used = which & (held.weights > 0)
    return ConditionalMoments(held.weights[used], held.means[used], held.scatter[used])
