"""A dag whose every variable has a distribution given its parents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from types import MappingProxyType
from typing import Any

from tacit.core.dag import Dag
from tacit.core.errors import NetworkError, OptionError, listed, nearest, quoted
from tacit.core.family import Family
from tacit.core.grid import Grid, counted
from tacit.core.variables import Discrete, Variable


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Network:
    """Structure, variables and one family per variable; checked when built, then right for ever.

    `network["X"]` is the family of X; iteration runs over the names, parents before children.
    """

    dag: Dag
    variables: Mapping[str, Variable]
    families: Mapping[str, Family]

    def __post_init__(self) -> None:
        for what, given in (("variable", self.variables), ("family", self.families)):
            for name in self.dag.names:
                if name not in given:
                    raise NetworkError(
                        f"the network has no {what} for {name!r}, which its dag names"
                    )
            for name in given:
                if name not in self.dag:
                    raise NetworkError(f"the network has a {what} {name!r}, which its dag lacks")
        for name in self.dag.names:
            _check_family(name, self)
        ordered = {name: self.variables[name] for name in self.dag.names}
        families = {name: self.families[name] for name in self.dag.names}
        object.__setattr__(self, "variables", MappingProxyType(ordered))
        object.__setattr__(self, "families", MappingProxyType(families))

    @staticmethod
    def of(families: Iterable[Family]) -> Network:
        """The network of these families; dag and variables are what they name."""
        by_child: dict[str, Family] = {}
        for family in families:
            if family.child in by_child:
                raise NetworkError(f"{family.child!r} has two families")
            by_child[family.child] = family
        for family in by_child.values():
            for parent in family.parents:
                if parent not in by_child:
                    raise NetworkError(
                        f"{parent!r}, a parent of {family.child!r}, has no family of its own"
                        + nearest(parent, by_child)
                    )
        dag = Dag({name: family.parents for name, family in by_child.items()})
        variables = {name: family.variables[-1] for name, family in by_child.items()}
        return Network(dag, variables, by_child)

    @property
    def free_parameters(self) -> int:
        """How many numbers of the whole network can be chosen freely."""
        return sum(family.free_parameters for family in self.families.values())

    def __getitem__(self, name: str) -> Family:
        if name not in self.families:
            raise NetworkError(
                f"the network has no variable {name!r}{nearest(name, self.families)}"
                f"\n\nvariables: {listed(self.families)}"
            )
        return self.families[name]

    def __contains__(self, name: object) -> bool:
        return name in self.families

    def __iter__(self) -> Iterator[str]:
        return iter(self.dag.order)

    def __len__(self) -> int:
        return len(self.families)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Network)
            and self.dag == other.dag
            and dict(self.variables) == dict(other.variables)
            and dict(self.families) == dict(other.families)
        )

    def __hash__(self) -> int:
        return hash((self.dag, frozenset(self.variables.items())))

    def __reduce__(self) -> tuple[type[Network], tuple[Any, ...]]:
        return Network, (self.dag, dict(self.variables), dict(self.families))

    def __repr__(self) -> str:
        return f"<Network of {_extent(self)}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        names = escape(f"Network of {_extent(self)}")
        tables = "".join(
            f"<details><summary>{escape(quoted(name))}</summary>"
            f"{self.families[name].grid()._repr_html_()}</details>"
            for name in list(self)[:200]
        )
        return f"<p>{names}</p>{self.grid()._repr_html_()}{tables}"

    def grid(self, most_rows: int = 200) -> Grid:
        """One line per variable: its states, its parents, how many parameters are free."""
        rows = [
            (quoted(name), _states(self.variables[name]), _parents(self.dag.parents[name]),
             str(self.families[name].free_parameters))
            for name in list(self)[:most_rows]
        ]  # fmt: skip
        more = len(self) - len(rows)
        foot = f"  ... and {counted(more, 'more variable')}" if more else ""
        heads = ("variable", "states", "parents", "free parameters")
        return Grid(f"Network of {_extent(self)}", heads, tuple(rows), labels=3, foot=foot)


def check_network(given: object) -> None:
    """Nothing, or an error if something else stands where a network belongs."""
    if not isinstance(given, Network):
        inside = isinstance(getattr(given, "network", None), Network)
        hint = "; its network is under .network" if inside else ""
        raise OptionError(f"a network is needed here, not a {type(given).__name__}{hint}")


def _check_family(name: str, network: Network) -> None:
    family = network.families[name]
    if network.variables[name].name != name:
        raise NetworkError(f"variable {network.variables[name].name!r} is listed under {name!r}")
    if family.child != name:
        raise NetworkError(f"the family of {family.child!r} is listed under {name!r}")
    if family.parents != network.dag.parents[name]:
        raise NetworkError(
            f"the family of {name!r} has the parents {_parents(family.parents)}, "
            f"the dag says {_parents(network.dag.parents[name])}"
        )
    for variable in family.variables:
        if network.variables[variable.name] != variable:
            raise NetworkError(
                f"the family of {name!r} describes {_described(variable)}, "
                f"but the network has {_described(network.variables[variable.name])}"
            )


def _described(variable: Variable) -> str:
    if isinstance(variable, Discrete):
        return f"{variable.name!r} with the states {listed(variable.states)}"
    return f"{variable.name!r} with real values"


def _states(variable: Variable) -> str:
    if not isinstance(variable, Discrete):
        return "real"
    shown = listed(variable.states, 6)
    return shown if len(shown) <= 48 else f"{shown[:45]}..."


def _parents(names: tuple[str, ...]) -> str:
    return listed([quoted(name) for name in names], 8) or "-"


def _extent(network: Network) -> str:
    return (
        f"{counted(len(network), 'variable')}, {counted(len(network.dag.arcs), 'arc')}, "
        f"{counted(network.free_parameters, 'free parameter')}"
    )
