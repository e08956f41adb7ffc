"""Numbers and names as a reader wants them: the digits they deserve, nothing that breaks a line."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tacit.core.errors import quoted

_UNSEEN = {
    **dict.fromkeys([*range(32), 127, *range(0x80, 0xA0)], "\ufffd"),
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F], "\ufffd"),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
    **{ord("\n"): "\n", ord("\t"): " ", ord("\r"): " ", 0x2028: " ", 0x2029: " "},
}


def visible(text: str) -> str:
    """The text without characters that steer a terminal, turn the writing round or are none."""
    return text.translate(_UNSEEN)


def in_line(text: str) -> str:
    """`visible`, on one line."""
    return visible(text).replace("\n", " ")


def probability(value: float | None) -> str:
    """Three digits; 0 and 1 only where they are meant exactly."""
    if value is None:
        return "?"
    if value in (0.0, 1.0):
        return str(int(value))
    if value < 0.0005:
        return "<0.001"
    return ">0.999" if value >= 0.9995 else f"{value:.3f}"


def interval(lower: float | None, upper: float | None) -> str:
    """Two digits on either side."""
    return "" if lower is None or upper is None else f"{lower:.2f}–{upper:.2f}"


def real(value: float, lower: float | None = None, upper: float | None = None) -> str:
    """A number of any size, to three digits of the interval around it, or to four of its own."""
    if lower is None or upper is None or not upper > lower:
        return f"{value:.4g}"
    return _fixed(value, 2 - math.floor(math.log10(upper - lower)))


def _fixed(value: float, digits: int) -> str:
    return f"{value:,.{max(0, digits)}f}" if -5 <= digits <= 7 else f"{value:.4g}"


def real_interval(lower: float | None, upper: float | None) -> str:
    """The interval of a number of any size or sign, to two digits of its width."""
    if lower is None or upper is None:
        return ""
    if not upper > lower:
        return f"{lower:.4g} to {upper:.4g}"
    digits = 1 - math.floor(math.log10(upper - lower))
    return f"{_fixed(lower, digits)} to {_fixed(upper, digits)}"


def moved(by: float) -> str:
    """Which way and how far a cell was moved."""
    return f"{'▲' if by > 0 else '▼'}{abs(by):.2f}"


def weight(cases: float) -> str:
    """Cases are whole numbers unless they were weighted."""
    return f"{cases:,.0f}" if abs(cases - round(cases)) < 1e-9 else f"{cases:,.1f}"


def nats(value: float | None) -> str:
    """Information to three digits, with its unit."""
    return "not finite" if value is None else f"{value:.3f} nats"


def arrow(parent: str, child: str) -> str:
    """An arc in a sentence; the sign is one letter, so that no line breaks within it."""
    return f"{quoted(parent)} → {quoted(child)}"


def some(count: float, what: str, many: str = "") -> str:
    """`1 row`, `1,234 rows`."""
    return f"{weight(count)} {what if count == 1 else many or what + 's'}"


def are(count: int) -> str:
    """The verb that goes with a number of things."""
    return "is" if count == 1 else "are"


def percent(share: float) -> str:
    """Whole percents; what is nearly nothing or nearly all says so."""
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


def finite(value: float | None) -> float | None:
    """The number as JSON can hold it: None for what is no finite number."""
    return None if value is None or not math.isfinite(value) else float(value)


def plain(value: Any) -> Any:
    """Settings as JSON can hold them, whatever they hold."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float):
        return finite(value)
    return value if value is None or isinstance(value, str | int | bool) else str(value)


def counted(count: int | None) -> str:
    """` (12)`, or nothing where there is nothing to count."""
    return "" if count is None else f" ({count:,})"


def places(where: Sequence[Mapping[str, Any]], most: int = 3) -> str:
    """`Cancer (12), Xray (3) and 4 more variables`."""
    shown = [one["variable"] + counted(one["count"]) for one in where[:most]]
    more = len(where) - len(shown)
    return ", ".join(shown) + (f" and {some(more, 'more variable')}" if more else "")


def shortened(name: str, most: int = 20) -> str:
    """A long name without its middle: what tells names apart is often their end."""
    name = in_line(name).strip()
    if len(name) <= most:
        return name
    head = (most - 1) * 3 // 5
    return f"{name[:head]}…{name[len(name) - (most - 1 - head) :]}"


_NARROW, _WIDE = set("iljtfrI.,:;'|!()[]{} -"), set("mwMWOQGDHNU%@&")


def text_width(text: str, size: float = 12.0) -> float:
    """About how wide the text is in a sans-serif face; rather too wide than too narrow."""
    return size * math.fsum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF" or ord(letter) > 0x1F000:
        return 1.25
    if letter in _NARROW:
        return 0.40
    if letter in _WIDE or ord(letter) > 0x2FF:
        return 1.02
    return 0.72 if letter.isupper() else 0.60


def joined(items: Iterable[str], most: int) -> str:
    """`a, b and c`; of many the first few, and how many more there are."""
    known = list(items)
    if len(known) > most or len(known) < 2:
        return first(known, most)
    return f"{', '.join(known[:-1])} and {known[-1]}"


def first(items: Iterable[str], most: int) -> str:
    """The first few, and how many more there are."""
    known = list(items)
    more = len(known) - most
    return ", ".join(known[:most]) + (f" and {more:,} more" if more > 0 else "")
