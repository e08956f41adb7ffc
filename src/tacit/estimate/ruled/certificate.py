"""The proof that tables are the most likely ones: residuals and duality gap, computed afresh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.knowledge.blocks import Blocks


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """One number per block; all are 0 at an exact optimum.

    primal  by how much a rule, the sum of a row, or a cell's sign is missed
    dual    by how much w = θ v, v >= 0 and λ (h - G θ) = 0 are missed, as a share of Σ w
    gap     in nats: no tables that keep the rules are more likely by more than this
    """

    primal: Floats
    dual: Floats
    gap: Floats


def certificate(
    blocks: Blocks, weights: Floats, theta: Floats, row: Floats, rule: Floats
) -> Certificate:
    """Hold tables and multipliers (of rows and of rules) against the blocks as they were given.

    With v = A'y + G'λ >= 0 the Lagrangian bounds the objective from above by
    Σ (w log(w/v) - w) + Σ y + λ'h. At the optimum v = w/θ >= w; what it misses of that is added to
    the multiplier of its row first, so the bound holds whatever the multipliers are. The gap is
    written as a sum of terms that are all >= 0, so that nothing cancels.
    """
    block = blocks.cell_block
    rule_block = blocks.rule_block
    prices = np.where(blocks.rules.equal, rule, np.maximum(rule, 0.0))
    reduced = reduced_costs(blocks, row, prices)
    lacking = most(weights - reduced, blocks.row, row.size)
    sums = np.bincount(blocks.row, theta, minlength=row.size)
    slack = blocks.rules.limits - blocks.rules.values(theta)
    row_block = np.repeat(np.arange(len(blocks)), np.diff(blocks.row_at))
    totals = np.bincount(block, weights, minlength=len(blocks))
    scale = np.where(totals > 0, totals, 1.0)
    primal = np.maximum.reduce([
        most(np.abs(sums - 1.0), row_block, len(blocks)),
        most(blocks.rules.excess(theta), rule_block, len(blocks)),
        most(-theta, block, len(blocks)),
    ])  # fmt: skip
    dual = np.maximum.reduce([
        most(np.abs(theta * reduced - weights), block, len(blocks)),
        most(-reduced, block, len(blocks)),
        most(np.where(blocks.rules.equal, 0.0, np.abs(rule * slack)), rule_block, len(blocks)),
        most(np.where(blocks.rules.equal, 0.0, -rule), rule_block, len(blocks)),
    ])  # fmt: skip
    gap = np.bincount(block, _missing(weights, theta * (reduced + lacking[blocks.row])),
                      minlength=len(blocks))  # fmt: skip
    gap += np.bincount(rule_block, np.abs(prices * slack), minlength=len(blocks))
    gap += np.bincount(row_block, np.abs((row + lacking) * (1 - sums)), minlength=len(blocks))
    return Certificate(primal, dual / scale, np.asarray(gap, dtype=np.float64))


def reduced_costs(blocks: Blocks, row: Floats, rule: Floats) -> Floats:
    """v = A'y + G'λ for every position."""
    rules = blocks.rules
    along = np.bincount(rules.cells, rules.factors * rule[rules.owner], blocks.cells.size)
    return np.asarray(row[blocks.row] + along)


def most(values: Floats, labels: Ints, kinds: int) -> Floats:
    """The largest value of each kind, 0 if there is none above."""
    found = np.zeros(kinds)
    np.maximum.at(found, labels, values)
    return found


def _missing(weights: Floats, products: Floats) -> Floats:
    """θv - w - w log(θv/w), which is >= 0 and 0 only where θv = w."""
    seen = weights > 0
    excess = np.where(seen, products / np.where(seen, weights, 1.0) - 1.0, 0.0)
    with np.errstate(divide="ignore"):
        return np.where(seen, weights * (excess - np.log1p(excess)), products)
