"""The section on residuals: whether the cases lie about the lines as the network says they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.core.errors import quoted
from tacit.learn.residuals import DOUBTFUL, Residuals, chance
from tacit.reporting.blocks import Block, Paragraph, Section, Sheet
from tacit.reporting.wording import finite, real, some

WIDTH, HEIGHT = 220.0, 110.0
DRAWN, LISTED, NAMED = 24, 60, 12
"""Families that are drawn, listed and named in sentences at most; what is doubted comes first."""
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
    along = " or ".join(sorted({each.get("along", "line") for each in families}, reverse=True))
    said = [
        f"The residuals of {some(len(families), 'Gaussian family', 'Gaussian families')} were "
        f"looked at: whether they are normal, whether the mean follows the {along} in bands of "
        "cases with similar fitted values, and whether the noise is the same along it."
    ]
    if not doubted:
        said.append("Nothing was found that chance does not explain.")
    named = _first(doubted, NAMED)
    said += [f"Of {quoted(each['variable'])} {' and '.join(each['doubts'])}." for each in named]
    more = len(doubted) - len(named)
    return [*said, f"So are {some(more, 'other')} doubted."] if more else said


def worry(found: Residuals) -> dict[str, Any] | None:
    """What of it stands at the top of a report: lines that cases leave beyond chance."""
    off = [
        name
        for name, each in found.checks.items()
        if each.along == "line" and each.straight < DOUBTFUL
    ]
    if not off:
        return None
    does = "does not follow its line" if len(off) == 1 else "do not follow their lines"
    text = f"{some(len(off), 'variable')} {does}: bands of cases lie off it beyond chance"
    where = [{"variable": name, "count": None} for name in off]
    return {"kind": "off the line", "text": text, "where": where}


def _first(families: Sequence[Mapping[str, Any]], most: int) -> list[Mapping[str, Any]]:
    """As many, as they stand; where they are more, those that chance explains least."""
    if len(families) <= most:
        return list(families)

    def doubt(family: Mapping[str, Any]) -> float:
        told = [family[name] for name in ("normal", "straight", "even")]
        return min(1.0 if each is None else float(each) for each in told)

    kept = sorted(range(len(families)), key=lambda at: (doubt(families[at]), at))[:most]
    return [families[at] for at in sorted(kept)]


def rows(section: Section) -> tuple[tuple[str, ...], ...]:
    """A line per family, for as many as one cares to read."""
    return tuple(
        (
            quoted(each["variable"]),
            f"{each['cases']:,.6g}",
            *(f"{each[name]:.2f}" if each[name] is not None else "-"
              for name in ("skewness", "kurtosis")),
            *(chance(each[name]) if each[name] is not None else "-"
              for name in ("normal", "straight", "even")),
        )
        for each in _first(section["families"], LISTED)
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
    lined = [each for each in section["families"] if len(each["bands"]) > 1]
    for each in _first(lined, DRAWN):
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
