"""The section on how well a continuous variable was predicted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tacit.core.errors import quoted
from tacit.core.grid import percentage
from tacit.learn.averaged import with_error, with_scaled_error
from tacit.learn.evaluation.reals import RealEvaluation
from tacit.reporting.blocks import Block, Bullets, Paragraph, Section, Sheet
from tacit.reporting.wording import finite, some

SIDE = 160.0
"""Of the square in which the shares between quantiles are drawn."""
INTERVALS = "How many values lie inside their intervals"
INTERVAL_HEADS = ("interval", "holds")
QUANTILES = "Shares of the values between predicted quantiles"
QUANTILE_HEADS = ("quantiles", "cases", "predicted", "came")
NUMBERS = (
    "log_score", "log_score_error", "base_log_score", "rmse", "mae", "r_squared", "crps",
    "crps_error", "mean_sd", "calibration_error",
)  # fmt: skip


def values(found: RealEvaluation) -> dict[str, Any]:
    """The measures of an evaluation, plain."""
    plain = found.to_plain()
    return {
        "target": plain["target"],
        "cases": plain["cases"],
        **{name: finite(plain[name]) for name in NUMBERS},
        "coverage": [
            {name: finite(value) for name, value in each.items()} for each in plain["coverage"]
        ],
        "calibration": [
            {name: finite(value) for name, value in each.items()} for each in plain["calibration"]
        ],
        "notes": plain["notes"],
    }


def sentences(section: Section) -> list[str]:
    """What the measures say."""
    base, value = section["base_log_score"], section["log_score"]
    said = [
        f"{quoted(section['target'])} was predicted in {some(section['cases'], 'case')} from all "
        f"other cells, on average {_sized(section['mae'])} off, {_sized(section['rmse'])} as a "
        f"root mean square, which is an R² of {_plain(section['r_squared'])} against the mean of "
        "these cases.",
        f"The log of the density where the value came is {_scored(section)} nats on average; who "
        f"always says one normal with the mean and sd of these cases gets {_plain(base)}.",
    ]
    if value is not None and base is not None:
        better = "better" if value > base else "no better"
        said.append(f"So the predictions are {better} than that.")
    score = _sized(section["crps"], section["crps_error"])
    said.append(
        f"The continuous ranked probability score is {score} (0 is perfect; in the units of the "
        f"variable), and the shares of values below predicted deciles are "
        f"{_plain(section['calibration_error'])} off on average."
    )
    return said


def _scored(section: Section) -> str:
    value, error = section["log_score"], section["log_score_error"]
    return "not finite" if value is None else with_error(value, error or 0.0, 3)


def _plain(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.3f}"


def _sized(value: float | None, error: float | None = None) -> str:
    return "not finite" if value is None else with_scaled_error(value, error or 0.0)


def intervals(section: Section) -> tuple[tuple[str, ...], ...]:
    """What intervals hold, a row for each."""
    return tuple(
        (
            percentage(one["level"]),
            f"{with_error(100 * one['share'], 100 * (one['error'] or 0), 1)}%",
        )
        for one in section["coverage"]
    )


def quantiles(section: Section) -> tuple[tuple[str, ...], ...]:
    """The histogram as rows."""
    return tuple(
        (
            f"{one['low']:.1f} to {one['high']:.1f}",
            f"{one['weight']:,.6g}",
            f"{one['predicted']:.3f}",
            with_error(one["observed"], one["error"], 3),
        )
        for one in section["calibration"]
    )


def blocks(section: Section) -> Iterator[Block]:
    """The measures as text and markdown show them."""
    yield Paragraph(" ".join(sentences(section)))
    yield Sheet(INTERVALS, INTERVAL_HEADS, intervals(section))
    yield Sheet(QUANTILES, QUANTILE_HEADS, quantiles(section))
    if section["notes"]:
        yield Bullets("Worth knowing", tuple(section["notes"]))


def view(section: Section) -> dict[str, Any]:
    """The histogram, a square for every bin of quantiles, and the tables below."""
    bins = section["calibration"]
    top = max([0.2, *(one["observed"] + 2 * one["error"] for one in bins)])
    bars = [
        {
            "x": round(SIDE * one["low"], 1),
            "y": round(SIDE * (1 - one["observed"] / top), 1),
            "width": round(SIDE * (one["high"] - one["low"]), 1),
            "height": round(SIDE * one["observed"] / top, 1),
        }
        for one in bins
    ]
    said, error = (bins[0]["predicted"], bins[0]["error"]) if bins else (0.0, 0.0)
    return {
        "said": sentences(section),
        "bars": bars,
        "even": round(SIDE * (1 - said / top), 1),
        "ends": [
            round(SIDE * (1 - max(0.0, said + side * 2 * error) / top), 1) for side in (1, -1)
        ],
        "top": f"{top:.2f}",
        "label": f"{QUANTILES}: off by {_plain(section['calibration_error'])} on average",
        "sheets": [
            {"title": INTERVALS, "heads": INTERVAL_HEADS, "rows": intervals(section)},
            {"title": QUANTILES, "heads": QUANTILE_HEADS, "rows": quantiles(section)},
        ],
    }
