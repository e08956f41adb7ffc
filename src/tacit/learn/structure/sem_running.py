"""Structural EM to its end: rounds from several starts, the best of which wins. [HV1 1.8]"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

import numpy as np

from tacit.core.dag import Dag
from tacit.core.interrupts import Asked, asked_to_end
from tacit.core.network import Network
from tacit.learn.annealing.driver import Round as Heated
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.fits import Stop
from tacit.learn.progress import Report
from tacit.learn.structure.climbing import Walk
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.moves import Move
from tacit.learn.structure.perturbing import shaken
from tacit.learn.structure.sem_annealing import cooled
from tacit.learn.structure.sem_job import Job, limits_at, named, numbered, without_leaves
from tacit.learn.structure.sem_mixed import opened_mixed, refitted_mixed, round_at_mixed
from tacit.learn.structure.sem_rounds import (
    EM_STEPS,
    START_STEPS,
    Hypothesis,
    Step,
    opened,
    refitted,
    round_at,
)
from tacit.learn.structure.sem_scorer import Indifferent
from tacit.learn.structure.state import State

NOTHING = 1e-9
"""A gain, as a share of the objective, that rounding could have made."""
SHAKEN = 3
"""Random changes of the dag that a further run begins with."""


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did.

    before, after   the score of the expected counts before the search and after it
    objective       of the network it came to
    log_likelihood  of what was observed, under that network
    moves           the changes of the dag, in their order
    dropped         hidden variables that lost their last child
    """

    before: float
    after: float
    objective: float
    log_likelihood: float
    moves: tuple[Move, ...] = ()
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """One run of structural EM: the best network it met, and how it went.

    begin   the objective where it began
    last    where it stood after its last round
    drawn   the most cases of a round in which cells had to be drawn
    heated  what happened at each temperature before, where case weights were annealed
    """

    best: Hypothesis
    last: Hypothesis
    begin: float
    trace: tuple[Round, ...] = ()
    stop: Stop | None = None
    evaluations: int = 0
    drawn: int = 0
    heated: tuple[Heated, ...] = ()

    @property
    def objectives(self) -> tuple[float, ...]:
        """At the start and after every round."""
        return (self.begin, *(each.objective for each in self.trace))

    @property
    def highest(self) -> tuple[float, ...]:
        """The best of them so far at each time; under a prior a round may fall."""
        so_far = accumulate(self.objectives, max)
        return (*tuple(so_far)[:-1], self.best.objective)


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """How often and how long.

    runs        starts; the first is `dag`, further ones shake it and draw other parameters
    given       a network whose numbers the first run starts from
    max_rounds  of each run
    annealing   how case weights are annealed before the rounds; None: not at all
    keep        told of every run after every round, and whether it ends there, for checkpoints
    resumed     runs as far as they came before
    """

    dag: Dag
    runs: int
    max_rounds: int
    seed: int
    given: Network | None = None
    annealing: WeightAnnealing | None = None
    told: Report | None = None
    keep: Callable[[int, Rounds, bool], None] | None = None
    resumed: Mapping[int, Rounds] = field(default_factory=dict)

    def hears(self, number: int, rounds: Rounds, highest: float) -> None:
        """A run stands here, and the runs before it came so high."""
        if self.keep is not None:
            self.keep(number, rounds, rounds.stop is not None)
        if self.told is not None:
            done = self.max_rounds if rounds.stop is not None else len(rounds.trace)
            total = self.runs * self.max_rounds
            objective = max(highest, rounds.best.objective)
            self.told(number * self.max_rounds + done, total, objective)


def run_structural_em(job: Job, course: Course) -> tuple[Rounds, ...]:
    """All runs, in their order; if someone asks for the end, as far as they came."""
    found: list[Rounds] = []
    with asked_to_end() as asked:
        for number in range(course.runs):
            try:
                found.append(_one(job, course, number, asked, found))
            except KeyboardInterrupt:  # before its first round: the runs so far are what there is
                if not found:
                    raise
                found[-1] = replace(found[-1], stop=Stop.INTERRUPTED)
            if found[-1].stop is Stop.INTERRUPTED:
                break
    return tuple(found)


def best_rounds(runs: Sequence[Rounds]) -> int:
    """The run that came highest, the first of equals."""
    return int(np.argmax([each.best.objective for each in runs]))


def _one(job: Job, course: Course, number: int, asked: Asked, before: Sequence[Rounds]) -> Rounds:
    """One run, from where it stood if it was kept."""
    here = course.resumed.get(number) or _begun(job, course, number, asked)
    highest = max((each.best.objective for each in before), default=-np.inf)
    try:
        while here.stop is None:
            course.hears(number, here, highest)
            if asked():
                raise KeyboardInterrupt
            here = _after(job, course, number, here, asked)
        here = replace(here, best=settled(job, here.best))
        course.hears(number, here, highest)
    except KeyboardInterrupt:
        if course.keep is not None:
            course.keep(number, here, True)
        return replace(here, stop=Stop.INTERRUPTED)
    return here


def _after(job: Job, course: Course, number: int, here: Rounds, asked: Asked) -> Rounds:
    """One round more, and whether it was the last.

    It was if the search at frozen expected counts changed nothing where EM had ended, or if what
    it changed did not raise the objective, EM having ended there too.
    """

    def heard(walk: Walk) -> None:
        del walk
        if asked():
            raise KeyboardInterrupt

    seed = (course.seed, number, len(here.trace))
    one = round_at_mixed if job.mixed else round_at
    step = one(job, here.last.network, job.weights, seed, heard)
    after, changed = step.hypothesis, step.hypothesis.network.dag != here.last.network.dag
    if not after.settled and (not changed or not _gains(after, here.best)):
        after = _refitted(job, after.network, EM_STEPS)
    gained = _gains(after, here.best)
    stop = None
    if (not changed and here.last.settled) or (changed and not gained):
        stop = Stop.CONVERGED
    elif len(here.trace) + 1 >= course.max_rounds:
        stop = Stop.STEP_LIMIT
    return replace(
        here,
        best=after if gained else here.best,
        last=after,
        trace=(*here.trace, _told(step, after)),
        stop=stop,
        evaluations=here.evaluations + step.evaluations,
        drawn=max(here.drawn, step.drawn),
    )


def _refitted(job: Job, network: Network, most_steps: int) -> Hypothesis:
    again = refitted_mixed if job.mixed else refitted
    return again(job, network, job.weights, most_steps)


def _told(step: Step, after: Hypothesis) -> Round:
    return Round(
        step.before, step.after, after.objective, after.log_likelihood, step.moves, step.dropped
    )


def _gains(after: Hypothesis, best: Hypothesis) -> bool:
    return after.objective - best.objective > NOTHING * max(1.0, abs(best.objective))


def settled(job: Job, best: Hypothesis) -> Hypothesis:
    """EM led to its end, unless that costs: under a prior it climbs another objective."""
    if best.settled:
        return best
    after = _refitted(job, best.network, EM_STEPS)
    return replace(after if after.objective >= best.objective else best, settled=True)


def _begun(job: Job, course: Course, number: int, asked: Asked) -> Rounds:
    """Where a run begins; all but the first change the dag a little at random."""
    dag, seed = course.dag, (course.seed, number)
    if number:
        rng = np.random.default_rng([*seed, 1])
        limits, names = limits_at(job, dag), dag.names
        state = State.at(Ledger(Indifferent(names), limits), numbered(dag, names), "none")
        changed, dropped = without_leaves(job, named(shaken(state, SHAKEN, rng), names))
        dag = dag if dropped else changed
    given = course.given if number == 0 else None
    if job.mixed:
        here = opened_mixed(job, dag, seed, number, given, START_STEPS)
    else:
        here = opened(job, dag, seed, number, given)
    if course.annealing is None or not course.annealing.rounds:
        return Rounds(here, here, here.objective)
    found = cooled(course.annealing, job, here.network, seed, asked)
    here = refitted(job, found.network, job.weights, START_STEPS)
    heated, evaluations = found.heated, found.evaluations
    return Rounds(here, here, here.objective, evaluations=evaluations, heated=heated)
