"""What the states of a hidden variable stand for: whom it goes with, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import erf, sqrt

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.errors import ImpossibleError, SizeError, quoted
from tacit.core.grid import Grid
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.infer.information import mutual_information
from tacit.infer.normal.mixtures import NormalAnswer
from tacit.infer.prediction import predict
from tacit.infer.queries import query

CHILD, PARENT, OTHER = "child", "parent", "parent of a child"
TOLD = 3
"""Neighbours that speak for a state in its line."""


@dataclass(frozen=True, slots=True, eq=False)
class Neighbour:
    """A variable next to a hidden one.

    role         child, parent, or parent of a child
    states       none if it is continuous
    information  what the two share, in nats
    given        (states of the hidden one, own states)  P(own state | hidden state); of a
                 continuous one its mean and sd
    overall      (own states,)  P(own state), or mean and sd
    """

    name: str
    role: str
    states: tuple[str, ...]
    information: float
    given: Floats
    overall: Floats

    def telling(self, state: int) -> tuple[float, str]:
        """How unlike the rest it is in a state of the hidden one, from 0 to 1, and that in words.

        A share as it rises; of a continuous one how far apart two normals are whose means are so
        many of its sds apart: 2 Φ(|d| / 2) - 1.
        """
        if self.states:
            rise = self.given[state] - self.overall
            at = int(np.argmax(rise))
            said = f"{quoted(self.states[at])} {self.given[state, at]:.2f} ({self.overall[at]:.2f})"
            return float(rise[at]), f"{quoted(self.name)}={said}"
        (mean, sd), (all_, spread) = self.given[state], self.overall
        apart = erf(abs(mean - all_) / (2 * sqrt(2) * spread)) if spread > 0 else 0.0
        return apart, f"{quoted(self.name)} {mean:.3g} ± {sd:.2g} ({all_:.3g} ± {spread:.2g})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Profile:
    """What the states of a hidden variable stand for.

    shares      (states,)  how common each state is
    neighbours  those that share most information with it first
    """

    name: str
    states: tuple[str, ...]
    shares: Floats
    neighbours: tuple[Neighbour, ...]

    @property
    def information(self) -> Mapping[str, float]:
        """What each neighbour and the variable tell of each other, in nats."""
        return {each.name: each.information for each in self.neighbours}

    def telling(self, state: int, most: int = TOLD) -> tuple[str, ...]:
        """What is most unlike the rest in a state: "Cough=yes 0.93 (0.21)", the share overall in
        brackets; of each neighbour the state whose share rises most, or its mean and sd."""
        found = [each.telling(state) for each in self.neighbours]
        found.sort(key=lambda each: -each[0])
        return tuple(said for _, said in found[:most])

    def grid(self) -> Grid:
        """A line per state: its share, and what it stands for."""
        rows = tuple(
            (state, f"{self.shares[at]:.3f}", "; ".join(self.telling(at)))
            for at, state in enumerate(self.states)
        )
        real = any(not each.states for each in self.neighbours)
        overall = "what it is overall" if real else "the share overall"
        heads = (quoted(self.name), "share", f"stands for, with {overall} in brackets")
        return Grid(f"what the states of {quoted(self.name)} stand for", heads, rows, labels=1)

    def information_grid(self) -> Grid:
        """A line per neighbour: what it shares with the variable."""
        rows = tuple((quoted(e.name), e.role, f"{e.information:.3f}") for e in self.neighbours)
        title = f"mutual information with {quoted(self.name)}, in nats"
        return Grid(title, ("neighbour", "which is its", "nats"), rows, labels=2)

    def __repr__(self) -> str:
        return f"<Profile of {quoted(self.name)}: {len(self.neighbours)} neighbours>"

    def __str__(self) -> str:
        return "\n".join(map(str, self._grids()))

    def _repr_html_(self) -> str:
        return "".join(each._repr_html_() for each in self._grids())

    def _grids(self) -> tuple[Grid, ...]:
        """What there is to show; a variable without states has none that stand for something."""
        return (*((self.grid(),) if self.states else ()), self.information_grid())


def profile_of(network: Network, name: str, cases: Dataset | None = None) -> Profile:
    """The profile of a variable of a network, by exact inference.

    cases  where the network is too large for that, what its variable is in each of them tells
    """
    dag, variable = network.dag, network.variables[name]
    assert isinstance(variable, Discrete)
    roles = dict.fromkeys(dag.children[name], CHILD) | dict.fromkeys(dag.parents[name], PARENT)
    for child in dag.children[name]:
        for other in dag.parents[child]:
            if other != name:
                roles.setdefault(other, OTHER)
    try:
        shares, met = np.asarray(query(network, [name]).values), None
    except SizeError:
        if cases is None:
            raise
        told = cases.select([each for each in cases.names if each in network])
        met = _Met(told, np.asarray(predict(network, told)[name]))
        shares = met.shares()
    found = [
        each
        for other, role in roles.items()
        if (each := _neighbour(network, name, other, role, met))
    ]
    found.sort(key=lambda each: -each.information)
    return Profile(name, variable.states, shares, tuple(found))


@dataclass(frozen=True, slots=True, eq=False)
class _Met:
    """Cases, and (cases, states) how probable each state of a hidden variable is in them."""

    cases: Dataset
    posterior: Floats

    def shares(self) -> Floats:
        """How common each state is."""
        weights = self.cases.weights
        return np.asarray(np.average(self.posterior, axis=0, weights=weights))

    def joint(self, other: Discrete) -> Floats | None:
        """How common it is with each state of a measured variable; None if that is never seen."""
        if other.name not in self.cases:
            return None
        codes = np.asarray(self.cases[other.name]).astype(np.int64)
        weights = np.ones(codes.size) if self.cases.weights is None else self.cases.weights
        seen = codes >= 0
        out = np.zeros((len(other.states), self.posterior.shape[1]))
        np.add.at(out, codes[seen], (weights[:, None] * self.posterior)[seen])
        return out.T / out.sum() if out.sum() > 0 else None


def _neighbour(
    network: Network, name: str, other: str, role: str, met: _Met | None
) -> Neighbour | None:
    """None where the network is too large for exact inference."""
    variable = network.variables[other]
    if not isinstance(variable, Discrete):
        return None if met is not None else _real_neighbour(network, name, other, role)
    joint = _exact(network, name, other) if met is None else met.joint(variable)
    if joint is None:
        return None
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    used = joint > 0
    apart = np.outer(rows, columns)
    information = float(np.sum(joint[used] * np.log(joint[used] / apart[used])))
    given = joint / np.where(rows > 0, rows, 1.0)[:, None]
    return Neighbour(other, role, variable.states, max(0.0, information), given, columns)


def _real_neighbour(network: Network, name: str, other: str, role: str) -> Neighbour | None:
    variable = network.variables[name]
    assert isinstance(variable, Discrete)
    try:
        asked = [query(network, [other], given={name: state}) for state in variable.states]
        asked.append(query(network, [other]))
        information = mutual_information(network, name, other)
    except (SizeError, ImpossibleError):
        return None
    found = np.array(
        [(at.mean[other], at.sd[other]) for at in asked if isinstance(at, NormalAnswer)]
    )
    return Neighbour(other, role, (), max(0.0, information), found[:-1], found[-1])


def _exact(network: Network, name: str, other: str) -> Floats | None:
    try:
        return np.asarray(query(network, [name, other]).values)
    except SizeError:
        return None
