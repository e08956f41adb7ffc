"""Motifs in nine sets of sequences: conjugate gradients, and weights that cool down before them.

[Elidan 2004, section 3.6, figure 3.6; HV1 2.7 and X3.9]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import log
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.engines.tasks import in_order, thread_bound
from tacit.experiments.elidan.binding import LENGTH, Binding, Motif, Tally
from tacit.experiments.elidan.motifs_told import claims, remarks, tables
from tacit.experiments.elidan.sequences import CASES, SETS, Sequences, implanted, log_odds, spelled
from tacit.experiments.elidan.words import LETTERS, good_seeds, lacking
from tacit.experiments.outcome import Outcome, Settings, repeated
from tacit.learn.annealing.driver import anneal
from tacit.learn.annealing.settings import WeightAnnealing

NAME = "elidan2004-motifs"
TIMES = {"smoke": 1, "default": len(SETS), "full": len(SETS)}
RUNS = {"smoke": 1, "default": 2, "full": 50}
"""Random runs of each set; the paper has 50."""
SIZES = {"smoke": 100, "default": CASES, "full": CASES}
MOST_SEEDS = 3
MOST_THREADS = 4
"""More would wait for each other: a pass takes two milliseconds, and Python runs between passes."""
JITTER = 0.5
"""The standard deviation by which starts of the baseline differ where it has more than one."""
ADVERSARY, RANDOM = (WeightAnnealing(None, reweight=each) for each in ("adversary", "random"))


@dataclass(frozen=True, slots=True)
class Reached:
    """How good a hypothesis is, and what it took.

    likelihood  log-likelihood of the labels, per sequence
    fresh       the same of sequences it has not seen
    lacking     letters of the implanted consensus that it has wrong
    passes      how often all sequences were gone through
    """

    likelihood: float
    fresh: float
    lacking: int
    passes: int


@dataclass(frozen=True, slots=True)
class Run:
    """One annealing from one seed, and the baseline with as many passes from the same seed."""

    annealed: Reached
    equal: Reached


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One seed of one set, and all that is started from it.

    matrix  the seed's, or any other to start from
    """

    held: Sequences
    problem: Binding
    fresh: Binding
    matrix: Floats

    def baseline(self, matrix: Floats | None = None) -> Reached:
        """Conjugate gradients."""
        problem = replace(self.problem, tally=Tally())
        start = problem.settled(self.matrix if matrix is None else matrix)
        return self.reached(problem.finish(start), problem.tally)

    def annealed(self, settings: WeightAnnealing, seed: tuple[int, ...]) -> Run:
        """Annealing; and the best of the baseline's starts that take no less work together."""
        problem = replace(self.problem, tally=Tally())
        found = anneal(settings, problem, problem.settled(self.matrix), seed=seed)
        reached = self.reached(found.hypothesis, problem.tally)
        return Run(reached, self.again(reached.passes, seed))

    def again(self, passes: int, seed: tuple[int, ...]) -> Reached:
        """The baseline from here and from matrices nearby, until so many passes are made."""
        random = np.random.default_rng([*seed, 1])
        highest = self.baseline()
        made = highest.passes
        while made < passes:
            near = self.matrix + random.normal(0, JITTER, self.matrix.shape)
            found = self.baseline(near)
            made += found.passes
            highest = best((highest, found))
        return replace(highest, passes=made)

    def reached(self, motif: Motif, tally: Tally) -> Reached:
        """The figures of a hypothesis."""
        fresh = self.fresh.motif(motif.flat).fits.mean()
        wrong = lacking(motif.consensus, self.held.consensus)
        return Reached(float(motif.fits.mean()), float(fresh), wrong, tally.passes)


def run(settings: Settings) -> Outcome:
    """Nine sets, one after the other; the runs of one on all cores."""
    times = TIMES[settings.scale]
    made = repeated(lambda at: one_set(SETS[at], settings), times, settings, "sets")
    bound = made[0]["bound"]
    facts = {
        "rows": made,
        "sequences": SIZES[settings.scale],
        "share_alone": bound * log(bound) + (1 - bound) * log(1 - bound),
    }
    told = (tables(facts), claims(facts), remarks(facts))
    return Outcome(NAME, settings.seed, len(made), times, *told, facts)


def one_set(number: int, settings: Settings) -> dict[str, Any]:
    """Everything about one set."""
    held, fresh = implanted(number, settings.seed, SIZES[settings.scale])
    problem, judge = Binding.of(held), Binding.of(fresh)
    seeds = good_seeds(held, MOST_SEEDS)
    trials = [Trial(held, problem, judge, Binding.seeded(word)) for word in seeds]
    truth = Trial(held, problem, judge, centred(log_odds(held.consensus)))
    many = len(trials)
    key = (settings.seed, number)
    tasks: list[Callable[[], Any]] = [truth.baseline, *(each.baseline for each in trials)]
    tasks += [partial(each.annealed, ADVERSARY, (*key, 0)) for each in trials]
    tasks += [
        partial(trials[at % many].annealed, RANDOM, (*key, at + 1))
        for at in range(RUNS[settings.scale])
    ]
    known, *done = in_order(tasks, min(MOST_THREADS, thread_bound(None)))
    adversary, random = done[many : 2 * many], done[2 * many :]
    return {
        "set": number,
        "consensus": held.word,
        "bound": float(problem.labels.mean()),
        "seeds": [spelled(each) for each in seeds],
        "seed_lacking": min(lacking(held.consensus, each) for each in seeds),
        "implanted": float(problem.settled(truth.matrix).fits.mean()),
        "from_implanted": asdict(known),
        "baseline": asdict(best(done[:many])),
        "adversary": {
            "annealed": asdict(best(each.annealed for each in adversary)),
            "equal": asdict(best(each.equal for each in adversary)),
        },
        "random": [asdict(each) for each in random],
    }


def best(reached: Iterable[Reached]) -> Reached:
    """The one with the highest likelihood, as the paper chooses."""
    return max(reached, key=lambda each: each.likelihood)


def centred(matrix: Floats) -> Floats:
    """A shorter matrix in the middle of one of the usual length."""
    whole = np.zeros((LENGTH, LETTERS))
    first = (LENGTH - len(matrix)) // 2
    whole[first : first + len(matrix)] = matrix
    return whole
