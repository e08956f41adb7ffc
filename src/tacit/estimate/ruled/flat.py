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
class Flat:
    """The paths of one tree; given shares are multiplied out, splits of one free share left out.

    fixed   (n,)         the product of the given shares on each path
    levels  for every depth: positions, and the learned branch each takes there
    split   (branches,)  the split of every learned branch, rising
    splits  how many splits have learned shares
    cells   (branches,)  how many positions pass
    more    (branches,)  1 - cells + the free shares below: Σ α + more is the Dirichlet parameter
    """

    fixed: Floats
    levels: tuple[tuple[Ints, Ints], ...]
    split: Ints
    splits: int
    cells: Floats
    more: Floats


def flattened(splits: Sequence[Split], size: int) -> Flat:
    """The paths through these splits, which are listed from the top."""
    fixed, depth = np.ones(size), np.zeros(size, dtype=np.int64)
    paths: list[Ints] = []
    owner: list[int] = []
    cells: list[Floats] = []
    below: list[int] = []
    learned = 0
    for split in splits:
        free = np.isnan(split.given)
        rest = max(0.0, 1.0 - float(split.given[~free].sum()))
        fixed[split.at] *= np.where(free, rest, split.given)[split.branch]
        shares = int(free.sum())
        if shares < 2:
            continue
        if not split.apart:
            first = int(split.at[0])
            for path in paths[: depth[first]]:
                below[path[first]] += shares - 1
        passing = free[split.branch]
        at = split.at[passing]
        branch = (np.cumsum(free) - 1)[split.branch[passing]]
        _extend(paths, depth, at, branch + len(owner))
        cells.append(np.bincount(branch, minlength=shares).astype(np.float64))
        owner += [learned] * shares
        below += [0] * shares
        learned += 1
    counted = np.concatenate(cells) if cells else np.zeros(0)
    levels = tuple((at, path[at]) for path in paths for at in [np.flatnonzero(path >= 0)])
    more = 1.0 - counted + np.array(below, dtype=np.float64)
    return Flat(fixed, levels, np.array(owner, dtype=np.int64), learned, counted, more)


def _extend(paths: list[Ints], depth: Ints, at: Ints, branch: Ints) -> None:
    """Write the branch that each of these positions takes next."""
    while len(paths) <= int(depth[at].max()):
        paths.append(np.full(depth.size, -1, dtype=np.int64))
    for level in np.unique(depth[at]):
        here = depth[at] == level
        paths[level][at[here]] = branch[here]
    depth[at] += 1


def planted(trees: Sequence[Flat], positions: Sequence[Ints]) -> tuple[Flat, Ints, Ints, Ints]:
    """Many trees as one, equal trees laid down together.

    Also: the position of each of its cells, the tree of each cell, and the tree of each split.
    """
    copies: dict[int, list[int]] = {}
    for number, tree in enumerate(trees):
        copies.setdefault(id(tree), []).append(number)
    order = np.array([number for which in copies.values() for number in which], dtype=np.int64)
    batches = [_copied(trees[which[0]], len(which)) for which in copies.values()]
    sizes = np.array([tree.fixed.size for tree in trees], dtype=np.int64)[order]
    splits = np.array([tree.splits for tree in trees], dtype=np.int64)[order]
    where = [positions[number] for number in order.tolist()]
    return (
        _side_by_side(batches),
        np.concatenate([np.zeros(0, dtype=np.int64), *where]),
        np.repeat(order, sizes),
        np.repeat(order, splits),
    )


def _copied(tree: Flat, times: int) -> Flat:
    step = np.arange(times)[:, None]
    size, branches = tree.fixed.size, tree.split.size
    return Flat(
        np.tile(tree.fixed, times),
        tuple(
            ((at + size * step).ravel(), (branch + branches * step).ravel())
            for at, branch in tree.levels
        ),
        (tree.split + tree.splits * step).ravel(),
        tree.splits * times,
        np.tile(tree.cells, times),
        np.tile(tree.more, times),
    )


def _side_by_side(trees: Sequence[Flat]) -> Flat:
    cell = branch = split = 0
    levels: list[list[tuple[Ints, Ints]]] = [[] for _ in range(max(_depths(trees), default=0))]
    owners = [np.zeros(0, dtype=np.int64)]
    for tree in trees:
        for level, (at, taken) in zip(levels, tree.levels, strict=False):
            level.append((at + cell, taken + branch))
        owners.append(tree.split + split)
        cell, branch = cell + tree.fixed.size, branch + tree.split.size
        split += tree.splits
    return Flat(
        np.concatenate([np.zeros(0), *(tree.fixed for tree in trees)]),
        tuple(
            (np.concatenate([at for at, _ in level]), np.concatenate([taken for _, taken in level]))
            for level in levels
        ),
        np.concatenate(owners),
        split,
        np.concatenate([np.zeros(0), *(tree.cells for tree in trees)]),
        np.concatenate([np.zeros(0), *(tree.more for tree in trees)]),
    )


def _depths(trees: Sequence[Flat]) -> list[int]:
    return [len(tree.levels) for tree in trees]
