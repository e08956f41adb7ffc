"""Structural EM where columns are continuous: expected moments, a search at them, and so on.

Everything a search over lines asks of cases follows from the moments of all variables together, so
they are expected once per round, exactly or by mean field; the search of a round is the usual one,
ideal parents included, whose similarities are then those in moment form. [HV2 3.6, HV2-31, HV2-32]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.interrupts import asked_to_end
from tacit.core.network import Network
from tacit.core.variables import Continuous
from tacit.engines.gaussian_scores import GaussianScorer, Reals
from tacit.engines.scales import check_spreads
from tacit.estimate.scores.dag_priors import DagTerms
from tacit.estimate.scores.values import Penalised
from tacit.families.gaussian import LinearGaussian
from tacit.families.moments import Moments
from tacit.infer.normal.gaps import Completed, Lines, Patterns
from tacit.knowledge.limits import Limits
from tacit.learn.fits import Stop
from tacit.learn.progress import Report
from tacit.learn.structure.climbing import Task, Walk, begun, climb
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.moves import Move
from tacit.learn.structure.outcome import as_move
from tacit.learn.structure.promising import begins_of
from tacit.learn.structure.settings import HillClimb, IdealParent, Tabu
from tacit.learn.structure.state import Parents

STILL = 1e-6
"""A round must gain more than this share of the score."""
LEAST = 1e-10
"""No line leaves less than this share of the variance of its child."""


@dataclass(frozen=True, slots=True, eq=False)
class RealJob:
    """What is asked: columns with gaps, standardised, and the dags that may be.

    scale  what each column was divided by
    roots  how many of the last ones are hidden roots, whose own two numbers are a matter of choice
    """

    names: tuple[str, ...]
    patterns: Patterns
    means: Floats
    scale: Floats
    score: Penalised
    limits: Limits
    terms: DagTerms | None
    method: HillClimb | Tabu | IdealParent
    mean_field: bool = False
    steps: int = 10
    roots: int = 0

    @staticmethod
    def columns(cases: Dataset) -> tuple[Floats, Floats, Floats]:
        """(cases, n) standardised over the cells that are there, their means and deviations."""
        check_spreads(cases, cases.names)
        values = np.array([cases[name] for name in cases.names], dtype=np.float64).T
        means, scale = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
        return (values - means) / scale, means, scale


@dataclass(frozen=True, slots=True, eq=False)
class RealRounds:
    """Where structural EM ended: the dag, its lines, what was observed under them, and the way."""

    parents: Parents
    lines: Lines
    completed: Completed
    score: float
    trace: tuple[float, ...]
    moves: tuple[Move, ...]
    evaluations: int
    stop: Stop


def run_rounds(
    job: RealJob,
    start: Parents,
    rounds: int,
    seed: int,
    told: Report,
    begin: Moments | None = None,
) -> RealRounds:
    """maximise  log P(what was observed) - price of the parameters + log P(dag)

    In rounds: a search at the expected moments, then EM steps. With exact posteriors no round
    lowers the score: the expected score rises, and lies below the observed one by what it did
    before. By mean field it may; the search ends there. [Friedman 1997; HV2 3.6]

    begin  the moments to begin with; by default columns are alone
    """
    lines, held = settled(job, start, _begin(job) if begin is None else begin)
    here = worth(job, start, held)
    now = RealRounds(start, lines, held, here, (here,), (), 0, Stop.STEP_LIMIT)
    random = np.random.default_rng(seed)
    with asked_to_end() as asked:
        for number in range(rounds):
            told(number, rounds, now.score)
            after = _round(job, now, random)
            if after.score <= now.score + STILL * abs(now.score):
                kept = after if after.score > now.score else now
                return replace(kept, evaluations=after.evaluations, stop=Stop.CONVERGED)
            now = after
            if asked():
                return replace(now, stop=Stop.INTERRUPTED)
    return now


def _round(job: RealJob, now: RealRounds, random: np.random.Generator) -> RealRounds:
    """One search at the expected moments of a network, and EM from what it found."""
    ledger = Ledger(scorer_at(job, now.completed.moments), job.limits, job.terms)
    walk = begun(ledger, now.parents)
    begins = begins_of(ledger.scorer, job.method)
    climb(Task(ledger, job.method, random, _silent, lambda _: ledger, begins), walk)
    lines, held = settled(job, walk.best, now.completed.moments)
    score = worth(job, walk.best, held)
    return RealRounds(
        walk.best,
        lines,
        held,
        score,
        (*now.trace, score),
        (*now.moves, *(as_move(change, job.names, at) for change, at in walk.changes)),
        now.evaluations + ledger.evaluations,
        Stop.STEP_LIMIT,
    )


def _silent(walk: Walk) -> None:
    del walk


def scorer_at(job: RealJob, moments: Moments) -> GaussianScorer:
    """Scores of lines at these moments of all variables."""
    sd = np.sqrt(np.diag(moments.scatter) / moments.weight)
    correlations = moments.scatter / moments.weight / np.outer(sd, sd)
    reals = Reals(job.names, np.zeros((0, len(job.names))), np.ones(len(job.names)))
    return GaussianScorer(reals, job.score, moments.weight, sd, correlations)


def _begin(job: RealJob) -> Moments:
    """Moments with every gap at the mean of its column and as wide as the column."""
    n = len(job.names)
    alone = Lines(np.zeros((n, n)), np.zeros(n), np.ones(n))
    return job.patterns.completed(alone).moments


def settled(job: RealJob, parents: Parents, moments: Moments) -> tuple[Lines, Completed]:
    """The lines of a dag after a few steps of EM from these moments; at least one."""
    last = -np.inf
    for _ in range(max(1, job.steps)):
        lines = lines_from(moments, parents)
        held = job.patterns.completed(lines, mean_field=job.mean_field)
        moments = held.moments
        if held.log_likelihood <= last + STILL * abs(last):
            break
        last = held.log_likelihood
    return lines, held


def lines_from(moments: Moments, parents: Parents) -> Lines:
    """The most likely lines of a dag given moments of all variables, expected or seen."""
    n = len(parents)
    slopes, intercept, variance = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for child, who in enumerate(parents):
        shared = moments.scatter[list(who), child]
        inner = moments.scatter[np.ix_(who, who)]
        found = np.linalg.lstsq(inner, shared, rcond=None)[0] if who else np.zeros(0)
        slopes[child, list(who)] = found
        intercept[child] = moments.means[child] - found @ moments.means[list(who)]
        own = moments.scatter[child, child]
        variance[child] = max(float(own - found @ shared), LEAST * own) / moments.weight
    return Lines(slopes, intercept, variance)


def worth(job: RealJob, parents: Parents, held: Completed) -> float:
    """The score of what was observed."""
    ledger = Ledger(scorer_at(job, held.moments), job.limits, job.terms)
    many = sum(len(who) + 2 for who in parents) - 2 * job.roots
    prior = sum(ledger.prior(child, who) for child, who in enumerate(parents))
    price = job.score.per_parameter(held.moments.weight) * many
    return held.log_likelihood - price + prior


def network_of(job: RealJob, found: RealRounds) -> Network:
    """The lines as a network in the units of the cases."""
    variables = [Continuous(name) for name in job.names]
    families = []
    for child, who in enumerate(found.parents):
        slopes = found.lines.slopes[child, list(who)] * job.scale[child] / job.scale[list(who)]
        level = job.means[child] + job.scale[child] * found.lines.intercept[child]
        intercept = level - slopes @ job.means[list(who)]
        sd = job.scale[child] * np.sqrt(found.lines.variance[child])
        axes = (*(variables[each] for each in who), variables[child])
        families.append(LinearGaussian(axes, slopes, float(intercept), float(sd)))
    return Network.of(families)
