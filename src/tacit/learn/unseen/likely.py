"""Hidden variables with states beside real values: led by EM, scored by likelihood less its price.

maximise  log P(what was observed) - price of the parameters

No marginal likelihood of completed cases is at hand where tables and lines stand together, so the
score of every trial is that of `structural_em` there, `tc.BIC()`, and states are drawn at random to
begin with instead of merged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tacit.core.dag import Dag
from tacit.core.family import Family
from tacit.core.network import Network
from tacit.families.table import Table
from tacit.infer.likelihood import log_likelihood
from tacit.learn.methods import EM
from tacit.learn.structure.sem_asking import Asked, Said, ask
from tacit.learn.structure.sem_job import PLAIN, STEPS
from tacit.learn.structure.sem_mixed import opened_mixed, price_of_all, refitted_mixed
from tacit.learn.unseen.sought import Bench

EM_STEPS = 500
States = Mapping[str, Sequence[str]]


def likelihood_less_price(bench: Bench, network: Network) -> float:
    """What a network is worth as it stands."""
    cases = bench.cases.select([each for each in bench.cases.names if each in network])
    families = {name: network[name].variables for name in network}
    price = price_of_all(bench.settings.score, families, cases.total_weight)
    return float(log_likelihood(network, cases)) - price


def led_by_em(bench: Bench, start: Network, states: States) -> Network:
    """The parameters alone, from those of a network."""
    job = _asked(bench, start, states).job
    return refitted_mixed(job, start, job.weights, EM_STEPS).network


def without_zeros(network: Network, cases: float) -> Network:
    """The network with the rows of its tables as if one case more than these, spread evenly over
    the states, had been seen.

    Most likely tables may hold a case impossible that they were not learned from, and EM never
    leaves a zero: where it goes on with such cases, it begins here.
    """
    families = dict[str, Family](network.families)
    for name, family in network.families.items():
        if isinstance(family, Table):
            even = 1 / family.values.shape[-1]
            values = (cases * family.values + even) / (cases + 1)
            families[name] = Table(family.variables, values)
    return Network(network.dag, network.variables, families)


def drawn(bench: Bench, dag: Dag, states: States, method: EM, number: int) -> Network:
    """A dag led by EM from random parameters, the best of several starts."""
    asked = _asked(bench, dag, states)
    found = [
        opened_mixed(
            asked.job, asked.dag, (bench.settings.seed, 2, number, at), 1, None, method.max_steps
        )
        for at in range(method.restarts or 1)
    ]
    best = int(np.argmax([each.objective for each in found]))
    return found[best].network


def _asked(bench: Bench, start: Network | Dag, states: States) -> Asked:
    dag = start.dag if isinstance(start, Network) else start
    settings = bench.settings
    cases = bench.cases.select([each for each in bench.cases.names if each in dag])
    unseen = {name: tuple(each) for name, each in states.items()}
    return ask(
        cases,
        Said(
            start, unseen, bench.spoken(dag), settings.score, None, None, PLAIN, None, STEPS,
            settings.threads,
        ),
    )  # fmt: skip
