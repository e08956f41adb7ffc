"""Posteriors of trees of splits under inequalities, in coordinates of gammas.

A Dirichlet is independent gammas over their sum, so every learned share of a tree of splits is
given a gamma whose shape is its Dirichlet parameter, and every inequality is linear in the gammas
of one split. Where no inequality is near, a sweep over the gammas is an independent draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.ruled.splits import ImproperError, Tree
from tacit.knowledge.rows import Rows

if TYPE_CHECKING:
    from tacit.kernels.cone import Cone

_FAINT = 2.0
"""Gammas of a split whose shapes add up to less may all be too small for a double."""


def cone_of(tree: Tree, rules: Rows, alpha: Floats, *, pooled: bool) -> Cone:
    """The program of a block: its tree, inequalities over its positions, and its density.

    With all groups, and no exchanges of mass.
    """
    from tacit.kernels.cone import Cone

    shape = shapes(tree, alpha, pooled=pooled)
    paths = tree.paths
    split_at = _starts(np.bincount(paths.split, minlength=paths.splits))
    path_at, path = _paths_of(tree)
    rules = _moving(rules, path_at, tree.fixed)
    totals = np.bincount(paths.split, shape, minlength=paths.splits)
    touched = _touched(rules, path_at, path, tree.fixed, paths.split, split_at)
    return Cone(
        shape=shape, split_at=split_at, faint=totals < _FAINT,
        fixed=tree.fixed.copy(), path_at=path_at, path=path,
        rule_at=rules.at, cells=rules.cells, factors=rules.factors, limit=rules.limits,
        **touched, **_groups(touched, split_at),
        exchanges=np.zeros(paths.splits, dtype=np.int64),
    )  # fmt: skip


def shapes(tree: Tree, alpha: Floats, *, pooled: bool) -> Floats:
    """(branches,) the Dirichlet parameter of every learned share; all above 0, or an error."""
    found = np.zeros(tree.paths.split.size) if pooled else tree.paths.more.copy()
    for at, branch in tree.paths.levels:
        found += np.bincount(branch, alpha[at], minlength=found.size)
    if (found <= 0).any():
        worst = int(np.argmin(found))
        at = np.concatenate([at[branch == worst] for at, branch in tree.paths.levels])
        raise ImproperError(np.sort(at), float(found[worst]))
    return found


def _starts(sizes: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _paths_of(tree: Tree) -> tuple[Ints, Ints]:
    """The branches on the way to every position, one after the other."""
    empty = np.zeros(0, dtype=np.int64)
    at = np.concatenate([empty, *(each for each, _ in tree.paths.levels)])
    branch = np.concatenate([empty, *(each for _, each in tree.paths.levels)])
    order = np.argsort(at, kind="stable")
    return _starts(np.bincount(at, minlength=tree.fixed.size)), branch[order]


def _moving(rules: Rows, path_at: Ints, fixed: Floats) -> Rows:
    """The inequalities without cells that cannot move, which go to the limits."""
    still = (np.diff(path_at) == 0)[rules.cells]
    if not still.any():
        return rules
    gone = rules.factors * fixed[rules.cells] * still
    owner = rules.owner
    limits = rules.limits - np.bincount(owner, gone, minlength=len(rules))
    sizes = np.bincount(owner[~still], minlength=len(rules))
    trimmed = Rows(
        _starts(sizes), rules.cells[~still], rules.factors[~still], limits,
        rules.equal, rules.rule, rules.sign,
    )  # fmt: skip
    return trimmed.chosen(np.flatnonzero(sizes))


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """Cells of inequalities, once for every split on their way.

    rule, split, branch  of each; constant is factor times given shares
    other_at, other      the branches of other splits on the way
    """

    rule: Ints
    split: Ints
    branch: Ints
    constant: Floats
    other_at: Ints
    other: Ints


def _entries(rules: Rows, path_at: Ints, path: Ints, fixed: Floats, split: Ints) -> _Entries:
    depth = np.diff(path_at)[rules.cells]
    entry = np.repeat(np.arange(rules.cells.size), depth)
    within = np.arange(entry.size) - np.repeat(_starts(depth)[:-1], depth)
    branch = path[path_at[rules.cells[entry]] + within]
    rule = rules.owner[entry]
    order = np.lexsort((branch, rule, split[branch]))
    others, sizes = [], depth[entry][order] - 1
    for at in order.tolist():
        first = path_at[rules.cells[entry[at]]]
        whole = path[first : first + depth[entry[at]]]
        others.append(whole[whole != branch[at]])
    constant = (rules.factors * fixed[rules.cells])[entry]
    return _Entries(
        rule[order], split[branch][order], branch[order], constant[order],
        _starts(sizes), np.concatenate([np.zeros(0, dtype=np.int64), *others]),
    )  # fmt: skip


def _touched(
    rules: Rows, path_at: Ints, path: Ints, fixed: Floats, split: Ints, split_at: Ints
) -> dict[str, Any]:
    """The part of a `Cone` that says how every split sees the inequalities."""
    entries = _entries(rules, path_at, path, fixed, split)
    pairs = entries.split * len(rules) + entries.rule
    touches, touch = np.unique(pairs, return_inverse=True)
    at_split, rule = touches // max(1, len(rules)), touches % max(1, len(rules))
    alone = np.bincount(rule, minlength=len(rules))[rule] == 1
    sparse = alone & (rules.limits[rule] == 0.0)
    branches: list[Ints] = []
    for number, each in enumerate(at_split.tolist()):
        named = np.unique(entries.branch[touch == number])
        everyone = np.arange(split_at[each], split_at[each + 1])
        branches.append(named if sparse[number] else everyone)
    spot_at = _starts(np.array([each.size for each in branches], dtype=np.int64))
    branch = np.concatenate([np.zeros(0, dtype=np.int64), *branches])
    order = np.argsort(branch, kind="stable")
    spot = np.empty_like(order)
    spot[order] = np.arange(order.size)
    places = [
        spot_at[at] + np.searchsorted(branches[at], which)
        for at, which in zip(touch.tolist(), entries.branch.tolist(), strict=True)
    ]
    return {
        "touch_at": _starts(np.bincount(at_split, minlength=split_at.size - 1)),
        "rule": rule, "alone": alone,
        "column_at": _starts(np.bincount(branch, minlength=split.size)),
        "owner": np.repeat(np.arange(touches.size), np.diff(spot_at))[order],
        "spot_at": spot_at, "spot": spot, "branch": branch,
        "entry_at": _starts(np.bincount(touch, minlength=touches.size)),
        "slot": spot[np.array(places, dtype=np.int64)],
        "constant": entries.constant, "entry_branch": entries.branch,
        "other_at": entries.other_at, "other": entries.other,
    }  # fmt: skip


def _groups(touched: dict[str, Any], split_at: Ints) -> dict[str, Any]:
    """The part of a `Cone` that says which branches are scaled together.

    The two sides of an inequality and all that it names: what it ties closely moves as one.
    """
    touch_at, entry_at = touched["touch_at"], touched["entry_at"]
    branch, constant = touched["entry_branch"], touched["constant"]
    members: list[Ints] = []
    split: list[int] = []
    for at, size in enumerate(np.diff(split_at).tolist()):
        seen: set[bytes] = set()
        for touch in range(touch_at[at], touch_at[at + 1]) if size > 2 else ():
            entries = slice(entry_at[touch], entry_at[touch + 1])
            named, sign = branch[entries], np.sign(constant[entries])
            for group in (named[sign > 0], named[sign < 0], named):
                found = np.unique(group)
                if 1 < found.size < size and found.tobytes() not in seen:
                    seen.add(found.tobytes())
                    members.append(found)
                    split.append(at)
    owner = np.array(split, dtype=np.int64)
    sizes = np.array([each.size for each in members], dtype=np.int64)
    return {
        "scaled_at": _starts(np.bincount(owner, minlength=split_at.size - 1)),
        "group_at": _starts(sizes),
        "member": np.concatenate([np.zeros(0, dtype=np.int64), *members]),
    }
