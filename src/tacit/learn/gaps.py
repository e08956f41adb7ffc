"""Which cells are missing together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.core.dataset import Dataset, absent

MOST_COMMON = 10
"""Patterns that are kept; of the others only how many there are."""
AT_ONCE = 24
"""Columns whose gaps join the number of a pattern before it is made small again."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """The patterns of missing cells: the sets of columns that cases lack.

    complete  how many cases lack nothing
    patterns  how many different sets of columns are missing, the empty set not counted
    common    the most common of them, with the number of their cases
    """

    complete: int
    patterns: int
    common: tuple[tuple[tuple[str, ...], int], ...]


def gaps_of(cases: Dataset) -> Gaps:
    """The patterns of these cases, the most common first; of equals the one met first."""
    gone = {name: absent(column) for name, column in cases.columns.items()}
    gone = {name: cells for name, cells in gone.items() if cells.any()}
    names, pattern = list(gone), np.zeros(len(cases), dtype=np.int64)
    for start in range(0, len(names), AT_ONCE):
        for name in names[start : start + AT_ONCE]:
            pattern = pattern << 1 | gone[name]
        pattern = np.unique(pattern, return_inverse=True)[1]
    _, first, counts = np.unique(pattern, return_index=True, return_counts=True)
    found = [
        (tuple(name for name in names if gone[name][first[at]]), int(counts[at]))
        for at in np.lexsort((first, -counts))[: MOST_COMMON + 1]
    ]
    whole = ~np.logical_or.reduce([np.zeros(len(cases), dtype=bool), *gone.values()])
    common = tuple((lacking, number) for lacking, number in found if lacking)[:MOST_COMMON]
    return Gaps(int(whole.sum()), counts.size - int(whole.any()), common)
