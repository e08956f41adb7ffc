"""Slow truths for reports: information by enumeration, crossings pair by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import isclose, log


def information(joint: Mapping[tuple[int, ...], float], one: int, other: int) -> float:
    """I(one; other): Σ p(x, y) log (p(x, y) / (p(x) p(y))), positions counted in the keys."""
    assert isclose(sum(joint.values()), 1.0, abs_tol=1e-9)
    pair = summed(joint, (one, other))
    first, second = summed(joint, (one,)), summed(joint, (other,))
    return sum(p * log(p / (first[x,] * second[y,])) for (x, y), p in pair.items() if p > 0)


def information_given(joint: Mapping[tuple[int, ...], float], one: int, other: int) -> float:
    """I(one; other | all else): the same within each configuration of all else, averaged."""
    size = len(next(iter(joint)))
    rest = tuple(at for at in range(size) if at not in (one, other))
    total = 0.0
    for values, share in summed(joint, rest).items():
        if share > 0:
            within = {
                key: p / share
                for key, p in joint.items()
                if tuple(key[at] for at in rest) == values
            }
            total += share * information(within, one, other)
    return total


def summed(
    joint: Mapping[tuple[int, ...], float], kept: Sequence[int]
) -> dict[tuple[int, ...], float]:
    """The joint of some positions."""
    found: dict[tuple[int, ...], float] = {}
    for key, p in joint.items():
        part = tuple(key[at] for at in kept)
        found[part] = found.get(part, 0.0) + p
    return found


def crossings(rows: Sequence[Sequence[int]], down: Sequence[Sequence[int]]) -> int:
    """Pairs of arcs between the same two layers whose ends stand in opposite orders."""
    place = {point: at for row in rows for at, point in enumerate(row)}
    total = 0
    for row in rows:
        arcs = [(place[tail], place[head]) for tail in row for head in down[tail]]
        total += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(arcs, 2))
    return total
