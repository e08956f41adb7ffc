"""Fitness of a fragment under the rules of the table it is borrowed for."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.bayes.constants import log_evidence
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.ruled.splits import ImproperError
from tacit.estimate.transfer.choosing import Weigher
from tacit.estimate.transfer.fitness import compared_under
from tacit.learn.borrowing import Target
from tacit.learn.ground import ground_of, row_starts, said_of

FEW = Sampling(draws=400, precision=None, most=2_000)


def guided(target: Target, name: str) -> Weigher:
    """ln BF of one common table under the rules that speak of this table alone. [EXT-5]"""
    bound = target.bound
    assert bound is not None
    block = bound.cells.block(name).ravel()
    outside = ~np.isin(bound.rows.cells, block)
    reach = np.bincount(bound.rows.owner, outside, len(bound.rows)) > 0
    inner = np.setdiff1d(np.arange(len(bound.rules)), bound.rows.rule[reach])
    ground = ground_of(said_of(bound, block, inner), row_starts(bound, block))
    cells = ground.blocks.cells - block[0]
    alpha = compared_under(target.alpha[name]).ravel()[cells]
    own = target.counts[name].ravel()[cells]
    pooled = _pools(alpha, ground.forest)
    exact = Exact.of(ground.blocks, ground.inside, Density(alpha, pooled=pooled))

    def weight(counts: Floats) -> float:
        found = log_evidence(
            ground.blocks, exact, alpha, counts, FEW, 0, pooled=pooled, inside=ground.inside
        )
        return float(found.value.sum())

    alone = weight(own)

    def weigh(counts: Floats) -> float:
        theirs = counts.ravel()[cells]
        return weight(own + theirs) - weight(theirs) - alone

    return weigh


def _pools(alpha: Floats, forest: object) -> bool:
    from tacit.estimate.ruled.splits import Forest

    if not isinstance(forest, Forest):
        return False
    try:
        forest.parameters(alpha)
    except ImproperError:
        return True
    return False
