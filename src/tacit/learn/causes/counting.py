"""Families of independent causes from complete cases: the maximum of a concave function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import EstimateError, quoted
from tacit.estimate.causes.estimate import CannotBeError, CausesEstimate, estimate_causes
from tacit.estimate.causes.likelihood import causes_log_likelihood
from tacit.estimate.estimates import Estimate
from tacit.families.cause_counts import CauseCounts
from tacit.families.causes import Causes
from tacit.learn.causes.kinds import Caused
from tacit.learn.causes.priors import link_prior, pseudo_of
from tacit.learn.choices import Choices
from tacit.learn.counted import Counted
from tacit.learn.parts import Part


@dataclass(frozen=True, slots=True, eq=False)
class CausedParts:
    """All families of independent causes of a network.

    parts  what is undetermined are causes, by their number in the frame
    alpha  of every cause, the leak last, in the states of the child
    """

    parts: Mapping[str, Part]
    alpha: Mapping[str, Floats]


def fit_causes(causes: Mapping[str, Caused], counted: Counted, choices: Choices) -> CausedParts:
    """Every family of independent causes from what was counted."""
    parts, alpha = {}, {}
    for name, caused in causes.items():
        counts = counted.evidence[name]
        assert isinstance(counts, CauseCounts)
        alpha[name] = link_prior(choices.prior, caused.frame)
        parts[name] = estimate_caused(caused, counts, alpha[name], choices.estimate)
    return CausedParts(parts, alpha)


def estimate_caused(
    caused: Caused,
    counts: CauseCounts,
    alpha: Floats,
    estimate: Estimate,
) -> Part:
    """The family that is best under `estimate`: the one maximum of a concave function."""
    pseudo = pseudo_of(caused, alpha, estimate)
    found = most_likely_causes(caused, counts, pseudo)
    likelihood = causes_log_likelihood(found.causes, counts)
    return Part(
        caused.kind.from_causes(found.causes),
        likelihood,
        likelihood + log_density(found.causes, pseudo),
        tuple(map(int, np.flatnonzero(found.undetermined.any(axis=1)))),
    )


def most_likely_causes(caused: Caused, counts: CauseCounts, pseudo: Floats) -> CausesEstimate:
    """What the causes do, under the rules about them; errors in words."""
    try:
        return estimate_causes(caused.frame, counts, pseudo, caused.limits)
    except CannotBeError:
        name = caused.frame.variables[-1].name
        raise EstimateError(
            f"the rules leave no probability to some cases of {quoted(name)}: nothing may bring "
            "about what was seen, or something must that was not\n\nallow a little"
        ) from None


def log_density(causes: Causes, pseudo: Floats) -> float:
    """Σ pseudo log P(Z = level) over all causes."""
    said = pseudo > 0
    with np.errstate(divide="ignore"):
        return float(pseudo[said] @ np.log(causes.values[said]))


def caused_notes(parts: Mapping[str, Part]) -> tuple[str, ...]:
    """What the reader should know of these families."""
    told = []
    for name, part in parts.items():
        if part.undetermined:
            many = len(part.undetermined)
            told.append(
                f"{many:,} {'link' if many == 1 else 'links'} of {quoted(name)} no case says "
                "anything about; half was taken"
            )
    return tuple(told)
