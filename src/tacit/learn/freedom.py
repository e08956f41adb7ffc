"""How many numbers rules leave free."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.ruled.plan import Plan
from tacit.knowledge.blocks import Block
from tacit.knowledge.polytope import Interior, relative_interior
from tacit.learn.ruled import Ruled

LARGEST = 2_000_000
"""Entries of a block's equalities beyond which nobody computes their rank."""


def lost_parameters(known: Ruled | None) -> int | None:
    """How many free parameters the rules take; None where that is not known: a block is
    too large, or a rule is not linear and no part of a tree of splits.

    Block by block, the rank of all that holds with equality whenever the rules hold, less the rows
    that sum to one: forced inequalities and cells at 0 count, other inequalities cost nothing.
    """
    if known is None or not len(known.plan.blocks):
        return 0
    if is_bent(known):
        return None
    plan, lost = known.plan, 0
    inside = relative_interior(plan.blocks)
    alpha = np.random.default_rng(0).uniform(1.0, 2.0, plan.blocks.cells.size)
    theta = plan.forest.most_likely(alpha)
    for number in range(len(plan.blocks)):
        slopes = _slopes(plan, number, inside, theta)
        if slopes is None:
            return None
        lost += int(np.linalg.matrix_rank(slopes)) - int(plan.blocks[number].row[-1] + 1)
    return lost


def is_bent(known: Ruled) -> bool:
    """Whether a rule is not linear in the probabilities, and no part of a tree of splits."""
    plan = known.plan
    return bool(plan.bends.stated) or bool((plan.curved & ~plan.trees).any())


def _slopes(plan: Plan, number: int, inside: Interior, theta: Floats) -> Floats | None:
    """Derivatives of a block's equalities by its cells, at a point in general position."""
    blocks = plan.blocks
    block = blocks[number]
    span = slice(blocks.cell_at[number], blocks.cell_at[number + 1])
    rules = slice(blocks.rule_at[number], blocks.rule_at[number + 1])
    held = np.flatnonzero(block.rules.equal | inside.tight[rules])
    zero = np.flatnonzero(inside.zero[span])
    rows = int(block.row[-1]) + 1
    curved = sum((each.shape[0] - 1) * (each.shape[1] - 1) for each in block.ratios)
    if (rows + held.size + zero.size + curved) * block.size > LARGEST:
        return None
    found = [_sums(block, rows), _linear(block, held), np.eye(block.size)[zero]]
    return np.concatenate([*found, *_ratios(block, theta[span])])


def _sums(block: Block, rows: int) -> Floats:
    return np.asarray(block.row == np.arange(rows)[:, None], dtype=np.float64)


def _linear(block: Block, held: Ints) -> Floats:
    rules = block.rules.chosen(held)
    found = np.zeros((len(rules), block.size))
    np.add.at(found, (rules.owner, rules.cells), rules.factors)
    return found


def _ratios(block: Block, theta: Floats) -> Iterator[Floats]:
    """Of  θ[i, 0] θ[0, j] - θ[i, j] θ[0, 0]  for all lists i and places j beyond the first."""
    for lists in block.ratios:
        for one in lists[1:]:
            slope = np.zeros((lists.shape[1] - 1, block.size))
            for at, (top, low) in enumerate(zip(lists[0, 1:], one[1:], strict=True)):
                slope[at, one[0]] += theta[top]
                slope[at, top] += theta[one[0]]
                slope[at, low] -= theta[lists[0, 0]]
                slope[at, lists[0, 0]] -= theta[low]
            yield slope
