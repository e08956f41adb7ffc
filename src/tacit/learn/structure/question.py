"""What a search is asked: cases, a score, a prior over dags, and what the experts allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tacit.arrays import Bools, Codes, Floats
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import (
    CasesError,
    KnowledgeError,
    MissingError,
    OptionError,
    listed,
    quoted,
)
from tacit.core.grid import counted
from tacit.core.options import check_value
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.engines.curve_scores import curve_scorer
from tacit.engines.gaussian_scores import gaussian_scorer
from tacit.engines.mixed_curve_scores import mixed_curve_scorer
from tacit.engines.mixed_scores import mixed_scorer
from tacit.engines.prior_scores import PriorScorer
from tacit.engines.scoring import Scorer
from tacit.engines.table_scores import Columns, TableScorer
from tacit.estimate.priors import Dirichlet, Prior
from tacit.estimate.scores.dag_priors import DagPrior, DagTerms, DescriptionLength
from tacit.estimate.scores.tables import table_score
from tacit.estimate.scores.values import BIC, MDL, AnyScore, BGe, Score
from tacit.io.cases import as_dataset
from tacit.knowledge.knowledge import Knowledge, KnowledgeLike, as_knowledge
from tacit.knowledge.limits import Limits, limits_from, reasons_of
from tacit.knowledge.reasons import Reasons
from tacit.knowledge.structural import arrow
from tacit.knowledge.wording import written
from tacit.learn.curved import Curves, curves_among
from tacit.learn.local.searching import Ways, local_scorer, ways_among
from tacit.learn.structure.bent import bent_notes, unbent
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.state import Parents

ALL_DIFFERENT = 50
"""A column with so many states, each in one case alone, names cases rather than describes them."""


FEW = 10
"""Weights that make so many cases count as less than one are worth a note."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Complete cases, how dags over them are scored, and which dags may be answers.

    reasons  which rule forces or forbids each arc
    limits   which dags the rules allow and distributions exist for: no discrete variable has a
             continuous parent, and no curve a discrete one
    terms    what the prior over dags adds to a family
    columns  which columns were left out, set aside or kept all the same, as settings say it
    curves   the columns that have curves wherever they have parents
    ways     those that get links or local structure there
    """

    cases: Dataset
    scorer: Scorer
    score: AnyScore
    dag_prior: DagPrior | None
    terms: DagTerms | None
    knowledge: Knowledge | None
    reasons: Reasons
    limits: Limits
    columns: Mapping[str, Any] = field(default_factory=dict)
    curves: Curves = field(default_factory=dict)
    ways: Ways = field(default_factory=dict)

    @property
    def ruled(self) -> Limits:
        """Which dags the rules allow, whether or not distributions exist for them."""
        return limits_from(self.reasons)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""
        return self.cases.names

    def ledger(self, scorer: Scorer | None = None) -> Ledger:
        """Scores of families, remembered; of other cases if another scorer answers."""
        return Ledger(scorer or self.scorer, self.limits, self.terms)

    def dag(self, parents: Parents) -> Dag:
        """Parents by number as a dag."""
        names = self.names
        return Dag(
            {names[child]: tuple(names[at] for at in who) for child, who in enumerate(parents)}
        )

    def parents(self, dag: Dag) -> Parents:
        """The dag by number."""
        place = {name: at for at, name in enumerate(self.names)}
        return tuple(tuple(sorted(place[who] for who in dag.parents[name])) for name in self.names)


def ask(
    data: Any,
    knowledge: KnowledgeLike,
    score: AnyScore | None,
    dag_prior: DagPrior | None,
    most_parents: int | None = None,
    threads: int | None = None,
    families: Any = None,
) -> Question:
    """Everything a search needs, checked; errors say what is wrong with cases, score or rules."""
    cases = as_dataset(data)
    chosen = BIC() if score is None else score
    prior = check_scores(chosen, dag_prior)
    check_complete(cases)
    known = as_knowledge(knowledge)
    reasons = reasons_of(known, cases.names, most_parents, parameters=True)
    terms = None if prior is None else prior.terms(cases.names)
    ways, rest = ways_among(families, cases.variables)
    kinds = curves_among(rest, cases.variables)
    scorer = scorer_of(cases, chosen, threads, kinds)
    scorer = local_scorer(cases, chosen, ways, scorer) if ways else scorer
    limits = unbent(cases, reasons, joinable(cases, reasons), kinds)
    return Question(
        cases, scorer, chosen, prior, terms, known, reasons, limits, curves=kinds, ways=ways
    )


def joinable(cases: Dataset, reasons: Reasons) -> Limits:
    """The limits that rules set, less arcs that no family joins: continuous to discrete."""
    real = np.array([isinstance(each, Continuous) for each in cases.variables.values()])
    for (tail, head), rule in reasons.required.items():
        if isinstance(cases.variables[tail], Continuous) and not real[cases.names.index(head)]:
            raise KnowledgeError(
                f"{arrow(tail, head)} is required, but {quoted(head)} is discrete and "
                f"{quoted(tail)} continuous: no family joins the two"
                f"\n\n    {written(rule)}\n\n"
                "turn the arc round, or make the continuous one discrete with tc.discretise"
            )
    ruled = without_impossible(limits_from(reasons), real)
    return replace(ruled, states=states_of(cases.variables))


def without_impossible(limits: Limits, real: Bools) -> Limits:
    """The limits less arcs from continuous variables to those with states."""
    return replace(limits, allowed=limits.allowed & ~(real[:, None] & ~real))


def states_of(variables: Mapping[str, Variable]) -> Floats:
    """How many states each variable has, 0 for a continuous one."""
    return np.array([float(len(getattr(each, "states", ()))) for each in variables.values()])


def scorer_of(
    cases: Dataset, score: AnyScore, threads: int | None = None, curves: Curves | None = None
) -> Scorer:
    """The scorer of complete cases: tables, Gaussians or both, as their columns are; curves."""
    real = [isinstance(variable, Continuous) for variable in cases.variables.values()]
    if curves and all(real):
        return curve_scorer(cases, score, curves)
    if curves:
        return mixed_curve_scorer(cases, score, curves, threads)
    if all(real):
        return gaussian_scorer(cases, score)
    if any(real):
        return mixed_scorer(cases, score, threads)
    if isinstance(score, BGe):
        raise OptionError(
            f"{score.describe()} scores continuous variables, and these cases have states"
            "\n\nuse tc.BIC() or tc.BDeu(10)"
        )
    columns, known = Columns.of(cases, cases.names), table_score(score)
    if known is not None:
        return TableScorer.of(columns, known, threads)
    assert isinstance(score, Prior)
    if isinstance(score, Dirichlet):
        score.check_names(cases.variables)
    return PriorScorer(columns, score)


def check_scores(score: Any, dag_prior: Any) -> DagPrior | None:
    """The prior over dags in force; an error about what is no score or no prior over dags."""
    for option, given, kind, example in (
        ("score", score, Score | Prior, "tc.BIC() or tc.BDeu(10)"),
        ("dag_prior", dag_prior, DagPrior | None, "tc.ArcPenalty(1)"),
    ):
        check_value(option, given, kind, example)
    if isinstance(score, MDL) and dag_prior is None:
        return DescriptionLength()
    prior: DagPrior | None = dag_prior
    return prior


def check_complete(cases: Dataset) -> None:
    """Nothing, or an error about cases that no dag can be scored on."""
    check_some(cases)
    missing = {name: cells for name, cells in cases.missing().items() if cells}
    if missing:
        total = sum(missing.values())
        shown = listed((f"{quoted(name)}: {cells:,}" for name, cells in missing.items()), 6)
        raise MissingError(
            f"{counted(total, 'cell')} {'is' if total == 1 else 'are'} missing ({shown})"
            "\n\ntc.structural_em learns dags from cases with gaps; "
            "tc.missing_as_state makes a state of them"
        )


def check_some(cases: Dataset) -> None:
    """Nothing, or an error where there is nothing to search in."""
    if not cases.names:
        raise CasesError("the cases have no columns, so there is nothing to search")
    if not len(cases) or cases.total_weight <= 0:
        raise CasesError("there are no cases to learn a dag from: none was given, or all weigh 0")


def question_notes(question: Question) -> Iterable[str]:
    """What a reader should know of the cases before believing a dag."""
    cases = question.cases
    yield from cases.notes
    yield from bent_notes(cases, question.curves)
    if cases.total_weight < len(cases) / FEW:
        yield (
            f"{counted(len(cases), 'case')} weigh {cases.total_weight:.3g} in all, and are scored "
            "as so few: a weight says how often a case counts"
        )
    told = " ".join(note for note in cases.notes if "is no variable" in note)
    for name, variable in cases.variables.items():
        if not isinstance(variable, Discrete):
            if _numbers_cases(cases[name]):
                yield (
                    f"{quoted(name)} is another whole number in every case: if it numbers the "
                    f"cases, leave it out, leave_out=[{name!r}]"
                )
            continue
        used = int(np.unique(cases[name]).size)
        if used >= ALL_DIFFERENT and used == len(cases) and repr(name) not in told:
            yield (
                f"{quoted(name)} has another state in every case: it names cases rather than "
                "describes them; leave it out"
            )
        elif used == 1:
            yield f"{quoted(name)} has the same state in all cases: no arc can say anything of it"


def _numbers_cases(values: Codes | Floats) -> bool:
    whole = np.isfinite(values).all() and (values == np.round(values)).all()
    return bool(whole and values.size >= ALL_DIFFERENT and np.unique(values).size == values.size)
