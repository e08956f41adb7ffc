"""Words of documents added up by class."""

from __future__ import annotations

from numba import njit

from tacit.arrays import Floats, Ints


@njit(cache=True)
def add_words(
    ends: Ints, words: Ints, times: Floats, rows: Ints, weights: Floats, out: Floats
) -> None:
    """Add each entry of a sparse matrix, document by document, to its word in the document's row.

    ends (documents + 1,) where the entries of a document begin and end; a document's row stays in
    the cache while its words are added.
    """
    for document in range(rows.size):
        row = out[rows[document]]
        weight = weights[document]
        for at in range(ends[document], ends[document + 1]):
            row[words[at]] += weight * times[at]
