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
    from tacit.kernels.words import add_words

    counts, size = documents.counts, len(documents.dictionary)
    times = (counts.data > 0).astype(np.float64) if presence else counts.data.astype(np.float64)
    each = np.ones(len(documents)) if weights is None else weights
    found = np.zeros((shape[0] * shape[1], size))
    add_words(counts.indptr, counts.indices, times, row, each, found)
    total = np.bincount(row, each, len(found)).reshape(shape).astype(np.float64)
    return TextCounts(found.reshape(*shape, size), total, float(documents.unknown @ each))


def coded(labels: Any, variable: Discrete, what: str) -> Ints:
    """(documents,) the positions of labels among the states; an error for a label that is none."""
    found, place = texts(labels, what)
    at = {state: position for position, state in enumerate(variable.states)}
    places = np.array([at.get(text, -1) for text in found], dtype=np.int64)
    if (places < 0).any():
        wrong = found[int(np.flatnonzero(places < 0)[0])]
        raise CasesError(
            f"{wrong!r} is no state of {variable.name!r}\n\nstates: {', '.join(variable.states)}"
        )
    return np.asarray(places[place])


def texts(labels: Any, what: str) -> tuple[list[str], Ints]:
    """Every label there is as text, and (documents,) which of them; a missing one is an error."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iufU" and labels.ndim == 1:
        values, place = np.unique(labels, return_inverse=True)
        found = values.tolist()
    else:
        seen: dict[Any, int] = {}
        place = np.array([seen.setdefault(each, len(seen)) for each in labels], dtype=np.int64)
        found = list(seen)
    told = list(map(state_text, found))
    if "" in told:
        gone = [at for at, text in enumerate(told) if text == ""]
        raise CasesError(f"document {int(np.isin(place, gone).argmax()) + 1} has no {what}")
    return told, place
