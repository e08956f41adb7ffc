"""Which equations are a tree of splits: recognised from what they say, never declared."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tacit.estimate.ruled.branching import Branching
from tacit.estimate.ruled.families import Family, bits_of
from tacit.estimate.ruled.flat import Split
from tacit.estimate.ruled.known import Known, known_values
from tacit.estimate.ruled.masses import NoTreeError, Statement, statements_of, without
from tacit.estimate.ruled.proportional import Lists, Ratio, merged, placed
from tacit.estimate.ruled.splits import Tree
from tacit.knowledge.blocks import Block

Shape: TypeAlias = tuple[bytes, ...]

_MOST = 4096
"""How many trees are remembered."""
_trees: dict[Shape, tuple[Tree | None]] = {}
_known: dict[Shape, Known] = {}


def recognise(block: Block) -> Tree | None:
    """The tree of splits that the equations of a block are; None: for the general solver.

    Inequalities are not looked at. Every equation must say that a mass is known or that two masses
    are in proportion, each within one row; the sets of a row are nested or disjoint; and from the
    top down, what is tied between nodes of equal mass must be tied between all of them, up to
    connected components of what is left. Blocks of one shape are recognised once.
    [2.0.2; Thm 4.2.1 to 4.10.1]
    """
    shape = _shape(block)
    known = _known.get(shape)
    tree = known.tree_for(block.rules) if known is not None else None
    if tree is not None:
        return tree
    whole = (*shape, block.rules.limits.tobytes())
    before = _trees.get(whole)
    if before is not None:
        return before[0]
    try:
        tree = _recognised(block)
    except NoTreeError:
        tree = None
    _remember(block, tree, shape, whole)
    return tree


def _remember(block: Block, tree: Tree | None, shape: Shape, whole: Shape) -> None:
    for store in (_trees, _known):
        if len(store) >= _MOST:
            store.clear()
    _trees[whole] = (tree,)
    known = None if tree is None else known_values(block, tree)
    if known is not None:
        _known[shape] = known


def _shape(block: Block) -> Shape:
    rules = block.rules
    arrays = (block.row, rules.at, rules.cells, rules.factors, rules.equal)
    lists = [part for each in block.ratios for part in (each, np.array(each.shape))]
    return tuple([array.tobytes() for array in (*arrays, *lists)])


def _recognised(block: Block) -> Tree:
    lengths = np.bincount(block.row)
    starts = (np.cumsum(lengths) - lengths).tolist()
    full = [(1 << length) - 1 for length in lengths.tolist()]
    rows = block.row.tolist()
    said = statements_of(block, starts, full)
    groups = merged(block.ratios)
    zero: dict[int, int] = {}
    while True:
        kept, zero = without(said, zero, full)
        left = [mask & ~zero.get(row, 0) for row, mask in enumerate(full)]
        family = Family(starts, left)
        ratios, more = _closed(family, kept, groups, rows)
        if not more:
            break
        for row, mask in more.items():
            zero[row] = zero.get(row, 0) | mask
    splits = _empty(zero, full, starts)
    branching = Branching(family, splits, {number for each in ratios for number in each.sets})
    branching.grow()
    for ratio in ratios:
        splits += ratio.splits(family)
    kind = _kind(said, groups, rows, branching.nested)
    return Tree.of(splits, kind, block.size)


def _closed(
    family: Family, said: list[Statement], groups: list[Lists], rows: list[int]
) -> tuple[list[Ratio], dict[int, int]]:
    """Take up all statements and draw conclusions: the ratios that remain, and further zeros."""
    for statement in said:
        family.say(statement)
    ratios = placed(groups, family, rows)
    family.nest()
    for ratio in ratios:
        ratio.enclose(family)
    while True:
        before = family.ties
        more = family.conclude()
        if more:
            return ratios, more
        for ratio in ratios:
            if not ratio.tied(family):
                ratio.fold(family)
            if ratio.tied(family):
                ratio.dissolve(family)
        ratios = [ratio for ratio in ratios if not ratio.tied(family)]
        if family.ties == before:
            return ratios, {}


def _empty(zero: dict[int, int], full: list[int], starts: list[int]) -> list[Split]:
    """Cells that must be 0, split off first."""
    found = []
    for row, mask in sorted(zero.items()):
        at = starts[row] + np.arange(full[row].bit_length())
        branch = np.ones(at.size, dtype=np.int64)
        branch[list(bits_of(mask))] = 0
        found.append(Split(at, branch, np.array([0.0, np.nan])))
    return found


_KINDS = {
    frozenset[str](): "free rows (Thm 2.2.1)",
    frozenset({"known"}): "known values (Thm 4.2.1)",
    frozenset({"shared"}): "sharing within one row (Thm 4.3.1)",
    frozenset({"factors"}): "proportions within one row (Thm 4.4.1)",
    frozenset({"shared", "factors"}): "proportions within one row (Thm 4.4.1)",
    frozenset({"sums"}): "equal masses within one row (Thm 4.5.1)",
    frozenset({"ratios"}): "equal ratios within one row (Thm 4.6.1)",
    frozenset({"general"}): "general sharing (Thm 4.7.1)",
    frozenset({"general", "nested"}): "sharing tree (Thm 4.8.1)",
    frozenset({"masses"}): "equal masses across rows (Thm 4.9.1)",
    frozenset({"general", "masses"}): "equal masses across rows (Thm 4.9.1)",
    frozenset({"ratios across"}): "equal ratios (Thm 4.10.1)",
}


def _kind(said: list[Statement], groups: list[Lists], rows: list[int], nested: bool) -> str:
    """The theorem that covers everything that was said, or "mixed"."""
    found = {_said(each) for each in said}
    for lists in groups:
        found.add("ratios" if len({rows[each[0]] for each in lists}) == 1 else "ratios across")
    if nested:
        found.add("nested")
    return _KINDS.get(frozenset(found), "mixed")


def _said(statement: Statement) -> str:
    left, right, factor = statement
    if right is None:
        return "known"
    single = left[1].bit_count() == right[1].bit_count() == 1
    if left[0] != right[0]:
        return "general" if single else "masses"
    if not single:
        return "sums"
    return "shared" if factor == 1 else "factors"
