"""Which way a block is drawn: by its gammas, or along chords."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools
from tacit.core.errors import EstimateError
from tacit.estimate.bayes.chains import Chains, worth
from tacit.estimate.bayes.chords import Along, Polytope, along
from tacit.estimate.bayes.cone import cone_of
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.gammas import Gammas, gammas
from tacit.estimate.bayes.page import per_chain
from tacit.estimate.ruled.recognise import recognise
from tacit.estimate.ruled.splits import ImproperError
from tacit.knowledge.blocks import Block, Blocks
from tacit.knowledge.polytope import Interior
from tacit.knowledge.rows import Rows, stacked

if TYPE_CHECKING:
    from tacit.kernels.chance import State
    from tacit.kernels.records import Record

_SLOW = 0.02
"""Effective draws per plain sweep of gammas below which chords are tried."""
_TRIAL = 200


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What is drawn, and how."""

    blocks: Blocks
    density: Density
    settings: Sampling
    seed: int
    inside: Interior


def chains_of(problem: Problem, number: int) -> Chains:
    """Chains of one block that have warmed up, with an empty record."""
    from tacit.kernels.chance import seeded
    from tacit.kernels.records import record_for

    blocks, settings = problem.blocks, problem.settings
    first = int(blocks.cell_at[number])
    block, density = blocks[number], _part(problem, number)
    polytope = _polytope(problem, number, block)
    key = int(blocks.cells[first])
    states = np.array([seeded(problem.seed, key, chain) for chain in range(settings.chains)])
    record = record_for(polytope.point.copy(), settings.chains, per_chain(settings))
    try:
        return _started(block, polytope, density, states, record)
    except ImproperError as error:
        error.positions = error.positions + first
        raise


def _started(
    block: Block, polytope: Polytope, density: Density, states: State, record: Record
) -> Chains:
    """By its gammas where the equalities of a Dirichlet are a tree of splits, else along chords."""
    equal = Block(block.row, polytope.equal, block.ratios)
    tree = recognise(equal) if density.dirichlet else None
    if tree is not None:
        cone = cone_of(tree, polytope.rules, density.alpha, pooled=density.pooled)
        found = gammas(tree, cone, polytope.point, states, record)
        tied = block.ratios or (density.pooled and len(polytope.equal))
        if found.gain * cone.shape.size > _SLOW or tied:
            return found
        return _faster(found, along(polytope, density, states, record))
    if block.ratios:
        raise EstimateError(
            "rules on ratios are not linear in the probabilities, and with this density or the "
            "rules beside them their posterior cannot be drawn\n\nleave out the ratios, or take a "
            "Dirichlet prior and no other rule that cuts through their lists"
        )
    return along(polytope, density, states, record)


def _faster(one: Gammas, two: Along) -> Chains:
    """Whichever draws more per unit of work, as a short trial tells."""
    return two if worth(two, _TRIAL) / two.work > one.gain else one


def _part(problem: Problem, number: int) -> Density:
    """The density of one block."""
    at = slice(int(problem.blocks.cell_at[number]), int(problem.blocks.cell_at[number + 1]))
    density = problem.density
    return replace(
        density,
        alpha=density.alpha[at],
        misses=None if density.misses is None else density.misses[at],
        centre=None if density.centre is None else density.centre[at],
        spread=None if density.spread is None else density.spread[at],
    )


def _polytope(problem: Problem, number: int, block: Block) -> Polytope:
    """A block with all that holds with equality among its equalities."""
    blocks, inside = problem.blocks, problem.inside
    at = slice(int(blocks.cell_at[number]), int(blocks.cell_at[number + 1]))
    rules = slice(int(blocks.rule_at[number]), int(blocks.rule_at[number + 1]))
    if not inside.feasible[number]:
        raise EstimateError("no table obeys all rules of these rows, and none can be drawn")
    held = block.rules.equal | inside.tight[rules]
    zero = inside.zero[at]
    equal = block.rules.chosen(np.flatnonzero(held))
    if inside.tight[rules].any() or zero.any():
        equal = stacked([replace(equal, equal=np.ones(len(equal), dtype=np.bool_)), _zeros(zero)])
    return Polytope(
        block.row, equal, block.rules.chosen(np.flatnonzero(~held)), zero, inside.point[at]
    )


def _zeros(zero: Bools) -> Rows:
    """θ = 0 for each of these cells."""
    cells = np.flatnonzero(zero)
    many, nothing = np.ones(cells.size), np.zeros(cells.size, dtype=np.int64)
    return Rows(np.arange(cells.size + 1), cells, many, 0.0 * many, many > 0, nothing, nothing + 1)
