"""Posteriors under rules: Tacit, NumPyro's NUTS, rejection and a plain Gibbs kernel in one run.

    python benchmarks/posterior.py            into benchmarks/RESULTS.md
    python benchmarks/posterior.py --dry      printed only
    python benchmarks/posterior.py --quick    a first look, printed only

NumPyro is in benchmarks/requirements.txt; without it the tables say that it is absent.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from posterior_peers import Cut, by_nuts, by_plain_gibbs, by_rejection, cut, rate
from results import write_section
from tacit.arrays import Floats
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Draws, Sampling
from tacit.estimate.bayes.sampler import sample
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.polytope import relative_interior
from tacit.knowledge.rows import Rows
from timing import cores, machine, seconds, table


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    shapes: tuple[tuple[int, int], ...] = ((5, 3), (10, 5), (20, 8), (50, 20))
    problems: int = 6
    draws: int = 80_000
    sweeps: int = 20_000
    nuts: int = 1_000
    nuts_problems: int = 3
    patience: float = 3.0
    rows: int = 1_000


QUICK = Size(problems=2, sweeps=5_000, nuts=300, nuts_problems=1, patience=1.0, rows=200)


def blocks_of_rows(given: list[Cut]) -> Blocks:
    """Every row a block of its own."""
    lengths = np.array([each.alpha.size for each in given])
    counts = np.array([each.limits.size for each in given])
    cell_at, rule_at = (np.concatenate([[0], np.cumsum(each)]) for each in (lengths, counts))
    cells, factors, sizes = [], [], []
    for first, each in zip(cell_at, given, strict=False):
        rule, cell = np.nonzero(each.matrix)
        cells.append(cell + first)
        factors.append(each.matrix[rule, cell])
        sizes.append(np.bincount(rule, minlength=each.limits.size))
    number = np.arange(rule_at[-1])
    rows = Rows(
        np.concatenate([[0], np.cumsum(np.concatenate(sizes))]), np.concatenate(cells),
        np.concatenate(factors), np.concatenate([each.limits for each in given]),
        np.zeros(number.size, dtype=np.bool_), number, np.ones(number.size, dtype=np.int64),
    )  # fmt: skip
    return Blocks(
        np.arange(cell_at[-1]), np.repeat(np.arange(len(given)), lengths), cell_at,
        np.arange(len(given) + 1), rows, rule_at, number,
    )  # fmt: skip


def ours(given: Cut, draws: int) -> float:
    """Effective draws per CPU second of one thread, warming up counted."""
    blocks = blocks_of_rows([given])
    inside, density = relative_interior(blocks), Density(given.alpha)
    settings = Sampling(draws=draws, chains=4, precision=None)
    cpu = time.process_time()
    found = sample(blocks, np.array([0]), density, settings, 1, inside=inside)
    return rate(found.values, time.process_time() - cpu)


# --- one row ---------------------------------------------------------------------------------


def one_row(states: int, rules: int, size: Size) -> list[str]:
    """The median over problems of each side, and the least advantage over the plain kernel."""
    given = [cut(states, rules, seed) for seed in range(size.problems)]
    mine = np.array([ours(each, size.draws) for each in given])
    plain = np.array([by_plain_gibbs(each, size.sweeps) for each in given])
    free = [by_rejection(each, size.patience) for each in given]
    nuts = [by_nuts(states, rules, seed, size.nuts) for seed in range(size.nuts_problems)]
    failed = any("failed" in each for each in nuts)
    known = np.array([] if failed else [float(each["rate"]) for each in nuts])
    diverged = [] if failed else [float(each["diverged"]) for each in nuts]
    rejected = np.array([each or 0.0 for each in free])
    line = [
        f"{states}, {rules}", f"{np.median(mine):,.0f}", f"{np.median(plain):,.0f}",
        f"{np.median(rejected):,.0f}" + (f" ({free.count(None)} none)" if None in free else ""),
        f"{np.median(known):.3g}" if known.size else "absent",
        f"{np.median(diverged):.0%}" if diverged else "",
        f"{np.median(mine / plain):.3g}x", f"{(mine / plain).min():.3g}x",
        f"{np.median(mine[: known.size] / known):,.0f}x" if known.size else "",
        f"{(mine[: known.size] / known).min():,.0f}x" if known.size else "",
    ]  # fmt: skip
    print(line, file=sys.stderr, flush=True)
    return line


# --- a network -------------------------------------------------------------------------------


def network(rows: int) -> tuple[Blocks, Floats]:
    """Rows of 3 to 6 states with two orders or bounds each, and twenty cases."""
    given = [cut(3 + row % 4, 2 + row % 2, 7 * row) for row in range(rows)]
    return blocks_of_rows(given), np.concatenate([each.alpha for each in given])


def whole(rows: int, threads: int) -> tuple[float, float, float, Draws]:
    """Seconds for what the rules force, for the draws to an error of 1e-3, and CPU seconds."""
    blocks, alpha = network(rows)
    start = time.perf_counter()
    inside = relative_interior(blocks)
    middle, cpu = time.perf_counter(), time.process_time()
    found = sample(blocks, np.arange(len(blocks)), Density(alpha), Sampling(), 1,
                   threads=threads, inside=inside)  # fmt: skip
    wall, spent = time.perf_counter() - middle, time.process_time() - cpu
    return middle - start, wall, spent, found


def text_of(size: Size) -> str:
    """Every part measured, as the page shows it."""
    for states, rules in ((4, 2), (20, 8)):  # machine code is loaded
        for seed in range(2):
            ours(cut(states, rules, seed), 400)
    whole(20, 2)
    lines = [one_row(states, rules, size) for states, rules in size.shapes]
    walls = [(threads, whole(size.rows, threads)) for threads in sorted({1, cores()})]
    heads = ["states, rules", "Tacit", "plain Gibbs", "rejection", "NUTS", "diverged",
             "Tacit / Gibbs", "least", "Tacit / NUTS", "least"]  # fmt: skip
    packages = ["tacit-bn", "numpy", "numba", *(["numpyro"] if find_spec("numpyro") else [])]
    shown = [
        [f"{threads}", seconds(ready), seconds(wall), seconds(spent), f"{found.error.max():.2e}",
         f"{found.size.min():,.0f}", f"{found.rhat.max():.3f}", str(found.settled)]
        for threads, (ready, wall, spent, found) in walls
    ]  # fmt: skip
    return f"""## Posteriors under rules (`benchmarks/posterior.py`)

{machine(packages)}

### One row

Effective draws per CPU second of one thread, the slowest cell counts; medians of {size.problems}
random problems (of NUTS: the first {
        size.nuts_problems
    }): orders between cells and bounds on sums, true of a random row, with two cases a
state, in every second problem from another row. One function computes the effective size of the
draws of all sides. Tacit's warming up and its choice of moves are counted, compiling is not.
Plain Gibbs: random pairs of cells exchange mass by a shrinking slice, in numba. Rejection: from the
Dirichlet. NUTS: NumPyro on the simplex (stick-breaking) with -∞ outside the rules, one chain from a
point inside, compiling and warming up not counted; diverged: of its transitions. Ratios are medians
over problems, and the least.

{table(heads, lines)}

### A network of {size.rows:,} ruled rows

Rows of 3 to 6 states with two or three rules each, drawn until the Monte Carlo error of every
mean is below 1e-3; 4,000 draws are kept. Ready: what the rules force, and a point inside.

{
        table(
            [
                "threads",
                "ready",
                "drawn",
                "CPU",
                "largest error",
                "least size",
                "largest R-hat",
                "settled",
            ],
            shown,
        )
    }
"""


LIBRARY = """\
## Posteriors of a whole network (`benchmarks/posterior.py --library`)

`tc.posterior` of a network with 1,000 ruled rows of 3 to 6 states (an order of two or three states
and a bound in every row), 5,000 cases, `tc.K2()`, to a Monte Carlo error of 1e-3 of every mean;
binding, checking and recognising included, compiling not.

| threads | wall | CPU | exact blocks | sampled blocks | largest error |
| --- | ---: | ---: | ---: | ---: | ---: |
"""


def library() -> str:
    """The whole way through the public interface."""
    import tacit as tc

    random = np.random.default_rng(0)
    parent = tc.Discrete("P", tuple(f"p{at}" for at in range(250)))
    variables, parents = {"P": parent}, {"P": ()}
    families = {"P": tc.Table((parent,), np.full(250, 1 / 250))}
    rules = []
    for states in (3, 4, 5, 6):
        name = f"X{states}"
        child = tc.Discrete(name, tuple(f"s{at}" for at in range(states)))
        variables[name], parents[name] = child, ("P",)
        rows = random.dirichlet(2.0 * np.arange(1, states + 1), 250)
        families[name] = tc.Table((parent, child), rows)
        rules.append(f"P({name}=s0 | P=*) <= P({name}=s1 | P=*)")
        rules.append(f"P({name}=s{states - 1} | P=*) >= 0.2")
        if states > 3:
            rules.append(f"P({name}=s1 | P=*) <= P({name}=s2 | P=*)")
    network = tc.Network(tc.Dag(parents), variables, families)
    cases, known = tc.sample(network, 5_000, seed=1), "\n".join(rules)
    lines = []
    for threads in (1, 1, cores()):  # the first loads machine code
        wall, cpu = time.perf_counter(), time.process_time()
        found = tc.posterior(network, cases, knowledge=known, prior=tc.K2(), seed=1,
                             threads=threads, sampling=tc.Sampling(draws=400))  # fmt: skip
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        ways = found.diagnostics.ways
        drawn = ways.get("sampled under the rules", 0)
        lines.append(
            f"| {threads} | {wall:.1f} s | {cpu:.1f} s | {sum(ways.values()) - drawn} | {drawn} "
            f"| {found.diagnostics.error:.1e} |"
        )
    return LIBRARY + "\n".join(lines[1:])


def main() -> None:
    """Measure, print, write down."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="little of everything; no file")
    options.add_argument("--dry", action="store_true", help="print the results, write no file")
    options.add_argument("--library", action="store_true", help="a whole network, and only that")
    asked = options.parse_args()
    if asked.library:
        text = library()
        print(text)
        if not asked.dry:
            write_section("posterior of a network", text)
        return
    text = text_of(QUICK if asked.quick else Size())
    print(text)
    if not asked.dry and not asked.quick:
        write_section("posterior", text)


if __name__ == "__main__":
    main()
