"""How fast parameters come from cases: Tacit, pyAgrum, pgmpy and numpy.bincount in one run.

    python benchmarks/parameters.py                     all of it, into benchmarks/RESULTS.md
    python benchmarks/parameters.py --networks alarm --cases 10000 --dry      a first look

Every figure comes from a process of its own. A side that would take more than a minute runs on as
many cases as fit and is scaled linearly; such figures carry a `~`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import parameter_tables
from parameter_tables import Figures
from results import write_section
from sides import SIDES, Prepare, Problem, draw, write_parquet
from timing import Memory, clock, clock_threads, copy_bandwidth, fresh

HERE = Path(__file__).resolve()
LIMIT = 60.0
"""Seconds that one run of a side may take."""
PILOTS = 4_000, 20_000
"""Cases on which that is estimated."""


# --- in a process of its own -----------------------------------------------------------------


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """One figure."""
    folder = Path(question["folder"])
    if question["what"] == "bandwidth":
        bytes_per_second, threads = copy_bandwidth()
        return {"bytes_per_second": bytes_per_second, "threads": threads}
    problem = Problem(question["network"], question["cases"], folder)
    if question["what"] == "cold":
        return _cold(problem)
    side = question["side"]
    prepare = SIDES[question["form"]][side]
    used = problem.cases if side.startswith("Tacit") else _that_fit(problem, prepare)
    work = prepare(Problem(problem.name, used, folder))
    best = clock(partial(work, 1)) if side.startswith("numpy") else clock_threads(work)
    with Memory() as memory:
        work(best.threads)
    scale = problem.cases / used
    return {
        "wall": best.wall * scale,
        "cpu": best.cpu * scale,
        "threads": best.threads,
        "extra": memory.extra,
        "used": used,
    }


def _that_fit(problem: Problem, prepare: Prepare) -> int:
    """As many of the cases as one run gets through within the limit, by two small trials."""
    small, large = PILOTS
    if problem.cases <= large:
        return problem.cases
    few, more = (_trial(problem, cases, prepare) for cases in PILOTS)
    per_case = max(1e-12, (more - few) / (large - small))
    fitting = int((LIMIT - few) / per_case)
    if fitting >= problem.cases:
        return problem.cases
    fewer = Problem(problem.name, max(large, fitting // 1000 * 1000), problem.folder)
    write_parquet(fewer)
    return fewer.cases


def _trial(problem: Problem, cases: int, prepare: Prepare) -> float:
    trial = Problem(problem.name, cases, problem.folder)
    if not trial.parquet.exists():
        write_parquet(trial)
    return clock(partial(prepare(trial), 1), patience=0.5, most=3).wall


def _cold(problem: Problem) -> dict[str, Any]:
    """The first call, with what it imports and compiles, and the best of later ones."""
    counts = SIDES["coded"]["Tacit, counts"](problem)
    first = clock(lambda: counts(1), patience=0)
    later = clock(lambda: counts(1))
    return {"first": first.wall, "later": later.wall}


# --- asking ----------------------------------------------------------------------------------


def ask(folder: Path, what: str, environment: dict[str, str] | None = None, **more: Any) -> Any:
    """Ask a fresh process, and say so."""
    found = fresh(str(HERE), {"what": what, "folder": str(folder), **more}, **(environment or {}))
    shown = found.get("failed") or ", ".join(f"{key} {value:.4g}" for key, value in found.items())
    print(what, *more.values(), "|", shown, file=sys.stderr, flush=True)
    return found


def ask_all(folder: Path, networks: list[str], sizes: list[int]) -> Figures:
    """Every side on every problem in every form."""
    figures: Figures = {}
    for form, network, cases in product(SIDES, networks, sizes):
        if form == "parquet":
            write_parquet(Problem(network, cases, folder))
        for side in SIDES[form]:
            where = {"form": form, "network": network, "cases": cases, "side": side}
            figures[form, network, cases, side] = ask(folder, "figure", **where)
        for file in folder.glob("*.parquet"):
            file.unlink()
    return figures


def ask_cold(folder: Path, network: str, cases: int) -> dict[str, Any]:
    """The first call with nothing compiled before, and with machine code on disk."""
    with tempfile.TemporaryDirectory() as cache:
        where = {"network": network, "cases": cases}
        return {
            state: ask(folder, "cold", {"NUMBA_CACHE_DIR": cache}, **where)
            for state in ("nothing compiled before", "machine code on disk")
        }


def main() -> None:
    """Run it all and write it down."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--networks", nargs="+", default=["alarm", "hailfinder", "andes"])
    options.add_argument("--cases", nargs="+", type=int, default=[10_000, 100_000, 1_000_000])
    options.add_argument("--dry", action="store_true", help="print the results, write no file")
    options.add_argument("--section", default="parameters", help="of the page, to be replaced")
    options.add_argument("--answer", help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.answer:
        print(json.dumps(answer(json.loads(asked.answer))))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for network in asked.networks:
            draw(network, max(asked.cases), folder)
        columns = {each: len(Problem(each, 1, folder).network) for each in asked.networks}
        copied = ask(folder, "bandwidth")
        figures = ask_all(folder, asked.networks, asked.cases)
        cold = ask_cold(folder, asked.networks[0], min(asked.cases))
    text = parameter_tables.text(figures, copied, cold, columns)
    print(text)
    if not asked.dry:
        write_section(asked.section, text)


if __name__ == "__main__":
    main()
