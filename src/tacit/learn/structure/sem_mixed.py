"""Rounds of structural EM where columns have states and real values: search at completed cases.

maximise  log P(what was observed) - price of the parameters + log P(dag)

A round writes the cases out as its network completes them, searches at the expected statistics of
these weighted lines, and leads EM some steps from the best parameters for them. With posteriors
exact a round gains at least what its search gains, as long as every configuration of discrete
parents is expected in more cases than its regression has parameters. One that is in fewer has no
variance of its own to speak of: it takes the regression of all cases, as in a search over complete
ones, and keeps it while EM climbs. [Friedman 1997; HV2 3.6]
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.family import Family
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.engines.completed import Completed, complete
from tacit.engines.mixed_scores import check_mixed
from tacit.engines.normal_expected import NormalExpectation
from tacit.estimate.conditional import estimate_conditional
from tacit.estimate.continuous.prior import Scales
from tacit.estimate.continuous.regression import estimate_regression
from tacit.estimate.continuous.regressions import Gaussian, joined, regressions
from tacit.estimate.continuous.weak import weak_lines, weak_prior
from tacit.estimate.gaussians import estimate_gaussian
from tacit.estimate.scores.values import AnyScore
from tacit.families.conditional_moments import AnyMoments, ConditionalMoments
from tacit.families.moments import Moments
from tacit.families.table import Table
from tacit.infer.likelihood import log_likelihood
from tacit.learn.climb import climb as climbed
from tacit.learn.continuous.families import NO_NOISE, NoNoiseError
from tacit.learn.continuous.fitting import units_of
from tacit.learn.continuous.problem import (
    NormalIterate,
    NormalProblem,
    Ready,
    at,
    plain_step,
    squarem_step,
)
from tacit.learn.continuous.starting import Start
from tacit.learn.continuous.vector import Vector
from tacit.learn.fits import Stop
from tacit.learn.structure.climbing import Heard, begun, climb
from tacit.learn.structure.climbing import Task as Search
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.outcome import as_move
from tacit.learn.structure.perturbing import drawn_again
from tacit.learn.structure.promising import begins_of
from tacit.learn.structure.sem_job import Job, limits_at, named, numbered, without_leaves
from tacit.learn.structure.sem_rounds import Hypothesis, Step, arcs_worth, silent
from tacit.learn.structure.sem_scorer import completed_scorer, price_of

EM_TOLERANCE = 1e-7
TURNS = 5
"""Times that EM begins again because configurations came to have too few cases."""
HARDLY = 1e-6
"""Of a case that is all but sure to be elsewhere this share does not make few cases more."""


def opened_mixed(
    job: Job,
    dag: Dag,
    seed: Sequence[int],
    number: int,
    given: Network | None,
    most_steps: int,
) -> Hypothesis:
    """Where a run starts: a dag, and EM on it from the start of that number."""
    if given is not None:
        check_possible(given, job.cases.with_weights(job.weights))
        return led_up(job, given, job.weights, most_steps)
    families = _families(job, dag)
    hidden = {name: job.variables[name] for name in job.hidden if name in dag}
    cases = job.cases.select([name for name in job.cases.names if name in dag])
    start = Start.of(dag, cases, families, hidden, _scales(job))
    return led_up(job, start.network(np.random.default_rng(seed), number == 0), job.weights,
                  most_steps)  # fmt: skip


def check_possible(network: Network, cases: Dataset) -> None:
    """Nothing, or an error about a case that counts and is impossible: no step of EM can begin."""
    shown = cases.select([name for name in cases.names if name in network])
    lost = log_likelihood(network, shown).per_case == -np.inf
    gone = np.flatnonzero(lost if cases.weights is None else lost & (cases.weights > 0))
    if gone.size:
        more = f", and {counted(gone.size - 1, 'other')}," if gone.size > 1 else ""
        raise OptionError(
            f"the network to start from holds case {gone[0] + 1}{more} impossible, so its numbers "
            "cannot be the start\n\nstart from its dag, or from a network without zeros"
        )


def round_at_mixed(
    job: Job,
    network: Network,
    weights: Floats,
    seed: int | Sequence[int] = 0,
    heard: Heard = silent,
) -> Step:
    """Complete the cases, search at what is expected of them, and fit again."""
    names = tuple(name for name in job.names if name in network)
    completed = complete(network, job.cases.with_weights(weights), seed)
    variables = {name: job.variables[name] for name in names}
    scorer = completed_scorer(completed, variables, job.score)
    ledger = Ledger(scorer, limits_at(job, network.dag), job.terms_of(names))
    start = numbered(network.dag, names)
    walk = begun(ledger, start)
    before = walk.highest

    def drawn(rng: np.random.Generator) -> Ledger:
        again = scorer.weighted(drawn_again(completed.weights, rng))
        return Ledger(again, ledger.limits, ledger.terms)

    rng = np.random.default_rng(seed)
    task = Search(ledger, job.method, rng, heard, drawn, begins_of(scorer, job.method))
    if climb(task, walk) is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    moves = tuple(as_move(change, names, restart) for change, restart in walk.changes)
    dag, dropped = without_leaves(job, named(walk.best, names))
    if walk.best == start and not dropped:
        moves, after = (), refitted_mixed(job, network, weights, job.steps)
    else:
        after = led_up(job, likeliest(job, dag, completed), weights, job.steps)
    drawn_cases = completed.split.drawn
    return Step(after, before, walk.highest, moves, dropped, ledger.evaluations, drawn_cases)


def refitted_mixed(job: Job, network: Network, weights: Floats, most_steps: int) -> Hypothesis:
    """EM on a network from its own numbers."""
    return led_up(job, network, weights, most_steps)


def led_up(job: Job, network: Network, weights: Floats, most_steps: int) -> Hypothesis:
    """EM from these parameters, and what the network is worth then.

    Where EM leads a configuration into too few cases for a regression of its own, it begins again
    with that of all cases there. Where noise shrinks to nothing all the same, values being tied,
    there is no most likely network: the families in question are the most probable ones under a
    weak prior, whose part is not counted. [Fraley and Raftery 2007]
    """
    cases, weak = job.cases.with_weights(weights), set[str]()
    while True:
        problem = _problem(job, network, cases, weak)
        try:
            here, settled = _led(problem, network, cases, most_steps)
            break
        except NoNoiseError as lost:
            if lost.name in weak:
                raise
            weak.add(lost.name)
    value = here.log_likelihood - price_of_all(job.score, problem.vector.families, weights.sum())
    value += arcs_worth(job, network.dag)
    found = problem.vector.network(here.theta)
    kept = tuple(name for name in problem.vector.families if name in weak)
    return Hypothesis(found, here.log_likelihood, value, settled, kept)


def _led(
    problem: NormalProblem, network: Network, cases: Dataset, most_steps: int
) -> tuple[NormalIterate, bool]:
    """Where EM came to, and whether that is its end; configurations that came to have too few cases
    keep the regression of all."""
    here, settled = at(Ready.of(problem), problem.vector.of(network)), True
    kept = _thin(problem, network, cases)
    for _ in range(TURNS):
        ready = Ready.of(replace(problem, kept=kept))
        here, settled = _climbed(ready, _pooled(ready, here), cases, most_steps)
        more = _thin(problem, problem.vector.network(here.theta), cases)
        if all((kept[name] | own == kept[name]).all() for name, own in more.items()):
            break
        kept = {name: kept[name] | own for name, own in more.items()}
    return here, settled


def _climbed(
    ready: Ready,
    begin: NormalIterate,
    cases: Dataset,
    most_steps: int,
    plain: bool = False,
) -> tuple[NormalIterate, bool]:
    """Where EM came to, and whether that is its end; as far as a configuration came to have too few
    cases, if its noise was lost there."""
    latest = begin

    def step(here: NormalIterate) -> NormalIterate:
        nonlocal latest
        latest = here
        return plain_step(ready, here) if plain else squarem_step(ready, here)

    try:
        found = climbed(step, begin, tolerance=EM_TOLERANCE, max_steps=most_steps)
    except NoNoiseError:
        problem = ready.problem
        again = _thin(problem, problem.vector.network(latest.theta), cases)
        if any((own & ~problem.kept[name]).any() for name, own in again.items()):
            return latest, True
        if plain:
            raise
        return _climbed(ready, latest, cases, most_steps, True)  # a leap may have gone too far
    if found.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return found.iterate, found.stop is Stop.CONVERGED


def _thin(problem: NormalProblem, network: Network, cases: Dataset) -> dict[str, Bools]:
    """Per continuous variable, the configurations expected in too few cases for a regression: of
    those that show all its reals no more than it has parameters."""
    found = {name: np.zeros_like(kept) for name, kept in problem.kept.items()}
    if all(kept.size == 1 for kept in problem.kept.values()):
        return found
    completed = complete(network, cases)
    for name, kept in problem.kept.items():
        if kept.size > 1:
            axes = problem.vector.families[name]
            reals = sum(isinstance(each, Continuous) for each in axes)
            found[name] = np.asarray(completed.whole(axes).reshape(-1) <= reals + 1 + HARDLY)
    return found


def _pooled(ready: Ready, here: NormalIterate) -> NormalIterate:
    """The parameters with the regression of all cases wherever configurations have too few; an
    error where those lie on it exactly."""
    problem = ready.problem
    if not any(own.any() for own in problem.kept.values()):
        return here
    network, evidence = problem.vector.network(here.theta), problem.expectation.evidence(here.sums)
    families = dict[str, Family](network.families)
    for name, own in problem.kept.items():
        held = evidence[name]
        if own.any() and isinstance(held, ConditionalMoments):
            family = network[name]
            assert isinstance(family, Gaussian)
            parts = regressions(family)
            together = held.pooled()
            extra = problem.extra.get(name)
            whole = estimate_regression(parts[0].variables, together, extra).family
            if whole.sd**2 * together.weight <= NO_NOISE * together.scatter[-1, -1]:
                raise NoNoiseError(name)
            few = [whole if thin else part for thin, part in zip(own, parts, strict=True)]
            families[name] = joined(problem.vector.families[name], few)
    return at(ready, problem.vector.of(Network(network.dag, network.variables, families)))


def likeliest(job: Job, dag: Dag, completed: Completed) -> Network:
    """The most likely parameters of a dag for completed cases, where there are such, else the most
    probable under a weak prior."""
    families: dict[str, Family] = {}
    scales = _scales(job)
    for name, axes in _families(job, dag).items():
        if isinstance(axes[-1], Discrete):
            discrete = tuple(each for each in axes if isinstance(each, Discrete))
            families[name] = Table(discrete, _shares(completed.counts(discrete).values))
            continue
        held = completed.moments(axes)
        families[name] = found = _likeliest_lines(axes, held)
        least = np.sqrt(NO_NOISE) * scales.sds[scales.names.index(name)]
        if (np.asarray(found.sd) <= least).any():
            families[name] = weak_lines(axes, held, weak_prior(axes, scales))
    return Network(dag, {name: job.variables[name] for name in dag.names}, families)


def _likeliest_lines(axes: tuple[Variable, ...], held: AnyMoments) -> Gaussian:
    if isinstance(held, Moments):
        reals = tuple(each for each in axes if isinstance(each, Continuous))
        return estimate_gaussian(reals, held).family
    assert isinstance(held, ConditionalMoments)
    return estimate_conditional(axes, held).family


def _shares(counts: Floats) -> Floats:
    """Each row of counts as shares; rows of nothing are even."""
    totals = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.where(totals > 0, totals, 1.0)
    return np.asarray(np.where(totals > 0, shares, 1.0 / counts.shape[-1]))


def _families(job: Job, dag: Dag) -> dict[str, tuple[Variable, ...]]:
    return {
        name: tuple(job.variables[other] for other in (*dag.parents[name], name))
        for name in dag.names
    }


def _scales(job: Job) -> Scales:
    columns = {
        name: np.asarray(job.cases[name], dtype=np.float64)
        for name, variable in job.cases.variables.items()
        if isinstance(variable, Continuous)
    }
    return Scales.of(dict(columns), job.cases.weights)


def _problem(job: Job, network: Network, cases: Dataset, weak: Collection[str]) -> NormalProblem:
    """EM for most likely parameters, some families under a weak prior; rules are obeyed by the last
    fit, not here."""
    vector, scales = Vector(network.dag, _families(job, network.dag)), _scales(job)
    pseudo, kept = {}, {}
    for name, axes in vector.families.items():
        shape = [len(each.states) for each in axes if isinstance(each, Discrete)]
        if isinstance(axes[-1], Discrete):
            pseudo[name] = np.zeros(shape)
        else:
            kept[name] = np.zeros(prod(shape), dtype=np.bool_)
    return NormalProblem(
        vector=vector,
        expectation=NormalExpectation.of(network, cases),
        pseudo=pseudo,
        extra={name: weak_prior(vector.families[name], scales) for name in weak},
        kept=kept,
        hidden=(),
        scales=scales,
        units=units_of(vector, scales),
    )


def price_of_all(
    score: AnyScore, families: Mapping[str, Sequence[Variable]], weight: float
) -> float:
    """What the score takes off for tables and lines, by their axes."""
    total = 0.0
    for axes in families.values():
        shape = tuple(len(each.states) for each in axes if isinstance(each, Discrete))
        if isinstance(axes[-1], Discrete):
            total += price_of(score, shape, weight)
        else:
            parameters = prod(shape) * (len(axes) - len(shape) + 1)
            total += check_mixed(score).per_parameter(weight) * parameters
    return total
