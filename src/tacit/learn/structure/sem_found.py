"""From the runs of structural EM to what it answers: a dag, fitted, and the way to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tacit.arrays import Ints
from tacit.core.errors import SizeError, listed, quoted
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.estimate.estimates import Estimate
from tacit.estimate.priors import K2, BDeu, Jeffreys, Prior
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.table import Table
from tacit.infer.queries import query
from tacit.learn.annealing.notes import annealing_notes
from tacit.learn.fit import fit
from tacit.learn.fits import Fit, Stop
from tacit.learn.methods import EM
from tacit.learn.settings import AnyPrior, beside, priors_apart
from tacit.learn.structure.fitted import as_search, found_of
from tacit.learn.structure.outcome import Outcome
from tacit.learn.structure.searched import Search
from tacit.learn.structure.sem_asking import Asked, error_of_draws
from tacit.learn.structure.sem_job import numbered, spoken_of
from tacit.learn.structure.sem_running import Course, Rounds, best_rounds
from tacit.learn.structures import NUMBERS_UNUSED


def as_found(
    asked: Asked,
    course: Course,
    runs: Sequence[Rounds],
    prior: AnyPrior,
    estimate: Estimate | None,
    wishes: Mapping[str, Any],
) -> Search:
    """The best network, fitted once more to its end, with all that is known of the way to it.

    wishes  what else was asked for, in plain words, to ask for it again
    """
    job, at = asked.job, best_rounds(runs)
    best = runs[at]
    network = _in_order(asked, best.best.network, prior)
    names = tuple(name for name in job.names if name in network)
    moves = tuple(move for each in best.trace for move in each.moves)
    stop = runs[-1].stop if runs[-1].stop is Stop.INTERRUPTED else best.stop
    outcome = Outcome(
        numbered(network.dag, names),
        best.best.objective,
        stop or Stop.CONVERGED,
        best.highest,
        sum(each.evaluations for each in runs),
        moves,
        len(runs) - 1,
    )
    fitted = _fitted(asked, network, course.seed, prior, estimate)
    found = found_of(asked.question(network), outcome)
    left = {name: len(states) for name, states in job.unseen.items() if name in network}
    said = {
        "score": job.score.describe(),
        "method": f"structural EM with {(course.annealing or job.method).describe()}",
        "dag_prior": None if asked.dag_prior is None else asked.dag_prior.describe(),
        "variant": "bayes" if isinstance(job.score, Prior) else "map",
        "starts": course.runs,
        **wishes,
    }
    notes = (*job.cases.notes, *_notes(best, runs, at, course), *_drawn_notes(asked, runs, network))
    return as_search(fitted, outcome, replace(found, hidden=left), said, notes)


def _in_order(asked: Asked, network: Network, prior: AnyPrior) -> Network:
    """The network with the states of hidden variables in order, the most common first, as
    `fit` has them; as they are where start, rules or prior may name them."""
    job = asked.job
    priors = [each for each in (priors_apart(prior)[0], job.prior) if each is not None]
    named = asked.given is not None or (job.knowledge is not None and job.knowledge.parameters)
    if named or not all(isinstance(each, BDeu | K2 | Jeffreys) for each in priors):
        return network
    try:
        shares = {name: query(network, [name]).values for name in job.hidden if name in network}
    except SizeError:  # only names are at stake
        return network
    for name, share in shares.items():
        network = states_turned(network, name, np.argsort(-np.asarray(share), kind="stable"))
    return network


def states_turned(network: Network, name: str, order: Ints) -> Network:
    """The network with the numbers of a variable's states given to other ones of its states."""
    families = dict(network.families)
    for child, family in network.families.items():
        axes = (*family.parents, child)
        if name in axes and isinstance(family, Table):
            values = np.take(family.values, order, axis=axes.index(name))
            families[child] = Table(family.variables, values)
        elif name in axes and isinstance(family, ConditionalGaussian):
            at = [each.name for each in family.discrete].index(name)
            turned = (
                np.take(each, order, axis=at)
                for each in (family.coefficients, family.intercept, family.sd)
            )
            families[child] = ConditionalGaussian(family.variables, *turned)
    return Network(network.dag, network.variables, families)


def _fitted(
    asked: Asked, network: Network, seed: int, prior: AnyPrior, estimate: Estimate | None
) -> Fit:
    """The fit of the dag that was found, from the numbers it was found with."""
    job = asked.job
    hidden = {name: states for name, states in job.unseen.items() if name in network}

    found = fit(
        network,
        job.cases,
        knowledge=spoken_of(job, network.dag),
        prior=beside(prior, job.prior),
        estimate=estimate,
        hidden=hidden or None,
        method=EM(restarts=1),
        start="given",
        seed=seed,
        threads=job.threads,
    )
    used = "the network gave structure and states, and its numbers were the start"
    notes = tuple(note for note in found.notes if note not in (used, NUMBERS_UNUSED))
    return replace(found, notes=notes)


def _notes(best: Rounds, runs: Sequence[Rounds], at: int, course: Course) -> Iterator[str]:
    if course.annealing is not None:
        yield from annealing_notes(course.annealing, best.heated)
    for each in best.trace:
        for name in each.dropped:
            yield f"{quoted(name)} lost its last child and was dropped: the cases do not need it"
    if best.best.weak:
        names = listed(map(quoted, best.best.weak), 4)
        yield (
            f"the noise of {names} would shrink to nothing, because many cases have the same value "
            "or lie on one line: the likelihood has no maximum there, and while dags were sought a "
            "weak prior kept the noise up"
        )
    if len(runs) > 1:
        near = sum(abs(e.best.objective - best.best.objective) < 0.01 for e in runs) - 1
        others = f"{near:,} more" if near else "no other"
        yield (
            f"of {counted(len(runs), 'start')}, number {at + 1} came highest; "
            f"{others} came within 0.01 nats of it"
        )


def _drawn_notes(asked: Asked, runs: Sequence[Rounds], network: Network) -> Iterator[str]:
    """What drawing cells of too large pieces did to the score."""
    drawn = max(each.drawn for each in runs)
    if drawn:
        error = error_of_draws(asked.job, network)
        yield (
            f"in {counted(drawn, 'case')} so much is missing together that cells were drawn from "
            "their posterior instead of being written out in every way: expected counts of these "
            f"cases are right on average only; over other draws the score varies by {error:.2g} "
            "nats (standard deviation)"
        )
