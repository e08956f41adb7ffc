"""The objective against the step, as lines with coordinates for a template to write as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

WIDTH, HEIGHT = 360.0, 110.0
DRAWN = 1_000
"""Steps that a line shows, about."""
SETTLED = 2
"""Steps after which every start has left the depths it began in."""

Path: TypeAlias = Sequence[Sequence[float | None]]
"""[step, objective] in the order of steps; None where it is not finite."""


@dataclass(frozen=True, slots=True)
class Line:
    """One start: the points of a polyline, and whether it is the best."""

    points: str
    best: bool


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines of `what` on one scale; `cut` if the first steps lie below its lower edge `low`."""

    lines: tuple[Line, ...]
    low: float
    high: float
    steps: int
    cut: bool
    label: str
    what: str


def thinned(trace: Sequence[float | None]) -> list[tuple[int, float | None]]:
    """The steps of one start; of very many so many as a line of this width can show."""
    last, every = len(trace) - 1, max(1, len(trace) // DRAWN)
    return [(at, trace[at]) for at in (*range(0, last, every), last)]


def chart(paths: Sequence[tuple[Path, bool]], what: str = "objective") -> Chart | None:
    """All starts on one scale, the best last so that it lies on top; None without two steps.

    The scale begins where the lowest start stands after two steps: what comes before is a leap
    that would flatten all the rest.
    """
    known = [([(s, v) for s, v in path if s is not None and v is not None], b) for path, b in paths]
    known = [(points, best) for points, best in known if len(points) > 1]
    if not known:
        return None
    values = [value for points, _ in known for _, value in points]
    high, lowest = max(values), min(values)
    low = min(points[min(SETTLED, len(points) - 1)][1] for points, _ in known)
    if not high - low > 1e-3 * (high - lowest):  # all is won in the first steps: show them
        low = lowest
    steps = int(max(points[-1][0] for points, _ in known))
    lines = tuple(
        Line(_points(points, low, high, steps), best)
        for points, best in sorted(known, key=lambda one: one[1])
    )
    label = f"The {what} against the step for {len(lines)} starts: up to {high:,.3f} nats"
    if len(lines) == 1:
        label = f"The {what} rose from {lowest:,.3f} to {high:,.3f} nats in {steps:,} steps"
    return Chart(lines, low, high, steps, lowest < low, label, what)


def _points(points: Sequence[tuple[float, float]], low: float, high: float, steps: int) -> str:
    scale, last = (high - low) or 1.0, max(1, steps)
    return " ".join(
        f"{_short(WIDTH * step / last)},{_short(HEIGHT * (1 - (value - low) / scale))}"
        for step, value in points
    )


def _short(value: float) -> str:
    return f"{max(-1e5, min(1e5, value)):.1f}".removesuffix(".0")
