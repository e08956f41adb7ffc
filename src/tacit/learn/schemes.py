"""The log marginal likelihood of a rule set, doubted rules included.

A rule with confidence c holds with probability c before any case is seen, so that a set with
doubted rules is a mixture: P(cases) = Σ over sets S of them of P(S) P(cases given certain rules
and S). Doubted rules without rows in common are independent, and their sums are taken apart; sets
that contradict themselves or the certain rules are no sets, and the others share their
probability, so that all cases together have probability 1. [PDKX-3; 5.1]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf, log, log1p

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import ConflictError, EstimateError
from tacit.estimate.bayes.draws import Sampling
from tacit.knowledge.binding import bind
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.statements import Rule
from tacit.learn.doubts import EVERY, Doubt, doubts_of
from tacit.learn.evidence import LogEvidence, evidence_of, is_proper, prior_at
from tacit.learn.fits import Evidence
from tacit.learn.freedom import is_bent
from tacit.learn.gathered import Gathered
from tacit.learn.positions import held_at
from tacit.learn.ruled import Ruled, certain_part, doubted_part, ruled


@dataclass(frozen=True, slots=True, eq=False)
class Scheme:
    """Some of the doubted rules as if they were certain, and the log of their probability.

    ruled: None where they cannot hold
    """

    log_prior: float
    ruled: Ruled | None


@dataclass(frozen=True, slots=True, eq=False)
class Schemes:
    """What a rule set may mean: its certain rules, and per group of doubted ones every subset.

    crowded: doubted rules of the same rows, too many for all their subsets to be tried; 0 if none
    """

    certain: Ruled | None
    groups: tuple[tuple[Scheme, ...], ...] = ()
    crowded: int = 0

    @property
    def every(self) -> Iterator[Ruled]:
        """All rules that are held in some scheme, once in each."""
        if self.certain is not None:
            yield self.certain
        for group in self.groups:
            yield from (each.ruled for each in group if each.ruled is not None)

    def proper(self, alpha: Mapping[str, Floats]) -> bool:
        """Whether the prior, held to the rules as a density, can be integrated in all of them."""
        return all(is_proper(each, prior_at(each, alpha)) for each in self.every)


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Of what the marginal likelihood is asked, and how it is integrated."""

    evidence: Mapping[str, Evidence]
    alpha: Mapping[str, Floats]
    pooled: bool
    sampling: Sampling
    seed: int
    threads: int


def schemes_of(knowledge: Knowledge | None, certain: Ruled | None, gathered: Gathered) -> Schemes:
    """The rule set, taken apart; certain: its certain rules, bound to the tables."""
    if knowledge is None or certain is None or not doubted_part(knowledge):
        return Schemes(certain)
    families = certain.bound.cells.families
    others = [name for name in gathered.families if name not in families]
    bound = bind(
        knowledge.rules, certain.bound.cells, ordered=certain.bound.cells.declared, others=others
    )
    doubts = doubts_of(bound)
    most = max(len(each.rules) for each in doubts)
    if most > EVERY:
        return Schemes(certain, crowded=most)
    return Schemes(certain, tuple(_subsets(knowledge, each, gathered) for each in doubts))


def _subsets(knowledge: Knowledge, doubt: Doubt, gathered: Gathered) -> tuple[Scheme, ...]:
    rules = [knowledge.parameters[at] for at in doubt.rules]
    found = []
    for held in product((False, True), repeat=len(rules)):
        sure = [replace(r, confidence=1.0) for r, on in zip(rules, held, strict=True) if on]
        prior = sum(
            log(r.confidence) if on else log1p(-r.confidence)
            for r, on in zip(rules, held, strict=True)
        )
        found.append(Scheme(prior, _held(certain_part(knowledge), sure, gathered)))
    return tuple(found)


def _held(certain: Knowledge, rules: Sequence[Rule], gathered: Gathered) -> Ruled | None:
    try:
        known = Knowledge((*certain.rules, *rules))
        return ruled(known, gathered.structure.dag, gathered.families)
    except ConflictError:
        return None


def marginal_of(schemes: Schemes, asked: Question) -> LogEvidence:
    """log P(cases given prior and rules), with its Monte Carlo error."""
    if schemes.crowded:
        raise EstimateError(
            f"{schemes.crowded} doubted rules speak of the same rows; no more than {EVERY} are "
            "weighed"
        )
    base = _evidence(schemes.certain, asked)
    if base.value == -inf:
        return base
    value, variance = base.value, base.error**2
    for group in schemes.groups:
        terms = [(each.log_prior, _evidence(each.ruled, asked)) for each in group if each.ruled]
        whole = np.logaddexp.reduce([prior for prior, _ in terms])
        logs = np.array([prior - whole + found.value for prior, found in terms])
        top = logs.max()
        weights = np.exp(logs - top)
        value += float(top + np.log(weights.sum())) - base.value
        errors = weights / weights.sum() * np.array([found.error for _, found in terms])
        variance += float((errors**2).sum())
    return LogEvidence(value, float(np.sqrt(variance)), asked.pooled, base.how)


def _evidence(known: Ruled | None, asked: Question) -> LogEvidence:
    if known is not None and is_bent(known):
        raise EstimateError("rules that are not linear leave it without a formula")
    if known is not None and (held_at(known, asked.evidence)[known.plan.zeros] > 0).any():
        return LogEvidence(-inf, 0.0, asked.pooled, ("cases are impossible under the rules",))
    return evidence_of(
        known,
        asked.evidence,
        asked.alpha,
        pooled=asked.pooled,
        sampling=asked.sampling,
        seed=asked.seed,
        threads=asked.threads,
    )
