"""Many cases of a network with continuous variables: how probable they are, what they lack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.core.dataset import Dataset
from tacit.core.independence import ancestors
from tacit.core.network import Network
from tacit.core.variables import Continuous
from tacit.infer.known import joined, known_masses
from tacit.infer.normal.groups import Grouped, grouped
from tacit.infer.normal.kinds import plan_of
from tacit.infer.normal.posterior import Found, Parameters, lost, solved


def is_real(network: Network) -> bool:
    """Whether some variable is continuous."""
    return any(isinstance(each, Continuous) for each in network.variables.values())


def above(network: Network, names: set[str]) -> Network:
    """The part of a network that says something about these variables: their ancestors."""
    kept = ancestors(network.dag, names)
    if len(kept) == len(network):
        return network
    return Network.of([network[name] for name in network if name in kept])


def inferred_masses(network: Network, cases: Dataset) -> Floats:
    """(cases,) log P(what was observed around what is missing), the missing summed out."""
    held = grouped(plan_of(network), cases)
    parameters, total = Parameters.of(held.plan, network), np.zeros(len(cases))
    for group in held.groups:
        for found in solved(held, group, parameters):
            total[found.cases] = joined(total[found.cases], found.mass)
    return total


@dataclass(frozen=True, slots=True, eq=False)
class RealPosteriors:
    """What is known of every variable of every case; a variable is known by its place.

    mean, sd   (cases, continuous variables) of what was observed: the value, and 0
    states     per discrete variable with gaps (cases, states), by its place in the layout
    """

    held: Grouped
    impossible: Bools
    mean: Floats
    sd: Floats
    states: Mapping[int, Floats] = field(default_factory=dict)

    def of(self, place: int) -> Floats:
        """The posterior of a discrete variable, where it is observed all mass there."""
        if place in self.states:
            return self.states[place].copy()
        return _certain(self.held, place)


def _certain(held: Grouped, place: int) -> Floats:
    """All mass in the states seen."""
    codes = held.codes[:, place]
    values = np.zeros((codes.size, held.plan.layout.cards[place]))
    seen = np.flatnonzero(codes >= 0)
    values[seen, codes[seen]] = 1.0
    return values


def real_posteriors(network: Network, cases: Dataset) -> RealPosteriors:
    """The mean and sd of every unobserved real, and the posterior of every unobserved state.

    Cases so improbable that rounding decides what they say of states count as impossible.
    """
    held = grouped(plan_of(network), cases)
    gone = np.isneginf(known_masses(network, cases))
    mean, sd = held.reals.copy(), np.where(np.isnan(held.reals), np.nan, 0.0)
    parameters = Parameters.of(held.plan, network)
    states = {v: _certain(held, v) for group in held.groups for v in group.kind.opened}
    for group in held.groups:
        for each in solved(held, group, parameters):
            _fill(each, states, mean, sd)
            gone[each.cases] |= lost(each)
    return RealPosteriors(held, gone, mean, sd, states)


def _fill(found: Found, states: Mapping[int, Floats], mean: Floats, sd: Floats) -> None:
    """Write what was found of one group to its cells."""
    for solved_part in found.parts:
        unknown = solved_part.part.component.unknown
        if unknown.size:
            middle, variance = solved_part.moments()
            at = np.ix_(found.cases, unknown)
            mean[at], sd[at] = middle, np.sqrt(variance)
    for place in found.group.kind.opened:
        states[place][found.cases] = found.posterior((place,))
