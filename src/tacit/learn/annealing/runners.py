"""The searches that anneal, as `tc.search` runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.core.interrupts import asked_to_end
from tacit.learn.annealing.dags import Cases, FoundDag, annealed_search, simulated_search
from tacit.learn.annealing.notes import annealing_notes
from tacit.learn.structure.outcome import Outcome, as_move

if TYPE_CHECKING:
    from tacit.learn.structure.question import Question
    from tacit.learn.structure.running import Run


def weight_annealed(task: Run) -> Outcome:
    """Hill climbing or tabu search on cases whose weights are annealed."""
    with asked_to_end() as asked:
        found = annealed_search(
            task.method, _cases(task.question), task.start, task.seed, task.told, asked
        )
    return _outcome(task.question, found, annealing_notes(task.method, found.rounds))


def simulated_annealed(task: Run) -> Outcome:
    """Simulated annealing over dags."""
    with asked_to_end() as asked:
        found = simulated_search(
            task.method, _cases(task.question), task.start, task.seed, task.told, asked
        )
    return _outcome(task.question, found, ())


def _cases(question: Question) -> Cases:
    own = question.cases.weights
    weights = np.ones(len(question.cases)) if own is None else own
    return Cases(question.scorer, weights, question.limits, question.terms)


def _outcome(question: Question, found: FoundDag, notes: tuple[str, ...]) -> Outcome:
    return Outcome(
        found.parents,
        found.score,
        found.stop,
        found.trace,
        found.evaluations,
        tuple(as_move(change, question.names, round_) for change, round_ in found.changes),
        found.restarts,
        notes,
    )
