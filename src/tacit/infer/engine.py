"""A network made ready for questions: flat parameters and clique trees, compiled once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import ImpossibleError
from tacit.core.network import Network
from tacit.infer.findings import Finding, combined
from tacit.infer.flat import Layout, layout_of
from tacit.infer.junction import Junction, compile_junction, compile_steps

KEPT_NETWORKS = 16
KEPT_PLANS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """Findings in numbers: codes per variable (-1 open), parameters with soft ones multiplied in.

    An open variable with a likelihood has its own family weighed by it, so that nothing else needs
    to know of soft findings.
    """

    codes: Ints
    theta: Floats


@dataclass(eq=False)
class Engine:
    """Layout and parameters of one network, and every plan made for it so far."""

    network: Network
    layout: Layout
    theta: Floats
    plans: OrderedDict[tuple[str, tuple[int, ...]], Junction] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)

    def junction(self, joined: Sequence[int] = ()) -> Junction:
        """A clique tree in which the `joined` variables stand together."""
        return self._plan(
            "tree", tuple(joined), lambda: compile_junction(self.layout, tuple(joined))
        )

    def steps(self, last: Sequence[int] = ()) -> Junction:
        """An elimination one variable at a time, those of `last` at the end."""
        chosen = tuple(sorted(last))
        return self._plan("steps", chosen, lambda: compile_steps(self.layout, frozenset(chosen)))

    def _plan(self, kind: str, key: tuple[int, ...], make: Callable[[], Junction]) -> Junction:
        with self.lock:
            if (kind, key) not in self.plans:
                self.plans[kind, key] = make()
                while len(self.plans) > KEPT_PLANS:
                    self.plans.popitem(last=False)
            self.plans.move_to_end((kind, key))
            return self.plans[kind, key]

    def observe(self, findings: Sequence[Finding]) -> Observed:
        """The findings as codes and weighed parameters."""
        codes = np.full(len(self.layout.names), -1, dtype=np.int64)
        theta = self.theta
        for name, each in combined(findings).items():
            place = self.layout.places[name]
            if not each.likelihood.any():
                raise ImpossibleError(
                    f"the findings on {name!r} contradict each other: {each.text}"
                )
            if each.state >= 0:
                codes[place] = each.state
            if each.state < 0 or each.likelihood[each.state] != 1.0:
                theta = theta.copy() if theta is self.theta else theta
                block = self.layout.block(theta, place)
                block *= each.likelihood
        return Observed(codes, theta)


_engines: OrderedDict[int, Engine] = OrderedDict()
_engines_lock = Lock()


def engine_of(network: Network) -> Engine:
    """The engine of this very network value; the last few are kept."""
    with _engines_lock:
        kept = _engines.get(id(network))
        if kept is None or kept.network is not network:
            layout = layout_of(network.dag, network.variables)
            kept = Engine(network, layout, layout.parameters(network))
            _engines[id(network)] = kept
            while len(_engines) > KEPT_NETWORKS:
                _engines.popitem(last=False)
        _engines.move_to_end(id(network))
        return kept
