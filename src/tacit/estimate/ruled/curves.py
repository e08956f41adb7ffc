"""Instances of curved rules at the optimum: how near they are to their limits, what they pull."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.ruled.bends import missed
from tacit.estimate.ruled.plan import Plan, Ruling

TOUCHES = 1e-8
"""A limit nearer than this is reached."""


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """One instance after the other.

    block, rule  of each
    gap          left side less limit: at most 0
    pull         d optimum / d limit in nats; 0 where the block was solved without looking at it
    broken       whether the free rows miss it
    binding      whether it bends the estimate
    """

    block: Ints
    rule: Ints
    gap: Floats
    pull: Floats
    broken: Bools
    binding: Bools

    def pairs(self, which: Bools) -> set[tuple[int, int]]:
        """The blocks and rules of these instances."""
        return set(zip(self.block[which].tolist(), self.rule[which].tolist(), strict=True))

    def of(self, rule: int) -> Ints:
        """Where the instances of a rule stand."""
        return np.flatnonzero(self.rule == rule)


def curves_of(plan: Plan, ruling: Ruling, theta: Floats, free: Floats, least: Floats) -> Curves:
    """All instances at these parameters.

    free   the most likely rows without any rule
    least  (blocks,) the smallest multiplier that bends the estimate
    """
    found = list(_instances(plan, ruling, theta, free, least))
    none = (np.zeros(0, dtype=np.int64),) * 2 + (np.zeros(0),) * 2
    kinds = (np.zeros(0, dtype=np.bool_),) * 2
    return Curves(*(np.concatenate(part) for part in zip((*none, *kinds), *found, strict=True)))


def _instances(
    plan: Plan, ruling: Ruling, theta: Floats, free: Floats, least: Floats
) -> Iterator[tuple[Ints, Ints, Floats, Floats, Bools, Bools]]:
    for block, parts in plan.bends.stated.items():
        span = slice(plan.blocks.cell_at[block], plan.blocks.cell_at[block + 1])
        answer, start = ruling.answers.get(block), 0
        for each in parts:
            count = each.equal.size
            pull = np.zeros(count) if answer is None else answer.bend[start : start + count]
            start += count
            gap, broken = each.values(theta[span]), missed(each, free[span]) > TOUCHES
            near = each.equal | (gap > -TOUCHES)
            binding = near & ((np.abs(pull) > least[block]) | broken)
            yield np.full(count, block), each.rule, gap, pull, broken, binding
