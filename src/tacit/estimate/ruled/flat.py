"""Splits, and the paths of a tree written out as flat arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """One choice on the way to a parameter; its shares are given or learned.

    at      (passing,)   the positions whose path passes here, of all rows that are tied
    branch  (passing,)   the branch each takes
    given   (branches,)  a fixed share, nan where the share is learned
    apart   the masses that it divides are not tied: equal ratios
    """

    at: Ints
    branch: Ints
    given: Floats
    apart: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The learned shares on the way to every position; splits of one free share are left out.

    size    how many positions there are
    levels  for every depth: positions, and the branch each takes there
    split   (branches,)  the split of every branch, rising
    splits  how many splits there are
    cells   (branches,)  how many positions pass
    more    (branches,)  1 - cells + the free shares below: Σ α + more is the Dirichlet parameter
    """

    size: int
    levels: tuple[tuple[Ints, Ints], ...]
    split: Ints
    splits: int
    cells: Floats
    more: Floats


def flattened(splits: Sequence[Split], size: int) -> tuple[Paths, Floats]:
    """The paths through splits that are listed from the top; the product of given shares on each.

    A split brings as many free shares as it has beyond the first to every branch above it: that is
    the power of the mass in the Jacobian. Where masses are not tied it brings none. [2.4 to 2.9]
    """
    fixed, depth = np.ones(size), np.zeros(size, dtype=np.int64)
    paths: list[Ints] = []
    owner: list[int] = []
    cells: list[Ints] = []
    below: list[int] = []
    for split in splits:
        at, branch, shares = _learned(split, fixed)
        if shares < 2:
            continue
        if not split.apart:
            first = int(at[0])
            for path in paths[: depth[first]]:
                below[path[first]] += shares - 1
        _extend(paths, depth, at, branch + len(owner))
        owner += [len(cells)] * shares
        below += [0] * shares
        cells.append(np.bincount(branch, minlength=shares))
    counted = np.concatenate([*cells, np.zeros(0)])
    levels = tuple((at, path[at]) for path in paths for at in [np.flatnonzero(path >= 0)])
    more = 1.0 - counted + np.array(below, dtype=np.float64)
    return Paths(size, levels, np.array(owner, dtype=np.int64), len(cells), counted, more), fixed


def _learned(split: Split, fixed: Floats) -> tuple[Ints, Ints, int]:
    """Who takes which learned branch, and how many there are; given shares go into `fixed`."""
    free = np.isnan(split.given)
    shares = int(np.count_nonzero(free))
    if shares == free.size:
        return split.at, split.branch, shares
    rest = max(0.0, 1.0 - float(split.given[~free].sum()))
    fixed[split.at] *= np.where(free, rest, split.given)[split.branch]
    passing = free[split.branch]
    return split.at[passing], (np.cumsum(free) - 1)[split.branch[passing]], shares


def _extend(paths: list[Ints], depth: Ints, at: Ints, branch: Ints) -> None:
    """Write the branch that each of these positions takes next."""
    reached = depth[at]
    low, high = int(reached.min()), int(reached.max())
    while len(paths) <= high:
        paths.append(np.full(depth.size, -1, dtype=np.int64))
    if low == high:
        paths[low][at] = branch
    else:
        for level in np.unique(reached):
            here = reached == level
            paths[level][at[here]] = branch[here]
    depth[at] = reached + 1


def planted(trees: Sequence[Paths], positions: Sequence[Ints]) -> tuple[Paths, Ints]:
    """The paths of many trees over one vector of positions, and the tree of each split.

    Trees of one shape are laid down together.
    """
    copies: dict[int, list[int]] = {}
    for number, tree in enumerate(trees):
        copies.setdefault(id(tree), []).append(number)
    batches = [
        _copied(trees[which[0]], np.array([positions[number] for number in which]))
        for which in copies.values()
    ]
    order = np.array([number for which in copies.values() for number in which], dtype=np.int64)
    splits = np.array([tree.splits for tree in trees], dtype=np.int64)
    return _side_by_side(batches), np.repeat(order, splits[order])


def _copied(tree: Paths, positions: Ints) -> Paths:
    """positions  (copies, cells)"""
    times = positions.shape[0]
    step = np.arange(times)[:, None]
    return Paths(
        positions.size,
        tuple(
            (positions[:, at].ravel(), (branch + tree.split.size * step).ravel())
            for at, branch in tree.levels
        ),
        (tree.split + tree.splits * step).ravel(),
        tree.splits * times,
        np.tile(tree.cells, times),
        np.tile(tree.more, times),
    )


def _side_by_side(trees: Sequence[Paths]) -> Paths:
    branch = split = 0
    deepest = max((len(tree.levels) for tree in trees), default=0)
    levels: list[list[tuple[Ints, Ints]]] = [[] for _ in range(deepest)]
    owners = [np.zeros(0, dtype=np.int64)]
    for tree in trees:
        for level, (at, taken) in zip(levels, tree.levels, strict=False):
            level.append((at, taken + branch))
        owners.append(tree.split + split)
        branch, split = branch + tree.split.size, split + tree.splits
    return Paths(
        sum(tree.size for tree in trees),
        tuple(
            (np.concatenate([at for at, _ in level]), np.concatenate([taken for _, taken in level]))
            for level in levels
        ),
        np.concatenate(owners),
        split,
        np.concatenate([np.zeros(0), *(tree.cells for tree in trees)]),
        np.concatenate([np.zeros(0), *(tree.more for tree in trees)]),
    )
