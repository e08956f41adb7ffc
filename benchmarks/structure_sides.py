"""The sides of the comparison of searches: each prepares cases, and returns the work to be timed.

The work is a function of the number of threads; it answers with the parents of every variable, by
the numbers of the columns, and how many families were scored, 0 where nobody tells.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import tacit as tc
from structure_problems import Cases, Parents

Work = Callable[[int], tuple[Parents, int]]
PLAIN = "tc.HillClimb(restarts=0)"
TABU = "tc.Tabu(length=20, restarts=0)"
RESTARTS = 'tc.Tabu(length=20, restarts=100, perturb="order", shaken=8)'
CANDIDATES = "tc.HillClimb(restarts=0, candidates=10)"
METHODS: Mapping[str, Any] = {
    PLAIN: tc.HillClimb(restarts=0),
    TABU: tc.Tabu(length=20, restarts=0),
    RESTARTS: tc.Tabu(length=20, restarts=100, perturb="order", shaken=8),
    CANDIDATES: tc.HillClimb(restarts=0, candidates=10),
}


def by_tacit(method: str, cases: Cases) -> Work:
    """`tc.search`, from cases to a fitted network."""
    names = cases.data.names
    place = {name: at for at, name in enumerate(names)}
    tc.search(tc.sample(tc.textbook("asia"), 100, seed=1), seed=1, progress=False)  # loads code

    def work(threads: int) -> tuple[Parents, int]:
        found = tc.search(
            cases.data,
            method=METHODS[method],
            as_given=True,
            seed=1,
            threads=threads,
            progress=False,
        )
        dag = tuple(tuple(sorted(place[who] for who in found.dag.parents[name])) for name in names)
        return dag, found.evaluations

    return work


def by_pyagrum(use: str, cases: Cases) -> Work:
    """learnDAG of a learner that has taken the cases in."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pyagrum
    names = cases.data.names
    place = {name: at for at, name in enumerate(names)}
    frame, template = cases.frame(), pyagrum.BayesNet()
    for name in names:
        states = list(cases.data.variables[name].states)
        template.add(pyagrum.LabelizedVariable(name, name, states))
    learner = pyagrum.BNLearner(frame, template)
    getattr(learner, use)()
    learner.useScoreBIC()
    learner.useNoPrior()

    def work(threads: int) -> tuple[Parents, int]:
        learner.setNumberOfThreads(threads)
        dag = learner.learnDAG()
        numbers = [template.idFromName(name) for name in names]
        back = {number: place[name] for number, name in zip(numbers, names, strict=True)}
        return tuple(tuple(sorted(back[at] for at in dag.parents(head))) for head in numbers), 0

    return work


def by_pgmpy(cases: Cases) -> Work:
    """Hill climbing by BIC on a frame of small integers; it knows no threads."""
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.estimators import BIC, HillClimbSearch
    names = cases.data.names
    place = {name: at for at, name in enumerate(names)}
    frame = pd.DataFrame({name: cases.data[name] for name in names})

    def work(threads: int) -> tuple[Parents, int]:
        del threads
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search = HillClimbSearch(frame)
            found = search.estimate(scoring_method=BIC(frame), show_progress=False)
        parents: dict[str, list[int]] = {name: [] for name in names}
        for tail, head in found.edges():
            parents[head].append(place[tail])
        return tuple(tuple(sorted(parents[name])) for name in names), 0

    return work


SIDES: Mapping[str, Callable[[Cases], Work]] = {
    "Tacit, plain": partial(by_tacit, PLAIN),
    "Tacit, tabu": partial(by_tacit, TABU),
    "Tacit, tabu and restarts": partial(by_tacit, RESTARTS),
    "Tacit, 10 candidates": partial(by_tacit, CANDIDATES),
    "pyAgrum, greedy": partial(by_pyagrum, "useGreedyHillClimbing"),
    "pyAgrum, tabu": partial(by_pyagrum, "useLocalSearchWithTabuList"),
    "pgmpy": by_pgmpy,
}
