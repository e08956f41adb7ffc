"""From the dag that a search found to its fit, and to what each of its arcs is worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from tacit.core.dag import Dag
from tacit.core.errors import KnowledgeError, listed, quoted
from tacit.core.independence import ancestors
from tacit.estimate.estimates import Estimate
from tacit.estimate.priors import Prior
from tacit.knowledge.wording import written
from tacit.learn.curved import curves_asked
from tacit.learn.fit import fit
from tacit.learn.fits import Fit
from tacit.learn.local.searching import fitted_ways, ways_asked
from tacit.learn.settings import AnyPrior, beside
from tacit.learn.structure.confidence import ArcConfidence
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.outcome import Outcome
from tacit.learn.structure.perturbing import required_only
from tacit.learn.structure.question import Question, question_notes
from tacit.learn.structure.running import Run
from tacit.learn.structure.searched import Arc, Found, Search
from tacit.learn.structure.state import Parents

MOST_MISSED = 50
"""Forbidden arcs that are told, those with the greatest gains."""


def fitted_search(
    task: Run,
    outcome: Outcome,
    confidence: ArcConfidence | None,
    prior: AnyPrior,
    estimate: Estimate | None,
) -> Search:
    """The dag that was found, fitted to the cases under the rules."""
    question = task.question
    scoring = question.score if isinstance(question.score, Prior) else None
    fitted = fit(
        question.dag(outcome.parents),
        question.cases,
        knowledge=question.knowledge,
        prior=beside(prior, scoring),
        estimate=estimate,
        families={**question.curves, **fitted_ways(question.ways, question.score)} or None,
        seed=task.seed,
        threads=task.threads,
    )
    notes = (*question_notes(question), *outcome.notes)
    return as_search(fitted, outcome, found_of(question, outcome, confidence), _said(task), notes)


def as_search(
    fitted: Fit, outcome: Outcome, found: Found, said: Mapping[str, Any], notes: Iterable[str]
) -> Search:
    """The fit together with what is known of the dag; `said` joins its settings."""
    kept = {each.name: getattr(fitted, each.name) for each in fields(Fit)}
    kept |= {
        "objective": outcome.score,
        "trace": outcome.trace,
        "stop": outcome.stop,
        "settings": {**fitted.settings, **said},
        "notes": tuple(dict.fromkeys((*notes, *fitted.notes))),
    }
    return Search(**kept, found=found)


def check_found(question: Question, outcome: Outcome) -> None:
    """Nothing, or an error about a dag that has no distribution, where nothing better was found."""
    if outcome.score > -np.inf:
        return
    ledger, names = question.ledger(), question.names
    for at, who in enumerate(outcome.parents):
        if ledger.family(at, who) == -np.inf:
            parents = listed(quoted(names[each]) for each in who)
            raise KnowledgeError(
                f"{quoted(names[at])} has no distribution given {parents}: among these columns one "
                "is a linear function of others\n\nleave such a column out, or the rules or the "
                "start that join them"
            )


def found_of(
    question: Question, outcome: Outcome, confidence: ArcConfidence | None = None
) -> Found:
    """What each family and each arc is worth, and what the rules did."""
    ledger, names, parents = question.ledger(), question.names, outcome.parents
    families = {name: ledger.family(at, parents[at]) for at, name in enumerate(names)}
    required = question.reasons.required
    arcs = {(names[tail], names[at]) for at, who in enumerate(parents) for tail in who}
    return Found(
        score=outcome.score,
        families=families,
        gains=_gains(ledger, names, parents),
        evaluations=outcome.evaluations,
        required={arc: written(rule) for arc, rule in required.items() if arc in arcs},
        missed=_missed(question, ledger, parents),
        guidance=question.reasons.told(),
        moves=outcome.moves,
        restarts=outcome.restarts,
        confidence=confidence,
    )


def _gains(ledger: Ledger, names: tuple[str, ...], parents: Parents) -> dict[Arc, float]:
    """What the score would lose without each arc."""
    found = {}
    for child, who in enumerate(parents):
        whole = ledger.family(child, who)
        for parent, less in zip(who, ledger.less(child, who).tolist(), strict=True):
            found[names[parent], names[child]] = whole - less
    return found


def _missed(question: Question, ledger: Ledger, parents: Parents) -> dict[Arc, float]:
    """Forbidden arcs, closing no cycle, that would raise the score; the greatest gains first."""
    forbidden = question.reasons.forbidding >= 0
    if not forbidden.any():
        return {}
    names, dag = question.names, question.dag(parents)
    found: dict[Arc, float] = {}
    for child, who in enumerate(parents):
        tails = _open_tails(dag, names, np.flatnonzero(forbidden[:, child]).tolist(), child)
        if not tails:
            continue
        alone = ledger.family(child, who)
        more = ledger.scorer.adding(child, who, np.array(tails, dtype=np.int64))
        for tail, score in zip(tails, more.tolist(), strict=True):
            longer = tuple(sorted((*who, tail)))
            gain = score + ledger.prior(child, longer) - alone
            if gain > 0:
                found[names[tail], names[child]] = gain
    order = sorted(found, key=lambda arc: (-found[arc], arc))
    return {arc: found[arc] for arc in order[:MOST_MISSED]}


def _open_tails(dag: Dag, names: tuple[str, ...], tails: list[int], child: int) -> list[int]:
    """Of these, those that are no parents and no descendants of the child."""
    here = dag.parents[names[child]]
    return [
        tail
        for tail in tails
        if names[tail] not in here and names[child] not in ancestors(dag, names[tail])
    ]


def _said(task: Run) -> dict[str, Any]:
    """How the search was made, for the settings of its result."""
    question = task.question
    prior = question.dag_prior
    usual = task.start == required_only(question.limits)
    return {
        **({} if usual else {"begun_at": str(question.dag(task.start))}),
        **question.columns,
        "score": question.score.describe(),
        "method": task.method.describe(),
        **(
            {"curves": curves_asked(question.curves, len(question.names))}
            if question.curves
            else {}
        ),
        **({"local": ways_asked(question.ways, len(question.names))} if question.ways else {}),
        "dag_prior": None if prior is None else prior.describe(),
    }
