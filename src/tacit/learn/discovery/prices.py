"""What a choice among many rules costs: a prior over partitions, in nats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import lgamma, log

import numpy as np

from tacit.arrays import Floats


def sizes_of(groups: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """How many items each group has that has several, from the smallest on."""
    return tuple(sorted(len(group) for group in groups if len(group) > 1))


@lru_cache(maxsize=4096)
def price(items: int, sizes: tuple[int, ...]) -> float:
    """What the prior over partitions asks for groups of these sizes, in nats against no sharing.

    No sharing and some sharing are equally likely. Some sharing comes in one of two ways: as a
    number of groups, and any partition into so many; or group by group, each of any size and of any
    items that are left, until a coin says that it is enough. So the chance that items which share
    nothing look better by t nats than the price of any partition is at most exp(-t). [Markov]
    """
    if not sizes:
        return 0.0
    groups = items - sum(sizes) + len(sizes)
    at_once = log(items - 1) + float(_log_partitions(items)[groups])
    one_by_one, left = len(sizes) * log(2) - lgamma(len(sizes) + 1), items
    for size in sizes:
        one_by_one += log(left - 1) + log_choices(left, size)
        left -= size
    return log(2) + min(at_once, one_by_one)


@lru_cache(maxsize=64)
def _log_partitions(items: int) -> Floats:
    """(items + 1,) log of the number of partitions of the items into k groups: Stirling numbers."""
    row = np.full(items + 1, -np.inf)
    row[0] = 0.0
    with np.errstate(divide="ignore"):
        logs = np.log(np.arange(items + 1))
    for _ in range(items):
        before, row = row, np.full(items + 1, -np.inf)
        row[1:] = np.logaddexp(logs[1:] + before[1:], before[:-1])
    return row


def log_choices(items: int, size: int) -> float:
    """log of the number of ways to take so many of the items."""
    return lgamma(items + 1) - lgamma(size + 1) - lgamma(items - size + 1)
