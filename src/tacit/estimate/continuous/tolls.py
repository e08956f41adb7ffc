"""What became of rules about regressions: value, price and cost of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.continuous.ties import Squares, Tied, solve_block
from tacit.estimate.continuous.tying import Group, Linear, Member, Ties
from tacit.estimate.ruled.status import RuleStatus
from tacit.knowledge.slots import Row

WORTH = 1e-10
"""The least cost of a rule that bends the estimate, as a share of the cases."""
TOUCHES = 1e-7
"""How near to its limit an inequality holds with equality, in units of its own numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """A solution by slot and by row.

    numbers  (slots,) of all regressions that rules speak of
    pull     (rows,) what the objective would gain per unit of each limit as written
    """

    ties: Ties
    squares: Mapping[Member, Squares]
    solved: Sequence[Tied]
    numbers: Floats
    pull: Floats


def statuses(
    ties: Ties, squares: Mapping[Member, Squares], solved: Sequence[Tied], *, expected: bool = False
) -> tuple[RuleStatus, ...]:
    """What became of each rule at this optimum; `expected`: it rests on expected squares."""
    view = _view(ties, squares, solved)
    return tuple(_status(view, number, expected) for number in range(len(ties.bound.rules)))


def _view(ties: Ties, squares: Mapping[Member, Squares], solved: Sequence[Tied]) -> _View:
    numbers = np.full(ties.bound.slots.size, np.nan)
    pull = np.zeros(len(ties.bound.rows))
    for group, found in zip(ties.groups, solved, strict=True):
        for member, beta, variance in zip(group.members, found.betas, found.variances, strict=True):
            numbers[ties.bound.slots.of_regression(*member)] = np.append(beta, variance)
        _collect(ties, group.means, found.mean_pull, numbers, pull)
        _collect(ties, group.noise, found.noise_pull, numbers, pull)
    return _View(ties, squares, solved, numbers, pull)


def _collect(ties: Ties, linear: Linear, own: Floats, numbers: Floats, pull: Floats) -> None:
    """The pulls of rows, per unit of the limits that the rules name."""
    for at, rate, each in zip(linear.at.tolist(), linear.rate, own, strict=True):
        if at >= 0:
            row = ties.bound.rows[at]
            up = int(np.argmax(row.factors))
            ratio = 1 / (row.factors[up] * numbers[row.slots[up]]) if np.isnan(rate) else rate
            pull[at] = each * ratio


def _status(view: _View, number: int, expected: bool) -> RuleStatus:
    rule, rows = view.ties.bound.rules[number], view.ties.bound.rows
    mine = [at for at, row in enumerate(rows) if row.rule == number]
    groups = [at for at, group in enumerate(view.ties.groups) if _names(group, mine)]
    cost = _cost(view, number, groups)
    alone, freedom, unequal = _alone(view, number, groups)
    weight = sum(view.squares[m].divisor for at in groups for m in view.ties.groups[at].members)
    worth = max(cost, alone) > WORTH * weight
    binding = [at for at in mine if worth and _binds(view, rows[at], at)]
    return RuleStatus(
        text=str(rule), by=rule.by, confidence=rule.confidence, source=rule.source, line=rule.line,
        **_shown(view, mine, binding),
        binding=len(binding),
        price=0.01 * float(sum(_price(view, at) for at in binding)),
        cost=cost, alone=alone, freedom=freedom, chance=_chance(alone, freedom, unequal),
        solved_by="; ".join(dict.fromkeys(_way(view.ties.groups[at]) for at in groups))
        or "always true",
        instances=len(mine),
        at_least=expected and bool(binding),
    )  # fmt: skip


def _names(group: Group, rows: Sequence[int]) -> bool:
    return bool(np.isin(group.means.at, rows).any() or np.isin(group.noise.at, rows).any())


def _binds(view: _View, row: Row, at: int) -> bool:
    off = abs(float(row.factors @ view.numbers[row.slots]) - row.limit)
    size = max(abs(row.limit), float(np.abs(row.factors * view.numbers[row.slots]).max()), 1e-300)
    return off <= TOUCHES * size and (row.equal or view.pull[at] > 0)


def _price(view: _View, at: int) -> float:
    """Per unit of the limit where the largest coefficient is 1."""
    return abs(float(view.pull[at])) * float(np.abs(view.ties.bound.rows[at].factors).max())


def _cost(view: _View, number: int, groups: Sequence[int]) -> float:
    """What the objective gains without the rule, all others kept."""
    total = 0.0
    for at in groups:
        fewer = view.ties.groups[at].only(view.ties.rules, number, others=True)
        total += solve_block(fewer.block(view.squares)).value - view.solved[at].value
    return max(0.0, total)


def _alone(view: _View, number: int, groups: Sequence[int]) -> tuple[float, int, int]:
    """What the rule alone would cost, the freedom it takes then, and how many inequalities of it
    bind."""
    total, freedom, unequal = 0.0, 0, 0
    for at in groups:
        group, rules = view.ties.groups[at], view.ties.rules
        free = group.only(rules, len(view.ties.bound.rules), others=False).block(view.squares)
        only = group.only(rules, number, others=False)
        held = solve_block(only.block(view.squares))
        total += solve_block(free).value - held.value
        for linear, pull in ((only.means, held.mean_pull), (only.noise, held.noise_pull)):
            tight = (linear.at >= 0) & (linear.equal | (pull > 0))
            if tight.any():
                freedom += int(np.linalg.matrix_rank(linear.rows[tight]))
            unequal += int((tight & ~linear.equal).sum())
    return max(0.0, total), freedom, unequal


def _chance(alone: float, freedom: int, unequal: int) -> float | None:
    """Twice the loss is χ² with so many degrees, half as likely for a single inequality."""
    if freedom < 1:
        return None
    from scipy.special import chdtrc

    half = 0.5 if freedom == unequal == 1 else 1.0
    return half * float(chdtrc(freedom, 2 * alone))


def _shown(view: _View, mine: Sequence[int], binding: Sequence[int]) -> dict[str, Any]:
    """Value and limit of the instance that pulls most, or is nearest to its limit, as written."""
    if not mine:
        return {"value": 0.0, "limit": 0.0}
    rows = view.ties.bound.rows
    off = [rows[at].limit - float(rows[at].factors @ view.numbers[rows[at].slots]) for at in mine]
    one = mine[int(np.argmin(np.abs(off)))]
    if binding:
        one = max(binding, key=lambda at: abs(view.pull[at]))
    row = rows[one]
    sign = -1.0 if (row.factors < 0).all() else 1.0 if (row.factors > 0).all() else float(row.sign)
    value = sign * float(row.factors @ view.numbers[row.slots])
    size = float(np.abs(row.factors * view.numbers[row.slots]).max())
    return {
        "value": value if abs(value) > 1e-12 * size else 0.0,
        "limit": sign * row.limit,
        "dearest": view.ties.bound.instance(row) if len(mine) > 1 else "",
    }


def _way(group: Group) -> str:
    """How a group was solved, in words."""
    means, noise = group.means, group.noise
    if group.joins:
        return "quadratic programs and variances in turn"
    if not means.at.size:
        return "pooled variances" if noise.equal.all() else "convex program of log variances"
    if (~means.equal).any():
        return "quadratic program"
    shared = ((means.rows != 0).sum(axis=1) == 2) & (means.limits == 0)
    if shared.all():
        return "Theorem 6.1.1, least squares on abstracted parents"
    return "least squares under equalities"
