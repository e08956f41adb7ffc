"""A path on stocks, gamma by gamma, and other ways to anneal: naive, entropic, of weights.

[Elidan 2004, section 6.6, figures 6.8 and 6.9; HV2 4.2]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.grid import Grid
from tacit.experiments.elidan.bottleneck_table import Problem
from tacit.experiments.elidan.bottleneck_told import EXACT, TIE, Ran
from tacit.experiments.elidan.scenes import Scene, above, scene
from tacit.experiments.outcome import Claim, Outcome, Settings, repeated
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.bottleneck.annealing import deterministic_annealing, naive_annealing
from tacit.learn.bottleneck.path import BottleneckPath
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.fit import fit
from tacit.learn.methods import EM, Method

NAME = "elidan2004-figure6.8"
SHOWN = 16
"""Lines of the table of a path."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large the experiment is.

    tasks   scenes with numbers of states; the first one's path is shown
    values  of gamma, of naive annealing
    runs    of EM
    """

    tasks: tuple[tuple[str, int], ...]
    values: int
    runs: int
    cases: int | None = None


SIZES = {
    "smoke": Size((("Stock", 3),), 20, 3, 200),
    "default": Size((("Stock", 4), ("Stock", 8), ("Digit", 5)), 200, 20, 1500),
    "full": Size((("Stock", 3), ("Stock", 4), ("Stock", 5), ("Stock", 8), ("Digit", 5),
                  ("Digit", 10)), 1000, 50),
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Every way to anneal on one task, beside starts of EM."""

    name: str
    path: BottleneckPath
    cases: float
    ways: Mapping[str, Ran]
    starts: tuple[Ran, ...]

    def below(self, way: str) -> float:
        """The percentage of starts that a way beats, by more than a tie."""
        mark = self.ways[way].train - TIE
        return 100 * float(np.mean([run.train < mark for run in self.starts]))

    def median(self) -> float:
        """Of the starts, in bits per case learned from."""
        return float(np.median([run.train for run in self.starts]))

    def best(self) -> float:
        """Likewise."""
        return max(run.train for run in self.starts)


def ways(values: int) -> dict[str, Method]:
    """The path and what it is compared with; weights cool as the source has it. [HV2 4.2]"""
    return {
        "path": IBEM(),
        f"naive annealing, {values} values": naive_annealing(values),
        "deterministic annealing": deterministic_annealing(100),
        "annealed weights": WeightAnnealing(EM(restarts=1), start=4.0, cooling=0.95),
    }


def run(settings: Settings) -> Outcome:
    """Every task; an interruption leaves those that were done."""
    size = SIZES[settings.scale]

    def one(at: int) -> Compared:
        name, states = size.tasks[at]
        held = scene(name, settings.data, settings.seed).cut(size.cases)
        return compared(f"{name} C={states}", held, states, size, settings.seed)

    done = repeated(one, len(size.tasks), settings, "tasks")
    source = scene(size.tasks[0][0], settings.data, settings.seed).cut(size.cases).source
    return Outcome(
        NAME, settings.seed, len(done), len(size.tasks), (traced(done[0]), annealed(done)),
        claims(done), _remarks(source, size), {"rows": [_plain(each) for each in done]},
    )  # fmt: skip


def compared(name: str, held: Scene, states: int, size: Size, seed: int) -> Compared:
    """Every way once, and EM from random starts."""
    problem = Problem(held, above(held.names), states)
    path = fit(
        problem.dag, held.train, hidden=problem.hidden, method=IBEM(finish=False), seed=seed,
        threads=1, progress=False,
    ).path  # fmt: skip
    assert path is not None
    found = {what: problem.learned(what, how, seed).ran for what, how in ways(size.values).items()}
    starts = [
        problem.learned(EXACT, EM(restarts=1), 1000 * seed + number).ran
        for number in range(size.runs)
    ]
    return Compared(name, path, held.train.total_weight, found, tuple(starts))


def traced(one: Compared) -> Grid:
    """The path as figures 6.8 and 6.9 draw it."""
    chosen = spaced(one.path.column("information")[:, 0], SHOWN)
    rows = [
        (
            f"{step.gamma:.4f}",
            f"{step.log_likelihood / one.cases / log(2):.3f}",
            f"{step.information[0] / log(2):.3f}",
            str(step.effective[0]),
            str(step.steps),
        )
        for step in (one.path.steps[at] for at in chosen)
    ]
    heads = ("gamma", "log-likelihood, bits", "I(T;Y), bits", "effective states", "steps of EM")
    title = f"path of {one.name}: {len(rows)} of {len(one.path)} gammas"
    return Grid(title, heads, tuple(rows))


def spaced(values: Floats, many: int) -> list[int]:
    """The first, the last, and between them where the values have grown evenly."""
    grown = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(values)))])
    grown = grown / (grown[-1] or 1.0) + np.linspace(0, 1, len(values))
    wanted = np.linspace(0, grown[-1], many)
    return sorted({int(np.argmin(np.abs(grown - value))) for value in wanted})


def annealed(done: Sequence[Compared]) -> Grid:
    """Ways to anneal against starts."""
    rows = [
        (
            each.name, what, f"{ran.train:.4f}", f"{ran.train - each.median():+.4f}",
            f"{ran.train - each.best():+.4f}", f"{each.below(what):.0f}", f"{ran.test:.3f}",
            f"{ran.seconds:.2f}", f"{np.mean([run.seconds for run in each.starts]):.3f}",
        )
        for each in done
        for what, ran in each.ways.items()
    ]  # fmt: skip
    heads = ("model", "way", "bits a case", "above the median of EM", "above its best",
             "% of EM worse", "held out", "CPU s", "one of EM")  # fmt: skip
    return Grid("ways to anneal, and random starts of EM", heads, tuple(rows), labels=2)


def claims(done: Sequence[Compared]) -> tuple[Claim, ...]:
    """What the source says of its figures, and what is asked of ours."""
    return (
        Claim(
            "gammas crowd where information rises: steps there are shorter than elsewhere",
            all(crowded(each.path) for each in done),
        ),
        Claim(
            "information never falls along the path, but for a hundredth of its end",
            all(_rising(each.path.column("information")[:, 0]) for each in done),
        ),
        Claim(
            "effective states grow along the path, from one",
            all(
                each.path.steps[0].effective == (1,)
                and each.path.steps[-1].effective[0] == max(s.effective[0] for s in each.path.steps)
                for each in done
            ),
        ),
        Claim(
            "no path ends more than 0.2 % below the median start of EM",
            all(
                each.ways["path"].train >= each.median() - 0.002 * abs(each.median())
                for each in done
            ),
        ),
    )


def crowded(path: BottleneckPath) -> bool:
    """Whether gamma moves less where information grows fast, by the median."""
    moved = np.diff(path.gamma)[:-1]
    speed = np.diff(path.column("information")[:, 0])[:-1] / np.maximum(moved, 1e-12)
    fast = speed >= np.median(speed)
    return bool(np.median(moved[fast]) < np.median(moved[~fast]) + 1e-12)


def _rising(values: Floats) -> bool:
    return all(after >= before - 0.01 * values[-1] for before, after in pairwise(values))


def _plain(each: Compared) -> dict[str, Any]:
    return {
        "task": each.name,
        "path": [
            {"gamma": step.gamma, "log_likelihood": step.log_likelihood / each.cases / log(2),
             "information": step.information[0] / log(2), "effective": step.effective[0]}
            for step in each.path.steps
        ],
        "ways": {
            what: {"train": ran.train, "test": ran.test, "seconds": ran.seconds,
                   "percent_of_em_below": each.below(what)}
            for what, ran in each.ways.items()
        },
        "starts": [run.train for run in each.starts],
    }  # fmt: skip


def _remarks(source: str, size: Size) -> tuple[str, ...]:
    return (
        f"{source}. All have the default prior BDeu(1); CPU seconds of one thread; {size.runs} "
        "starts of EM, tc.EM(restarts=1) each.",
        "The paper's naive annealing takes 1000 values of gamma and is mostly no better than an "
        "average run of EM; it does not say whether it disturbs its solutions. Ours does, as the "
        "path does, for without that neither leaves the trivial solution.",
        "The paper's annealed weights, from temperature 4 cooled by .95, equal IB-EM on Stock at "
        "ten times the time.",
    )
