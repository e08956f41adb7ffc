"""Hidden variables, their states and their children found along one path, on stocks.

[Elidan 2004, sections 6.9 to 6.11, Table 6.2, figures 6.10, 6.13, 6.14 and 6.16; HV2 4.3 to 4.6]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import process_time

import numpy as np

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.experiments.elidan.bottleneck_growth_told import (
    ADAPTED,
    Grown,
    Growth,
    Task,
    claims,
    tables,
)
from tacit.experiments.elidan.judged import bits
from tacit.experiments.elidan.planted import measured, planted_hierarchy
from tacit.experiments.elidan.scenes import Scene, above, scene
from tacit.experiments.outcome import Outcome, Settings, repeated
from tacit.families.table import Table
from tacit.infer.information import mutual_information
from tacit.learn.bottleneck.enrichment import Enrichment
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.fit import fit
from tacit.learn.hierarchies.building import grouped_hierarchy

NAME = "elidan2004-table6.2"
ROOT = "H"
MOST = 5
"""New hidden variables at most, as in the reference values. [HV2 4.7]"""
CHILDREN = 6
"""Of each of two hidden variables, one below the other. [HV2 4.4]"""


@dataclass(frozen=True, slots=True)
class Size:
    """How large the experiment is.

    states    of all hidden variables, as in Table 6.2; then they are adapted
    fixed     of one hidden variable, figure 6.10
    random    hierarchies that a search begins at, figure 6.14
    gammas    at which what a hidden variable says is looked at, figure 6.13
    """

    states: tuple[int, ...]
    fixed: tuple[int, ...]
    random: int
    gammas: tuple[float, ...]
    cases: int | None = None
    longest: float = 0.02
    max_steps: int = 100

    def path(self, **more: object) -> IBEM:
        """A path of this size."""
        settings = {"longest": self.longest, "max_steps": self.max_steps, **more}
        return IBEM(**settings)  # type: ignore[arg-type]


SIZES = {
    "smoke": Size((2,), (2, 3), 1, (0.5, 1.0), 80, 0.25, 12),
    "default": Size((2, 3), (2, 3, 4, 5, 8), 2, (0.3, 0.5, 0.7, 0.85, 1.0), None, 0.05, 60),
    "full": Size((2, 3, 5, 10, 20), tuple(range(2, 13)), 25,
                 (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
}  # fmt: skip


def run(settings: Settings) -> Outcome:
    """Every model; an interruption leaves those that were done."""
    size = SIZES[settings.scale]
    held = scene("Stock", settings.data, settings.seed).cut(size.cases)
    models = [*enriched(held, size), *naive(held, size), *searched(held, size, settings.seed)]

    def one(at: int) -> Grown:
        return grown(models[at], held, settings.seed)

    made = repeated(one, len(models), settings, "models")
    signal = signals(size, settings.seed) if len(made) == len(models) else []
    found = Growth(tuple(made), tuple(signal), held.source)
    return Outcome(
        NAME, settings.seed, len(made), len(models), tables(found), claims(found),
        found.remarks(size.random), found.to_plain(),
    )  # fmt: skip


def enriched(held: Scene, size: Size) -> list[Task]:
    """Table 6.2, and figure 6.14's Enrich: from one hidden variable, with and without moves."""
    found = []
    for states in size.states:
        more = Enrichment(states=states, most=MOST)
        for searching in (False, True):
            how = size.path(enrich=more, structure=searching)
            kind = "Enrich+Search" if searching else "Enrich"
            found.append(Task(kind, str(states), above(held.names, ROOT), {ROOT: states}, how))
    more = Enrichment(most=MOST)
    how = size.path(enrich=more, structure=True, cardinality="adapt")
    found.append(Task("Enrich+Search", ADAPTED, above(held.names, ROOT), {ROOT: 2}, how))
    return found


def naive(held: Scene, size: Size) -> list[Task]:
    """Figure 6.10: one hidden variable, of fixed numbers of states and of as many as it can use."""
    dag = above(held.names, ROOT)
    found = [Task("Naive", str(k), dag, {ROOT: k}, size.path()) for k in size.fixed]
    return [*found, Task("Naive", ADAPTED, dag, {ROOT: 2}, size.path(cardinality="adapt"))]


def searched(held: Scene, size: Size, seed: int) -> list[Task]:
    """Figure 6.14: random hierarchies of five binary parents below a root, and moves."""
    found = []
    for number in range(size.random):
        dag = shuffled(held.train, 5, seed + number)
        hidden = {name: 2 for name in dag.names if dag.children[name]}
        found.append(Task("Search", "2", dag, hidden, size.path(structure=True), number))
    return found


def shuffled(cases: Dataset, parents: int, seed: int) -> Dag:
    """Every column below one of so many hidden variables, at random; these below a root."""
    order = np.random.default_rng(seed).permutation(list(cases.names)).tolist()
    groups = {f"{ROOT}{at + 1}": order[at::parents] for at in range(parents)}
    return grouped_hierarchy({**groups, ROOT: list(groups)})


def grown(task: Task, held: Scene, seed: int) -> Grown:
    """One path on one thread, and the network that came out of it."""
    began = process_time()
    found = fit(
        task.dag, held.train, hidden=task.hidden, method=task.method, seed=seed + task.number,
        threads=1, progress=False,
    )  # fmt: skip
    seconds, net = process_time() - began, found.network
    hidden = [name for name in net.dag.names if name not in held.names]
    groups = {
        name: tuple(each for each in net.dag.children[name] if each in held.names)
        for name in hidden
    }
    tables = (net[name] for name in hidden)
    states = tuple(each.values.shape[-1] for each in tables if isinstance(each, Table))
    return Grown(
        task.kind, task.states, bits(net, held.train), bits(net, held.test), states,
        net.free_parameters, groups, seconds,
    )  # fmt: skip


def signals(size: Size, seed: int) -> list[Mapping[str, float]]:
    """Figure 6.13: what T1 of naive Bayes says about its own children and about those of T2.

    Two hidden variables of three states, the second below the first and equal to it with
    probability .6; learned as if there were only the first, to the gammas that are looked at.
    """
    own, other = ([f"{letter}{at}" for at in range(CHILDREN)] for letter in "ab")
    dag = grouped_hierarchy({"T2": other, "T1": [*own, "T2"]})
    states = dict.fromkeys(dag.names, 3)
    cases = measured(planted_hierarchy(dag, states, seed, stays=0.6), size.cases or 1000, seed + 1)
    found = list[Mapping[str, float]]()
    for gamma in size.gammas:
        net = fit(
            above(cases.names, "T1"), cases, hidden={"T1": 3}, threads=1, progress=False, seed=seed,
            method=size.path(until=gamma, finish=False),
        ).network  # fmt: skip
        told = {name: float(mutual_information(net, "T1", name)) for name in cases.names}
        found.append({
            "gamma": gamma,
            "own": float(np.mean([told[name] for name in own])),
            "other": float(np.mean([told[name] for name in other])),
        })  # fmt: skip
    return found
