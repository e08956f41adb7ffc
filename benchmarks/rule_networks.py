"""Rules on whole networks: a fit of thousands of ruled rows, steps of EM, checking a large file."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tacit as tc
from sides import Problem
from tacit.engines.expected import expectation
from tacit.estimate.ruled.multipliers import priced
from tacit.estimate.ruled.plan import compile_blocks, compile_plan, solve
from tacit.estimate.ruled.prices import statuses
from tacit.infer.flat import layout_of
from tacit.knowledge.binding import bind
from tacit.knowledge.blocks import blocks_of
from tacit.knowledge.cells import Cells
from tacit.knowledge.polytope import relative_interior
from tacit.learn.expectation import EmIterate, at, maximise, plain_step
from tacit.learn.expectation import Problem as EmProblem
from tacit.learn.ruled import ruled
from timing import clock, seconds

SHAPES = (
    "P({name}=a | {row}) = 0.2",
    "P({name}=a | {row}) <= 0.15",
    "0.1 <= P({name}={{a, b}} | {row}) <= 0.3",
    "P({name}=a | {row}) = P({name}=b | {row})",
    "P({name}=a | {row}) = 2 * P({name}=b | {row})",
    "P({name}={{a, b}} | {row}) <= P({name}={{c, d}} | {row})",
    "P({name}=a | {row}) <= P({name}=b | {row}) <= P({name}=c | {row})",
    "P({name}=a | {row}) = P({name}=a | {next})",
    "P({name}=b | {row}) = P({name}=b | {last})",
    "P({name}=a | {row}) ~ P({name}=b | {row}) +- 0.02",
)
"""What the rules of a large file look like; the last needs the general solver."""

CLOSED = """
    P(HISTORY=TRUE | LVFAILURE=TRUE) = 0.9
    P(CVP=LOW | LVEDVOLUME=LOW) = 0.9
    P(PCWP=LOW | LVEDVOLUME=LOW) = P(PCWP=HIGH | LVEDVOLUME=HIGH)
    P(TPR=LOW | ANAPHYLAXIS=FALSE) = P(TPR=HIGH | ANAPHYLAXIS=FALSE)
    P(HRBP | ERRLOWOUTPUT=FALSE, HR=LOW) = P(HRBP | ERRLOWOUTPUT=FALSE, HR=NORMAL)
    P(SHUNT=HIGH | INTUBATION=NORMAL) <= 0.2
    P(PAP={LOW, NORMAL} | PULMEMBOLUS=TRUE) <= 0.15
    0.3 <= P(CO=LOW | HR=LOW) <= 0.9
    P(HREKG=LOW | ERRCAUTER=TRUE, HR=LOW) <= P(HREKG=NORMAL | ERRCAUTER=TRUE, HR=LOW)
    P(CATECHOL=HIGH | INSUFFANESTH=FALSE) <= P(CATECHOL=HIGH | INSUFFANESTH=TRUE)
"""
GENERAL = """
    BP increases with CO; BP increases with TPR; P(BP=HIGH | CO=LOW, TPR=*) <= 0.05
    CO increases with HR; CO increases with STROKEVOLUME
    HRBP increases with HR
    P(HRBP=LOW | ERRLOWOUTPUT=TRUE) ~ P(HRBP=HIGH | ERRLOWOUTPUT=TRUE) +- 0.1
    MINVOL increases with VENTLUNG
    P(MINVOL={ZERO, LOW} | VENTLUNG=*) <= P(MINVOL={LOW, NORMAL} | VENTLUNG=*)
    SAO2 increases with PVSAT
    P(SAO2={LOW, NORMAL} | PVSAT=*) <= P(SAO2={NORMAL, HIGH} | PVSAT=*)
"""
STEPS = {"no rules": "", "closed forms, 10 tables": CLOSED, "general solver, 5 tables": GENERAL}
PHASES = ("parse", "bind", "prove consistent", "recognise", "solve", "prices")


def large(rows: int) -> tc.Network:
    """Tables of a hundred rows each, five states, two parents of ten states in common."""
    random = np.random.default_rng(1)
    digits = tuple("0123456789")
    parents = [tc.Discrete("U", digits), tc.Discrete("V", digits)]
    families: list[Any] = [tc.Table((each,), np.full(10, 0.1)) for each in parents]
    for number in range(rows // 100):
        child = tc.Discrete(f"X{number}", tuple("abcde"))
        values = random.dirichlet(np.full(5, 2.0), (10, 10))
        families.append(tc.Table((*parents, child), values))
    return tc.Network.of(families)


def said(rows: int) -> str:
    """A rule for every row of it."""
    lines = []
    for number in range(rows):
        table, row = divmod(number, 100)
        where = [f"U={at // 10}, V={at % 10}" for at in (row, (row + 1) % 100, row - 1)]
        named = {"row": where[0], "next": where[1], "last": where[2]}
        lines.append(SHAPES[number % len(SHAPES)].format(name=f"X{table}", **named))
    return "\n".join(lines)


def fitted(rows: int, cases: int, most: int) -> tuple[dict[str, float], dict[str, float]]:
    """Seconds of whole fits, and of the phases of the ruled one."""
    network, text = large(rows), said(rows)
    data = tc.sample(network, cases, seed=1)
    sides: dict[str, Callable[[], Any]] = {
        "without rules": lambda: tc.fit(network, data, progress=False),
        "with rules": lambda: tc.fit(network, data, knowledge=text, progress=False),
    }
    sides["with rules"]()
    whole = {name: clock(work, patience=10.0, most=most).wall for name, work in sides.items()}
    return whole, phases(network, data, text)


def phases(network: tc.Network, data: tc.Dataset, text: str) -> dict[str, float]:
    """Where the time of a ruled fit goes."""
    found: list[float] = []

    def timed(work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = work()
        found.append(time.perf_counter() - start)
        return result

    known = timed(lambda: tc.parse_knowledge(text))
    cells = Cells.of(_axes(network))
    bound = timed(lambda: bind(known.rules, cells))
    blocks = blocks_of(bound)
    inside = timed(lambda: relative_interior(blocks))
    plan = timed(lambda: compile_blocks(blocks, inside))
    plain = tc.fit(network, data, progress=False)
    weights = np.concatenate([plain.network[name].values.ravel() for name in cells.families])
    weights = len(data) / 100 * weights[blocks.cells]
    ruling = timed(lambda: solve(plan, weights))
    timed(lambda: statuses(bound, plan, priced(plan, weights), ruling.theta))
    return dict(zip(PHASES, found, strict=True))


def _axes(network: tc.Network) -> Mapping[str, Any]:
    return {name: network[name].variables for name in network}


def steps(sizes: Sequence[int], patience: float) -> list[list[str]]:
    """Seconds per step of EM on alarm, a tenth of the cells missing, with and without rules."""
    network = Problem("alarm", 1, Path()).network
    lines = []
    for size in sizes:
        data = tc.sample(network, size, seed=1, missing=tc.AtRandom(0.1))
        problems = {name: _problem(network, data, text) for name, text in STEPS.items()}
        best = _turn_by_turn(network, problems, patience)
        for name, problem in problems.items():
            blocks = "-" if problem.plan is None else str(len(problem.plan.blocks))
            wall, maximising = best[name]
            lines.append([
                f"{size:,} cases, {name}", blocks, seconds(wall), seconds(maximising),
                f"{wall / best['no rules'][0]:.2f}x",
            ])  # fmt: skip
    return lines


def _problem(network: tc.Network, data: tc.Dataset, text: str) -> EmProblem:
    layout = layout_of(network.dag, network.variables)
    expected = expectation(data, layout, dict(_axes(network)))
    known = tc.parse_knowledge(text) if text else None
    bound = ruled(known, network.dag, dict(_axes(network)), layout)
    plan = None if bound is None else bound.plan
    return EmProblem(layout, expected, np.full(layout.size, 0.1), plan=plan)


def _turn_by_turn(
    network: tc.Network, problems: Mapping[str, EmProblem], patience: float
) -> dict[str, tuple[float, float]]:
    """Wall seconds of a step, and of its M alone: medians, all sides in turn.

    Every step is a new one of the climb, so that a solution starts from the last, not from itself;
    after twenty the climb begins anew.
    """
    theta = problems["no rules"].layout.parameters(network)
    begin = {name: at(each, (theta + 0.01) / 1.01) for name, each in problems.items()}
    here: dict[str, EmIterate] = dict(begin)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in problems}
    end, turn = time.perf_counter() + patience, 0
    while turn < 3 or time.perf_counter() < end:
        for name, problem in problems.items():
            start = time.perf_counter()
            after = plain_step(problem, here[name])
            middle = time.perf_counter()
            maximise(problem, here[name].expected, here[name].ruled)
            last = time.perf_counter()
            here[name] = begin[name] if turn % 20 == 19 else after
            found[name].append((middle - start, last - middle))
        turn += 1
    return {name: tuple(np.median(every[1:], axis=0)) for name, every in found.items()}


def checking(rules: int, most: int) -> list[tuple[str, float]]:
    """Seconds to read, bind and check a large file, each the best of several."""
    network, text = large(rules), said(rules)
    tables = _axes(network)
    known = tc.parse_knowledge(text)
    works: dict[str, Callable[[], Any]] = {
        "`tc.parse_knowledge`": lambda: tc.parse_knowledge(text),
        "bound to cells": lambda: bind(known.rules, Cells.of(tables)),
        "`tc.check`, binding included": lambda: tc.check(known, network),
        "`tc.check(everything=True)`": lambda: tc.check(known, network, everything=True),
        "made ready for estimation": lambda: compile_plan(bind(known.rules, Cells.of(tables))),
    }
    return [(name, clock(work, patience=6.0, most=most).wall) for name, work in works.items()]
