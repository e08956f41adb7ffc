"""The most probable states: of everything, or of some variables with the rest summed out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacit.core.errors import QueryError, nearest, quoted
from tacit.core.grid import Grid, number
from tacit.core.network import Network, check_network
from tacit.core.variables import Discrete
from tacit.infer.engine import Engine, engine_of
from tacit.infer.exact import explain_impossible, log_mass
from tacit.infer.findings import Finding, findings_of, settled
from tacit.infer.likeliest import likeliest
from tacit.infer.normal.bulk import is_real
from tacit.infer.normal.findings import bound_findings, states_found, values_found
from tacit.infer.normal.peaks import peak
from tacit.infer.sizes import check_size


@dataclass(frozen=True, slots=True)
class MostProbable:
    """States, and values of what is continuous, that are jointly most probable given the findings.

    states       {variable: state}; indexable as `answer["A"]`
    probability  of these states given the findings; a density where values are among them
    values       {variable: value} of continuous variables
    """

    states: Mapping[str, str]
    probability: float
    log_probability: float
    values: Mapping[str, float] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.values[name] if name in self.values else self.states[name]

    def __str__(self) -> str:
        rows = [(quoted(name), state) for name, state in self.states.items()]
        rows += [(quoted(name), f"{value:.4g}") for name, value in self.values.items()]
        what = "log density" if self.values else "probability"
        how = self.log_probability if self.values else self.probability
        head = "state" if not self.values else "value"
        title = f"most probable, with {what} {number(how, 4)}"
        return str(Grid(title, ("variable", head), tuple(rows), labels=2))


def most_probable(
    network: Network,
    *,
    of: str | Sequence[str] | None = None,
    given: Mapping[str, Any] | None = None,
) -> MostProbable:
    """The states of `of` (all variables that findings leave open) that are most probable together.

    maximise over of  Σ over the rest  P(of, rest | findings),

    exactly: the rest is summed out first, then `of` by maxima, and the choices are traced back.
    Ties go to the state listed first. What is continuous has the value where the density is
    highest, and `of` without states that are open its mean.
    """
    from tacit.kernels.backtrack import eliminate_all, trace_best

    check_network(network)
    if is_real(network):
        return _peak(network, [of] if isinstance(of, str) else of, given)
    engine, found = engine_of(network), findings_of(network, given)
    observed, layout = engine.observe(found), engine.layout
    chosen = _chosen(network, [of] if isinstance(of, str) else of, settled(found))
    places = [layout.places[name] for name in chosen]
    everything = len(chosen) == int(np.count_nonzero(observed.codes[: len(network)] < 0))
    if everything and layout.chains:
        return _of_causes(engine, found, chosen)
    plan = engine.steps(() if everything else places)
    check_size(plan, observed.codes)
    by_max = np.zeros(len(layout.names), dtype=np.bool_)
    by_max[places] = True
    if everything:  # what is remembered of parents that are all known is known
        by_max[[at for reading in layout.readings for at in reading.own]] = True
    value, mine, psi = eliminate_all(plan.tree, observed.codes, by_max, observed.theta)
    total = log_mass(engine, observed)
    if total == -np.inf:
        raise explain_impossible(engine, found)
    assigned = observed.codes.astype(np.int64)
    trace_best(plan.tree, mine, observed.codes, by_max, psi, assigned)
    states = {name: _state(network, name, int(assigned[layout.places[name]])) for name in chosen}
    return MostProbable(states, float(np.exp(value - total)), float(value - total))


def _of_causes(engine: Engine, found: Sequence[Finding], chosen: Sequence[str]) -> MostProbable:
    """Everything, where families of independent causes have no table."""
    network = engine.network
    total = log_mass(engine, engine.observe(found))
    if total == -np.inf:
        raise explain_impossible(engine, found)
    value, states = likeliest(network, found)
    told = {name: _state(network, name, states[name]) for name in chosen}
    return MostProbable(told, float(np.exp(value - total)), float(value - total))


def _peak(
    network: Network, of: Sequence[str] | None, given: Mapping[str, Any] | None
) -> MostProbable:
    found = bound_findings(network, (), given, "")
    known = settled(states_found(found)) | set(values_found(found))
    chosen = None if of is None else _chosen(network, of, known)
    best, log_probability = peak(network, chosen, found)
    states = {name: each for name, each in best.items() if isinstance(each, str)}
    values = {name: each for name, each in best.items() if not isinstance(each, str)}
    with np.errstate(over="ignore"):
        return MostProbable(states, float(np.exp(log_probability)), log_probability, values)


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
