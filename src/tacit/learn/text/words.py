"""Documents as counts of the words of a dictionary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from scipy import sparse

from tacit.arrays import Floats, Ints, readonly
from tacit.core.errors import CasesError, OptionError, listed
from tacit.core.grid import counted

_WORD = re.compile(r"\w+")
Matrix = sparse.csr_matrix | sparse.csr_array


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Words:
    """How often each word of a dictionary stands in each document.

    counts      (documents, words) sparse; not negative
    dictionary  the words, in the order of the columns
    unknown     (documents,) how many of its words are in no dictionary
    """

    counts: Any
    dictionary: tuple[str, ...]
    unknown: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", _checked(self.counts))
        object.__setattr__(self, "unknown", readonly(self.unknown))
        if self.counts.shape != (self.unknown.size, len(self.dictionary)):
            raise CasesError(
                f"counts of {' x '.join(map(str, self.counts.shape))} do not fit "
                f"{counted(self.unknown.size, 'document')} and a dictionary of "
                f"{len(self.dictionary):,}"
            )

    def __len__(self) -> int:
        return int(self.counts.shape[0])

    @property
    def known(self) -> Floats:
        """(documents,) how many of its words the dictionary holds."""
        return np.asarray(self.counts @ np.ones(len(self.dictionary)), dtype=np.float64)

    def take(self, documents: Ints) -> Words:
        """The documents at these positions, in this order."""
        return Words(self.counts[documents], self.dictionary, self.unknown[documents])

    def over(self, dictionary: Sequence[str]) -> Words:
        """The same documents over another dictionary; words it lacks become unknown."""
        if tuple(dictionary) == self.dictionary:
            return self
        at = {word: place for place, word in enumerate(dictionary)}
        places = np.array([at.get(word, -1) for word in self.dictionary], dtype=np.int64)
        kept = np.flatnonzero(places >= 0)
        picked = sparse.csr_array(
            (np.ones(kept.size), (kept, places[kept])), shape=(places.size, len(at))
        )
        counts = sparse.csr_array(self.counts) @ picked
        lost = self.known - np.asarray(counts @ np.ones(len(at)))
        return Words(counts, tuple(dictionary), self.unknown + np.maximum(lost, 0.0))

    def __reduce__(self) -> tuple[type[Words], tuple[Any, ...]]:
        return Words, tuple(getattr(self, each.name) for each in fields(self))

    def __repr__(self) -> str:
        unknown = float(self.unknown.sum())
        more = f", {unknown:,.6g} words not in the dictionary" if unknown else ""
        return (
            f"<Words of {counted(len(self), 'document')}, a dictionary of "
            f"{len(self.dictionary):,}{more}>"
        )


def words(documents: Any, dictionary: Sequence[str] | None = None, *, least: int = 1) -> Words:
    """Documents as counts of words.

    documents   texts, which are cut into words and written small; or lists of words, which are
                taken as they are; or a matrix of counts, sparse or not, a document a line
    dictionary  the words that count, in this order (of a matrix: the names of its columns); by
                default all that stand in `least` documents or more, in alphabetical order
    """
    if isinstance(documents, Words):
        return documents if dictionary is None else documents.over(dictionary)
    if isinstance(documents, np.ndarray) and documents.ndim == 1 and documents.dtype.kind in "OU":
        documents = documents.tolist()
    if sparse.issparse(documents) or isinstance(documents, np.ndarray):
        return _of_matrix(documents, dictionary)
    if isinstance(documents, str | bytes | Mapping) or not isinstance(documents, Iterable):
        raise CasesError(
            "documents are a list of texts, of lists of words, or a matrix of counts, not "
            f"{documents if isinstance(documents, str) else type(documents).__name__!r:.40}"
        )
    bags = [_bag(each, at) for at, each in enumerate(documents)]
    known = _dictionary(bags, least) if dictionary is None else _unique(dictionary)
    return _counted(bags, known)


def _bag(document: Any, at: int) -> Counter[str]:
    if isinstance(document, str):
        return Counter(_WORD.findall(document.lower()))
    if document is None or (isinstance(document, float) and np.isnan(document)):
        raise CasesError(f"document {at + 1} is missing; an empty text is a document without words")
    if isinstance(document, Iterable) and not isinstance(document, bytes | Mapping):
        return Counter(map(str, document))
    raise CasesError(
        f"document {at + 1} is a {type(document).__name__}, neither a text nor a list of words"
    )


def _dictionary(bags: Sequence[Counter[str]], least: int) -> tuple[str, ...]:
    if isinstance(least, bool) or not isinstance(least, int) or least < 1:
        raise OptionError(f"least={least!r} must be a whole number, 1 or more")
    inside = Counter(word for bag in bags for word in bag)
    return tuple(sorted(word for word, documents in inside.items() if documents >= least))


def _unique(dictionary: Iterable[Any]) -> tuple[str, ...]:
    if isinstance(dictionary, str):
        raise OptionError("the dictionary is a list of words, not one text")
    known = tuple(map(str, dictionary))
    if len(set(known)) < len(known):
        twice = [word for word, times in Counter(known).items() if times > 1]
        raise OptionError(f"the dictionary holds a word twice: {listed(map(repr, twice))}")
    return known


def _counted(bags: Sequence[Counter[str]], dictionary: tuple[str, ...]) -> Words:
    at = {word: place for place, word in enumerate(dictionary)}
    ends, places, times = [0], [], []
    unknown = np.zeros(len(bags))
    for document, bag in enumerate(bags):
        for word, many in sorted(bag.items()):
            if word in at:
                places.append(at[word])
                times.append(many)
            else:
                unknown[document] += many
        ends.append(len(places))
    counts = sparse.csr_array(
        (np.array(times, dtype=np.float64), np.array(places, dtype=np.int64), np.array(ends)),
        shape=(len(bags), len(dictionary)),
    )
    return Words(counts, dictionary, unknown)


def _of_matrix(matrix: Any, dictionary: Sequence[str] | None) -> Words:
    if matrix.ndim != 2:
        raise CasesError(f"a matrix of counts has two dimensions, not {matrix.ndim}")
    columns = int(matrix.shape[1])
    known = (
        tuple(f"w{at}" for at in range(1, columns + 1))
        if dictionary is None
        else _unique(dictionary)
    )
    if len(known) != columns:
        raise CasesError(
            f"a matrix of {counted(columns, 'column')} needs as many words, "
            f"not a dictionary of {len(known):,}"
        )
    return Words(matrix, known, np.zeros(matrix.shape[0]))


def _checked(counts: Any) -> Any:
    """The counts in rows, none of them negative or not a number."""
    if not sparse.issparse(counts):
        array = np.asarray(counts)
        if array.dtype.kind not in "fiub":
            raise CasesError(f"counts of words must be numbers, not {array.dtype}")
        counts = sparse.csr_array(array.astype(np.float64))
    rows = counts.tocsr()
    if rows.dtype.kind not in "fiub":
        raise CasesError(f"counts of words must be numbers, not {rows.dtype}")
    if not rows.has_canonical_format:  # a cell that is said in parts is their sum
        rows = rows.copy()
        rows.sum_duplicates()
    data = rows.data
    if data.size and not (np.min(data) >= 0 and np.isfinite(np.max(data))):
        raise CasesError("a count of words is a finite number, 0 or more; the matrix holds others")
    return rows
