"""Simulated annealing: random moves, downhill ones accepted by a chance that cools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from math import exp, inf
from typing import Generic, Protocol, TypeVar

import numpy as np

from tacit.core.errors import OptionError
from tacit.core.interrupts import Asked
from tacit.learn.annealing.settings import check_cooling, check_number, rounds_between

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class SimulatedAnnealing:
    """Random moves; one that lowers the score by d is accepted with probability exp(-d / tau).

    start, end  the first temperature, in nats, and the one at which it ends
    cooling     the factor from one temperature to the next
    steps       moves tried at each temperature
    accepted    the next temperature comes sooner, after so many accepted moves; None: never

    It ends early at a temperature at which no move was accepted. The defaults are about those of
    Heckerman, Geiger and Chickering (1995).
    """

    start: float = 100.0
    end: float = 0.2
    cooling: float = 0.95
    steps: int = 400
    accepted: int | None = 200

    def __post_init__(self) -> None:
        check_number("start", self.start, 0, inf, "a temperature, 0 or more")
        check_cooling(self.end, self.cooling)
        for name in ("steps", "accepted"):
            given = getattr(self, name)
            never = name == "accepted" and given is None
            if not never and not (type(given) is int and given >= 1):
                raise OptionError(f"{name}={given!r} must be a whole number, 1 or more")

    @property
    def rounds(self) -> int:
        """How many temperatures there are: ceil(ln(end / start) / ln cooling)."""
        return rounds_between(self.start, self.end, self.cooling)

    def temperatures(self) -> Iterator[float]:
        """The temperatures, falling, all above `end`."""
        return (self.start * self.cooling**round_ for round_ in range(self.rounds))

    def describe(self) -> str:
        """The method as Python writes it, with what differs from the defaults."""
        said = [
            f"{each.name}={getattr(self, each.name)!r}"
            for each in fields(self)
            if getattr(self, each.name) != each.default
        ]
        return f"SimulatedAnnealing({', '.join(said)})"


class Walk(Protocol[M]):
    """Something that can be moved: a dag, or anything else with a score."""

    def propose(self, rng: np.random.Generator) -> tuple[M, float] | None:
        """A random legal move and what the score would gain; None where there is none."""

    def apply(self, move: M) -> None:
        """Make the move."""


@dataclass(frozen=True, slots=True)
class Walked(Generic[M]):
    """The moves that were made, and after how many of them the score was highest.

    best   the first so many moves lead to the highest score; 0: nothing was better than the start
    gain   how much higher it is there than at the start
    last   how much higher the score is after all moves; below 0 where it is lower
    tried  how many moves were proposed
    """

    moves: tuple[M, ...]
    best: int
    gain: float
    last: float
    tried: int
    interrupted: bool = False


def accept(gain: float, temperature: float, rng: np.random.Generator) -> bool:
    """Whether a move is made: always uphill, downhill with probability exp(gain / temperature).

    The source has the sign wrong: exp(-gain / temperature) would exceed 1. [erratum E16]
    """
    if gain > 0:
        return True
    return temperature > 0 and rng.random() < exp(gain / temperature)


def simulated(
    settings: SimulatedAnnealing,
    walk: Walk[M],
    rng: np.random.Generator,
    told: Callable[[int, int, float], None] | None = None,
    asked: Asked = lambda: False,
) -> Walked[M]:
    """Walk at every temperature; `walk` is left where the last move led.

    told   hears after each temperature how many are done, of how many, and the gain so far
    asked  whether the end is wanted; looked at before every step
    """
    steps = _Steps[M]([])
    for number, temperature in enumerate(settings.temperatures()):
        made = len(steps.moves)
        for _ in range(settings.steps):
            if asked():
                return steps.ended(interrupted=True)
            steps.try_one(walk, temperature, rng)
            if settings.accepted is not None and len(steps.moves) - made >= settings.accepted:
                break
        if told is not None:
            told(number + 1, settings.rounds, steps.gain)
        if len(steps.moves) == made:
            break
    return steps.ended()


@dataclass(slots=True)
class _Steps(Generic[M]):
    """What a walk has done so far."""

    moves: list[M]
    best: int = 0
    gain: float = 0.0
    last: float = 0.0
    tried: int = 0

    def try_one(self, walk: Walk[M], temperature: float, rng: np.random.Generator) -> None:
        proposed = walk.propose(rng)
        if proposed is None:
            return
        move, gain = proposed
        self.tried += 1
        if not accept(gain, temperature, rng):
            return
        walk.apply(move)
        self.moves.append(move)
        self.last += gain
        if self.last > self.gain:
            self.best, self.gain = len(self.moves), self.last

    def ended(self, interrupted: bool = False) -> Walked[M]:
        return Walked(tuple(self.moves), self.best, self.gain, self.last, self.tried, interrupted)
