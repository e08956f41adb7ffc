"""Structural EM with curves: cases completed by draws, a search at them, EM of what it found.

What a case lacks above a curve is no normal, so there are no moments that say all: every case with
gaps is completed several times by draws, the search of a round scores lines and curves at all
completions, each weighing its share, and EM fits what it found to the cases themselves. The first
completions are by the straight lines of structural EM, which know no directions. A round counts if
the score of what was observed rises, so no round lowers it. [Friedman 1997; HV2 3.6, HV2-32]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.core.dag import Dag
from tacit.core.interrupts import asked_to_end
from tacit.core.network import Network
from tacit.core.variables import Continuous
from tacit.engines.curve_scores import STRAIGHT, CurveScorer
from tacit.engines.gaussian_scores import TINY, Reals
from tacit.learn.bends.climbing import (
    Iterate,
    Problem,
    begun,
    squarem_step,
    straightened,
    written,
)
from tacit.learn.bends.completing import completed
from tacit.learn.bends.maximising import Known, maximise
from tacit.learn.bends.pieces import Divided, Told
from tacit.learn.bends.shape import Numbers, Shape
from tacit.learn.climb import climb as climbed
from tacit.learn.curved import Curves
from tacit.learn.fits import Stop
from tacit.learn.progress import Report
from tacit.learn.structure.climbing import Task, climb
from tacit.learn.structure.climbing import begun as walked
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.moves import Move
from tacit.learn.structure.outcome import as_move
from tacit.learn.structure.promising import begins_of
from tacit.learn.structure.sem_reals import STILL, RealJob
from tacit.learn.structure.state import Parents

COPIES = 16
"""How often each case with gaps is completed."""


@dataclass(frozen=True, slots=True, eq=False)
class CurveJob:
    """What is asked: columns with gaps in their own units, those that get curves, and the dags that
    may be.

    lines  the same for straight lines, by which the first completions are made
    """

    lines: RealJob
    told: Told
    curves: Curves
    seed: int

    def shape(self, parents: Parents) -> Shape:
        """A dag with curves where there are parents."""
        names = self.lines.names
        dag = Dag({names[at]: tuple(names[each] for each in who) for at, who in enumerate(parents)})
        curves = {
            at: self.curves[names[at]]
            for at, who in enumerate(parents)
            if who and names[at] in self.curves
        }
        variables = tuple(Continuous(name) for name in names)
        return Shape(dag, variables, curves, frozenset(), self.lines.means, self.lines.scale)


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A dag with its curves fitted, as far as a round goes, and the score of what was observed."""

    parents: Parents
    problem: Problem
    iterate: Iterate
    score: float

    @property
    def network(self) -> Network:
        """Written out."""
        return written(self.problem, self.iterate)


@dataclass(frozen=True, slots=True, eq=False)
class CurveRounds:
    """Where structural EM ended: what was settled last, the cases it completes, and the way."""

    settled: Settled
    cases: Told
    trace: tuple[float, ...]
    moves: tuple[Move, ...]
    evaluations: int
    stop: Stop


def run_curve_rounds(
    job: CurveJob, start: Parents, lines: Network, rounds: int, told: Report
) -> CurveRounds:
    """maximise  log P(what was observed) - price of the parameters + log P(dag)

    lines  straight lines that the first completions are made by
    """
    straight = job.shape(_parents_in(job, lines)).straight()
    cases = completed(straight, Numbers.of_network(straight, lines), job.told, COPIES, job.seed)
    first = settled(job, start, cases)
    now = CurveRounds(first, cases, (first.score,), (), 0, Stop.STEP_LIMIT)
    random = np.random.default_rng(job.seed)
    with asked_to_end() as asked:
        for number in range(rounds):
            told(number, rounds, now.settled.score)
            after = _round(job, now, random)
            best = now.settled.score
            if after.settled.score <= best + STILL * abs(best):
                kept = after if after.settled.score > best else now
                return replace(kept, evaluations=after.evaluations, stop=Stop.CONVERGED)
            now = after
            if asked():
                return replace(now, stop=Stop.INTERRUPTED)
    return now


def _parents_in(job: CurveJob, network: Network) -> Parents:
    place = {name: at for at, name in enumerate(job.lines.names)}
    return tuple(
        tuple(place[each] for each in network.dag.parents[name]) for name in job.lines.names
    )


def _round(job: CurveJob, now: CurveRounds, random: np.random.Generator) -> CurveRounds:
    """One search at completed cases, and EM from what it found."""
    ledger = Ledger(scorer_of_completed(job, now.cases), job.lines.limits, job.lines.terms)
    walk = walked(ledger, now.settled.parents)
    begins = begins_of(ledger.scorer, job.lines.method)
    climb(Task(ledger, job.lines.method, random, lambda _: None, lambda _: ledger, begins), walk)
    found = settled(job, walk.best, now.cases)
    numbers = Numbers.of(found.problem.shape, found.iterate.theta)
    return CurveRounds(
        found,
        completed(found.problem.shape, numbers, job.told, COPIES, job.seed),
        (*now.trace, found.score),
        (*now.moves, *(as_move(change, job.lines.names, at) for change, at in walk.changes)),
        now.evaluations + ledger.evaluations,
        Stop.STEP_LIMIT,
    )


def scorer_of_completed(job: CurveJob, cases: Told) -> CurveScorer:
    """Scores of lines and curves at completed cases."""
    units = np.maximum(np.abs(cases.values).max(axis=0), TINY)
    reals = Reals(job.lines.names, cases.values / units, units, cases.weights)
    kinds = np.array(
        [job.curves[name].response.code if name in job.curves else STRAIGHT
         for name in job.lines.names], dtype=np.int64,
    )  # fmt: skip
    return CurveScorer.of(reals, job.lines.score, kinds)


def settled(job: CurveJob, parents: Parents, cases: Told) -> Settled:
    """A dag fitted by a few steps of EM, begun from completed cases."""
    shape = job.shape(parents)
    divided = Divided.of(shape, job.told)
    problem = Problem(shape, divided, Known.of(shape, divided, {}))
    whole = Known.of(shape, Divided.of(shape, cases), {})
    n = len(parents)
    none = Numbers(np.zeros((n, n)), np.zeros(n), np.ones(n), np.zeros(n))
    centred, lines = straightened(problem, maximise(shape.straight(), none, whole, ()))
    problem = replace(problem, shape=centred)
    here = begun(problem, lines, np.ones(n))
    found = climbed(
        lambda at: squarem_step(problem, at), here, tolerance=STILL, max_steps=job.lines.steps
    )
    ledger = Ledger(scorer_of_completed(job, cases), job.lines.limits, job.lines.terms)
    many = sum(len(who) + 2 for who in parents) + len(shape.curves)
    price = job.lines.score.per_parameter(float(job.told.weights.sum())) * many
    prior = sum(ledger.prior(child, who) for child, who in enumerate(parents))
    return Settled(parents, problem, found.iterate, found.iterate.log_likelihood - price + prior)
