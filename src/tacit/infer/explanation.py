"""The most probable states: of everything, or of some variables with the rest summed out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.core.errors import QueryError, nearest, quoted
from tacit.core.grid import Grid, number
from tacit.core.network import Network, check_network
from tacit.core.variables import Discrete
from tacit.infer.engine import engine_of
from tacit.infer.exact import explain_impossible, log_mass
from tacit.infer.findings import findings_of, settled
from tacit.infer.sizes import check_size


@dataclass(frozen=True, slots=True)
class MostProbable:
    """States that are jointly most probable given the findings.

    states       {variable: state}; indexable as `answer["A"]`
    probability  of these states given the findings
    """

    states: Mapping[str, str]
    probability: float
    log_probability: float

    def __getitem__(self, name: str) -> str:
        return self.states[name]

    def __str__(self) -> str:
        rows = tuple((quoted(name), state) for name, state in self.states.items())
        title = f"most probable, with probability {number(self.probability, 4)}"
        return str(Grid(title, ("variable", "state"), rows, labels=2))


def most_probable(
    network: Network,
    *,
    of: str | Sequence[str] | None = None,
    given: Mapping[str, Any] | None = None,
) -> MostProbable:
    """The states of `of` (all variables that findings leave open) that are most probable together.

    maximise over of  Σ over the rest  P(of, rest | findings),

    exactly: the rest is summed out first, then `of` by maxima, and the choices are traced back.
    Ties go to the state listed first.
    """
    from tacit.kernels.backtrack import eliminate_all, trace_best

    check_network(network)
    engine, found = engine_of(network), findings_of(network, given)
    observed, layout = engine.observe(found), engine.layout
    chosen = _chosen(network, [of] if isinstance(of, str) else of, settled(found))
    places = [layout.places[name] for name in chosen]
    everything = len(chosen) == int(np.count_nonzero(observed.codes < 0))
    plan = engine.steps(() if everything else places)
    check_size(plan, observed.codes)
    by_max = np.zeros(len(layout.names), dtype=np.bool_)
    by_max[places] = True
    value, mine, psi = eliminate_all(plan.tree, observed.codes, by_max, observed.theta)
    total = log_mass(engine, observed)
    if total == -np.inf:
        raise explain_impossible(engine, found)
    assigned = observed.codes.astype(np.int64)
    trace_best(plan.tree, mine, observed.codes, by_max, psi, assigned)
    states = {name: _state(network, name, int(assigned[layout.places[name]])) for name in chosen}
    return MostProbable(states, float(np.exp(value - total)), float(value - total))


def _chosen(network: Network, of: Sequence[str] | None, known: Collection[str]) -> list[str]:
    if of is None:
        return [name for name in network if name not in known]
    for name in of:
        if name not in network:
            raise QueryError(f"the network has no variable {name!r}{nearest(name, network)}")
        if name in known:
            raise QueryError(f"{name!r} is asked for and given")
    if len(set(of)) < len(of):
        raise QueryError(f"a variable is asked for twice: {', '.join(of)}")
    return list(of)


def _state(network: Network, name: str, code: int) -> str:
    variable = network.variables[name]
    assert isinstance(variable, Discrete)
    return variable.states[code]
