"""What every rule is worth: value at the optimum, price of its limits, cost of having it.

The multiplier of a rule is the derivative of the optimum by its limit. The cost is exact: the block
is solved again without the rule. A rule with room to spare everywhere costs nothing, since the
problem is concave.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.ruled.multipliers import multipliers
from tacit.estimate.ruled.plan import Plan, compile_blocks, solve, ways
from tacit.estimate.ruled.status import RuleStatus
from tacit.knowledge.blocks import Blocks, copies_without
from tacit.knowledge.bound import Bound
from tacit.knowledge.polytope import Interior
from tacit.knowledge.statements import Rule

TOUCHES = 1e-8
"""A limit nearer than this is reached."""
PULLS = 1e-8
"""The least multiplier, as a share of the cases of a block, that bends an estimate."""
MOST_CELLS = 2_000_000
"""Cells of all blocks that are solved again for the costs of rules."""
SMALL = 600
"""Cells of a block up to which the rank of its rules is worked out."""


def statuses(
    bound: Bound, plan: Plan, weights: Floats, theta: Floats, *, expected: bool = False
) -> tuple[RuleStatus, ...]:
    """What became of each rule; `expected` says that the weights are expected counts."""
    view = _view(plan, weights, theta)
    costs = _costs(plan, view, len(bound.rules))
    return tuple(
        _status(rule, number, plan, view, costs[number], expected)
        for number, rule in enumerate(bound.rules)
    )


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """The rules of all blocks at the optimum, instance by instance.

    value, pull, binding  (rules,) left side, multiplier, and whether it bends the estimate
    block                 (rules,) the block of each
    ways                  per block, how it was solved
    instances             where the instances of every rule stand
    """

    weights: Floats
    theta: Floats
    value: Floats
    pull: Floats
    binding: Bools
    block: Ints
    ways: tuple[str, ...]
    instances: dict[int, Ints]


def _view(plan: Plan, weights: Floats, theta: Floats) -> _View:
    blocks, rules = plan.blocks, plan.blocks.rules
    block = np.repeat(np.arange(len(blocks)), np.diff(blocks.rule_at))
    ruling = solve(plan, weights)
    pull = multipliers(plan, ruling, weights)
    value = rules.values(theta)
    cases = np.bincount(_block_of(blocks), weights, minlength=len(blocks))
    near = rules.limits - value <= TOUCHES
    pulls = np.isnan(pull) | (pull > PULLS * np.maximum(cases, 1e-300)[block])
    return _View(
        weights, theta, value, pull, rules.equal | (near & pulls), block,
        ways(plan, ruling), _grouped(rules.rule),
    )  # fmt: skip


def _block_of(blocks: Blocks) -> Ints:
    return np.repeat(np.arange(len(blocks)), np.diff(blocks.cell_at))


def _grouped(labels: Ints) -> dict[int, Ints]:
    order = np.argsort(labels, kind="stable")
    kinds, first = np.unique(labels[order], return_index=True)
    parts = np.split(order, first[1:]) if kinds.size else []
    return {int(kind): part for kind, part in zip(kinds, parts, strict=True)}


def _costs(plan: Plan, view: _View, rules: int) -> list[float | None]:
    """Nats lost by each rule: its blocks solved again without it, all of them together."""
    blocks = plan.blocks
    costs: list[float | None] = [0.0] * rules
    pairs = _worth_asking(plan, view)
    if not pairs:
        return costs
    sizes = np.diff(blocks.cell_at)[[block for block, _ in pairs]]
    if sizes.sum() > MOST_CELLS:
        asked = {rule for _, rule in pairs}
        return [None if rule in asked else 0.0 for rule in range(rules)]
    freed = copies_without(blocks, pairs)
    starts = blocks.cell_at[[block for block, _ in pairs]]
    positions = np.repeat(starts - freed.cell_at[:-1], sizes) + np.arange(sizes.sum())
    weights = view.weights[positions]
    again = solve(compile_blocks(freed, _anything(freed)), weights).theta
    gains = _terms(weights, again) - _terms(weights, view.theta[positions])
    gained = np.bincount(_block_of(freed), gains, minlength=len(freed))
    for (_, rule), gain in zip(pairs, gained.tolist(), strict=True):
        costs[rule] = (costs[rule] or 0.0) + max(0.0, gain)
    return costs


def _anything(blocks: Blocks) -> Interior:
    """An interior that says nothing: what rules hold at 0 has no weight, with a rule or without."""
    return Interior(
        feasible=np.ones(len(blocks), dtype=np.bool_),
        point=np.full(blocks.cells.size, np.nan),
        tight=np.zeros(len(blocks.rules), dtype=np.bool_),
        zero=np.zeros(blocks.cells.size, dtype=np.bool_),
    )


def _worth_asking(plan: Plan, view: _View) -> list[tuple[int, int]]:
    """The blocks and rules whose estimate may change without the rule."""
    at = np.flatnonzero(view.binding)
    pairs = set(zip(view.block[at].tolist(), plan.blocks.rules.rule[at].tolist(), strict=True))
    return sorted(pairs | {(each.block, each.rule) for each in plan.blocks.ratios})


def _terms(weights: Floats, theta: Floats) -> Floats:
    used = weights > 0
    out = np.zeros_like(weights)
    with np.errstate(divide="ignore"):
        out[used] = weights[used] * np.log(theta[used])
    return out


def _status(
    rule: Rule, number: int, plan: Plan, view: _View, cost: float | None, expected: bool
) -> RuleStatus:
    at = view.instances.get(number, np.zeros(0, dtype=np.int64))
    lists = [each for each in plan.blocks.ratios if each.rule == number]
    binding = at[view.binding[at]]
    freedom = _freedom(plan, view, binding)
    freedom += sum((len(each.lists) - 1) * (each.lists.shape[1] - 1) for each in lists)
    pull = np.abs(view.pull[binding])
    solved = [view.ways[block] for block in [*view.block[at], *(each.block for each in lists)]]
    return RuleStatus(
        **_said(rule),
        **_nearest(plan, view, at, binding),
        binding=int(binding.size) + sum(len(each.lists) - 1 for each in lists),
        price=None if lists or np.isnan(pull).any() else 0.01 * float(pull.sum()),
        cost=cost,
        solved_by="; ".join(dict.fromkeys(solved)) or "always true",
        instances=int(at.size) + sum(len(each.lists) - 1 for each in lists),
        freedom=freedom,
        chance=_chance(cost, freedom),
        at_least=expected and (binding.size > 0 or bool(lists)),
    )


def _said(rule: Rule) -> dict[str, Any]:
    return {
        "text": str(rule),
        "by": rule.by,
        "confidence": rule.confidence,
        "source": rule.source,
        "line": rule.line,
    }


def _nearest(plan: Plan, view: _View, at: Ints, binding: Ints) -> dict[str, Any]:
    """Value and limit of the instance that pulls most, or is nearest to its limit."""
    if not at.size:
        return {"value": 0.0, "limit": 0.0}
    rules = plan.blocks.rules
    if binding.size:
        one = binding[np.argmax(np.nan_to_num(np.abs(view.pull[binding])))]
    else:
        one = at[np.argmin(rules.limits[at] - view.value[at])]
    sign = float(rules.sign[one])
    value = sign * float(view.value[one])
    return {"value": value if abs(value) > 1e-12 else 0.0, "limit": sign * float(rules.limits[one])}


def _freedom(plan: Plan, view: _View, binding: Ints) -> int:
    """How many parameters these instances take away: their rank beside the sums of the rows."""
    rules, total = plan.blocks.rules, 0
    if binding.size <= 1:
        return int(binding.size)
    for block, part in _grouped(view.block[binding]).items():
        first, last = plan.blocks.cell_at[block], plan.blocks.cell_at[block + 1]
        if last - first > SMALL:
            total += part.size
            continue
        chosen = rules.chosen(binding[part])
        dense = np.zeros((len(chosen), last - first))
        dense[chosen.owner, chosen.cells - first] = chosen.factors
        row = plan.blocks.row[first:last] - plan.blocks.row_at[block]
        sums = (row == np.arange(row[-1] + 1)[:, None]).astype(np.float64)
        total += int(np.linalg.matrix_rank(np.vstack([sums, dense]))) - len(sums)
    return total


def _chance(cost: float | None, freedom: int) -> float | None:
    """How often a true rule would cost as much: twice the loss is χ² with so many degrees."""
    if cost is None or freedom < 1:
        return None
    from scipy.special import chdtrc

    return float(chdtrc(freedom, 2 * cost))
