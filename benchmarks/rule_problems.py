"""Rows and blocks under rules, for all sides of the comparison: plain matrices, and Tacit's blocks.

A kind of rule is one small block; `many` repeats it with counts of its own, the cells of each in an
order of its own, so that no two blocks look alike.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.knowledge.blocks import Aligned, Blocks
from tacit.knowledge.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class Ruled:
    """maximise Σ w log θ: rows of these lengths, matrix θ <= limits, or = where `equal`.

    lists  (lists, length) cells that are multiples of each other; none: (0, 0)
    """

    lengths: tuple[int, ...]
    matrix: Floats
    limits: Floats
    equal: Bools
    lists: Ints

    @property
    def size(self) -> int:
        """How many cells it has."""
        return sum(self.lengths)

    @property
    def sums(self) -> Floats:
        """(rows, cells) 1 where a cell stands in a row."""
        row = np.repeat(np.arange(len(self.lengths)), self.lengths)
        return np.asarray(row == np.arange(len(self.lengths))[:, None], dtype=np.float64)

    @property
    def ratios(self) -> Floats:
        """(equations, cells) of log θ, each adding up to 0: the lists are in proportion."""
        found = []
        for other in self.lists[1:]:
            for at in range(1, other.size):
                line = np.zeros(self.size)
                line[[self.lists[0, 0], other[at]]] += 1.0
                line[[self.lists[0, at], other[0]]] -= 1.0
                found.append(line)
        return np.array(found).reshape(-1, self.size)


def _one(lengths: Sequence[int], rules: Sequence[tuple[dict[int, float], bool, float]],
         lists: Sequence[Sequence[int]] = ()) -> Ruled:  # fmt: skip
    matrix = np.zeros((len(rules), sum(lengths)))
    for line, (factors, _, _) in zip(matrix, rules, strict=True):
        line[list(factors)] = list(factors.values())
    return Ruled(
        tuple(lengths), matrix, np.array([limit for *_, limit in rules], dtype=np.float64),
        np.array([equal for _, equal, _ in rules], dtype=np.bool_),
        np.array(lists, dtype=np.int64) if lists else np.zeros((0, 0), dtype=np.int64),
    )  # fmt: skip


def known_values(n: int) -> Ruled:
    """A quarter of the cells is known."""
    return _one([n], [({cell: 1.0}, True, (0.5 + cell / n) / n) for cell in range(max(1, n // 4))])


def sharing(n: int) -> Ruled:
    """Half of the cells are equal."""
    half = range(n // 2 - 1)
    return _one([n], [({cell: 1.0, cell + 1: -1.0}, True, 0.0) for cell in half])


def proportion(n: int) -> Ruled:
    """Half of the cells are known multiples of the first."""
    half = range(1, n // 2)
    return _one([n], [({cell: 1.0, 0: -0.5 - cell / n}, True, 0.0) for cell in half])


def equal_sums(n: int) -> Ruled:
    """Two sets, four fifths of the cells together, have the same mass."""
    half = 2 * n // 5
    signs = {cell: 1.0 if cell < half else -1.0 for cell in range(2 * half)}
    return _one([n], [(signs, True, 0.0)])


def equal_ratios(n: int) -> Ruled:
    """Two lists, four fifths of the cells together, are multiples of each other."""
    half = 2 * n // 5
    return _one([n], [], [range(half), range(half, 2 * half)])


def general_sharing(n: int) -> Ruled:
    """Two rows have half of their cells in common."""
    half = range(n // 2)
    return _one([n, n], [({cell: 1.0, n + cell: -1.0}, True, 0.0) for cell in half])


def upper_bounds(n: int) -> Ruled:
    """A third of the cells has a bound below their fair share."""
    return _one([n], [({cell: 1.0}, False, 0.7 / n) for cell in range(n // 3)])


def intervals(n: int) -> Ruled:
    """Masses of pairs of cells lie between bounds."""
    rules = []
    for first in range(0, 2 * (n // 4), 2):
        pair = {first: 1.0, first + 1: 1.0}
        rules += [(pair, False, 2.2 / n), (dict.fromkeys(pair, -1.0), False, -1.8 / n)]
    return _one([n], rules)


def sums_against_sums(n: int) -> Ruled:
    """One set has at most the mass of another."""
    half = 2 * n // 5
    signs = {cell: 1.0 if cell < half else -1.0 for cell in range(2 * half)}
    return _one([n], [(signs, False, 0.0)])


def chain_in_a_row(n: int) -> Ruled:
    """Half of the cells rise."""
    half = range((n + 1) // 2 - 1)
    return _one([n], [({cell: 1.0, cell + 1: -1.0}, False, 0.0) for cell in half])


def chain_across_rows(n: int) -> Ruled:
    """So many rows of two states, of which the first rises from row to row."""
    rising = range(n - 1)
    return _one([2] * n, [({2 * row: 1.0, 2 * row + 2: -1.0}, False, 0.0) for row in rising])


KINDS: dict[str, Callable[[int], Ruled]] = {
    "known values": known_values,
    "sharing": sharing,
    "proportion": proportion,
    "equal sums": equal_sums,
    "equal ratios": equal_ratios,
    "general sharing, two rows": general_sharing,
    "upper bounds": upper_bounds,
    "intervals": intervals,
    "sums against sums": sums_against_sums,
    "chain in a row": chain_in_a_row,
    "chain across rows of two states": chain_across_rows,
}


def shuffled(one: Ruled, random: np.random.Generator) -> Ruled:
    """The same with the cells of its rows in another order, where rows are longer than two."""
    if max(one.lengths) <= 2:
        return one
    firsts = np.cumsum(one.lengths) - one.lengths
    order = np.concatenate([
        first + random.permutation(length)
        for first, length in zip(firsts, one.lengths, strict=True)
    ])  # fmt: skip
    matrix = np.zeros_like(one.matrix)
    matrix[:, order] = one.matrix
    return Ruled(one.lengths, matrix, one.limits, one.equal, order[one.lists])


def joined(blocks: Sequence[Ruled]) -> Blocks:
    """All of them as Tacit takes them."""
    sizes = np.array([block.size for block in blocks])
    first = np.cumsum(sizes) - sizes
    rules = np.array([len(block.limits) for block in blocks])
    found = [np.nonzero(block.matrix) for block in blocks]
    lengths = np.concatenate([block.lengths for block in blocks])
    total = int(rules.sum())
    empty = np.zeros(0, dtype=np.int64)
    return Blocks(
        cells=np.arange(int(sizes.sum())),
        row=np.repeat(np.arange(lengths.size), lengths),
        cell_at=_up(sizes),
        row_at=_up(np.array([len(block.lengths) for block in blocks])),
        rules=Rows(
            at=_up(np.concatenate([np.bincount(at, minlength=count)
                                   for (at, _), count in zip(found, rules, strict=True)])),
            cells=np.concatenate([empty, *(cells + start for (_, cells), start
                                           in zip(found, first, strict=True))]),
            factors=np.concatenate([block.matrix[at]
                                    for block, at in zip(blocks, found, strict=True)]),
            limits=np.concatenate([block.limits for block in blocks]),
            equal=np.concatenate([block.equal for block in blocks]),
            rule=np.arange(total),
            sign=np.ones(total, dtype=np.int64),
        ),
        rule_at=_up(rules),
        origin=np.arange(total),
        ratios=tuple(Aligned(block.lists + int(start), number, number)
                     for number, (block, start) in enumerate(zip(blocks, first, strict=True))
                     if block.lists.size),
    )  # fmt: skip


def _up(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


SIZES = {"5 to 19": range(5, 20), "20 to 34": range(20, 35), "35 to 50": range(35, 51)}
"""Numbers of states of overlapping blocks: a third of the blocks each."""


def overlapping(number: int) -> list[Ruled]:
    """Blocks of 5 to 50 states in up to four rows, with 5 to 20 rules; sizes take turns."""
    drawn, random = _drawing(), np.random.default_rng(1)
    found: dict[str, list[Ruled]] = {name: [] for name in SIZES}
    each = -(-number // len(SIZES))
    while min(map(len, found.values())) < each:
        rows = int(random.integers(1, 5))
        block = drawn(random, most_rows=rows, most_states=50 // rows)
        if block.inside.size < 5 or not 5 <= len(block.rules) <= 20:
            continue
        _, equal, limits = zip(*block.rules, strict=True)
        name = next(name for name, sizes in SIZES.items() if block.inside.size in sizes)
        found[name].append(Ruled(block.lengths, block.matrix, np.array(limits), np.array(equal),
                                 np.zeros((0, 0), dtype=np.int64)))  # fmt: skip
    turns = zip(*(blocks[:each] for blocks in found.values()), strict=True)
    return [block for turn in turns for block in turn][:number]


def _drawing() -> Any:
    """The function by which the tests draw blocks around a point that keeps all rules."""
    file = Path(__file__).resolve().parents[1] / "tests" / "blocks_at_random.py"
    spec = importlib.util.spec_from_file_location("blocks_at_random", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.drawn
