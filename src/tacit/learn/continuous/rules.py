"""Gaussian families that obey rules, from complete cases or from expected ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tacit.core.family import Family
from tacit.estimate.continuous.regression import Extra
from tacit.estimate.continuous.regressions import joined, moments_at, regressions
from tacit.estimate.continuous.ties import Squares, Tied
from tacit.estimate.continuous.tolls import statuses
from tacit.estimate.continuous.tying import Member, Ties, configurations
from tacit.estimate.gaussians import gaussian_log_likelihood
from tacit.estimate.ruled.status import RuleStatus
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.gaussian import LinearGaussian
from tacit.learn.fits import Evidence
from tacit.learn.obeyed import INTERVALS, resisted_notes
from tacit.learn.parts import Part

FAINT = 1e-6
"""What all cases count for in a configuration that has too few of its own."""


def squares_of(
    ties: Ties, evidence: Mapping[str, Evidence], extra: Mapping[str, Extra | None]
) -> dict[Member, Squares]:
    """What is known of every regression that rules speak of, the prior's squares included.

    One with no more cases than parameters takes all cases, faintly: they say what rules leave open.
    """
    found = {}
    for name, configuration in ties.members:
        held, added = moments_at(evidence[name], configuration), extra.get(name)
        if added is not None:
            own = Squares(held + added.moments, held.weight + added.weight)
        elif held.weight <= held.means.size + 1 and configurations(ties.bound, name) > 1:
            all_cases = evidence[name]
            assert isinstance(all_cases, ConditionalMoments)
            pooled = FAINT * all_cases.pooled()
            own = Squares(pooled, pooled.weight)
        else:
            own = Squares(held, held.weight)
        found[name, configuration] = own
    return found


def ruled_families(
    ties: Ties, solved: tuple[Tied, ...], families: Mapping[str, Family]
) -> dict[str, Family]:
    """The families with their ruled regressions replaced."""
    changed: dict[str, list[LinearGaussian]] = {}
    for group, found in zip(ties.groups, solved, strict=True):
        for (name, at), beta, variance in zip(
            group.members, found.betas, found.variances, strict=True
        ):
            own = changed.setdefault(name, regressions(families[name]))
            sd = float(np.sqrt(variance))
            own[at] = LinearGaussian(own[at].variables, beta[:-1], float(beta[-1]), sd)
    new = {name: joined(families[name].variables, own) for name, own in changed.items()}
    return {**families, **new}


@dataclass(frozen=True, slots=True, eq=False)
class TiedParts:
    """Families as the rules want them, what became of the rules, and whether it took a solver."""

    parts: Mapping[str, Part]
    rules: tuple[RuleStatus, ...]
    notes: tuple[str, ...] = ()
    solver: bool = False


def obey_ties(
    ties: Ties | None,
    evidence: Mapping[str, Evidence],
    parts: Mapping[str, Part],
    extra: Mapping[str, Extra | None],
) -> TiedParts:
    """maximise  the likelihood and the prior of the Gaussian families  subject to their rules."""
    if ties is None:
        return TiedParts(parts, ())
    squares = squares_of(ties, evidence, extra)
    solved = ties.solved(squares)
    families = ruled_families(ties, solved, {name: part.family for name, part in parts.items()})
    changed = dict(parts)
    for name in {name for name, _ in ties.members}:
        likelihood, prior = _values(families[name], evidence[name], extra.get(name))
        changed[name] = replace(
            parts[name],
            family=families[name], log_likelihood=likelihood, objective=likelihood + prior,
            redundant=0, thin=0, unseen=0, leaning=None,
        )  # fmt: skip
    found = statuses(ties, squares, solved)
    return TiedParts(changed, found, tie_notes(ties, found), needs_solver(ties))


def needs_solver(ties: Ties) -> bool:
    """Whether equalities alone do not give the optimum in closed form."""
    return any(
        bool((~group.means.equal).any() or (~group.noise.equal).any() or group.joins)
        for group in ties.groups
    )


def tie_notes(ties: Ties, found: tuple[RuleStatus, ...]) -> tuple[str, ...]:
    """What the reader should know about regressions under rules."""
    said = [*resisted_notes(found)]
    if any(group.joins for group in ties.groups):
        said.append(
            "coefficients of several regressions are tied, which weigh by variances that are "
            "estimated too: this is the better of the maxima that two starts found"
        )
    return (*said, *INTERVALS)


def _values(family: Family, evidence: Evidence, extra: Extra | None) -> tuple[float, float]:
    """Log-likelihood, and the prior's part of the objective."""
    likelihood = prior = 0.0
    for at, own in enumerate(regressions(family)):
        held = moments_at(evidence, at)
        likelihood += gaussian_log_likelihood(own, held) if held.weight > 0 else 0.0
        prior += 0.0 if extra is None else extra.value(own)
    return likelihood, prior
