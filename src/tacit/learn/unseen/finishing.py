"""What was learned from some of the cases, led on with all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.learn.structure.search import search
from tacit.learn.structure.settings import Tabu
from tacit.learn.structure.structural_em import structural_em
from tacit.learn.unseen.heading import headed
from tacit.learn.unseen.likely import without_zeros
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
    found = _searched(bench, network, hidden)
    if set(found) != set(network):
        return network
    for name in hidden:
        found = headed(found, name, bench.limits(found.dag, name))
    return found


def _searched(bench: Bench, network: Network, hidden: Mapping[str, tuple[str, ...]]) -> Network:
    """What a search finds from this network, or from its dag where every cell is known."""
    settings, rules = bench.settings, bench.spoken(network.dag)
    common: dict[str, Any] = {
        "score": settings.score, "knowledge": rules, "seed": settings.seed,
        "threads": settings.threads, "progress": False, "as_given": True,
    }  # fmt: skip
    if hidden or gaps(bench):
        start = without_zeros(network, bench.cases.total_weight) if bench.mixed else network
        return structural_em(
            bench.cases, start=start, hidden=dict(hidden) or None, restarts=1, **common
        ).network
    return search(bench.cases, start=network.dag, method=Tabu(), **common).network
