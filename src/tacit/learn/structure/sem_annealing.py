"""Structural EM whose case weights are annealed: a round at every temperature. [HV1 2.5]"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tacit.arrays import Floats
from tacit.core.network import Network
from tacit.estimate.priors import BDeu
from tacit.learn.annealing.driver import Round as Heated
from tacit.learn.annealing.driver import State, anneal
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.structure.sem_job import Job
from tacit.learn.structure.sem_rounds import explained, refitted, round_at


@dataclass(slots=True, eq=False)
class Annealable:
    """Structural EM as a problem of annealing: one round between two reweightings.

    seed         of draws, where cells must be drawn
    evaluations  families scored so far
    """

    job: Job
    seed: tuple[int, ...]
    evaluations: int = 0

    @property
    def weights(self) -> Floats:
        """How often each case counts on its own account."""
        return self.job.weights

    def optimise(self, weights: Floats, hypothesis: Network) -> Network:
        """One round at these weights.

        Parameters keep a little of a prior: a case that hardly counts must not become impossible.
        """
        job = self.job if self.job.prior is not None else replace(self.job, prior=BDeu(1))
        step = round_at(job, hypothesis, weights, self.seed)
        self.evaluations += step.evaluations
        return step.hypothesis.network

    def finish(self, hypothesis: Network) -> Network:
        """Nothing: the rounds that follow, at the cases' own weights, begin here."""
        return hypothesis

    def gradient(self, weights: Floats, hypothesis: Network) -> Floats:
        """(cases,) log P(what was observed of the case). [HV1 2.4]"""
        del weights
        return explained(self.job, hypothesis)

    def objective(self, hypothesis: Network) -> float:
        """The score at the cases' own weights."""
        return refitted(self.job, hypothesis, self.weights, 0).objective


@dataclass(frozen=True, slots=True, eq=False)
class Cooled:
    """Where annealing left a run, what happened at each temperature, and what it cost."""

    network: Network
    heated: tuple[Heated, ...]
    evaluations: int


def cooled(
    settings: WeightAnnealing,
    job: Job,
    start: Network,
    seed: Sequence[int],
    asked: Callable[[], bool],
) -> Cooled:
    """The network after all temperatures; KeyboardInterrupt if someone asks for the end."""
    problem = Annealable(job, tuple(seed))

    def told(state: State[Network], rounds: int) -> None:
        del state, rounds
        if asked():
            raise KeyboardInterrupt

    found = anneal(settings, problem, start, tuple(seed), told)
    if found.interrupted:
        raise KeyboardInterrupt
    return Cooled(found.hypothesis, found.trace, problem.evaluations)
