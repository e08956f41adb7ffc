"""What every rule is worth: value at the optimum, price of its limits, cost of having it.

The multiplier of a rule is the derivative of the optimum by its limit. The cost is exact: the block
is solved again without the rule. A rule with room to spare everywhere costs nothing, since the
problem is concave.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.ruled.curves import TOUCHES, curves_of, value_and_limit
from tacit.estimate.ruled.loose import Loose
from tacit.estimate.ruled.multipliers import Priced
from tacit.estimate.ruled.plan import Plan, ways
from tacit.estimate.ruled.status import RuleStatus
from tacit.estimate.ruled.tolls import (
    Toll,
    View,
    costs_alone,
    costs_beside,
)
from tacit.knowledge.blocks import scales
from tacit.knowledge.bound import Bound
from tacit.knowledge.expansion import instance
from tacit.knowledge.statements import Rule

PULLS = 1e-8
"""The least multiplier, as a share of the cases of a block, that bends an estimate."""


def statuses(
    bound: Bound, plan: Plan, priced: Priced, theta: Floats, *, expected: bool = False
) -> tuple[RuleStatus, ...]:
    """What became of each rule at these parameters.

    priced    the optimum of the evidence that they rest on
    expected  whether that are expected counts
    """
    view = _view(bound, plan, priced, theta)
    costs = costs_beside(plan, view, len(bound.rules))
    alone = costs_alone(plan, view, len(bound.rules))
    return tuple(
        _status(bound, number, plan, view, Toll(costs[number], *alone[number], expected))
        for number in range(len(bound.rules))
    )


def _view(bound: Bound, plan: Plan, priced: Priced, theta: Floats) -> View:
    blocks, rules = plan.blocks, plan.blocks.rules
    block, weights, pull = blocks.rule_block, priced.weights, priced.pull
    value = rules.values(theta)
    cases = np.bincount(blocks.cell_block, weights, minlength=len(blocks))
    free = np.zeros(theta.size)
    Loose.of(blocks, np.ones(len(blocks), dtype=np.bool_)).fill(weights, free)
    broken = rules.excess(free) > TOUCHES
    near = rules.equal | (rules.limits - value <= TOUCHES)
    least = PULLS * np.maximum(cases, 1e-300)
    pulls = np.isnan(pull) | (np.abs(pull) > least[block])
    return View(
        weights, theta, free, value, pull, broken, near & (pulls | broken),
        scales(bound.rows)[blocks.origin], block, ways(plan, priced.ruling), _grouped(rules.rule),
        curves_of(plan, priced.ruling, theta, free, least),
    )  # fmt: skip


def _grouped(labels: Ints) -> dict[int, Ints]:
    order = np.argsort(labels, kind="stable")
    kinds, first = np.unique(labels[order], return_index=True)
    parts = np.split(order, first[1:]) if kinds.size else []
    return {int(kind): part for kind, part in zip(kinds, parts, strict=True)}


def _status(bound: Bound, number: int, plan: Plan, view: View, toll: Toll) -> RuleStatus:
    at = view.instances.get(number, np.zeros(0, dtype=np.int64))
    lists = [each for each in plan.blocks.ratios if each.rule == number]
    binding = at[view.binding[at]] if _worth(toll, view) else at[:0]
    curves = view.curves.of(number)
    bending = curves[view.curves.binding[curves]] if _worth(toll, view) else curves[:0]
    pull = np.abs(np.concatenate([view.pull[binding], view.curves.pull[bending]]))
    where = [*view.block[at], *(each.block for each in lists), *view.curves.block[curves]]
    bent = lists if toll.alone is None or toll.alone > 0 else []
    return RuleStatus(
        **_said(bound.rules[number]),
        **(_shown(bound, plan, view, at, binding) if at.size else _bent(bound, view, curves)),
        binding=int(binding.size + bending.size) + sum(len(each.lists) - 1 for each in bent),
        price=None if lists or np.isnan(pull).any() else 0.01 * float(pull.sum()),
        cost=toll.cost,
        alone=toll.alone,
        solved_by="; ".join(dict.fromkeys(view.ways[block] for block in where)) or "always true",
        instances=int(at.size + curves.size) + sum(len(each.lists) - 1 for each in lists),
        freedom=toll.freedom,
        chance=toll.chance,
        at_least=toll.expected and (binding.size + bending.size > 0 or bool(lists)),
    )


def _worth(toll: Toll, view: View) -> bool:
    """Whether the rule costs anything, beside the others or alone; what is not known may."""
    least = 1e-11 * float(view.weights.sum())
    return any(nats is None or nats > least for nats in (toll.cost, toll.alone))


def _said(rule: Rule) -> dict[str, Any]:
    return {
        "text": str(rule),
        "by": rule.by,
        "confidence": rule.confidence,
        "source": rule.source,
        "line": rule.line,
    }


def _shown(bound: Bound, plan: Plan, view: View, at: Ints, binding: Ints) -> dict[str, Any]:
    """Value and limit of the instance that pulls most, or is nearest to its limit, as written."""
    rules = plan.blocks.rules
    if binding.size:
        one = int(binding[np.argmax(np.nan_to_num(np.abs(view.pull[binding])))])
    else:
        one = int(at[np.argmin(rules.limits[at] - view.value[at])])
    factors = rules.factors[rules.at[one] : rules.at[one + 1]]
    sign = -1.0 if (factors < 0).all() else float(rules.sign[one])
    if (factors > 0).all():
        sign = 1.0
    scale = sign * float(view.scale[one])
    value = scale * float(view.value[one])
    return {
        "value": value if abs(value) > 1e-12 * abs(scale) else 0.0,
        "limit": scale * float(rules.limits[one]),
        "dearest": instance(bound, int(plan.blocks.origin[one])) if at.size > 1 else "",
    }


def _bent(bound: Bound, view: View, curves: Ints) -> dict[str, Any]:
    """Value and limit of the instance of a curved rule that pulls most, or is nearest to it."""
    if not curves.size:
        return {"value": 0.0, "limit": 0.0}
    one = view.curves.dearest(curves)
    number = int(view.curves.number[one])
    value, limit = value_and_limit(bound, number, float(view.curves.gap[one]))
    texts = [each.text for part in bound.curved for each in part.instances]
    return {"value": value, "limit": limit, "dearest": texts[number] if curves.size > 1 else ""}
