"""What `tacit hidden` says: lines for people, one object for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacit.cli.targets import Target

if TYPE_CHECKING:
    from tacit.learn.unseen.proposals import HiddenProposals


def told_hidden(found: HiddenProposals) -> list[str]:
    """What was found, and each variable that was accepted in full."""
    return [str(found), *(str(each) for each in found.accepted)]


def plain_hidden(found: HiddenProposals, targets: Mapping[str, Target]) -> dict[str, Any]:
    """All of it but the fits."""
    from tacit.learn.unseen.saved_proposals import candidate_to_plain, proposal_to_plain

    hunt, network = found.hunt, found.network
    return {
        "command": "hidden",
        "cases": found.cases.cases,
        "weight": found.cases.weight,
        "missing_cells": dict(found.cases.missing),
        "learned_from": hunt.learned_from,
        "held_out": hunt.held_out,
        "score_without": hunt.score_without,
        "log_likelihood": found.log_likelihood,
        "log_likelihood_without": hunt.without.log_likelihood,
        "accepted": [each.name for each in found.accepted],
        "proposals": [{**proposal_to_plain(each), "curve": _curve(each.curve)} for each in found],
        "candidates": [candidate_to_plain(each) for each in found.candidates],
        "hidden": {
            name: states if isinstance(states, str) else list(states)
            for name, states in found.settings.get("hidden", {}).items()
        },
        "variables": len(network),
        "dag": str(network.dag),
        "free_parameters": network.free_parameters,
        "search": dict(found.settings["hidden_search"]),
        "stop": found.stop.value,
        "seed": found.seed,
        "notes": list(found.notes),
        "written": {what: target.path for what, target in targets.items()},
    }


def _curve(curve: Mapping[int, float]) -> list[dict[str, float]]:
    return [{"states": states, "gain": gain} for states, gain in curve.items()]
