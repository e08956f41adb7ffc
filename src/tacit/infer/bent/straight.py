"""Networks with curves made straight: where all parents of a curve have values, its mean is known.

Given these values a curve is child ~ Normal(m, sd²), m being a number. So with values of the
*bends*, the unknown parents of curves, everything else is a mixture of normals, and exact. The m of
each curve stands in the network as a variable of its own, above the child, with a value in every
case.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Column, Floats
from tacit.core.family import Family
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.families.curved import CurvedGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import Table
from tacit.infer.reach import check_numbers


def is_bent(network: Network) -> bool:
    """Whether some family is a curve."""
    return any(isinstance(each, CurvedGaussian) for each in network.families.values())


@dataclass(frozen=True, slots=True, eq=False)
class Straight:
    """A network without curves that says the same of what is asked, once bends have values.

    network  with the means of curves, and of the rest what bears on the question
    source   the families of the original that it stands for, parents before children
    curves   the variable that holds the mean of each curve
    silent   roots that stand for variables with values, and say nothing themselves
    bends    the unknown parents of curves
    """

    network: Network
    source: Network
    families: tuple[str, ...]
    curves: Mapping[str, str]
    silent: frozenset[str]
    bends: tuple[str, ...]

    def completed(self, columns: Mapping[str, Column], cases: int) -> dict[str, Column]:
        """The columns with the means of curves, whose parents must be among them."""
        found = {name: column for name, column in columns.items() if name in self.network}
        for name, mean in self.curves.items():
            family = self.source[name]
            assert isinstance(family, CurvedGaussian)
            found[mean] = family.mean([columns[each] for each in family.parents], cases)
        return found


def straightened(network: Network, known: Collection[str], asked: Collection[str]) -> Straight:
    """What bears on the variables asked for, given values of those known.

    Unknown variables that share a family hang together; a piece of them in which nothing is asked
    and some curve stays bent changes nothing but how probable the findings are, and is left out.
    """
    pieces = _pieces(network, known)
    left_out: set[str] = set()
    bends: list[str] = []
    for piece in pieces:
        curved = [name for name in piece.families if isinstance(network[name], CurvedGaussian)]
        unknown = {p for name in curved for p in network.dag.parents[name] if p not in known}
        if unknown and piece.members.isdisjoint(asked):
            left_out |= set(piece.families)
        else:
            bends += [name for name in network if name in unknown]
    kept = tuple(name for name in network if name not in left_out)
    return _made(network, kept, tuple(bends))


@dataclass(frozen=True, slots=True)
class _Piece:
    """Unknown variables that hang together, and all families that speak of one of them."""

    members: set[str]
    families: list[str]


def _pieces(network: Network, known: Collection[str]) -> list[_Piece]:
    found: list[_Piece] = []
    for name in network:
        members = {each for each in (*network.dag.parents[name], name) if each not in known}
        if not members:
            continue
        piece = _Piece(members, [name])
        for other in [each for each in found if each.members & members]:
            found.remove(other)
            piece = _Piece(piece.members | other.members, [*other.families, *piece.families])
        found.append(piece)
    return found


def _made(network: Network, kept: tuple[str, ...], bends: tuple[str, ...]) -> Straight:
    needed = {each for name in kept for each in (*network.dag.parents[name], name)}
    curves = {name: _mean_of(name, network) for name in kept
              if isinstance(network[name], CurvedGaussian)}  # fmt: skip
    families: list[Family] = []
    silent = set(curves.values())
    for name in network:
        if name in curves:
            mean, child = Continuous(curves[name]), network.variables[name]
            assert isinstance(child, Continuous)
            curve = network[name]
            assert isinstance(curve, CurvedGaussian)
            ends = np.array([curve.base, curve.rise, curve.threshold])
            check_numbers([name], [curve.coefficients], [ends], [np.array([curve.sd])])
            families += [_nothing(mean), LinearGaussian((mean, child), np.ones(1), 0.0, curve.sd)]
        elif name in kept:
            families.append(network[name])
        elif name in needed:
            families.append(_nothing(network.variables[name]))
            silent.add(name)
    return Straight(Network.of(families), network, kept, curves, frozenset(silent), bends)


def _mean_of(name: str, network: Network) -> str:
    made = f"the mean of {name}"
    while made in network.variables:
        made += "'"
    return made


def _nothing(variable: Variable) -> Family:
    """A root that stands for a value."""
    if isinstance(variable, Discrete):
        many = len(variable.states)
        return Table((variable,), np.full(many, 1 / many))
    return LinearGaussian((variable,), np.zeros(0), 0.0, 1.0)


def exact_families(straight: Straight) -> list[str]:
    """Those that are exact functions of their parents."""
    names: Sequence[str] = [name for name in straight.families if name not in straight.curves]
    found = []
    for name in names:
        sd: Floats | float | None = getattr(straight.network[name], "sd", None)
        if sd is not None and bool((np.asarray(sd) == 0).any()):
            found.append(name)
    return found
