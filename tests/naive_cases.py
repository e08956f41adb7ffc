"""What a column of plain Python values means, spelled out slowly: states, codes, reals."""

from __future__ import annotations

import math
import re

FEW = 20
NUMBER = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def is_missing(value: object) -> bool:
    if value is None:
        return True
    if isinstance(value, float):
        return math.isnan(value)
    return isinstance(value, str) and value.strip() == ""


def spelt(value: object) -> float | None:
    """The number that a value is or spells."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    text = str(value).strip()
    if NUMBER.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return None


def text_of(value: object) -> str:
    if isinstance(value, bool | str):
        return str(value)
    size = float(value)  # type: ignore[arg-type]
    return str(int(size)) if size == int(size) else repr(size)


def column(values: list[object]) -> tuple[tuple[str, ...] | None, list[float]]:
    """The states (None for a continuous column) and the code or real of every case."""
    present = [value for value in values if not is_missing(value)]
    if not present:
        return None, [math.nan] * len(values)
    sizes = [spelt(value) for value in present]
    if all(size is not None for size in sizes):
        return _numbers(values, [size for size in sizes if size is not None])
    if all(isinstance(value, bool) for value in present):
        states = ["False", "True"]
    else:
        states = in_natural_order({text_of(value) for value in present})
    return tuple(states), [
        -1 if is_missing(value) else states.index(text_of(value)) for value in values
    ]


def _numbers(
    values: list[object], sizes: list[float]
) -> tuple[tuple[str, ...] | None, list[float]]:
    column = [math.nan if is_missing(value) else float(spelt(value) or 0) for value in values]
    if any(size != math.floor(size) for size in sizes) or len(set(sizes)) > FEW:
        return None, column
    order = sorted(set(sizes))
    codes: list[float] = [-1 if math.isnan(size) else order.index(size) for size in column]
    return tuple(text_of(size) for size in order), codes


def in_natural_order(texts: set[str]) -> list[str]:
    if all(spelt(text) is not None for text in texts):
        return sorted(texts, key=lambda text: (spelt(text), text))
    return sorted(texts, key=_natural)


def _natural(text: str) -> tuple[object, ...]:
    """Runs of digits compare as numbers and come before letters; case counts last."""
    key: list[tuple[int, int, str]] = []
    run = ""
    for letter in [*text.casefold(), "end"]:
        digit = letter in "0123456789" and letter != "end"
        if (run and (run[0] in "0123456789") != digit) or letter == "end":
            if run:
                number = run[0] in "0123456789"
                key.append((0, int(run), "") if number else (1, 0, run))
            run = ""
        run += letter
    return key, text
