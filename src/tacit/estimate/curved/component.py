"""One block of rows under curved rules, made ready once to be solved often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.errors import SizeError
from tacit.estimate.curved.problem import Functions, Placed, Problem, independent
from tacit.estimate.curved.report import CurvedReport, EdgeError, NoPointError
from tacit.estimate.curved.solver import improve, solve_curved
from tacit.knowledge.blocks import Block
from tacit.knowledge.polytope import Interior

MOST_CELLS = 3000
"""Cells of a block up to which the KKT system, which is dense, fits well into memory."""
GONE = 1e-6
"""A cell with evidence that comes out lower, at a point that is no maximum, is held at 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The tables of a block, and the multipliers of its rules.

    theta      (positions,)
    pull       (linear rules of the block,)  d objective / d limit, in nats
    bend       (functions,)                  the same for curved rules
    """

    theta: Floats
    pull: Floats
    bend: Floats
    report: CurvedReport


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """A block, but for its weights.

    size     how many positions the block has; `kept` are those that rules do not hold at 0
    sources  (linear,) the rule of the block that each linear constraint is; -1 for sums of rows
    rules    how many linear rules the block has
    """

    problem: Problem
    size: int
    kept: Ints
    sources: Ints
    rules: int

    @staticmethod
    def of(block: Block, inside: Interior, functions: Sequence[Functions]) -> Component:
        """What linear rules force is taken out; equalities that follow from others are dropped.

        functions: over the positions of the block
        """
        if block.size > MOST_CELLS:
            raise SizeError(
                f"rules that are not linear tie {block.size:,} cells of tables together; up to "
                f"{MOST_CELLS:,} can be solved\n\nsay them of fewer variables"
            )
        kept, rules = np.flatnonzero(~inside.zero), block.rules
        sums = (block.row == np.arange(block.row[-1] + 1)[:, None]).astype(np.float64)[:, kept]
        dense = np.zeros((len(rules), block.size))
        dense[rules.owner, rules.cells] = rules.factors
        level = rules.equal | inside.tight
        chosen = np.concatenate([_further(sums, dense[:, kept], level), np.flatnonzero(~level)])
        nothing = np.zeros(block.size)
        curved = tuple(
            Placed.at(each, np.arange(each.equal.size), kept, nothing) for each in functions
        )
        problem = Problem(
            np.zeros(kept.size),
            block.row[kept],
            np.vstack([sums, dense[np.ix_(chosen, kept)]]),
            np.concatenate([np.ones(len(sums)), rules.limits[chosen]]),
            np.concatenate([np.ones(len(sums), dtype=np.bool_), level[chosen]]),
            curved,
        )
        sources = np.concatenate([np.full(len(sums), -1), chosen])
        return Component(problem, block.size, kept, sources, len(rules))

    def solve(
        self, weights: Floats, at: Floats | None = None, count: int = 20, *, second: bool = True
    ) -> Answer:
        """The best local maximum from so many starts; never worse than `at`, if that is given.

        second: whether another optimiser is asked too
        """
        return self._answer(self._searched(self._weighed(weights), at, count, second=second))

    def improve(self, weights: Floats, at: Floats, last: Answer | None = None) -> Answer:
        """The local maximum next to `at`, and never worse; `last` is the answer that ended there.

        Only if there is no way from `at`, further starts are tried.
        """
        problem = self._weighed(weights)
        held = None if last is None else last.report.multipliers / max(weights.sum(), 1e-300)
        found = improve(problem, at[self.kept], held)
        return self._answer(found or self._searched(problem, at, 4, second=False))

    def _weighed(self, weights: Floats) -> Problem:
        return replace(self.problem, weights=weights[self.kept])

    def _searched(
        self, problem: Problem, at: Floats | None, count: int, *, second: bool
    ) -> CurvedReport:
        near = None if at is None else at[self.kept]
        try:
            found = solve_curved(problem, count=count, at=near, second=second)
        except NoPointError as error:
            error.theta = self._spread(error.theta)
            raise
        gone = (problem.weights > 0) & (found.theta < GONE)
        if gone.any() and not found.roots:
            raise EdgeError(self.kept[gone])
        return found

    def _spread(self, theta: Floats) -> Floats:
        whole = np.zeros(self.size)
        whole[self.kept] = theta
        return whole

    def _answer(self, found: CurvedReport) -> Answer:
        pull = np.zeros(self.rules)
        said = self.sources >= 0
        linear = self.sources.size
        pull[self.sources[said]] = found.multipliers[:linear][said]
        return Answer(self._spread(found.theta), pull, found.multipliers[linear:], found)


def _further(sums: Floats, dense: Floats, level: Bools) -> Ints:
    """Equalities of which none follows from the others and the sums of rows."""
    which = np.flatnonzero(level)
    lengths = np.maximum(sums.sum(axis=1), 1.0)
    beyond = dense[which] - (dense[which] @ sums.T / lengths) @ sums
    told = np.abs(beyond).max(axis=1, initial=0.0) > 1e-10
    return np.asarray(which[told][independent(beyond[told])])
