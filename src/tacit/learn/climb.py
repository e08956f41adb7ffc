"""The one loop: take steps until nothing improves, and say why it ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from tacit.learn.fits import Stop


class Iterate(Protocol):
    """What a learner carries from step to step; its objective is its own."""

    @property
    def objective(self) -> float:
        """What the learner maximises, at this very iterate."""


It = TypeVar("It", bound=Iterate)


@dataclass(frozen=True, slots=True)
class Climb(Generic[It]):
    """Where a climb ended, the objective after every step, and why it stopped."""

    iterate: It
    trace: tuple[float, ...]
    stop: Stop


def climb(
    step: Callable[[It], It],
    start: It,
    *,
    tolerance: float,
    max_steps: int,
    trace: Sequence[float] = (),
    told: Callable[[It, Sequence[float]], None] | None = None,
) -> Climb[It]:
    """Step until two steps in a row gain less than `tolerance` of the objective's size.

    trace  the objectives before `start` when a climb is taken up again
    told   hears every iterate and the trace so far: for progress, checkpoints, interruption

    An interruption from the keyboard ends the climb with the best iterate so far.
    """
    here, history = start, [*trace, start.objective]
    try:
        while len(history) <= max_steps:
            if told is not None:
                told(here, history)
            after = step(here)
            if not after.objective >= here.objective:
                after = here  # rounding: nothing is left to gain
            history.append(after.objective)
            here = after
            if _flat(history, tolerance):
                return Climb(here, tuple(history), Stop.CONVERGED)
    except KeyboardInterrupt:
        return Climb(here, tuple(history), Stop.INTERRUPTED)
    return Climb(here, tuple(history), Stop.STEP_LIMIT)


def _flat(history: Sequence[float], tolerance: float) -> bool:
    if len(history) < 3:
        return False
    small = tolerance * max(1.0, abs(history[-1]))
    return history[-1] - history[-2] <= small and history[-2] - history[-3] <= small
