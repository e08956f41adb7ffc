"""Inequalities that bound shares of splits: what they cut off, read from the rules alone.

In coordinates of shares a constrained Dirichlet is a product of Dirichlets, one for every split.
An inequality that says  w_A · mass(A) <= w_B · mass(B)  of branches of one split bounds the share
of A within A and B together, which is a beta that is independent of everything else; where such
sets are nested or disjoint, every split falls apart into smaller ones that carry an interval each.
[parameter domain knowledge 2.0.2, 3.1, 3.2]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import isclose
from typing import NamedTuple, TypeAlias

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.ruled.flat import Split
from tacit.estimate.ruled.splits import Tree
from tacit.knowledge.blocks import Block

Path: TypeAlias = tuple[int, ...]
"""The branches on the way to a position."""
Terms: TypeAlias = dict[Path, float]
"""A sum of factors times products of shares."""
Members: TypeAlias = frozenset[int]
"""Branches of one split."""

_CLOSE = 1e-12
_CHOICES = 8
"""With so many bounds of one set, the smaller side of each is taken instead of trying both."""


class Side(NamedTuple):
    """Rule `rule` says that the share of `large` in `large` and `small` is at most
    (limit - low) / (high - low)."""

    large: Members
    small: Members
    rule: int
    low: float
    high: float


class Limit(NamedTuple):
    """The share of branch `child` is at most the cap of a side, or at least 1 less it."""

    child: int
    side: Side
    least: bool


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """The splits of one shape of block, cut into smaller ones.

    tree    over the branches of the block's tree
    limits  what the rules say of the branches of `tree`
    bounded (splits of `tree`,) whether a rule speaks of it
    """

    tree: Tree
    limits: tuple[Limit, ...]
    bounded: tuple[bool, ...]

    def intervals(self, limits: Floats) -> tuple[Floats, Floats]:
        """(copies, branches) the least and the greatest share; limits: (copies, rules)"""
        count = self.tree.paths.split.size
        low, high = np.zeros((limits.shape[0], count)), np.ones((limits.shape[0], count))
        for child, side, least in self.limits:
            cap = (limits[:, side.rule] - side.low) / (side.high - side.low)
            if least:
                low[:, child] = np.maximum(low[:, child], 1.0 - cap)
            else:
                high[:, child] = np.minimum(high[:, child], cap)
        return low, np.maximum(high, low)


def cut(block: Block, tree: Tree, open_: Sequence[bool]) -> Cut | None:
    """What the inequalities of a block cut off the splits of its tree; None: no such cuts.

    open_: of every rule, whether its limit may be another in a block of the same shape
    """
    ways = _ways(tree, block.size)
    sides: list[Side] = []
    for rule, free in enumerate(open_):
        if block.rules.equal[rule]:
            continue
        read = _read(block, tree, ways, rule, free)
        if read is None:
            return None
        sides += read
    return _nested(tree, sides)


def _ways(tree: Tree, size: int) -> list[Path]:
    found: list[list[int]] = [[] for _ in range(size)]
    for at, branch in tree.paths.levels:
        for position, taken in zip(at.tolist(), branch.tolist(), strict=True):
            found[position].append(taken)
    return [tuple(way) for way in found]


def _read(block: Block, tree: Tree, ways: list[Path], rule: int, free: bool) -> list[Side] | None:
    """The side that an inequality takes: none if it says nothing, None if it cuts otherwise."""
    rules = block.rules
    span = slice(rules.at[rule], rules.at[rule + 1])
    factors = dict(zip(rules.cells[span].tolist(), rules.factors[span].tolist(), strict=True))
    named = np.flatnonzero(np.isin(block.row, block.row[rules.cells[span]])).tolist()
    terms: Terms = {}
    for position in named:
        way = ways[position]
        terms[way] = terms.get(way, 0.0) + factors.get(position, 0.0) * float(tree.fixed[position])
    limit = float(rules.limits[rule])
    found = _spoken_of(terms, tree.paths.split, limit)
    if found is None:
        return None
    weights, deep = found
    if not weights:
        return []
    if free and (deep or len({round(weight, 12) for weight in weights.values()}) != 2):
        return None
    return _sides(weights, limit, rule, free)


def _spoken_of(terms: Terms, split: Ints, limit: float) -> tuple[dict[int, float], bool] | None:
    """The factors of the branches of the one split that a rule speaks of; is it below others?

    A split whose branches all have one factor is not spoken of: its shares add up to 1. Beside the
    split that is, all the way up, there must be one factor, and the limit at the top: then the
    mass that it divides cancels, and its own factors are compared with that one.
    """
    spoken: dict[int, float] = {}
    inside: Path | None = None
    beside: float | None = None
    while (depth := max(map(len, terms), default=0)) > 0:
        for (way, _), values in _deepest(terms, split, depth).items():
            own = values.pop(inside[-1], None) if inside and inside[:-1] == way else None
            first, *others = values.values()
            if not all(_near(first, other) for other in others):
                if inside is not None:
                    return None
                spoken, inside = values, way
            elif own is not None:
                if beside is None:
                    spoken = {each: value + own - first for each, value in spoken.items()}
                elif not _near(beside + own, first):
                    return None
                inside, beside = way, first
            else:
                terms[way] = terms.get(way, 0.0) + first
    rest = terms.get((), 0.0)
    if beside is None:
        return {each: value + rest for each, value in spoken.items()}, False
    if not _near(beside + rest, limit):
        return None
    return {each: value + limit for each, value in spoken.items()}, True


def _deepest(terms: Terms, split: Ints, depth: int) -> dict[tuple[Path, int], dict[int, float]]:
    """Take out the longest ways: factors of all branches of a split, by the way to it."""
    found: dict[tuple[Path, int], dict[int, float]] = {}
    for way in [way for way in terms if len(way) == depth]:
        number = int(split[way[-1]])
        if (way[:-1], number) not in found:
            branches = np.flatnonzero(split == number).tolist()
            found[way[:-1], number] = dict.fromkeys(branches, 0.0)
        found[way[:-1], number][way[-1]] = terms.pop(way)
    return found


def _near(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)


def _sides(weights: dict[int, float], limit: float, rule: int, free: bool) -> list[Side] | None:
    if free:
        middle = (max(weights.values()) + min(weights.values())) / 2
        large = frozenset(branch for branch, weight in weights.items() if weight > middle)
        small = frozenset(weights) - large
    else:
        apart = {branch for branch, weight in weights.items() if not _near(weight, limit)}
        large = frozenset(branch for branch in apart if weights[branch] > limit)
        small = frozenset(apart - large)
    if not large:
        return []
    if not small:
        return None
    high, low = max(weights[branch] for branch in large), min(weights[branch] for branch in small)
    same = all(_near(weights[branch], high) for branch in large) and all(
        _near(weights[branch], low) for branch in small
    )
    return [Side(large, small, rule, low, high)] if same else None


def _nested(tree: Tree, sides: list[Side]) -> Cut | None:
    """The splits as a tree of smaller ones; None where sets overlap in part."""
    by_whole: dict[Members, list[Side]] = {}
    for side in sides:
        by_whole.setdefault(side.large | side.small, []).append(side)
    parts: dict[Members, list[Members]] = {}
    for whole, spoken in by_whole.items():
        chosen = _disjoint(spoken)
        if chosen is None:
            return None
        rest = whole.difference(*chosen)
        parts[whole] = [*chosen, rest] if rest else chosen
    sets = sorted({*parts, *(each for found in parts.values() for each in found)}, key=_order)
    if any(one & other and not one <= other for at, one in enumerate(sets) for other in sets[at:]):
        return None
    if any(_across(each, found) for whole, found in parts.items() for each in sets if each < whole):
        return None
    return _planted(tree, sets, parts, by_whole)


def _across(members: Members, parts: list[Members]) -> bool:
    """Whether a set is more than one part of a set that is divided into these."""
    return not any(members <= part for part in parts)


def _order(members: Members) -> tuple[int, list[int]]:
    return len(members), sorted(members)


def _disjoint(sides: list[Side]) -> list[Members] | None:
    """One side of every pair, so that all are disjoint: the smaller ones, where that is so."""
    pairs = {frozenset({side.large, side.small}) for side in sides}
    options = sorted((sorted(pair, key=_order) for pair in pairs), key=lambda pair: _order(pair[0]))
    if len(options) == 1:
        return options[0]
    tried = product(*options) if len(options) <= _CHOICES else [tuple(pair[0] for pair in options)]
    for chosen in tried:
        if sum(map(len, chosen)) == len(frozenset[int]().union(*chosen)):
            return list(chosen)
    return None


def _planted(
    tree: Tree,
    sets: list[Members],
    parts: dict[Members, list[Members]],
    by_whole: dict[Members, list[Side]],
) -> Cut:
    """The splits from the top: every set is divided into the largest sets in it and what is left.

    tree: the block's; sets: from the smallest
    """
    owner, count = tree.paths.split, tree.paths.split.size
    roots = [
        frozenset(np.flatnonzero(owner == split).tolist()) for split in range(tree.paths.splits)
    ]
    every = sorted({*sets, *roots}, key=_order)[::-1]
    splits: list[Split] = []
    limits: list[Limit] = []
    bounded: list[bool] = []
    first = 0
    for at, whole in enumerate(every):
        if len(whole) < 2:
            continue
        children = parts.get(whole) or _children(whole, every[at + 1 :])
        place = {branch: number for number, child in enumerate(children) for branch in child}
        at_, branch = np.array(sorted(place)), np.array([place[each] for each in sorted(place)])
        splits.append(Split(at_, branch, np.full(len(children), np.nan)))
        bounded.append(whole in parts)
        for side in by_whole.get(whole, []):
            if side.large in children:
                limits.append(Limit(first + children.index(side.large), side, False))
            else:
                limits.append(Limit(first + children.index(side.small), side, True))
        first += len(children)
    return Cut(Tree.of(splits, tree.kind, count), tuple(limits), tuple(bounded))


def _children(whole: Members, smaller: list[Members]) -> list[Members]:
    """The largest sets in a set, and every branch in none of them; smaller: from the largest."""
    found: list[Members] = []
    left = whole
    for each in smaller:
        if each <= left:
            found.append(each)
            left -= each
    return found + [frozenset({branch}) for branch in sorted(left)]
