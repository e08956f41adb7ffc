"""Whether the parts of a saved fit that speak of other families than tables belong together."""

from __future__ import annotations

from tacit.families.cause_counts import CauseCounts
from tacit.families.noisy import Noisy
from tacit.families.shared import SharedRows
from tacit.learn.fits import Fit


def links(fit: Fit) -> dict[str, tuple[int, ...]]:
    """The shape of what a prior says of independent causes, and of shared rows."""
    noisy = {name: each.causes.values.shape for name, each in _noisy(fit).items()}
    return {**noisy, **{name: each.values.shape for name, each in _shared(fit).items()}}


def causes_fit(fit: Fit) -> bool:
    """Whether the statistics by configuration are those of the network, and of no others."""
    noisy: dict[str, Noisy | SharedRows] = {**_noisy(fit), **_shared(fit)}
    held = {name: each for name, each in fit.evidence.items() if isinstance(each, CauseCounts)}
    return set(held) == set(noisy) and all(_fits(held[name], noisy[name]) for name in held)


def _noisy(fit: Fit) -> dict[str, Noisy]:
    families = fit.network.families.items()
    return {name: each for name, each in families if isinstance(each, Noisy)}


def _shared(fit: Fit) -> dict[str, SharedRows]:
    families = fit.network.families.items()
    return {name: each for name, each in families if isinstance(each, SharedRows)}


def _fits(held: CauseCounts, family: Noisy | SharedRows) -> bool:
    if isinstance(family, SharedRows):
        rows, levels = 0, 0
    else:
        rows, levels = family.causes.values.shape
    if held.expected is not None and held.expected.shape != (rows, levels - 1, 2):
        return False
    return held.shape == tuple(len(variable.states) for variable in family.variables)
