"""All parameters of a network with continuous variables as one vector."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.family import Family
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.estimate.continuous.regressions import Gaussian
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import Table

N = TypeVar("N", np.float64, np.int64)
Three: TypeAlias = tuple[npt.NDArray[N], npt.NDArray[N], npt.NDArray[N]]


@dataclass(frozen=True, slots=True, eq=False)
class Vector:
    """Where the parameters of each family stand: the cells of a table; of a Gaussian family its
    coefficients, its intercepts and the logs of its variances, configuration by configuration."""

    dag: Dag
    families: Mapping[str, tuple[Variable, ...]]

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return sum(self._length(axes) for axes in self.families.values())

    def of(self, network: Network) -> Floats:
        """The parameters of a network."""
        return np.concatenate([_flat(network[name]) for name in self.families])

    def network(self, theta: Floats) -> Network:
        """The network with these parameters; rows of tables are scaled to add up to one."""
        families = {name: _family(self.families[name], own) for name, own in self.parts(theta)}
        variables = {name: axes[-1] for name, axes in self.families.items()}
        return Network(self.dag, variables, families)

    def tables(self, theta: Floats) -> Iterator[Floats]:
        """A view of every table's cells, one line per row."""
        for name, own in self.parts(theta):
            child = self.families[name][-1]
            if isinstance(child, Discrete):
                yield own.reshape(-1, len(child.states))

    def gaussians(self, theta: Floats) -> Iterator[tuple[str, Floats, Floats, Floats]]:
        """Views of every Gaussian family's coefficients (configurations, parents), intercepts and
        logs of variances."""
        for name, own in self.parts(theta):
            if isinstance(self.families[name][-1], Continuous):
                yield name, *self.split(name, own)

    def split(self, name: str, own: npt.NDArray[N]) -> Three[N]:
        """The part of a Gaussian family as coefficients, intercepts and logs of variances."""
        axes = self.families[name]
        many, slopes = prod(_shape(axes)), _reals(axes) - 1
        levels = many * slopes
        return own[:levels].reshape(many, slopes), own[levels : levels + many], own[levels + many :]

    def parts(self, theta: npt.NDArray[N]) -> Iterator[tuple[str, npt.NDArray[N]]]:
        """A view of the part of every family."""
        start = 0
        for name, axes in self.families.items():
            length = self._length(axes)
            yield name, theta[start : start + length]
            start += length

    @staticmethod
    def _length(axes: tuple[Variable, ...]) -> int:
        many = prod(_shape(axes))
        return many if isinstance(axes[-1], Discrete) else many * (_reals(axes) + 1)


def _shape(axes: tuple[Variable, ...]) -> tuple[int, ...]:
    return tuple(len(axis.states) for axis in axes if isinstance(axis, Discrete))


def _reals(axes: tuple[Variable, ...]) -> int:
    return sum(isinstance(axis, Continuous) for axis in axes)


def _flat(family: Family) -> Floats:
    if isinstance(family, Table):
        return family.values.ravel()
    assert isinstance(family, Gaussian)
    with np.errstate(divide="ignore"):
        logs = 2 * np.log(np.ravel(family.sd))
    return np.concatenate([family.coefficients.ravel(), np.ravel(family.intercept), logs])


def _family(axes: tuple[Variable, ...], own: Floats) -> Family:
    shape, slopes = _shape(axes), _reals(axes) - 1
    many = prod(shape)
    if isinstance(axes[-1], Discrete):
        table = own.reshape(shape)
        discrete = tuple(axis for axis in axes if isinstance(axis, Discrete))
        return Table(discrete, table / table.sum(axis=-1, keepdims=True))
    coefficients, levels = own[: many * slopes], own[many * slopes : many * (slopes + 1)]
    sd = np.exp(own[many * (slopes + 1) :] / 2)
    if not shape:
        continuous = tuple(axis for axis in axes if isinstance(axis, Continuous))
        return LinearGaussian(continuous, coefficients, float(levels[0]), float(sd[0]))
    return ConditionalGaussian(
        axes, coefficients.reshape(*shape, slopes), levels.reshape(shape), sd.reshape(shape)
    )
