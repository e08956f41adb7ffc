"""Four hidden variables that depend on each other: merged in turn, then structural EM.

[Elidan 2004, sections 5.3 and 5.4, figure 5.4; HV1 X5.6, with the generator of 8.6]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from math import nan

import numpy as np

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.estimate.priors import BDeu
from tacit.experiments.elidan.cardinality_told import TYPICAL
from tacit.experiments.elidan.inner import states_of, unseen
from tacit.experiments.elidan.interacting_told import (
    BINARY,
    FRESH,
    GOLDEN,
    SILVER,
    TRAINED,
    Draw,
    Found,
    merged_name,
)
from tacit.experiments.elidan.judged import Judged, Watch, bits
from tacit.experiments.elidan.standins import interacting
from tacit.experiments.outcome import Outcome, Settings, repeated
from tacit.infer.sampling import sample
from tacit.learn.fit import fit
from tacit.learn.structure.settings import HillClimb
from tacit.learn.structure.structural_em import structural_em
from tacit.learn.unseen.merging import TableWeights
from tacit.learn.unseen.round_robin import Agglomerations, agglomerate_all

NAME = "elidan2004-interacting"
HIDDEN = ("h0", "h1", "h2", "h3")
SCORE = BDeu(5)
"""The source does not say how strong its prior is; 5 cases. [HV1 section 6]"""
ROUND = HillClimb(restarts=0)
"""The search of every round."""
STILL = HillClimb(restarts=0, max_steps=0)
"""A search that changes nothing: what is left of structural EM is EM, and the same score."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many data sets of how many cases, and how many new cases."""

    draws: int
    cases: tuple[int, ...]
    new: int = 10_000


SIZES = {
    "smoke": Size(1, (300,), 2000),
    "default": Size(10, (1000,)),
    "full": Size(20, (1000, 5000)),
}


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Cases to learn from and to judge by, without the hidden variables."""

    truth: Network
    train: Dataset
    test: Dataset
    seed: int

    @property
    def states(self) -> dict[str, int]:
        """The true numbers of states."""
        return {name: states_of(self.truth, name) for name in HIDDEN}


def run(settings: Settings) -> Outcome:
    """Every method on every data set."""
    size = SIZES[settings.scale]
    asked = [(number, cases) for cases in size.cases for number in range(size.draws)]

    def one(at: int) -> Draw:
        number, cases = asked[at]
        return compared(drawn(settings.seed + number, cases, size.new))

    found = Found(repeated(one, len(asked), settings, "data sets"))
    told = (found.tables(), found.claims(), found.remarks())
    return Outcome(NAME, settings.seed, len(found.draws), len(asked), *told, found.plain())


def drawn(seed: int, cases: int, new: int) -> Task:
    """The generator has no random parameter; the cases depend on the seed alone."""
    truth = interacting()
    train, test = (sample(truth, n, seed=2 * seed + at) for at, n in enumerate((cases, new)))
    return Task(truth, unseen(train, *HIDDEN), unseen(test, *HIDDEN), seed)


def compared(task: Task) -> Draw:
    """Merged under every prior; all binary, from the true dag and from none; and what is true."""
    merged = {prior: in_turn(task, prior) for prior in TYPICAL}
    begun = [_from_merged(task, prior) for prior in TYPICAL]
    two = dict.fromkeys(HIDDEN, 2)
    begun += [_at_random(task, BINARY, two), Begun(FRESH, None, two, 0.0)]
    begun.append(_at_random(task, TRAINED, task.states, STILL))
    begun.append(Begun(SILVER, task.truth, task.states, 0.0, STILL))
    found = [learned(task, each) for each in begun]
    runs = {run.method: run for run, _ in found}
    runs[GOLDEN] = Judged(GOLDEN, nan, bits(task.truth, task.test), 0, 0.0)
    apart = {run.method: arcs_apart(dag, task.truth.dag) for run, dag in found}
    return Draw(len(task.train), task.states, merged, runs, apart)


def in_turn(task: Task, prior: TableWeights) -> Agglomerations:
    """The states of all four in the true dag."""
    kind, strength = prior.kind, prior.strength
    return agglomerate_all(task.train, task.truth.dag, HIDDEN, prior=kind, strength=strength)


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """Where structural EM begins, what it took to get there, and how it searches."""

    method: str
    start: Network | None
    hidden: Mapping[str, int]
    seconds: float
    how: HillClimb = ROUND


def _from_merged(task: Task, prior: TableWeights) -> Begun:
    watch = Watch()
    found = in_turn(task, prior)
    kept = {name: states for name, states in found.states.items() if states > 1}
    return Begun(merged_name(prior), found.start(), kept, watch.seconds)


def _at_random(task: Task, method: str, states: Mapping[str, int], how: HillClimb = ROUND) -> Begun:
    """In the true dag, the best of EM from random starts."""
    watch, dag = Watch(), task.truth.dag
    found = fit(dag, task.train, hidden=states, prior=SCORE, seed=task.seed, progress=False)
    return Begun(method, found.network, states, watch.seconds, how)


def learned(task: Task, begun: Begun) -> tuple[Judged, Dag]:
    """Structural EM from there on, judged, and its dag."""
    watch = Watch()
    found = structural_em(
        task.train, start=begun.start, hidden=begun.hidden, score=SCORE, method=begun.how,
        restarts=1, as_given=True, seed=task.seed, progress=False,
    )  # fmt: skip
    seconds = begun.seconds + watch.seconds
    train, test = found.score / task.train.total_weight, bits(found.network, task.test)
    return Judged(begun.method, train, test, found.evaluations, seconds), found.network.dag


def arcs_apart(dag: Dag, truth: Dag) -> int:
    """Pairs that are joined in one dag only, whatever the hidden variables are called."""
    true = {frozenset(arc) for arc in truth.arcs}
    fewest = []
    for names in permutations(HIDDEN):
        called = dict(zip(HIDDEN, names, strict=True))
        joined = {frozenset(called.get(end, end) for end in arc) for arc in dag.arcs}
        fewest.append(len(joined ^ true))
    return int(np.min(fewest))
