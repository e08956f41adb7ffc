"""A fit of lines and curves to cases with gaps, from cases to the value."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError, quoted
from tacit.core.grid import counted as counted_words
from tacit.core.network import Network
from tacit.core.variables import Continuous
from tacit.engines.scales import check_scales
from tacit.engines.tasks import thread_bound
from tacit.estimate.continuous.prior import Pseudo
from tacit.estimate.continuous.regression import Extra
from tacit.families.curved import CurvedGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.learn.bends.climbing import Iterate, Problem
from tacit.learn.bends.expecting import Expected, expect
from tacit.learn.bends.maximising import Known, curve_evidence, moments_of
from tacit.learn.bends.pieces import Divided, Told
from tacit.learn.bends.running import Ended, Run, Task, run_bent
from tacit.learn.bends.shape import Numbers, Shape, turned
from tacit.learn.checkpoints import Checkpoint, open_checkpoint
from tacit.learn.choices import Choices
from tacit.learn.continuous.fitting import given_start, scales_of
from tacit.learn.continuous.notes import lost_notes, scale_notes
from tacit.learn.continuous.starting import Start
from tacit.learn.counted import cases_used
from tacit.learn.curved import curves_said
from tacit.learn.fits import Evidence, Fit, Stop
from tacit.learn.fits import Run as Ran
from tacit.learn.gathered import Gathered
from tacit.learn.methods import EM
from tacit.learn.notes import INTERVALS, inferred_notes, run_notes
from tacit.learn.parts import normal_pseudo
from tacit.learn.progress import Report
from tacit.learn.settings import kept_settings, settings_of
from tacit.learn.wishes import Wishes


def fit_bent(gathered: Gathered, choices: Choices, wishes: Wishes, told: Report) -> Fit:
    """maximise  log P(what was observed given θ) + the prior of the lines, by EM."""
    method = choices.method
    assert isinstance(method, EM)
    problem, normal = _problem(gathered, choices)
    settings = settings_of(gathered.structure, choices, _said(gathered, wishes))
    task = _task(gathered, choices, wishes, problem)
    kept = _checkpoint(problem, settings, choices, wishes, gathered.cases.fingerprint())
    ended = run_bent(task, thread_bound(wishes.threads), told, kept)
    best = int(np.argmax([each.climb.iterate.objective for each in ended.runs]))
    won = ended.runs[best]
    end = Ending.of(won, keep="start" in settings and best == 0)
    return Fit(
        network=end.network,
        objective=won.climb.iterate.objective,
        trace=won.climb.trace,
        stop=_stop(ended, won, method.runs(task.several)),
        rules=(),
        settings=settings,
        seed=choices.seed,
        notes=(*gathered.structure.notes, *_notes(gathered, choices, ended, won)),
        evidence=end.evidence,
        pseudo={},
        log_likelihood=won.climb.iterate.log_likelihood,
        log_marginal_likelihood=None,
        cases=cases_used(gathered.cases),
        runs=tuple(
            Ran(run.climb.iterate.objective, run.climb.trace, run.climb.stop) for run in ended.runs
        ),
        normal=normal,
    )


def _task(gathered: Gathered, choices: Choices, wishes: Wishes, problem: Problem) -> Task:
    """What is to be run, and where each run begins."""
    method, seed, hidden = choices.method, choices.seed or 0, dict(gathered.hidden)
    assert isinstance(method, EM)
    start = Start.of(
        gathered.structure.dag, gathered.cases, gathered.families, hidden, scales_of(gathered)
    )

    def lines(number: int) -> Network:
        first = number == 0 and method.init == "data"
        return start.network(np.random.default_rng([seed, number]), first)

    given = None if wishes.start is None else _given(gathered, wishes.start)
    return Task(problem, method, lines, given, bool(hidden) and given is None, seed)


def _given(gathered: Gathered, network: Network) -> Network:
    """The network to start from, if it has these variables, lines and curves."""
    for name, family in given_start(gathered, network).families.items():
        kind = gathered.curves.get(name, LinearGaussian)
        if type(family) is not kind:
            raise OptionError(
                f"{quoted(name)} is to be a {kind.__name__}, and the network to start from has a "
                f'{type(family).__name__} there\n\nleave out start="given", or families='
            )
        if getattr(family, "sd", 1.0) == 0:
            raise OptionError(
                f"{quoted(name)} is an exact function of its parents in the network to start from, "
                'and no step of EM leads away from there\n\nleave out start="given", or give it '
                "a small sd"
            )
    return network


def _problem(gathered: Gathered, choices: Choices) -> tuple[Problem, dict[str, Pseudo]]:
    """What is to be maximised, and what the prior says of lines."""
    dag, cases, families = gathered.structure.dag, gathered.cases, gathered.families
    check_scales(cases, cases.names)
    scales = scales_of(gathered)
    every = [gathered.variables[name] for name in dag.names]
    reals = tuple(each for each in every if isinstance(each, Continuous))
    places = {name: at for at, name in enumerate(dag.names)}
    own = [scales.names.index(name) for name in dag.names]
    shape = Shape(
        dag, reals, {places[name]: kind for name, kind in gathered.curves.items()},
        frozenset(places[name] for name in gathered.hidden), scales.means[own], scales.sds[own],
    )  # fmt: skip
    none = np.full(len(cases), np.nan)
    columns = [none if name in gathered.hidden else cases[name] for name in dag.names]
    weights = np.ones(len(cases)) if cases.weights is None else cases.weights
    divided = Divided.of(shape, Told(np.stack(columns, axis=1).astype(np.float64), weights))
    lines = {name: axes for name, axes in families.items() if name not in gathered.curves}
    normal = normal_pseudo(choices, lines, scales)
    extra = {
        places[name]: added
        for name, pseudo in normal.items()
        if name not in gathered.hidden and (added := Extra.of(pseudo, choices.estimate)) is not None
    }
    return Problem(shape, divided, Known.of(shape, divided, extra)), normal


@dataclass(frozen=True, slots=True, eq=False)
class Ending:
    """Where the best run ended, written out."""

    network: Network
    evidence: Mapping[str, Evidence]

    @staticmethod
    def of(won: Run, *, keep: bool) -> Ending:
        """The network and its evidence; hidden variables with the sign that their first child
        rises with, unless they keep that of a start that was given."""
        problem, here = won.problem, won.climb.iterate
        shape, numbers = problem.shape, Numbers.of(problem.shape, here.theta)
        for place in () if keep else sorted(shape.hidden):
            if _falls(shape, numbers, place):
                shape, numbers = turned(shape, numbers, place)
        network = numbers.network(shape)
        told = problem.divided.told
        expected = expect(shape, numbers, Divided.of(shape, told, all_unknown=True))
        return Ending(network, _evidence(shape, problem.known, expected, network))


def _falls(shape: Shape, numbers: Numbers, place: int) -> bool:
    """Whether the first child of a variable falls where it rises."""
    children = np.flatnonzero(shape.arcs[:, place])
    return bool(children.size) and bool(
        numbers.slopes[children[0], place] * numbers.rise[children[0]] < 0
    )


def _evidence(
    shape: Shape, known: Known, expected: Sequence[Expected], network: Network
) -> dict[str, Evidence]:
    """Of every family: what cases show whole, and what they lead to expect."""
    found: dict[str, Evidence] = {}
    for at, name in enumerate(shape.dag.names):
        family = network[name]
        if isinstance(family, CurvedGaussian):
            found[name] = curve_evidence(shape, family, known, expected)
        else:
            found[name] = moments_of(shape, at, known, expected)
    return found


def _notes(gathered: Gathered, choices: Choices, ended: Ended, won: Run) -> Iterable[str]:
    yield from gathered.cases.notes
    yield from inferred_notes(dict(gathered.missing), choices.method)
    yield from _sure(won.climb.iterate)
    yield from scale_notes(tuple(gathered.hidden), ())
    yield from lost_notes(ended.lost, len(ended.runs), gathered.curves)
    yield from run_notes([run.climb.iterate.objective for run in ended.runs])
    yield INTERVALS


def _sure(here: Iterate) -> Iterable[str]:
    """How the log-likelihood was computed where parents of curves are unknown."""
    bent = [each for each in here.expected if each.piece.bends.size]
    summed, drawn = ([each for each in bent if each.drawn is said] for said in (False, True))
    what = "with unknown parents of curves"
    if summed:
        many = len(np.unique(np.concatenate([each.piece.cases for each in summed])))
        error = sum(float(each.piece.weights @ each.error) for each in summed)
        yield (
            f"{counted_words(many, 'case')} {what}: integrated by sums over points, "
            f"which is sure to {_above(error)} nats in all"
        )
    if drawn:
        many = len(np.unique(np.concatenate([each.piece.cases for each in drawn])))
        squares = sum(float(((each.piece.weights * each.error) ** 2).sum()) for each in drawn)
        points = drawn[0].shares.shape[1]
        yield (
            f"{counted_words(many, 'case')} {what}, more than three together: integrated by "
            f"{points:,} weighted draws each, with a Monte Carlo error of "
            f"{np.sqrt(squares):.2g} nats in all"
        )


def _above(error: float) -> str:
    """The next power of ten."""
    return f"{10 ** np.ceil(np.log10(max(error, 1e-9))):g}"


def _stop(ended: Ended, won: Run, wanted: int) -> Stop:
    """Why the best run ended, unless some run was cut short or never came to start."""
    cut = len(ended.runs) + len(ended.lost) < wanted
    if cut or Stop.INTERRUPTED in {run.climb.stop for run in ended.runs}:
        return Stop.INTERRUPTED
    return won.climb.stop


def _said(gathered: Gathered, wishes: Wishes) -> dict[str, Any]:
    said: dict[str, Any] = {"families": curves_said(gathered.curves)}
    if gathered.hidden:
        said["hidden"] = dict.fromkeys(gathered.hidden, "continuous")
    if wishes.start is not None:
        said["start"] = "given"
    return said


def _checkpoint(
    problem: Problem,
    settings: dict[str, Any],
    choices: Choices,
    wishes: Wishes,
    cases: str,
) -> Checkpoint | None:
    if wishes.checkpoint is None:
        return None
    size = problem.shape.units.size
    begin = np.zeros(0) if wishes.start is None else _numbers(problem, wishes.start)
    task = {
        "cases": cases,
        **kept_settings(settings),
        "numbers of the start": hashlib.sha256(begin.tobytes()).hexdigest()[:16],
        "seed": choices.seed,
    }
    return open_checkpoint(wishes.checkpoint, task, wishes.resume, size)


def _numbers(problem: Problem, network: Network) -> Floats:
    return Numbers.of_network(problem.shape, network).vector(problem.shape)
