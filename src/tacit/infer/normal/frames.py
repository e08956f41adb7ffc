"""The continuous families of a network as flat arrays: what they are about, and their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import QueryError, quoted
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.curved import CurvedGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.infer.reach import check_numbers


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """What the continuous families of a network are about; everything else speaks of places.

    names     the continuous variables, parents before children
    places    the position of every name
    parents   per variable the places of its continuous parents, in the order of its coefficients
    children  per variable the places of its children, all of them continuous
    switches  per variable its discrete parents: a configuration of them chooses the regression
    slope_at  (variables,) where its coefficients start, one configuration after the other
    level_at  (variables,) where its configurations start, among those of all variables
    """

    names: tuple[str, ...]
    places: Mapping[str, int]
    parents: tuple[Ints, ...]
    children: tuple[Ints, ...]
    switches: tuple[tuple[Discrete, ...], ...]
    slope_at: Ints
    level_at: Ints

    def __len__(self) -> int:
        return len(self.names)

    def configurations(self, place: int) -> int:
        """How many regressions a variable has."""
        return int(np.prod([len(each.states) for each in self.switches[place]], dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The parameters of all continuous families, flat.

    slopes  the coefficients, family by family, configuration by configuration
    levels  the intercepts, likewise
    noise   the variances of the noise, likewise
    """

    slopes: Floats
    levels: Floats
    noise: Floats


def frame_of(network: Network) -> Frame:
    """The continuous part of a network; an error where some family is curved."""
    refuse_curves(network)
    kinds = network.variables
    names = tuple(name for name in network if isinstance(kinds[name], Continuous))
    places = {name: at for at, name in enumerate(names)}
    parents = [
        np.array([places[each] for each in network.dag.parents[name] if each in places], np.int64)
        for name in names
    ]
    children: list[list[int]] = [[] for _ in names]
    for at, near in enumerate(parents):
        for parent in near.tolist():
            children[parent].append(at)
    switches = tuple(
        tuple(v for v in network[name].variables if isinstance(v, Discrete)) for name in names
    )
    many = np.array(
        [np.prod([len(v.states) for v in each], dtype=np.int64) for each in switches], np.int64
    )
    slopes = many * np.array([near.size for near in parents], np.int64)
    return Frame(
        names,
        places,
        tuple(parents),
        tuple(np.array(each, np.int64) for each in children),
        switches,
        np.cumsum(slopes) - slopes,
        np.cumsum(many) - many,
    )


def refuse_curves(network: Network) -> None:
    """Nothing, or an error about a family that is a curve."""
    for name, family in network.families.items():
        if isinstance(family, CurvedGaussian):
            raise QueryError(
                f"{quoted(name)} follows its parents along a curve, a {family.kind}: what is "
                "unknown around it is no mixture of normals, and has no exact answer\n\n"
                "tc.query, tc.predict and tc.sample answer around curves by weighted draws; or fit "
                "straight lines: leave families= out"
            )


def numbers_of(frame: Frame, network: Network) -> Numbers:
    """The parameters of a network with this frame."""
    none = [np.zeros(0)]
    families = [network[name] for name in frame.names]
    real = [each for each in families if isinstance(each, LinearGaussian | ConditionalGaussian)]
    slopes = [each.coefficients.ravel() for each in real]
    levels = [np.ravel(each.intercept) for each in real]
    spreads = [np.ravel(each.sd) for each in real]
    check_numbers(frame.names, slopes, levels, spreads)
    noise = [each**2 for each in spreads]
    return Numbers(*(np.concatenate(none + each) for each in (slopes, levels, noise)))
