"""Ideal parents in greedy search: what is lost, and how many families need not be fitted.

[Elidan 2004, section 7.6, Table 7.1 and Figure 7.4; HV2 5.2, HV2-36]
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from time import process_time
from typing import Any

from tacit.core.dataset import Dataset
from tacit.estimate.estimates import ML
from tacit.experiments.elidan.crossing import Fold, crossed
from tacit.experiments.elidan.genes import genes
from tacit.experiments.elidan.ideal_told import (
    FOLDS,
    GREEDY,
    OURS,
    PAPER,
    SOURCE,
    Line,
    Made,
    Size,
    Task,
    absolute,
    by_k,
    claims,
    remarks,
    table,
)
from tacit.experiments.outcome import Outcome, Settings, repeated
from tacit.families.curved import SigmoidGaussian
from tacit.infer.likelihood import log_likelihood
from tacit.learn.structure.search import search
from tacit.learn.structure.searched import Search
from tacit.learn.structure.settings import HillClimb, IdealParent
from tacit.learn.structure.structural_em import structural_em

NAME = "elidan2004-table7.1"
LINES = tuple(Task(name, "linear") for name in ("AA", "AA Cond", "Met", "Met Cond"))
CURVES = tuple(Task(name, "sigmoid") for name in ("AA", "AA Cond", "Met", "Met Cond"))
GAPS = tuple(Task(name, "linear") for name in ("AA gaps", "AA gaps Cond"))
SIZES = {
    "smoke": Size(LINES[:1], 1, (2,), (2,)),
    "default": Size((LINES[0], LINES[2], CURVES[0]), 1, (2, 5), (1, 2, 5)),
    "full": Size((*LINES, *CURVES, *GAPS), FOLDS, (2, 5), (1, 2, 5, 10)),
}


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One fold of one task."""

    task: Task
    fold: Fold
    source: str


def run(settings: Settings) -> Outcome:
    """Every task, fold by fold; an interruption leaves the folds that were done."""
    size = SIZES[settings.scale]
    pieces = [(task, number) for number in range(size.folds) for task in size.tasks]

    def one(at: int) -> Made:
        task, number = pieces[at]
        held = genes(task.data, settings.data, settings.seed)
        fold = crossed(held.cases, FOLDS, settings.seed)[number]
        return compared(Piece(task, fold, held.source), size)

    made = repeated(one, len(pieces), settings, "folds")
    lines = [
        Line(task, [each for each in made if each.task == task])
        for task in size.tasks
        if any(each.task == task for each in made)
    ]
    return Outcome(
        NAME, settings.seed, len(made), len(pieces),
        (table(lines, size.ks), by_k(lines, size.curve), absolute(lines)),
        claims(lines, size), remarks(lines), {"rows": [line.to_plain() for line in lines]},
    )  # fmt: skip


def compared(piece: Piece, size: Size) -> Made:
    """Greedy, and every K as the source has it and as `tc.IdealParent()` has it, on one fold."""
    names, bound = len(piece.fold.train.names), most(piece.task)
    runs = {GREEDY: greedy(piece, names)}
    for k in sorted({*size.ks, *size.curve} if not piece.task.gaps else size.ks):
        source = IdealParent(k=k, similarity="ideal", pooled=False, most_parents=bound)
        runs[f"{SOURCE} {k}"] = judged(piece, source)
        runs[f"{OURS} {k}"] = judged(piece, IdealParent(k=k, most_parents=bound))
    return Made(piece.task, piece.source, runs)


def most(task: Task) -> int | None:
    """Where there are more variables than cases every search fits them exactly without a bound."""
    return 5 if task.data.endswith("Cond") or task.gaps else None


def greedy(piece: Piece, names: int) -> dict[str, float]:
    """Plain greedy: families counted that are legal; of straight lines, the faster way of two.
    With gaps the fast way alone, which counts a few that would close cycles too."""
    bound = most(piece.task)
    if piece.task.gaps:
        return judged(piece, HillClimb(restarts=0, replace=True, most_parents=bound))
    plain = judged(piece, IdealParent(k=names, most_parents=bound))
    if piece.task.form == "linear":
        fast = judged(piece, HillClimb(restarts=0, replace=True, most_parents=bound))
        plain["seconds"] = min(plain["seconds"], fast["seconds"])
    return plain


def judged(piece: Piece, method: Any) -> dict[str, float]:
    """One search: bits per case and variable, arcs, moves, families and CPU seconds."""
    train, test = piece.fold.train, piece.fold.test
    common: dict[str, Any] = {
        "method": method, "estimate": ML(), "as_given": True, "seed": 1, "progress": False,
    }  # fmt: skip
    begin = process_time()
    if piece.task.gaps:
        found = structural_em(train, **common)
    else:
        found = search(train, family=_family(piece.task), **common)
    seconds = process_time() - begin
    return {
        "train": bits(found, train),
        "test": bits(found, test),
        "arcs": float(len(found.dag.arcs)),
        "moves": float(len(found.moves)),
        "families": float(found.evaluations),
        "seconds": seconds,
    }


def bits(found: Search, cases: Dataset) -> float:
    """log2 density per case and variable."""
    return log_likelihood(found.network, cases).average / len(cases.names) / log(2)


def _family(task: Task) -> Any:
    return SigmoidGaussian if task.form == "sigmoid" else None


assert set(PAPER) == {(task.data, task.form) for task in (*LINES, *CURVES, *GAPS)}
