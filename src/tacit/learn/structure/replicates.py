"""The same search on bootstrap samples of the cases."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np

from tacit.core.dag import Dag
from tacit.core.errors import KnowledgeError
from tacit.core.interrupts import asked_to_end
from tacit.learn.progress import Report
from tacit.learn.structure.confidence import ArcConfidence, confidence_of
from tacit.learn.structure.fitted import check_found
from tacit.learn.structure.running import Run, resampling, run
from tacit.learn.structure.settings import HillClimb, IdealParent, Tabu

FEW = 5
"""Restarts in vain that end the search on one sample."""


def bootstrapped(task: Run, replicates: int, told: Report) -> tuple[ArcConfidence, int]:
    """How often each arc is found in so many samples, each as large as the cases.

    Every sample has its own seed, so that one more sample changes none of the others. Interrupted,
    the samples done so far count; the one at work does not. Nor do those, whose number comes
    second, in which no dag that the rules allow has a distribution.
    """
    done, none = list[Dag](), 0
    with asked_to_end() as asked, suppress(KeyboardInterrupt):
        for number in range(replicates):
            told(number, replicates)
            try:
                dag = _one(task, number)
            except KnowledgeError:
                none += 1
                continue
            if asked():
                break
            done.append(dag)
        told(len(done) + none, replicates)
    question = task.question
    allowed = question.limits.allowed & ~question.limits.required.T
    return confidence_of(question.names, done, allowed, len(done)), none


def _one(task: Run, number: int) -> Dag:
    """The dag of one sample; a method that restarts does so but a few times here."""
    question = task.question
    rng = np.random.default_rng([task.seed, number])
    scorer = question.scorer.weighted(resampling(question, rng))
    method = task.method
    if isinstance(method, HillClimb | Tabu | IdealParent):
        method = replace(method, restarts=min(method.vain, FEW))
    sampled = replace(question, scorer=scorer)
    seed = int(rng.integers(2**63))
    found = run(replace(task, question=sampled, method=method, seed=seed, told=_silent, kept=None))
    check_found(sampled, found)
    return question.dag(found.parents)


def _silent(done: int, total: int, objective: float | None = None) -> None:
    del done, total, objective
