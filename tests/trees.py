"""Blocks of equations written out by hand, one for every shape of tree that the theorems print."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tacit.estimate.ruled.recognise import recognise
from tacit.estimate.ruled.splits import Forest
from tacit.knowledge.blocks import Block
from tacit.knowledge.rows import Rows

Equation = tuple[dict[int, float], float]
"""Factors of positions, and the limit."""


def known(cells: Sequence[int], value: float) -> list[Equation]:
    """The mass of these cells is `value`."""
    return [(dict.fromkeys(cells, 1.0), value)]


def times(left: Sequence[int], factor: float, right: Sequence[int]) -> list[Equation]:
    """The mass of `left` is `factor` times the mass of `right`."""
    return [(dict.fromkeys(left, 1.0) | dict.fromkeys(right, -factor), 0.0)]


def equal(*sets: Sequence[int]) -> list[Equation]:
    """Sets of equal mass, each as the one before."""
    return [rule for one, other in pairwise(sets) for rule in times(one, 1.0, other)]


def block(
    lengths: Sequence[int], equations: Sequence[Equation] = (), ratios: Sequence[object] = ()
) -> Block:
    """Rows of these lengths under these equations and proportional lists."""
    cells = [sorted(factors) for factors, _ in equations]
    count = len(equations)
    rules = Rows(
        np.cumsum([0, *map(len, cells)]),
        np.array([cell for each in cells for cell in each], dtype=np.int64),
        np.array(
            [f[c] for (f, _), each in zip(equations, cells, strict=True) for c in each], float
        ),
        np.array([limit for _, limit in equations], dtype=np.float64),
        np.ones(count, dtype=np.bool_),
        np.arange(count),
        np.ones(count, dtype=np.int64),
    )
    row = np.repeat(np.arange(len(lengths)), lengths)
    return Block(row, rules, tuple(np.array(lists) for lists in ratios))


def planted(*blocks: Block) -> Forest:
    """The trees of these blocks, one after the other; each block must be a tree."""
    trees = [recognise(each) for each in blocks]
    assert None not in trees
    ends = np.cumsum([each.size for each in blocks])
    at = [np.arange(end - each.size, end) for each, end in zip(blocks, ends, strict=True)]
    return Forest.of([tree for tree in trees if tree is not None], at)


def most_likely(given: Block, counts: Sequence[float]) -> np.ndarray:
    return planted(given).most_likely(np.asarray(counts, dtype=float))


KNOWN = block([4], known([0], 0.2) + known([2], 0.1))
SHARED = block([6], equal([0], [1], [2]) + equal([3], [4]))
PROPORTIONAL = block([5], times([0], 2.0, [1]) + times([2], 0.5, [1]))
SUMS = block([7], equal([0, 1], [2, 3, 4]))
RATIOS = block([7], ratios=[[[0, 1], [2, 3], [4, 5]]])
GENERAL = block([3, 4, 5], equal([0], [4], [7]) + equal([1], [3], [9]))
WHOLE = block([3, 3], equal([0], [3]) + equal([1], [4]) + equal([2], [5]))
HIERARCHY = block(
    [4, 4, 3, 3],
    equal([0], [4], [8], [11]) + equal([1], [5]) + equal([9], [12]),
)
MASSES = block([4, 5], equal([0, 1], [4, 5, 6]))
TYPES = block([4, 5], equal([0, 1], [4, 5]) + equal([2], [6]))
RATIOS_ACROSS = block([4, 5], ratios=[[[0, 1, 2], [6, 5, 4]]])
NESTED_SUMS = block([6, 6], equal([0, 1, 2], [6, 7, 8]) + equal([0, 1], [6, 7]) + equal([5], [11]))
RATIO_IN_MASS = block([5, 5, 4], equal([0, 1], [5, 6]), ratios=[[[0, 1], [10, 11]]])
KNOWN_SET = block([5, 4], known([0, 1], 0.3) + known([5], 0.3) + equal([2], [6]))
SHARED_SETS = block([8], equal([0, 1], [2, 3]) + equal([0], [2]) + times([4], 3.0, [5]))

LINEAR = {
    "known values": KNOWN,
    "sharing in a row": SHARED,
    "proportions": PROPORTIONAL,
    "equal masses in a row": SUMS,
    "general sharing": GENERAL,
    "whole rows": WHOLE,
    "sharing tree": HIERARCHY,
    "equal masses": MASSES,
    "types": TYPES,
    "masses in masses": NESTED_SUMS,
    "known masses and sharing": KNOWN_SET,
    "shared sets": SHARED_SETS,
}
SHAPES = LINEAR | {
    "ratios in a row": RATIOS,
    "ratios": RATIOS_ACROSS,
    "ratios in a mass": RATIO_IN_MASS,
}
