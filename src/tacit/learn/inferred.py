"""A fit whose missing cells are inferred, from gathered cases to the finished value."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np

from tacit.core.errors import OptionError, quoted
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.estimate.ruled.multipliers import priced
from tacit.estimate.ruled.plan import Near
from tacit.estimate.ruled.prices import statuses
from tacit.estimate.ruled.proof import proof_of
from tacit.families.noisy import Noisy
from tacit.families.shared import SharedRows
from tacit.families.table import Table
from tacit.learn.annealing.notes import annealing_notes
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.bottleneck.notes import path_notes
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.causes.kinds import kinds_said, order_notes
from tacit.learn.causes.linking import linking_of
from tacit.learn.causes.priors import link_prior, pseudo_of
from tacit.learn.causes.statuses import link_statuses
from tacit.learn.checkpoints import Checkpoint, open_checkpoint
from tacit.learn.choices import Choices
from tacit.learn.counted import cases_used
from tacit.learn.expectation import Problem
from tacit.learn.fits import Evidence, Fit, Stop
from tacit.learn.gathered import Gathered
from tacit.learn.incomplete import How, Incomplete, Learned, learn_incomplete, problem_of
from tacit.learn.local.choosing import rows_given
from tacit.learn.local.counting import row_prior
from tacit.learn.methods import EM, AvailableCases, MeanFieldEM, Method, starts
from tacit.learn.notes import incomplete_notes
from tacit.learn.obeyed import local_notes, refuse_means, resisted_notes, rule_notes
from tacit.learn.parts import discrete_axes, pseudo_counts
from tacit.learn.progress import Report
from tacit.learn.ruled import Ruled, impossible_in_words, ruled
from tacit.learn.settings import settings_of
from tacit.learn.wishes import Wishes


def fit_inferred(gathered: Gathered, choices: Choices, wishes: Wishes, told: Report) -> Fit:
    """Learn families from incomplete cases by the method chosen."""
    linked = linking_of(gathered.causes, wishes.knowledge)
    gathered = replace(gathered, causes=linked.causes)
    said, wishes = wishes.knowledge, replace(wishes, knowledge=linked.rest)
    found = _fit_tables(gathered, choices, wishes, told)
    if not linked.rules:
        return found
    rules = link_statuses(linked, found.evidence, found.pseudo, choices.estimate, expected=True)
    return replace(
        found,
        rules=(*found.rules, *rules),
        notes=(*found.notes, *resisted_notes(rules)),
        settings={**found.settings, "knowledge": str(said)},
    )


def _fit_tables(gathered: Gathered, choices: Choices, wishes: Wishes, told: Report) -> Fit:
    """The same, once rules about links are limits of these."""
    method = choices.method
    if method is None or isinstance(method, AvailableCases):
        raise OptionError(
            "tc.AvailableCases() counts what is there; hidden variables and tied tables "
            "need tc.EM()"
        )
    cases = _brought(gathered, choices, wishes)
    wrapped = method.method if isinstance(method, WeightAnnealing) else method
    strategy = wrapped.strategy if isinstance(wrapped, EM) else "auto"
    problem = problem_of(cases, choices.estimate, strategy, wishes.threads)
    others = {**cases.causes, **cases.shared}
    known = ruled(wishes.knowledge, cases.dag, cases.tables, problem.layout, others)
    if known is not None:
        refuse_means(choices.estimate)
        problem = under(problem, known)
    settings = settings_of(gathered.structure, choices, _further(gathered, wishes, known))
    kept = _checkpoint(problem, settings, choices, wishes, cases.data.fingerprint())
    seed = choices.seed or 0
    how = How(seed, wishes.threads, told, wishes.start, kept)
    with impossible_in_words(known):
        learned = learn_incomplete(cases, problem, choices.estimate, method, how)
    found = _fit(gathered, choices, settings, learned, cases)
    return found if known is None else _with_rules(found, known, problem, learned)


def _brought(gathered: Gathered, choices: Choices, wishes: Wishes) -> Incomplete:
    """The cases as EM takes them, with what the prior says of tables and of links."""
    causes, shared = gathered.causes, rows_given(gathered.local)
    families = {name: discrete_axes(axes) for name, axes in gathered.families.items()}
    others = {**causes, **shared}
    plain = {name: axes for name, axes in gathered.families.items() if name not in others}
    if others and not isinstance(choices.method, EM):
        assert choices.method is not None
        name = next(iter(others))
        kind = causes[name].kind.kind if name in causes else shared[name].kind
        raise OptionError(
            f"{choices.method.describe()} infers tables only, and {quoted(name)} is to be a "
            f"{kind}\n\nuse method=tc.EM()"
        )
    rows = {name: row_prior(choices.prior, each) for name, each in shared.items()}
    strengths = {name: link_prior(choices.prior, each.frame) for name, each in causes.items()}
    return Incomplete(
        gathered.structure.dag,
        gathered.cases,
        families,
        tuple(gathered.unseen),
        wishes.tied,
        {**pseudo_counts(choices.prior, plain, others), **strengths, **rows},
        causes,
        {name: pseudo_of(causes[name], strengths[name], choices.estimate) for name in causes},
        shared,
        choices.prior,
    )


def _fit(
    gathered: Gathered,
    choices: Choices,
    settings: dict[str, Any],
    learned: Learned,
    cases: Incomplete,
) -> Fit:
    best = learned.runs[learned.best]
    if learned.alpha:
        settings = settings | _as_found(gathered, learned)
    several = bool(gathered.hidden) and "start" not in settings
    notes = incomplete_notes(gathered.cases, gathered.variables, learned, choices)
    if isinstance(choices.method, WeightAnnealing):
        notes += annealing_notes(choices.method, learned.rounds)
    if learned.path is not None:
        notes += path_notes(learned.path)
    notes += order_notes(gathered.causes)
    held: dict[str, Evidence] = {**learned.expected, **learned.caused}
    return Fit(
        network=learned.network,
        objective=learned.objective,
        trace=best.trace,
        stop=_stop(learned, choices.method, several),
        rules=(),
        settings=settings,
        seed=choices.seed,
        notes=(*gathered.structure.notes, *notes),
        evidence={name: held[name] for name in learned.network.dag.names},
        pseudo=learned.alpha or cases.alpha,
        log_likelihood=learned.log_likelihood,
        log_marginal_likelihood=None,
        cases=cases_used(gathered.cases),
        runs=learned.runs,
        known=learned.known,
        path=learned.path,
    )


def _as_found(gathered: Gathered, learned: Learned) -> dict[str, Any]:
    """The hidden variables of a network that changed on the way, and what was given."""
    given = {
        name: list(each.states)
        for name, each in gathered.hidden.items()
        if isinstance(each, Discrete)
    }
    found = {
        name: list(variable.states)
        for name, variable in learned.network.variables.items()
        if isinstance(variable, Discrete) and name not in gathered.cases
    }
    return {"hidden": found, "hidden_at_start": given}


def under(problem: Problem, known: Ruled) -> Problem:
    """The problem under rules; pseudo-counts of cells that rules hold at 0 do not count."""
    pseudo = problem.pseudo.copy()
    pseudo[known.plan.blocks.cells[known.plan.zeros]] = 0.0
    return replace(problem, pseudo=pseudo, plan=known.plan)


def _with_rules(found: Fit, known: Ruled, problem: Problem, learned: Learned) -> Fit:
    """The fit with what became of its rules, judged at the expected counts of its end."""
    layout, cells = problem.layout, known.plan.blocks.cells
    weights = np.zeros(layout.size)
    for name, counts in learned.expected.items():
        layout.block(weights, layout.places[name])[...] = counts.values
    weights = np.maximum(weights + problem.pseudo, 0.0)[cells]
    theta = np.zeros(layout.size)
    for name in learned.expected:
        table = found.network[name]
        assert isinstance(table, Table)
        layout.block(theta, layout.places[name])[...] = table.values
    theta = theta[cells]
    worth = priced(known.plan, weights, near=Near(theta, wide=False))
    rules = statuses(known.bound, known.plan, worth, theta, expected=True)
    told = (*resisted_notes(rules), *rule_notes(known, weights), *local_notes(worth.ruling))
    proof = proof_of(known.plan, worth)
    return replace(found, rules=rules, notes=(*found.notes, *told), proof=proof)


def _stop(learned: Learned, method: Method | None, several: bool) -> Stop:
    """Why the best run ended, unless some run was cut short or never came to start."""
    cut = len(learned.runs) < starts(method, several) or Stop.INTERRUPTED in {
        run.stop for run in learned.runs
    }
    return Stop.INTERRUPTED if cut else learned.runs[learned.best].stop


def _further(gathered: Gathered, wishes: Wishes, known: Ruled | None) -> dict[str, Any]:
    said: dict[str, Any] = {} if known is None else known.settings
    said |= kinds_said(gathered.causes, gathered.local)
    if gathered.hidden:
        said["hidden"] = {name: list(each.states) for name, each in gathered.unseen.items()}
    if wishes.tied:
        said["tied"] = [list(group) for group in wishes.tied]
    if wishes.start is not None:
        said["start"] = "given"
    return said


def _checkpoint(
    problem: Problem, settings: dict[str, Any], choices: Choices, wishes: Wishes, cases: str
) -> Checkpoint | None:
    if wishes.checkpoint is None:
        return None
    if not isinstance(choices.method, EM | MeanFieldEM | WeightAnnealing | IBEM):
        raise OptionError("checkpoint= keeps a running tc.EM(); other methods keep none")
    begin = b"" if wishes.start is None else _numbers(wishes.start)
    links = () if problem.links is None else problem.links.families
    more = b"".join(each.pseudo.tobytes() for each in links)
    numbers = hashlib.sha256(problem.pseudo.tobytes() + begin + more)
    task = {
        "cases": cases,
        **{key: settings[key] for key in settings if key not in ("versions", "level")},
        "numbers of prior and start": numbers.hexdigest()[:16],
        "seed": choices.seed,
    }
    changes = isinstance(choices.method, IBEM) and choices.method.changes
    size = None if changes else problem.layout.size
    return open_checkpoint(wishes.checkpoint, task, wishes.resume, size)


def _numbers(network: Network) -> bytes:
    """The numbers to start from, so that another network is another task."""
    families = (network[name] for name in network)
    values = [
        each.causes.values if isinstance(each, Noisy) else each.values
        for each in families
        if isinstance(each, Noisy | Table | SharedRows)
    ]
    return b"".join(np.ascontiguousarray(each).tobytes() for each in values)
