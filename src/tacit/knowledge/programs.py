"""Linear programs over blocks of rules; HiGHS, in scipy, solves them.

Blocks have nothing in common, so that one program holds as many of them as are asked about: what
is best for the sum is best for each.

Numbers are given to the solver in millionths, so that its own tolerance (1e-7) is far below what
counts here: rules missed by less than `MISSED` in sum hold, room below `ROOM` is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.errors import KnowledgeError
from tacit.knowledge.blocks import Blocks

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MISSED = 1e-8
ROOM = 1e-12
UNIT = 1e6
CALL = 8_000
"""So many cells and rules go into one program: larger ones take longer for each of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some of the blocks, perhaps several times, as matrices over their own positions 0..n-1.

    positions, rules      which of all positions and rules these are
    block, rule_block     the block of each, 0, 1, ... among the chosen ones
    first                 (chosen blocks,) the first position of each
    matrix, limits        the rules, each divided by its largest factor
    sums                  (rows of tables, n) one row per distribution: sums @ x = 1
    """

    positions: Ints
    rules: Ints
    block: Ints
    rule_block: Ints
    first: Ints
    matrix: csr_array
    limits: Floats
    equal: Bools
    sums: csr_array

    @property
    def blocks(self) -> int:
        """How many blocks these are."""
        return int(self.first.size)

    def only(self, kept: Bools) -> Part:
        """The same blocks with these rules alone."""
        which = np.flatnonzero(kept)
        return replace(
            self, rules=self.rules[which], rule_block=self.rule_block[which],
            matrix=self.matrix[which], limits=self.limits[which], equal=self.equal[which],
        )  # fmt: skip

    def with_least(self, position: int, least: float) -> Part:
        """The same of one block, and a demand behind its rules: x[position] >= least."""
        from scipy.sparse import csr_array, vstack

        row = csr_array(([-1.0], ([0], [position])), shape=(1, self.block.size))
        return replace(
            self, rules=np.append(self.rules, -1), rule_block=np.append(self.rule_block, 0),
            matrix=vstack([self.matrix, row], format="csr"),
            limits=np.append(self.limits, -least), equal=np.append(self.equal, False),
        )  # fmt: skip

    def with_limits(self, limits: Floats) -> Part:
        """The same rules with other limits."""
        return replace(self, limits=limits)


def part_of(blocks: Blocks, chosen: Ints) -> Part:
    """The blocks `chosen` as matrices; a block named twice is there twice."""
    from scipy.sparse import csr_array

    positions, block = _spans(blocks.cell_at, chosen)
    rules, rule_block = _spans(blocks.rule_at, chosen)
    first = np.searchsorted(block, np.arange(chosen.size))
    rows = blocks.rules.chosen(rules)
    largest = np.zeros(len(rows))
    np.maximum.at(largest, rows.owner, np.abs(rows.factors))
    scale = np.where(largest > 0, largest, 1.0)
    moved = (first - blocks.cell_at[chosen])[rule_block]
    matrix = csr_array(
        (rows.factors / scale[rows.owner], rows.cells + moved[rows.owner], rows.at),
        shape=(len(rows), positions.size),
    )
    starts = np.diff(blocks.row[positions], prepend=-1) != 0
    starts[first] = True
    row = np.cumsum(starts) - 1
    sums = csr_array(
        (np.ones(row.size), (row, np.arange(row.size))), shape=(int(starts.sum()), row.size)
    )
    return Part(
        positions, rules, block, rule_block, first, matrix, rows.limits / scale, rows.equal, sums
    )  # fmt: skip


def _spans(at: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """The numbers at[b]..at[b+1]-1 of every chosen b, and which of the chosen each belongs to."""
    lengths = (at[1:] - at[:-1])[chosen]
    which = np.repeat(np.arange(chosen.size), lengths)
    first = np.repeat(at[chosen] - (np.cumsum(lengths) - lengths), lengths)
    return first + np.arange(which.size), which


def sizes(blocks: Blocks) -> Ints:
    """(blocks,) cells and rules of each."""
    return np.asarray(np.diff(blocks.cell_at) + np.diff(blocks.rule_at))


def batches(sizes: Ints) -> Iterator[slice]:
    """Questions of these sizes in their order, about `CALL` at a time."""
    ends = np.cumsum(sizes)
    last = 0
    while last < sizes.size:
        first, before = last, int(ends[last - 1]) if last else 0
        last = max(first + 1, int(np.searchsorted(ends, before + CALL, side="right")))
        yield slice(first, last)


def violations(part: Part, hard: Bools | None = None) -> tuple[Floats, Floats]:
    """(rules,) by how much each rule is missed where, in sum, they are missed least; its prices.

    With a sign: a limit raised by its violation is one that the rule can keep. Rules with a price
    cannot hold together, where any is missed (they carry the dual certificate, Farkas).
    hard  rules that may not be missed; an error where they cannot hold
    """
    from scipy.sparse import eye_array, hstack

    size, count = part.block.size, len(part.limits)
    soft = np.arange(count) if hard is None else np.flatnonzero(~hard)
    below = soft[part.equal[soft]]
    slack = eye_array(count, format="csr")
    matrix = hstack([part.matrix, -slack[:, soft], slack[:, below]], format="csr")
    sums = hstack([part.sums, empty(part.sums.shape[0], soft.size + below.size)])
    cost = np.concatenate([np.zeros(size), np.ones(soft.size + below.size)])
    solution = solved(cost, matrix, part.limits, part.equal, sums)
    if solution is None:
        raise KnowledgeError("the solver could not decide whether the rules can hold together")
    missed = np.zeros(count)
    missed[soft] = solution.x[size : size + soft.size]
    missed[below] -= solution.x[size + soft.size :]
    return missed, solution.prices


def extreme(part: Part, cost: Floats) -> Solution:
    """The x of least cost that the rules allow; those missed by no more than `MISSED` are eased."""
    found = solved(cost, part.matrix, part.limits, part.equal, part.sums)
    if found is None:
        limits = part.limits + violations(part)[0]
        found = solved(cost, part.matrix, limits, part.equal, part.sums)
    if found is None:
        raise KnowledgeError("the solver could not decide what the rules allow")
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Where a program has its optimum; by how much the optimum falls as each rule's limit rises."""

    x: Floats
    prices: Floats


def solved(
    cost: Floats,
    matrix: csr_array,
    limits: Floats,
    equal: Bools,
    sums: Any,
    low: Floats | None = None,
    high: Floats | None = None,
) -> Solution | None:
    """The x >= 0 (or low) of least cost with rules kept and sums @ x = 1; None if there is none."""
    from scipy.optimize import linprog
    from scipy.sparse import vstack

    solve: Any = linprog  # its stubs know no sparse matrices
    lowest = np.zeros(cost.size) if low is None else low
    highest = np.full(cost.size, np.inf) if high is None else high
    arguments: dict[str, Any] = {
        "A_ub": matrix[np.flatnonzero(~equal)],
        "b_ub": UNIT * limits[~equal],
        "A_eq": vstack([sums, matrix[np.flatnonzero(equal)]], format="csr"),
        "b_eq": UNIT * np.concatenate([np.ones(sums.shape[0]), limits[equal]]),
        "bounds": UNIT * np.column_stack([lowest, highest]),
    }
    for options in ({}, {"presolve": False}):
        result = solve(cost, **arguments, method="highs", options=options)
        if result.status in (0, 2):
            break
    if result.status != 0:
        return None
    prices = np.zeros(len(limits))
    prices[~equal] = result.ineqlin.marginals
    prices[equal] = result.eqlin.marginals[sums.shape[0] :]
    return Solution(np.asarray(result.x) / UNIT, -prices)


def empty(rows: int, columns: int) -> csr_array:
    from scipy.sparse import csr_array

    return csr_array((rows, columns))
