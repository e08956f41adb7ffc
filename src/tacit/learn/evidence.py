"""log P(cases given rules and prior): rows that no rule names in closed form, the others by block.

The constrained prior is the Dirichlet density held to the rules (Def. 3.4.1). Where cells that
rules tie have small parameters it cannot be integrated; then their parameters are added up instead.
[parameter domain knowledge 1.7, 5.1]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import EstimateError, OptionError
from tacit.estimate.bayes.constants import log_evidence
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.posteriors import log_marginal_likelihood
from tacit.estimate.ruled.splits import ImproperError
from tacit.families.conditional_moments import AnyMoments
from tacit.families.counts import Counts
from tacit.knowledge.expansion import cell_label
from tacit.knowledge.polytope import relative_interior
from tacit.learn.fits import Evidence
from tacit.learn.positions import free_rows, held_at, tables_named
from tacit.learn.ruled import Ruled

POOLED = (
    "the prior, held to the rules as a density, cannot be integrated where they tie cells: the "
    "pseudo-counts of tied cells were added up instead"
)


@dataclass(frozen=True, slots=True)
class LogEvidence:
    """A log marginal likelihood in nats, its Monte Carlo error, and where the numbers came from.

    pooled  whether pseudo-counts of tied cells were added up
    how     in words, block by block
    """

    value: float
    error: float
    pooled: bool
    how: tuple[str, ...] = ()


def evidence_of(
    known: Ruled | None,
    evidence: Mapping[str, Evidence],
    alpha: Mapping[str, Floats],
    *,
    pooled: bool | None = None,
    sampling: Sampling | None = None,
    seed: int = 0,
    threads: int = 1,
) -> LogEvidence:
    """log Z(alpha + N) - log Z(alpha) under the rules, rows that no rule names included.

    pooled: None holds the density to the rules if that can be integrated, and pools otherwise
    """
    free = free_evidence(known, evidence, alpha)
    if known is None or not len(known.plan.blocks):
        return LogEvidence(free, 0.0, bool(pooled))
    counts, prior = held_at(known, evidence), prior_at(known, alpha)
    pools = not is_proper(known, prior) if pooled is None else pooled
    blocks, inside = known.plan.blocks, relative_interior(known.plan.blocks)
    exact = Exact.of(blocks, inside, Density(prior, pooled=pools))
    found = log_evidence(
        blocks, exact, prior, counts, sampling or Sampling(), seed,
        pooled=pools, threads=threads, inside=inside,
    )  # fmt: skip
    error = float(np.sqrt((found.error**2).sum()))
    return LogEvidence(free + float(found.value.sum()), error, pools, found.how)


def prior_at(known: Ruled, alpha: Mapping[str, Floats]) -> Floats:
    """The pseudo-counts in the cells of the plan."""
    return held_at(known, {name: Counts(each) for name, each in alpha.items()})


def is_proper(known: Ruled, prior: Floats) -> bool:
    """Whether the prior, held to the rules as a density, can be integrated."""
    try:
        known.plan.forest.parameters(prior)
    except ImproperError:
        return False
    return True


def free_evidence(
    known: Ruled | None, evidence: Mapping[str, Evidence], alpha: Mapping[str, Floats]
) -> float:
    """Of the rows that no rule names, in closed form. [EST 1.3]"""
    named = tables_named(known) if known is not None else {}
    total = 0.0
    for name, held in evidence.items():
        if isinstance(held, AnyMoments):
            raise EstimateError(
                f"{name!r} is continuous: marginal likelihoods are of networks of discrete "
                "variables\n\nmake it discrete with tc.discretise, or leave it out"
            )
        pseudo = alpha[name].reshape(-1, alpha[name].shape[-1])
        rows = held.dense().rows()
        if known is not None:
            free = free_rows(known, name, named.get(name), rows.shape)
            rows, pseudo = rows[free], pseudo[free]
        total += log_marginal_likelihood(Counts(rows), pseudo)
    return total


def refuse_empty_prior(known: Ruled | None, alpha: Mapping[str, Floats]) -> None:
    """Nothing, or an error about a cell without any prior: no posterior without one."""
    for name, each in alpha.items():
        if (each <= 0).any():
            where = f"of {name!r}"
            if known is not None:
                cell = int(np.argmin(each))
                where = cell_label(known.bound.cells, known.bound.cells.starts[name] + cell)
            raise OptionError(
                f"the prior {where} is 0, and a posterior needs one above 0 in every cell"
                "\n\ntake tc.BDeu(1), tc.Jeffreys() or tc.K2(), for example"
            )
