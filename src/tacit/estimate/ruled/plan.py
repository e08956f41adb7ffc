"""How every row that rules speak of is estimated: compiled once, solved as often as needed.

maximise  Σ w log θ   over the rows that rules name, subject to the rules.

A block whose equalities form a tree of splits is solved by that tree; if the result obeys the
block's inequalities as well, it is the optimum, since it is the optimum of a larger set. Otherwise
an inequality with a closed form is solved by it, and everything else by the general solver.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.errors import EstimateError, KnowledgeError
from tacit.estimate.ruled.general import General, Solution
from tacit.estimate.ruled.impossible import ImpossibleEvidenceError
from tacit.estimate.ruled.inequalities import Closed, closed
from tacit.estimate.ruled.recognise import recognise
from tacit.estimate.ruled.splits import Forest, Tree
from tacit.knowledge.blocks import Block, Blocks, blocks_of
from tacit.knowledge.bound import Bound
from tacit.knowledge.conflicts import conflict_error, conflicts_of
from tacit.knowledge.polytope import Interior, relative_interior
from tacit.knowledge.wording import place

TREE, CLOSED, GENERAL = range(3)
"""The ways to solve a block."""
HOLDS = 1e-12
"""A rule missed by less holds."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The blocks, and the ways to solve them.

    forest     the blocks whose equalities are trees of splits; loose: those without equalities
    trees      (blocks,) the equalities are a tree of splits, or there are none
    formulas   (blocks,) the inequalities have a closed form
    curved     (blocks,) there are ratios, which are not linear
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
    unequal: Bools
    limits: Limits
    block: Ints
    kinds: Mapping[int, str]
    zeros: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Loose:
    """Rows that no equality speaks of: each is divided as its weights are, evenly without any.

    positions, row  of their cells; rows are numbered 0, 1, ... and `even` is one over their length
    """

    positions: Ints
    row: Ints
    even: Floats

    @staticmethod
    def of(blocks: Blocks, which: Bools) -> Loose:
        """The rows of these blocks."""
        positions = np.flatnonzero(np.repeat(which, np.diff(blocks.cell_at)))
        _, row = np.unique(blocks.row[positions], return_inverse=True)
        return Loose(positions, row, 1.0 / np.bincount(row)[row])

    def fill(self, weights: Floats, theta: Floats) -> None:
        """Write the most likely rows to their positions. [Thm 2.2.1]"""
        held = weights[self.positions]
        totals = np.bincount(self.row, held)[self.row]
        empty = totals <= 0
        shares = held / np.where(empty, 1.0, totals)
        theta[self.positions] = np.where(empty, self.even, shares)


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """The inequalities of all blocks, ready to be looked at often.

    cells, factors, owner  entry by entry; owner is the inequality
    tops                   (inequalities,) the limit, with what rounding may add
    block                  (inequalities,) the block of each
    """

    cells: Ints
    factors: Floats
    owner: Ints
    tops: Floats
    block: Ints
    blocks: int

    @staticmethod
    def of(blocks: Blocks, block: Ints) -> Limits:
        """The inequalities of these blocks; `block` is that of every rule."""
        which = np.flatnonzero(~blocks.rules.equal)
        rules = blocks.rules.chosen(which)
        tops = rules.limits + HOLDS
        return Limits(rules.cells, rules.factors, rules.owner, tops, block[which], len(blocks))

    def broken(self, theta: Floats) -> Bools:
        """(blocks,) whether an inequality of the block does not hold."""
        found = np.zeros(self.blocks, dtype=np.bool_)
        if self.tops.size:
            values = np.bincount(self.owner, self.factors * theta[self.cells], self.tops.size)
            found[self.block[values > self.tops]] = True
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Ruling:
    """The most likely rows under the rules, over the positions of the plan's blocks.

    way       (blocks,) TREE, CLOSED or GENERAL
    solution  of the general solver, where the next one can start
    """

    theta: Floats
    way: Ints
    solution: Solution | None = None


class RatioError(EstimateError):
    """Blocks in which ratios and inequalities that bind meet; `blocks` lists them."""

    def __init__(self, blocks: Ints) -> None:
        self.blocks = blocks
        super().__init__(
            "ratios and inequalities of the same rows, which bind, have no closed form"
        )


def compile_plan(bound: Bound) -> Plan:
    """The ways to solve all blocks; an error about rules that conflict or that no way leads to."""
    if bound.products:
        raise not_linear(bound, bound.products[0].rule)
    blocks = blocks_of(bound)
    inside = relative_interior(blocks)
    if not inside.feasible.all():
        raise conflict_error(*conflicts_of(bound, blocks, np.flatnonzero(~inside.feasible)))
    plan = compile_blocks(blocks, inside)
    for each in plan.blocks.ratios:
        if not plan.trees[each.block]:
            raise not_linear(bound, each.rule)
    return plan


def not_linear(bound: Bound, rule: int) -> KnowledgeError:
    """The error about a rule that is not linear and no part of a tree of splits."""
    said = bound.rules[rule]
    where = f"{place(said)}: " if said.source else ""
    if any(each.rule == rule for each in bound.products):
        return KnowledgeError(
            f"{where}product synergy is not linear in the probabilities, and no fit can hold it"
            f"\n\n    {said}\n\nadditive synergy is linear: say that instead, or leave it out"
        )
    return KnowledgeError(
        f"{where}this rule on ratios is not linear in the probabilities, and with the rules beside "
        f"it no closed form holds\n\n    {said}\n\n"
        "ratios can be estimated where lists of cells are multiples of each other and no other "
        "rule of the same rows cuts through these lists"
    )


def compile_blocks(blocks: Blocks, inside: Interior | None = None) -> Plan:
    """Every block recognised: tree, closed form, or neither.

    inside: what the rules force; without it no weight may stand where they force 0
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
    return Plan(
        blocks=blocks,
        forest=_planted(trees, blocks),
        loose=Loose.of(blocks, ~tied),
        trees=known,
        closed=found,
        formulas=formulas,
        general=General.of(blocks, rest, inside) if rest.size else None,
        curved=curved,
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
) -> Ruling:
    """The most likely rows under the rules; weights and rows over the positions of the blocks.

    before  the ruling of similar weights, from which the general solver starts
    prove   whether it gives a certificate and multipliers, which a step of EM can do without
    """
    if plan.zeros.size and (impossible := weights[plan.zeros] > 0).any():
        raise ImpossibleEvidenceError(plan.zeros[impossible])
    theta = plan.forest.most_likely(weights)
    plan.loose.fill(weights, theta)
    open_ = plan.limits.broken(theta)
    open_ |= ~plan.trees
    if not open_.any():
        return Ruling(theta, np.zeros(open_.size, dtype=np.int64))
    plan.closed.fill(weights, theta, open_)
    way = np.where(open_, np.where(plan.formulas, CLOSED, GENERAL), TREE)
    rest = open_ & ~plan.formulas
    if not rest.any():
        return Ruling(theta, way)
    if (rest & plan.curved).any() or plan.general is None:
        raise RatioError(np.flatnonzero(rest & plan.curved))
    start = before.solution if before is not None else None
    found = plan.general.solve(weights, start, threads, only=rest, prove=prove)
    inside = rest[plan.block]
    theta[inside] = found.theta[inside]
    return Ruling(theta, way, found)


def ways(plan: Plan, ruling: Ruling) -> tuple[str, ...]:
    """How each block was solved, in words."""
    formulas = dict(zip(plan.closed.blocks.tolist(), plan.closed.kinds, strict=True))
    said = []
    for at, way in enumerate(ruling.way.tolist()):
        if way == GENERAL:
            said.append("general solver (interior point)")
        elif way == CLOSED:
            said.append(formulas[at])
        elif plan.unequal[at]:
            said.append(f"{plan.kinds.get(at, 'counting')}, no inequality binds")
        else:
            said.append(plan.kinds.get(at, "free rows"))
    return tuple(said)


def posterior_mean(plan: Plan, alpha: Floats) -> Floats:
    """The mean of the constrained Dirichlet with these parameters, where splits give it."""
    _refuse_without_splits(plan, "the posterior mean")
    return plan.forest.mean(alpha)


def log_evidence(plan: Plan, alpha: Floats, counts: Floats) -> float | None:
    """Log marginal likelihood of the ruled rows; None where it has no closed form."""
    if plan.unequal.any() or not plan.trees.all():
        return None
    try:
        return float(plan.forest.log_evidence(alpha, counts).sum())
    except EstimateError:  # the prior is improper on the shared cells
        return None


def _refuse_without_splits(plan: Plan, what: str) -> None:
    if plan.unequal.any() or not plan.trees.all():
        raise EstimateError(
            f"{what} under these rules has no closed form: inequalities, or equalities that are no "
            "tree of splits\n\nuse estimate=tc.Smoothed(), which maximises Σ (N + alpha) log θ "
            "under the rules"
        )
