"""What structural EM is asked, and which dags may answer it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.independence import markov_blanket
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.estimate.estimates import ML, Estimate, Smoothed
from tacit.estimate.priors import Prior
from tacit.estimate.scores.dag_priors import DagTerms
from tacit.estimate.scores.values import AnyScore
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.limits import Limits
from tacit.knowledge.mentions import mentioned, rules_without
from tacit.learn.structure.settings import HillClimb, IdealParent, Tabu
from tacit.learn.structure.state import Parents

PLAIN = HillClimb(restarts=0)
STEPS, ROUNDS = 10, 50
"""Of EM in each round, and rounds at most, unless told."""
"""The search of a round unless another is named."""


@dataclass(frozen=True, eq=False)
class Job:
    """What structural EM is asked.

    cases      the observed columns
    variables  all variables by name, hidden ones among them; their order numbers them
    limits     which dags may be, over all variables
    terms      what a prior over dags adds to the score
    prior      of the tables while dags are sought; None: parameters are most likely ones
    method     the search at frozen expected counts
    around     hidden variables; only their parents and those in their Markov blankets may change
    steps      of EM in each round
    """

    cases: Dataset
    variables: Mapping[str, Variable]
    hidden: tuple[str, ...]
    score: AnyScore
    limits: Limits
    terms: DagTerms | None = None
    knowledge: Knowledge | None = None
    prior: Prior | None = None
    method: HillClimb | Tabu | IdealParent = PLAIN
    around: tuple[str, ...] = ()
    steps: int = 10
    threads: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""
        return tuple(self.variables)

    @property
    def mixed(self) -> bool:
        """Whether some columns have real values."""
        return any(isinstance(each, Continuous) for each in self.variables.values())

    @property
    def unseen(self) -> dict[str, tuple[str, ...]]:
        """The states of the hidden variables."""
        found = ((name, self.variables[name]) for name in self.hidden)
        return {name: each.states for name, each in found if isinstance(each, Discrete)}

    @cached_property
    def weights(self) -> Floats:
        """(cases,) how often each case counts on its own account."""
        weights = self.cases.weights
        return np.ones(len(self.cases)) if weights is None else np.array(weights)

    def terms_of(self, names: Sequence[str]) -> DagTerms | None:
        """The same prior over dags of these variables alone."""
        if self.terms is None:
            return None
        alive = [at_ for at_, name in enumerate(self.names) if name in names]
        return DagTerms(self.terms.by_arc[np.ix_(alive, alive)], self.terms.by_size)

    @property
    def estimate(self) -> Estimate:
        """How parameters are estimated while dags are sought."""
        return ML() if self.prior is None else Smoothed()


def spoken_of(job: Job, dag: Dag) -> Knowledge | None:
    """The rules without those about the structure of hidden variables that are no more."""
    gone = [name for name in job.names if name not in dag]
    if job.knowledge is None or not gone:
        return job.knowledge
    return Knowledge(rules_without(job.knowledge.rules, gone))


def limits_at(job: Job, dag: Dag) -> Limits:
    """What a search from this dag may do: the rules, and the mask around hidden variables.

    Outside the mask every parent set stays as it is: its arcs are required, and no others may be.
    A reversal changes two parent sets, so both must be inside. [HV1 1.8]
    """
    alive = [at_ for at_, name in enumerate(job.names) if name in dag]
    names = tuple(job.names[at_] for at_ in alive)
    both, limits = np.ix_(alive, alive), job.limits
    required, allowed = limits.required[both].copy(), limits.allowed[both].copy()
    most = np.minimum(limits.most[alive], len(alive) - 1)
    if job.around:
        open_ = mask_of(dag, job.around)
        for head, (name, who) in enumerate(zip(names, numbered(dag, names), strict=True)):
            if name not in open_:
                required[:, head] = allowed[:, head] = False
                required[list(who), head] = allowed[list(who), head] = True
                most[head] = len(who)
    states = None if limits.states is None else limits.states[alive]
    return Limits(names, required, allowed, most, states)


def mask_of(dag: Dag, around: Iterable[str]) -> frozenset[str]:
    """The variables whose parents may change: some hidden ones and their Markov blankets."""
    alive = [name for name in around if name in dag]
    return frozenset(alive).union(*(markov_blanket(dag, name) for name in alive))


def without_leaves(job: Job, dag: Dag) -> tuple[Dag, tuple[str, ...]]:
    """The dag without hidden variables that have no child, and which these were. [6.7]

    One that a rule about parameters names stays.
    """
    dropped = list[str]()
    while True:
        idle = [n for n in job.hidden if n in dag and not dag.children[n] and not _needed(job, n)]
        if not idle:
            return dag, tuple(dropped)
        dropped += idle
        dag = Dag({name: who for name, who in dag.parents.items() if name not in idle})


def _needed(job: Job, name: str) -> bool:
    rules = () if job.knowledge is None else job.knowledge.parameters
    return any(name in mentioned(rule) for rule in rules)


def numbered(dag: Dag, names: Sequence[str]) -> Parents:
    """The parents of every variable by number."""
    place = {name: at_ for at_, name in enumerate(names)}
    return tuple(tuple(sorted(place[who] for who in dag.parents[name])) for name in names)


def named(parents: Parents, names: Sequence[str]) -> Dag:
    """Parents by number as a dag."""
    return Dag({names[head]: tuple(names[at_] for at_ in who) for head, who in enumerate(parents)})
