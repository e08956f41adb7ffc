"""Rules that are not linear, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.curved.component import Component
from tacit.estimate.curved.problem import Bilinear, Functions, Placed, proportional
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.bound import Bound
from tacit.knowledge.polytope import Interior, relative_interior

HOLDS = 1e-12
"""A rule missed by less holds."""
Parts = tuple[Functions, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Bends:
    """Per block its curved rules, as functions over its own positions 0, 1, ...

    stated      what rules say; ratios, which are part of the blocks, are not among them
    components  the blocks that can need Newton's method, made ready
    """

    stated: Mapping[int, Parts] = field(default_factory=dict)
    components: Mapping[int, Component] = field(default_factory=dict)

    def broken(self, blocks: Blocks, theta: Floats) -> Bools:
        """(blocks,) whether a curved rule of the block does not hold."""
        found = np.zeros(len(blocks), dtype=np.bool_)
        for at, parts in self.stated.items():
            inside = theta[blocks.cell_at[at] : blocks.cell_at[at + 1]]
            found[at] = any((missed(each, inside) > HOLDS).any() for each in parts)
        return found

    def slopes(self, block: int, theta: Floats, seen: Bools, near: float) -> tuple[Floats, int]:
        """Slopes of the functions of a block that hold with equality, and how many need not.

        seen: the positions that functions must depend on alone
        """
        found, unequal = [np.zeros((0, theta.size))], 0
        for each in self.stated.get(block, ()):
            slopes = np.zeros((each.equal.size, theta.size))
            slopes[:, each.support] = each.jacobian(theta)
            tight = (np.abs(each.values(theta)) <= near) & ~(slopes[:, ~seen] != 0).any(axis=1)
            found.append(slopes[tight])
            unequal += int((tight & ~each.equal).sum())
        return np.vstack(found), unequal

    def chosen(
        self, blocks: Blocks, pairs: Sequence[tuple[int, int]], *, only: bool
    ) -> dict[int, Parts]:
        """For copies of blocks, each with one rule left out or alone, the functions that stay."""
        found = {}
        for number, (block, rule) in enumerate(pairs):
            size = int(blocks.cell_at[block + 1] - blocks.cell_at[block])
            parts = tuple(_kept(self.stated.get(block, ()), rule, only, size))
            if parts:
                found[number] = parts
        return found


def missed(part: Functions, theta: Floats) -> Floats:
    """(functions,) how far each is from holding."""
    values = part.values(theta)
    return np.asarray(np.where(part.equal, np.abs(values), np.maximum(values, 0.0)))


def _kept(parts: Parts, rule: int, only: bool, size: int) -> Iterator[Functions]:
    for each in parts:
        which = np.flatnonzero((each.rule == rule) == only)
        if which.size:
            yield Placed.at(each, which, np.arange(size), np.zeros(size))


def groups(bound: Bound, functions: Functions | None) -> list[Ints]:
    """Cells that curved rules tie together, group by group."""
    found = [np.unique(np.concatenate([each.left, each.right])) for each in bound.products]
    if functions is not None and functions.equal.size:
        pattern = _pattern(bound, functions)
        found += [functions.support[line] for line in pattern]
    return found


def _pattern(bound: Bound, functions: Functions) -> Bools:
    """(functions, support) the cells each depends on: slopes at random points are not 0."""
    random = np.random.default_rng(0)
    found = np.zeros((functions.equal.size, functions.support.size), dtype=np.bool_)
    for _ in range(2):
        drawn = random.standard_exponential(bound.cells.size) + 0.1
        found |= functions.jacobian(_rows(bound, drawn)) != 0
    return found


def _rows(bound: Bound, values: Floats) -> Floats:
    """The values of all cells, scaled so that rows add up to one."""
    first, _ = bound.cells.rows_of(np.arange(bound.cells.size))
    return np.asarray(values / np.bincount(first, values, minlength=values.size)[first])


def stated(bound: Bound, blocks: Blocks, functions: Functions | None) -> dict[int, Parts]:
    """Products and functions of every block that has any."""
    order = np.argsort(blocks.cells)
    found: dict[int, list[Functions]] = {}

    def place(cells: Ints) -> tuple[int, Ints]:
        at = order[np.searchsorted(blocks.cells, cells, sorter=order)]
        block = int(blocks.cell_block[at.flat[0]])
        return block, np.asarray(at - blocks.cell_at[block])

    for each in bound.products:
        block, left = place(each.left)
        right = place(each.right)[1]
        found.setdefault(block, []).append(Bilinear.of(left, right, False, each.rule))
    if functions is not None and functions.equal.size:
        pattern = _pattern(bound, functions)
        owner = np.array([place(functions.support[line])[0] for line in pattern])
        even = _rows(bound, np.ones(bound.cells.size))
        for block in np.unique(owner).tolist():
            cells = blocks.cells[blocks.cell_at[block] : blocks.cell_at[block + 1]]
            which = np.flatnonzero(owner == block)
            found.setdefault(block, []).append(Placed.at(functions, which, cells, even))
    return {at: tuple(parts) for at, parts in found.items()}


def all_of(blocks: Blocks, parts: Mapping[int, Parts], at: int) -> Parts:
    """The functions of a block, its ratios as products among them."""
    first = blocks.cell_at[at]
    lists = [each for each in blocks.ratios if each.block == at]
    return (*parts.get(at, ()), *(proportional(each.lists - first, each.rule) for each in lists))


def ready(
    blocks: Blocks, parts: Mapping[int, Parts], needed: Sequence[int], inside: Interior | None
) -> Bends:
    """The blocks that can need Newton's method, their ratios as products among the functions.

    inside: what linear rules force; worked out where it is not known
    """
    if not needed:
        return Bends(parts)
    forced = relative_interior(blocks) if inside is None else inside
    components = {}
    for at in needed:
        block = blocks[at]
        positions = np.arange(blocks.cell_at[at], blocks.cell_at[at + 1])
        rules = np.arange(blocks.rule_at[at], blocks.rule_at[at + 1])
        here = forced.chosen(positions, rules, np.array([at]))
        components[at] = Component.of(block, here, all_of(blocks, parts, at))
    return Bends(parts, components)
