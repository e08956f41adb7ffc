"""What a reader should know about rounds of reweighting, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.core.grid import counted
from tacit.learn.annealing.driver import Round
from tacit.learn.annealing.settings import WeightAnnealing


def annealing_notes(settings: WeightAnnealing, rounds: Sequence[Round]) -> tuple[str, ...]:
    """How the weights were perturbed and cooled, and how many cases that left effective."""
    if not rounds:
        return ("no temperature lies between start and end, so no weight was perturbed",)
    how = "drawn at random" if settings.reweight == "random" else "set against the learner"
    hot, cold = rounds[0].temperature, rounds[-1].temperature
    least = min(each.effective for each in rounds)
    notes = [
        f"case weights were {how} in {counted(len(rounds), 'round')}, at temperatures from "
        f"{hot:.3g} to {cold:.3g}; at least {least:.2g} of the cases were effective"
    ]
    planned = list(settings.temperatures())
    halved = sum(each.temperature < heat for each, heat in zip(rounds, planned, strict=False))
    if halved:
        notes.append(
            f"the temperature was lowered in {counted(halved, 'round')}, so that at least "
            f"{settings.least_effective:g} of the cases stayed effective"
        )
    if lost := sum(not each.settled for each in rounds):
        notes.append(f"the weights of {counted(lost, 'round')} did not settle to a fixed point")
    return tuple(notes)
