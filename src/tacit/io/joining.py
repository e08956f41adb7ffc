"""Raw columns that came in parts (chunks of a file, batches of a database) as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tacit.frames import Labels, Numbers, RawColumn
from tacit.io.labels import labels_of


class Parts:
    """Collects the parts of several columns, case after case."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._parts: list[list[RawColumn]] = [[] for _ in names]

    def add(self, columns: Iterable[RawColumn]) -> None:
        """The next cases of every column."""
        for parts, column in zip(self._parts, columns, strict=True):
            parts.append(column)

    def joined(self) -> Iterator[RawColumn]:
        """The whole columns, one after the other; the parts are let go."""
        for name, parts in zip(self.names, self._parts, strict=True):
            yield joined(name, parts)
            parts.clear()


def joined(name: str, parts: Sequence[RawColumn]) -> RawColumn:
    """One column of all the parts in their order: numbers if all of them are, else labels."""
    if not parts:
        return Labels(name, (), np.zeros(0, dtype=np.int8))
    if len(parts) == 1:
        return parts[0]
    told = [part for part in parts if isinstance(part, Numbers) or len(part.labels)]
    if told and all(isinstance(part, Numbers) for part in told):
        return _numbers(name, [_as_numbers(part) for part in parts])
    return _labels(name, [part if isinstance(part, Labels) else labels_of(part) for part in parts])


def _as_numbers(part: RawColumn) -> Numbers:
    """A part without any value says nothing about what its column holds."""
    if isinstance(part, Numbers):
        return part
    cases = len(part.codes)
    return Numbers(part.name, np.zeros(cases, dtype=np.int8), np.ones(cases, dtype=np.bool_))


def _numbers(name: str, parts: Sequence[Numbers]) -> Numbers:
    values = np.concatenate([part.values for part in parts])
    if all(part.absent is None for part in parts):
        return Numbers(name, values)
    gaps = [np.zeros(len(p.values), np.bool_) if p.absent is None else p.absent for p in parts]
    return Numbers(name, values, np.concatenate(gaps))


def _labels(name: str, parts: Sequence[Labels]) -> Labels:
    """True and 1 are equal to Python but are two labels."""
    book: dict[tuple[bool, object], int] = {}
    codes: list[npt.NDArray[np.integer]] = []
    for part in parts:
        keys = [(isinstance(label, bool), label) for label in part.labels]
        lookup = [book.setdefault(key, len(book)) for key in keys]
        codes.append(np.array([*lookup, -1], dtype=np.int32)[part.codes])
    labels = tuple(label for _, label in book)
    return replace(parts[0], name=name, labels=labels, codes=np.concatenate(codes))
