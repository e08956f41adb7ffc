"""How values become states: their text, the numbers among them, their natural order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from math import isfinite, isnan
from numbers import Integral, Real

NUMBER = r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""Numbers as text; those with leading zeros (`007`) are codes of something, not numbers."""
INTEGER = r"[+-]?(?:0|[1-9][0-9]*)"
MARKERS = frozenset({"none", "na", "n/a", "nan", "-", "?", "null", "<na>", "nat", "#n/a", "."})
"""What often stands for a missing value, in lower case; here it is a state like any other."""
ENDLESS = frozenset({"inf", "infinity", "1.#inf", "\u221e"})
"""Infinite numbers as programs write them, in lower case and without a sign."""

_NUMBER = re.compile(rf"\s*{NUMBER}\s*", re.ASCII)
_INTEGER = re.compile(rf"\s*{INTEGER}\s*", re.ASCII)
_DIGITS = re.compile(r"([0-9]+)")


def number(value: object) -> int | float | None:
    """The number that a value is or spells, if it is one and finite; True and False are none."""
    if isinstance(value, str):
        return _spelt(value)
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return None
    if isinstance(value, Integral):
        return int(value)
    try:
        real = float(value)
    except (OverflowError, ValueError):
        return None
    return real if isfinite(real) else None


def is_endless(text: str) -> bool:
    """Whether a text spells a number that is infinite, or too large to be told from one."""
    plain = text.strip().casefold()
    if plain.lstrip("+-") in ENDLESS and len(plain) - len(plain.lstrip("+-")) <= 1:
        return True
    return _NUMBER.fullmatch(text) is not None and number(text) is None


def _spelt(text: str) -> int | float | None:
    if not _NUMBER.fullmatch(text):
        return None
    if is_whole(text) and len(text) < 300:
        return int(text)
    real = float(text)
    return real if isfinite(real) else None


def is_whole(text: str) -> bool:
    """Whether a text spells an integer."""
    return _INTEGER.fullmatch(text) is not None


def state_text(value: object) -> str:
    """A value as the text of a state: 1, 1.0 and "1" are `1`; blank text and nulls are empty."""
    if value is None or (isinstance(value, float | Decimal) and isnan(value)):
        return ""
    if isinstance(value, str):
        return value if value.strip() else ""
    if isinstance(value, bytes):
        return value.decode()
    exact = number(value)
    return str(value) if exact is None else number_text(exact)


def marks(missing: str | Iterable[object]) -> list[str]:
    """The texts that stand for a missing value: one, or several."""
    return [state_text(each) for each in ([missing] if isinstance(missing, str) else missing)]


def number_text(value: int | float) -> str:
    """The shortest text of a number; a whole real is written like an integer."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return repr(value)


def natural_order(texts: Iterable[str]) -> list[str]:
    """Numbers by size; else as people sort, with the numbers inside texts by size."""
    unsorted = list(texts)
    sizes = {text: number(text) for text in unsorted}
    if all(size is not None for size in sizes.values()):
        return sorted(unsorted, key=lambda text: (sizes[text], text))
    return sorted(unsorted, key=_natural)


def _natural(text: str) -> tuple[list[tuple[int, int, str]], str]:
    parts = [part for part in _DIGITS.split(text.casefold()) if part]
    return [_part(part) for part in parts], text


def _part(part: str) -> tuple[int, int, str]:
    if part[0] not in "0123456789":
        return 1, 0, part
    size = part.lstrip("0")
    return 0, len(size), size
