"""Labels as texts: the step between raw columns and states."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
import numpy.typing as npt

from tacit.arrays import Codes, Floats, code_type
from tacit.core.errors import CasesError
from tacit.frames import Labels, Numbers, RawColumn
from tacit.io.states import is_whole, number, number_text, state_text


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Labels and their texts; an empty text marks a label that stands for a missing value.

    spelt  every text is a number; they are then written alike (`1.0` as `1`)
    """

    raw: Labels
    texts: tuple[str, ...]
    spelt: bool

    @property
    def name(self) -> str:
        """Of the column."""
        return self.raw.name

    @property
    def present(self) -> list[str]:
        """The texts that are no missing values, each once, in their order."""
        return list(dict.fromkeys(filter(None, self.texts)))

    def kind(self) -> str:
        """What the labels were, in the words of `Dataset.kinds`."""
        labels = [label for label, text in zip(self.raw.labels, self.texts, strict=True) if text]
        if not labels:
            return "text"
        if self.raw.written:
            whole = all(is_whole(str(label)) for label in labels)
            return "text" if not self.spelt else "integer" if whole else "real"
        if all(isinstance(label, bool | np.bool_) for label in labels):
            return "boolean"
        if any(isinstance(label, bool | np.bool_) for label in labels):
            return "text"
        if all(isinstance(label, Integral) for label in labels):
            return "integer"
        return "real" if all(isinstance(label, Real) for label in labels) else "text"

    def codes(self, positions: Sequence[int], states: int) -> Codes:
        """The code of every case, where `positions` says which state each label is."""
        lookup = np.full(len(positions) + 1, -1, dtype=code_type(states))
        lookup[:-1] = positions
        return np.asarray(lookup[self.raw.codes])

    def reals(self, sizes: Sequence[float]) -> Floats:
        """The real of every case, where `sizes` says which number each label is."""
        lookup = np.append(np.array(sizes, dtype=np.float64), np.nan)
        return np.asarray(lookup[self.raw.codes])

    def first(self, labels: Collection[int]) -> int:
        """The first case that has one of these labels, or -1."""
        found = np.isin(self.raw.codes, np.array(sorted(labels), dtype=np.int64))
        return int(np.argmax(found)) if found.any() else -1

    def occurring(self) -> npt.NDArray[np.bool_]:
        """Which labels occur in some case."""
        cases = self.raw.codes[self.raw.codes >= 0]
        return np.bincount(cases, minlength=len(self.texts)) > 0


def known(raw: RawColumn, missing: Collection[str]) -> Known:
    """The labels of a column with their texts; `missing` are texts of missing values."""
    labels = raw if isinstance(raw, Labels) else labels_of(raw)
    try:
        texts = [state_text(label) for label in labels.labels]
        "".join(texts).encode()  # half a character cannot be written anywhere
    except UnicodeError:
        raise CasesError(f"column {raw.name!r} holds bytes that are no text") from None
    except ValueError:
        raise CasesError(f"column {raw.name!r} holds a number too long to write") from None
    texts = ["" if text in missing or text.strip() in missing else text for text in texts]
    sizes = [number(text) for text in texts if text]
    spelt = bool(sizes) and None not in sizes
    if spelt:
        texts = [number_text(number(text) or 0) if text else "" for text in texts]
        texts = ["" if text in missing else text for text in texts]
    return Known(labels, tuple(texts), spelt)


def labels_of(numbers: Numbers) -> Labels:
    """The different numbers as labels; a single-precision real by its own shortest digits."""
    if numbers.absent is None:
        values, codes = distinct(numbers.values)
    else:
        values, present = distinct(numbers.values[~numbers.absent])
        codes = np.full(len(numbers.values), -1, dtype=np.int64)
        codes[~numbers.absent] = present
    labels = values.tolist()
    if values.dtype == np.float32:
        labels = [float(str(value)) for value in values]
    return Labels(numbers.name, labels, codes)


def distinct(values: npt.NDArray[np.generic]) -> tuple[npt.NDArray[np.generic], Codes]:
    """The different values, in order, and where each case's value stands among them."""
    if values.dtype.kind in "iu" and values.size:
        low, high = int(values.min()), int(values.max())
        if high - low < 1 << 16 and high < 1 << 63:
            offsets = values.astype(np.int64) - low
            seen = np.zeros(high - low + 1, dtype=np.bool_)
            seen[offsets] = True
            return np.flatnonzero(seen).astype(np.int64) + low, (np.cumsum(seen) - 1)[offsets]
    return np.unique(values, return_inverse=True)


def few(values: npt.NDArray[np.generic], most: int) -> bool:
    """Whether there are at most so many different values; quick to see that there are more."""
    return np.unique(values[:10_000]).size <= most and distinct(values)[0].size <= most
