"""Whether a source can be right where the target's rules hold.

Strict: the most likely table of the source obeys the rules. Tolerant: only what the source's cases
exclude is excluded: each cell lies in its exact binomial interval, and a rule speaks against the
source if no values in these intervals obey it. [estimation 3.5, Clopper and Pearson 1934]
"""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.knowledge.rows import Rows

LEVEL = 0.99
"""Of the exact intervals."""
SLACK = 1e-9


def exact_interval(counts: Floats, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Of every cell of a table (..., states), given the cases of its row; all where there are none.

    The equal-tailed beta interval would exclude 0 where nothing was seen; this does not.
    """
    from scipy.special import betaincinv

    total = np.broadcast_to(counts.sum(axis=-1, keepdims=True), counts.shape)
    rest, tail = total - counts, (1 - level) / 2
    seen, unseen = np.maximum(counts, 1e-300), np.maximum(rest, 1e-300)
    low = np.where(counts > 0, betaincinv(seen, rest + 1, tail), 0.0)
    high = np.where(rest > 0, betaincinv(counts + 1, unseen, 1 - tail), 1.0)
    return np.where(total > 0, low, 0.0), np.where(total > 0, high, 1.0)


def broken_rules(rows: Rows, low: Floats, high: Floats) -> Ints:
    """Numbers of the rules that no values between low and high (of all cells) can keep."""
    factors = rows.factors
    least = np.where(factors > 0, factors * low[rows.cells], factors * high[rows.cells])
    most = np.where(factors > 0, factors * high[rows.cells], factors * low[rows.cells])
    smallest = np.bincount(rows.owner, least, minlength=len(rows))
    largest = np.bincount(rows.owner, most, minlength=len(rows))
    wrong = (smallest > rows.limits + SLACK) | (rows.equal & (largest < rows.limits - SLACK))
    return np.unique(rows.rule[wrong])


def most_likely(counts: Floats) -> tuple[Floats, Floats]:
    """The most likely table as an interval of no width; everything where a row has no case."""
    total = counts.sum(axis=-1, keepdims=True)
    known = np.broadcast_to(total > 0, counts.shape)
    share = counts / np.where(total > 0, total, 1.0)
    return np.where(known, share, 0.0), np.where(known, share, 1.0)
