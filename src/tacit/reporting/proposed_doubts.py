"""What the reader of a proposed hidden variable should worry about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.core.errors import quoted
from tacit.learn.fits import Fit
from tacit.learn.unseen.proposals import HiddenProposal, HiddenProposals
from tacit.reporting.support import Rows
from tacit.reporting.wording import percent, some

LITTLE = 3.0
"""Nats within which two numbers of states are as good."""
AGREED = 0.9
"""The share of cases below which starts at random see other classes."""
RARE = 20.0
"""Cases on which a state of a hidden variable should rest."""


def against(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """Variables that an expert fixed though the cases do not ask for them."""
    del tables
    told = [
        f"{quoted(each.name)} ({each.gain:+,.1f} nats)"
        for each in _accepted(fit)
        if each.why.startswith("fixed") and each.gain < LITTLE
    ]
    if not told:
        return None
    return _worry("fixed", f"the cases do not ask for what the expert fixed: {', '.join(told)}")


def doubtful(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """A held-out gain within two standard errors of nothing."""
    del tables
    told = [
        f"{quoted(each.name)} ({each.held_out_gain:+.4f} ± {each.held_out_error:.4f} nats a case)"
        for each in _accepted(fit)
        if each.held_out_gain is not None
        and each.held_out_error is not None
        and abs(each.held_out_gain) < 2 * each.held_out_error
    ]
    if not told:
        return None
    text = f"cases held out hardly speak for {', '.join(told)}: less than two standard errors"
    return _worry("held out", text)


def unstable(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """Starts at random that come as high and see other classes, or that nearly all stay below."""
    del tables
    told = []
    for each in _accepted(fit):
        stability = each.stability
        if stability is None:
            continue
        near = [a for a, b in zip(stability.agree, stability.below, strict=True) if b <= LITTLE]
        if near and min(near) < AGREED:
            told.append(
                f"of {quoted(each.name)} another start comes within {LITTLE:g} nats and puts only "
                f"{percent(min(near))} of the cases in the same state"
            )
    if not told:
        return None
    return _worry("unstable", f"what the states stand for depends on the start: {'; '.join(told)}")


def other_numbers(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """Another number of states that gains nearly as much."""
    del tables
    told = []
    for each in _accepted(fit):
        here = each.curve.get(each.states, each.gain)
        near = [k for k, gain in each.curve.items() if k != each.states and here - gain < LITTLE]
        if near:
            numbers = " or ".join(map(str, sorted(near)))
            told.append(f"{quoted(each.name)} might as well have {numbers} states")
    if not told:
        return None
    return _worry("other numbers", f"{'; '.join(told)}: within {LITTLE:g} nats of its {_own(fit)}")


def _own(fit: Fit) -> str:
    numbers = [str(each.states) for each in _accepted(fit)]
    return numbers[0] if len(numbers) == 1 else "own number"


def rare(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """States that stand for few cases."""
    del tables
    told = []
    for each in _accepted(fit):
        if not each.profile.states:
            continue
        low = float(each.profile.shares.min()) * fit.cases.weight
        if low < RARE:
            state = each.profile.states[int(each.profile.shares.argmin())]
            told.append(f"{quoted(each.name)}={quoted(state)} on {some(round(low, 1), 'case')}")
    if not told:
        return None
    return _worry(
        "rare states", f"states that rest on fewer than {RARE:g} cases: {', '.join(told)}"
    )


def _accepted(fit: Fit) -> Sequence[HiddenProposal]:
    return fit.accepted if isinstance(fit, HiddenProposals) else ()


def _worry(kind: str, text: str) -> dict[str, Any]:
    return {"kind": kind, "text": text, "where": []}


HIDDEN_CHECKS = (against, doubtful, unstable, other_numbers, rare)
"""In the order in which the reader hears of them."""
