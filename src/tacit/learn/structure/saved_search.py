"""What a search found as JSON holds it, and back: the part of a saved fit that tells of its dag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from tacit.core.errors import FormatError
from tacit.learn.fits import Fit
from tacit.learn.kinds import number, several, text, whole
from tacit.learn.structure.confidence import ArcConfidence
from tacit.learn.structure.moves import Move
from tacit.learn.structure.searched import Arc, Found, Search
from tacit.learn.structure.state import VERBS

T = TypeVar("T")


def found_to_plain(found: Found) -> dict[str, Any]:
    """What was found, arcs as [tail, head, what is said of it]."""
    return {
        "score": found.score,
        "families": dict(found.families),
        "gains": _arcs_to_plain(found.gains),
        "evaluations": found.evaluations,
        "required": _arcs_to_plain(found.required),
        "missed": _arcs_to_plain(found.missed),
        "guidance": list(found.guidance),
        "moves": [[getattr(move, each.name) for each in fields(Move)] for move in found.moves],
        "restarts": found.restarts,
        "confidence": confidence_to_plain(found.confidence),
        "hidden": dict(found.hidden),
    }


def search_from_plain(fit: Fit, plain: Any) -> Search:
    """The fit as the search that it was; an error names the part that is damaged."""
    if not isinstance(plain, dict):
        raise _damaged("it is no description of one")
    read = _Reading(plain, frozenset(fit.network.dag.names), _dropped(fit))
    kept = {each.name: getattr(fit, each.name) for each in fields(Fit)}
    found = read.found()
    if set(found.families) != set(fit.network.dag.names):
        raise _damaged("its 'families' are not those of the network")
    if set(found.gains) != set(fit.network.dag.arcs):
        raise _damaged("its 'gains' are not of the arcs of the network")
    return Search(**kept, found=found)


def _dropped(fit: Fit) -> frozenset[str]:
    """Hidden variables that structural EM was asked for; moves may name them, the dag need not."""
    asked = fit.settings.get("unseen", {})
    return frozenset(asked) if isinstance(asked, dict) else frozenset()


def _arcs_to_plain(said: Mapping[Arc, Any]) -> list[list[Any]]:
    return [[tail, head, each] for (tail, head), each in said.items()]


def confidence_to_plain(confidence: ArcConfidence | None) -> dict[str, Any] | None:
    """How sure links are, as JSON holds it."""
    if confidence is None:
        return None
    return {
        "names": list(confidence.names),
        "shares": confidence.shares.tolist(),
        "allowed": confidence.allowed.tolist(),
        "replicates": confidence.replicates,
    }


def _damaged(what: str) -> FormatError:
    return FormatError(f"what the saved search says is damaged: {what}")


class _Reading:
    """The parts of a saved search, each checked to be of its kind.

    names, dropped   the variables, and those that were dropped on the way
    """

    def __init__(
        self, plain: Mapping[str, Any], names: frozenset[str], dropped: frozenset[str]
    ) -> None:
        self._plain, self._names, self._dropped = plain, names, dropped

    def found(self) -> Found:
        return Found(
            score=self._part("score", number),
            families=self._part("families", lambda said: _by_name(said, number)),
            gains=self._part("gains", self._arcs(number)),
            evaluations=self._part("evaluations", whole),
            required=self._part("required", self._arcs(text)),
            missed=self._part("missed", self._arcs(number)),
            guidance=self._part("guidance", lambda said: tuple(map(text, several(said)))),
            moves=self._part("moves", lambda said: tuple(map(self._move, several(said)))),
            restarts=self._part("restarts", whole),
            confidence=self._part("confidence", self._confidence),
            hidden=self._part("hidden", lambda said: _by_name(said, whole)),
        )

    def _part(self, name: str, read: Callable[[Any], T]) -> T:
        if name not in self._plain:
            raise _damaged(f"its {name!r} is missing")
        try:
            return read(self._plain[name])
        except (TypeError, ValueError, KeyError):
            raise _damaged(f"its {name!r} is not what a search keeps there") from None

    def _name(self, said: Any) -> str:
        if said not in self._names:
            raise ValueError(said)
        return text(said)

    def _arcs(self, read: Callable[[Any], T]) -> Callable[[Any], dict[Arc, T]]:
        def arcs(said: Any) -> dict[Arc, T]:
            return {
                (self._name(tail), self._name(head)): read(each)
                for tail, head, each in several(said)
            }

        return arcs

    def _move(self, said: Any) -> Move:
        verb, tail, head, gain, instead, restart = several(said)
        if verb not in VERBS:
            raise ValueError(verb)
        if not {tail, head, *([] if instead is None else [instead])} <= self._names | self._dropped:
            raise ValueError(said)
        return Move(verb, tail, head, number(gain), instead, whole(restart))

    def _confidence(self, said: Any) -> ArcConfidence | None:
        return None if said is None else confidence_from_plain(said, self._names)


def confidence_from_plain(said: Any, known: frozenset[str]) -> ArcConfidence:
    """How sure links among these variables are; a TypeError or ValueError if that is not said."""
    names = tuple(map(text, several(said["names"])))
    shares, allowed = np.array(said["shares"], dtype=np.float64), np.array(said["allowed"])
    square = (len(names), len(names))
    sound = shares.shape == allowed.shape == square and allowed.dtype == np.bool_
    sound = sound and known.issuperset(names) and len(set(names)) == len(names)
    if not sound or not ((shares >= 0) & (shares <= 1)).all():
        raise ValueError("no shares of arcs among these variables")
    shares.flags.writeable = False
    return ArcConfidence(names, shares, allowed, whole(said["replicates"]))


def _by_name(said: Any, read: Callable[[Any], T]) -> dict[str, T]:
    if not isinstance(said, dict):
        raise TypeError
    return {name: read(each) for name, each in said.items()}
