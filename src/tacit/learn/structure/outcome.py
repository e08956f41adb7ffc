"""What every method of search answers: a dag by number, its score, and how it was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.learn.fits import Stop
from tacit.learn.structure.moves import Move
from tacit.learn.structure.state import Change, Parents


@dataclass(frozen=True, slots=True)
class Outcome:
    """A dag and the way to it.

    score        the sum over families, the prior over dags included
    trace        the best score at the start and after every step
    evaluations  how many families were scored
    restarts     how often the search began anew
    """

    parents: Parents
    score: float
    stop: Stop
    trace: tuple[float, ...]
    evaluations: int
    moves: tuple[Move, ...] = ()
    restarts: int = 0
    notes: tuple[str, ...] = ()


def as_move(change: Change, names: Sequence[str], restart: int = 0) -> Move:
    """A change by name."""
    instead = names[change.instead] if change.instead >= 0 else None
    return Move(change.verb, names[change.tail], names[change.head], change.gain, instead, restart)
