"""EM on cases whose weights are annealed: one step at every temperature, then EM itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.errors import FormatError
from tacit.estimate.ruled.plan import Ruling
from tacit.learn.annealing.driver import Annealed, Round, State, anneal
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.annealing.weighed import Weighed
from tacit.learn.checkpoints import Checkpoint, Kept
from tacit.learn.climb import Climb
from tacit.learn.em import Ears, Task, climbed, shared, side_by_side, start_of
from tacit.learn.expectation import EmIterate, at, maximise
from tacit.learn.fits import Stop
from tacit.learn.methods import starts
from tacit.learn.progress import Report, Tally

LEFT = 1e-3
"""The share of the parameters before a step that stays where the step would rule cases out."""


@dataclass(frozen=True, slots=True, eq=False)
class Annealing:
    """How the weights are annealed, and what EM's whole job is."""

    settings: WeightAnnealing
    task: Task


@dataclass(frozen=True, slots=True)
class AnnealedClimb(Climb[EmIterate]):
    """A climb of EM whose start was annealed; its trace begins with the rounds.

    rounds  what happened at each temperature
    """

    rounds: tuple[Round, ...] = ()


def run_annealed(
    annealing: Annealing,
    data: Dataset,
    threads: int,
    told: Report,
    checkpoint: Checkpoint | None = None,
) -> list[AnnealedClimb]:
    """All runs in the order of their numbers, each annealed from the start that EM would have.

    A run depends on its number and the seed alone.
    """
    runs = starts(annealing.settings, several=True)
    task = shared(annealing.task, runs, threads)
    problem = task.problem
    weighed = Weighed.of(data, problem.layout, problem.expected, problem.threads)

    def one(number: int, ears: Ears) -> AnnealedClimb:
        em = AnnealedEm(task, weighed, ears, number, annealing.settings.rounds)
        return _one_run(annealing.settings, em, checkpoint)

    most = annealing.settings.rounds + task.method.max_steps
    return side_by_side(one, runs, threads, Tally(told, runs, most))


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Parameters, as annealing carries them from round to round.

    objective  at the cases' own weights
    by_case    (cases,) log P(what is seen of the case)
    climb      of EM, where it ended here
    """

    theta: Floats
    objective: float
    by_case: Floats
    ruled: Ruling | None = None
    climb: Climb[EmIterate] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AnnealedEm:
    """EM as a problem of annealing: one step between two reweightings. [HV1 2.5]

    The prior's term of the objective is a penalty and is not weighted; rules hold in every round.
    """

    task: Task
    weighed: Weighed
    ears: Ears
    number: int = 0
    rounds: int = 0

    @property
    def weights(self) -> Floats:
        """How often each case counts on its own account."""
        data = self.weighed.data
        return np.ones(len(data)) if data.weights is None else data.weights

    def point(self, theta: Floats, ruled: Ruling | None = None) -> Point:
        """These parameters, and how likely they make the cases."""
        by_case, pseudo = self.weighed.log_likelihoods(theta), self.task.problem.pseudo
        with np.errstate(divide="ignore"):
            logs = np.log(theta)
        seen, said = self.weights > 0, pseudo != 0
        objective = self.weights[seen] @ by_case[seen] + pseudo[said] @ logs[said]
        return Point(theta, float(objective), by_case, ruled)

    def optimise(self, weights: Floats, hypothesis: Point) -> Point:
        """One plain step of EM at these weights.

        A case that hardly counts may become impossible, and EM would never make it possible again:
        then a little is left of the parameters before, which obey the same linear rules.
        """
        here, problem = hypothesis, self.task.problem
        expected = self.weighed.counts(weights, here.theta)
        theta, ruled = maximise(problem, expected, here.ruled, here.theta)
        after = self.point(theta, ruled)
        if not (np.isneginf(after.by_case) & ~np.isneginf(here.by_case)).any():
            return after
        return self.point(theta + LEFT * (here.theta - theta), ruled)

    def finish(self, hypothesis: Point) -> Point:
        """EM itself, from here."""
        begin = at(self.task.problem, hypothesis.theta, ruled=hypothesis.ruled)
        found = climbed(self.task.problem, self.task.method, begin, self._heard)
        if found.stop is Stop.INTERRUPTED:
            self.ears.stop.set()
        end = found.iterate
        return Point(end.theta, end.objective, hypothesis.by_case, end.ruled, found)

    def gradient(self, weights: Floats, hypothesis: Point) -> Floats:
        """(cases,) log P(what is seen of the case): the likelihood is linear in the weights."""
        del weights
        return hypothesis.by_case

    def objective(self, hypothesis: Point) -> float:
        """The log-likelihood at the cases' own weights plus the prior's term."""
        return hypothesis.objective

    def _heard(self, here: EmIterate, history: Sequence[float]) -> None:
        self.ears.tally.step(self.number, self.rounds + len(history), here.objective)
        if self.ears.ended():
            raise KeyboardInterrupt


def _one_run(
    settings: WeightAnnealing, em: AnnealedEm, checkpoint: Checkpoint | None
) -> AnnealedClimb:
    kept = checkpoint.of_run(em.number) if checkpoint is not None else None
    if kept is not None and kept.stop is not None:
        rounds = _rounds(kept.more, checkpoint)
        begin = at(em.task.problem, kept.theta, kept.before)
        return AnnealedClimb(begin, kept.trace, Stop[kept.stop], rounds)
    start = em.point(start_of(em.task, em.number))

    def told(state: State[Point], rounds: int) -> None:
        del rounds
        here = state.hypothesis
        em.ears.tally.step(em.number, len(state.trace), here.objective)
        if checkpoint is not None:
            trace = (start.objective, *(each.objective for each in state.trace))
            more = _more(settings, state)
            checkpoint.keep(em.number, Kept(here.theta, None, trace, None, more))

    state = start if kept is None else _state(settings, em, kept, checkpoint)
    seed = (em.task.seed, em.number)
    found = anneal(settings, em, state, seed, told, em.ears.ended)
    return _ended(em, start, found, checkpoint)


def _ended(
    em: AnnealedEm, start: Point, found: Annealed[Point], checkpoint: Checkpoint | None
) -> AnnealedClimb:
    """The climb that a run came to; its trace holds what went before EM's own steps."""
    point, rounds = found.hypothesis, found.trace
    before = [start.objective, *(each.objective for each in rounds)]
    if point.climb is None:
        end = at(em.task.problem, point.theta, ruled=point.ruled)
        run = AnnealedClimb(end, (*before, end.objective), Stop.INTERRUPTED, rounds)
    else:
        trace = (*before[:-1], *point.climb.trace)
        run = AnnealedClimb(point.climb.iterate, trace, point.climb.stop, rounds)
    end = run.iterate
    if run.stop is Stop.INTERRUPTED:
        em.ears.stop.set()
        if checkpoint is not None and (last := checkpoint.of_run(em.number)) is not None:
            checkpoint.keep(em.number, last, now=True)
    elif checkpoint is not None:
        more = {"rounds": _plain(rounds)}
        kept = Kept(end.theta, end.before, run.trace, run.stop.name, more)
        checkpoint.keep(em.number, kept, now=True)
    try:
        em.ears.tally.step(em.number, len(run.trace), end.objective, ended=True)
    except KeyboardInterrupt:  # this run is done, but no other is wanted
        em.ears.stop.set()
    return run


def _more(settings: WeightAnnealing, state: State[Point]) -> dict[str, Any]:
    """What a checkpoint must know beside the parameters; random weights are drawn afresh."""
    weights = state.weights.tolist() if settings.reweight == "adversary" else []
    best = state.best[0].theta.tolist()
    return {"rounds": _plain(state.trace), "weights": weights, "best": best}


def _plain(rounds: Sequence[Round]) -> list[list[float]]:
    return [[each.temperature, each.effective, each.objective, each.settled] for each in rounds]


def _rounds(more: Mapping[str, Any], checkpoint: Checkpoint | None) -> tuple[Round, ...]:
    try:
        return tuple(
            Round(float(heat), float(share), float(objective), bool(settled))
            for heat, share, objective, settled in more["rounds"]
        )
    except (KeyError, TypeError, ValueError):
        raise _damaged(checkpoint) from None


def _state(
    settings: WeightAnnealing, em: AnnealedEm, kept: Kept, checkpoint: Checkpoint | None
) -> State[Point]:
    """Where annealing goes on after a break."""
    rounds = _rounds(kept.more, checkpoint)
    own = em.weights / em.weights.sum() if em.weights.any() else em.weights
    try:
        best = np.array(kept.more["best"], dtype=np.float64)
        weights = np.array(kept.more["weights"], dtype=np.float64)
    except (KeyError, TypeError, ValueError):
        raise _damaged(checkpoint) from None
    weights = own if settings.reweight == "random" else weights
    if best.shape != kept.theta.shape or weights.shape != own.shape:
        raise _damaged(checkpoint)
    highest = em.point(best)
    return State(em.point(kept.theta), weights, (highest, highest.objective), rounds)


def _damaged(checkpoint: Checkpoint | None) -> FormatError:
    path = "" if checkpoint is None else checkpoint.diary.path
    return FormatError(f"{path}: the checkpoint is damaged; start without it")
