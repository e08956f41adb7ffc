"""Instances of curved rules at the optimum: how near they are to their limits, what they pull."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.ruled.bends import all_of, missed
from tacit.estimate.ruled.plan import Plan, Ruling
from tacit.knowledge.blocks import scales
from tacit.knowledge.bound import Bound
from tacit.knowledge.curves import Applied, Atom, Instance

TOUCHES = 1e-8
"""A limit nearer than this is reached."""


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """One instance after the other.

    block, rule  of each
    number       where each stands among all that is not linear
    gap          left side less limit, as it was written: at most 0
    pull         d optimum / d limit in nats; 0 where the block was solved without looking at it
    broken       whether the free rows miss it
    binding      whether it bends the estimate
    """

    block: Ints
    rule: Ints
    number: Ints
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

    def dearest(self, which: Ints) -> int:
        """The instance among these that pulls most, or is nearest to its limit."""
        return int(which[np.lexsort((self.gap[which], np.abs(self.pull[which])))[-1]])


def curves_of(plan: Plan, ruling: Ruling, theta: Floats, free: Floats, least: Floats) -> Curves:
    """All instances at these parameters.

    free   the most likely rows without any rule
    least  (blocks,) the smallest multiplier that bends the estimate
    """
    found = list(_instances(plan, ruling, theta, free, least))
    none = (np.zeros(0, dtype=np.int64),) * 3 + (np.zeros(0),) * 2
    kinds = (np.zeros(0, dtype=np.bool_),) * 2
    return Curves(*(np.concatenate(part) for part in zip((*none, *kinds), *found, strict=True)))


def _instances(
    plan: Plan, ruling: Ruling, theta: Floats, free: Floats, least: Floats
) -> Iterator[tuple[Ints, Ints, Ints, Floats, Floats, Bools, Bools]]:
    for block, said in plan.bends.said.items():
        (part,) = plan.bends.stated[block]
        span = slice(plan.blocks.cell_at[block], plan.blocks.cell_at[block + 1])
        answer, count = ruling.answers.get(block), part.equal.size
        pull = np.zeros(count) if answer is None else answer.bend[:count]
        gap, broken = part.values(theta[span]), missed(part, free[span]) > TOUCHES
        near = part.equal | (gap > -TOUCHES)
        binding = near & ((np.abs(pull) > least[block]) | broken)
        scale = said.scales(theta[span])
        scale = np.where(np.isfinite(scale) & (scale != 0), scale, 1.0)
        yield (
            np.full(count, block), part.rule, said.numbers, gap * scale, pull / scale,
            broken, binding,
        )  # fmt: skip


def rules_of(plan: Plan, block: int) -> list[int]:
    """The rules of a block, by their numbers."""
    inside = slice(plan.blocks.rule_at[block], plan.blocks.rule_at[block + 1])
    numbers = set(plan.blocks.rules.rule[inside].tolist())
    numbers |= {each.rule for each in plan.blocks.ratios if each.block == block}
    said = plan.bends.said.get(block)
    return sorted(numbers if said is None else numbers | set(said.functions.rule.tolist()))


def missed_in(bound: Bound, plan: Plan, block: int, theta: Floats) -> dict[int, float]:
    """By how much each rule of a block is missed there, as it was written.

    theta: over the positions of the block
    """
    blocks, found = plan.blocks, dict.fromkeys(rules_of(plan, block), 0.0)
    whole = np.zeros(blocks.cells.size)
    whole[blocks.cell_at[block] : blocks.cell_at[block + 1]] = theta
    which = np.arange(blocks.rule_at[block], blocks.rule_at[block + 1])
    rules, size = blocks.rules.chosen(which), scales(bound.rows)[blocks.origin[which]]
    told = [(rules.rule, rules.excess(whole) * size)]
    told += [(part.rule, missed(part, theta)) for part in all_of(blocks, {}, block)]
    if block in plan.bends.said:
        said = plan.bends.said[block]
        told.append((said.functions.rule, said.excess(theta)))
    for numbers, by in told:
        for number, one in zip(numbers.tolist(), by.tolist(), strict=True):
            found[number] = max(found[number], one)
    return found


def value_and_limit(bound: Bound, number: int, gap: float) -> tuple[float, float]:
    """What an instance bounds and by what, as it was written; else the difference, and 0."""
    said = [each for part in bound.curved for each in part.instances][number]
    gap = gap if abs(gap) > TOUCHES else 0.0
    if isinstance(said, Applied):
        return said.limit + said.sign * gap, said.limit
    limit, sign = _constant(said)
    if limit is None:
        return (-gap if " >= " in said.text else gap), 0.0
    return limit + sign * gap, limit


def _constant(said: Instance) -> tuple[float | None, int]:
    """The limit of a polynomial rule that has one, and -1 if it is a least value.

    A polynomial that was multiplied with one event has it as the factor of that event.
    """
    assert not isinstance(said, Applied)
    below: tuple[Atom, ...] = ()
    if said.under:
        ((terms, power), *more) = said.under
        if more or power != 1 or len(terms) != 1 or terms[0][0] != 1.0:
            return None, 1
        below = terms[0][1]
    constant = sum(factor for factor, atoms in said.terms if atoms == below)
    others = [factor for factor, atoms in said.terms if atoms != below]
    if not constant or not others:
        return None, 1
    return (constant, -1) if all(factor < 0 for factor in others) else (-constant, 1)
