"""A fit with continuous variables whose missing cells are inferred, from cases to the value."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from functools import cache
from math import prod
from typing import Any

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError, quoted
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.engines.normal_expected import NormalExpectation
from tacit.engines.tasks import thread_bound
from tacit.estimate.continuous.prior import Scales
from tacit.estimate.continuous.regression import Extra
from tacit.estimate.ruled.proof import Proof
from tacit.estimate.ruled.status import RuleStatus
from tacit.families.counts import Counts
from tacit.learn.checkpoints import Checkpoint, open_checkpoint
from tacit.learn.choices import Choices
from tacit.learn.climb import Climb
from tacit.learn.continuous.canonical import Ending, canonical
from tacit.learn.continuous.notes import continuous_notes
from tacit.learn.continuous.obeying import Obeying
from tacit.learn.continuous.problem import NormalIterate, NormalProblem, Ready
from tacit.learn.continuous.running import Ended, NormalTask, run_normal
from tacit.learn.continuous.starting import Start
from tacit.learn.continuous.vector import Vector
from tacit.learn.counted import cases_used
from tacit.learn.fits import Fit, Run, Stop
from tacit.learn.gathered import Gathered
from tacit.learn.methods import EM
from tacit.learn.obeyed import refuse_means
from tacit.learn.parts import normal_pseudo, pseudo_counts
from tacit.learn.progress import Report
from tacit.learn.ruled import Ruled, impossible_in_words, ruled
from tacit.learn.settings import kept_settings, settings_of
from tacit.learn.wishes import Wishes


def fit_continuous(gathered: Gathered, choices: Choices, wishes: Wishes, told: Report) -> Fit:
    """maximise  log P(what was observed given θ) + the priors, by EM over several starts."""
    method = choices.method
    assert isinstance(method, EM)
    hidden = {name: gathered.variables[name] for name in gathered.hidden}
    scales = scales_of(gathered)
    start = Start.of(gathered.structure.dag, gathered.cases, gathered.families, hidden, scales)
    seed = choices.seed or 0

    @cache
    def begun(number: int) -> Network:
        if number == 0 and wishes.start is not None:
            return given_start(gathered, wishes.start)
        first = number == 0 and method.init == "data"
        return start.network(np.random.default_rng([seed, number]), first)

    problem = _problem(gathered, choices, scales, begun(0))
    known = _ruled(gathered, wishes)
    if known is not None:
        refuse_means(choices.estimate)
        problem = _under(problem, known)
    said = {**({} if known is None else known.settings), **_further(gathered, wishes)}
    settings = settings_of(gathered.structure, choices, said)
    kept = _checkpoint(problem, settings, choices, wishes, gathered.cases.fingerprint())
    task = NormalTask(Ready.of(problem), method, begun, bool(hidden) and wishes.start is None)
    with impossible_in_words(known):
        ended = run_normal(task, thread_bound(wishes.threads), told, kept)
    return _fit(gathered, choices, settings, problem, ended, method.runs(task.several))


def _ruled(gathered: Gathered, wishes: Wishes) -> Ruled | None:
    """The rules, beside which a hidden continuous variable has the scale it gets."""
    families = gathered.families
    pinned = [(name, 0) for name in gathered.hidden if isinstance(families[name][-1], Continuous)]
    return ruled(wishes.knowledge, gathered.structure.dag, families, pinned=pinned)


def _under(problem: NormalProblem, known: Ruled) -> NormalProblem:
    """The problem under rules; pseudo-counts of cells that rules hold at 0 do not count."""
    pseudo = {name: each.copy() for name, each in problem.pseudo.items()}
    zeros = known.plan.blocks.cells[known.plan.zeros]
    for name, own in pseudo.items():
        at = zeros - known.bound.cells.starts[name]
        own.flat[at[(at >= 0) & (at < own.size)]] = 0.0
    return replace(problem, pseudo=pseudo, obeying=Obeying(known, pseudo, problem.extra))


def scales_of(gathered: Gathered) -> Scales:
    """Means and standard deviations of the continuous variables; 0 and 1 of hidden ones."""
    columns = {
        name: None if name in gathered.hidden else _reals(gathered.cases, name)
        for name, variable in gathered.variables.items()
        if isinstance(variable, Continuous)
    }
    return Scales.of(columns, gathered.cases.weights)


def _reals(cases: Dataset, name: str) -> Floats:
    return np.asarray(cases[name], dtype=np.float64)


def _problem(
    gathered: Gathered, choices: Choices, scales: Scales, network: Network
) -> NormalProblem:
    families = gathered.families
    alpha = pseudo_counts(choices.prior, families)
    pseudo = normal_pseudo(choices, families, scales)
    extra = {name: Extra.of(each, choices.estimate) for name, each in pseudo.items()}
    reals = [name for name, axes in families.items() if isinstance(axes[-1], Continuous)]
    vector = Vector(gathered.structure.dag, families)
    hidden = tuple(name for name in reals if name in gathered.hidden)
    return NormalProblem(
        vector=vector,
        expectation=NormalExpectation.of(network, gathered.cases),
        pseudo={name: choices.estimate.pseudo(each) for name, each in alpha.items()},
        extra={name: each for name, each in extra.items() if each is not None},
        kept={
            name: _thin(gathered.cases, families[name], extra.get(name), hidden) for name in reals
        },
        hidden=hidden,
        scales=scales,
        units=units_of(vector, scales),
    )


def _thin(
    cases: Dataset, axes: tuple[Variable, ...], extra: Extra | None, hidden: tuple[str, ...]
) -> Bools:
    """(configurations,) those with too few cases for a regression of their own, however the states
    that are missing turn out; none of them under a prior that is not weak."""
    discrete = [axis for axis in axes if isinstance(axis, Discrete)]
    shape = tuple(len(axis.states) for axis in discrete)
    strong = extra is not None and not extra.pools
    if strong or axes[-1].name in hidden or not shape:
        return np.zeros(prod(shape), dtype=np.bool_)
    seen = [at for at, axis in enumerate(discrete) if axis.name in cases]
    padded = tuple(shape[at] + 1 for at in seen)
    codes = np.zeros(len(cases), dtype=np.int64)
    for at, size in zip(seen, padded, strict=True):
        codes = codes * size + np.asarray(cases[discrete[at].name], dtype=np.int64) + 1
    weights = np.ones(len(cases)) if cases.weights is None else cases.weights
    rows, which = np.unique(codes, return_inverse=True)
    possible = np.zeros(shape)
    for row, weight in zip(rows, np.bincount(which.ravel(), weights), strict=True):
        states = dict(zip(seen, np.unravel_index(row, padded), strict=True)) if seen else {}
        own = tuple(int(states.get(at, 0)) - 1 for at in range(len(shape)))
        possible[tuple(slice(None) if code < 0 else code for code in own)] += weight
    parameters = len(axes) - len(discrete) + 1
    return np.asarray(possible.reshape(-1) <= parameters)


def units_of(vector: Vector, scales: Scales) -> Floats:
    """What a change of each parameter is measured in: shares of 1, and standard deviations."""
    units = np.ones(vector.size)
    sd = dict(zip(scales.names, scales.sds.tolist(), strict=True))
    for name, slopes, levels, logs in vector.gaussians(units):
        parents = [a.name for a in vector.families[name] if isinstance(a, Continuous)][:-1]
        slopes[...] = [sd[name] / sd[parent] for parent in parents]
        levels[...], logs[...] = sd[name], 1.0
    return units


def given_start(gathered: Gathered, network: Network) -> Network:
    """The network to start from, if it has these variables."""
    for name, variable in gathered.variables.items():
        if network.variables[name] != variable:
            raise OptionError(
                f"{quoted(name)} has other states in the network to start from than in the cases"
            )
    return network


def _fit(
    gathered: Gathered,
    choices: Choices,
    settings: dict[str, Any],
    problem: NormalProblem,
    ended: Ended,
    wanted: int,
) -> Fit:
    best = int(np.argmax([each.iterate.objective for each in ended.climbs]))
    won = ended.climbs[best]
    end = Ending.of(problem, won.iterate)
    named = _named(problem, gathered)
    if "start" not in settings or best > 0:
        end = canonical(problem, end, gathered.hidden, named)
    alpha = pseudo_counts(choices.prior, gathered.families)
    notes = continuous_notes(gathered, problem, ended, end.network, choices, named, end.evidence)
    rules, said, proof = _told(problem, end)
    return Fit(
        network=end.network,
        objective=won.iterate.objective,
        trace=won.trace,
        stop=_stop(ended, won, wanted),
        rules=rules,
        proof=proof,
        settings=settings,
        seed=choices.seed,
        notes=(*gathered.structure.notes, *notes, *said),
        evidence=end.evidence,
        pseudo=alpha,
        log_likelihood=won.iterate.log_likelihood,
        log_marginal_likelihood=None,
        cases=cases_used(gathered.cases),
        runs=tuple(Run(run.iterate.objective, run.trace, run.stop) for run in ended.climbs),
        known={
            name: held
            for name, held in problem.expectation.known.items()
            if isinstance(held, Counts)
        },
        normal=normal_pseudo(choices, gathered.families, problem.scales),
    )


def _told(
    problem: NormalProblem, end: Ending
) -> tuple[tuple[RuleStatus, ...], tuple[str, ...], Proof | None]:
    """What became of the rules; nothing without any."""
    if problem.obeying is None:
        return (), (), None
    return problem.obeying.told(end.network, end.evidence)


def _named(problem: NormalProblem, gathered: Gathered) -> list[str]:
    """The hidden variables that rules speak of, whose states and signs they name."""
    if problem.obeying is None:
        return []
    text = str(problem.obeying.known.knowledge)
    words = {name: rf"(?<![\w.]){re.escape(name)}(?![\w.])" for name in gathered.hidden}
    return [name for name, word in words.items() if re.search(word, text)]


def _stop(ended: Ended, won: Climb[NormalIterate], wanted: int) -> Stop:
    """Why the best run ended, unless some run was cut short or never came to start."""
    cut = len(ended.climbs) + len(ended.lost) < wanted
    if cut or Stop.INTERRUPTED in {run.stop for run in ended.climbs}:
        return Stop.INTERRUPTED
    return won.stop


def _further(gathered: Gathered, wishes: Wishes) -> dict[str, Any]:
    said: dict[str, Any] = {}
    if gathered.hidden:
        said["hidden"] = {
            name: list(each.states) if isinstance(each, Discrete) else "continuous"
            for name, each in gathered.hidden.items()
        }
    if wishes.start is not None:
        said["start"] = "given"
    return said


def _checkpoint(
    problem: NormalProblem,
    settings: dict[str, Any],
    choices: Choices,
    wishes: Wishes,
    cases: str,
) -> Checkpoint | None:
    if wishes.checkpoint is None:
        return None
    numbers = hashlib.sha256()
    for pseudo in problem.pseudo.values():
        numbers.update(np.ascontiguousarray(pseudo).tobytes())
    for extra in problem.extra.values():
        numbers.update(extra.moments.scatter.tobytes() + extra.moments.means.tobytes())
    if wishes.start is not None:
        numbers.update(problem.vector.of(wishes.start).tobytes())
    task = {
        "cases": cases,
        **kept_settings(settings),
        "numbers of prior and start": numbers.hexdigest()[:16],
        "seed": choices.seed,
    }
    return open_checkpoint(wishes.checkpoint, task, wishes.resume, problem.vector.size)
