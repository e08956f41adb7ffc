"""What linear rules leave, read off the corners of their polytope: every corner is tried.

A rule is (factors, sign, limit): Σ factors · x  <=, >= or =  limit. Rows of tables are lists of
positions that sum to one. Nothing here knows how the package computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Line = tuple[Sequence[float], str, float]
Rule = Sequence[Line]


def corners(rules: Sequence[Rule], rows: Sequence[Sequence[int]]) -> Floats:
    """(corners, n) all corners of {x >= 0, rows sum to one, rules hold}; none if it is empty."""
    size = sum(map(len, rows))
    equal = [[float(at in row) for at in range(size)] + [1.0] for row in rows]
    below = [[-float(at == cell) for at in range(size)] + [0.0] for cell in range(size)]
    for factors, sign, limit in (line for rule in rules for line in rule):
        turned = -1.0 if sign == ">=" else 1.0
        kept = equal if sign == "=" else below
        kept.append([turned * factor for factor in factors] + [turned * limit])
    every = np.array(equal + below)
    chosen = np.array(list(combinations(range(len(every)), size)))
    matrices, limits = every[chosen][:, :, :-1], every[chosen][:, :, -1:]
    regular = np.abs(np.linalg.det(matrices)) > 1e-9
    points = np.linalg.solve(matrices[regular], limits[regular])[:, :, 0]
    off = np.abs(points @ np.array(equal)[:, :-1].T - np.array(equal)[:, -1])
    over = points @ np.array(below)[:, :-1].T - np.array(below)[:, -1]
    return np.asarray(points[(off.max(axis=1) < 1e-9) & (over.max(axis=1) < 1e-9)])


def holds(rule: Rule, points: Floats) -> bool:
    """Whether the rule holds at all these points."""
    for factors, sign, limit in rule:
        values = points @ np.array(factors)
        if sign != ">=" and values.max() > limit + 1e-7:
            return False
        if sign != "<=" and values.min() < limit - 1e-7:
            return False
    return True


def redundant(rules: Sequence[Rule], rows: Sequence[Sequence[int]]) -> list[int]:
    """Rules that hold wherever the others do, the last given up first, for good."""
    kept = list(range(len(rules)))
    for number in reversed(range(len(rules))):
        others = [rules[other] for other in kept if other != number]
        if holds(rules[number], corners(others, rows)):
            kept.remove(number)
    return [number for number in range(len(rules)) if number not in kept]


def fewest_conflicting(rules: Sequence[Rule], rows: Sequence[Sequence[int]]) -> int:
    """How many rules it takes to leave nothing."""
    for count in range(1, len(rules) + 1):
        if any(not corners(some, rows).size for some in combinations(rules, count)):
            return count
    raise AssertionError("the rules do not conflict")
