"""One family estimated from its evidence, with what it adds to the objective."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError
from tacit.core.family import Family
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.estimate.conditional import conditional_log_likelihood, estimate_conditional
from tacit.estimate.continuous.conjugate import log_marginal
from tacit.estimate.continuous.prior import NormalGamma, Pseudo, Scales
from tacit.estimate.continuous.regression import Extra, estimate_regression
from tacit.estimate.continuous.regressions import joined, moments_at
from tacit.estimate.estimates import Estimate
from tacit.estimate.gaussians import estimate_gaussian, gaussian_log_likelihood
from tacit.estimate.posteriors import log_marginal_likelihood
from tacit.estimate.priors import Dirichlet, Prior
from tacit.estimate.tables import estimate_table, log_probability
from tacit.families.conditional_moments import AnyMoments, ConditionalMoments
from tacit.families.moments import Moments
from tacit.families.table import check_size
from tacit.infer.marginals import joint
from tacit.learn.choices import Choices
from tacit.learn.fits import Evidence


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A family, its log-likelihood, and what could not be determined.

    objective     Σ (N + pseudo) log θ, cells without evidence adding nothing
    undetermined  rows of a table that neither cases nor prior said anything about
    redundant     parents of a Gaussian whose coefficients the cases leave open, as a number
    thin          configurations with too few cases for a regression of their own, as a number
    unseen        those of them without any case
    """

    family: Family
    log_likelihood: float
    objective: float
    undetermined: tuple[int, ...] = ()
    redundant: int = 0
    thin: int = 0
    unseen: int = 0


def estimate_part(
    axes: tuple[Variable, ...],
    evidence: Evidence,
    alpha: Floats | None,
    estimate: Estimate,
    normal: Pseudo | None = None,
) -> Part:
    """The family that is best under `estimate`; Gaussians without a prior by maximum likelihood."""
    extra = Extra.of(normal, estimate)
    if extra is not None:
        return _with_prior(axes, evidence, extra)
    if isinstance(evidence, ConditionalMoments):
        return _conditional(axes, evidence)
    if isinstance(evidence, Moments):
        continuous = tuple(axis for axis in axes if isinstance(axis, Continuous))
        found = estimate_gaussian(continuous, evidence)
        likelihood = gaussian_log_likelihood(found.family, evidence)
        return Part(found.family, likelihood, likelihood, redundant=len(axes) - 1 - found.rank)
    assert alpha is not None
    assert not isinstance(evidence, AnyMoments)
    result = estimate_table(discrete_axes(axes), evidence, alpha, estimate)
    counts = evidence.dense().values
    return Part(
        result.table,
        log_probability(result.table, counts),
        log_probability(result.table, np.maximum(counts + estimate.pseudo(alpha), 0.0)),
        result.undetermined,
    )


def _conditional(axes: tuple[Variable, ...], evidence: ConditionalMoments) -> Part:
    found = estimate_conditional(axes, evidence)
    likelihood = conditional_log_likelihood(found.family, evidence)
    return Part(
        found.family,
        likelihood,
        likelihood,
        redundant=found.redundant,
        thin=found.thin,
        unseen=found.unseen,
    )


def _with_prior(axes: tuple[Variable, ...], evidence: Evidence, extra: Extra) -> Part:
    """A Gaussian family under its prior, each configuration by itself."""
    reals = tuple(axis for axis in axes if isinstance(axis, Continuous))
    many = evidence.weights.size if isinstance(evidence, ConditionalMoments) else 1
    held = [moments_at(evidence, at) for at in range(many)]
    found = [estimate_regression(reals, each, extra).family for each in held]
    pairs = zip(found, held, strict=True)
    likelihood = sum(gaussian_log_likelihood(own, each) for own, each in pairs if each.weight > 0)
    return Part(joined(axes, found), likelihood, likelihood + sum(map(extra.value, found)))


def discrete_axes(axes: Sequence[Variable]) -> tuple[Discrete, ...]:
    """The axes of a table."""
    return tuple(axis for axis in axes if isinstance(axis, Discrete))


def pseudo_counts(
    prior: Prior, families: Mapping[str, tuple[Variable, ...]], others: Collection[str] = ()
) -> dict[str, Floats]:
    """alpha of every table.

    others  further variables that the prior may name
    """
    tables = [discrete_axes(axes) for axes in families.values() if isinstance(axes[-1], Discrete)]
    for axes in tables:  # before anything so large is made
        check_size(axes[-1].name, [len(axis.states) for axis in axes])
    if isinstance(prior, Dirichlet):
        prior.check_names({**families, **dict.fromkeys(others)})
    resolved = prior.resolved(tables, joint)
    return {axes[-1].name: resolved.pseudo_counts(axes) for axes in tables}


def refuse_no_reals(normal: NormalGamma | None) -> None:
    """Nothing, or an error about a prior of Gaussian families where there are none."""
    if normal is not None:
        raise OptionError(
            f"tc.{normal.describe()} is a prior of Gaussian families, and no variable is "
            "continuous\n\nleave it out"
        )


def normal_pseudo(
    choices: Choices, families: Mapping[str, tuple[Variable, ...]], scales: Scales
) -> dict[str, Pseudo]:
    """What the prior of Gaussians says of every family; nothing without one."""
    if choices.normal is None:
        return {}
    if not scales.names:
        refuse_no_reals(choices.normal)
    choices.normal.check_names(scales.names)
    return {
        name: choices.normal.pseudo(
            [axis.name for axis in axes if isinstance(axis, Continuous)], scales
        )
        for name, axes in families.items()
        if isinstance(axes[-1], Continuous)
    }


def total_log_marginal_likelihood(
    evidence: Mapping[str, Evidence],
    alpha: Mapping[str, Floats],
    normal: Mapping[str, Pseudo] | None = None,
) -> float | None:
    """The sum over families; None where one has no prior, or an improper one."""
    priors = {*alpha, *(normal or {})}
    if priors != set(evidence) or any((values <= 0).any() for values in alpha.values()):
        return None
    tables = sum(
        log_marginal_likelihood(counts, alpha[name])
        for name, counts in evidence.items()
        if not isinstance(counts, AnyMoments)
    )
    return tables + sum(
        _gaussian_marginal(evidence[name], each) for name, each in (normal or {}).items()
    )


def _gaussian_marginal(evidence: Evidence, pseudo: Pseudo) -> float:
    many = evidence.weights.size if isinstance(evidence, ConditionalMoments) else 1
    return sum(log_marginal(moments_at(evidence, at), pseudo) for at in range(many))
