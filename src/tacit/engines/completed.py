"""Cases whose missing reals are known by mean and covariance: expected moments of any family.

An E-step for structures that are only tried: once what is missing is inferred under one network,
the expected moments of every family, also of one that this network lacks, are sums of squares of
filled cases plus the covariances of what was filled in. [HV2 3.6, moment form]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Codes, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.errors import MissingError, quoted
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.engines.tables import shape_of
from tacit.families.conditional_moments import ConditionalMoments, check_moments
from tacit.families.moments import Moments
from tacit.families.table import cells
from tacit.infer.known import known_masses
from tacit.infer.normal.groups import Grouped, grouped
from tacit.infer.normal.kinds import plan_of
from tacit.infer.normal.posterior import Parameters, solved


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """What is left open of some reals, the same in several cases.

    cases       their positions
    places      which continuous variables are missing together
    covariance  (places, places) of them given what each of the cases shows
    """

    cases: Ints
    places: Ints
    covariance: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Completed:
    """Cases with their missing reals filled in by expectation, and how uncertain that is.

    names           the continuous variables, in the order of the columns of `reals`
    reals           (cases, variables) what was observed, the posterior mean where it was missing
    spreads         the posterior covariances; reals of different spreads are independent
    codes           per discrete variable the states of all cases
    log_likelihood  of what was observed
    """

    names: tuple[str, ...]
    reals: Floats
    spreads: tuple[Spread, ...]
    codes: Mapping[str, Codes]
    weights: Floats
    log_likelihood: float

    def joint(self) -> Moments:
        """The expected moments of all continuous variables together: those of any linear Gaussian
        family are a part of them."""
        found = Moments.of(self.reals, self.weights)
        scatter = found.scatter.copy()
        for each in self.spreads:
            weight = float(self.weights[each.cases].sum())
            scatter[np.ix_(each.places, each.places)] += weight * each.covariance
        return Moments(found.weight, found.means, scatter)

    def variances(self) -> Floats:
        """(cases, variables) the posterior variance of every real, 0 where it was observed."""
        found = np.zeros_like(self.reals)
        for each in self.spreads:
            found[np.ix_(each.cases, each.places)] = np.diag(each.covariance)
        return found

    def moments(self, family: Sequence[Variable]) -> Moments | ConditionalMoments:
        """The expected moments of a family, parents..., child, in each configuration of its
        discrete parents."""
        reals = [self.names.index(each.name) for each in family if isinstance(each, Continuous)]
        axes = tuple(each for each in family if isinstance(each, Discrete))
        shape = shape_of(axes)
        check_moments(shape, len(reals))
        at = np.zeros(len(self.reals), np.int64)
        if axes:
            at = cells(shape, [self.codes[each.name] for each in axes])
        found = ConditionalMoments.of(at, shape, self.reals[:, reals], self.weights)
        scatter = found.scatter.reshape(-1, len(reals), len(reals)).copy()
        for each in self.spreads:
            inner = [n for n, place in enumerate(reals) if place in each.places]
            if inner:
                where = [int(np.flatnonzero(each.places == reals[n])[0]) for n in inner]
                weight = np.bincount(at[each.cases], self.weights[each.cases], len(scatter))
                spread = each.covariance[np.ix_(where, where)]
                scatter[np.ix_(range(len(scatter)), inner, inner)] += weight[:, None, None] * spread
        whole = ConditionalMoments(found.weights, found.means, scatter.reshape(found.scatter.shape))
        return whole if axes else whole.at(0)


def complete(network: Network, cases: Dataset) -> Completed:
    """The cases completed under a network; an error where states are missing, too.

    Variables without a column are hidden. Exact: one factorisation for all cases that lack the same
    variables.
    """
    held = grouped(plan_of(network), cases)
    _refuse_open(network, held)
    weights = np.ones(len(cases)) if cases.weights is None else cases.weights
    mass, reals = known_masses(network, cases), held.reals.copy()
    parameters = Parameters.of(held.plan, network)
    spreads = []
    for group in held.groups:
        for found in solved(held, group, parameters):
            mass[found.cases] += found.mass
            for each in found.parts:
                unknown = each.part.component.unknown
                if unknown.size:
                    reals[np.ix_(found.cases, unknown)] = each.means[0]
                    every = np.arange(unknown.size)
                    spreads.append(Spread(found.cases, unknown, each.solution.covariance(every)[0]))
    layout, real = held.plan.layout, held.plan.real
    codes = {
        name: held.codes[:, at].astype(np.int64)
        for at, name in enumerate(layout.names)
        if real[at] < 0
    }
    counted = weights > 0
    total = float(weights[counted] @ mass[counted])
    return Completed(held.plan.frame.names, reals, tuple(spreads), codes, weights, total)


def _refuse_open(network: Network, held: Grouped) -> None:
    """Nothing, or an error about a state that is missing."""
    for at, name in enumerate(held.plan.layout.names):
        gone = held.codes[:, at] < 0
        if isinstance(network.variables[name], Discrete) and gone.any():
            case = int(np.flatnonzero(gone)[0]) + 1
            raise MissingError(
                f"{quoted(name)} is missing in case {case}: cases are completed where reals are "
                "missing only\n\ninfer the states first, or make the network continuous"
            )
