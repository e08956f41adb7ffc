"""What rules cost: blocks solved again, each without one rule, or with one rule alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.ruled.curves import TOUCHES, Curves
from tacit.estimate.ruled.plan import FEW, Near, Plan, compile_blocks, solve
from tacit.knowledge.blocks import Blocks, copies_with_only, copies_without
from tacit.knowledge.rows import Rows

Pair: TypeAlias = tuple[int, int]
"""A block, and a rule of it."""
MOST_CELLS = 2_000_000
MOST_WORK = 1.5e9
"""Cells of all blocks that are solved again for the costs of rules, and about how many sums."""
SMALL = 600
"""Cells of a block up to which the rank of its rules is worked out."""


@dataclass(frozen=True, slots=True)
class Toll:
    """What a rule costs beside the others and alone, and how often a true one would cost that."""

    cost: float | None
    alone: float | None
    freedom: int
    chance: float | None
    expected: bool


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The rules of all blocks at the optimum, instance by instance.

    free            the most likely rows without any rule
    value, pull     (rules,) left side, and multiplier
    broken, binding (rules,) whether the free rows miss it, and whether it bends the estimate
    scale           (rules,) by what a rule was divided
    block           (rules,) the block of each
    ways            per block, how it was solved
    instances       where the instances of every rule stand
    curves          the instances of rules that are not linear
    """

    weights: Floats
    theta: Floats
    free: Floats
    value: Floats
    pull: Floats
    broken: Bools
    binding: Bools
    scale: Floats
    block: Ints
    ways: tuple[str, ...]
    instances: dict[int, Ints]
    curves: Curves


_NONE = np.zeros(0, dtype=np.int64)
_EMPTY = Blocks(
    _NONE, _NONE, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64),
    Rows(
        np.zeros(1, dtype=np.int64), _NONE, np.zeros(0), np.zeros(0),
        np.zeros(0, dtype=np.bool_), _NONE, _NONE,
    ),
    np.zeros(1, dtype=np.int64), _NONE,
)  # fmt: skip


def costs_beside(plan: Plan, view: View, rules: int) -> list[float | None]:
    """Nats lost by each rule: its blocks solved again without it, all of them together."""
    costs: list[float | None] = [0.0] * rules
    asked_for = _pairs(plan, view, view.binding) | view.curves.pairs(view.curves.binding)
    single, pairs = _told_apart(plan, view, asked_for)
    lost = _lost(plan, view)
    for block, rule in single:
        costs[rule] = _added(costs[rule], lost[block])
    again = _again(plan, view, pairs, only=False)
    if again is None:
        asked = {rule for _, rule in pairs}
        return [None if rule in asked else costs[rule] for rule in range(rules)]
    freed, positions, theta = again
    weights = view.weights[positions]
    gains = _terms(weights, theta) - _terms(weights, view.theta[positions])
    for (_, rule), gain in zip(pairs, _summed(freed.blocks, gains), strict=True):
        costs[rule] = _added(costs[rule], gain)
    return costs


def costs_alone(plan: Plan, view: View, rules: int) -> list[tuple[float | None, int, float | None]]:
    """Nats lost by each rule if there were no other, what freedom it takes, and the chance.

    A rule that the free rows keep costs nothing.
    """
    lost: list[float | None] = [0.0] * rules
    taken, halves = [0] * rules, [0] * rules

    def add(rule: int, loss: float, freedom: tuple[int, int]) -> None:
        lost[rule] = _added(lost[rule], loss)
        taken[rule] += freedom[0]
        halves[rule] += freedom[1]

    asked_for = _pairs(plan, view, view.broken) | view.curves.pairs(view.curves.broken)
    single, pairs = _told_apart(plan, view, asked_for)
    losses = _lost(plan, view)
    for block, rule in single:
        add(rule, losses[block], _freedom(plan, block, view.weights, view.theta))
    again = _again(plan, view, pairs, only=True)
    if again is not None:
        held, positions, theta = again
        weights = view.weights[positions]
        losses = _summed(
            held.blocks, _terms(weights, view.free[positions]) - _terms(weights, theta)
        )
        for at, (_, rule) in enumerate(pairs):
            add(rule, losses[at], _freedom(held, at, weights, theta))
    else:
        for _, rule in pairs:
            lost[rule] = None
    return [
        (lost[rule], taken[rule], _chance(lost[rule], taken[rule], halves[rule]))
        for rule in range(rules)
    ]


def _lost(plan: Plan, view: View) -> list[float]:
    """Nats that every block loses by all its rules together."""
    both = _terms(view.weights, view.free) - _terms(view.weights, view.theta)
    return _summed(plan.blocks, both)


def _told_apart(plan: Plan, view: View, pairs: set[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Those of blocks with one rule, which need not be solved again, and the others."""
    blocks = plan.blocks
    block = blocks.rule_block
    named = {*zip(block.tolist(), blocks.rules.rule.tolist(), strict=True)}
    named |= {(each.block, each.rule) for each in blocks.ratios}
    named |= view.curves.pairs(np.ones(view.curves.rule.size, dtype=np.bool_))
    several = Counter(at for at, _ in named)
    single = [pair for pair in sorted(pairs) if several[pair[0]] == 1]
    return single, [pair for pair in sorted(pairs) if several[pair[0]] > 1]


def _again(
    plan: Plan, view: View, pairs: list[Pair], *, only: bool
) -> tuple[Plan, Ints, Floats] | None:
    """Copies of these blocks, each without a rule or with it alone, their positions among all, and
    their optimum.

    None where that would be too much work.
    """
    blocks = plan.blocks
    if not pairs:
        return compile_blocks(_EMPTY), np.zeros(0, dtype=np.int64), np.zeros(0)
    chosen = np.array([block for block, _ in pairs])
    sizes = np.diff(blocks.cell_at)[chosen]
    made_of = np.diff(blocks.rule_at)[chosen]
    if sizes.sum() > MOST_CELLS or (made_of.astype(float) ** 2 * sizes).sum() > MOST_WORK:
        return None
    other = copies_with_only(blocks, pairs) if only else copies_without(blocks, pairs)
    made = compile_blocks(other, None, plan.bends.chosen(blocks, pairs, only=only))
    starts = blocks.cell_at[chosen]
    positions = np.repeat(starts - other.cell_at[:-1], sizes) + np.arange(sizes.sum())
    near = Near(view.theta[positions], FEW, second=False)
    return made, positions, solve(made, view.weights[positions], near=near).theta


def _summed(blocks: Blocks, values: Floats) -> list[float]:
    return [float(each) for each in np.bincount(blocks.cell_block, values, minlength=len(blocks))]


def _added(sum_: float | None, nats: float) -> float | None:
    """A further loss; nothing is known any more once one of them is not finite."""
    return None if sum_ is None or not np.isfinite(nats) else sum_ + max(0.0, nats)


def _pairs(plan: Plan, view: View, which: Bools) -> set[Pair]:
    """The blocks and rules of these instances, and all with ratios."""
    at = np.flatnonzero(which)
    pairs = set(zip(view.block[at].tolist(), plan.blocks.rules.rule[at].tolist(), strict=True))
    return pairs | {(each.block, each.rule) for each in plan.blocks.ratios}


def _terms(weights: Floats, theta: Floats) -> Floats:
    used = weights > 0
    out = np.zeros_like(weights)
    with np.errstate(divide="ignore"):
        out[used] = weights[used] * np.log(theta[used])
    return out


def _freedom(plan: Plan, number: int, weights: Floats, theta: Floats) -> tuple[int, int]:
    """How many parameters the rules of a block take away, and how many inequalities bind there.

    Their rank beside the sums of the rows; rows without as much as one case have nothing to lose.
    """
    blocks = plan.blocks
    first, last = int(blocks.cell_at[number]), int(blocks.cell_at[number + 1])
    row = blocks.row[first:last] - blocks.row_at[number]
    rules = blocks.rules.chosen(np.arange(blocks.rule_at[number], blocks.rule_at[number + 1]))
    seen = np.bincount(row, weights[first:last]) >= 1
    tight = np.abs(rules.values(theta) - rules.limits) <= TOUCHES
    told = np.bincount(rules.owner, ~seen[row[rules.cells - first]], minlength=len(rules)) == 0
    chosen = rules.chosen(np.flatnonzero(tight & told))
    slopes, bent = plan.bends.slopes(number, theta[first:last], seen[row], TOUCHES)
    lists = [each for each in blocks.ratios if each.block == number]
    ratios = sum((len(each.lists) - 1) * (each.lists.shape[1] - 1) for each in lists)
    unequal = int((~chosen.equal).sum()) + bent
    if len(chosen) + len(slopes) <= 1 or last - first > SMALL:
        return len(chosen) + len(slopes) + ratios, unequal
    dense = np.zeros((len(chosen), last - first))
    dense[chosen.owner, chosen.cells - first] = chosen.factors
    sums = (row == np.arange(row[-1] + 1)[:, None]).astype(np.float64)
    rank = int(np.linalg.matrix_rank(np.vstack([sums, dense, slopes]))) - len(sums)
    return rank + ratios, unequal


def _chance(cost: float | None, freedom: int, inequalities: int) -> float | None:
    """How often a true rule would cost as much: twice the loss is χ² with so many degrees."""
    if cost is None or freedom < 1:
        return None
    from scipy.special import chdtrc

    half = 0.5 if freedom == inequalities == 1 else 1.0
    return half * float(chdtrc(freedom, 2 * cost))
