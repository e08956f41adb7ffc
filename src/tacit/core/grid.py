"""Small labelled tables as text and HTML, so that every value prints well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import isnan

_STYLE = "border-collapse:collapse;font-variant-numeric:tabular-nums"


@dataclass(frozen=True, slots=True)
class Grid:
    """A title, column heads and rows of text; the first `labels` columns are row labels."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int = 1
    foot: str = ""

    def __str__(self) -> str:
        lines = [self.title] if self.title else []
        cells = [tuple(map(_one_line, row)) for row in (self.heads, *self.rows)]
        widths = [max((len(row[at]) for row in cells), default=0) for at in range(len(self.heads))]
        for row in cells:
            shown = "  ".join(map(self._aligned, range(len(row)), row, widths))
            lines.append(f"  {shown}".rstrip())
        return "\n".join([*lines, self.foot] if self.foot else lines)

    def _aligned(self, at: int, cell: str, width: int) -> str:
        return cell.ljust(width) if at < self.labels else cell.rjust(width)

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in self.heads)
        body = "".join(f"<tr>{self._html_cells(row)}</tr>" for row in self.rows)
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        foot = f"<p>{escape(self.foot)}</p>" if self.foot else ""
        return (
            f'<table style="{_STYLE}">{caption}<thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table>{foot}"
        )

    def _html_cells(self, row: Sequence[str]) -> str:
        return "".join(
            f'<th scope="row" style="text-align:left">{escape(cell)}</th>'
            if at < self.labels
            else f'<td style="text-align:right">{escape(cell)}</td>'
            for at, cell in enumerate(row)
        )


def _one_line(cell: str) -> str:
    return cell.replace("\n", "\\n").replace("\r", "\\r")


def percentage(share: float) -> str:
    """`95%`, `99.9%`: as many digits as the share was given with."""
    return f"{100 * share:.10g}%"


def counted(count: int, what: str) -> str:
    """`1 case`, `2,000 cases`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def amount(value: float) -> str:
    """Six digits, and where that is too few for the whole part, all of that: `-1,047,364`."""
    return f"{value:,.0f}" if 1e6 - 0.5 <= abs(value) < 1e15 else f"{value:.6g}"


def number(value: float, digits: int = 3) -> str:
    """A number with the digits it deserves: probabilities to three, tiny ones in full."""
    if isnan(value):
        return "?"
    if value in (0.0, 1.0) or (abs(value) < 1e15 and value == int(value)):
        return str(int(value))
    if 10.0**-digits <= abs(value) < 1e6 and f"{abs(value):.{digits}f}" != f"{1:.{digits}f}":
        return f"{value:.{digits}f}"
    return f"{value:.{digits}g}" if abs(value) < 0.5 else f"{value:.{digits + 4}g}"
