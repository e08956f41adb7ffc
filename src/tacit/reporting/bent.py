"""Curves in the section of tables: their numbers, how they run, and whether the cases follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.core.errors import quoted
from tacit.families.curve_evidence import CurveEvidence
from tacit.families.curved import CurvedGaussian
from tacit.learn.fits import Fit
from tacit.reporting.wording import finite, real

WIDTH, HEIGHT = 360.0, 110.0
POINTS = 61
"""Points of the line that a drawing shows."""
FAR = 2.0
"""Standard errors from the curve beyond which a band of cases is said to lie off it."""
LEAST = 3.0
"""Cases that a band needs before it is judged."""
DOUBTFUL = 0.01
"""A curve is doubted where bands would lie so far off by chance less often than this."""


def curve(fit: Fit, family: CurvedGaussian) -> dict[str, Any]:
    """A `value` for each of its `parameters`; `bands` of cases with similar activations: how many,
    their mean `activation` and child (`seen`), the curve's mean for them (`fitted`) and how many
    standard `errors` they lie off it; `chance`: how often bands lie so far off by chance."""
    evidence = fit.evidence[family.child]
    assert isinstance(evidence, CurveEvidence)
    interval = fit.intervals[family.child]
    numbers = [
        *(("coefficient", *one) for one in zip(family.parents, family.coefficients, strict=True)),
        ("base", "", family.base),
        ("rise", "", family.rise),
        ("sd", "", family.sd),
    ]
    known: list[dict[str, Any]] = [
        {"kind": kind, "parent": parent, "value": float(value), "lower": low, "upper": high}
        for (kind, parent, value), low, high in zip(
            numbers, map(finite, interval.lower), map(finite, interval.upper), strict=True
        )
    ]
    threshold: dict[str, Any] = {"kind": "threshold", "parent": "", "value": family.threshold}
    known.insert(-1, {**threshold, "lower": None, "upper": None})
    bands = list(_bands(family, evidence))
    return {
        "variable": family.child,
        "family": family.kind,
        "parents": [{"name": parent, "states": None} for parent in family.parents],
        "cases": float(evidence.total),
        "parameters": known,
        "bands": bands,
        "chance": chance(family, evidence),
        "line": _line(family, [band["activation"] for band in bands]),
    }


def _bands(family: CurvedGaussian, evidence: CurveEvidence) -> list[dict[str, float]]:
    found = []
    for weight, activation, child, residual in evidence.bands.tolist():
        if weight > 0:
            told = {"cases": weight, "activation": activation / weight, "seen": child / weight}
            told["fitted"] = (child - residual) / weight
            told["errors"] = residual / weight / family.sd * weight**0.5
            found.append(told)
    return found


def chance(family: CurvedGaussian, evidence: CurveEvidence) -> float:
    """How often the bands would lie at least so far off a curve that is right: chi squared of
    their standard errors, less one for base, rise and scale each."""
    from scipy.stats import chi2

    errors = [band["errors"] for band in _bands(family, evidence) if band["cases"] >= LEAST]
    freedom = len(errors) - 3
    return 1.0 if freedom < 1 else float(chi2.sf(np.sum(np.square(errors)), freedom))


def _line(family: CurvedGaussian, activations: list[float]) -> list[list[float]]:
    """[activation, mean] along the curve, a little beyond the outermost bands."""
    low, high = (min(activations), max(activations)) if activations else (-1.0, 1.0)
    margin = 0.08 * (high - low) or 1.0
    along = np.linspace(low - margin, high + margin, POINTS)
    means = family.base + family.rise * family.response.value(along)
    return [[float(a), float(mean)] for a, mean in zip(along, means, strict=True)]


def followed(table: Mapping[str, Any]) -> str:
    """Whether the cases follow the curve, in words."""
    judged = [band for band in table["bands"] if band["cases"] >= LEAST]
    if not judged:
        return "Too few cases lie together to say whether they follow the curve."
    off = sum(abs(band["errors"]) > FAR for band in judged)
    told = f"{off} of {len(judged)} bands of cases lie more than two standard errors off the curve"
    if table["chance"] < DOUBTFUL:
        return f"{told}: they hardly do so by chance, and another form of curve may suit."
    return f"{told}, as chance allows."


def curve_equation(table: Mapping[str, Any]) -> str:
    """A curve as people write it: `X = 1.2 + 3.1 × sigmoid(0.8 × A − 0.4), with noise of sd 1`."""
    told = {(one["kind"], one["parent"]): real(one["value"]) for one in table["parameters"]}
    terms = [f"{told['coefficient', each['name']]} × {each['name']}" for each in table["parents"]]
    threshold = told["threshold", ""]
    sign = "+" if threshold.startswith("-") else "−"
    inside = f"{' + '.join(terms)} {sign} {threshold.lstrip('-')}".replace("+ -", "− ")
    word = str(table["family"]).partition("-")[0]
    mean = f"{told['base', '']} + {told['rise', '']} × {word}({inside})"
    return f"{quoted(table['variable'])} = {mean}, with noise of sd {told['sd', '']}"


@dataclass(frozen=True, slots=True)
class Picture:
    """A curve and the bands of cases beside it, as coordinates for a template."""

    points: str
    dots: tuple[tuple[float, float, float], ...]
    low: str
    high: str
    left: str
    right: str
    label: str


def picture(table: Mapping[str, Any]) -> Picture:
    """The drawing of a curve; a dot is a band of cases, the larger the more it holds."""
    line, bands = table["line"], table["bands"]
    low = min([y for _, y in line] + [band["seen"] for band in bands])
    high = max([y for _, y in line] + [band["seen"] for band in bands])
    left, right = line[0][0], line[-1][0]
    most = max((band["cases"] for band in bands), default=1.0)

    def at(x: float, y: float) -> tuple[float, float]:
        across = WIDTH * (x - left) / ((right - left) or 1.0)
        down = HEIGHT * (1 - (y - low) / ((high - low) or 1.0))
        return round(across, 1), round(down, 1)

    dots = tuple(
        (*at(band["activation"], band["seen"]), round(2 + 3 * (band["cases"] / most) ** 0.5, 1))
        for band in bands
    )
    points = " ".join(f"{x:g},{y:g}" for x, y in (at(*each) for each in line))
    label = (
        f"The mean of {table['variable']} against what its parents add up to, from {real(low)} to "
        f"{real(high)}, with the means of {len(dots)} bands of cases"
    )
    return Picture(points, dots, real(low), real(high), real(left), real(right), label)
