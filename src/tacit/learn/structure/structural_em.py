"""`structural_em`: who depends on whom, from cases with gaps and variables nobody measured."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tacit.core.dag import Dag
from tacit.core.errors import OptionError
from tacit.core.network import Network
from tacit.core.options import check_checkpoint
from tacit.estimate.estimates import Estimate
from tacit.estimate.priors import BDeu, Prior
from tacit.estimate.scores.dag_priors import DagPrior
from tacit.estimate.scores.values import BIC, AnyScore
from tacit.infer.sampling import fresh_seed
from tacit.io.cases import as_dataset
from tacit.knowledge.knowledge import KnowledgeLike, as_knowledge
from tacit.learn.annealing.settings import WeightAnnealing, check_wrapped
from tacit.learn.columns import Columns, columns_of, names_said
from tacit.learn.curved import one_wish
from tacit.learn.hidden import Hidden
from tacit.learn.origins import START_FILE, START_GIVEN, network_file, of_cases
from tacit.learn.progress import Callback, watched
from tacit.learn.settings import AnyPrior, chosen_of, priors_apart
from tacit.learn.structure.searched import Search
from tacit.learn.structure.sem_asking import Asked, Said, ask
from tacit.learn.structure.sem_checkpoint import FORM, KeptRounds
from tacit.learn.structure.sem_found import as_found
from tacit.learn.structure.sem_job import PLAIN, ROUNDS, STEPS
from tacit.learn.structure.sem_reals_front import (
    Kind,
    RealWishes,
    kind_of,
    refuse_for_reals,
    refuse_layers,
    structural_em_reals,
)
from tacit.learn.structure.sem_running import Course, run_structural_em
from tacit.learn.structure.settings import HillClimb, IdealParent, Tabu
from tacit.learn.structure.starting import dag_named

RESTARTS = 5
"""Starts where variables are hidden, unless told. [HV1 3.6, 5.4]"""
VARIANTS = {"bayes": True, "map": False}
"""Whether a variant goes by the score of a prior."""


def structural_em(  # noqa: PLR0913 - help() and editors show options only if they are spelt out
    data: Any,
    *,
    start: Dag | Network | str | Path | None = None,
    hidden: Hidden = None,
    knowledge: KnowledgeLike = None,
    score: AnyScore | None = None,
    variant: str | None = None,
    method: HillClimb | Tabu | IdealParent | WeightAnnealing | None = None,
    dag_prior: DagPrior | None = None,
    prior: AnyPrior = None,
    estimate: Estimate | None = None,
    around: str | Sequence[str] | None = None,
    leave_out: Sequence[str] = (),
    as_given: bool | Sequence[str] = False,
    families: Any = None,
    family: Any = None,
    restarts: int | None = None,
    steps: int = STEPS,
    max_rounds: int = ROUNDS,
    seed: int | None = None,
    threads: int | None = None,
    progress: bool | Callback | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
) -> Search:
    """Learn who depends on whom from cases with missing cells and hidden variables.

    In rounds: the network says how probable each way is to complete each case; a search finds a
    better dag at the counts so expected, which stay frozen; EM fits the new dag to the cases. With
    nothing missing this is `tc.search`. [Friedman 1997, 1998; HV1 1.8]

    Columns with real values follow their parents along lines, one for each configuration of those
    with states; what is missing of either kind is inferred exactly. [HV2 3.6]

    data       anything `tc.read_cases` takes; every column is a variable
    start      the dag to begin at; a network lends its states and, if it has every variable, its
               numbers. Without one, the arcs that rules require, and hidden variables as parents of
               all that was observed
    hidden     variables that no column measures: {"H": 2} gives H two states. One that loses its
               last child is dropped, and noted
    knowledge  rules about structure, in force in every round, and about tables, which the fits of
               every round obey, or the last one where some columns have real values; the parents
               that a rule about a table names are required
    score      `tc.BDeu(5)` unless given; `tc.BIC()` where columns have real values. A prior
               climbs the Cheeseman-Stutz score, an estimate of the log marginal likelihood, and
               the best network met is kept; `tc.BIC()`, `tc.MDL()` and `tc.AIC()` climb
               themselves, on what was observed, and without rules about tables they never fall
    variant    "bayes" for a prior as score, "map" for the others; nothing needs to be said
    method     the search of each round, `tc.HillClimb(restarts=0)` unless given, or `tc.Tabu()`;
               `tc.WeightAnnealing(...)` of one, where all columns have states, first makes a round
               at every temperature. Where columns are continuous, also `tc.IdealParent()`
    prior, estimate  of the parameters of the last fit; by default the prior that scores, else as in
               `tc.fit`
    around     hidden variables: only their parents and those of their Markov blankets may change
    leave_out  columns that are no variables
    as_given   True: columns that say nothing of others are kept; or their names. Unless named here
               or by another argument, those that are empty, have one value throughout or another
               one in every case are set aside, and noted
    families   {"X": tc.SigmoidGaussian} where a curve is to stand for a straight line if X has
               parents, all columns being continuous and nothing hidden; one kind alone is for
               every column. `family=` says the same
    restarts   how many starts, the best counts; 5 with hidden variables, else 1. All but the first
               change the dag a little and draw other parameters
    steps      of EM in each round
    seed       makes starts repeatable
    progress   True or False for a bar or none; or a callback told(done, total, score)
    checkpoint  a file that keeps running rounds, so that `resume=True` can go on after a break
    """
    chosen_of(prior, estimate)
    check_checkpoint(checkpoint, resume)
    for name, number in (("restarts", restarts), ("steps", steps), ("max_rounds", max_rounds)):
        if number is not None and not (type(number) is int and number >= 1):
            raise OptionError(f"{name}={number!r} must be a whole number, 1 or more")
    wish, known = one_wish(family, families), as_knowledge(knowledge)
    named = names_said(
        known, dag_named(start), hidden, around, wish, method, score, dag_prior, prior
    )
    whole = as_dataset(data)
    columns = columns_of(whole, leave_out, as_given, named)
    kind = kind_of(columns.cases, start)
    if kind is Kind.REAL and hidden is None:
        tables, lines = priors_apart(prior)
        refuse_for_reals(
            {"variant": variant, "prior": tables, "around": around,
             "restarts": None if restarts == 1 else restarts, "checkpoint": checkpoint}
        )  # fmt: skip
        asked_of_reals = RealWishes(
            start, known, score, method, dag_prior, columns.settings, steps, max_rounds, seed,
            progress, wish, lines, estimate,
        )  # fmt: skip
        return of_cases(structural_em_reals(columns.cases, asked_of_reals), whole)
    _refuse_curves(wish, kind)
    default: AnyScore = BDeu(5) if kind is Kind.STATES else BIC()
    chosen = default if score is None else score
    _check_variant(variant, chosen)
    inner, annealing = _methods(method, kind)
    asked = ask(
        columns.cases,
        Said(
            start, hidden, known, chosen, dag_prior, priors_apart(prior)[0], inner, around, steps,
            threads,
        ),
    )  # fmt: skip
    if seed is None and resume and checkpoint is not None:
        seed = FORM.seed(checkpoint)
    runs = restarts or (RESTARTS if asked.job.hidden else 1)
    with watched(progress, "structural EM") as told:
        course = Course(asked.dag, runs, max_rounds, fresh_seed(seed), asked.given, annealing, told)
        found = run_structural_em(asked.job, _kept(asked, course, checkpoint, resume))
    wishes = _wishes(asked, course, start, columns)
    return of_cases(as_found(asked, course, found, prior, estimate, wishes), whole)


def _refuse_curves(wish: Any, kind: Kind) -> None:
    """Nothing, or an error about families where structural EM goes by tables or lines."""
    if wish is not None:
        why = "nothing is hidden" if kind is Kind.REAL else "all columns are continuous"
        raise OptionError(f"families= gives curves to structural EM where {why}\n\nleave it out")


def _check_variant(variant: str | None, score: AnyScore) -> None:
    if variant is None:
        return
    if not isinstance(variant, str) or variant not in VARIANTS:
        raise OptionError(f"variant={variant!r} must be one of {', '.join(VARIANTS)}")
    if VARIANTS[variant] != isinstance(score, Prior):
        need = "a prior, such as tc.BDeu(5)" if VARIANTS[variant] else "tc.BIC(), tc.MDL() or alike"
        raise OptionError(
            f"variant={variant!r} goes by {need} as score, and the score is {score.describe()}"
            "\n\nleave variant out, or choose such a score"
        )


def _methods(
    method: Any, kind: Kind
) -> tuple[HillClimb | Tabu | IdealParent, WeightAnnealing | None]:
    """The search of a round, and how case weights are annealed if they are."""
    if method is None:
        return PLAIN, None
    if isinstance(method, WeightAnnealing):
        check_wrapped(method, (Tabu, HillClimb), "tc.structural_em")
        if kind is not Kind.STATES:
            raise OptionError(
                "tc.WeightAnnealing(...) anneals cases whose columns all have states"
                "\n\nleave it out"
            )
        return method.method, method
    if isinstance(method, IdealParent) and kind is not Kind.STATES:
        refuse_layers(method)
        return method, None
    if isinstance(method, HillClimb | Tabu):
        return method, None
    shown = f"the class {method.__name__}" if isinstance(method, type) else _said(method)
    raise OptionError(
        "method takes tc.HillClimb() or tc.Tabu() here, or tc.WeightAnnealing() of one, not "
        f"{shown}: the search of each round goes from dag to dag"
    )


def _wishes(asked: Asked, course: Course, start: Any, columns: Columns) -> Mapping[str, Any]:
    """What else was asked for, beside what every search tells: only what is not usual."""
    job = asked.job
    unseen = {name: list(states) for name, states in job.unseen.items()}
    return {
        **({"unseen": unseen} if unseen else {}),
        **({"begun_at": str(asked.dag)} if start is not None else {}),
        **({START_FILE: file} if (file := network_file(start)) else {}),
        **({START_GIVEN: True} if isinstance(start, Network) else {}),
        **({"numbers_given": True} if asked.given is not None else {}),
        **columns.settings,
        **({"around": list(job.around)} if job.around else {}),
        **({"steps": job.steps} if job.steps != STEPS else {}),
        **({"max_rounds": course.max_rounds} if course.max_rounds != ROUNDS else {}),
    }


def _said(method: Any) -> str:
    describe = getattr(method, "describe", None)
    return str(describe()) if callable(describe) else repr(method)


def _kept(asked: Asked, course: Course, checkpoint: str | Path | None, resume: bool) -> Course:
    """The course with a file that keeps it."""
    if checkpoint is None:
        return course
    job = asked.job
    numbers = (
        "" if course.given is None else repr([f.to_plain() for f in course.given.families.values()])
    )
    task = {
        "cases": job.cases.fingerprint(),
        "hidden": {name: list(states) for name, states in job.unseen.items()},
        "score": job.score.describe(),
        "dag_prior": None if asked.dag_prior is None else asked.dag_prior.describe(),
        "prior": None if job.prior is None else job.prior.describe(),
        "knowledge": None if job.knowledge is None else str(job.knowledge),
        "method": (course.annealing or job.method).describe(),
        "around": list(job.around),
        "start": str(course.dag),
        "numbers of the start": hashlib.sha256(numbers.encode()).hexdigest()[:16],
        "runs": course.runs,
        "steps": job.steps,
        "max_rounds": course.max_rounds,
        "seed": course.seed,
    }
    kept = KeptRounds.open(checkpoint, task, resume)
    return replace(course, keep=kept.keep, resumed=dict(kept.runs))
