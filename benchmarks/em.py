"""Seconds per step of EM: Tacit and pyAgrum in one run, hmmlearn for a chain.

    python benchmarks/em.py            into benchmarks/RESULTS.md
    python benchmarks/em.py --dry      printed only

pyAgrum runs on as many cases as a minute allows and is scaled linearly; such figures carry a `~`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import tacit as tc
from results import write_section
from sides import Problem
from tacit.engines.expected import expectation
from tacit.infer.flat import layout_of
from tacit.learn.expectation import Problem as EmProblem
from tacit.learn.expectation import at, plain_step
from timing import Timing, clock, machine, seconds, table

HIDDEN = {"asia": ("either", "lung"), "alarm": ("LVFAILURE", "CATECHOL"),
          "insurance": ("Accident", "RiskAversion")}  # fmt: skip
PEER_CASES = {"missing": 200, "hidden": 200}


def settings(name: str) -> list[tuple[str, float, tuple[str, ...]]]:
    """What is unknown: a share of all cells, or one or two whole variables."""
    one, two = HIDDEN[name]
    return [("10% of cells", 0.1, ()), ("30% of cells", 0.3, ()), ("one hidden", 0.0, (one,)),
            ("two hidden", 0.0, (one, two))]  # fmt: skip


def cases_of(network: tc.Network, size: int, share: float, hidden: tuple[str, ...]) -> tc.Dataset:
    """Cases drawn by seed, with what is to be unknown blanked out."""
    gaps = tc.AtRandom(share) if share else None
    data = tc.sample(network, size, seed=1, missing=gaps)
    return data.select([name for name in data.names if name not in hidden])


def tacit_step(network: tc.Network, data: tc.Dataset) -> tuple[Timing, float]:
    """One plain step (E and M), and the seconds that compiling the cases took before the first."""
    layout = layout_of(network.dag, network.variables)
    families = {
        name: tuple(network.variables[v] for v in (*network.dag.parents[name], name))
        for name in network
    }
    start = time.perf_counter()
    problem = EmProblem(layout, expectation(data, layout, families), np.full(layout.size, 0.1))
    compiling = time.perf_counter() - start
    theta = layout.parameters(network)
    here = at(problem, (theta + 0.01) / 1.01)
    return clock(lambda: plain_step(problem, here), patience=1.0), compiling


def pyagrum_step(network: tc.Network, data: tc.Dataset, folder: Path) -> float:
    """Wall seconds per iteration of pyAgrum's EM."""
    import pyagrum

    names = network.dag.names
    columns = {name: _texts(network, data, name) for name in names}
    file = folder / "cases.csv"
    lines = [",".join(names), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    file.write_text("\n".join(lines) + "\n")
    peer = tc.to_pyagrum(network)
    learner: Any = pyagrum.BNLearner(str(file), peer, ["?"])
    learner.useEM(1e-9)
    learner.EMsetMaxIter(2)
    learner.useSmoothingPrior(0.1)
    start = time.perf_counter()
    learner.learnParameters(peer.dag())
    return (time.perf_counter() - start) / max(1, learner.EMnbrIterations())


def _texts(network: tc.Network, data: tc.Dataset, name: str) -> list[str]:
    states = (*network.variables[name].states, "?")
    codes = data[name] if name in data else np.full(len(data), -1)
    return [states[code] for code in codes]


def chain(steps: int = 100_000) -> list[str]:
    """One step of Baum-Welch on a chain of five hidden states, beside hmmlearn."""
    from hmmlearn.hmm import CategoricalHMM

    random = np.random.default_rng(1)
    seen = random.integers(0, 4, steps)
    unrolled = tc.unroll("H[t-1] -> H[t] -> X[t]", steps, hidden={"H": 5})
    states = tuple("abcd")
    data = tc.Dataset(
        {f"X[{t}]": tc.Discrete(f"X[{t}]", states) for t in range(1, steps + 1)},
        {f"X[{t + 1}]": seen[t : t + 1] for t in range(steps)},
    )
    hidden = {name: tc.Discrete(name, tuple("12345")) for name in unrolled.hidden}
    variables = {**data.variables, **hidden}
    start = time.perf_counter()
    layout = layout_of(unrolled.dag, variables, unrolled.tied)
    families = {name: tuple(variables[v] for v in (*unrolled.dag.parents[name], name))
                for name in unrolled.dag}  # fmt: skip
    problem = EmProblem(layout, expectation(data, layout, families), np.full(layout.size, 0.1))
    compiling = time.perf_counter() - start
    weights = random.random(layout.size) + 0.5
    starts, lengths = layout.rows
    theta = weights / np.repeat(np.add.reduceat(weights, starts), lengths)
    here = at(problem, theta)
    ours = clock(lambda: plain_step(problem, here), patience=2.0)
    model = CategoricalHMM(5, n_iter=1, tol=-np.inf, random_state=1)

    def peer() -> None:
        model.fit(seen[:, None])

    theirs = clock(peer, patience=2.0)
    what, ratio = f"chain of {steps:,} steps, 5 states", f"{theirs.wall / ours.wall:.2g}x"
    figures = (ours.wall, ours.cpu, compiling, theirs.wall)
    return [what, *map(seconds, figures), ratio]


def rows(names: list[str], sizes: list[int]) -> list[list[str]]:
    """A line per network, size and kind of gap."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            network = Problem(name, 1, Path(folder)).network
            for what, share, hidden in settings(name):
                few = cases_of(network, 200, share, hidden)
                peer = pyagrum_step(network, few, Path(folder)) / 200
                for size in sizes:
                    ours, compiling = tacit_step(network, cases_of(network, size, share, hidden))
                    found.append([
                        f"{name}, {size:,} cases, {what}", seconds(ours.wall), seconds(ours.cpu),
                        seconds(compiling), f"~{seconds(peer * size)}",
                        f"{peer * size / ours.wall:,.0f}x",
                    ])  # fmt: skip
                    print(found[-1], flush=True)
    return found


def main() -> None:
    """Measure, print, write down."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--networks", nargs="+", default=["asia", "alarm", "insurance"])
    options.add_argument("--cases", nargs="+", type=int, default=[1_000, 10_000, 100_000])
    options.add_argument("--dry", action="store_true", help="print the results, write no file")
    asked = options.parse_args()
    heads = ["problem", "Tacit, wall", "CPU", "compiled once", "peer, wall", "ratio"]
    lines = [*rows(asked.networks, asked.cases), chain()]
    text = f"""## One step of EM (`benchmarks/em.py`)

{machine(["tacit-bn", "pyagrum", "hmmlearn", "numpy", "numba"])}

The peer is pyAgrum's EM, measured on 200 cases and scaled linearly (`~`), for the chain hmmlearn's
Baum-Welch, measured. Tacit's step is one plain E and M; before the first the cases are compiled
once, in the time shown. Quoted, not measured here: bnlearn's hard EM, which is not maximum
likelihood, 0.01 to 0.08 s a step on 1,000 alarm cases.

{table(heads, lines)}
"""
    print(text)
    if not asked.dry:
        write_section("em", text)


if __name__ == "__main__":
    main()
