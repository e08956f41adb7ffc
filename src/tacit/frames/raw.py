"""Raw columns: what any source of cases yields, before anything is known about its variables."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from math import isnan
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """A column of few or many values, each stored once.

    labels       the values as the source has them; a label may itself stand for "missing"
    codes        the position of each case's label, negative where the cell is missing
    categorical  the source's own type says that these are categories, numbers or not
    ordered      ... and that they are in this order, with labels that may occur in no case
    written      the labels were written in a file that knows text only: "1" may mean a number
    """

    name: str
    labels: Sequence[object]
    codes: npt.NDArray[np.integer]
    categorical: bool = False
    ordered: bool = False
    written: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A column of integers or reals; a cell is missing if it is nan or marked as absent."""

    name: str
    values: npt.NDArray[np.integer] | npt.NDArray[np.floating]
    absent: npt.NDArray[np.bool_] | None = None


RawColumn: TypeAlias = Labels | Numbers


def by_case(case: int) -> str:
    """Where a case stands in a source without lines of its own."""
    return f"case {case + 1}"


@dataclass(frozen=True, slots=True, eq=False)
class RawTable:
    """The columns of a source.

    names   as the source has them, of any type, repeated ones included
    load    the raw columns at these positions, one after the other
    place   where a case stands, in words for a message
    notes   what the source itself wants to say
    """

    names: tuple[object, ...]
    load: Callable[[Sequence[int]], Iterable[RawColumn]]
    place: Callable[[int], str] = by_case
    notes: tuple[str, ...] = ()


class UnreadableError(ValueError):
    """A source or a column that no raw column can hold; the message says what it holds instead."""


def ahead(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int | None = None
) -> Iterator[Result]:
    """The results in order, a few of them computed ahead: columns are many, memory is not."""
    threads = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Result]] = deque()
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def from_array(name: str, array: npt.NDArray[Any]) -> RawColumn:
    """One column of a NumPy array; masked cells are missing."""
    absent = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    values = np.ma.getdata(array)
    if values.ndim != 1:
        raise UnreadableError(f"column {name!r} has {values.ndim} dimensions, not one")
    match values.dtype.kind:
        case "b":
            codes = values.astype(np.int8)
            return Labels(name, (False, True), codes if absent is None else _hide(codes, absent))
        case "i" | "u" | "f":
            return Numbers(name, _plain_float(values), absent)
        case "m" | "M":
            return _moments(name, values, absent)
        case "c" | "V":
            raise UnreadableError(f"column {name!r} holds {values.dtype}, not states or reals")
    if absent is not None:
        values = values.astype(object)
        values[absent] = None
    return from_values(name, values.tolist())


def _plain_float(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    native = values.dtype.newbyteorder("=")
    wide = np.dtype(np.float64) if native.kind == "f" and native.itemsize not in (4, 8) else native
    return values.astype(wide, copy=False)


def _hide(codes: npt.NDArray[np.integer], absent: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    return np.where(absent, codes.dtype.type(-1), codes)


def _moments(name: str, values: npt.NDArray[Any], absent: npt.NDArray[np.bool_] | None) -> Labels:
    """Dates, times and durations as labels."""
    moments, codes = np.unique(values, return_inverse=True)
    gone = np.isnat(values) if absent is None else np.isnat(values) | absent
    python = moments.astype(f"{moments.dtype.kind}8[us]")
    labels: list[Any] = [str(moment) for moment in moments]
    if np.array_equal(
        python.astype(moments.dtype)[~np.isnat(moments)], moments[~np.isnat(moments)]
    ):
        labels = (python if "ns" in moments.dtype.name else moments).tolist()
    return Labels(name, labels, _hide(codes, gone))


NUMBERS = frozenset({int, float})
NOTHING = type(None)


def from_values(name: str, values: Sequence[object]) -> RawColumn:
    """One column of Python values of any kind: numbers if all of them are, else labels."""
    kinds = set(map(type, values))
    if not kinds <= {str, int, float, bool, NOTHING}:
        values = [_plain(value) for value in values]
        kinds = set(map(type, values))
    try:
        if kinds & NUMBERS and kinds <= NUMBERS | {NOTHING}:
            return _numbers(name, values, np.float64 if float in kinds else np.int64)
        return Labels(name, *_coded(values, plain=not (float in kinds or {bool, int} <= kinds)))
    except OverflowError:
        return Labels(name, *_coded(values, plain=False))
    except TypeError:
        raise UnreadableError(
            f"column {name!r} holds lists or other containers; a cell is one value"
        ) from None


def _coded(values: Sequence[object], plain: bool) -> tuple[list[object], npt.NDArray[np.int32]]:
    """Labels in the order they come, and codes; plain: equal values are the same value."""
    keys: Sequence[object] = values if plain else [_key(value) for value in values]
    firsts: dict[object, object] = dict.fromkeys(keys)
    if plain:
        firsts = {key: key for key in firsts}
    else:
        firsts.update(zip(reversed(keys), reversed(values), strict=True))
    book = {key: code for code, key in enumerate(firsts)}
    return list(firsts.values()), np.fromiter(map(book.__getitem__, keys), np.int32, len(keys))


def _key(value: object) -> object:
    """What tells values apart that Python holds equal (True and 1) or unequal to itself (nan)."""
    if isinstance(value, bool):
        return (bool, value)
    return None if isinstance(value, float) and isnan(value) else value


def _plain(value: Any) -> object:
    """A scalar of NumPy as Python has it; None for every kind of null."""
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, np.generic):
        return None if value.dtype.kind in "mM" and np.isnat(value) else value.item()
    if isinstance(value, str):
        return str(value)
    return value


def _numbers(name: str, values: Sequence[object], kind: type[np.generic]) -> Numbers:
    absent = np.fromiter((value is None for value in values), np.bool_, len(values))
    array = np.array([0 if value is None else value for value in values], dtype=kind)
    return Numbers(name, array, absent if absent.any() else None)
