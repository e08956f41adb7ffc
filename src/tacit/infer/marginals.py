"""Exact joints of a few variables, by eliminating all others: small and plain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import NetworkError, SizeError, listed
from tacit.core.independence import ancestors
from tacit.core.network import Network
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import Table
from tacit.infer.chains import written_out

LARGEST_CELLS = 2**26


@dataclass(frozen=True, slots=True, eq=False)
class _Factor:
    names: tuple[str, ...]
    values: Floats

    def times(self, other: _Factor) -> _Factor:
        names = self.names + tuple(name for name in other.names if name not in self.names)
        return _Factor(names, self.spread(names) * other.spread(names))

    def spread(self, names: Sequence[str]) -> Floats:
        """The values with one axis per name, of length one where the factor lacks it."""
        held = [name for name in names if name in self.names]
        ordered = self.values.transpose([self.names.index(name) for name in held])
        sizes = iter(ordered.shape)
        return ordered.reshape([next(sizes) if name in self.names else 1 for name in names])

    def without(self, name: str) -> _Factor:
        at = self.names.index(name)
        return _Factor(self.names[:at] + self.names[at + 1 :], self.values.sum(axis=at))


def joint(network: Network, names: Sequence[str]) -> Floats:
    """P(names) under a network of tables, one axis per name in the order given.

    Variables that are no ancestors of `names` sum to one and are left out; the others are summed
    out one by one, each time the one whose product is smallest.
    """
    network = written_out(network, "this joint")
    factors = [_table_factor(network, name) for name in sorted(ancestors(network.dag, names))]
    sizes = {name: len(table.variables[-1].states) for name, table in _tables(network).items()}
    waiting = sorted({name for factor in factors for name in factor.names} - set(names))
    while waiting:
        costs = {name: _cost(name, factors, sizes) for name in waiting}
        name = min(waiting, key=lambda each: (costs[each], each))
        if costs[name] > LARGEST_CELLS:
            raise SizeError(
                f"the joint of {listed(names)} needs a table of {costs[name]:,} cells on the way"
                f"\n\nthe most that is tried is {LARGEST_CELLS:,}"
            )
        used = [factor for factor in factors if name in factor.names]
        factors = [factor for factor in factors if name not in factor.names]
        factors.append(reduce(_Factor.times, used).without(name))
        waiting.remove(name)
    if prod(sizes[name] for name in names) > LARGEST_CELLS:
        raise SizeError(f"the joint of {listed(names)} has more than {LARGEST_CELLS:,} cells")
    return reduce(_Factor.times, factors).spread(tuple(names))


def _tables(network: Network) -> dict[str, Table]:
    tables = {name: network[name] for name in network}
    return {name: family for name, family in tables.items() if isinstance(family, Table)}


def _table_factor(network: Network, name: str) -> _Factor:
    family = network[name]
    if not isinstance(family, Table):
        raise NetworkError(f"{name!r} is continuous; its joint is no table")
    return _Factor((*family.parents, name), family.values)


def _cost(name: str, factors: Sequence[_Factor], sizes: dict[str, int]) -> int:
    near = {other for factor in factors if name in factor.names for other in factor.names}
    return prod(sizes[other] for other in near)


def joint_gaussian(network: Network) -> tuple[tuple[str, ...], Floats, Floats]:
    """Names, mean and covariance of a network of linear Gaussians, names in topological order.

    With x = A x + b + noise, A strictly lower triangular: mean (I - A)⁻¹ b, covariance
    (I - A)⁻¹ D (I - A)⁻ᵀ.
    """
    names = tuple(network)
    place = {name: at for at, name in enumerate(names)}
    slopes, shift, noise = np.zeros((len(names),) * 2), np.zeros(len(names)), np.zeros(len(names))
    for at, name in enumerate(names):
        family = network[name]
        if not isinstance(family, LinearGaussian):
            what = "is discrete" if isinstance(family, Table) else "has conditional regressions"
            raise NetworkError(f"{name!r} {what}; the joint is no Gaussian")
        slopes[at, [place[parent] for parent in family.parents]] = family.coefficients
        shift[at], noise[at] = family.intercept, family.sd**2
    spread = np.linalg.inv(np.eye(len(names)) - slopes)
    return names, spread @ shift, (spread * noise) @ spread.T
