"""The section on residuals: whether the cases lie about the lines as the network says they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tacit.core.errors import quoted
from tacit.learn.residuals import DOUBTFUL, Residuals, chance
from tacit.reporting.blocks import Block, Paragraph, Section, Sheet
from tacit.reporting.wording import finite, real, some

WIDTH, HEIGHT = 220.0, 110.0
HEADS = ("variable", "cases", "skewness", "excess kurtosis", "normal", "straight", "even")
TITLE = "Residuals in units of the noise, and how often what they show comes by chance"


def straying(found: Residuals) -> dict[str, Any]:
    """`families`: the check of each, with its `bands` of cases; `doubtful_below`: the chance from
    which on something is doubted."""
    told = [
        {key: finite(value) if isinstance(value, float) else value for key, value in each.items()}
        for each in found.to_plain()
    ]
    return {"families": told, "doubtful_below": DOUBTFUL}


def sentences(section: Section) -> list[str]:
    """What the checks say."""
    families = section["families"]
    doubted = [each for each in families if each["doubts"]]
    said = [
        f"The residuals of {some(len(families), 'Gaussian family', 'Gaussian families')} were "
        "looked at: whether they are normal, whether the mean follows the line in bands of cases "
        "with similar fitted values, and whether the noise is the same along it."
    ]
    if not doubted:
        said.append("Nothing was found that chance does not explain.")
    said += [f"Of {quoted(each['variable'])} {' and '.join(each['doubts'])}." for each in doubted]
    return said


def rows(section: Section) -> tuple[tuple[str, ...], ...]:
    """A line per family."""
    return tuple(
        (
            quoted(each["variable"]),
            f"{each['cases']:,.6g}",
            *(f"{each[name]:.2f}" if each[name] is not None else "-"
              for name in ("skewness", "kurtosis")),
            *(chance(each[name]) if each[name] is not None else "-"
              for name in ("normal", "straight", "even")),
        )
        for each in section["families"]
    )  # fmt: skip


def blocks(section: Section) -> Iterator[Block]:
    """The checks as text and markdown show them."""
    yield Paragraph(" ".join(sentences(section)))
    yield Sheet(TITLE, HEADS, rows(section))


@dataclass(frozen=True, slots=True)
class Fitted:
    """The line of a family, and bands of cases beside it, as coordinates for a template."""

    title: str
    x: int
    y: int
    line: str
    dots: tuple[tuple[float, float, float], ...]
    low: str
    high: str
    label: str


def view(section: Section) -> dict[str, Any]:
    """A drawing for every family with parents, two beside each other, and the table."""
    drawn: list[Fitted] = []
    for each in section["families"]:
        if len(each["bands"]) > 1:
            place = (70 + 320 * (len(drawn) % 2), 28 + 170 * (len(drawn) // 2))
            drawn.append(_fitted(each, place))
    return {
        "said": sentences(section),
        "drawn": drawn,
        "height": 170 * ((len(drawn) + 1) // 2) + 10,
        "table_title": TITLE,
        "heads": HEADS,
        "rows": rows(section),
    }


def _fitted(family: Mapping[str, Any], place: tuple[int, int]) -> Fitted:
    """Seen against fitted means of the bands; on the line they agree."""
    bands = family["bands"]
    fits, values = ([band[name] for band in bands] for name in ("fitted", "seen"))
    first, last = min(fits), max(fits)
    low, high = min(*values, first), max(*values, last)
    most = max(band["cases"] for band in bands)

    def at(x: float, y: float) -> tuple[float, float]:
        across = WIDTH * (x - first) / ((last - first) or 1.0)
        return round(across, 1), round(HEIGHT * (1 - (y - low) / ((high - low) or 1.0)), 1)

    dots = tuple(
        (*at(band["fitted"], band["seen"]), round(2 + 2.5 * (band["cases"] / most) ** 0.5, 1))
        for band in bands
    )
    (left, bottom), (right, top) = at(first, first), at(last, last)
    off = sum(abs(band["errors"]) > 2 for band in bands)
    label = (
        f"Means of {quoted(family['variable'])} in {some(len(bands), 'band')} of cases against "
        f"those fitted, from {real(low)} to {real(high)}; {off} lie more than two standard errors "
        "off the line"
    )
    line = f"M{left:g} {bottom:g}L{right:g} {top:g}"
    return Fitted(str(family["variable"]), *place, line, dots, real(low), real(high), label)
