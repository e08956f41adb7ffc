"""What a search for hidden variables found as JSON holds it, and back: its part of a saved fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeAlias, TypeVar

import numpy as np

from tacit.core.errors import FormatError
from tacit.learn.fits import Fit
from tacit.learn.kinds import number, several, text, texts, truth, whole
from tacit.learn.unseen.profile import Neighbour, Profile
from tacit.learn.unseen.proposals import (
    HiddenCandidate,
    HiddenProposal,
    HiddenProposals,
    Hunt,
    Merging,
)
from tacit.learn.unseen.stability import Stability

T = TypeVar("T")
MEAN_AND_SD = 2
"""What is kept of a continuous neighbour."""
Plain: TypeAlias = Mapping[str, Any]
ToPlain: TypeAlias = Callable[[Fit], dict[str, Any]]
FromPlain: TypeAlias = Callable[[Plain], Fit]


def hunt_to_plain(hunt: Hunt, fit_to_plain: ToPlain) -> dict[str, Any]:
    """What was found, each proposal with its own fit."""
    return {
        "proposals": [
            {**proposal_to_plain(each), "fit": fit_to_plain(each.fit)} for each in hunt.proposals
        ],
        "candidates": [candidate_to_plain(each) for each in hunt.candidates],
        "without": fit_to_plain(hunt.without),
        "score_without": hunt.score_without,
        "learned_from": hunt.learned_from,
        "held_out": hunt.held_out,
    }


def candidate_to_plain(candidate: HiddenCandidate) -> dict[str, Any]:
    """A line of the log."""
    plain = {each.name: getattr(candidate, each.name) for each in fields(HiddenCandidate)}
    return {key: list(each) if isinstance(each, tuple) else each for key, each in plain.items()}


def proposal_to_plain(proposal: HiddenProposal) -> dict[str, Any]:
    """A proposal without its fit."""
    merging, stability = proposal.merging, proposal.stability
    return {
        "name": proposal.name,
        "children": list(proposal.children),
        "parents": list(proposal.parents),
        "states": proposal.states,
        "gain": proposal.gain,
        "held_out_gain": proposal.held_out_gain,
        "held_out_error": proposal.held_out_error,
        "profile": profile_to_plain(proposal.profile),
        "accepted": proposal.accepted,
        "why": proposal.why,
        "source": proposal.source,
        "around": list(proposal.around),
        "turn": proposal.turn,
        "merged": proposal.merged,
        "curve": _curve_to_plain(proposal.curve),
        "merging": None
        if merging is None
        else {
            "first": merging.first,
            "states": merging.states,
            "curve": _curve_to_plain(merging.curve),
        },
        "stability": None
        if stability is None
        else {
            "below": list(stability.below),
            "agree": list(stability.agree),
            "merged": stability.merged,
        },
    }


def profile_to_plain(profile: Profile) -> dict[str, Any]:
    """What the states stand for."""
    return {
        "name": profile.name,
        "states": list(profile.states),
        "shares": profile.shares.tolist(),
        "neighbours": [
            {
                "name": each.name,
                "role": each.role,
                "states": list(each.states),
                "information": each.information,
                "given": each.given.tolist(),
                "overall": each.overall.tolist(),
            }
            for each in profile.neighbours
        ],
    }


def _curve_to_plain(curve: Mapping[int, float]) -> list[list[float]]:
    return [[states, score] for states, score in curve.items()]


def proposals_from_plain(fit: Fit, plain: Any, fit_from_plain: FromPlain) -> HiddenProposals:
    """The fit as the proposals that it was; an error names the part that is damaged."""
    if not isinstance(plain, dict):
        raise _damaged("it is no description of one")
    part = _Parts(plain)
    hunt = Hunt(
        proposals=part("proposals", lambda said: _proposals(said, fit_from_plain)),
        candidates=part("candidates", lambda said: tuple(map(_candidate, several(said)))),
        without=part("without", fit_from_plain),
        score_without=part("score_without", number),
        learned_from=part("learned_from", whole),
        held_out=part("held_out", whole),
    )
    return HiddenProposals(
        **{each.name: getattr(fit, each.name) for each in fields(Fit)}, hunt=hunt
    )


def _damaged(what: str) -> FormatError:
    return FormatError(f"what the saved search for hidden variables says is damaged: {what}")


class _Parts:
    """Parts of plain data, each read as its kind; an error names the one that is not."""

    def __init__(self, plain: Any, of: str = "its") -> None:
        self._plain, self._of = plain, of

    def __call__(self, name: str, read: Callable[[Any], T]) -> T:
        if not isinstance(self._plain, dict) or name not in self._plain:
            raise _damaged(f"{self._of} {name!r} is missing")
        try:
            return read(self._plain[name])
        except FormatError:  # a part of this part has said what is wrong
            raise
        except (TypeError, ValueError, KeyError, AttributeError, IndexError):
            raise _damaged(f"{self._of} {name!r} is not what is kept there") from None


def _proposals(said: Any, fit_from_plain: FromPlain) -> tuple[HiddenProposal, ...]:
    return tuple(
        _proposal(_Parts(each, f"proposal {at}: its"), fit_from_plain)
        for at, each in enumerate(several(said), 1)
    )


def _proposal(part: _Parts, fit_from_plain: FromPlain) -> HiddenProposal:
    found = HiddenProposal(
        name=part("name", text),
        children=part("children", texts),
        parents=part("parents", texts),
        states=part("states", whole),
        gain=part("gain", number),
        held_out_gain=part("held_out_gain", _or_none(number)),
        held_out_error=part("held_out_error", _or_none(number)),
        fit=part("fit", fit_from_plain),
        profile=part("profile", _profile),
        accepted=part("accepted", truth),
        why=part("why", text),
        source=part("source", text),
        around=part("around", texts),
        turn=part("turn", whole),
        merged=part("merged", whole),
        curve=part("curve", _curve),
        merging=part("merging", _or_none(_merging)),
        stability=part("stability", _or_none(_stability)),
    )
    part("name", lambda name: _check_place(found, str(name)))
    return found


def _check_place(found: HiddenProposal, name: str) -> None:
    """Nothing, or an error: the variable is where its fit has it, with these states."""
    network = found.fit.network
    states = getattr(network.variables[name], "states", ())
    here = (set(network.dag.children[name]), set(network.dag.parents[name]), len(states))
    if here != (set(found.children), set(found.parents), found.states):
        raise ValueError(name)
    if found.profile.states != tuple(states):
        raise ValueError(name)


def _or_none(read: Callable[[Any], T]) -> Callable[[Any], T | None]:
    return lambda said: None if said is None else read(said)


def _curve(said: Any) -> dict[int, float]:
    return {whole(states): number(score) for states, score in several(said)}


def _numbers(said: Any) -> tuple[float, ...]:
    return tuple(map(number, several(said)))


def _merging(said: Any) -> Merging:
    return Merging(whole(said["first"]), whole(said["states"]), _curve(said["curve"]))


def _stability(said: Any) -> Stability:
    return Stability(_numbers(said["below"]), _numbers(said["agree"]), number(said["merged"]))


def _profile(said: Any) -> Profile:
    states, shares = texts(said["states"]), np.array(_numbers(said["shares"]))
    if shares.shape != (len(states),):
        raise ValueError(said)
    neighbours = tuple(_neighbour(each, len(states)) for each in several(said["neighbours"]))
    return Profile(text(said["name"]), states, shares, neighbours)


def _neighbour(said: Any, states: int) -> Neighbour:
    own, overall = texts(said["states"]), np.array(_numbers(said["overall"]))
    rows = [_numbers(row) for row in several(said["given"])]
    given = np.array(rows) if rows else np.zeros((0, 0))
    many = len(own) or (MEAN_AND_SD if states else 0)
    if given.shape != (states, many) or overall.shape != (many,):
        raise ValueError(said)
    told = text(said["name"]), text(said["role"]), own, number(said["information"])
    return Neighbour(*told, given, overall)


def _candidate(said: Any) -> HiddenCandidate:
    part = _Parts(said, "a candidate: its")
    return HiddenCandidate(
        turn=part("turn", whole),
        children=part("children", texts),
        moved=part("moved", truth),
        source=part("source", text),
        states=part("states", _or_none(whole)),
        merged=part("merged", _or_none(whole)),
        ended_with=part("ended_with", texts),
        gain=part("gain", _or_none(number)),
        verdict=part("verdict", text),
    )
