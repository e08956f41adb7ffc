"""What a prior says of links, and what an estimate makes of it."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import EstimateError, OptionError, quoted
from tacit.estimate.estimates import Estimate, PosteriorMean
from tacit.estimate.priors import Like, Prior, TablePrior
from tacit.estimate.transfer.enriched import without_loans
from tacit.families.causes import Frame
from tacit.families.noisy import Noisy
from tacit.infer.marginals import joint
from tacit.learn.causes.kinds import Caused


def link_prior(prior: Prior, frame: Frame) -> Floats:
    """alpha of every cause, the leak last, (causes + 1, states of the child).

    Each link is a row of a small table of its own, P(what the cause brings about | its parent),
    and the leak a table without parents: a prior says of these what it says of any table.
    """
    child, prior = frame.variables[-1], without_loans(prior)
    if isinstance(prior, Like):
        return _like(prior, frame)
    assert isinstance(prior, TablePrior)
    tables = [prior.pseudo_counts((parent, child)) for parent in frame.variables[:-1]]
    rows = [tables[at][state] for at, state in frame.causes]
    return np.array([*rows, prior.pseudo_counts((child,))])


def _like(prior: Like, frame: Frame) -> Floats:
    """strength x P(the parent is in this state) x P(what the cause brings about)."""
    child, network = frame.variables[-1].name, prior.network
    family = network.families.get(child)
    if not isinstance(family, Noisy) or _differs(family.causes.frame, frame):
        raise OptionError(
            f"{quoted(child)} gets links, and the network behind the prior has none such for it"
            "\n\nuse tc.BDeu(1) or tc.K2(), or a network in which it has this family and parents"
        )
    values = family.causes.values[:, frame.level]
    shares = {each.name: joint(network, (each.name,)) for each in frame.variables[:-1]}
    weights = [shares[frame.variables[at].name][state] for at, state in frame.causes]
    return np.asarray(prior.strength * np.array([*weights, 1.0])[:, None] * values)


def _differs(one: Frame, other: Frame) -> bool:
    return (one.variables, one.off, one.order) != (other.variables, other.off, other.order)


def pseudo_of(caused: Caused, alpha: Floats, estimate: Estimate) -> Floats:
    """What is added to each cause, (causes + 1, levels); errors where no maximum exists."""
    name, kind = caused.frame.variables[-1].name, caused.kind.kind
    if isinstance(estimate, PosteriorMean):
        raise OptionError(
            f"the posterior mean of the {kind} of {quoted(name)} has no formula"
            "\n\nuse estimate=tc.Smoothed() or tc.MAP()"
        )
    pseudo = estimate.pseudo(alpha)
    if pseudo.min() < 0:
        raise EstimateError(
            f"the {kind} of {quoted(name)} has no most probable value: the prior of a link is "
            f"{alpha.min():.4g}, less than 1"
            "\n\nuse a prior of at least 1 per cell, tc.K2() for example, or "
            "estimate=tc.Smoothed()"
        )
    return np.asarray(pseudo[:, list(caused.frame.order)])
