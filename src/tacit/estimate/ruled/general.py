"""The general solver: the most likely tables under any consistent linear rules.

maximise Σ w log θ over the rows of a block, subject to its rules. What no closed form covers comes
here; every answer carries a certificate that is computed afresh from the rules as they stand.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.ruled.certificate import Certificate, certificate
from tacit.estimate.ruled.compiled import Compiled, chosen_blocks, compiled, inside_of, spans
from tacit.estimate.ruled.impossible import ImpossibleEvidenceError
from tacit.estimate.ruled.large import solve_large
from tacit.estimate.ruled.mending import Circuits, circuits, mended
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.polytope import Interior

if TYPE_CHECKING:
    from tacit.kernels.normal import Memory, Point, Program

SMALL_RULES = 600
WORTH_A_THREAD = 1_000_000
DOUBTFUL = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The most likely tables, what the rules cost, and the proof.

    theta            (positions,)  nan outside the blocks that were solved
    multipliers      (rules,)      d optimum / d limit, in nats; >= 0 for inequalities
    row_multipliers  (rows,)       the same for the sum of each row
    steps            (blocks,)     how many steps each of the chosen blocks took
    certificate      how far each of the chosen blocks can be from its optimum; None: not asked for
    memory           from where a solution for similar weights can start
    """

    theta: Floats
    multipliers: Floats
    row_multipliers: Floats
    steps: Ints
    certificate: Certificate | None
    memory: Memory


@dataclass(frozen=True, slots=True, eq=False)
class General:
    """Some blocks, made ready once to be solved often.

    which    the blocks, among all; rows are theirs
    sizes    how many positions, rules and rows there are in all
    blocks   these alone; their cells are positions among all
    """

    which: Ints
    rows: Ints
    sizes: tuple[int, int, int]
    blocks: Blocks
    interior: Interior
    compiled: Compiled
    circuits: Circuits

    @staticmethod
    def of(blocks: Blocks, which: Ints, inside: Interior | None = None) -> General:
        """Find what the rules force, and take it out.

        inside: what the rules force in all blocks, where that is known already
        """
        alone = chosen_blocks(blocks, which)
        interior = (
            inside_of(alone) if inside is None else inside.chosen(alone.cells, alone.origin, which)
        )
        sizes = (blocks.cells.size, len(blocks.rules), int(blocks.row_at[-1]))
        rows, _ = spans(blocks.row_at, which)
        made, around = compiled(alone, interior), circuits(alone, interior)
        return General(which, rows, sizes, alone, interior, made, around)

    def solve(
        self,
        weights: Floats,
        start: Solution | None = None,
        threads: int = 1,
        *,
        only: Bools | None = None,
        prove: bool = True,
    ) -> Solution:
        """The optimum for these weights (one per position of all blocks).

        A block without any weight is solved as if each of its cells had been seen once.

        start  a solution for other weights, near which this one may be
        only   (all blocks,) which of them; the others come back as nan
        prove  without it the solution has no certificate, and no multipliers; with it all blocks
               are solved
        """
        from tacit.kernels.interior import MOST_STEPS

        wanted = np.ones(self.which.size, np.bool_)
        if only is not None and not prove:
            wanted = only[self.which]
        given = weights[self.blocks.cells]
        self._possible(given)
        program = self.compiled.program
        totals = np.add.reduceat(given, self.blocks.cell_at[:-1]) if given.size else np.zeros(0)
        inner = given[self.compiled.positions]
        empty = totals <= 0
        scale = np.where(empty, np.diff(program.cell_at), totals)
        scaled = np.where(empty[self.compiled.block], 1.0, inner) / scale[self.compiled.block]
        memory = _memory(program, start)
        point, steps = _run(program, scaled, memory, wanted, threads)
        if not prove and (steps < MOST_STEPS).all():
            return self._unproven(point, steps, memory, wanted)
        found = self._read(given, totals, point)
        doubtful = np.flatnonzero(wanted & (found.doubt(totals) > DOUBTFUL))
        if doubtful.size:
            again = _once_more(program, doubtful, scaled, point)
            better = self._read(given, totals, again).doubt(totals) < found.doubt(totals)
            _taken(program, doubtful[better[doubtful]], again, point)
            found = self._read(given, totals, point)
        return self._solution(found, steps, memory)

    def _unproven(self, point: Point, steps: Ints, memory: Memory, wanted: Bools) -> Solution:
        positions, rules, rows = self.sizes
        inner = np.zeros(self.blocks.cells.size)
        inner[self.compiled.positions] = point.theta
        inner[~np.repeat(wanted, np.diff(self.blocks.cell_at))] = np.nan
        theta = np.full(positions, np.nan)
        theta[self.blocks.cells] = inner
        return Solution(theta, np.zeros(rules), np.zeros(rows), steps, None, memory)

    def _possible(self, weights: Floats) -> None:
        wrong = np.flatnonzero(self.interior.zero & (weights > 0))
        if wrong.size:
            raise ImpossibleEvidenceError(self.blocks.cells[wrong])

    def _read(self, weights: Floats, totals: Floats, point: Point) -> Found:
        """Back to the rules as they were given."""
        blocks, made = self.blocks, self.compiled
        theta = np.zeros(blocks.cells.size)
        theta[made.positions] = point.theta
        rule_block = np.repeat(np.arange(len(blocks)), np.diff(made.program.rule_at))
        prices = point.multiplier * totals[rule_block] / made.scales
        row, rule = np.zeros(int(blocks.row_at[-1])), np.zeros(len(blocks.rules))
        sums = made.sources < 0
        row[-1 - made.sources[sums]] = prices[sums]
        rule[made.sources[~sums]] = prices[~sums]
        row, rule = mended(blocks, self.circuits, row, rule)
        return Found(theta, row, rule, certificate(blocks, weights, theta, row, rule))

    def _solution(self, found: Found, steps: Ints, memory: Memory) -> Solution:
        positions, rules, rows = self.sizes
        theta, rule, row = np.full(positions, np.nan), np.zeros(rules), np.zeros(rows)
        theta[self.blocks.cells] = found.theta
        rule[self.blocks.origin] = found.rule
        row[self.rows] = found.row
        return Solution(theta, rule, row, steps, found.certificate, memory)


class Found(NamedTuple):
    """Tables of the chosen blocks, the multipliers of their rows and rules, and the proof."""

    theta: Floats
    row: Floats
    rule: Floats
    certificate: Certificate

    def doubt(self, totals: Floats) -> Floats:
        """How far each block may be from its optimum, as a share of its weight."""
        proof = self.certificate
        return np.maximum(proof.dual, proof.gap / np.where(totals > 0, totals, 1.0))


def _memory(program: Program, start: Solution | None) -> Memory:
    from tacit.kernels.normal import Memory, no_memory

    if start is None:
        return no_memory(int(program.cell_at[-1]), program.limit.size)
    return Memory(*(values.copy() for values in start.memory))


def _run(
    program: Program, weights: Floats, memory: Memory, wanted: Bools, threads: int
) -> tuple[Point, Ints]:
    """Small blocks together in the kernel, on so many threads; large ones one by one."""
    from tacit.kernels.interior import solve_blocks
    from tacit.kernels.normal import empty_point, room_for

    cells, rules = np.diff(program.cell_at), np.diff(program.rule_at)
    point, steps = empty_point(weights.size, program.limit.size), np.zeros(cells.size, np.int64)
    small = np.flatnonzero(wanted & (rules <= SMALL_RULES))

    def work(chosen: Ints) -> None:
        room = room_for(int(cells[chosen].max()), int(rules[chosen].max()))
        solve_blocks(program, chosen, weights, point, memory, room, steps)

    cost = (rules * rules * (cells + rules))[small]
    shares = _shares(small, cost, threads if cost.sum() > WORTH_A_THREAD else 1)
    if len(shares) > 1:
        with ThreadPoolExecutor(len(shares)) as pool:
            list(pool.map(work, shares))
    else:
        for share in shares:
            work(share)
    for block in np.flatnonzero(wanted & (rules > SMALL_RULES)):
        steps[block] = solve_large(program, int(block), weights, point)
    return point, steps


def _once_more(program: Program, blocks: Ints, weights: Floats, point: Point) -> Point:
    """The same blocks with the linear systems of large ones, which bear more rounding."""
    from tacit.kernels.interior import polish_blocks
    from tacit.kernels.normal import Point, room_for

    again = Point(*(values.copy() for values in point))
    for block in blocks:
        solve_large(program, int(block), weights, again)
    cells, rules = np.diff(program.cell_at)[blocks], np.diff(program.rule_at)[blocks]
    small = blocks[rules <= SMALL_RULES]
    if small.size:
        room = room_for(int(cells.max()), int(rules[rules <= SMALL_RULES].max()))
        polish_blocks(program, small, weights, again, room)
    return again


def _taken(program: Program, blocks: Ints, source: Point, target: Point) -> None:
    """Copy the points of these blocks."""
    cells, _ = spans(program.cell_at, blocks)
    rules, _ = spans(program.rule_at, blocks)
    for at, fields in ((cells, (0, 1)), (rules, (2, 3))):
        for field in fields:
            target[field][at] = source[field][at]


def _shares(chosen: Ints, cost: Ints, threads: int) -> list[Ints]:
    """The chosen blocks in at most so many runs of about the same cost."""
    if not chosen.size:
        return []
    upto = np.cumsum(cost)
    if threads == 1:
        return [chosen]
    cuts = np.searchsorted(upto, upto[-1] * np.arange(1, threads) / threads)
    return [share for share in np.split(chosen, cuts) if share.size]
