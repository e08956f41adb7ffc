"""MPL-TC: normal priors from a related site, the target's rules and cases, the posterior mean.

[estimation 3.6, Algorithm 1]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import EstimateError, KnowledgeError
from tacit.core.network import Network
from tacit.core.variables import Variable
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.normals import TruncatedNormal
from tacit.estimate.ruled.multipliers import priced
from tacit.estimate.ruled.prices import statuses
from tacit.estimate.ruled.status import RuleStatus
from tacit.estimate.tables import log_probability
from tacit.estimate.transfer.moments import normal_factors
from tacit.families.counts import Counts
from tacit.families.table import Table
from tacit.knowledge.knowledge import Knowledge
from tacit.learn.choices import Choices
from tacit.learn.counted import Counted
from tacit.learn.fits import Fit
from tacit.learn.lending import Lent
from tacit.learn.making import posterior_of
from tacit.learn.parts import discrete_axes
from tacit.learn.positions import held_at, tables_counted
from tacit.learn.posteriors import Posterior
from tacit.learn.ruled import about_tables, ruled
from tacit.learn.source_cases import part_of
from tacit.learn.structures import Structure
from tacit.learn.told import Told
from tacit.learn.transfers import BestFragment
from tacit.learn.whole import Asking

FEW = Sampling(draws=400)
"""Draws are not kept; only their precision matters."""


def fit_normal(
    before: Fit,
    families: Mapping[str, tuple[Variable, ...]],
    lent: Lent,
    transfer: BestFragment,
    choices: Choices,
    knowledge: Knowledge | None,
) -> Fit:
    """The posterior mean under normal priors where a table was borrowed, uniform ones elsewhere;
    families without a table stay as they were. The objective is the log-likelihood."""
    tables = {
        name: discrete_axes(axes)
        for name, axes in families.items()
        if isinstance(before.network[name], Table)
    }
    counted = Counted(tables, {name: before.evidence[name] for name in tables}, before.cases)
    normal = _priors(lent, transfer, choices.seed or 0)
    alpha = {name: np.ones_like(before.pseudo[name]) for name in tables}
    told = Told(
        Structure(part_of(before.network.dag, list(tables))), _said(knowledge), tables, alpha,
        normal, transfer.printed, None,
        Asking(choices.level, FEW, choices.seed or 0), "normal priors", counted,
    )  # fmt: skip
    posterior = _posterior(told, transfer)
    network, likelihood = before.network, before.log_likelihood
    for name, counts in tables_counted(counted.evidence).items():
        table, own = posterior.network[name], network[name]
        assert isinstance(table, Table)
        assert isinstance(own, Table)
        likelihood += log_probability(table, counts) - log_probability(own, counts)
    mean = {**network.families, **posterior.network.families}
    return replace(
        before,
        network=Network(network.dag, network.variables, mean),
        objective=likelihood,
        trace=(likelihood,),
        log_likelihood=likelihood,
        log_marginal_likelihood=None,
        rules=_statuses(before, families, knowledge, posterior),
        proof=None,
        settings={**before.settings, "estimate": "PosteriorMean()", "prior": "normal priors"},
    )


def _said(knowledge: Knowledge | None) -> Knowledge | None:
    """The rules about tables; the regressions were fitted under the others before."""
    said = None if knowledge is None else about_tables(knowledge)
    return said if said else None


def _posterior(told: Told, transfer: BestFragment) -> Posterior:
    """The posterior; what it cannot do, `BestFragment()` can."""
    try:
        return posterior_of(told)
    except (EstimateError, KnowledgeError) as problem:
        said = str(problem).split("\n\nuse tc.fit")[0].split("\n\nleave out their confidence")[0]
        if said == str(problem):
            raise
        right = "use transfer=tc.BestFragment(), whose evidence goes with all rules"
        raise type(problem)(f"{transfer.describe()}: {said}\n\n{right}") from None


def _priors(lent: Lent, transfer: BestFragment, seed: int) -> TruncatedNormal | None:
    if not lent.whole:
        return None
    random = np.random.default_rng([seed, 5])
    means: dict[str, Floats] = {}
    sds: dict[str, Floats] = {}
    for name, counts in lent.whole.items():
        means[name], sds[name] = normal_factors(counts, transfer.normal, random)
    return TruncatedNormal(means, sds)


def _statuses(
    before: Fit,
    families: Mapping[str, tuple[Variable, ...]],
    knowledge: Knowledge | None,
    posterior: Posterior,
) -> tuple[RuleStatus, ...]:
    known = ruled(knowledge, before.network.dag, families)
    if known is None or not len(known.plan.blocks):
        return before.rules
    alpha = held_at(known, {name: Counts(each) for name, each in before.pseudo.items()})
    weights = np.maximum(held_at(known, before.evidence) + alpha, 0.0)
    weights[known.plan.zeros] = 0.0
    means = {name: Counts(posterior.mean[name]) for name in posterior.cells.families}
    worth = priced(known.plan, weights)
    tables = statuses(known.bound, known.plan, worth, held_at(known, means))
    return known.in_order(tables, known.of_regressions(before.rules))
