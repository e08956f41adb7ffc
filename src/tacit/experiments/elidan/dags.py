"""Searches over dags on complete cases: annealed weights against restarts, at equal effort.

[Elidan 2004, section 3.5.1, figures 3.3 and 3.4, Table 3.1 first part; HV1 X3.3 to X3.5, X3.10]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.grid import Grid
from tacit.core.network import Network
from tacit.estimate.priors import BDeu
from tacit.experiments.elidan.domains import domain
from tacit.experiments.elidan.judged import Judged, Paired, Watch, bits, means
from tacit.experiments.outcome import Claim, Outcome, Settings, repeated
from tacit.infer.sampling import sample
from tacit.io.textbook import textbook
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.annealing.simulated import SimulatedAnnealing
from tacit.learn.fit import fit
from tacit.learn.structure.scored import score
from tacit.learn.structure.search import search
from tacit.learn.structure.settings import HillClimb, Tabu

NAME = "elidan2004-search"
PRIOR = BDeu(5)
"""The source does not say how strong its prior is; 5 cases. [HV1 section 6]"""
BASELINE, SILVER = "restarts", "silver"
INNER = Tabu(length=25, restarts=0)
"""The search between two reweightings. [stated in 3.5.1]"""
VAIN = 200
"""Restarts in a row without a better dag that end a search before its effort is spent."""
USUAL = SimulatedAnnealing()
PAPER = {
    "alarm": {"random": "+0.15 (80% mark +0.18)", "adversary": "+0.17"},
    "stock": {"random": "-0.02 (80% mark +0.01)", "adversary": "+0.03"},
}
"""Table 3.1: bits per new case above the best of many restarts."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large the experiment is.

    draws    data sets per domain
    randoms  runs with random weights on each
    cases    of alarm to learn from
    new      cases of alarm to judge by
    cooling  from one temperature to the next
    slow     runs with weights at random that cool ten times as slowly
    simulated  how simulated annealing cools
    """

    draws: int
    randoms: int
    cases: int = 1000
    new: int = 10_000
    cooling: float = 0.9
    slow: int = 0
    domains: tuple[str, ...] = ("alarm", "stock")
    simulated: SimulatedAnnealing = USUAL


SIZES = {
    "smoke": Size(
        1,
        1,
        300,
        1000,
        0.6,
        domains=("alarm",),
        simulated=SimulatedAnnealing(start=10, cooling=0.8),
    ),
    "default": Size(3, 3),
    "full": Size(10, 10, slow=1),
}


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Cases to learn from, others to judge by, and what they came from where that is known."""

    train: Dataset
    test: Dataset
    truth: Network | None
    seed: int
    source: str


def run(settings: Settings) -> Outcome:
    """Every method on every data set; differences are paired."""
    size = SIZES[settings.scale]
    tasks = [(name, number) for number in range(size.draws) for name in size.domains]

    def one(at: int) -> tuple[str, list[Judged], str]:
        name, number = tasks[at]
        task = drawn(name, size, settings, number)
        return name, compared(task, size), task.source

    made = repeated(one, len(tasks), settings, "data sets")
    runs = {name: [judged for of, judged, _ in made if of == name] for name in size.domains}
    runs = {name: sets for name, sets in runs.items() if sets}
    sources = {name: source for name, _, source in made}
    tables = tuple(_table(name, sets) for name, sets in runs.items())
    rows = [{"domain": name, **row} for name, sets in runs.items() for row in _plain(sets)]
    plain = {"rows": rows, "sources": sources}
    claims = _claims(runs["alarm"])
    return Outcome(
        NAME, settings.seed, len(made), len(tasks), tables, claims, _remarks(runs, sources), plain
    )


def drawn(name: str, size: Size, settings: Settings, number: int) -> Task:
    """One data set of a domain."""
    seed = settings.seed + number
    if name == "alarm":
        truth = textbook("alarm")
        train, test = (sample(truth, n, seed=2 * seed + at) for at, n in
                       enumerate((size.cases, size.new)))  # fmt: skip
        return Task(train, test, truth, seed, "drawn from the textbook network")
    found = domain(name, settings.data, seed)
    return Task(found.train, found.test, None, seed, found.source)


def compared(task: Task, size: Size) -> list[Judged]:
    """Every method on one data set; restarts may score as many families as the adversary did."""
    adversary = WeightAnnealing(INNER, cooling=size.cooling)
    random = replace(adversary, reweight="random")
    runs = [learned("greedy", task, HillClimb(restarts=0))]
    runs.append(learned("adversary", task, adversary))
    runs += [learned("random", task, random, number) for number in range(size.randoms)]
    slow = replace(random, cooling=size.cooling**0.1)
    runs += [learned("random, slow", task, slow, number) for number in range(size.slow)]
    budget = next(run.evaluations for run in runs if run.method == "adversary")
    many = Tabu(restarts=VAIN, max_evaluations=budget)
    runs.append(learned(BASELINE, task, many))
    turned = HillClimb(restarts=VAIN, max_evaluations=budget)
    runs.append(learned("restarts by reordering", task, turned))
    runs.append(learned("simulated annealing", task, size.simulated))
    if task.truth is not None:
        runs.append(fitted(SILVER, task, task.truth.dag))
    return runs


def learned(method: str, task: Task, how: Any, number: int = 0) -> Judged:
    """One search, judged."""
    watch = Watch()
    found = search(
        task.train, score=PRIOR, method=how, as_given=True, seed=1000 * task.seed + number
    )
    train = found.score / task.train.total_weight
    return Judged(method, train, bits(found.network, task.test), found.evaluations, watch.seconds)


def fitted(method: str, task: Task, dag: Dag) -> Judged:
    """The parameters of a given dag, judged."""
    watch = Watch()
    train = score(dag, task.train, PRIOR).total / task.train.total_weight
    network = fit(dag, task.train, prior=PRIOR).network
    return Judged(method, train, bits(network, task.test), 0, watch.seconds)


def against(sets: Sequence[Sequence[Judged]], method: str, what: str) -> Paired:
    """How much a method's mean is above the restarts on the same data, in train or test."""
    each = [means(runs) for runs in sets]
    return Paired.of([getattr(m[method], what) - getattr(m[BASELINE], what) for m in each])


def _methods(sets: Sequence[Sequence[Judged]]) -> list[str]:
    return list(dict.fromkeys(run.method for runs in sets for run in runs))


def _table(name: str, sets: Sequence[Sequence[Judged]]) -> Grid:
    rows = []
    for method in _methods(sets):
        own = [means(runs)[method] for runs in sets]
        rows.append(
            (
                method,
                PAPER[name].get(method, "below" if method == SILVER else ""),
                str(against(sets, method, "test")) if method != BASELINE else "0",
                str(against(sets, method, "train")) if method != BASELINE else "0",
                f"{sum(each.evaluations for each in own) / len(own):,.0f}",
                f"{sum(each.seconds for each in own) / len(own):.2f}",
            )
        )
    heads = ("method", "paper, bits", "ours, bits", "score per case", "families scored", "seconds")
    many = len(sets)
    title = f"{name}, {many} data set{'s' if many > 1 else ''}: above restarts of equal effort"
    return Grid(title, heads, tuple(rows))


def _claims(sets: Sequence[Sequence[Judged]]) -> tuple[Claim, ...]:
    each = [means(runs) for runs in sets]
    many = len(each)
    least = many - many // 10
    above = {
        method: sum(m[method].train >= m["greedy"].train - 1e-9 for m in each)
        for method in ("adversary", "random")
    }
    return (
        Claim(
            f"alarm: the score of both is at least that of greedy search in {least} of {many}",
            all(count >= least for count in above.values()),
        ),
        Claim(
            "alarm: both score higher than restarts with a tabu list of equal effort",
            all(against(sets, method, "train").mean > 0 for method in above),
        ),
        Claim(
            "alarm: both predict new cases better than those restarts",
            all(against(sets, method, "test").mean > 0 for method in above),
        ),
        Claim(
            "alarm: both predict new cases better than the true dag with fitted parameters",
            all(
                against(sets, method, "test").mean > against(sets, SILVER, "test").mean
                for method in above
            ),
        ),
        Claim(
            "alarm: simulated annealing scores less than either",
            all(
                against(sets, "simulated annealing", "train").mean
                < against(sets, method, "train").mean
                for method in above
            ),
        ),
    )


def _remarks(
    runs: Mapping[str, Sequence[Sequence[Judged]]], sources: Mapping[str, str]
) -> tuple[str, ...]:
    turned = against(runs["alarm"], "restarts by reordering", "train")
    randoms = against(runs["alarm"], "random", "train")
    said = [f"{name}: {source}." for name, source in sources.items()]
    said.append(
        "The paper gives its baseline the same time; here restarts score as many families as the "
        "adversary did. It does not say how many cases of alarm it learned from, nor its prior."
    )
    said.append(
        f"Of what annealing gains over greedy search the restarts of the paper have as much where "
        f"they score as many families: on alarm annealing at random is {randoms} per case above "
        f"them. Restarts that move variables to other places of the order are {turned} above them, "
        "with far fewer families scored."
    )
    said.append(
        "Every reweighting forgets all scores; restarts on the same cases ask for many families "
        "again and pay nothing. That is why their seconds are not those of their families."
    )
    said.append("Ours are means over runs; the paper's baseline is the best of 100.")
    return tuple(said)


def _plain(sets: Sequence[Sequence[Judged]]) -> list[dict[str, Any]]:
    return [
        {
            "method": method,
            "test_bits": against(sets, method, "test").to_plain(),
            "score": against(sets, method, "train").to_plain(),
            "runs": [
                {"train": run.train, "test": run.test, "evaluations": run.evaluations}
                for runs in sets
                for run in runs
                if run.method == method
            ],
        }
        for method in _methods(sets)
    ]
