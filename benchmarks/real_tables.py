"""Seconds of whole jobs on public tables: `python benchmarks/real_tables.py [TABLE ...]`.

The tables lie in $TACIT_DATA, by default ../shared/data. Each is cut to 3,000 cases; the jobs are
those of `tests/battery.py`, from the command line and from Python.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from results import write_section
from timing import machine

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

import battery  # noqa: E402 - the jobs stand with the tests that hold them

CASES = 3000
"""Cases of each table at most."""


def outcomes(tables: Sequence[str]) -> dict[str, list[battery.Outcome]]:
    """All jobs on these tables, or on all."""
    folder = Path(os.environ.get("TACIT_DATA", HERE.parents[1] / "shared" / "data")) / "tables"
    paths = [folder / f"{name}.csv.gz" for name in tables] or sorted(folder.glob("*.csv.gz"))
    found = {}
    for path in paths:
        with tempfile.TemporaryDirectory() as room:
            every = list(battery.spend(path, Path(room), CASES))
        for each in every:
            print(each, flush=True)
        found[every[0].table] = every
    return found


def table_of(found: dict[str, list[battery.Outcome]]) -> str:
    """A line for each table, a column for each job."""
    jobs = list(battery.JOBS)
    lines = [
        "| table | " + " | ".join(jobs) + " |",
        "| --- |" + " ---: |" * len(jobs),
    ]
    for name, every in found.items():
        cells = [
            each.what.partition(":")[0] if each.what else f"{each.seconds:.1f}" for each in every
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Run the jobs, and write the page of results if all tables were asked for."""
    found = outcomes(sys.argv[1:])
    every = [each for jobs in found.values() for each in jobs]
    failed = [each for each in every if each.what]
    text = f"""## Whole jobs on public tables (`benchmarks/real_tables.py`)

{machine(["tacit-bn", "numpy", "numba"])}

CPU seconds of each job on each of {len(found)} tables, {CASES:,} cases of each at most:
{len(every):,} jobs, {len(failed):,} without an answer. A word in place of seconds says how such a
job ended. The first job of its kind in a process also loads compiled code.

{table_of(found)}
"""
    print(text)
    if not sys.argv[1:]:
        write_section("real tables", text)


if __name__ == "__main__":
    main()
