"""The sections on prediction: how well a variable was predicted, and from how many cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from tacit.core.errors import quoted
from tacit.learn.averaged import with_error
from tacit.learn.evaluation.curve import MEASURES, LearningCurve, measured
from tacit.learn.evaluation.evaluation import Evaluation
from tacit.reporting.blocks import Block, Bullets, Paragraph, Section, Sheet
from tacit.reporting.wording import finite, percent, some

SIDE = 160.0
"""Of the square in which predicted shares are drawn against those that came."""
WIDTH, HEIGHT = 220.0, 110.0
DASHES = ("", "6 4", "2 3", "9 3 2 3")
"""How the lines of the first variants are drawn apart; more repeat them."""
BINS = ("predicted", "cases", "predicted on average", "came")


def prediction(found: Evaluation) -> dict[str, Any]:
    """The measures of an evaluation; `held_out` if the cases were not learned from, None if that is
    not known."""
    plain = found.to_plain()
    measures = ("log_score", "log_score_error", "base_log_score", "brier", "accuracy", "auc")
    return {
        "target": plain["target"],
        "states": plain["states"],
        "cases": plain["cases"],
        **{name: finite(plain[name]) for name in (*measures, "calibration_error")},
        "auc_by_state": {state: finite(one) for state, one in plain["auc_by_state"].items()},
        "calibration": plain["calibration"],
        "confusion": plain["confusion"],
        "notes": plain["notes"],
    }


def learning(found: LearningCurve) -> dict[str, Any]:
    """Means and standard errors of every measure, by variant and number of cases."""
    return {
        "sizes": found.sizes.tolist(),
        "variants": list(found.variants),
        "held_out": found.held_out,
        "repeats": found.repeats,
        "target": found.target,
        "measures": {
            name: {
                "mean": [list(map(finite, row)) for row in found.mean(name).tolist()],
                "error": [list(map(finite, row)) for row in found.error(name).tolist()],
            }
            for name in found.values
        },
        "notes": list(found.notes),
    }


# --- words ---------------------------------------------------------------------------------------


def sentences(section: Section) -> list[str]:
    """What the measures say."""
    score = _number(section["log_score"], section["log_score_error"])
    said = [
        f"{quoted(section['target'])} was predicted in {some(section['cases'], 'case')} from all "
        f"other cells: the most probable state came in {percent(section['accuracy'] or 0.0)} of "
        "them."
    ]
    base, value = section["base_log_score"], section["log_score"]
    said.append(
        f"The state that came had been given {score} nats on average; who always says the shares "
        f"of the states gets {_number(base)}."
    )
    if value is not None and base is not None:
        better = "better" if value > base else "no better"
        said.append(f"So the predictions are {better} than the shares alone.")
    said.append(
        f"The Brier score is {_number(section['brier'])} (0 is perfect, 2 certain and wrong), the "
        f"area under the ROC curve {_number(section['auc'])}, and predicted probabilities are "
        f"{_number(section['calibration_error'])} from the shares that came on average."
    )
    return said


def _number(value: float | None, error: float | None = None) -> str:
    if value is None:
        return "not finite"
    return with_error(value, float("nan") if error is None else error, 3)


def bins(section: Section) -> tuple[tuple[str, ...], ...]:
    """Predicted against observed shares, a row per bin."""
    return tuple(
        (
            f"{one['low']:.1f} to {one['high']:.1f}",
            f"{one['weight']:,.6g}",
            f"{one['predicted']:.3f}",
            with_error(one["observed"], one["error"], 3),
        )
        for one in section["calibration"]
    )


def confused(section: Section) -> tuple[tuple[str, ...], ...]:
    """Cases by state that came and by most probable state."""
    pairs = zip(section["states"], section["confusion"], strict=True)
    return tuple((state, *(f"{value:,.6g}" for value in row)) for state, row in pairs)


CALIBRATION = "Predicted probabilities against the shares that came"
CONFUSION = "Cases by the state that came (rows) and the most probable one (columns)"


def blocks(section: Section) -> Iterator[Block]:
    """The measures as text and markdown show them."""
    yield Paragraph(" ".join(sentences(section)))
    yield Sheet(CALIBRATION, BINS, bins(section))
    heads = (section["target"], *section["states"])
    yield Sheet(CONFUSION, heads, confused(section))
    if section["notes"]:
        yield Bullets("Worth knowing", tuple(section["notes"]))


def learning_blocks(section: Section) -> Iterator[Block]:
    """The curve as text and markdown show it."""
    yield Paragraph(" ".join(learning_sentences(section)))
    for name in section["measures"]:
        heads = ("learned with", *(f"{size:,}" for size in section["sizes"]))
        yield Sheet(MEASURES[name], heads, _rows(section, name))
    if section["notes"]:
        yield Bullets("Worth knowing", tuple(section["notes"]))


def learning_sentences(section: Section) -> list[str]:
    """How it was measured, and which way of learning was best at the ends."""
    sizes, variants = section["sizes"], section["variants"]
    said = [
        f"Networks were learned from {sizes[0]:,} to {sizes[-1]:,} cases and judged on "
        f"{section['held_out']:,} others, {section['repeats']} times; numbers are averages with "
        "standard errors over these repeats."
    ]
    if len(variants) > 1:
        means = section["measures"]["log_likelihood"]["mean"]
        for at in (0, len(sizes) - 1):
            worth = [(row[at], name) for row, name in zip(means, variants, strict=True)]
            known = [(value, name) for value, name in worth if value is not None]
            if known:
                said.append(
                    f"After {sizes[at]:,} cases {quoted(max(known)[1])} predicts whole cases best."
                )
    return said


def _rows(section: Section, name: str) -> tuple[tuple[str, ...], ...]:
    held = section["measures"][name]
    return tuple(
        (variant, *(_measure(name, mean, error) for mean, error in zip(means, errors, strict=True)))
        for variant, means, errors in zip(
            section["variants"], held["mean"], held["error"], strict=True
        )
    )


def _measure(name: str, value: float | None, error: float | None = None) -> str:
    if value is None:
        return "not finite"
    return measured(name, value, float("nan") if error is None else error)


# --- drawings ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Point:
    """A bin in the square: where it stands, how large, and the ends of its bar of error."""

    x: float
    y: float
    size: float
    low: float
    high: float


def view(section: Section) -> dict[str, Any]:
    """The square with its points, and the tables below."""
    most = max((one["weight"] for one in section["calibration"]), default=1.0)
    points = []
    for one in section["calibration"]:
        middle, error = one["observed"], 2 * one["error"]
        size = 2.5 + 3.5 * (one["weight"] / most) ** 0.5
        points.append(
            Point(
                round(SIDE * one["predicted"], 1),
                round(SIDE * (1 - middle), 1),
                round(size, 1),
                round(SIDE * (1 - max(0.0, middle - error)), 1),
                round(SIDE * (1 - min(1.0, middle + error)), 1),
            )
        )
    label = f"{CALIBRATION}: off by {_number(section['calibration_error'])} on average"
    return {
        "said": sentences(section),
        "points": points,
        "label": label,
        "calibration_title": CALIBRATION,
        "heads": BINS,
        "rows": bins(section),
        "confusion_title": CONFUSION,
        "confused": confused(section),
    }


@dataclass(frozen=True, slots=True)
class Panel:
    """One measure against the number of cases, a line per variant."""

    title: str
    x: int
    y: int
    lines: tuple[tuple[str, str, str], ...]
    low: str
    high: str
    label: str


def learning_view(section: Section) -> dict[str, Any]:
    """A panel per measure, two beside each other."""
    panels: list[Panel] = []
    for name, held in section["measures"].items():
        place = (80 + 320 * (len(panels) % 2), 28 + 180 * (len(panels) // 2))
        panel = _panel(section, name, held, place)
        panels += [panel] if panel is not None else []
    tables = [
        {"title": MEASURES[name], "rows": _rows(section, name)} for name in section["measures"]
    ]
    return {
        "said": learning_sentences(section),
        "panels": panels,
        "height": 180 * ((len(panels) + 1) // 2),
        "first": f"{section['sizes'][0]:,}",
        "last": f"{section['sizes'][-1]:,}",
        "legend": [
            (variant, DASHES[at % len(DASHES)]) for at, variant in enumerate(section["variants"])
        ],
        "tables": tables,
        "heads": [f"{size:,}" for size in section["sizes"]],
    }


def _panel(
    section: Section, name: str, held: Mapping[str, Any], place: tuple[int, int]
) -> Panel | None:
    values = [value for row in held["mean"] for value in row if value is not None]
    if len(section["sizes"]) < 2 or not values:
        return None
    low, high = min(values), max(values)
    lines = tuple(
        (_points(section["sizes"], row, low, high), DASHES[at % len(DASHES)], variant)
        for at, (variant, row) in enumerate(zip(section["variants"], held["mean"], strict=True))
    )
    ends = ", ".join(
        f"{variant} from {_measure(name, row[0])} to {_measure(name, row[-1])}"
        for variant, row in zip(section["variants"], held["mean"], strict=True)
    )
    label = f"{MEASURES[name]} against the number of cases: {ends}"
    return Panel(MEASURES[name], *place, lines, _measure(name, low), _measure(name, high), label)


def _points(sizes: Sequence[int], row: Sequence[float | None], low: float, high: float) -> str:
    """On a logarithmic scale of cases; what is not finite is left out."""
    span, up = log(sizes[-1] / sizes[0]) or 1.0, (high - low) or 1.0
    return " ".join(
        f"{WIDTH * log(size / sizes[0]) / span:.1f},{HEIGHT * (1 - (value - low) / up):.1f}"
        for size, value in zip(sizes, row, strict=True)
        if value is not None
    )
