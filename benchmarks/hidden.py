"""Hidden variables: how long it takes to count the states of one by merging.

python benchmarks/hidden.py         into benchmarks/RESULTS.md
python benchmarks/hidden.py --dry   printed only
"""

from __future__ import annotations

import argparse

import numpy as np

import tacit as tc
from results import write_section
from tacit.learn.unseen.em_cardinality import em_cardinality
from timing import Memory, clock, machine, table

CHILDREN, CLASSES = 11, 4
STAR = "; ".join(f"H -> X{at}" for at in range(CHILDREN))
FIRST = (100, 300, 1_000, 2_000, 5_000, 10_000)
PRIORS = ("per_cell", "summed", "uniform_k")


def star(first: int) -> tc.Dataset:
    """Cases of four classes, eleven children of three states each, with so many different rows."""
    random = np.random.default_rng(1)
    rows = random.dirichlet(np.full(3, 0.4), (CHILDREN, CLASSES))
    group = random.integers(0, CLASSES, 40 * first)
    drawn = random.random((CHILDREN, group.size, 1))
    codes = (drawn > rows[:, group].cumsum(axis=2)).sum(axis=2).clip(0, 2)
    _, met = np.unique(codes, axis=1, return_index=True)
    assert met.size >= first
    last = np.sort(met)[first - 1] + 1
    names = [f"X{at}" for at in range(CHILDREN)]
    variables = {name: tc.Discrete(name, ("a", "b", "c")) for name in names}
    return tc.Dataset(variables, dict(zip(names, codes[:, :last], strict=True)))


def merged() -> str:
    """Seconds by number of first states and prior."""
    rows = []
    tc.agglomerate(star(100), STAR, "H", prior="uniform_k")
    for first in FIRST:
        data = star(first)
        row = [f"{first:,}", f"{len(data):,}"]
        with Memory() as memory:
            for prior in PRIORS:
                best = clock(
                    lambda prior=prior, data=data: tc.agglomerate(data, STAR, "H", prior=prior),
                    most=5,
                )
                row.append(f"{best.wall:.3f}")
        row.append("?" if memory.extra is None else f"{memory.extra / 2**20:,.0f}")
        rows.append(row)
    heads = ("first states", "cases", *(f"{prior}, s" for prior in PRIORS), "memory, MiB")
    return table(heads, rows)


def against_em() -> str:
    """STROKEVOLUME of alarm: all numbers of states by merging, and one number by EM. [HV1-44]"""
    network = tc.textbook("alarm")
    data = tc.sample(network, 10_000, seed=1)
    data = data.select([name for name in data.names if name != "STROKEVOLUME"])
    found = tc.agglomerate(data, network, "STROKEVOLUME")
    ours = clock(lambda: tc.agglomerate(data, network, "STROKEVOLUME"))
    rows = [["merging, all numbers", str(found.states), f"{ours.wall:.4f}"]]
    for what, early in (("EM, 5 starts, 2 to 5 states", False), ("the same, 10 steps", True)):
        tried = em_cardinality(data, network, "STROKEVOLUME", most=5, early=early, seed=1)
        best = clock(
            lambda early=early: em_cardinality(
                data, network, "STROKEVOLUME", most=5, early=early, seed=1
            ),
            most=3,
        )
        rows.append([what, str(tried.states), f"{best.wall:.4f}"])
    return table(("STROKEVOLUME of alarm, 10,000 cases", "states", "s"), rows)


def main() -> None:
    """Measure, and print or keep."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dry", action="store_true")
    dry = parser.parse_args().dry
    text = "\n\n".join(
        [
            "## States of a hidden variable (`benchmarks/hidden.py`)",
            f"From one state per configuration of the blanket to one state: {CHILDREN} children of "
            "three states. Machine code is loaded before the clock starts.",
            machine(["numpy", "numba"]),
            merged(),
            against_em(),
        ]
    )
    print(text)
    if not dry:
        write_section("hidden variables", text)


if __name__ == "__main__":
    main()
