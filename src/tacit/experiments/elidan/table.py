"""The table of the chapter: annealed weights against restarts, six tasks.

[Elidan 2004, section 3.5.4, Table 3.1; HV1 X3.8]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from tacit.core.dataset import Dataset
from tacit.estimate.priors import BDeu
from tacit.experiments.elidan.crossing import Fold, crossed, whole
from tacit.experiments.elidan.dags import VAIN
from tacit.experiments.elidan.domains import domain
from tacit.experiments.elidan.judged import Judged, Watch, bits
from tacit.experiments.elidan.table_told import (
    ADVERSARY,
    FOLDS,
    PLAIN,
    RANDOM,
    RESTARTS,
    Done,
    Line,
    Size,
    Task,
    claims,
    efforts,
    remarks,
    table,
)
from tacit.experiments.elidan.unseen import HIDDEN, Unseen
from tacit.experiments.outcome import Outcome, Settings, repeated
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.structure.search import search
from tacit.learn.structure.searched import Search
from tacit.learn.structure.settings import HillClimb, Tabu
from tacit.learn.structure.structural_em import structural_em

NAME = "elidan2004-table3.1"
SCORE = BDeu(5)
TASKS = (
    Task("search", "stock", (-0.02, 0.01, 0.03)),
    Task("search", "alarm", (0.15, 0.18, 0.17)),
    Task("SEM", "rosetta", (-0.05, 0.27, 0.09)),
    Task("SEM", "audiology", (0.0, 0.39, 0.23)),
    Task("SEM", "soybean", (0.19, 0.32, 0.19)),
    Task("SEM", "alarm", (0.25, 0.31, 0.33)),
)
SIZES = {
    "smoke": Size(TASKS[::2][:2], 1, 1, 0.2),
    "default": Size(TASKS, 2, 2, 0.5),
    "full": Size(TASKS, FOLDS, 10, 0.9),
}


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One fold of one task."""

    task: Task
    fold: Fold
    source: str
    seed: int


def run(settings: Settings) -> Outcome:
    """Every task, fold by fold; an interruption leaves the folds that were done."""
    size = SIZES[settings.scale]
    pieces = [(task, number) for number in range(size.folds) for task in size.tasks]

    def one(at: int) -> Done:
        task, number = pieces[at]
        piece = drawn(task, number, size, settings)
        runs = compared(piece, size)
        return Done(task, piece.source, len(piece.fold.test), runs)

    done = repeated(one, len(pieces), settings, "folds")
    rows = {task: [each for each in done if each.task == task] for task in size.tasks}
    lines = [Line.of(task, each) for task, each in rows.items() if each]
    return Outcome(
        NAME, settings.seed, len(done), len(pieces), (table(lines), efforts(lines)),
        claims(lines), remarks(lines, size), {"rows": [line.to_plain() for line in lines]},
    )  # fmt: skip


def drawn(task: Task, number: int, size: Size, settings: Settings) -> Piece:
    """A fold of a task; of alarm, whose cases cost nothing, a data set of its own."""
    if task.domain == "alarm":
        seed = settings.seed + number
        unseen = Unseen.drawn(seed, size.cases, size.new, 0 if task.verb == "search" else 4)
        source = f"{size.cases:,} cases of the textbook network, and {size.new:,} new ones"
        return Piece(task, Fold(unseen.train, unseen.test), source, seed)
    held = domain(task.domain, settings.data, settings.seed)
    fold = crossed(whole(held), FOLDS, settings.seed)[number]
    return Piece(task, fold, f"{held.source}; {FOLDS} folds of all of them", settings.seed)


def compared(piece: Piece, size: Size) -> list[Judged]:
    """Every method on one fold; restarts score as many families as the adversary did."""
    learn = _search if piece.task.verb == "search" else _sem
    inner: Any = Tabu(length=25, restarts=0) if learn is _search else HillClimb(restarts=0)
    against = WeightAnnealing(inner, cooling=size.cooling)
    random = replace(against, reweight="random")
    runs = [judged(PLAIN, piece, learn, HillClimb(restarts=0))]
    runs.append(judged(ADVERSARY, piece, learn, against))
    runs += [judged(RANDOM, piece, learn, random, number) for number in range(size.randoms)]
    one, budget = runs[0].evaluations, runs[1].evaluations
    if learn is _search:
        many: Any = Tabu(restarts=VAIN, max_evaluations=budget)
        runs.append(judged(RESTARTS, piece, learn, many))
    else:
        starts = max(2, ceil(budget / max(one, 1)))
        again = _restarted(starts)
        runs.append(judged(RESTARTS, piece, again, HillClimb(restarts=0)))
    return runs


Learn = Callable[[Piece, Dataset, Any, int], Search]


def _search(piece: Piece, cases: Dataset, how: Any, seed: int) -> Search:
    del piece
    return search(cases, score=SCORE, method=how, as_given=True, seed=seed, progress=False)


def _sem(piece: Piece, cases: Dataset, how: Any, seed: int, starts: int = 1) -> Search:
    """Nothing is hidden but where it is known to be: other cases only lack cells. [X3.8]"""
    hidden = HIDDEN if piece.task.domain == "alarm" else None
    return structural_em(
        cases,
        hidden=hidden,
        score=SCORE,
        method=how,
        restarts=starts,
        as_given=True,
        seed=seed,
        progress=False,
    )


def _restarted(starts: int) -> Learn:
    """Structural EM from so many starts, of which the score chooses."""
    return lambda piece, cases, how, seed: _sem(piece, cases, how, seed, starts)


def judged(method: str, piece: Piece, learn: Learn, how: Any, number: int = 0) -> Judged:
    """One run, judged by the cases held out."""
    watch, fold = Watch(), piece.fold
    found = learn(piece, fold.train, how, 1000 * piece.seed + number)
    train, seconds = found.score / fold.train.total_weight, watch.seconds
    return Judged(method, train, bits(found.network, fold.test), found.evaluations, seconds)
