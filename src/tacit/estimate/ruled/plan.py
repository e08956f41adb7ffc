"""How every row that rules speak of is estimated: compiled once, solved as often as needed.

maximise  Σ w log θ   over the rows that rules name, subject to the rules.

A block whose equalities form a tree of splits is solved by that tree; if the result obeys the
block's inequalities as well, it is the optimum, since it is the optimum of a larger set. Otherwise
an inequality with a closed form is solved by it, and everything else by the general solver.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dag import Dag
from tacit.core.errors import EstimateError
from tacit.estimate.curved.component import Answer, Component
from tacit.estimate.curved.functions import functions_of
from tacit.estimate.curved.report import EdgeError, NoPointError
from tacit.estimate.ruled.bends import Bends, Parts, ready, said_of
from tacit.estimate.ruled.general import General, Solution
from tacit.estimate.ruled.impossible import ImpossibleEvidenceError
from tacit.estimate.ruled.inequalities import Closed, closed
from tacit.estimate.ruled.loose import Limits, Loose
from tacit.estimate.ruled.recognise import recognise
from tacit.estimate.ruled.splits import Forest, Tree
from tacit.knowledge.blocks import Block, Blocks, blocks_of
from tacit.knowledge.bound import Bound
from tacit.knowledge.conflicts import conflict_error, conflicts_of
from tacit.knowledge.polytope import Interior, relative_interior

TREE, CLOSED, GENERAL, CURVED = range(4)
"""The ways to solve a block."""
STARTS = 20
"""Climbs under curved rules, from as many starts."""
FEW = 3
"""The same where a good answer is at hand, or many problems are solved."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The blocks, and the ways to solve them.

    forest     the blocks whose equalities are trees of splits; loose: those without equalities
    trees      (blocks,) the equalities are a tree of splits, or there are none
    formulas   (blocks,) the inequalities have a closed form
    curved     (blocks,) there are ratios, which are not linear
    bends      what else is not linear, block by block
    unequal    (blocks,) there are inequalities; `limits` are they
    block      (positions,) the block of each position
    kinds      the trees in words, by block
    zeros      positions that the rules hold at 0
    """

    blocks: Blocks
    forest: Forest
    loose: Loose
    trees: Bools
    closed: Closed
    formulas: Bools
    general: General | None
    curved: Bools
    bends: Bends
    unequal: Bools
    limits: Limits
    block: Ints
    kinds: Mapping[int, str]
    zeros: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Ruling:
    """The most likely rows under the rules, over the positions of the plan's blocks.

    way       (blocks,) TREE, CLOSED, GENERAL or CURVED
    solution  of the general solver, where the next one can start
    answers   under curved rules, by block
    """

    theta: Floats
    way: Ints
    solution: Solution | None = None
    answers: Mapping[int, Answer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """Where the search under curved rules starts.

    theta  tables that keep the rules, over the positions of the blocks; the answer is no worse
    count  further starts
    wide   whether these are tried even if the way from `theta` ends in a maximum
    second whether another optimiser is asked then
    """

    theta: Floats | None = None
    count: int = STARTS
    wide: bool = True
    second: bool = True


def compile_plan(bound: Bound, dag: Dag | None = None) -> Plan:
    """The ways to solve all blocks; an error about linear rules that conflict.

    dag: of the network, which rules about events need; that of the tables if it is not given
    """
    network = _dag_of(bound) if dag is None else dag
    functions = functions_of(bound, network) if bound.curved else None
    blocks = blocks_of(bound, together=() if functions is None else functions.touched)
    inside = relative_interior(blocks)
    if not inside.feasible.all():
        raise conflict_error(*conflicts_of(bound, blocks, np.flatnonzero(~inside.feasible)))
    said = said_of(bound, blocks, functions, network)
    parts = {at: (each.placed(bound.cells.size),) for at, each in said.items()}
    plan = compile_blocks(blocks, inside, parts)
    return replace(plan, bends=replace(plan.bends, said=said))


def _dag_of(bound: Bound) -> Dag:
    families = bound.cells.families
    return Dag({name: tuple(axis.name for axis in axes[:-1]) for name, axes in families.items()})


def compile_blocks(
    blocks: Blocks, inside: Interior | None = None, parts: Mapping[int, Parts] | None = None
) -> Plan:
    """Every block recognised: tree, closed form, or neither.

    inside  what the rules force; without it no weight may stand where they force 0
    parts   the curved rules of blocks that have any
    """
    owner = blocks.rule_block
    curved = np.zeros(len(blocks), dtype=np.bool_)
    curved[[each.block for each in blocks.ratios]] = True
    tied = curved.copy()
    tied[owner[blocks.rules.equal]] = True
    trees = {at: recognise(_equalities(blocks[at])) for at in np.flatnonzero(tied).tolist()}
    known = ~tied
    known[[at for at, tree in trees.items() if tree is not None]] = True
    found = closed(blocks)
    formulas = np.zeros(len(blocks), dtype=np.bool_)
    formulas[found.blocks] = True
    unequal = np.zeros(len(blocks), dtype=np.bool_)
    unequal[owner[~blocks.rules.equal]] = True
    rest = np.flatnonzero(~(known & ~unequal) & ~formulas & ~curved)
    bent = {} if parts is None else parts
    ratios = np.flatnonzero(curved & ~(known & ~unequal)).tolist()
    return Plan(
        blocks=blocks,
        forest=_planted(trees, blocks),
        loose=Loose.of(blocks, ~tied),
        trees=known,
        closed=found,
        formulas=formulas,
        general=General.of(blocks, rest, inside) if rest.size else None,
        curved=curved,
        bends=ready(blocks, bent, sorted({*bent, *ratios}), inside),
        unequal=unequal,
        limits=Limits.of(blocks, owner),
        block=blocks.cell_block,
        kinds={at: tree.kind for at, tree in trees.items() if tree is not None},
        zeros=np.flatnonzero(inside.zero) if inside is not None else rest[:0],
    )


def _equalities(block: Block) -> Block:
    return Block(block.row, block.rules.chosen(np.flatnonzero(block.rules.equal)), block.ratios)


def _planted(trees: Mapping[int, Tree | None], blocks: Blocks) -> Forest:
    grown = [(at, tree) for at, tree in trees.items() if tree is not None]
    spans = [np.arange(blocks.cell_at[at], blocks.cell_at[at + 1]) for at, _ in grown]
    return Forest.of([tree for _, tree in grown], spans, int(blocks.cell_at[-1]))


def solve(
    plan: Plan,
    weights: Floats,
    before: Ruling | None = None,
    threads: int = 1,
    *,
    prove: bool = True,
    near: Near | None = None,
) -> Ruling:
    """The most likely rows under the rules; weights and rows over the positions of the blocks.

    before  the ruling of similar weights, from which the general solver starts
    prove   whether it gives a certificate and multipliers, which a step of EM can do without
    near    tables that keep the rules, where the search under curved rules starts
    """
    if plan.zeros.size and (impossible := weights[plan.zeros] > 0).any():
        raise ImpossibleEvidenceError(plan.zeros[impossible])
    found = _straight(plan, weights, before, threads, prove)
    if not plan.bends.components:
        return found
    return _bent(plan, weights, found, near or Near(), {} if before is None else before.answers)


def _straight(
    plan: Plan, weights: Floats, before: Ruling | None, threads: int, prove: bool
) -> Ruling:
    """The optimum under linear rules and ratios; blocks marked CURVED have no such way."""
    theta = plan.forest.most_likely(weights)
    plan.loose.fill(weights, theta)
    open_ = plan.limits.broken(theta)
    open_ |= ~plan.trees
    if not open_.any():
        return Ruling(theta, np.zeros(open_.size, dtype=np.int64))
    plan.closed.fill(weights, theta, open_)
    others = np.where(plan.curved, CURVED, np.where(plan.formulas, CLOSED, GENERAL))
    way = np.where(open_, others, TREE)
    rest = way == GENERAL
    if not rest.any() or plan.general is None:
        return Ruling(theta, way)
    start = before.solution if before is not None else None
    found = plan.general.solve(weights, start, threads, only=rest, prove=prove)
    inside = rest[plan.block]
    theta[inside] = found.theta[inside]
    return Ruling(theta, way, found)


def _bent(
    plan: Plan, weights: Floats, found: Ruling, near: Near, last: Mapping[int, Answer]
) -> Ruling:
    """Blocks whose curved rules the optimum under the others does not keep, by Newton's method.

    Where it keeps them it is the optimum, since it is the optimum of a larger set.
    """
    bent = plan.bends.broken(plan.blocks, found.theta) | (found.way == CURVED)
    theta, way, answers = found.theta.copy(), found.way.copy(), {}
    for at in np.flatnonzero(bent).tolist():
        span = slice(plan.blocks.cell_at[at], plan.blocks.cell_at[at + 1])
        start = None if near.theta is None else near.theta[span]
        try:
            answer = _climbed(plan.bends.components[at], weights[span], start, near, last.get(at))
        except (NoPointError, EdgeError) as error:
            error.block = at
            raise
        theta[span], way[at], answers[at] = answer.theta, CURVED, answer
    return Ruling(theta, way, found.solution, answers)


def _climbed(
    component: Component, weights: Floats, start: Floats | None, near: Near, last: Answer | None
) -> Answer:
    if start is None or near.wide:
        return component.solve(weights, start, near.count, second=near.second)
    return component.improve(weights, start, last)


def ways(plan: Plan, ruling: Ruling) -> tuple[str, ...]:
    """How each block was solved, in words."""
    formulas = dict(zip(plan.closed.blocks.tolist(), plan.closed.kinds, strict=True))
    said = []
    for at, way in enumerate(ruling.way.tolist()):
        if way == CURVED:
            said.append(f"Newton on the KKT system ({ruling.answers[at].report.kind})")
        elif way == GENERAL:
            said.append("general solver (interior point)")
        elif way == CLOSED:
            said.append(formulas[at])
        elif plan.unequal[at] or at in plan.bends.stated:
            said.append(f"{plan.kinds.get(at, 'counting')}, no inequality binds")
        else:
            said.append(plan.kinds.get(at, "free rows"))
    return tuple(said)


def log_evidence(plan: Plan, alpha: Floats, counts: Floats) -> float | None:
    """Log marginal likelihood of the ruled rows; None where it has no closed form."""
    if plan.unequal.any() or plan.bends.stated or not plan.trees.all():
        return None
    try:
        return float(plan.forest.log_evidence(alpha, counts).sum())
    except EstimateError:  # the prior is improper on the shared cells
        return None
