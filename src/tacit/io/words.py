"""Names and numbers, as texts hold them and as messages show them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from math import isfinite

import numpy as np

from tacit.arrays import Floats

_PIECE = 1 << 20
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_BLANK = re.compile(r"\s")


def short(name: str, most: int = 60) -> str:
    """A name for a message, cut if it is very long."""
    return repr(name if len(name) <= most else name[: most - 3] + "...")


def many(count: int) -> str:
    """A count for a message, however large."""
    return f"{count:,}" if count < 10**15 else f"about 10^{len(str(count)) - 1}"


def is_number(word: str) -> bool:
    """Whether a word is a finite number as files write them."""
    return _NUMBER.fullmatch(word) is not None and isfinite(float(word))


def no_number(text: str) -> str:
    """The first word of a text that is no number."""
    words = (word for piece in _pieces(text) for word in piece.split())
    return next((word for word in words if not is_number(word)), "")


def floats(text: str) -> Floats | None:
    """The numbers of a text, separated by blanks; nothing if a word is no finite number."""
    values = array("d")
    try:
        for piece in _pieces(text):
            values.extend(map(float, piece.split()))
    except ValueError:
        return None
    found = np.frombuffer(values, dtype=np.float64) if values else np.empty(0)
    return found if np.isfinite(found).all() and "_" not in text else None


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces of about a megabyte, cut at blanks, so that no list of words is long."""
    at = 0
    while at < len(text):
        cut = _BLANK.search(text, min(at + _PIECE, len(text)))
        end = cut.end() if cut else len(text)
        yield text[at:end]
        at = end
