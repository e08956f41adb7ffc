"""One round of structural EM: complete the cases, search, fit again. [HV1 1.8]

A round is a pure function of a network and case weights, so that it can stand alone, in a climb or
under weight annealing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.network import Network
from tacit.engines.tasks import thread_bound
from tacit.estimate.priors import BDeu, Prior
from tacit.families.table import Table
from tacit.infer.flat import Layout
from tacit.infer.likelihood import log_likelihood
from tacit.learn.climb import climb as climbed
from tacit.learn.em import Task, start_of
from tacit.learn.expectation import EmIterate, Problem, at, maximise, squarem_step
from tacit.learn.fits import Stop
from tacit.learn.incomplete import Incomplete, problem_of
from tacit.learn.inferred import under
from tacit.learn.methods import EM
from tacit.learn.parts import discrete_axes, pseudo_counts
from tacit.learn.ruled import Ruled, impossible_in_words, ruled
from tacit.learn.starts import check_possible, given_parameters
from tacit.learn.structure.cheeseman_stutz import completed_score
from tacit.learn.structure.climbing import Heard, Walk, begun, climb
from tacit.learn.structure.climbing import Task as Search
from tacit.learn.structure.completing import Completion, completed
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.moves import Move
from tacit.learn.structure.outcome import as_move
from tacit.learn.structure.perturbing import drawn_again
from tacit.learn.structure.sem_job import (
    Job,
    limits_at,
    named,
    numbered,
    spoken_of,
    without_leaves,
)
from tacit.learn.structure.sem_scorer import expected_scorer, price_of

EM_STEPS, EM_TOLERANCE = 1000, 1e-8
"""Of an EM that is led to its end."""
START_STEPS = 200
"""Of the EM that a run begins with: its dag will change."""


@dataclass(frozen=True, slots=True, eq=False)
class Hypothesis:
    """A network and what it is worth.

    log_likelihood  of what was observed
    objective       the score: Cheeseman-Stutz under a prior, else the log-likelihood less the price
    settled         whether EM had ended there
    weak            the variables whose noise only a weak prior keeps from shrinking to nothing: the
                    likelihood alone has no maximum there
    """

    network: Network
    log_likelihood: float
    objective: float
    settled: bool = False
    weak: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What one round came to.

    before, after  the score of the expected counts before the search and after it
    moves          the changes of the dag, in their order
    dropped        hidden variables that lost their last child
    drawn          cases in which cells had to be drawn
    """

    hypothesis: Hypothesis
    before: float
    after: float
    moves: tuple[Move, ...] = ()
    dropped: tuple[str, ...] = ()
    evaluations: int = 0
    drawn: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """The tables of one dag, ready for EM."""

    cases: Incomplete
    problem: Problem
    known: Ruled | None

    @property
    def layout(self) -> Layout:
        """Where they lie."""
        return self.problem.layout

    def network(self, theta: Floats) -> Network:
        """The tables with these numbers."""
        families, layout = self.cases.families, self.layout
        tables = {
            name: Table(families[name], layout.block(theta, layout.places[name]))
            for name in layout.names
        }
        return Network(self.cases.dag, self.cases.variables, tables)


def tables_of(job: Job, dag: Dag, weights: Floats) -> Tables:
    """The tables of a dag and the E-step of the cases at these weights, rules bound to them."""
    families = {
        name: discrete_axes([job.variables[other] for other in (*dag.parents[name], name)])
        for name in dag.names
    }
    alpha = pseudo_counts(job.prior or BDeu(1), families)
    hidden = tuple(name for name in job.hidden if name in dag)
    cases = Incomplete(dag, job.cases.with_weights(weights), families, hidden, (), alpha)
    problem = replace(
        problem_of(cases, job.estimate, "auto", job.threads), threads=thread_bound(job.threads)
    )
    known = ruled(spoken_of(job, dag), dag, families, problem.layout)
    return Tables(cases, problem if known is None else under(problem, known), known)


def led_up(job: Job, tables: Tables, theta: Floats, most_steps: int) -> Hypothesis:
    """EM from these parameters, and what the network is worth then."""
    with impossible_in_words(tables.known):
        begin = at(tables.problem, theta)
        found = climbed(
            lambda here: squarem_step(tables.problem, here),
            begin,
            tolerance=EM_TOLERANCE,
            max_steps=most_steps,
        )
    if found.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    end = found.iterate
    value = worth(job, tables, end)
    settled = found.stop is Stop.CONVERGED
    return Hypothesis(tables.network(end.theta), end.log_likelihood, value, settled)


def worth(job: Job, tables: Tables, here: EmIterate) -> float:
    """The score of a dag at parameters: what structural EM climbs."""
    layout, dag = tables.layout, tables.cases.dag
    total = arcs_worth(job, dag)
    if isinstance(job.score, Prior):
        alpha = pseudo_counts(job.score, tables.cases.families)
        return total + completed_score(layout, here, alpha)
    weight = tables.cases.data.total_weight
    shapes = [layout.block(here.theta, place).shape for place in range(len(layout.names))]
    return total + here.log_likelihood - sum(price_of(job.score, s, weight) for s in shapes)


def arcs_worth(job: Job, dag: Dag) -> float:
    """What the prior over dags says of one."""
    if job.terms is None:
        return 0.0
    place, total = {name: at_ for at_, name in enumerate(job.names)}, 0.0
    for name, who in dag.parents.items():
        total += float(job.terms.by_size[len(who)])
        total += float(sum(job.terms.by_arc[place[parent], place[name]] for parent in who))
    return total


def opened(
    job: Job,
    dag: Dag,
    seed: Sequence[int],
    number: int,
    given: Network | None = None,
    most_steps: int = START_STEPS,
) -> Hypothesis:
    """Where a run starts: a dag, and EM on it from the start of that number.

    given  a network whose numbers the run starts from
    """
    tables = tables_of(job, dag, job.weights)
    layout, theta = tables.layout, None
    if given is not None:
        theta = given_parameters(layout, tables.cases.families, given)
        check_possible(layout, tables.cases.data, theta)
    hidden = tuple(layout.places[name] for name in tables.cases.hidden)
    seeded = int(np.random.default_rng(seed).integers(2**31))
    begin = start_of(
        Task(tables.problem, EM(), hidden, seeded, theta), 0 if theta is not None else number
    )
    return led_up(job, tables, begin, most_steps)


def refitted(job: Job, network: Network, weights: Floats, most_steps: int) -> Hypothesis:
    """EM on a network from its own numbers."""
    tables = tables_of(job, network.dag, weights)
    return led_up(job, tables, tables.layout.parameters(network), most_steps)


def silent(walk: Walk) -> None:
    """Hear of a step and say nothing."""
    del walk


def round_at(
    job: Job,
    network: Network,
    weights: Floats,
    seed: int | Sequence[int] = 0,
    heard: Heard = silent,
) -> Step:
    """Freeze what the network says of the missing cells, search, and fit again.

    weights  (cases,) how often each case counts in this round
    heard    told of every step of the search; it may raise KeyboardInterrupt
    """
    names = tuple(name for name in job.names if name in network)
    cases = job.cases.with_weights(weights)
    completion = completed(cases, network, names, seed)
    ledger = Ledger(
        expected_scorer(completion, job.score), limits_at(job, network.dag), job.terms_of(names)
    )
    start = numbered(network.dag, names)
    walk = begun(ledger, start)
    before = walk.highest
    rng = np.random.default_rng(seed)
    stop = climb(Search(ledger, job.method, rng, heard, _resampled(ledger, completion)), walk)
    if stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    moves = tuple(as_move(change, names, restart) for change, restart in walk.changes)
    dag, dropped = without_leaves(job, named(walk.best, names))
    if walk.best == start and not dropped:
        after = refitted(job, network, weights, job.steps)
        return Step(after, before, before, (), (), ledger.evaluations, completion.split.drawn)
    tables = tables_of(job, dag, weights)
    with impossible_in_words(tables.known):
        theta, _ = maximise(tables.problem, _counted(tables, completion))
    after = led_up(job, tables, theta, job.steps)
    return Step(
        after, before, walk.highest, moves, dropped, ledger.evaluations, completion.split.drawn
    )


def _counted(tables: Tables, completion: Completion) -> Floats:
    """Expected counts of the tables of a dag, by what an earlier network said."""
    place = {name: at_ for at_, name in enumerate(completion.names)}
    flat, layout = np.zeros(tables.layout.size), tables.layout
    for name, axes in tables.cases.families.items():
        block = layout.block(flat, layout.places[name])
        block[...] = completion.counts([place[axis.name] for axis in axes])
    return flat


def _resampled(ledger: Ledger, completion: Completion) -> Callable[[np.random.Generator], Ledger]:
    """The same question asked of cases drawn again, with what was completed in them."""

    def drawn(rng: np.random.Generator) -> Ledger:
        weights = drawn_again(completion.weights, rng)
        return Ledger(ledger.scorer.weighted(weights), ledger.limits, ledger.terms)

    return drawn


def explained(job: Job, network: Network) -> Floats:
    """(cases,) log P(what was observed of each case): how a score falls with its weight."""
    return log_likelihood(network, job.cases, threads=thread_bound(job.threads)).per_case
