"""Rules drawn at random that some row, or some rows, obey: nested, chained, or overlapping."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from small_blocks import Said, at_least, at_most, below, exactly


def a_row(rng: np.random.Generator, size: int) -> np.ndarray:
    """A row to be obeyed by the rules drawn; sometimes with equal cells."""
    row = rng.dirichlet(np.full(size, 2.0))
    if rng.random() < 0.3:
        row = np.round(row * 20 + 1)
        row /= row.sum()
    return row


def counts(rng: np.random.Generator, size: int, zeros: float = 0.0) -> np.ndarray:
    """Counts 1 to 39, some of them 0."""
    drawn = rng.integers(1, 40, size).astype(float)
    drawn[rng.random(size) < zeros] = 0.0
    return drawn


def a_bound(rng: np.random.Generator, cells, row: np.ndarray) -> list[Said]:
    """Bounds on the mass of some cells that the row obeys."""
    mass = row[list(cells)].sum()
    kind = rng.integers(4)
    scale = rng.choice([1.0, 2.0])
    said = []
    if kind in (0, 2):
        said.append(at_most(cells, min(1.0, mass * rng.uniform(1, 1.6))))
    if kind in (1, 2):
        said.append(at_least(cells, mass * rng.uniform(0.4, 1)))
    if kind == 3:
        said.append(exactly(cells, mass))
    return [
        Said(one.cells, tuple(scale * f for f in one.factors), scale * one.limit, one.equal)
        for one in said
    ]


def a_chain(rng: np.random.Generator, sets, row: np.ndarray) -> list[Said]:
    """The sets in the order of their masses, each at most (a multiple of) the next."""
    sets = sorted(sets, key=lambda each: row[list(each)].sum())
    said = []
    for low, high in pairwise(sets):
        ratio = row[list(low)].sum() / row[list(high)].sum()
        kind = rng.random()
        if kind < 0.15:
            said.append(below(low, high, ratio, equal=True))
        elif kind < 0.3:
            said.append(below(low, high, ratio * rng.uniform(1, 1.5)))
        elif kind < 0.4:  # the same rule, both sides doubled
            one = below(low, high)
            said.append(Said(one.cells, tuple(2 * f for f in one.factors)))
        else:
            said.append(below(low, high))
    return said


def parted(rng: np.random.Generator, cells, most: int = 4) -> list[list[int]]:
    """The cells in a few sets, some cells perhaps in none."""
    cells = [int(each) for each in rng.permutation(cells)]
    cuts = sorted(rng.integers(0, len(cells) + 1, rng.integers(1, most + 1)))
    parts = [cells[a:b] for a, b in zip([0, *cuts], [*cuts, len(cells)], strict=True)]
    parts = [part for part in parts if part]
    return parts if rng.random() < 0.5 else parts[:-1]


def nested(rng: np.random.Generator, row: np.ndarray) -> list[Said]:
    """Bounds on disjoint sets, and inside them and beside them chains, and chains in these."""
    said: list[Said] = []
    for group in parted(rng, range(row.size)):
        if rng.random() < 0.6:
            said += a_bound(rng, group, row)
            said += chained(rng, group, row)
        else:
            said += chained(rng, group, row)
    return said


def chained(rng: np.random.Generator, group, row: np.ndarray, deep: int = 2) -> list[Said]:
    if len(group) < 2 or not deep or rng.random() < 0.3:
        return []
    sets = parted(rng, group)
    said = a_chain(rng, sets, row)
    for each in sets:
        said += chained(rng, each, row, deep - 1)
    return said


def overlapping(rng: np.random.Generator, row: np.ndarray) -> list[Said]:
    """Any sets at all, bounded and compared: most such blocks have no closed form."""
    said: list[Said] = []
    for _ in range(rng.integers(1, 5)):
        drawn = [int(c) for c in rng.permutation(row.size)[: rng.integers(1, row.size)]]
        if len(drawn) > 1 and rng.random() < 0.6:
            cut = int(rng.integers(1, len(drawn)))
            said += a_chain(rng, [drawn[:cut], drawn[cut:]], row)
        else:
            said += a_bound(rng, drawn, row)
    return said


def across(rng: np.random.Generator, rows: int) -> list[Said]:
    """A chain of rows with two states, in either writing, with equal rows and bounds."""
    p = np.sort(rng.uniform(0.05, 0.95, rows))
    same = rng.random(rows) < 0.2
    for k in range(1, rows):
        p[k] = p[k - 1] if same[k] else p[k]
    place = rng.permutation(rows)  # where in the block each member of the chain stands
    said: list[Said] = []
    for k in range(1, rows):
        low, high = 2 * int(place[k - 1]), 2 * int(place[k])
        if rng.random() < 0.5:
            said.append(below([low + 1], [high + 1], equal=bool(same[k])))
        else:
            said.append(below([high], [low], equal=bool(same[k])))
        if rng.random() < 0.1:
            said.append(below([low + 1], [high + 1], equal=bool(same[k])))
    for k in range(rows):
        row = np.zeros(2 * rows)
        row[2 * place] = 1 - p
        row[2 * place + 1] = p
        if rng.random() < 0.3:
            said += a_bound(rng, [2 * int(place[k]) + int(rng.integers(2))], row)
    return said
