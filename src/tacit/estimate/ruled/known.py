"""Rows with known values: one shape, many numbers.

Thousands of rules that each give a value to the same state of another row have trees that differ
in given shares alone. [Thm 4.2.1]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.ruled.masses import NOTHING, ROUNDED
from tacit.estimate.ruled.splits import Tree
from tacit.knowledge.blocks import Block
from tacit.knowledge.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The tree of a row in which every rule gives the mass of one set, disjoint from the others.

    tree    for some values
    branch  (rules,) the branch of its first split whose share each rule gives
    """

    tree: Tree
    branch: Ints

    def tree_for(self, rules: Rows) -> Tree | None:
        """The tree for the limits of these rules; None if other cells are 0 then."""
        shares = _shares(rules)
        if not _inside(shares):
            return None
        first, *others = self.tree.splits
        given = first.given.copy()
        given[self.branch] = shares
        fixed = np.empty_like(self.tree.fixed)
        each = np.where(np.isnan(given), 1.0 - shares.sum(), given)
        fixed[first.at] = each[first.branch]
        changed = replace(first, given=given)
        return Tree((changed, *others), self.tree.kind, self.tree.paths, fixed)


def known_values(block: Block, tree: Tree) -> Known | None:
    """What is left of a block when its limits are taken away; None if its tree depends on them."""
    rules = block.rules
    if block.row[-1] != 0 or not rules.limits.all() or not rules.equal.all():
        return None
    if not tree.splits or block.ratios or not len(rules):
        return None
    first = tree.splits[0]
    taken = np.full(block.size, -1, dtype=np.int64)
    taken[first.at] = first.branch
    branch = taken[rules.cells[rules.at[:-1]]]
    given = np.flatnonzero(~np.isnan(first.given))
    whole = first.at.size == block.size
    same = np.array_equal(taken[rules.cells], np.repeat(branch, np.diff(rules.at)))
    cells = np.count_nonzero(np.isin(first.branch, given)) == rules.cells.size
    if not (whole and same and cells and np.array_equal(np.sort(branch), given)):
        return None
    shares = _shares(rules)
    if not _inside(shares) or not np.allclose(first.given[branch], shares, rtol=1e-9, atol=0):
        return None
    return Known(tree, branch)


def _inside(shares: Floats) -> bool:
    """Whether no cell need be 0."""
    left = 1.0 - float(shares.sum())
    return float(shares.min()) >= NOTHING and left > ROUNDED * (shares.size + 2)


def _shares(rules: Rows) -> Floats:
    return np.asarray(rules.limits / rules.factors[rules.at[:-1]])
