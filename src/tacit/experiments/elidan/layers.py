"""Hidden parents of genes: a cluster for each new one, or all columns. Two layers, held out.

[Elidan 2004, section 7.6, Figures 7.5 and 7.6; HV2 5.3, HV2-35]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.grid import Grid
from tacit.estimate.scores.values import BIC
from tacit.experiments.elidan.crossing import Fold, crossed
from tacit.experiments.elidan.genes import dataset, genes
from tacit.experiments.outcome import Claim, Outcome, Settings, repeated
from tacit.families.curved import SigmoidGaussian
from tacit.learn.layers.answered import bench_of, wanted_of
from tacit.learn.layers.learning import learn_layers
from tacit.learn.layers.model import believe
from tacit.learn.structure.settings import IdealParent

NAME = "elidan2004-figure7.6"
FOLDS = 5
VARIANTS = ("greedy", "greedy moves, ideal insertion", "ideal")
REGULATORS, TARGETS = 7, 141
"""Of the two-layer network that the paper calls Gold."""


@dataclass(frozen=True, slots=True)
class Task:
    """Which cases, which families, and how many parents a column may have."""

    data: str
    form: str
    most: int

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.data}, {self.form}, at most {self.most}"


GOLD = Task("Gold, 100 cases", "linear", 2)
TASKS = tuple(
    Task(data, form, most)
    for most in (2, 5)
    for data, form in (("AA", "linear"), ("AA Cond", "linear"), ("AA", "sigmoid"))
)


@dataclass(frozen=True, slots=True)
class Size:
    """Which tasks, folds held out, and hidden variables at most."""

    tasks: tuple[Task, ...]
    folds: int
    hidden: int


SIZES = {
    "smoke": Size((Task("AA", "linear", 2),), 1, 2),
    "default": Size((*TASKS[:2], TASKS[2], GOLD), 1, 6),
    "full": Size((*TASKS, GOLD), FOLDS, 20),
}


def run(settings: Settings) -> Outcome:
    """Every task, fold by fold; an interruption leaves the folds that were done."""
    size = SIZES[settings.scale]
    pieces = [(task, number) for number in range(size.folds) for task in size.tasks]

    def one(at: int) -> dict[str, Any]:
        task, number = pieces[at]
        fold, source = _fold(task, number, settings)
        runs = {name: judged(task, fold, name, size.hidden) for name in VARIANTS}
        return {"task": task.name, "source": source, "runs": runs}

    made = repeated(one, len(pieces), settings, "folds")
    return Outcome(
        NAME, settings.seed, len(made), len(pieces), (_table(made),), _claims(made),
        _remarks(made), {"rows": made},
    )  # fmt: skip


def _fold(task: Task, number: int, settings: Settings) -> tuple[Fold, str]:
    if task.data.startswith("Gold"):
        values = gold(600, settings.seed + number)
        whole = dataset(values, "G")
        parts = Fold(whole.take(np.arange(100)), whole.take(np.arange(100, 600)))
        return parts, f"{REGULATORS} regulators of {TARGETS} genes at random"
    held = genes(task.data, settings.data, settings.seed)
    return crossed(held.cases, FOLDS, settings.seed)[number], held.source


def gold(cases: int, seed: int) -> Floats:
    """(cases, genes) of a bipartite network at random: one, two or three regulators of each with
    probabilities .7, .25 and .05, loadings ±U(.5, 1.5), noise of sd .5. [HV2 5.1]"""
    random = np.random.default_rng([seed, 7, 5])
    hidden = random.normal(size=(cases, REGULATORS))
    columns = np.zeros((cases, TARGETS))
    for at in range(TARGETS):
        many = int(random.choice([1, 2, 3], p=[0.7, 0.25, 0.05]))
        for parent in random.permutation(REGULATORS)[:many]:
            loading = random.choice([-1, 1]) * random.uniform(0.5, 1.5)
            columns[:, at] += loading * hidden[:, parent]
    return np.asarray(columns + 0.5 * random.normal(size=columns.shape))


def method_of(variant: str, task: Task, hidden: int) -> IdealParent:
    """Greedy scores all moves and puts a new hidden variable above all columns."""
    many = 2 if variant == "ideal" else 1000
    insert = "all" if variant == "greedy" else "cluster"
    return IdealParent(
        k=many, hidden=True, insert=insert, most_parents=task.most, most_hidden=hidden
    )


def judged(task: Task, fold: Fold, variant: str, hidden: int) -> dict[str, float]:
    """One search: bits per case and variable, hidden variables and arcs."""
    family = SigmoidGaussian if task.form == "sigmoid" else None
    method = method_of(variant, task, hidden)
    wanted = wanted_of(fold.train, method, BIC(), family, 1)
    bench = bench_of(wanted)
    found = learn_layers(bench, wanted.codes, _unheard)
    layer = found.fitted.layer
    scaled = wanted.scaled

    def bits(cases: Dataset) -> float:
        values = np.array([cases[name] for name in cases.names])
        columns = (values - scaled.means[:, None]) / scaled.sds[:, None]
        logs = believe(layer, columns).evidence - np.log(scaled.sds).sum()
        return float(logs.mean()) / len(cases.names) / log(2)

    return {
        "train": bits(fold.train),
        "test": bits(fold.test),
        "hidden": float(layer.hidden),
        "arcs": float(layer.arcs.sum()),
        "families": float(bench.evaluations),
    }


def _mean(made: Sequence[Mapping[str, Any]], task: str, variant: str, what: str) -> float:
    return float(np.mean([m["runs"][variant][what] for m in made if m["task"] == task]))


def _table(made: Sequence[Mapping[str, Any]]) -> Grid:
    rows = []
    for task in dict.fromkeys(m["task"] for m in made):
        for variant in VARIANTS:
            test = _mean(made, task, variant, "test")
            over = test - _mean(made, task, "greedy", "test")
            rows.append((
                task if variant == VARIANTS[0] else "", variant,
                f"{_mean(made, task, variant, 'train'):.3f}", f"{test:.3f}", f"{over:+.3f}",
                *(f"{_mean(made, task, variant, what):,.1f}" for what in
                  ("hidden", "arcs", "families")),
            ))  # fmt: skip
    heads = ("cases", "search", "train", "test", "over greedy", "hidden", "arcs", "scored")
    title = "Two layers, bits per case and variable (Figures 7.5 and 7.6)"
    return Grid(title, heads, tuple(rows), labels=2)


def _claims(made: Sequence[Mapping[str, Any]]) -> tuple[Claim, ...]:
    """The paper: ideal is always better than greedy on cases held out, and the insertion is why."""
    tasks = [t for t in dict.fromkeys(m["task"] for m in made) if not t.startswith("Gold")]
    over = [_mean(made, t, "ideal", "test") - _mean(made, t, "greedy", "test") for t in tasks]
    found = [
        Claim(f"held out, ideal is no worse than greedy on average ({np.mean(over):+.3f} bits)",
              bool(np.mean(over) >= -0.005)),
    ]  # fmt: skip
    moved = [_mean(made, t, "ideal", "test") - _mean(made, t, VARIANTS[1], "test") for t in tasks]
    found.append(
        Claim(
            f"with the same insertion, two candidates do as well as all ({np.mean(moved):+.3f})",
            bool(abs(np.mean(moved)) <= 0.02),
        )
    )
    return tuple(found)


def _remarks(made: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    sources = dict.fromkeys(f"{m['task'].split(',')[0]}: {m['source']}" for m in made)
    return (
        "; ".join(sources),
        "of the paper's figures the plots are lost; its text says that ideal is always better than "
        "greedy on cases held out, that greedy moves with ideal insertion are slightly better "
        "still, and that on Gold both are equal",
        "beliefs about hidden parents are exact for lines; for sigmoids they are Laplace's, and so "
        "is the likelihood of the cases held out",
    )


def _unheard(many: int, worth: float) -> None:
    del many, worth
