"""Blocks written out by hand: rows of cells and rules over their positions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tacit.knowledge.blocks import Blocks
from tacit.knowledge.rows import Rows


class Said(NamedTuple):
    """factors · θ[cells] <= limit, or = limit where `equal`; positions count within the block."""

    cells: tuple[int, ...]
    factors: tuple[float, ...]
    limit: float = 0.0
    equal: bool = False


def at_most(cells: Sequence[int], limit: float) -> Said:
    return Said(tuple(cells), (1.0,) * len(cells), limit)


def at_least(cells: Sequence[int], limit: float) -> Said:
    return Said(tuple(cells), (-1.0,) * len(cells), -limit)


def exactly(cells: Sequence[int], limit: float) -> Said:
    return Said(tuple(cells), (1.0,) * len(cells), limit, True)


def below(low: Sequence[int], high: Sequence[int], ratio: float = 1.0, equal=False) -> Said:
    """Σ θ[low] <= ratio · Σ θ[high]."""
    return Said((*low, *high), (1.0,) * len(low) + (-ratio,) * len(high), 0.0, equal)


def rising(cells: Sequence[int]) -> list[Said]:
    """θ[cells[0]] <= θ[cells[1]] <= ..."""
    return [below([low], [high]) for low, high in pairwise(cells)]


def blocks(*given: tuple[Sequence[int], Sequence[Said]]) -> Blocks:
    """One block for each pair of row lengths and rules."""
    cell_at, row_at, rule_at, at = [0], [0], [0], [0]
    lengths: list[int] = []
    cells: list[int] = []
    factors: list[float] = []
    rules: list[Said] = []
    for sizes, said in given:
        for each in said:
            for cell, factor in sorted(zip(each.cells, each.factors, strict=True)):
                cells.append(cell_at[-1] + cell)
                factors.append(factor)
            at.append(len(cells))
        rules += said
        lengths += sizes
        cell_at.append(cell_at[-1] + sum(sizes))
        row_at.append(row_at[-1] + len(sizes))
        rule_at.append(len(rules))
    count = len(rules)
    return Blocks(
        cells=np.arange(cell_at[-1]),
        row=np.repeat(np.arange(len(lengths)), lengths),
        cell_at=np.array(cell_at),
        row_at=np.array(row_at),
        rules=Rows(
            np.array(at), np.array(cells, dtype=np.int64), np.array(factors, dtype=np.float64),
            np.array([each.limit for each in rules], dtype=np.float64),
            np.array([each.equal for each in rules], dtype=np.bool_),
            np.arange(count), np.ones(count, dtype=np.int64),
        ),
        rule_at=np.array(rule_at),
        origin=np.arange(count),
    )  # fmt: skip
