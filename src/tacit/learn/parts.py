"""One family estimated from its evidence, with what it adds to the objective."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import EstimateError, quoted
from tacit.core.family import Family
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.estimate.conditional import conditional_log_likelihood, estimate_conditional
from tacit.estimate.continuous.many import Leaning, leaning, lines_under, pooled_where
from tacit.estimate.continuous.prior import Pseudo, Scales, pseudo_of
from tacit.estimate.continuous.regression import Extra
from tacit.estimate.continuous.regressions import flat_moments, joined
from tacit.estimate.estimates import Estimate
from tacit.estimate.gaussians import estimate_gaussian, gaussian_log_likelihood
from tacit.estimate.posteriors import log_marginal_likelihood
from tacit.estimate.priors import Dirichlet, Prior
from tacit.estimate.tables import estimate_table, log_probability
from tacit.families.conditional_moments import AnyMoments, ConditionalMoments
from tacit.families.gaussian import LinearGaussian
from tacit.families.moments import Moments
from tacit.families.table import check_size
from tacit.infer.marginals import joint
from tacit.learn.choices import Choices
from tacit.learn.continuous.lines import lines_evidence
from tacit.learn.fits import Evidence


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A family, its log-likelihood, and what could not be determined.

    objective     Σ (N + pseudo) log θ, cells without evidence adding nothing
    undetermined  rows of a table that neither cases nor prior said anything about
    redundant     parents of a Gaussian whose coefficients the cases leave open, as a number
    thin          configurations with too few cases for a regression of their own, as a number
    unseen        those of them without any case
    leaning       where a prior of a Gaussian decides what the cases leave open
    """

    family: Family
    log_likelihood: float
    objective: float
    undetermined: tuple[int, ...] = ()
    redundant: int = 0
    thin: int = 0
    unseen: int = 0
    leaning: Leaning | None = None


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
    held = flat_moments(evidence)
    if not held.total > 0:
        raise EstimateError(f"there is no case for {quoted(axes[-1].name)}")
    lines = lines_under(reals, held, extra)
    sds, added = np.sqrt(lines.variances), lines.squares(extra.repeated(len(lines.levels)))
    parts = zip(lines.slopes, lines.levels.tolist(), sds.tolist(), strict=True)
    family = joined(axes, [LinearGaussian(reals, *numbers) for numbers in parts])
    thin = pooled_where(held, extra)
    parts_ = extra.weight * np.log(lines.variances) + added / lines.variances
    prior, likelihood = -0.5 * float(np.sum(parts_[~thin])), lines.log_likelihood(held)
    return Part(
        family,
        likelihood,
        likelihood + prior,
        thin=int(thin.sum()),
        unseen=int((thin & (held.weights <= 0)).sum()),
        leaning=leaning(held, extra, sds),
    )


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


def normal_pseudo(
    choices: Choices, families: Mapping[str, tuple[Variable, ...]], scales: Scales
) -> dict[str, Pseudo]:
    """What the prior of Gaussians says of every family; nothing without one."""
    return {} if choices.normal is None else pseudo_of(choices.normal, families, scales)


def total_log_marginal_likelihood(
    evidence: Mapping[str, Evidence],
    alpha: Mapping[str, Floats],
    normal: Mapping[str, Pseudo] | None = None,
) -> float | None:
    """The sum over families; None where one has no prior, an improper one, or one so weak that the
    value would be its word more than that of the cases."""
    priors = {*alpha, *(normal or {})}
    if priors != set(evidence) or any((values <= 0).any() for values in alpha.values()):
        return None
    if any(each.pools for each in (normal or {}).values()):
        return None
    tables = sum(
        log_marginal_likelihood(counts, alpha[name])
        for name, counts in evidence.items()
        if not isinstance(counts, AnyMoments)
    )
    return tables + lines_evidence(evidence, normal or {})
