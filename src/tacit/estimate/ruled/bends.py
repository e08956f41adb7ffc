"""Rules that are not linear, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dag import Dag
from tacit.estimate.curved.component import Component
from tacit.estimate.curved.functions import Functions as Smooth
from tacit.estimate.curved.functions import functions_of
from tacit.estimate.curved.problem import Functions, Placed, proportional
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
    said        the rules behind them
    """

    stated: Mapping[int, Parts] = field(default_factory=dict)
    components: Mapping[int, Component] = field(default_factory=dict)
    said: Mapping[int, Said] = field(default_factory=dict)

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


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """The curved rules of one block, over all cells, and where each stands among all of them."""

    functions: Smooth
    numbers: Ints
    cells: Ints

    def placed(self, every: int) -> Placed:
        """The same over the positions of the block."""
        which = np.arange(self.numbers.size)
        return Placed.at(self.functions, which, self.cells, np.zeros(every))

    def scales(self, theta: Floats) -> Floats:
        """(functions,) by what each must be multiplied to be as it was written."""
        atoms, whole = self.functions.atoms, self._whole(theta)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.functions.polynomials.divided(
                self.functions.size, atoms.values(whole), atoms.numbers
            )

    def excess(self, theta: Floats) -> Floats:
        """(functions,) how far each is from holding, as it was written."""
        return self.functions.excess(self._whole(theta))

    def _whole(self, theta: Floats) -> Floats:
        whole = np.zeros(int(max(self.cells.max(), self.functions.support.max())) + 1)
        whole[self.cells] = theta
        return whole


def said_of(bound: Bound, blocks: Blocks, functions: Smooth | None, dag: Dag) -> dict[int, Said]:
    """The curved rules of every block that has any, made of what its own events need."""
    if functions is None:
        return {}
    order = np.argsort(blocks.cells)
    first = np.array([each[0] for each in functions.touched], dtype=np.int64)
    owner = blocks.cell_block[order[np.searchsorted(blocks.cells, first, sorter=order)]]
    found = {}
    for block in np.unique(owner).tolist():
        cells = blocks.cells[blocks.cell_at[block] : blocks.cell_at[block + 1]]
        which = np.flatnonzero(owner == block)
        part = functions_of(bound, dag, which) if which.size < owner.size else functions
        found[block] = Said(part, which, cells)
    return found


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
