"""What finds are worth, spelled out: cases drawn one by one from an urn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log
from typing import Any

import numpy as np


def urn(alpha: Any, counts: Any) -> float:
    """log P(these cases in some order), each drawn in proportion to what the urn holds by then."""
    held, total = np.array(alpha, dtype=float), 0.0
    assert (held > 0).all()
    for state, cases in enumerate(np.asarray(counts).tolist()):
        assert cases == int(cases)
        for _ in range(int(cases)):
            total += log(held[state] / held.sum())
            held[state] += 1
    return total


def urn_of_groups(alpha: Any, counts: Any, groups: Sequence[Sequence[int]]) -> float:
    """The same where the states of a group are equally probable: first the group, then an even
    choice among its states."""
    alpha, counts = np.asarray(alpha), np.asarray(counts)
    assert sorted(state for group in groups for state in group) == list(range(len(alpha)))
    sums = [counts[list(group)].sum() for group in groups]
    total = urn([alpha[list(group)].sum() for group in groups], sums)
    return total - sum(n * log(len(group)) for n, group in zip(sums, groups, strict=True))


def partitions(items: list[int]) -> Iterator[list[list[int]]]:
    """All partitions of the items."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for found in partitions(rest):
        yield [[first], *found]
        for at, group in enumerate(found):
            yield [*found[:at], [first, *group], *found[at + 1 :]]


def rises(table: Any, axis: int, direction: int) -> bool:
    """Whether P(X >= c) never falls along a parent, for any threshold and context."""
    table = np.moveaxis(np.asarray(table), axis, 0)
    for low, high in pairwise(table):
        for cut in range(1, table.shape[-1]):
            step = high[..., cut:].sum(axis=-1) - low[..., cut:].sum(axis=-1)
            if (direction * step < -1e-12).any():
                return False
    return True


def tables_at_random(random: np.random.Generator) -> dict[str, Any]:
    """Seven tables of several shapes, all rows drawn evenly from all distributions.

    A, B and C are roots; X depends on A and B, Y on C, Z on A and C, W on X.
    """
    shapes = {"A": (3,), "B": (2,), "C": (4,), "X": (3, 2, 3), "Y": (4, 5), "Z": (3, 4, 2),
              "W": (3, 4)}  # fmt: skip
    return {
        name: random.dirichlet(np.ones(shape[-1]), size=shape[:-1])
        for name, shape in shapes.items()
    }


def tables_with_parts(random: np.random.Generator) -> dict[str, Any]:
    """T1 and T2 given R1 and R2, perhaps one table, and U given R1 and S.

    Their rows have masses, ratios or both in common, are one, or have equal cells, at random.
    """
    states, rows, others = (int(random.integers(*ends)) for ends in ((3, 7), (3, 7), (2, 4)))

    def table() -> Any:
        inside = random.permutation(states)[: random.integers(1, states)]
        outside = np.setdiff1d(np.arange(states), inside)
        shape, mass = int(random.integers(4)), random.uniform(0.2, 0.8)
        parts = [random.dirichlet(np.ones(len(part))) for part in (inside, outside)]
        base = random.dirichlet(np.ones(states), size=2)
        found = []
        for _ in range(rows):
            row, chance = np.empty(states), random.random()
            if chance < 0.3:
                row = base[random.integers(2)]
            elif chance < 0.4:
                row = random.integers(1, 4, size=states).astype(float)
            else:
                share = random.uniform(0.1, 0.9) if shape == 2 else mass
                new = [random.dirichlet(np.ones(len(part))) for part in (inside, outside)]
                row[inside] = share * (parts if shape in (1, 2) else new)[0]
                row[outside] = (1 - share) * (parts if shape in (2, 3) else new)[1]
            found.append(row / row.sum())
        return np.array(found)

    first = table()
    return {
        "R1": np.full(rows, 1 / rows),
        "R2": np.full(rows, 1 / rows),
        "S": np.full(others, 1 / others),
        "T1": first,
        "T2": first if random.random() < 0.5 else table(),
        "U": np.array([table() for _ in range(others)]).transpose(1, 0, 2),
    }
