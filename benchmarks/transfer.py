"""What borrowing gains from related sources, and what unrelated ones cost.

python benchmarks/transfer.py         into benchmarks/RESULTS.md
python benchmarks/transfer.py --dry   printed only
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import tacit as tc
from results import write_section
from timing import machine, table

WAYS = {"best": tc.BestFragment(), "mixture": tc.Mixture(), "pool": tc.Pool()}
SEEDS = range(9_000, 9_150)


def at_random(network: tc.Network, random: np.random.Generator) -> tc.Network:
    """The same structure with rows of uniform numbers, made to add up to 1."""
    families = {}
    for name in network:
        rows = random.random(network[name].values.shape)
        families[name] = tc.Table(network[name].variables, rows / rows.sum(-1, keepdims=True))
    return tc.Network(network.dag, network.variables, families)


def distance(truth: tc.Network, fit: tc.Fit) -> float:
    """Mean over rows of KL(truth, estimate), in nats."""
    found = []
    for name in truth:
        p, q = truth[name].values, fit.network[name].values
        with np.errstate(divide="ignore", invalid="ignore"):
            found.append(np.where(p > 0, p * np.log(p / q), 0.0).sum(-1).ravel())
    return float(np.concatenate(found).mean())


def measured(network: tc.Network, cases: int) -> list[list[str]]:
    """A line for every way to borrow: the change of the distance, and its standard error."""
    changes: dict[str, tuple[list[float], list[float]]] = {way: ([], []) for way in WAYS}
    without = []
    for seed in SEEDS:
        target = tc.sample(network, cases, seed=seed)
        without.append(distance(network, tc.fit(network, target, prior=tc.K2())))
        wrong = at_random(network, np.random.default_rng(seed))
        sources = (tc.sample(network, 300, seed=1000 + seed), tc.sample(wrong, 300, seed=seed))
        for way, transfer in WAYS.items():
            for told, source in zip(changes[way], sources, strict=True):
                fit = tc.fit(network, target, prior=tc.K2(), transfer=transfer,
                             sources=tc.Source(source, "elsewhere"))  # fmt: skip
                told.append(distance(network, fit) - without[-1])
    return [
        [way, f"{np.mean(without):.3f}", *(_told(each) for each in both)]
        for way, both in changes.items()
    ]


def _told(changes: list[float]) -> str:
    return f"{np.mean(changes):+.4f} ± {np.std(changes) / len(changes) ** 0.5:.4f}"


def text() -> str:
    """All of it, as the page shows it."""
    heads = ["network", "cases", "way", "KL without sources", "related source", "unrelated source"]
    lines = []
    start = time.perf_counter()
    for name in ("asia", "cancer"):
        network = tc.textbook(name)
        for cases in (20, 100):
            lines += [[name, str(cases), *line] for line in measured(network, cases)]
    took = time.perf_counter() - start
    return f"""## Borrowing (`benchmarks/transfer.py`)

{machine(["tacit-bn", "numpy"])}

Change of the mean row divergence KL(truth, estimate) in nats by one source of 300 cases, K2 prior,
mean and standard error over {len(SEEDS)} seeds that were not looked at when the defaults were
chosen. Below 0 the source helps. An unrelated source has the same structure and random tables.
{len(lines) * 2 * len(SEEDS):,} fits in {took:.0f} s.

{table(heads, lines)}
"""


def main() -> None:
    """Measure, print, write down."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--dry", action="store_true", help="print the results, write no file")
    asked = options.parse_args()
    found = text()
    print(found)
    if not asked.dry:
        write_section("transfer", found)


if __name__ == "__main__":
    main()
