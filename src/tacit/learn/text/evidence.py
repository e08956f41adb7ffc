"""What naive Bayes needs of documents: counts that add up batch by batch."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints, readonly
from tacit.core.errors import CasesError, OptionError
from tacit.core.grid import counted
from tacit.core.variables import Discrete
from tacit.io.states import state_text
from tacit.learn.text.words import Words


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TextCounts:
    """Evidence of documents: how many there are, and what their words come to.

    words      (groups, classes, words) times a word was written, or documents it stands in
    documents  (groups, classes) how many documents
    unknown    how many words were in no dictionary

    `a + b` is the evidence of the documents of both, `a - b` without those of b, `0.9 * a` fades.
    [EST 1.6, 1.8]
    """

    words: Floats
    documents: Floats
    unknown: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", readonly(self.words))
        object.__setattr__(self, "documents", readonly(self.documents))

    def __add__(self, other: TextCounts) -> TextCounts:
        return self._with(other, 1.0)

    def __sub__(self, other: TextCounts) -> TextCounts:
        left = self._with(other, -1.0)
        if min(left.words.min(initial=0.0), left.documents.min(initial=0.0)) < -1e-9:
            raise CasesError("documents can only be taken away that are among those counted")
        return replace(left, words=np.maximum(left.words, 0.0))

    def __rmul__(self, strength: float) -> TextCounts:
        if isinstance(strength, bool) or not isfinite(strength) or strength < 0:
            raise OptionError(f"counts are scaled by a number, 0 or more, not {strength!r}")
        return TextCounts(strength * self.words, strength * self.documents, strength * self.unknown)

    def _with(self, other: TextCounts, sign: float) -> TextCounts:
        if self.words.shape != other.words.shape:
            raise CasesError(
                f"counts of {' x '.join(map(str, self.words.shape))} and "
                f"{' x '.join(map(str, other.words.shape))} groups, classes and words do not mix"
            )
        return TextCounts(
            self.words + sign * other.words,
            self.documents + sign * other.documents,
            self.unknown + sign * other.unknown,
        )

    def __reduce__(self) -> tuple[type[TextCounts], tuple[Any, ...]]:
        return TextCounts, tuple(getattr(self, each.name) for each in fields(self))

    def __repr__(self) -> str:
        groups, classes, known = self.words.shape
        return (
            f"<TextCounts of {self.documents.sum():,.6g} documents in "
            f"{counted(groups * classes, 'row')}, {counted(known, 'word')}>"
        )


def count_words(
    documents: Words, row: Ints, shape: tuple[int, int], weights: Floats | None, presence: bool
) -> TextCounts:
    """The evidence of documents: row is group * classes + class of each.

    presence: a word counts once per document however often it stands there
    """
    counts, size = documents.counts, len(documents.dictionary)
    length = np.diff(counts.indptr)
    where = np.repeat(row * size, length) + counts.indices
    value = (counts.data > 0) if presence else counts.data
    if weights is not None:
        value = value * np.repeat(weights, length)
    rows = shape[0] * shape[1]
    found = np.bincount(where, value, rows * size)
    return TextCounts(
        found.reshape(*shape, size).astype(np.float64),
        np.bincount(row, weights, rows).reshape(shape).astype(np.float64),
        float(documents.unknown @ (np.ones(len(documents)) if weights is None else weights)),
    )


def coded(labels: Any, variable: Discrete, what: str) -> Ints:
    """(documents,) the positions of labels among the states; an error for a label that is none."""
    at = {state: place for place, state in enumerate(variable.states)}
    places = np.array([at.get(text, -1) for text in texts(labels, what)], dtype=np.int64)
    if (places < 0).any():
        wrong = texts(labels, what)[int(np.flatnonzero(places < 0)[0])]
        raise CasesError(
            f"{wrong!r} is no state of {variable.name!r}\n\nstates: {', '.join(variable.states)}"
        )
    return places


def texts(labels: Any, what: str) -> list[str]:
    """Labels as text; a missing one is an error."""
    found = []
    for at, label in enumerate(labels):
        if label is None or (isinstance(label, float | np.floating) and np.isnan(label)):
            raise CasesError(f"document {at + 1} has no {what}")
        found.append(state_text(label))
    return found
