"""The network of a path while it changes: who depends on whom, and how many states are hidden."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.core.dag import Dag
from tacit.core.variables import Discrete


@dataclass(frozen=True, slots=True)
class Shape:
    """A dag, and how many states each hidden variable has, in the order in which they came."""

    dag: Dag
    states: Mapping[str, int]

    def hidden(self) -> dict[str, Discrete]:
        """The hidden variables; states are called by their number."""
        return {
            name: Discrete(name, tuple(str(at + 1) for at in range(many)))
            for name, many in self.states.items()
        }

    @property
    def hierarchy(self) -> bool:
        """Whether every variable has one parent at most, and that a hidden one."""
        return all(
            len(who) <= 1 and all(name in self.states for name in who)
            for who in self.dag.parents.values()
        )

    def below(self, name: str) -> set[str]:
        """The variable and all its descendants."""
        found, left = {name}, [name]
        while left:
            fresh = [each for each in self.dag.children[left.pop()] if each not in found]
            found |= set(fresh)
            left += fresh
        return found

    def plain(self) -> dict[str, Any]:
        """Plain data, as a checkpoint keeps it."""
        parents = {name: list(who) for name, who in self.dag.parents.items()}
        return {"parents": parents, "states": dict(self.states)}

    @staticmethod
    def of(plain: Mapping[str, Any]) -> Shape:
        """What `plain` wrote."""
        dag = Dag({str(name): tuple(map(str, who)) for name, who in plain["parents"].items()})
        states = {str(name): int(many) for name, many in plain["states"].items()}
        if not set(states) <= set(dag.names) or min(states.values(), default=2) < 1:
            raise ValueError("no shape")
        return Shape(dag, states)


def resized(shape: Shape, name: str, states: int) -> Shape:
    """A hidden variable with another number of states."""
    return Shape(shape.dag, {**shape.states, name: states})


def moved(shape: Shape, child: str, parent: str | None) -> Shape:
    """A variable, with all below it, under another parent, or under none."""
    who = () if parent is None else (parent,)
    return Shape(Dag({**shape.dag.parents, child: who}), shape.states)


def inserted(shape: Shape, name: str, states: int, parent: str, children: Sequence[str]) -> Shape:
    """A new hidden variable below `parent`, in whose place it stands above some of its children."""
    parents = {
        each: _replaced(who, parent, (name,)) if each in children else who
        for each, who in shape.dag.parents.items()
    }
    return Shape(Dag({**parents, name: (parent,)}), {**shape.states, name: states})


def dissolved(shape: Shape, name: str) -> Shape:
    """Without a hidden variable: its children have its parents instead."""
    own = shape.dag.parents[name]
    parents = {
        each: _replaced(who, name, own) for each, who in shape.dag.parents.items() if each != name
    }
    states = {each: many for each, many in shape.states.items() if each != name}
    return Shape(Dag(parents), states)


def absorbed(shape: Shape, name: str, other: str) -> Shape:
    """Two hidden variables as one, in a hierarchy: `other` has the children of both."""
    own = shape.dag.parents[name]
    parents = {
        each: own if each == other and who == (name,) else _replaced(who, name, (other,))
        for each, who in shape.dag.parents.items()
        if each != name
    }
    states = {each: many for each, many in shape.states.items() if each != name}
    return Shape(Dag(parents), states)


def idle(shape: Shape) -> str | None:
    """The first hidden variable with one child at most: it explains no dependence."""
    return next((name for name in shape.states if len(shape.dag.children[name]) <= 1), None)


def fresh_name(taken: Iterable[str], wanted: str = "H") -> str:
    """The name, with a number behind it if it is taken."""
    used: Collection[str] = set(taken)
    number, name = 1, wanted
    while name in used:
        number += 1
        name = f"{wanted}{number}"
    return name


def _replaced(who: Sequence[str], old: str, new: Sequence[str]) -> tuple[str, ...]:
    """The parents with one of them replaced, each named once."""
    found = [each for name in who for each in (new if name == old else (name,))]
    return tuple(dict.fromkeys(found))
