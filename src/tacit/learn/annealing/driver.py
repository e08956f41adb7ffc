"""Weight annealing for any learner: reweight, optimise, cool; last, the cases' own weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

import numpy as np

from tacit.arrays import Floats
from tacit.core.interrupts import Asked
from tacit.learn.annealing.reweighting import (
    Reweighted,
    adversarial_weights,
    effective,
    random_weights,
)
from tacit.learn.annealing.settings import WeightAnnealing

H = TypeVar("H")


class Problem(Protocol[H]):
    """A learner of hypotheses from weighted cases; it never hears of a temperature.

    Weights are how often each case counts, and always have the same total.
    """

    @property
    def weights(self) -> Floats:
        """(cases,) how often each case counts on its own account."""

    def optimise(self, weights: Floats, hypothesis: H) -> H:
        """Some way uphill at these weights: a step of EM, or a search to its local maximum."""

    def finish(self, hypothesis: H) -> H:
        """All the way uphill at the cases' own weights: the plain method from here."""

    def gradient(self, weights: Floats, hypothesis: H) -> Floats:
        """(cases,) the derivative of the score by how often each case counts."""

    def objective(self, hypothesis: H) -> float:
        """The score at the cases' own weights."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round: its temperature, how many cases were effective, and the score it came to.

    temperature  the one that was used, below the schedule's where too few cases were effective
    effective    the effective share of the cases
    objective    the score of the hypothesis at the cases' own weights
    settled      whether these are the weights sought; an exact adversary may not find them
    """

    temperature: float
    effective: float
    objective: float
    settled: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class State(Generic[H]):
    """Where an annealing stands between rounds: enough to take it up again.

    weights  (cases,) the last weights, a probability vector
    best     the best hypothesis so far and its score, at the cases' own weights
    """

    hypothesis: H
    weights: Floats
    best: tuple[H, float]
    trace: tuple[Round, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Annealed(Generic[H]):
    """What annealing found, its score at the cases' own weights, and how it went.

    interrupted  someone asked for the end: this is the best so far, and not finished
    """

    hypothesis: H
    objective: float
    trace: tuple[Round, ...]
    interrupted: bool = False


Told = Callable[[State[H], int], None]
"""Hears every state, and how many rounds there are in all."""


def begin(problem: Problem[H], start: H) -> State[H]:
    """The state before the first round: the cases' own weights."""
    total = float(problem.weights.sum())
    weights = problem.weights / total if total > 0 else problem.weights
    return State(start, weights, (start, problem.objective(start)))


def anneal(
    settings: WeightAnnealing,
    problem: Problem[H],
    start: H | State[H],
    seed: int | Sequence[int] = 0,
    told: Told[H] | None = None,
    asked: Asked = lambda: False,
) -> Annealed[H]:
    """Reweight and optimise at every temperature, then finish at the cases' own weights.

    start  a hypothesis, or the state that `told` heard last, to go on from there
    seed   of random weights; a round's draw depends on it and on the round's number alone. The
           adversary needs none.
    asked  whether the end is wanted; looked at between rounds

    The last optimisation is at the cases' own weights, not at the last perturbed ones. Without
    rounds this is the plain method, and so it is where no case weighs anything.
    [algorithm 4; erratum E17]
    """
    state: State[H] = start if isinstance(start, State) else begin(problem, start)
    heat = list(settings.temperatures()) if problem.weights.any() else []
    try:
        if told is not None:
            told(state, len(heat))
        for number in range(len(state.trace), len(heat)):
            if asked():
                raise KeyboardInterrupt
            random = np.random.default_rng([*np.atleast_1d(seed), number])
            state = _round(settings, problem, state, heat[number], random)
            if told is not None:
                told(state, len(heat))
        if asked():
            raise KeyboardInterrupt
        found = _finished(settings, problem, state)
    except KeyboardInterrupt:
        return Annealed(*state.best, state.trace, interrupted=True)
    if not asked():
        return found
    better = max((found.hypothesis, found.objective), state.best, key=lambda each: each[1])
    return Annealed(*better, state.trace, interrupted=True)


def _round(
    settings: WeightAnnealing,
    problem: Problem[H],
    state: State[H],
    temperature: float,
    random: np.random.Generator,
) -> State[H]:
    total = float(problem.weights.sum())
    found = _reweighted(settings, problem, state, temperature, random)
    after = problem.optimise(total * found.weights, state.hypothesis)
    objective = problem.objective(after)
    done = Round(found.temperature, found.effective, objective, found.settled)
    best = (after, objective) if objective > state.best[1] else state.best
    return replace(
        state, hypothesis=after, weights=found.weights, best=best, trace=(*state.trace, done)
    )


def _reweighted(
    settings: WeightAnnealing,
    problem: Problem[H],
    state: State[H],
    temperature: float,
    random: np.random.Generator,
) -> Reweighted:
    total = float(problem.weights.sum())
    base = problem.weights / total
    if settings.reweight == "random":
        weights = random_weights(base, temperature, random)
        return Reweighted(weights, effective(base, weights), temperature)

    def gradient(weights: Floats) -> Floats:
        return problem.gradient(total * weights, state.hypothesis)

    return adversarial_weights(settings, base, state.weights, gradient, temperature)


def _finished(settings: WeightAnnealing, problem: Problem[H], state: State[H]) -> Annealed[H]:
    """The last hypothesis led all the way up; with `return_best` the best, if it ends higher."""
    last = problem.finish(state.hypothesis)
    objective = problem.objective(last)
    if settings.return_best and state.best[1] > objective:
        last = problem.finish(state.best[0])
        objective = problem.objective(last)
    return Annealed(last, objective, state.trace)
