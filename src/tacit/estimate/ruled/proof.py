"""The proof that a fit under rules is the optimum, whatever way it was solved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.estimate.ruled.certificate import certificate
from tacit.estimate.ruled.multipliers import Priced
from tacit.estimate.ruled.plan import CURVED, Plan


@dataclass(frozen=True, slots=True)
class Proof:
    """How far the estimate under rules can be from the optimum; all of it 0 if it is exact.

    blocks  how many blocks of rows were proven; those with ratios are not linear and left out
    local   how many others are local maxima under curved rules, of which nothing is proven
    primal  by how much a rule or the sum of a row is missed at most
    dual    by how much the KKT conditions are missed at most, as a share of a block's cases
    gap     in nats: no tables that keep the rules have an objective higher by more than this
    """

    blocks: int
    primal: float
    dual: float
    gap: float
    local: int = 0


def proof_of(plan: Plan, priced: Priced) -> Proof:
    """The most likely rows under the rules held against the KKT conditions, block by block.

    The multiplier of the sum of a row follows from those of the rules: Σ over its cells of
    w - θ · (what the rules say there), since θ v = w in every cell.
    """
    blocks, rules = plan.blocks, plan.blocks.rules
    weights, theta, pull = priced.weights, priced.ruling.theta, np.nan_to_num(priced.pull)
    said = np.bincount(rules.cells, rules.factors * pull[rules.owner], minlength=theta.size)
    row = np.asarray(np.bincount(blocks.row, weights - theta * said), dtype=np.float64)
    found = certificate(blocks, weights, theta, row, pull)
    bent = priced.ruling.way == CURVED
    linear, local = ~plan.curved & ~bent, int(bent.sum())
    if not linear.any():
        return Proof(0, 0.0, 0.0, 0.0, local)
    primal, dual = float(found.primal[linear].max()), float(found.dual[linear].max())
    return Proof(int(linear.sum()), primal, dual, float(found.gap[linear].sum()), local)
