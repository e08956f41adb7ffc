"""Local structure spelled out: every tree and every list of rows there is, scored one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import lgamma, log, prod
from typing import Any

Region = tuple[tuple[int, ...], ...]
"""Per parent the states that are still possible."""


def bic(cases: int, states: int) -> Any:
    """The worth of a row: the greatest log-likelihood less half the log of cases per parameter."""

    def worth(counts: list[float], share: float) -> float:
        del share
        total = sum(counts)
        fit = sum(n * log(n / total) for n in counts if n)
        return fit - 0.5 * log(cases) * (states - 1)

    return worth


def marginal(strength: float, each: float) -> Any:
    """The log marginal likelihood of a row that stands for a share of the configurations."""

    def worth(counts: list[float], share: float) -> float:
        alpha = strength * share / len(counts) + each
        found = lgamma(alpha * len(counts)) - lgamma(alpha * len(counts) + sum(counts))
        return found + sum(lgamma(alpha + n) - lgamma(alpha) for n in counts)

    return worth


def counts_in(cases: list[tuple[int, ...]], region: Region, states: int) -> list[float]:
    """How often each state of the child was seen in a region; the child is the last cell."""
    found = [0.0] * states
    for *parents, child in cases:
        if all(code in open_ for code, open_ in zip(parents, region, strict=True)):
            found[child] += 1
    return found


def partitions_by_trees(
    region: Region, tests: str = "any", priced: bool = True
) -> Iterator[tuple[tuple[Region, ...], float]]:
    """The leaves of every tree over a region and the log of its prior, a tree at a time.

    Priced, a place is a leaf or a question by the toss of a coin, all questions alike.
    """
    yield (region,), -log(2) if priced else 0.0
    asked = [
        [(*region[:axis], each, *region[axis + 1 :]) for each in branches]
        for axis, open_ in enumerate(region)
        for branches in questions(open_, tests)
    ]
    toll = -log(2 * len(asked)) if priced and asked else 0.0
    for below in asked:
        for trees in product(*(list(partitions_by_trees(e, tests, priced)) for e in below)):
            leaves = tuple(leaf for leaves, _ in trees for leaf in leaves)
            yield leaves, toll + sum(prior for _, prior in trees)


def questions(open_: tuple[int, ...], tests: str) -> Iterator[list[tuple[int, ...]]]:
    """Every question about one parent: all of its states, or one of them against the others."""
    if len(open_) < 2:
        return
    if tests != "one" or len(open_) == 2:
        yield [(state,) for state in open_]
    if tests != "states" and len(open_) > 2:
        for state in open_:
            yield [(state,), tuple(other for other in open_ if other != state)]


def best_tree(
    cases: list[tuple[int, ...]],
    sizes: list[int],
    states: int,
    worth: Any,
    tests: str = "any",
    priced: bool = True,
) -> float:
    """What the leaves of the best tree are worth together, with the log of its prior."""
    whole = tuple(tuple(range(size)) for size in sizes)
    known: dict[Region, float] = {}

    def of(region: Region) -> float:
        if region not in known:
            share = prod(len(open_) / size for open_, size in zip(region, sizes, strict=True))
            known[region] = worth(counts_in(cases, region, states), share)
        return known[region]

    trees = partitions_by_trees(whole, tests, priced)
    return max(sum(map(of, leaves)) + prior for leaves, prior in trees)


def best_list(cases: list[tuple[int, ...]], sizes: list[int], states: int, worth: Any) -> float:
    """What the rows of the best default table are worth, over every list of configurations."""
    every = list(product(*(range(size) for size in sizes)))
    rows = {
        c: [float(sum(case == (*c, s) for case in cases)) for s in range(states)] for c in every
    }
    found = []
    for many in range(len(every)):
        for listed in combinations(every, many):
            rest = [sum(rows[c][s] for c in every if c not in listed) for s in range(states)]
            own = sum(worth(rows[c], 1 / len(every)) for c in listed)
            found.append(own + worth(rest, 1 - many / len(every)))
    return max(found)
