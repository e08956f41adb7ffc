"""Which blocks have an exact posterior: read from their rules, every shape of block once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.bayes.cuts import Cut, cut
from tacit.estimate.bayes.feasible import Patch
from tacit.estimate.bayes.feasible import patches as patches_of
from tacit.estimate.bayes.shares import Shares
from tacit.estimate.ruled.flat import Split
from tacit.estimate.ruled.recognise import recognise
from tacit.estimate.ruled.splits import Forest, Tree
from tacit.knowledge.blocks import Block, Blocks
from tacit.knowledge.polytope import Interior

Key: TypeAlias = tuple[bytes, ...]

_MOST = 4096
"""How many shapes are remembered."""
_LARGE = 5
_MANY = 100
"""Boxes of more masses, or more blocks with boxes, are left to the sampler; so are planes."""
_WIDE = 60
"""A block of more cells is hardly flat."""
_shapes: dict[Key, tuple[Tree, Cut] | None] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Blocks that are trees of splits, of which some carry intervals.

    blocks  (trees,) their numbers
    kinds   the theorem that covers each, by block
    """

    blocks: Ints
    kinds: Mapping[int, str]
    forest: Forest
    shares: Shares


def trees(blocks: Blocks, which: Ints, inside: Interior) -> Trees:
    """Those of these blocks whose rules are trees and intervals on shares."""
    telling = _telling(blocks)
    grown: list[tuple[Tree, Cut]] = []
    numbers: list[int] = []
    limits: list[Floats] = []
    boxes = 0
    for number in which.tolist():
        block = _told(blocks, number, inside, telling)
        found = _shape(block)
        if found is None:
            continue
        largest = _largest(found[1])
        boxes += largest > 3
        if largest > _LARGE or (largest > 3 and boxes > _MANY):
            continue
        numbers.append(number)
        grown.append(found)
        limits.append(block.rules.limits)
    order = _by_shape(grown)
    return _planted(
        blocks,
        [grown[at][0] for at in order],
        [grown[at][1] for at in order],
        np.array([numbers[at] for at in order], dtype=np.int64),
        [limits[at] for at in order],
    )


def _telling(blocks: Blocks) -> Bools:
    """(rules,) those that not every table obeys."""
    rules = blocks.rules
    lengths = np.bincount(blocks.row)
    key = rules.owner * max(1, lengths.size) + blocks.row[rules.cells]
    groups, which, count = np.unique(key, return_inverse=True, return_counts=True)
    most = np.where(count < lengths[groups % max(1, lengths.size)], 0.0, -np.inf)
    np.maximum.at(most, which, rules.factors)
    top = np.bincount(groups // max(1, lengths.size), most, minlength=len(rules))
    return np.asarray(rules.equal | (top > rules.limits))


def _told(blocks: Blocks, number: int, inside: Interior, telling: Bools) -> Block:
    """The block without rules that say nothing; inequalities that must be tight are equations."""
    block = blocks[number]
    span = slice(blocks.rule_at[number], blocks.rule_at[number + 1])
    rules = replace(block.rules, equal=block.rules.equal | inside.tight[span])
    kept = telling[span]
    if not kept.all():
        rules = rules.chosen(np.flatnonzero(kept))
    return Block(block.row, rules, block.ratios)


def _shape(block: Block) -> tuple[Tree, Cut] | None:
    """The tree of a block and what is cut off it; None where there is no such thing."""
    rules = block.rules
    lists = [part for each in block.ratios for part in (each, np.array(each.shape))]
    arrays = (block.row, rules.at, rules.cells, rules.factors, rules.equal)
    open_ = _open(block)
    limits = np.where(open_, np.nan, rules.limits)
    key = tuple([array.tobytes() for array in (*arrays, limits, *lists)])
    if key not in _shapes:
        if len(_shapes) >= _MOST:
            _shapes.clear()
        tree = _tree(block)
        found = None if tree is None else cut(block, tree, open_.tolist())
        _shapes[key] = None if tree is None or found is None else (tree, found)
    return _shapes[key]


def _open(block: Block) -> Bools:
    """(rules,) bounds on the mass of one set: the limit may be another in blocks of one shape."""
    rules = block.rules
    lengths = np.diff(rules.at)
    first = rules.factors[np.minimum(rules.at[:-1], max(0, rules.factors.size - 1))]
    odd = np.bincount(rules.owner, rules.factors != np.repeat(first, lengths), minlength=len(rules))
    return np.asarray(~rules.equal & (odd == 0) & (rules.limits != 0))


def _tree(block: Block) -> Tree | None:
    equal = np.flatnonzero(block.rules.equal)
    if equal.size or block.ratios:
        return recognise(Block(block.row, block.rules.chosen(equal), block.ratios))
    splits = [
        Split(at, np.arange(at.size), np.full(at.size, np.nan))
        for row in range(int(block.row[-1]) + 1)
        for at in [np.flatnonzero(block.row == row)]
    ]
    return Tree.of(splits, "free rows (Thm 2.2.1)", block.size)


def _largest(found: Cut) -> int:
    """The most masses that are bounded together."""
    sizes = np.bincount(found.tree.paths.split, minlength=len(found.bounded))
    return int(max((size for size, held in zip(sizes, found.bounded, strict=True) if held),
                   default=0))  # fmt: skip


def _by_shape(grown: Sequence[tuple[Tree, Cut]]) -> list[int]:
    """Trees of one shape one after the other, as forests number them."""
    first: dict[int, int] = {}
    then: dict[tuple[int, int], int] = {}
    for at, (tree, found) in enumerate(grown):
        first.setdefault(id(tree.paths), at)
        then.setdefault((id(tree.paths), id(found)), at)
    keys = [(first[id(tree.paths)], then[id(tree.paths), id(found)]) for tree, found in grown]
    return sorted(range(len(grown)), key=lambda at: (keys[at], at))


def _planted(
    blocks: Blocks, trees: list[Tree], cuts: list[Cut], numbers: Ints, limits: list[Floats]
) -> Trees:
    """Both forests, the trees and what they are cut into; trees of one shape stand together."""
    spans = [np.arange(blocks.cell_at[at], blocks.cell_at[at + 1]) for at in numbers.tolist()]
    forest = Forest.of(trees, spans, int(blocks.cell_at[-1]))
    ends = np.cumsum([0, *(tree.paths.split.size for tree in trees)])
    inner = Forest.of(
        [each.tree for each in cuts],
        [np.arange(start, end) for start, end in pairwise(ends.tolist())],
        int(ends[-1]),
    )
    lows, highs, bounded = [np.zeros(0)], [np.zeros(0)], [np.zeros(0, dtype=np.bool_)]
    start = 0
    while start < len(cuts):
        end = start
        while end < len(cuts) and cuts[end] is cuts[start]:
            end += 1
        low, high = cuts[start].intervals(np.array(limits[start:end]))
        lows.append(low.ravel())
        highs.append(high.ravel())
        bounded.append(np.tile(np.array(cuts[start].bounded, dtype=np.bool_), end - start))
        start = end
    shares = Shares.of(inner, np.concatenate(lows), np.concatenate(highs), np.concatenate(bounded))
    kinds = {
        number: _kind(tree, found)
        for number, tree, found in zip(numbers.tolist(), trees, cuts, strict=True)
    }
    return Trees(numbers, kinds, forest, shares)


def _kind(tree: Tree, found: Cut) -> str:
    held = sum(found.bounded)
    if not held:
        return tree.kind
    if _largest(found) > 2:
        said = "bounds on several masses (Dirichlet box)"
    elif held == 1:
        said = "one bounded share (truncated beta)"
    else:
        said = "bounded shares (truncated betas)"
    return said if tree.kind.startswith("free rows") else f"{tree.kind}, {said}"


def patches(
    blocks: Blocks, inside: Interior, which: Ints, pooled: bool
) -> dict[int, tuple[Patch, ...]]:
    """Those of these blocks that have at most two dimensions, and their feasible sets."""
    curved = {each.block for each in blocks.ratios}
    found: dict[int, tuple[Patch, ...]] = {}
    planes = 0
    for number in which.tolist():
        size = int(blocks.cell_at[number + 1] - blocks.cell_at[number])
        if number in curved or size > _WIDE:
            continue
        parts = _flat(blocks, number, inside, pooled)
        if parts is None:
            continue
        planes += not parts[0].flat
        if parts[0].flat or planes <= _MANY:
            found[number] = parts
    return found


def _flat(blocks: Blocks, number: int, inside: Interior, pooled: bool) -> tuple[Patch, ...] | None:
    block = blocks[number]
    cells = slice(blocks.cell_at[number], blocks.cell_at[number + 1])
    rules = slice(blocks.rule_at[number], blocks.rule_at[number + 1])
    equal = block.rules.equal | inside.tight[rules]
    if pooled and equal.any():
        return None
    zero = np.flatnonzero(inside.zero[cells])
    dense = np.zeros((equal.size, block.size))
    dense[block.rules.owner, block.rules.cells] = block.rules.factors
    sums = (block.row == np.arange(int(block.row[-1]) + 1)[:, None]).astype(np.float64)
    equations = np.concatenate([sums, dense[equal], np.eye(block.size)[zero]])
    free = np.setdiff1d(np.arange(block.size), zero)
    limits = np.concatenate([dense[~equal], -np.eye(block.size)[free]])
    tops = np.concatenate([block.rules.limits[~equal], np.zeros(free.size)])
    rights = np.zeros(0)  # the point inside fulfils all equations
    return patches_of((equations, rights), (limits, tops), inside.point[cells])
