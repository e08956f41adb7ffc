"""What is unknown in cases, merged: the same missing piece in the same surroundings is one context.

Given the observed variables of a case, its missing ones fall apart into pieces that are independent
of each other, and the posterior of a piece depends only on the states around it. Cases share most
of their contexts, so each is inferred once, with the weight of all cases that have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from tacit.arrays import Codes, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.infer.chains import settle
from tacit.infer.flat import Layout

if TYPE_CHECKING:
    from tacit.kernels.components import Names

Words: TypeAlias = npt.NDArray[np.uint64]

BLOCK_CELLS = 8_000_000
SEED = 20_061_017


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Every missing piece of every incomplete case.

    case       (pieces,)      the case it belongs to
    context    (pieces,)      the context it is an instance of
    example    (contexts,)    one case that has the context
    first      (contexts,)    the lowest variable of the piece
    kind       (contexts,)    contexts with the same set of missing variables have the same kind
    size       (contexts,)    how many variables are missing in it
    codes, row                the cells of examples: row[context] of codes, -1 where missing

    Contexts of one kind follow each other.
    """

    case: Ints
    context: Ints
    example: Ints
    first: Ints
    kind: Ints
    size: Ints
    codes: Codes
    row: Ints


def code_matrix(data: Dataset, names: Sequence[str], cases: Ints) -> Codes:
    """Some cases as a matrix of codes, one column per name; a name without a column is missing."""
    matrix = np.full((cases.size, len(names)), -1, dtype=np.int32)
    for at, name in enumerate(names):
        if name in data:
            matrix[:, at] = data[name][cases]
    return matrix


def incomplete_cases(data: Dataset, names: Sequence[str]) -> Ints:
    """The cases in which some of these variables is missing."""
    if any(name not in data for name in names):
        return np.arange(len(data), dtype=np.int64)
    gaps = np.zeros(len(data), dtype=np.bool_)
    for name in names:
        gaps |= data[name] < 0
    return np.flatnonzero(gaps)


def find_pieces(data: Dataset, layout: Layout) -> Pieces:
    """The missing pieces of all cases, equal ones recognised by two 64-bit words."""
    from tacit.kernels.components import Records, components

    names = _names(layout)
    cases = incomplete_cases(data, layout.measured)
    block = max(1, BLOCK_CELLS // max(1, len(layout.names)))
    parts, codes = [], _settled(data, layout, cases[:block])
    for start in range(0, cases.size, block):
        chosen = cases[start : start + block]
        if start:
            codes = _settled(data, layout, chosen)
        gaps = int(np.count_nonzero(codes < 0))
        case, first, size = (np.empty(gaps, dtype=np.int64) for _ in range(3))
        records = Records(case, first, size, np.empty((gaps, 4), dtype=np.uint64))
        found = components(codes, names, records)
        parts.append((case[:found] + start, first[:found], size[:found], records.words[:found]))
    return _merged(data, layout, cases, codes if cases.size <= block else None, parts)


def _merged(
    data: Dataset,
    layout: Layout,
    cases: Ints,
    codes: Codes | None,
    parts: Sequence[tuple[Ints, Ints, Ints, Words]],
) -> Pieces:
    """Equal pieces are one context.

    codes  the cells of all these cases, if they are at hand
    """
    if not parts:
        none = np.zeros(0, dtype=np.int64)
        return Pieces(none, none, none, none, none, none, none.reshape(0, 0), none)
    row, first, size, words = (np.concatenate(each) for each in zip(*parts, strict=True))
    example, context = _distinct(words, 2)
    _, kind = _distinct(words[example], 0)
    order = np.argsort(kind, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    example, kind = example[order], kind[order]
    seen = row[example]
    if codes is None:
        codes, seen = _settled(data, layout, cases[seen]), np.arange(seen.size)
    whose = cases[row[example]]
    return Pieces(
        cases[row], rank[context], whose, first[example], kind, size[example], codes, seen
    )


def codes_of(data: Dataset, layout: Layout, cases: Ints) -> Codes:
    """Some cases in the variables of a layout, with what is known of its chains."""
    codes = code_matrix(data, layout.names, cases)
    settle(layout, codes)
    return codes


def _settled(data: Dataset, layout: Layout, cases: Ints) -> Codes:
    codes = code_matrix(data, layout.names, cases)
    settle(layout, codes, whole=True)
    return codes


_known_names: WeakKeyDictionary[Layout, Names] = WeakKeyDictionary()


def _names(layout: Layout) -> Names:
    from tacit.kernels.components import Names

    if layout not in _known_names:
        random, graph = np.random.default_rng(SEED), layout.graph
        of_set = _words(random, len(layout.names))
        of_state = _words(random, int(layout.state_at[-1]))
        _known_names[layout] = Names(graph.near_at, graph.near, of_set, of_state, layout.state_at)
    return _known_names[layout]


def _words(random: np.random.Generator, count: int) -> Words:
    return random.integers(1, 2**63, size=(count, 2), dtype=np.uint64)


def _distinct(words: Words, column: int) -> tuple[Ints, Ints]:
    """One example of every distinct pair of words, in order of appearance, and which each is."""
    from tacit.kernels.components import distinct

    example, which = np.empty((2, len(words)), dtype=np.int64)
    count = distinct(words, column, example, which)
    return example[:count], which


def piece_weights(pieces: Pieces, weights: Floats | None) -> Floats:
    """How often each context counts."""
    each = None if weights is None else weights[pieces.case]
    return np.bincount(pieces.context, each, minlength=pieces.example.size).astype(np.float64)
