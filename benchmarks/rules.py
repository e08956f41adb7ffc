"""Estimation under rules: Tacit, cvxpy, Clarabel and scipy's SLSQP in one run.

    python benchmarks/rules.py            into benchmarks/RESULTS.md
    python benchmarks/rules.py --dry      printed only
    python benchmarks/rules.py --quick    a first look of a minute, printed only

Peers solve block after block, as many as the sample has; each figure is the best of two runs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import rule_networks
from results import write_section
from rule_peers import SIDES, peers
from rule_problems import KINDS, SIZES, Ruled, joined, overlapping, shuffled
from tacit.arrays import Floats
from tacit.estimate.ruled.general import General
from tacit.estimate.ruled.plan import GENERAL, compile_blocks, solve
from tacit.knowledge.polytope import relative_interior
from timing import clock, machine, seconds, table


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    states: tuple[int, ...] = (5, 20, 50)
    rows: int = 10_000
    distinct: int = 1_000
    proven: int = 20
    sample: int = 20
    blocks: int = 1_000
    block_sample: int = 60
    network: int = 10_000
    fits: int = 5
    cases: tuple[int, ...] = (1_000, 10_000)
    patience: float = 10.0


QUICK = Size((5, 20), 2_000, 200, 5, 4, 200, 10, 1_000, 2, (1_000,), 3.0)


# --- closed forms ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InBulk:
    """Tacit on many blocks of one kind, seconds per block."""

    solved: float
    recognised: float
    proven: float
    by_formula: bool


def in_bulk(one: Ruled, size: Size) -> InBulk:
    """Blocks that look all different are recognised; then so many are solved at once."""
    random = np.random.default_rng(1)
    different = [shuffled(one, random) for _ in range(size.distinct)]
    few = joined(different[: size.proven])
    proven = clock(lambda: relative_interior(few), patience=0.2).wall / size.proven
    start = time.perf_counter()
    compile_blocks(joined(different))
    recognised = (time.perf_counter() - start) / size.distinct
    blocks = joined(different * (size.rows // size.distinct))
    plan = compile_blocks(blocks)
    weights = random.integers(1, 60, blocks.cells.size).astype(np.float64)
    ruling = solve(plan, weights)
    best = clock(lambda: solve(plan, weights), patience=0.5).wall / len(blocks)
    return InBulk(best, recognised, proven, bool((ruling.way != GENERAL).all()))


def closed_forms(size: Size) -> tuple[list[list[str]], float]:
    """A line per kind of rule and number of states; the most that a peer found beyond Tacit."""
    lines, beyond = [], 0.0
    for states in size.states:
        for kind, make in KINDS.items():
            one = make(states)
            bulk = in_bulk(one, size)
            assert bulk.by_formula, kind
            random = np.random.default_rng(2)
            counts = [random.integers(1, 60, one.size).astype(np.float64)
                      for _ in range(size.sample)]  # fmt: skip
            plan = compile_blocks(joined([one]))
            thetas = [solve(plan, weights).theta for weights in counts]
            sides = peers([one] * size.sample, counts, thetas, same=True)
            anew, again = sides["cvxpy"], sides["cvxpy, compiled"]
            direct, slsqp = sides["Clarabel"], sides["SLSQP"]
            beyond = max(beyond, *(side.beyond for side in sides.values()))
            lines.append([
                f"{kind}, {states}", *map(_short, (bulk.solved, bulk.recognised, bulk.proven)),
                *map(_short, (anew.median, again.median, direct.median, slsqp.median)),
                slsqp.failed,
                *(f"{side.median / bulk.solved:,.0f}x" for side in (anew, again, direct, slsqp)),
            ])  # fmt: skip
            print(lines[-1], file=sys.stderr, flush=True)
    return lines, beyond


def _short(wall: float) -> str:
    return f"{wall * 1e6:.3g} µs" if wall < 1e-3 else seconds(wall)


# --- the general solver ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Overlapping blocks, made ready, with counts."""

    drawn: list[Ruled]
    solver: General
    weights: Floats

    @staticmethod
    def of(drawn: list[Ruled]) -> Drawn:
        """A fifth of the cells has not been seen."""
        blocks, random = joined(drawn), np.random.default_rng(3)
        seen = random.random(blocks.cells.size) < 0.8
        weights = (random.integers(0, 40, blocks.cells.size) * seen).astype(np.float64)
        return Drawn(drawn, General.of(blocks, np.arange(len(blocks))), weights)

    def split(self, values: Floats) -> list[Floats]:
        """Values of cells, block by block."""
        return np.split(values, self.solver.blocks.cell_at[1:-1])

    def wall(self, threads: int = 1, start: Any = None) -> float:
        """Seconds per block, the best of many runs."""
        weights = self.weights if start is None else 1.01 * self.weights + 0.01
        best = clock(lambda: self.solver.solve(weights, start, threads), patience=2.0)
        return best.wall / len(self.drawn)


def general(size: Size) -> tuple[list[list[str]], str]:
    """A line per number of states, one for all blocks; the certificate in words."""
    every = overlapping(size.blocks)
    Drawn.of(every[:3]).wall()
    start = time.perf_counter()
    whole = Drawn.of(every)
    ready = (time.perf_counter() - start) / len(every)
    found = whole.solver.solve(whole.weights)
    walls = [whole.wall(), whole.wall(threads=2), whole.wall(start=found)]
    lines = []
    for name, states in SIZES.items():
        some, few = Drawn.of([b for b in every if b.size in states]), size.block_sample // 3
        theta, wall = some.solver.solve(some.weights).theta, some.wall()
        ours, counts = some.split(theta)[:few], some.split(some.weights)[:few]
        sides = peers(some.drawn[:few], counts, ours, same=False)
        lines.append([
            f"{name} states", _short(wall), *(_short(side.mean) for side in sides.values()),
            *(side.failed for side in sides.values()),
            *(f"{side.mean / wall:,.0f}x" for side in sides.values()),
        ])  # fmt: skip
        print(lines[-1], file=sys.stderr, flush=True)
    return lines, _certified(found, ready, walls)


def _certified(found: Any, ready: float, walls: Sequence[float]) -> str:
    proof = found.certificate
    bad = int((~(np.maximum(proof.primal, proof.dual) < 1e-8)).sum())
    one, two, warm = map(_short, walls)
    return f"""All of them at once: {one} a block on one thread, {two} on two, {warm} from a
solution for similar counts; made ready in {_short(ready)} a block, once. Blocks without a
certificate (all residuals below 1e-8): {bad} of {proof.primal.size:,}; the largest miss of a rule
is {proof.primal.max():.1e}, the largest residual of the KKT conditions {proof.dual.max():.1e} of
the counts, the largest duality gap {proof.gap.max():.1e} nats; {found.steps.mean():.1f} steps a
block, at most {found.steps.max()}."""


# --- all of it -------------------------------------------------------------------------------


def text_of(size: Size) -> str:
    """Every part measured, as the page shows it."""
    in_bulk(KINDS["sharing"](5), QUICK)  # modules and machine code are loaded
    in_bulk(KINDS["intervals"](5), QUICK)
    lines, beyond = closed_forms(size)
    blocks, certified = general(size)
    whole, phases = rule_networks.fitted(size.network, 100_000, size.fits)
    steps = rule_networks.steps(size.cases, size.patience)
    checked = rule_networks.checking(size.network, size.fits)
    names = [name for name in SIDES if name != "cvxpy, compiled"]
    heads = ["kind, states", "Tacit", "recognised", "proven", "cvxpy", "compiled", "Clarabel",
             "SLSQP", "failed", *(f"{name} / Tacit" for name in SIDES)]  # fmt: skip
    fits = [[name, seconds(wall), f"{wall / whole['without rules']:.3g}x"]
            for name, wall in whole.items()]  # fmt: skip
    fits += [[f"of this: {name}", seconds(wall), ""] for name, wall in phases.items()]
    return f"""## Estimates under rules (`benchmarks/rules.py`)

{machine(["tacit-bn", "cvxpy", "clarabel", "scipy", "numpy", "numba"])}

Peers run block after block on one thread, with the tolerances they come with: cvxpy (by Clarabel)
with the problem stated anew for each block, and compiled once with the counts as a parameter;
Clarabel called directly, its matrices made outside the clock; SLSQP with gradients and without
dependent equations. Failed: blocks on which the solver says so itself, + blocks on which it does
not but misses the optimum (relatively) or a rule by more than 1e-6.

### Closed forms, per block

Tacit solves {size.rows:,} blocks at once, on one thread; peers are medians of {size.sample} blocks.
A block is one row of so many states, or two such rows, or so many rows of two states. Once before:
recognised (blocks that look all different) and proven consistent (by linear programs, the mean of
{size.proven} blocks). The most that a peer found beyond Tacit while keeping the rules to 1e-12:
{beyond:.1e} nats a case.

{table(heads, lines)}

### Overlapping rules, per block

{size.blocks:,} blocks of 5 to 50 states with 5 to 20 rules, all of them given to the general
solver. {certified}

Beside the peers, means per block: Tacit on all blocks of a size at once, on one thread; the peers,
which must be told each block anew, on {size.block_sample // 3} of them.

{
        table(
            [
                "blocks",
                "Tacit",
                *names,
                *(f"{name}, failed" for name in names),
                *(f"{name} / Tacit" for name in names),
            ],
            blocks,
        )
    }

### A network of {size.network:,} ruled rows

A rule for every row, of ten kinds, one of them for the general solver; 100,000 complete cases.

{table(["`tc.fit`", "wall", "ratio"], fits)}

### A step of EM

alarm, a tenth of the cells missing; medians of the steps of a climb, all sides in turn.

{table(["problem", "blocks", "step", "M-step alone", "ratio"], steps)}

### Reading and checking {size.network:,} rules

{table(["work", "wall"], [[name, seconds(wall)] for name, wall in checked])}
"""


def main() -> None:
    """Measure, print, write down."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="little of everything; no file")
    options.add_argument("--dry", action="store_true", help="print the results, write no file")
    asked = options.parse_args()
    text = text_of(QUICK if asked.quick else Size())
    print(text)
    if not asked.dry and not asked.quick:
        write_section("rules", text)


if __name__ == "__main__":
    main()
