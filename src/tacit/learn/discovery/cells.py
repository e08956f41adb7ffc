"""States of one row that are equally probable: the best partition of its cells, exactly.

A group of m equal cells has the log marginal likelihood of their summed counts under their summed
prior, less N log m for the choice among them. [Thm 4.3.1, 4.3.2; parameter domain knowledge 2.2]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.learn.discovery.partitions import Groups
from tacit.learn.discovery.prices import price, sizes_of


@dataclass(frozen=True, slots=True, eq=False)
class CellItems:
    """The cells of one row: counts and prior, each (states,); the reference is 1 in every cell."""

    counts: Floats
    alpha: Floats

    def __len__(self) -> int:
        return int(self.counts.size)

    def gains(self, group: Sequence[int]) -> tuple[float, float]:
        """What equal cells gain over free ones: by the prior, and by the reference."""
        at = list(group)
        counts, alpha = self.counts[at], self.alpha[at]
        return _gain(alpha, counts), _gain(np.ones_like(alpha), counts)


def _gain(alpha: Floats, counts: Floats) -> float:
    total, size = counts.sum(), np.full(1, counts.size)
    together = _terms(alpha.sum()[None], total[None], size)
    return float(together.sum() - _terms(alpha, counts, np.ones_like(counts)).sum())


def _terms(alpha: Floats, counts: Floats, sizes: Floats | Ints) -> Floats:
    """ln Γ(α + N) - ln Γ(α) - N ln m of groups of m cells."""
    from scipy.special import gammaln

    return np.asarray(gammaln(alpha + counts) - gammaln(alpha) - counts * np.log(sizes))


def best_cells(items: CellItems) -> Groups:
    """The partition into equal cells that the reference likes best.

    Group terms are convex in the counts of the groups, so for any sizes of groups the best ones are
    runs of the cells sorted by counts; the best runs are found for every number of groups at once.
    """
    order = np.argsort(items.counts, kind="stable")
    states = order.size
    ends = np.concatenate([[0.0], np.cumsum(items.counts[order])])
    sizes = np.arange(states + 1)[None, :] - np.arange(states + 1)[:, None]
    runs = np.maximum(sizes, 1).astype(np.float64)
    worth = np.where(sizes > 0, _terms(runs, np.maximum(ends[None, :] - ends[:, None], 0.0), runs),
                     -np.inf)  # fmt: skip
    levels = [*_levels(worth), _runs(worth + _single_prices(sizes))]
    found = [tuple(sorted(tuple(sorted(order[a:b].tolist())) for a, b in runs)) for runs in levels]
    values = [
        sum(worth[a, b] for a, b in runs) - price(states, sizes_of(groups))
        for runs, groups in zip(levels, found, strict=True)
    ]
    return found[int(np.argmax(values))]


def _levels(worth: Floats) -> list[list[tuple[int, int]]]:
    """The best runs for every number of them; worth[a, b] is that of the run from a to b."""
    states = worth.shape[0] - 1
    best = np.where(np.arange(states + 1) == 0, 0.0, -np.inf)
    back = np.zeros((states + 1, states + 1), dtype=np.int64)
    for groups in range(1, states + 1):
        reached = best[:, None] + worth
        back[groups], best = reached.argmax(axis=0), reached.max(axis=0)
    found = []
    for groups in range(1, states + 1):
        ends = [states]
        for left in range(groups, 0, -1):
            ends.append(int(back[left, ends[-1]]))
        found.append(list(pairwise(ends[::-1])))
    return found


def _runs(worth: Floats) -> list[tuple[int, int]]:
    """The best runs, however many."""
    ends = worth.shape[0]
    best, back = np.zeros(ends), np.zeros(ends, dtype=np.int64)
    for end in range(1, ends):
        reached = best[:end] + worth[:end, end]
        back[end] = int(reached.argmax())
        best[end] = reached[back[end]]
    found = [ends - 1]
    while found[-1]:
        found.append(int(back[found[-1]]))
    return list(pairwise(found[::-1]))


def _single_prices(sizes: Ints) -> Floats:
    """Minus the price of a run if it were the only group, for runs of several cells."""
    states = sizes.shape[0] - 1
    prices = [0.0, 0.0, *(price(states, (size,)) for size in range(2, states + 1))]
    return -np.array(prices)[np.maximum(sizes, 0)]
