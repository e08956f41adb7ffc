"""What is known of one continuous variable in every case, in full: a mixture of normals."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.infer.known import known_masses
from tacit.infer.normal.groups import grouped
from tacit.infer.normal.kinds import plan_of
from tacit.infer.normal.posterior import Found, Parameters, lost, solved


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The distribution of one variable in some cases: a mixture of so many normals in each.

    cases    positions
    weights  (cases, normals)
    means    (cases, normals)
    sds      (cases, normals) or (1, normals); 0 where a value is certain
    """

    cases: Ints
    weights: Floats
    means: Floats
    sds: Floats

    def moments(self) -> tuple[Floats, Floats]:
        """(cases,) the mean and the sd of each mixture."""
        mean = (self.weights * self.means).sum(axis=1)
        apart = (self.means - mean[:, None]) ** 2 + self.sds**2
        return mean, np.sqrt((self.weights * apart).sum(axis=1))

    def at(self, places: Ints) -> Spread:
        """The same of cases that stand at `places` of a larger whole."""
        return Spread(places[self.cases], self.weights, self.means, self.sds)

    def kept(self, wanted: Bools) -> Spread:
        """The same of those of its cases that are wanted among all."""
        mine = wanted[self.cases]
        sds = self.sds[mine] if len(self.sds) > 1 else self.sds
        return Spread(self.cases[mine], self.weights[mine], self.means[mine], sds)


@dataclass(frozen=True, slots=True, eq=False)
class Spreads:
    """One variable in all cases, in parts of as many normals each.

    impossible  (cases,) those that the network holds impossible; no part has them
    drawn       the cases in which it is known by weighted draws, by position
    """

    parts: tuple[Spread, ...]
    impossible: Bools
    drawn: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


def normal_spreads(network: Network, cases: Dataset, name: str) -> Spreads:
    """The distribution of a variable that no case shows given what each shows, exactly: a normal
    for each configuration of the open states that choose its regressions."""
    held = grouped(plan_of(network), cases)
    parameters, place = Parameters.of(held.plan, network), held.plan.frame.places[name]
    gone: Bools = np.asarray(np.isneginf(known_masses(network, cases)))
    parts = []
    for group in held.groups:
        for found in solved(held, group, parameters):
            gone[found.cases] |= lost(found)
            if place in group.kind.reals:
                parts.append(mixture_of(found, place))
    return Spreads(tuple(each.kept(~gone) for each in parts), gone)


def mixture_of(found: Found, place: int) -> Spread:
    """The mixture of one of the unknowns of a group."""
    for part in found.parts:
        at = np.flatnonzero(part.part.component.unknown == place)
        if at.size:
            sds = np.sqrt(part.solution.variances()[:, at[0]])
            return Spread(found.cases, part.weights, part.means[:, :, at[0]].T, sds[None, :])
    raise AssertionError("every real of a kind is unknown in one of its parts")
