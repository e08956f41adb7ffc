"""A network of lines and curves as arrays: what is fixed, and the numbers that are fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dag import Dag
from tacit.core.family import Family
from tacit.core.network import Network
from tacit.core.variables import Continuous
from tacit.families.curved import CurvedGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.families.responses import RESPONSES, Response

STRAIGHT = RESPONSES["identity"]


@dataclass(frozen=True, eq=False)
class Shape:
    """What does not change while numbers are fitted; variables are known by their place.

    variables  in the order of the dag's names
    curves     the kinds of those that follow a curve
    hidden     those that no column measures
    centre     where the activations of all families are 0: the means of the parents
    spread     standard deviations, in which changes are measured
    """

    dag: Dag
    variables: tuple[Continuous, ...]
    curves: Mapping[int, type[CurvedGaussian]]
    hidden: frozenset[int]
    centre: Floats
    spread: Floats

    @cached_property
    def parents(self) -> tuple[Ints, ...]:
        """The places of each variable's parents, in the order of its family."""
        places = {name: at for at, name in enumerate(self.dag.names)}
        return tuple(
            np.array([places[each] for each in self.dag.parents[name]], dtype=np.int64)
            for name in self.dag.names
        )

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The places, parents before children."""
        places = {name: at for at, name in enumerate(self.dag.names)}
        return tuple(places[name] for name in self.dag.order)

    @cached_property
    def arcs(self) -> Bools:
        """(child, parent)"""
        found = np.zeros((len(self.variables),) * 2, dtype=np.bool_)
        for child, parents in enumerate(self.parents):
            found[child, parents] = True
        return found

    @cached_property
    def bent(self) -> Bools:
        """Which families are curves."""
        return np.array([at in self.curves for at in range(len(self.variables))], dtype=np.bool_)

    def response(self, place: int) -> Response:
        """How a family answers to its activation."""
        return self.curves[place].response if place in self.curves else STRAIGHT

    def axes(self, place: int) -> tuple[Continuous, ...]:
        """Parents..., child."""
        return tuple(self.variables[each] for each in (*self.parents[place], place))

    def straight(self) -> Shape:
        """The same with lines for curves."""
        return replace(self, curves={})

    @cached_property
    def units(self) -> Floats:
        """What a change of each number of `Numbers.vector` is measured in."""
        own = self.spread
        slopes = own[:, None] / own
        slopes[self.bent] = 1 / own
        return np.concatenate([slopes[self.arcs], own, own[self.bent], np.ones(own.size)])


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Variable i is base + rise r(slopes · (parents - centre)) + noise of variance exp(log); r is
    the identity and rise 1 along a straight line.

    slopes            (n, n)  [child, parent], 0 where there is no arc
    base, rise, logs  (n,)
    """

    slopes: Floats
    base: Floats
    rise: Floats
    logs: Floats

    @property
    def sds(self) -> Floats:
        """(n,) of the noise."""
        return np.asarray(np.exp(0.5 * self.logs))

    def vector(self, shape: Shape) -> Floats:
        """All that is free, and the rises of curves."""
        return np.concatenate([
            self.slopes[shape.arcs], self.base, self.rise[shape.bent], self.logs,
        ])  # fmt: skip

    @staticmethod
    def of(shape: Shape, vector: Floats) -> Numbers:
        """Those that `vector` wrote."""
        n, arcs, bends = len(shape.variables), int(shape.arcs.sum()), int(shape.bent.sum())
        slopes, rise = np.zeros((n, n)), np.ones(n)
        slopes[shape.arcs] = vector[:arcs]
        rise[shape.bent] = vector[arcs + n : arcs + n + bends]
        return Numbers(slopes, vector[arcs : arcs + n], rise, vector[arcs + n + bends :])

    @staticmethod
    def of_network(shape: Shape, network: Network) -> Numbers:
        """Those of a network of the same lines and curves."""
        n = len(shape.variables)
        slopes, base, rise, logs = np.zeros((n, n)), np.zeros(n), np.ones(n), np.zeros(n)
        for at, name in enumerate(shape.dag.names):
            family = network[name]
            assert isinstance(family, LinearGaussian | CurvedGaussian)
            where = [shape.dag.names.index(each) for each in family.parents]
            slopes[at, where] = family.coefficients
            if isinstance(family, CurvedGaussian):
                base[at], rise[at] = family.base, family.rise
            else:
                base[at] = family.intercept + float(slopes[at] @ shape.centre)
            logs[at] = 2 * np.log(family.sd)
        return Numbers(slopes, base, rise, logs)

    def network(self, shape: Shape) -> Network:
        """Written out. A symmetric curve that falls is its mirror image, rising; that is taken."""
        families: dict[str, Family] = {}
        for at, name in enumerate(shape.dag.names):
            axes, own = shape.axes(at), self.slopes[at, shape.parents[at]]
            level, sd = (
                float(own @ shape.centre[shape.parents[at]]),
                float(np.exp(0.5 * self.logs[at])),
            )
            base, rise = float(self.base[at]), float(self.rise[at])
            if at not in shape.curves:
                families[name] = LinearGaussian(axes, own, base - level, sd)
                continue
            kind = shape.curves[at]
            if rise < 0 and np.isfinite(kind.response.high):
                own, level, base, rise = -own, -level, base + rise, -rise
            families[name] = kind(axes, own, base, rise, level, sd)
        variables = dict(zip(shape.dag.names, shape.variables, strict=True))
        return Network(shape.dag, variables, families)


def turned(shape: Shape, numbers: Numbers, place: int) -> tuple[Shape, Numbers]:
    """With the other sign of a hidden variable, equally likely; its own family is a line."""
    slopes, base, centre = numbers.slopes.copy(), numbers.base.copy(), shape.centre.copy()
    slopes[:, place] *= -1
    slopes[place] *= -1
    base[place] *= -1
    centre[place] *= -1
    return replace(shape, centre=centre), replace(numbers, slopes=slopes, base=base)
