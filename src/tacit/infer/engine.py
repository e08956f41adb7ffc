"""A network made ready for questions: flat parameters and clique trees, compiled once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from tacit.arrays import Codes, Floats
from tacit.core.errors import NetworkError
from tacit.core.network import Network
from tacit.families.table import Table, row_label
from tacit.infer.chains import settle, taken_apart
from tacit.infer.findings import Finding, combined, contradiction
from tacit.infer.flat import Layout, layout_of
from tacit.infer.junction import Junction, compile_junction, compile_steps
from tacit.infer.lanes import LaneTree, lane_tree

T = TypeVar("T")

KEPT_NETWORKS = 16
KEPT_PLANS = 64
CODE = np.int32
"""Of codes in matrices of cases; one kind for all, so that kernels are compiled once."""


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """Findings in numbers: codes per variable (-1 open), parameters with soft ones multiplied in.

    An open variable with a likelihood has its own family weighed by it, so that nothing else needs
    to know of soft findings.
    found: the variables that some finding speaks of
    """

    codes: Codes
    theta: Floats
    found: tuple[int, ...] = ()


@dataclass(eq=False)
class Engine:
    """Layout and parameters of one network, and every plan made for it so far."""

    network: Network
    layout: Layout
    theta: Floats
    plans: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)

    def junction(self, joined: Sequence[int] = ()) -> Junction:
        """A clique tree in which the `joined` variables stand together."""
        together = tuple(sorted(joined))
        return self.kept(("tree", together), lambda: compile_junction(self.layout, together))

    def steps(self, last: Sequence[int] = ()) -> Junction:
        """An elimination one variable at a time, those of `last` at the end."""
        chosen = tuple(sorted(last))
        return self.kept(("steps", chosen), lambda: compile_steps(self.layout, frozenset(chosen)))

    def lanes(self) -> LaneTree:
        """A clique tree for many cases side by side."""
        return self.kept("lanes", lambda: lane_tree(self.layout))

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """A plan made before, or made now and kept; the last few are."""
        with self.lock:
            if key not in self.plans:
                self.plans[key] = make()
                while len(self.plans) > KEPT_PLANS:
                    self.plans.popitem(last=False)
            self.plans.move_to_end(key)
            plan: T = self.plans[key]
            return plan

    def observe(self, findings: Sequence[Finding]) -> Observed:
        """The findings as codes and weighed parameters."""
        codes = np.full(len(self.layout.names), -1, dtype=CODE)
        theta, found = self.theta, []
        for name, each in combined(findings).items():
            place = self.layout.places[name]
            found.append(place)
            if each.state < 0 and not each.likelihood.any():
                raise contradiction(each, findings)
            if each.state >= 0:
                codes[place] = each.state
            if each.state < 0 or each.likelihood[each.state] != 1.0:
                theta = theta.copy() if theta is self.theta else theta
                block = self.layout.block(theta, place)
                block *= each.likelihood
        settle(self.layout, codes[None, :])
        return Observed(codes, theta, tuple(found))


_engines: OrderedDict[int, Engine] = OrderedDict()
_engines_lock = Lock()


def engine_of(network: Network) -> Engine:
    """The engine of this very network value; the last few are kept."""
    with _engines_lock:
        kept = _engines.get(id(network))
        if kept is None or kept.network is not network:
            apart = taken_apart(network)
            whole, order = apart.network, tuple(network)
            layout = layout_of(whole.dag, whole.variables, (), apart.chains, order, apart.readers)
            check_whole(network)
            kept = Engine(network, layout, layout.parameters(whole))
            _engines[id(network)] = kept
            while len(_engines) > KEPT_NETWORKS:
                _engines.popitem(last=False)
        _engines.move_to_end(id(network))
        return kept


def check_whole(network: Network) -> None:
    """Nothing, or an error about a table with rows that a policy for empty ones left open."""
    for name in network:
        table = network[name]
        if isinstance(table, Table) and table.partial:
            bare = ~(np.abs(table.values.sum(axis=-1) - 1) < 1e-6).ravel()
            if bare.any():
                row = row_label(table.variables, int(np.argmax(bare)))
                raise NetworkError(
                    f"{row} is unknown, so nothing can be inferred from the network"
                    "\n\nfill such rows when fitting: tc.ML(empty='uniform') or a prior"
                )
