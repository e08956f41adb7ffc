"""Families that are smaller than tables: noisy-ors and trees of many parents, fitted and asked.

    python benchmarks/local.py            into benchmarks/RESULTS.md
    python benchmarks/local.py --dry      printed only

The peers: pyAgrum's noisy-or, asked by its lazy propagation; scikit-learn's decision trees, grown
on the same columns; and the whole table, where there can be one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

import tacit as tc
from results import write_section
from tacit.core.variables import Discrete
from timing import clock, fresh, machine, seconds, table

NO_YES = ("no", "yes")
CASES = 10_000
SECONDS = 60
"""What a peer may take for one answer."""


def noisy(parents: int) -> tc.Network:
    """A noisy-or of so many causes, which depend on each other in pairs."""
    random = np.random.default_rng(parents)
    causes = [Discrete(f"C{at}", NO_YES) for at in range(parents)]
    families: list[Any] = []
    for at, cause in enumerate(causes):
        if at % 2:
            families.append(tc.table(cause, [causes[at - 1]], [[0.95, 0.05], [0.7, 0.3]]))
        else:
            families.append(tc.table(cause, [], [0.9, 0.1]))
    links = dict(zip(causes, random.uniform(0.1, 0.9, parents).tolist(), strict=True))
    return tc.Network.of([*families, tc.NoisyOr.of(Discrete("X", NO_YES), links, 0.02)])


def ours(network: tc.Network) -> list[str]:
    """Seconds to fit the links, to ask a new network, and to ask it again."""
    data = tc.sample(network, CASES, seed=1)
    tc.fit(network, data)  # what is compiled or loaded once is not measured
    tc.query(network, "P(X)")
    fitting = clock(lambda: tc.fit(network, data), patience=2.0)
    query = "P(C0=yes | X=yes, C1=no)"

    def first() -> float:
        fresh_one = tc.Network(network.dag, network.variables, network.families)
        return float(tc.query(fresh_one, query).values)

    once = clock(first, patience=1.0)
    again = clock(lambda: tc.query(network, query), patience=1.0)
    return [seconds(fitting.cpu), seconds(once.cpu), seconds(again.cpu)]


def written_out(network: tc.Network) -> str:
    """Seconds to ask the same network with a table in place of the noisy-or."""
    try:
        plain = tc.Network.of(
            each.to_table() if isinstance(each, tc.NoisyOr) else each
            for each in network.families.values()
        )
    except tc.SizeError:
        return "no table"
    if len(plain["X"].parents) > 20:
        return "not tried"
    asked: Callable[[], Any] = lambda: tc.query(plain, "P(C0=yes | X=yes, C1=no)")  # noqa: E731
    return seconds(clock(asked, patience=1.0).cpu)


def peer(parents: int) -> str:
    """pyAgrum's answer in a process of its own, which may fail."""
    if parents > 25:
        return "not tried"
    found = fresh(__file__, {"parents": parents})
    return found["failed"][:40] if "failed" in found else seconds(found["seconds"])


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """What pyAgrum takes for the same question."""
    import pyagrum as gum

    network = noisy(question["parents"])
    family = network["X"]
    theirs = gum.BayesNet()
    for name in family.parents:
        theirs.add(gum.LabelizedVariable(name, name, list(NO_YES)))
    theirs.addNoisyORNet(gum.LabelizedVariable("X", "X", list(NO_YES)), float(family.leak))
    for name, link in zip(family.parents, family.links, strict=True):
        theirs.addWeightedArc(name, "X", float(link))
    for name in family.parents:
        for parent in network[name].parents:
            theirs.addArc(parent, name)
        theirs.cpt(name).fillWith(network[name].values.ravel().tolist())

    def asked() -> float:
        engine = gum.LazyPropagation(theirs)
        engine.setEvidence({"X": "yes", "C1": "no"})
        engine.makeInference()
        return float(engine.posterior("C0")[1])

    timing = clock(asked, patience=1.0)
    expected = float(tc.query(network, "P(C0=yes | X=yes, C1=no)").values)
    assert abs(asked() - expected) < 1e-9
    return {"seconds": timing.cpu}


def trees(parents: int, cases: int) -> list[str]:
    """Seconds to grow a tree on columns of three states, and scikit-learn's on the same codes."""
    from sklearn.tree import DecisionTreeClassifier

    from tacit.estimate.local.growing import Told, grown_tree
    from tacit.estimate.local.worth import RowWorth

    random = np.random.default_rng(1)
    codes = random.integers(0, 3, (parents, cases))
    child = ((codes[0] == 1) & (codes[1] > 0)) | ((codes[2] == 0) & (random.random(cases) < 0.3))
    told = Told((3,) * parents + (2,), codes, child.astype(np.int64), np.ones(cases))
    worth = RowWorth.of(tc.BIC(), 2, cases, priced=True)
    grown_tree(told, worth)
    mine = clock(lambda: grown_tree(told, worth), patience=2.0)
    leaves = grown_tree(told, worth)[0].leaves
    one_hot = np.concatenate([(codes == state) for state in range(3)]).T.astype(np.float32)
    theirs = clock(
        lambda: DecisionTreeClassifier(min_samples_leaf=5, ccp_alpha=1e-3).fit(one_hot, child),
        patience=2.0,
    )
    what = f"{parents} parents, {cases:,} cases"
    ratio = f"{theirs.cpu / mine.cpu:.2g}x"
    return [what, f"{leaves}", seconds(mine.cpu), seconds(theirs.cpu), ratio]


def large_tree() -> list[str]:
    """A tree of few leaves over forty parents in a chain: asked, where a table has 2^41 cells."""
    variables = [Discrete(f"P{at}", NO_YES) for at in range(40)]
    families: list[Any] = [tc.table(variables[0], [], [0.4, 0.6])]
    for before, here in pairwise(variables):
        families.append(tc.table(here, [before], [[0.7, 0.3], [0.2, 0.8]]))
    tree: Any = [0.1, 0.9]
    for at, parent in enumerate(reversed(variables[::5])):
        tree = {parent.name: {"no": tree, "yes": [0.9, 0.1] if at % 2 else [0.3, 0.7]}}
    network = tc.Network.of([*families, tc.TreeTable.of(Discrete("X", NO_YES), variables, tree)])

    def first() -> float:
        fresh_one = tc.Network(network.dag, network.variables, network.families)
        return float(tc.query(fresh_one, "P(P0=yes | X=yes)").values)

    return [seconds(clock(first, patience=1.0).cpu)]


def main() -> None:
    """Measure, print, write down."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--dry", action="store_true", help="print the results, write no file")
    options.add_argument("--answer", help="what a process of its own is asked")
    asked = options.parse_args()
    if asked.answer:
        import json

        print(json.dumps(answer(json.loads(asked.answer))))
        return
    lines = []
    for parents in (5, 10, 15, 20, 30, 60):
        network = noisy(parents)
        lines.append([f"{parents}", *ours(network), written_out(network), peer(parents)])
        print(lines[-1], flush=True)
    grown = [trees(6, 1_000), trees(20, 10_000), trees(30, 100_000)]
    heads = ["parents", "fit", "first answer", "next answer", "answer of the table", "pyAgrum"]
    text = f"""## Families that are smaller than tables (`benchmarks/local.py`)

{machine(["tacit-bn", "pyagrum", "scikit-learn", "numpy", "numba"])}

CPU seconds. A noisy-or whose causes depend on each other in pairs: its links fitted from {CASES:,}
cases, and P(C0 | X, C1) asked of a network that is new and of one that was asked before; the same
of the whole table; pyAgrum's noisy-or and lazy propagation, as far as it was tried. The answers
agree to 1e-9.

{table(heads, lines)}

Trees grown on columns of three states, and scikit-learn's `DecisionTreeClassifier` on the same
cases with a column per state, pruned by cost (another criterion, so the trees differ).

{table(["problem", "leaves", "Tacit", "scikit-learn", "ratio"], grown)}

A tree of nine leaves over forty parents, whose whole table would have 2^41 cells: first answer
after {large_tree()[0]}.
"""
    print(text)
    if not asked.dry:
        write_section("local", text)


if __name__ == "__main__":
    main()
