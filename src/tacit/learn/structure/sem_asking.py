"""What structural EM is asked, from what the caller said: checked, in numbers, ready to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tacit.arrays import Bools
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import (
    CasesError,
    ColumnError,
    MissingError,
    OptionError,
    listed,
    nearest,
    quoted,
)
from tacit.core.network import Network
from tacit.core.options import names_in
from tacit.core.variables import Continuous, Discrete
from tacit.engines.completed import complete
from tacit.engines.scoring import Scorer
from tacit.estimate.priors import Dirichlet, Prior
from tacit.estimate.scores.dag_priors import DagPrior
from tacit.estimate.scores.values import AnyScore, BGe
from tacit.io.cases import bind
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.limits import Limits, reasons_of
from tacit.knowledge.reasons import Reasons
from tacit.learn.hidden import Hidden, hidden_variables
from tacit.learn.ruled import doubted_part
from tacit.learn.structure.completing import completed
from tacit.learn.structure.perturbing import required_only
from tacit.learn.structure.question import Question, check_scores, joinable
from tacit.learn.structure.sem_job import Job, named, numbered, spoken_of
from tacit.learn.structure.sem_reals_front import check_reals
from tacit.learn.structure.sem_scorer import Indifferent, completed_scorer, expected_scorer
from tacit.learn.structure.settings import HillClimb, IdealParent, Tabu
from tacit.learn.structure.starting import start_of
from tacit.learn.structures import Structure, as_structure

Start: TypeAlias = Dag | Network | str | Path | None


DRAWS = 4
"""Further draws that tell how much they matter: each completes all cases once more."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A job, what it shares with a search over complete cases, and where its first run begins.

    whole    the cases with a column for every variable, those of hidden ones empty
    reasons  which rule forces or forbids each arc, over all variables
    given    a network whose numbers the first run starts from
    """

    job: Job
    whole: Dataset
    dag_prior: DagPrior | None
    reasons: Reasons
    dag: Dag
    given: Network | None = None

    def question(self, network: Network) -> Question:
        """The question that a search over the variables of a network is asked, families scored at
        the counts that the network expects."""
        job = self.job
        names = tuple(name for name in job.names if name in network)
        scorer = expecting(job, network)
        terms = job.terms_of(names)
        asked = _question(self.whole, job.score, self.dag_prior, self.reasons, scorer, names)
        return replace(asked, terms=terms, knowledge=spoken_of(job, network.dag))


def expecting(job: Job, network: Network, seed: int = 0) -> Scorer:
    """The scorer of the cases as a network completes them.

    seed  of cells that are drawn
    """
    names = tuple(name for name in job.names if name in network)
    if job.mixed:
        held = {name: job.variables[name] for name in names}
        return completed_scorer(complete(network, job.cases, seed), held, job.score)
    return expected_scorer(completed(job.cases, network, names, seed), job.score)


def error_of_draws(job: Job, network: Network, draws: int = DRAWS) -> float:
    """The standard deviation, over draws of the cells that are drawn, of what the families of a
    network are worth at expected counts."""
    names = tuple(name for name in job.names if name in network)
    parents = numbered(network.dag, names)
    totals = []
    for seed in range(1, draws + 1):
        scorer = expecting(job, network, seed)
        totals.append(sum(scorer.family(child, who) for child, who in enumerate(parents)))
    return float(np.std(totals, ddof=1))


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What the caller said, as it came."""

    start: Start
    hidden: Hidden
    knowledge: Knowledge | None
    score: AnyScore
    dag_prior: DagPrior | None
    prior: Prior | None
    method: HillClimb | Tabu | IdealParent
    around: str | Sequence[str] | None
    steps: int
    threads: int | None


def ask(cases: Dataset, said: Said) -> Asked:
    """Everything structural EM needs, checked; errors say what is wrong with what was given."""
    dag_prior = check_scores(said.score, said.dag_prior)
    if said.knowledge is not None and (doubted := doubted_part(said.knowledge)):
        raise OptionError(
            f"{doubted[0].text!r} is said with less than certainty, and structural EM takes rules "
            "about tables that are certain\n\nleave it out, and fit the dag that is found with "
            "tc.fit, which weighs such rules"
        )
    structure = None if said.start is None else as_structure(said.start)
    seen = _observed(cases, structure)
    mixed = any(isinstance(each, Continuous) for each in seen.variables.values())
    if mixed:
        check_reals(seen, said.score)
    else:
        _check_tables(said.score)
    unseen = _hidden(said.hidden, structure, seen)
    _check_named(structure, seen, unseen)
    variables: dict[str, Any] = {**seen.variables, **unseen}
    whole = _widened(seen, unseen)
    names = tuple(variables)
    if isinstance(said.score, Dirichlet):
        said.score.check_names(variables)
    reasons = reasons_of(said.knowledge, names, said.method.most_parents, parameters=True)
    limits = joinable(whole, reasons)
    dag = _dag(structure, whole, said, reasons, tuple(unseen))
    job = Job(
        seen, variables, tuple(unseen), said.score, limits,
        terms=None if dag_prior is None else dag_prior.terms(names),
        knowledge=said.knowledge,
        prior=(said.prior or said.score) if isinstance(said.score, Prior) else None,
        method=said.method,
        around=_around(said.around, tuple(unseen)),
        steps=said.steps,
        threads=said.threads,
    )  # fmt: skip
    given = said.start if isinstance(said.start, Network) else None
    whole_start = given is not None and set(given) == set(names) and given.dag.arcs == dag.arcs
    return Asked(job, whole, dag_prior, reasons, dag, given if whole_start else None)


def _check_tables(score: AnyScore) -> None:
    if isinstance(score, BGe):
        raise OptionError(
            f"{score.describe()} scores continuous variables, and missing cells are inferred in "
            "networks of discrete variables only\n\nuse tc.BIC() or tc.BDeu(5)"
        )


def _observed(cases: Dataset, structure: Structure | None) -> Dataset:
    """The measured columns, in the states that a network declares."""
    if not cases.names:
        raise CasesError("the cases have no columns, so there is nothing to learn from")
    if not len(cases) or cases.total_weight <= 0:
        raise CasesError("there are no cases to learn a dag from: none was given, or all weigh 0")
    declared = {} if structure is None else dict(structure.variables or {})
    both = {name: declared[name] for name in cases.names if name in declared}
    if both:
        bound = bind(cases.select(list(both)), both)
        cases = replace(
            cases,
            variables={**cases.variables, **bound.variables},
            columns={**cases.columns, **bound.columns},
        )
    for name, variable in cases.variables.items():
        if isinstance(variable, Continuous) and absent(cases[name]).all():
            raise MissingError(
                f"the column {name!r} has no value in any case, so nothing says what its states are"
                f"\n\nleave the column out, leave_out=[{name!r}], and say how many there are: "
                f"hidden={{{name!r}: 2}}"
            )
    return cases


def _hidden(hidden: Hidden, structure: Structure | None, seen: Dataset) -> dict[str, Discrete]:
    """The hidden variables; the start need not name them."""
    dag = Dag({}) if structure is None else structure.dag
    more = tuple(hidden) if isinstance(hidden, Mapping) else ()
    names = dict.fromkeys((*dag.names, *seen.names, *more))
    variables = None if structure is None else structure.variables
    everything = Dag({name: dag.parents.get(name, ()) for name in names})
    found = hidden_variables(hidden, Structure(everything, variables), seen.names)
    for name, variable in found.items():
        if not isinstance(variable, Discrete):
            raise OptionError(
                f"{name!r} is hidden and continuous: the hidden variables of structural EM have "
                f"states\n\nsay how many states it has: hidden={{{name!r}: 2}}; hidden parents of "
                "continuous columns without states are found by "
                "tc.search(data, method=tc.IdealParent(hidden=True))"
            )
    return {name: each for name, each in found.items() if isinstance(each, Discrete)}


def _check_named(structure: Structure | None, seen: Dataset, unseen: dict[str, Discrete]) -> None:
    for name in () if structure is None else structure.dag.names:
        if name not in seen and name not in unseen:
            raise ColumnError(
                f"the start names {quoted(name)}, which is no column of the cases"
                f"{nearest(name, seen.names)}\n\ncolumns: {listed(seen.names)}\n\n"
                f"a variable that no column measures is named by hidden={{{name!r}: 2}}"
            )


def _widened(seen: Dataset, unseen: dict[str, Discrete]) -> Dataset:
    empty = np.full(len(seen), -1, dtype=np.int64)
    return replace(
        seen,
        variables={**seen.variables, **unseen},
        columns={**seen.columns, **dict.fromkeys(unseen, empty)},
    )


def _question(
    whole: Dataset,
    score: AnyScore,
    dag_prior: DagPrior | None,
    reasons: Reasons,
    scorer: Scorer,
    names: tuple[str, ...],
) -> Question:
    """The same over some of the variables."""
    at = [reasons.names.index(name) for name in names]
    both = np.ix_(at, at)
    fewer = Reasons(
        names, reasons.rules, reasons.requiring[both], reasons.forbidding[both],
        reasons.bounding[at], np.minimum(reasons.most[at], len(at) - 1),
    )  # fmt: skip
    cases = whole.select(list(names))
    limits = joinable(cases, fewer)
    return Question(
        cases=cases, scorer=scorer, score=score, dag_prior=dag_prior, terms=None, knowledge=None,
        reasons=fewer, limits=limits,
    )  # fmt: skip


def _dag(
    structure: Structure | None,
    whole: Dataset,
    said: Said,
    reasons: Reasons,
    hidden: tuple[str, ...],
) -> Dag:
    """Where the first run begins. Hidden variables that the start does not place are parents of
    all that was observed, as far as the rules allow it. [HV1 2.5, 3.6]"""
    names, limits = whole.names, joinable(whole, reasons)
    dag = named(required_only(limits), names)
    if structure is not None:
        question = _question(whole, said.score, None, reasons, Indifferent(names), names)
        given = {name: structure.dag.parents.get(name, ()) for name in names}
        needed = dag.parents
        unplaced = [name for name in hidden if name not in structure.dag]
        for name in names:  # what rules require of hidden variables that the start leaves out
            more = [who for who in needed[name] if name in unplaced or who in unplaced]
            given[name] = (*given[name], *more)
        dag = question.dag(start_of(question, Dag(given)))
    placed = hidden if structure is None else [n for n in hidden if n not in structure.dag]
    dag = _above_all(dag, limits, placed, hidden)
    for name in hidden:
        if not dag.children[name]:
            raise OptionError(
                f"the hidden variable {quoted(name)} has no child in the dag to start from, so the "
                "cases say nothing about it\n\nstart from a dag in which it has children; rules "
                "and bounds on parents must leave room for them"
            )
    return dag


def _above_all(dag: Dag, limits: Limits, placed: Sequence[str], hidden: Sequence[str]) -> Dag:
    """The dag with some hidden variables as parents of all observed ones, where that may be."""
    from tacit.kernels.dags import add_paths, find_paths

    names, n = dag.names, len(dag.names)
    arcs = np.zeros((n, n), dtype=np.bool_)
    place = {name: at for at, name in enumerate(names)}
    for arc in dag.arcs:
        arcs[place[arc[0]], place[arc[1]]] = True
    above: Bools = np.zeros_like(arcs)
    find_paths(arcs, above)
    seen = [at for at, name in enumerate(names) if name not in hidden]
    for tail in map(place.__getitem__, placed):
        for head in seen:
            room = arcs[:, head].sum() < limits.most[head]
            free = not arcs[tail, head] and not above[head, tail]
            if limits.allowed[tail, head] and room and free:
                arcs[tail, head] = True
                add_paths(above, tail, head)
    return named(tuple(tuple(np.flatnonzero(arcs[:, at]).tolist()) for at in range(n)), names)


def _around(around: str | Sequence[str] | None, hidden: tuple[str, ...]) -> tuple[str, ...]:
    if around is None:
        return ()
    names = names_in("around", around)
    for name in names:
        if name not in hidden:
            known = f"\n\nhidden variables: {listed(hidden)}" if hidden else ""
            raise OptionError(
                f"around={name!r} names no hidden variable{nearest(name, hidden)}"
                f"{known or '; name them by hidden='}"
            )
    return names
