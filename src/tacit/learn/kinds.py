"""Values of plain data, each checked to be of its kind: a TypeError or ValueError if it is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def several(said: Any) -> Sequence[Any]:
    """A list."""
    if not isinstance(said, list):
        raise TypeError
    return said


def number(said: Any) -> float:
    """A number; those that are not finite are saved as words."""
    if type(said) not in (int, float) and said not in ("inf", "-inf", "nan"):
        raise TypeError
    return float(said)


def whole(said: Any) -> int:
    """A whole number, 0 or more."""
    if type(said) is not int or said < 0:
        raise TypeError
    return said


def truth(said: Any) -> bool:
    """True or false."""
    if type(said) is not bool:
        raise TypeError
    return said


def text(said: Any) -> str:
    """A text."""
    if type(said) is not str:
        raise TypeError
    return said


def texts(said: Any) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(map(text, several(said)))
