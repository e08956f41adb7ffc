"""A fit whose missing cells are inferred, from gathered cases to the finished value."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tacit.core.errors import OptionError
from tacit.core.network import Network
from tacit.estimate.ruled.multipliers import priced
from tacit.estimate.ruled.plan import Near
from tacit.estimate.ruled.prices import statuses
from tacit.estimate.ruled.proof import proof_of
from tacit.knowledge.knowledge import Knowledge
from tacit.learn.annealing.notes import annealing_notes
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.bottleneck.notes import path_notes
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.checkpoints import Checkpoint, open_checkpoint
from tacit.learn.choices import Choices
from tacit.learn.counted import cases_used
from tacit.learn.expectation import Problem
from tacit.learn.fits import Fit, Stop
from tacit.learn.gathered import Gathered
from tacit.learn.incomplete import How, Incomplete, Learned, learn_incomplete, problem_of
from tacit.learn.methods import EM, AvailableCases, MeanFieldEM, Method, starts
from tacit.learn.notes import incomplete_notes
from tacit.learn.obeyed import local_notes, refuse_means, resisted_notes, rule_notes
from tacit.learn.parts import discrete_axes, pseudo_counts
from tacit.learn.progress import Report
from tacit.learn.ruled import Ruled, impossible_in_words, ruled
from tacit.learn.settings import settings_of


@dataclass(frozen=True, slots=True)
class Wishes:
    """Further options of a fit with missing cells."""

    tied: tuple[tuple[str, ...], ...] = ()
    start: Network | None = None
    threads: int | None = None
    checkpoint: str | Path | None = None
    resume: bool = False
    knowledge: Knowledge | None = None


def fit_inferred(gathered: Gathered, choices: Choices, wishes: Wishes, told: Report) -> Fit:
    """Learn tables from incomplete cases by the method chosen."""
    method = choices.method
    if method is None or isinstance(method, AvailableCases):
        raise OptionError(
            "tc.AvailableCases() counts what is there; hidden variables and tied tables "
            "need tc.EM()"
        )
    alpha = pseudo_counts(choices.prior, gathered.families)
    families = {name: discrete_axes(axes) for name, axes in gathered.families.items()}
    cases = Incomplete(
        gathered.structure.dag, gathered.cases, families, tuple(gathered.hidden), wishes.tied, alpha
    )
    wrapped = method.method if isinstance(method, WeightAnnealing) else method
    strategy = wrapped.strategy if isinstance(wrapped, EM) else "auto"
    problem = problem_of(cases, choices.estimate, strategy, wishes.threads)
    known = ruled(wishes.knowledge, cases.dag, families, problem.layout)
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


def _fit(
    gathered: Gathered,
    choices: Choices,
    settings: dict[str, Any],
    learned: Learned,
    cases: Incomplete,
) -> Fit:
    best = learned.runs[learned.best]
    several = bool(gathered.hidden) and "start" not in settings
    notes = incomplete_notes(gathered.cases, gathered.variables, learned, choices)
    if isinstance(choices.method, WeightAnnealing):
        notes += annealing_notes(choices.method, learned.rounds)
    if learned.path is not None:
        notes += path_notes(learned.path)
    return Fit(
        network=learned.network,
        objective=learned.objective,
        trace=best.trace,
        stop=_stop(learned, choices.method, several),
        rules=(),
        settings=settings,
        seed=choices.seed,
        notes=(*gathered.structure.notes, *notes),
        evidence=learned.expected,
        pseudo=cases.alpha,
        log_likelihood=learned.log_likelihood,
        log_marginal_likelihood=None,
        cases=cases_used(gathered.cases),
        runs=learned.runs,
        known=learned.known,
        path=learned.path,
    )


def under(problem: Problem, known: Ruled) -> Problem:
    """The problem under rules; pseudo-counts of cells that rules hold at 0 do not count."""
    pseudo = problem.pseudo.copy()
    pseudo[known.plan.blocks.cells[known.plan.zeros]] = 0.0
    return replace(problem, pseudo=pseudo, plan=known.plan)


def _with_rules(found: Fit, known: Ruled, problem: Problem, learned: Learned) -> Fit:
    """The fit with what became of its rules, judged at the expected counts of its end."""
    layout, cells = problem.layout, known.plan.blocks.cells
    weights = np.empty(layout.size)
    for at, name in enumerate(layout.names):
        layout.block(weights, at)[...] = learned.expected[name].values
    weights = np.maximum(weights + problem.pseudo, 0.0)[cells]
    theta = layout.parameters(found.network)[cells]
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
    if gathered.hidden:
        said["hidden"] = {name: list(each.states) for name, each in gathered.hidden.items()}
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
    begin = () if wishes.start is None else problem.layout.parameters(wishes.start)
    numbers = hashlib.sha256(problem.pseudo.tobytes() + np.asarray(begin).tobytes())
    task = {
        "cases": cases,
        **{key: settings[key] for key in settings if key not in ("versions", "level")},
        "numbers of prior and start": numbers.hexdigest()[:16],
        "seed": choices.seed,
    }
    return open_checkpoint(wishes.checkpoint, task, wishes.resume, problem.layout.size)
