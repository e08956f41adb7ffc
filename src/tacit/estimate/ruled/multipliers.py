"""Multipliers of rules: what the optimum gains per unit by which a limit is moved.

At the optimum  w / θ = Σ over sums and rules of multiplier · factor  in every cell with θ > 0. The
theorems and the general solver give the multipliers of their blocks; where a tree of splits was
enough, no inequality pulls and those of the equalities solve this linear system.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.estimate.ruled.plan import CLOSED, CURVED, GENERAL, Near, Plan, Ruling, solve
from tacit.knowledge.blocks import Blocks

_RIDGE = 1e-11
"""Rows that say the same twice share a multiplier, and keep the system regular."""


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """The optimum for these weights, and (rules,) what it would gain per unit of each limit."""

    weights: Floats
    ruling: Ruling
    pull: Floats


def priced(
    plan: Plan, weights: Floats, ruling: Ruling | None = None, near: Near | None = None
) -> Priced:
    """The optimum with its multipliers; `ruling` is it where it is known already."""
    found = solve(plan, weights, near=near) if ruling is None else ruling
    return Priced(weights, found, multipliers(plan, found, weights))


def multipliers(plan: Plan, ruling: Ruling, weights: Floats) -> Floats:
    """(rules,) d optimum / d limit in nats; nan in trees with ratios, which are not linear."""
    blocks = plan.blocks
    block = blocks.rule_block
    way = ruling.way[block]
    pull = np.zeros(len(blocks.rules))
    if (way == CLOSED).any():
        pull[way == CLOSED] = plan.closed.multipliers(weights)[way == CLOSED]
    if ruling.solution is not None:
        pull[way == GENERAL] = ruling.solution.multipliers[way == GENERAL]
    plain = blocks.rules.equal & (way < CLOSED)
    if plain.any():
        pull[plain] = _of_equalities(blocks, plain, weights, ruling.theta)
    for at, answer in ruling.answers.items():
        pull[blocks.rule_at[at] : blocks.rule_at[at + 1]] = answer.pull
    return np.asarray(np.where(plan.curved[block] & (way != CURVED), np.nan, pull))


def _of_equalities(blocks: Blocks, chosen: Bools, weights: Floats, theta: Floats) -> Floats:
    """The multipliers of these equalities, all blocks in one sparse system.

    Found by least squares and refined once; cells at 0 say nothing.
    """
    from scipy.sparse import coo_array, eye_array, vstack
    from scipy.sparse.linalg import splu

    rules = blocks.rules.chosen(np.flatnonzero(chosen))
    used = theta > 0
    slope = np.zeros(theta.size)
    slope[used] = weights[used] / theta[used]
    positions = np.arange(theta.size)
    sums = coo_array((used.astype(np.float64), (blocks.row, positions)))
    said = coo_array(
        (rules.factors * used[rules.cells], (rules.owner, rules.cells)),
        shape=(len(rules), theta.size),
    )
    matrix = vstack([sums, said]).tocsr()
    normal = (matrix @ matrix.T).tocsc()
    size = np.maximum(normal.diagonal(), 1.0)
    factor = splu((normal + _RIDGE * eye_array(size.size) * size.max()).tocsc())
    right = np.asarray(matrix @ slope)
    found = factor.solve(right)
    found += factor.solve(right - np.asarray(normal @ found))
    return np.asarray(found[sums.shape[0] :])
