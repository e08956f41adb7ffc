"""What was learned from some of the cases, led on with all of them."""

from __future__ import annotations

from dataclasses import replace

from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.learn.structure.search import search
from tacit.learn.structure.settings import Tabu
from tacit.learn.structure.structural_em import structural_em
from tacit.learn.unseen.heading import headed
from tacit.learn.unseen.rounds import gaps
from tacit.learn.unseen.sought import FULL, Bench, in_own_order


def finished(bench: Bench, whole: Dataset, network: Network) -> Network:
    """The network after a search that begins at it and sees all cases.

    What cases held out have judged is whether the hidden variables stay; they have no more to say
    then, and with them more arcs can be told. Nothing changes where only some arcs may, and a
    hidden variable that would be lost stays where it is.
    """
    settings = bench.settings
    if settings.finish != FULL:
        return network
    bench = replace(bench, cases=in_own_order(whole), filled=None)
    hidden = {
        name: variable.states
        for name, variable in network.variables.items()
        if isinstance(variable, Discrete) and name not in whole
    }
    rules = bench.spoken(network.dag)
    if hidden or gaps(bench):
        found = structural_em(
            bench.cases, start=network, hidden=hidden or None, score=settings.score,
            knowledge=rules, restarts=1, seed=settings.seed, threads=settings.threads,
            progress=False,
        ).network  # fmt: skip
    else:
        found = search(
            bench.cases, start=network.dag, score=settings.score, method=Tabu(), knowledge=rules,
            seed=settings.seed, threads=settings.threads, progress=False,
        ).network  # fmt: skip
    if set(found) != set(network):
        return network
    for name in hidden:
        found = headed(found, name, bench.limits(found.dag, name))
    return found
