"""The section on the path of information bottleneck EM: facts, words and drawings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tacit.core.errors import quoted
from tacit.learn.bottleneck.path import PathStep
from tacit.learn.fits import Fit
from tacit.reporting.blocks import Block, Paragraph, Section, Sheet
from tacit.reporting.wording import finite, joined, some

LISTED = 25
"""Steps that a table shows: the first, the last, and between them where information grew."""
WIDTH, HEIGHT = 220.0, 100.0


def path(fit: Fit) -> dict[str, Any] | None:
    """`steps` of the path of the best run, and of the one that chose the last gamma (`tried`).

    step  {gamma, objective, log_likelihood, information, effective, steps, held_out}: in nats per
          case, information and effective states of each of the `hidden` variables, None for those
          that were not there
    `threshold` is the gamma up to which hidden variables say nothing, None if they never do by
    themselves; `bound` whether log-likelihoods are lower bounds.
    """
    if fit.path is None or not fit.path.steps:
        return None
    found = fit.path
    weight = found.weight or fit.cases.weight or 1.0
    held = max((each.held_out is not None for each in found.tried), default=False)
    return {
        "hidden": list(found.hidden),
        "threshold": finite(found.threshold),
        "bound": found.bound,
        "steps": [_step(each, weight) for each in found.steps],
        "tried": [_step(each, weight) for each in found.tried] if held else [],
    }


def _step(step: PathStep, weight: float) -> dict[str, Any]:
    there = [many > 0 for many in step.states] or [True] * len(step.information)
    return {
        "gamma": step.gamma,
        "objective": finite(step.objective / weight),
        "log_likelihood": finite(step.log_likelihood / weight),
        "information": [
            finite(each) if known else None
            for each, known in zip(step.information, there, strict=True)
        ],
        "effective": [
            each if known else None for each, known in zip(step.effective, there, strict=True)
        ],
        "steps": step.steps,
        "held_out": finite(step.held_out),
    }


# --- words ---------------------------------------------------------------------------------------


def sentences(section: Section) -> list[str]:
    """What the path was, in words."""
    steps, hidden = section["steps"], section["hidden"]
    first, last = steps[0], steps[-1]
    said = [
        f"Gamma went from {first['gamma']:.3f} to {last['gamma']:.3f} in {some(len(steps), 'step')}"
        f", with {some(sum(one['steps'] for one in steps), 'step')} of EM."
    ]
    if section["threshold"] is not None:
        said.append(
            f"Up to {section['threshold']:.3f} the network in which hidden variables say nothing is"
            " stable."
        )
    told = [
        f"{quoted(name)} keeps {information:.3f} nats about a case, and "
        f"{some(states, 'state') if states > 1 else 'no two states'} of it are worth telling apart"
        for name, information, states in zip(
            hidden, last["information"], last["effective"], strict=True
        )
        if information is not None
    ]
    gone = len(hidden) - len(told)
    said.append(f"At its end {joined(told, 6)}.")
    if gone:
        said.append(f"{some(gone, 'further hidden variable')} came on the way and went again.")
    if section["tried"]:
        best = max(section["tried"], key=lambda one: one["held_out"] or float("-inf"))
        said.append(f"Cases held out were most likely at gamma {best['gamma']:.3f}.")
    if section["bound"]:
        said.append(
            "Hidden variables were taken for independent given a case, so the log-likelihoods on "
            "the path are lower bounds."
        )
    return said


HEADS = ("gamma", "log-likelihood", "objective", "information", "effective states", "steps of EM")


def rows(section: Section) -> list[tuple[str, ...]]:
    """Some steps as a table shows them."""
    steps = section["steps"]
    return [
        (
            f"{one['gamma']:.4f}",
            _number(one["log_likelihood"]),
            _number(one["objective"]),
            " ".join("–" if each is None else _number(each, 3) for each in one["information"]),
            " ".join("–" if each is None else str(each) for each in one["effective"]),
            str(one["steps"]),
        )
        for one in (steps[at] for at in _some(steps))
    ]


def _number(value: float | None, digits: int = 4) -> str:
    return "not finite" if value is None else f"{value:,.{digits}f}"


def _some(steps: Sequence[Mapping[str, Any]]) -> list[int]:
    """All steps, or of too many those between which information or gamma grew most evenly."""
    if len(steps) <= LISTED:
        return list(range(len(steps)))
    grown = [0.0]
    last = _told(steps[-1]) or 1.0
    for one, other in pairwise(steps):
        told = abs(_told(other) - _told(one)) / last
        grown.append(grown[-1] + told + other["gamma"] - one["gamma"])
    wanted = [grown[-1] * at / (LISTED - 1) for at in range(LISTED)]
    chosen = {min(range(len(grown)), key=lambda at: abs(grown[at] - value)) for value in wanted}
    return sorted(chosen)


def _told(step: Mapping[str, Any]) -> float:
    """The information of all hidden variables that are there."""
    return float(sum(each or 0.0 for each in step["information"]))


TITLE = "Some steps of the path, in nats per case"


def blocks(section: Section) -> Iterator[Block]:
    """As text and markdown show it."""
    yield Paragraph(" ".join(sentences(section)))
    yield Sheet(TITLE, HEADS, tuple(rows(section)))


# --- drawings ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Panel:
    """One figure against gamma: lines on one scale, the strong one last.

    mark  where along the axis the threshold lies; None where it is not on it
    """

    title: str
    x: int
    y: int
    lines: tuple[tuple[str, bool], ...]
    low: str
    high: str
    label: str
    mark: float | None


def view(section: Section) -> dict[str, Any]:
    """Panels side by side, and the table below them."""
    steps, tried = section["steps"], section["tried"]
    panels: list[Panel] = []
    drawn = [
        ("log-likelihood per case (nats)", steps, "log_likelihood", ".4f"),
        ("objective per case (nats)", steps, "objective", ".4f"),
        ("information (nats)", steps, "information", ".3f"),
        ("states worth telling apart", steps, "effective", ".0f"),
        ("log-likelihood of cases held out (nats)", tried, "held_out", ",.1f"),
    ]
    scale = _scale([one["gamma"] for one in (*steps, *tried)])
    for title, points, key, form in drawn:
        place = (80 + 320 * (len(panels) % 2), 28 + 170 * (len(panels) // 2))
        panel = _panel((title, key, form), points, scale, section["threshold"], place)
        panels += [panel] if panel is not None else []
    return {
        "said": sentences(section),
        "panels": panels,
        "height": 170 * ((len(panels) + 1) // 2),
        "ticks": " ".join(
            f"M{_across(one['gamma'], scale):.1f} {HEIGHT:g}v4" for one in (tried or steps)
        ),
        "first": f"{scale[0]:.2f}",
        "last": f"{scale[1]:.2f}",
        "several": len(section["hidden"]) > 1,
        "heads": HEADS,
        "rows": rows(section),
        "listed": TITLE,
    }


def _across(gamma: float, scale: tuple[float, float]) -> float:
    """How far along the axis a gamma lies."""
    return WIDTH * (gamma - scale[0]) / ((scale[1] - scale[0]) or 1.0)


def _scale(gammas: Sequence[float]) -> tuple[float, float]:
    return min(gammas), max(gammas)


def _panel(
    what: tuple[str, str, str],
    steps: Sequence[Mapping[str, Any]],
    scale: tuple[float, float],
    threshold: float | None,
    place: tuple[int, int],
) -> Panel | None:
    title, key, form = what
    lines = [line for line in _lines(steps, key) if len(line) > 1]
    if not lines:
        return None
    values = [value for line in lines for _, value in line]
    low, high = min(values), max(values)
    if key == "effective":
        low = 0.0
    ends = lines[-1][0][1], lines[-1][-1][1]
    label = f"{title} against gamma: from {ends[0]:{form}} to {ends[1]:{form}}"
    mark = None
    if threshold is not None and scale[0] <= threshold <= scale[1]:
        mark = round(_across(threshold, scale), 1)
    drawn = tuple(
        (_points(line, scale, low, high, stairs=key == "effective"), at == len(lines) - 1)
        for at, line in enumerate(lines)
    )
    return Panel(title, *place, drawn, f"{low:{form}}", f"{high:{form}}", label, mark)


def _lines(steps: Sequence[Mapping[str, Any]], key: str) -> list[list[tuple[float, float]]]:
    """One line, or one per hidden variable and then their mean."""
    told = [(one["gamma"], one[key]) for one in steps]
    if not told or not isinstance(told[0][1], list):
        return [[(gamma, value) for gamma, value in told if value is not None]]
    many = len(told[0][1])
    lines = [[(g, float(v[at])) for g, v in told if v[at] is not None] for at in range(many)]
    if many > 1:
        known = [(g, [each for each in v if each is not None]) for g, v in told]
        lines.append([(g, float(sum(v)) / len(v)) for g, v in known if v])
    return lines


def _points(
    line: Sequence[tuple[float, float]],
    scale: tuple[float, float],
    low: float,
    high: float,
    stairs: bool,
) -> str:
    up = (high - low) or 1.0
    places = [(_across(gamma, scale), HEIGHT * (1 - (value - low) / up)) for gamma, value in line]
    if stairs:
        places = [places[0]] + [
            point for (_, y), (x, then) in pairwise(places) for point in ((x, y), (x, then))
        ]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
