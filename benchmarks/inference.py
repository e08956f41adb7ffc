"""Posteriors: one question, and many cases at once; Tacit, pyAgrum and pgmpy in one run.

    python benchmarks/inference.py            into benchmarks/RESULTS.md
    python benchmarks/inference.py --dry      printed only

Every network in a process of its own. Peers take as many questions as half a minute allows.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import tacit as tc
from results import write_section
from sides import Problem
from tacit.infer.engine import engine_of
from tacit.infer.exact import marginals
from tacit.infer.findings import findings_of
from timing import clock, fresh, machine, seconds, table

NETWORKS = ["alarm", "hailfinder", "win95pts", "andes", "pigs", "munin1", "link"]
PATIENCE = 30.0


def question(network: tc.Network, share: float, seed: int) -> dict[str, str]:
    """Findings on a share of the variables, from a case that can occur."""
    random = np.random.default_rng(seed)
    case = tc.sample(network, 1, seed=seed)
    names = random.choice(network.dag.names, int(share * len(network)), replace=False)
    return {str(n): network.variables[str(n)].states[case[str(n)][0]] for n in names}


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """All figures of one network."""
    network = Problem(asked["network"], 1, Path()).network
    given = question(network, 0.2, 1)
    found: dict[str, Any] = {}
    start = time.perf_counter()
    engine = engine_of(network)
    observed = engine.observe(findings_of(network, given))
    marginals(engine, observed)
    found["first"] = time.perf_counter() - start
    best = clock(lambda: marginals(engine, observed), patience=3.0)
    found["all"], found["all_cpu"] = best.wall, best.cpu
    target = next(name for name in network if name not in given)
    tc.query(network, [target], given=given)
    found["one"] = clock(lambda: tc.query(network, [target], given=given), patience=2.0).wall
    found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    if not asked["heavy"]:
        found |= _bulk(network, asked["cases"])
    return found | _pyagrum(network, given, asked["heavy"])


def _bulk(network: tc.Network, cases: int) -> dict[str, Any]:
    data = tc.sample(network, cases, seed=2, missing=tc.AtRandom(0.1))
    tc.predict(network, data.take(np.arange(10)))
    best = clock(lambda: tc.predict(network, data), patience=3.0, most=3)
    return {"bulk": cases / best.wall}


def _pyagrum(network: tc.Network, given: dict[str, str], heavy: bool) -> dict[str, Any]:
    import pyagrum

    if heavy:
        return {}
    peer = tc.to_pyagrum(network)

    def ask() -> None:
        engine = pyagrum.LazyPropagation(peer)
        engine.setEvidence(given)
        engine.makeInference()
        for name in network.dag.names:
            engine.posterior(name)

    best = clock(ask, patience=5.0, most=20)
    data = tc.sample(network, 200, seed=2, missing=tc.AtRandom(0.1))
    engine = pyagrum.LazyPropagation(peer)
    start, done = time.perf_counter(), 0
    for case in range(len(data)):
        engine.setEvidence({n: int(data[n][case]) for n in data.names if data[n][case] >= 0})
        engine.makeInference()
        for name in data.names:
            if data[name][case] < 0:
                engine.posterior(name)
        done += 1
        if time.perf_counter() - start > PATIENCE:
            break
    return {"peer": best.wall, "peer_bulk": done / (time.perf_counter() - start)}


def line(name: str, found: dict[str, Any]) -> list[str]:
    """The figures of one network, as the table shows them."""
    if "failed" in found:
        return [name, found["failed"], *[""] * 8]

    def ratio(one: str, other: str) -> str:
        return f"{found[one] / found[other]:,.0f}x" if one in found and other in found else "-"

    def rate(key: str) -> str:
        return f"{found[key]:,.0f}" if key in found else "-"

    peer = seconds(found["peer"]) if "peer" in found else "-"
    return [name, seconds(found["first"]), seconds(found["all"]), peer, ratio("peer", "all"),
            seconds(found["one"]), f"{found['peak']:.2g} GiB", rate("bulk"), rate("peer_bulk"),
            ratio("bulk", "peer_bulk")]  # fmt: skip


def main() -> None:
    """Measure, print, write down."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--networks", nargs="+", default=NETWORKS)
    options.add_argument("--cases", type=int, default=10_000)
    options.add_argument("--dry", action="store_true", help="print the results, write no file")
    options.add_argument("--answer", help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.answer:
        print(json.dumps(answer(json.loads(asked.answer))))
        return
    lines = []
    for name in asked.networks:
        heavy = name in ("munin1", "link")
        found = fresh(__file__, {"network": name, "cases": asked.cases, "heavy": heavy})
        lines.append(line(name, found))
        print(lines[-1], file=sys.stderr, flush=True)
    heads = ["network", "first answer", "all marginals", "pyAgrum", "ratio", "`tc.query`", "peak",
             "Tacit, cases/s", "pyAgrum, cases/s", "ratio"]  # fmt: skip
    text = f"""## Posteriors (`benchmarks/inference.py`)

{machine(["tacit-bn", "pyagrum", "numpy", "numba"])}

All marginals given findings on a fifth of the variables: the first answer (clique tree made,
machine code loaded from disk), then the best of many. `tc.query` asks for one variable through the
public function. Bulk: posteriors of every missing cell of {asked.cases:,} cases with 10% of the
cells missing, everything included; pyAgrum case by case on up to 200. Peak is the memory of the
whole process after its questions. munin1 and link are not asked of pyAgrum, nor in bulk: quoted,
not measured here, it takes 26 s and 6 GB for one question on link.

{table(heads, lines)}
"""
    print(text)
    if not asked.dry:
        write_section("inference", text)


if __name__ == "__main__":
    main()
