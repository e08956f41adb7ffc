"""Search over dags on cases whose weights are annealed, and by simulated annealing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.interrupts import Asked
from tacit.engines.scoring import Scorer
from tacit.estimate.scores.dag_priors import DagTerms
from tacit.knowledge.limits import Limits
from tacit.learn.annealing.driver import Annealed, Round, anneal
from tacit.learn.annealing.driver import State as Between
from tacit.learn.annealing.settings import WeightAnnealing, check_wrapped
from tacit.learn.annealing.simulated import SimulatedAnnealing, simulated
from tacit.learn.annealing.slopes import slopes
from tacit.learn.fits import Stop
from tacit.learn.progress import Report
from tacit.learn.structure.climbing import Resampled, Task, Walk, begun, climb
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.perturbing import drawn_again, random_change
from tacit.learn.structure.settings import HillClimb, Tabu
from tacit.learn.structure.state import Change, Parents, State


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Complete cases and how dags over them are scored.

    weights  (cases,) how often each case counts
    """

    scorer: Scorer
    weights: Floats
    limits: Limits
    terms: DagTerms | None = None

    def ledger(self, weights: Floats | None = None) -> Ledger:
        """Scores of families at the cases' own weights, or at others."""
        scorer = self.scorer if weights is None else self.scorer.weighted(weights)
        return Ledger(scorer, self.limits, self.terms)


@dataclass(frozen=True, slots=True)
class FoundDag:
    """A dag, and how annealing came to it.

    score        at the cases' own weights, the prior over dags included
    trace        the score at the start, after every round, and after every step of the last climb
    evaluations  families scored, at whatever weights
    changes      all that were made, with the number of rounds and restarts before each; the gain of
                 one is that at the weights of its time
    restarts     of the last climb
    rounds       what happened at each temperature, where weights were annealed
    """

    parents: Parents
    score: float
    stop: Stop
    trace: tuple[float, ...]
    evaluations: int
    changes: tuple[tuple[Change, int], ...]
    restarts: int = 0
    rounds: tuple[Round, ...] = ()


def annealed_search(
    settings: WeightAnnealing,
    cases: Cases,
    start: Parents,
    seed: int,
    told: Report,
    asked: Asked = lambda: False,
) -> FoundDag:
    """The wrapped search again and again on reweighted cases, at last on the cases themselves.

    Every round starts where the one before ended. [HV1 2.5]

    told  hears of the rounds done, of all rounds and the last search, and of the score
    """
    check_wrapped(settings, (HillClimb, Tabu), "tc.search")
    problem = _Dags(cases, settings.method, seed, told, asked, settings.rounds)
    begin = problem.own.total(start)

    def heard(state: Between[Parents], rounds: int) -> None:
        told(len(state.trace), rounds + 1, problem.objective(state.hypothesis))

    found = anneal(settings, problem, start, seed, heard, problem.ended)
    return _found(problem, found, begin)


def _found(problem: _Dags, found: Annealed[Parents], begin: float) -> FoundDag:
    """What the rounds and the last climb came to."""
    rounds, last = [each.objective for each in found.trace], problem.last
    if last is None:
        trace, stop, restarts = (begin, *rounds), Stop.INTERRUPTED, 0
    else:
        before = (begin, *rounds)[:-1]
        trace, stop, restarts = (*before, *last[0].trace), last[1], last[0].restarts
    return FoundDag(
        found.hypothesis,
        found.objective,
        Stop.INTERRUPTED if found.interrupted else stop,
        trace,
        problem.evaluations + problem.own.evaluations,
        tuple(problem.changes),
        restarts,
        found.trace,
    )


@dataclass(slots=True, eq=False)
class _Dags:
    """Search over dags as a problem of annealing; the hypothesis is the parents of everyone.

    own          scores at the cases' own weights
    evaluations  families scored at other weights
    last         the climb at the cases' own weights, and why it ended
    stopped      whether no further step is wanted
    """

    cases: Cases
    method: HillClimb | Tabu
    seed: int
    told: Report
    asked: Asked
    rounds: int
    own: Ledger = field(init=False)
    evaluations: int = 0
    done: int = 0
    changes: list[tuple[Change, int]] = field(default_factory=list)
    last: tuple[Walk, Stop] | None = None
    stopped: bool = False

    def __post_init__(self) -> None:
        self.own = self.cases.ledger()

    @property
    def weights(self) -> Floats:
        """How often each case counts on its own account."""
        return self.cases.weights

    def ended(self) -> bool:
        """Whether no further step is wanted."""
        return self.stopped or self.asked()

    def optimise(self, weights: Floats, hypothesis: Parents) -> Parents:
        """The wrapped search at these weights; all scores are asked for anew."""
        ledger = self.cases.ledger(weights)
        rng = np.random.default_rng([self.seed, self.done, 1])
        walk, stop = self._climb(ledger, weights, rng, hypothesis)
        self.evaluations += ledger.evaluations
        if stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        self.done += 1
        return walk.best

    def finish(self, hypothesis: Parents) -> Parents:
        """The wrapped search at the cases' own weights, with the chance it would have alone."""
        rng = np.random.default_rng(self.seed)
        self.last = self._climb(self.own, self.weights, rng, hypothesis)
        return self.last[0].best

    def gradient(self, weights: Floats, hypothesis: Parents) -> Floats:
        """The slope of the score; the prior over dags is a penalty and is not weighted."""
        return slopes(self.cases.scorer.weighted(weights), hypothesis)

    def objective(self, hypothesis: Parents) -> float:
        """The score at the cases' own weights."""
        return self.own.total(hypothesis)

    def _climb(
        self, ledger: Ledger, weights: Floats, rng: np.random.Generator, start: Parents
    ) -> tuple[Walk, Stop]:
        def heard(walk: Walk) -> None:
            if ledger is self.own:
                total = self.rounds + self.method.vain + 1
                self.told(self.done + walk.failed, total, walk.highest)
            if self.ended():
                raise KeyboardInterrupt

        walk = begun(ledger, start)
        task = Task(ledger, self.method, rng, heard, _resampled(self.cases, weights))
        stop = climb(task, walk)
        self.stopped |= stop is Stop.INTERRUPTED
        self.changes += [(change, self.done + restart) for change, restart in walk.changes]
        return walk, stop


def _resampled(cases: Cases, weights: Floats) -> Resampled:
    """The same question asked of cases drawn again, as many as they weigh."""

    def ledger(rng: np.random.Generator) -> Ledger:
        return cases.ledger(drawn_again(weights, rng))

    return ledger


def simulated_search(
    settings: SimulatedAnnealing,
    cases: Cases,
    start: Parents,
    seed: int,
    told: Report,
    asked: Asked = lambda: False,
) -> FoundDag:
    """Random changes at falling temperatures; from the best dag met, a climb to its maximum.

    Every pair of variables is as likely to be changed as any other. [HV1 2.5, erratum E16]
    """
    ledger, rng = cases.ledger(), np.random.default_rng(seed)
    state = State.at(ledger, start, "none")
    trace, total = [state.score], settings.rounds + 1

    def heard(done: int, rounds: int, gain: float) -> None:
        del rounds
        trace.append(trace[0] + gain)
        told(done, total, trace[-1])

    walked = simulated(settings, _Wandering(state), rng, heard, asked)
    state = State.at(ledger, start, "none")
    for change in walked.moves[: walked.best]:
        state.turn(change)
    walk = begun(ledger, state.now)
    changes = [(change, 0) for change in walked.moves[: walked.best]]
    stop = Stop.INTERRUPTED
    if not walked.interrupted:
        stop = climb(_plain(ledger, rng, asked, lambda: told(total, total, walk.highest)), walk)
    return FoundDag(
        walk.best,
        walk.highest,
        stop,
        (*trace, *walk.trace),
        ledger.evaluations,
        (*changes, *((change, 1) for change, _ in walk.changes)),
    )


def _plain(
    ledger: Ledger, rng: np.random.Generator, asked: Asked, told: Callable[[], None]
) -> Task:
    """A climb without restarts."""

    def heard(walk: Walk) -> None:
        del walk
        told()
        if asked():
            raise KeyboardInterrupt

    return Task(ledger, HillClimb(restarts=0), rng, heard, lambda _: ledger)


@dataclass(frozen=True, slots=True, eq=False)
class _Wandering:
    """A dag that takes one random change after the other."""

    state: State

    def propose(self, rng: np.random.Generator) -> tuple[Change, float] | None:
        """Any legal change of one arc and what it would gain; None where there is none."""
        change = random_change(self.state, rng)
        if change is None:
            return None
        gain = self.state.gain(change)
        return replace(change, gain=gain), gain

    def apply(self, move: Change) -> None:
        """Make the change."""
        self.state.make(move)
