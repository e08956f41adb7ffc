"""Every method of search on the same question, each a line in a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError, listed, nearest, quoted
from tacit.core.grid import counted
from tacit.core.interrupts import asked_to_end
from tacit.learn.annealing.runners import simulated_annealed, weight_annealed
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.annealing.simulated import SimulatedAnnealing
from tacit.learn.fits import Stop
from tacit.learn.progress import Report
from tacit.learn.structure.climbing import Task, Walk, begun, climb
from tacit.learn.structure.exact import exact_search
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.methods_exact import TAN, ChowLiu, Exact
from tacit.learn.structure.outcome import Outcome, as_move
from tacit.learn.structure.perturbing import drawn_again
from tacit.learn.structure.promising import begins_of
from tacit.learn.structure.question import Question
from tacit.learn.structure.settings import HillClimb, IdealParent, Tabu
from tacit.learn.structure.state import Parents
from tacit.learn.structure.trees import chow_liu, tan
from tacit.learn.structure.walks import KeptWalk


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One search to be made.

    start  the dag to begin at; methods that end at the best dag of their kind need none
    told   hears of progress
    kept   where the walk is kept on disk; None: nowhere
    """

    question: Question
    method: Any
    start: Parents
    seed: int
    threads: int | None
    told: Report
    kept: KeptWalk | None = None


def run(task: Run) -> Outcome:
    """The answer of the method."""
    return RUNNERS[type(task.method)](task)


def climbed(task: Run) -> Outcome:
    """Hill climbing, also by ideal parents, and tabu search."""
    question, settings, ledger = task.question, task.method, task.question.ledger()
    rng = np.random.default_rng(task.seed)
    walk = (
        begun(ledger, task.start) if task.kept is None else task.kept.begin(ledger, task.start, rng)
    )
    with asked_to_end() as asked:

        def heard(walk: Walk) -> None:
            task.told(walk.failed, settings.vain + 1, walk.highest)
            if task.kept is not None:
                task.kept.keep(walk, rng, ledger.evaluations)
            if asked():
                raise KeyboardInterrupt

        begins = begins_of(question.scorer, settings)
        steps = Task(ledger, settings, rng, heard, _resampled(question), begins)
        stop = climb(steps, walk)
    if task.kept is not None:
        task.kept.keep(walk, rng, ledger.evaluations, now=True)
    return Outcome(
        walk.best,
        walk.highest,
        stop,
        tuple(walk.trace),
        ledger.evaluations,
        tuple(as_move(change, question.names, restart) for change, restart in walk.changes),
        walk.restarts,
        _spared(steps, walk, stop),
    )


def _spared(task: Task, walk: Walk, stop: Stop) -> tuple[str, ...]:
    """A note about restarts that were left out because so much had been done."""
    vain = task.settings.vain
    if stop is not Stop.CONVERGED or walk.failed >= vain or not task.sated(walk):
        return ()
    made, again = counted(len(walk.changes), "change"), counted(walk.restarts, "restart")
    return (
        f"restarts ended early, after {made} among {counted(task.ledger.n, 'variable')} and "
        f"{again}: a better dag may be found with restarts={vain}, which goes on until {vain} in a "
        "row find nothing better",
    )


def _resampled(question: Question) -> Callable[[np.random.Generator], Ledger]:
    """The same question asked of cases drawn again, as many as they weigh."""

    def ledger(rng: np.random.Generator) -> Ledger:
        return question.ledger(question.scorer.weighted(resampling(question, rng)))

    return ledger


def resampling(question: Question, rng: np.random.Generator) -> Floats:
    """How often each case counts in a bootstrap sample: as many draws as the cases weigh.

    So cases that were merged, with weights, vary as they did before. The total weight stays.
    """
    own = question.cases.weights
    return drawn_again(np.ones(len(question.cases)) if own is None else own, rng)


def _exact(task: Run) -> Outcome:
    """The best dag; what Ctrl-C asks in one phase is still heard in the next."""
    question = task.question
    with asked_to_end():
        found = exact_search(
            question.scorer,
            question.limits,
            question.terms,
            threads=task.threads,
            progress=task.told,
        )
    return Outcome(found.parents, found.score, Stop.PROVEN, (found.score,), found.families)


def _chow_liu(task: Run) -> Outcome:
    method = task.method
    root = None if method.root is None else place_of(task.question, method.root, "the root")
    question = task.question
    parents = chow_liu(
        question.scorer, question.ruled, question.terms, root=root, spanning=method.spanning
    )
    return _proven(question, parents)


def _tan(task: Run) -> Outcome:
    method, question = task.method, task.question
    root = None if method.root is None else place_of(question, method.root, "the root")
    target = place_of(question, method.target, "the target")
    parents = tan(
        question.scorer,
        question.ruled,
        question.terms,
        target=target,
        root=root,
        spanning=method.spanning,
    )
    return _proven(question, parents)


def _proven(question: Question, parents: Parents) -> Outcome:
    """A best tree: every pair of variables was scored."""
    ledger, n = question.ledger(), len(question.names)
    score = ledger.total(parents)
    return Outcome(parents, score, Stop.PROVEN, (score,), n * n)


def place_of(question: Question, name: str, what: str) -> int:
    """The number of a variable that an option names."""
    if name not in question.names:
        raise OptionError(
            f"{what} {quoted(str(name))} is no column of the cases"
            f"{nearest(str(name), question.names)}\n\ncolumns: {listed(question.names)}"
        )
    return question.names.index(name)


RUNNERS: Mapping[type, Callable[[Run], Outcome]] = {
    HillClimb: climbed,
    Tabu: climbed,
    IdealParent: climbed,
    Exact: _exact,
    ChowLiu: _chow_liu,
    TAN: _tan,
    WeightAnnealing: weight_annealed,
    SimulatedAnnealing: simulated_annealed,
}
