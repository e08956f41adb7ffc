"""What became of rules about links: whether they bind, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.causes.likelihood import causes_log_likelihood
from tacit.estimate.estimates import Estimate
from tacit.estimate.ruled.status import RuleStatus
from tacit.families.cause_counts import CauseCounts
from tacit.families.causes import Causes
from tacit.learn.causes.counting import log_density, most_likely_causes
from tacit.learn.causes.kinds import Caused
from tacit.learn.causes.linking import Linking, LinkRule, limits_of, sides_met
from tacit.learn.causes.priors import pseudo_of
from tacit.learn.fits import Evidence

MET = 1e-7
"""A limit that is nearer than this is reached."""
NOTHING = 1e-9
"""A rule that costs no more nats than this does not bind."""
SOLVED = "bounds on links (concave programme)"


def link_statuses(
    linked: Linking,
    evidence: Mapping[str, Evidence],
    alpha: Mapping[str, Floats],
    estimate: Estimate,
    expected: bool = False,
) -> tuple[RuleStatus, ...]:
    """How every rule about links stands at these counts.

    expected: cells are missing, and the counts were not inferred anew without the rule
    """
    found = []
    for name, several in linked.rules.items():
        caused, counts = linked.causes[name], evidence[name]
        assert isinstance(counts, CauseCounts)
        pseudo = pseudo_of(caused, alpha[name], estimate)
        found += [
            replace(s, at_least=expected) for s in _of_family(several, caused, counts, pseudo)
        ]
    return tuple(found)


def _of_family(
    rules: Sequence[LinkRule], caused: Caused, counts: CauseCounts, pseudo: Floats
) -> Iterator[RuleStatus]:
    from scipy.stats import chi2

    size = len(caused.frame) + 1

    def best(some: Sequence[LinkRule]) -> tuple[float, Causes]:
        under = replace(caused, limits=limits_of(some, size) if some else None)
        found = most_likely_causes(under, counts, pseudo).causes
        return _value(found, counts, pseudo), found

    free, (held, found) = best(())[0], best(rules)
    strengths = found.values[:, 1].tolist()
    for rule in rules:
        cost = max(0.0, best([other for other in rules if other is not rule])[0] - held)
        alone = max(0.0, free - best([rule])[0])
        sides = list(sides_met(rule, strengths))
        nearest = min(sides, key=lambda side: abs(side[0] - side[1]))
        reached = sum(abs(value - limit) <= MET for value, limit in sides)
        binds = reached if cost > NOTHING or alone > NOTHING else 0
        share = 1.0 if any(sign == "=" for _, sign, _ in rule.pairs) else 0.5
        yield RuleStatus(
            text=rule.rule.text,
            value=nearest[0],
            limit=nearest[1],
            binding=binds,
            price=None,
            cost=cost,
            solved_by=SOLVED,
            by=rule.rule.by,
            confidence=rule.rule.confidence,
            source=rule.rule.source,
            line=rule.rule.line,
            instances=len(sides),
            freedom=int(binds > 0),
            chance=share * float(chi2.sf(2 * alone, 1)) if alone > NOTHING else None,
            alone=alone,
        )


def _value(causes: Causes, counts: CauseCounts, pseudo: Floats) -> float:
    """What the estimate maximises: the log-likelihood, what is expected, and the prior's term."""
    total = causes_log_likelihood(causes, counts) + log_density(causes, pseudo)
    if counts.expected is None:
        return total
    with np.errstate(divide="ignore"):
        logs = np.stack([causes.logs[:-1], np.log(-np.expm1(causes.logs[:-1]))], axis=-1)
    used = counts.expected > 0
    return total + float(counts.expected[used] @ logs[used])
