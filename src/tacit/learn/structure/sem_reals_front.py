"""`structural_em` on continuous columns: what is asked, checked, and what is answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, TypeAlias

import numpy as np

from tacit.core.dataset import Dataset, absent
from tacit.core.errors import (
    EstimateError,
    KnowledgeError,
    MissingError,
    OptionError,
    listed,
    quoted,
)
from tacit.core.network import Network
from tacit.core.variables import Continuous
from tacit.engines.gaussian_scores import check_gaussian
from tacit.engines.mixed_scores import check_mixed
from tacit.engines.scales import check_scales, check_spreads
from tacit.estimate.continuous.prior import GaussianPrior
from tacit.estimate.estimates import Estimate
from tacit.estimate.scores.dag_priors import DagPrior
from tacit.estimate.scores.values import BIC, AnyScore, BGe
from tacit.infer.normal.gaps import Patterns
from tacit.infer.sampling import fresh_seed
from tacit.knowledge.knowledge import KnowledgeLike, as_knowledge
from tacit.knowledge.limits import reasons_of
from tacit.learn.bends.pieces import Told
from tacit.learn.continuous.families import NoNoiseError
from tacit.learn.curved import curves_among, curves_asked
from tacit.learn.fit import fit
from tacit.learn.fits import Stop
from tacit.learn.methods import EM
from tacit.learn.progress import Callback, Report, watched
from tacit.learn.structure.fitted import as_search, found_of
from tacit.learn.structure.outcome import Outcome
from tacit.learn.structure.question import Question, check_scores, check_some, joinable
from tacit.learn.structure.searched import Search
from tacit.learn.structure.sem_curves import COPIES, CurveJob, run_curve_rounds, scorer_of_completed
from tacit.learn.structure.sem_job import ROUNDS, STEPS
from tacit.learn.structure.sem_reals import RealJob, network_of, run_rounds, scorer_at
from tacit.learn.structure.settings import HillClimb, IdealParent, Tabu
from tacit.learn.structure.starting import start_of
from tacit.learn.structure.state import Parents
from tacit.learn.structures import NUMBERS_UNUSED

PLAIN = HillClimb(restarts=0)
USED = "the network gave structure and states, and its numbers were the start"


def all_real(cases: Dataset) -> bool:
    """Whether every column is continuous, so that lines join them."""
    every = cases.variables.values()
    return bool(every) and all(isinstance(each, Continuous) for each in every)


class Kind(Enum):
    """What the columns of cases are."""

    STATES = "all have states"
    REAL = "all are continuous"
    MIXED = "some have states, some are continuous"


def kind_of(cases: Dataset, start: Any) -> Kind:
    """Of the columns, in the states that a network to start from declares for some of them."""
    declared = start.variables if isinstance(start, Network) else {}
    kinds = {
        isinstance(declared.get(name, variable), Continuous)
        for name, variable in cases.variables.items()
        if not absent(cases[name]).all()
    }
    if True not in kinds:
        return Kind.STATES
    return Kind.MIXED if False in kinds else Kind.REAL


def check_values(cases: Dataset) -> None:
    """Nothing, or an error about columns of real values where every cell is missing."""
    empty = [
        name
        for name, each in cases.variables.items()
        if isinstance(each, Continuous) and np.isnan(cases[name]).all()
    ]
    if empty:
        has = "has" if len(empty) == 1 else "have"
        raise MissingError(
            f"{listed(map(quoted, empty), 6)} {has} no value in any case\n\nleave "
            f"{'the column' if len(empty) == 1 else 'the columns'} out"
        )


def check_reals(cases: Dataset, score: AnyScore) -> None:
    """Nothing, or an error about columns of real values that no family suits, or their score."""
    check_mixed(score)
    check_some(cases)
    check_values(cases)
    real = [name for name, each in cases.variables.items() if isinstance(each, Continuous)]
    check_scales(cases, real)
    check_spreads(cases, real)


def refuse_layers(method: Any) -> None:
    """Nothing, or an error about hidden parents wanted from the search of a round."""
    if isinstance(method, IdealParent) and method.hidden:
        raise OptionError(
            f"{method.describe()} looks for hidden parents, and the search of each round is for "
            "arcs\n\nleave out hidden=True; tc.search finds hidden parents of complete columns"
        )


def refuse_for_reals(wishes: Mapping[str, Any]) -> None:
    """Nothing, or an error about what structural EM over lines cannot be asked."""
    for option, wish in wishes.items():
        if wish is not None:
            raise OptionError(
                f"{option}= means nothing to structural EM over continuous columns\n\nleave it out"
            )


@dataclass(frozen=True, slots=True, eq=False)
class RealWishes:
    """What structural EM over lines is asked, as `structural_em` takes it.

    columns  which columns were left out, set aside or kept all the same, as settings say it
    """

    start: Any
    knowledge: KnowledgeLike
    score: AnyScore | None
    method: Any
    dag_prior: DagPrior | None
    columns: Mapping[str, Any]
    steps: int
    max_rounds: int
    seed: int | None
    progress: bool | Callback | None
    families: Any = None
    prior: GaussianPrior | None = None
    estimate: Estimate | None = None


def structural_em_reals(cases: Dataset, wishes: RealWishes) -> Search:
    """Structural EM over lines, fitted once more to its end."""
    question, method = _question(cases, wishes), wishes.method
    values, means, scale = RealJob.columns(question.cases)
    known = check_gaussian(question.score)
    assert not isinstance(known, BGe)
    job = RealJob(
        question.names, Patterns.of(values, question.cases.weights), means, scale, known,
        question.limits, question.terms, replace(method or PLAIN, restarts=0),
        steps=wishes.steps,
    )  # fmt: skip
    begin, seed = start_of(question, wishes.start), fresh_seed(wishes.seed)
    with watched(wishes.progress, "structural EM") as told:
        rounds = _curves if question.curves else _lines
        at_last, outcome, network = rounds(question, job, begin, wishes, seed, told)
    fitted = fit(
        network, question.cases, knowledge=question.knowledge, start="given", prior=wishes.prior,
        estimate=wishes.estimate, method=EM(restarts=1), seed=seed, progress=False,
    )  # fmt: skip
    notes = tuple(note for note in fitted.notes if note not in (USED, NUMBERS_UNUSED))
    said = _said(question, job, begin, wishes)
    found_ = found_of(at_last, outcome)
    told_of = (*question.cases.notes, *_completions(question))
    return as_search(replace(fitted, notes=notes), outcome, found_, said, told_of)


def _said(question: Question, job: RealJob, begin: Parents, wishes: RealWishes) -> dict[str, Any]:
    """What was asked, for the settings of the result: of what is usual only the method."""
    prior, curves = question.dag_prior, question.curves
    unusual = {
        "begun_at": (str(question.dag(begin)), wishes.start is not None),
        "curves": (curves_asked(curves, len(question.names)), bool(curves)),
        "steps": (wishes.steps, wishes.steps != STEPS),
        "max_rounds": (wishes.max_rounds, wishes.max_rounds != ROUNDS),
    }
    return {
        "score": question.score.describe(),
        "method": f"structural EM with {job.method.describe()}",
        "dag_prior": None if prior is None else prior.describe(),
        "starts": 1,
        **wishes.columns,
        **{name: said for name, (said, asked) in unusual.items() if asked},
    }


def _completions(question: Question) -> Iterable[str]:
    """How a search with curves completes cases."""
    if question.curves and any(question.cases.missing().values()):
        yield (
            f"the search of each round was at {COPIES} draws of what each case with gaps lacks; "
            "its score is that of what was observed"
        )


Rounds: TypeAlias = tuple[Question, Outcome, Network]
"""The question of a last search, what came of all rounds, and the network."""


def _lines(
    question: Question, job: RealJob, begin: Parents, wishes: RealWishes, seed: int, told: Report
) -> Rounds:
    found = run_rounds(job, begin, wishes.max_rounds, seed, told)
    shift = -float(job.patterns.weights @ (~np.isnan(job.patterns.values)) @ np.log(job.scale))
    outcome = Outcome(
        found.parents, found.score + shift, found.stop, tuple(each + shift for each in found.trace),
        found.evaluations, found.moves,
    )  # fmt: skip
    at_last = replace(question, scorer=scorer_at(job, found.completed.moments))
    return at_last, outcome, network_of(job, found)


def _curves(
    question: Question, job: RealJob, begin: Parents, wishes: RealWishes, seed: int, told: Report
) -> Rounds:
    """The first completions are by straight lines, found in the same way."""
    _refuse_rules(question)
    cases = question.cases
    values = np.array([cases[name] for name in cases.names], dtype=np.float64).T
    weights = np.ones(len(cases)) if cases.weights is None else cases.weights
    lines = run_rounds(job, begin, wishes.max_rounds, seed, _unheard)
    task = CurveJob(job, Told(values, weights), question.curves, seed)
    cut = lines.stop is Stop.INTERRUPTED
    rounds = 0 if cut else wishes.max_rounds
    try:
        found = run_curve_rounds(task, begin, network_of(job, lines), rounds, told)
    except NoNoiseError as lost:
        raise EstimateError(
            f"the noise of {quoted(lost.name)} shrinks to nothing: some cases lie on an exact "
            "function of its parents, and the likelihood of what was observed has no maximum"
            "\n\nleave the column out, or what it is a function of"
        ) from None
    stop = Stop.INTERRUPTED if cut else found.stop
    outcome = Outcome(
        found.settled.parents, found.settled.score, stop, found.trace,
        lines.evaluations + found.evaluations, found.moves,
    )  # fmt: skip
    at_last = replace(question, scorer=scorer_of_completed(task, found.cases))
    return at_last, outcome, found.settled.network


def _unheard(done: int, total: int, objective: float | None = None) -> None:
    del done, total, objective


def _refuse_rules(question: Question) -> None:
    """Nothing, or an error about rules of parameters, which curves do not keep."""
    for rule in question.knowledge.parameters if question.knowledge else ():
        raise KnowledgeError(
            f"rules about parameters and curves need complete cases\n\n    {rule}\n\n"
            "leave out the rule, or families="
        )


def _question(cases: Dataset, wishes: RealWishes) -> Question:
    method, score, dag_prior = wishes.method, wishes.score, wishes.dag_prior
    check_some(cases)
    check_values(cases)
    check_scales(cases, cases.names)
    chosen = BIC() if score is None else score
    prior = check_scores(chosen, dag_prior)
    known = check_gaussian(chosen)
    if isinstance(known, BGe):
        raise OptionError(
            f"{known.describe()} scores complete cases only\n\nwhere cells are missing use tc.BIC()"
        )
    if not isinstance(method, HillClimb | Tabu | IdealParent | None):
        raise OptionError(
            "method takes tc.HillClimb(), tc.Tabu() or tc.IdealParent() where columns are "
            f"continuous, not {method!r}"
        )
    refuse_layers(method)
    rules = as_knowledge(wishes.knowledge)
    most = None if method is None else method.most_parents
    reasons = reasons_of(rules, cases.names, most, parameters=True)
    terms = None if prior is None else prior.terms(cases.names)
    scorer: Any = None  # a question of every round has its own
    limits = joinable(cases, reasons)
    kinds = curves_among(wishes.families, cases.variables)
    return Question(cases, scorer, chosen, prior, terms, rules, reasons, limits, curves=kinds)
