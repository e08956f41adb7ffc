"""Arcs among the columns below hidden variables without states: structural EM from two layers.

Lines above nothing but hidden roots say nothing of what columns do to each other. From there, in
rounds, the moments of columns and hidden variables together are expected, a dag is searched for at
them in which hidden variables stay roots, and EM follows. [Friedman 1997; HV2 3.6]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.estimate.scores.values import BIC
from tacit.families.gaussian import LinearGaussian
from tacit.infer.normal.gaps import Lines, Patterns
from tacit.knowledge.limits import Limits
from tacit.learn.structure.sem_job import ROUNDS
from tacit.learn.structure.sem_reals import RealJob, network_of, run_rounds
from tacit.learn.structure.settings import HillClimb


def with_arcs_among(network: Network, cases: Dataset, hidden: Sequence[str], seed: int) -> Network:
    """The network after structural EM that begins at its dag and numbers; hidden roots that lose
    their last child are dropped."""
    job = _job(cases, tuple(hidden))
    place = {name: at for at, name in enumerate(job.names)}
    start = tuple(tuple(sorted(place[who] for who in network.dag.parents[n])) for n in job.names)
    begin = job.patterns.completed(_lines(job, network)).moments
    found = run_rounds(job, start, ROUNDS, seed, lambda *_: None, begin)
    whole = network_of(job, found)
    idle = [name for name in hidden if not whole.dag.children[name]]
    return Network.of([whole[name] for name in whole if name not in idle])


def _job(cases: Dataset, hidden: tuple[str, ...]) -> RealJob:
    """Structural EM over the columns, and columns of gaps for what is hidden, which stays roots."""
    values, means, scale = RealJob.columns(cases)
    names, many = (*cases.names, *hidden), len(hidden)
    limits = Limits.none(names)
    limits.allowed[:, len(cases.names) :] = False
    return RealJob(
        names, Patterns.of(np.hstack([values, np.full((len(values), many), np.nan)])),
        np.append(means, np.zeros(many)), np.append(scale, np.ones(many)), BIC(), limits, None,
        HillClimb(restarts=0), roots=many,
    )  # fmt: skip


def _lines(job: RealJob, network: Network) -> Lines:
    """The network in units of standardised columns."""
    n, place = len(job.names), {name: at for at, name in enumerate(job.names)}
    slopes: Floats = np.zeros((n, n))
    intercept, variance = np.zeros(n), np.zeros(n)
    for name, child in place.items():
        family = network[name]
        assert isinstance(family, LinearGaussian)
        who = [place[each] for each in family.parents]
        slopes[child, who] = family.coefficients * job.scale[who] / job.scale[child]
        level = family.intercept + family.coefficients @ job.means[who]
        intercept[child] = (level - job.means[child]) / job.scale[child]
        variance[child] = (family.sd / job.scale[child]) ** 2
    return Lines(slopes, intercept, variance)
