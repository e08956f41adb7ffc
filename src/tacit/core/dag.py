"""Who depends on whom: a directed acyclic graph over named variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Protocol, TypeAlias

from tacit.core.errors import CycleError, DagError, listed, nearest, quoted


@dataclass(frozen=True, eq=False, repr=False)
class Dag:
    """The parents of every variable, in the order of the axes of its table.

    Equal dags have the same variables with the same parents in the same order; the order in which
    variables are listed does not count. `parents["X"]` and `children["X"]` are tuples of names.
    """

    parents: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        parents = {name: _as_names(name, who) for name, who in self.parents.items()}
        for name, who in parents.items():
            _check_parents(name, who, parents)
        object.__setattr__(self, "parents", MappingProxyType(parents))
        _ = self.order

    @staticmethod
    def parse(text: str, where: str = "") -> Dag:
        """The dag written as `"A -> B <- C; D"`; see `tacit.core.dagtext` for the grammar."""
        from tacit.core.dagtext import parse_dag

        return parse_dag(text, where)

    @staticmethod
    def of_arcs(arcs: Iterable[tuple[str, str]], names: Iterable[str] = ()) -> Dag:
        """The dag with these arcs; `names` adds variables without any, and sets the order."""
        parents: dict[str, list[str]] = {name: [] for name in names}
        for tail, head in arcs:
            parents.setdefault(tail, [])
            parents.setdefault(head, []).append(tail)
        return Dag({name: tuple(who) for name, who in parents.items()})

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, as they were listed."""
        return tuple(self.parents)

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """Every arc as (parent, child), in the order of the children."""
        return tuple((tail, head) for head, who in self.parents.items() for tail in who)

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """The children of every variable."""
        children: dict[str, list[str]] = {name: [] for name in self.parents}
        for tail, head in self.arcs:
            children[tail].append(head)
        return MappingProxyType({name: tuple(who) for name, who in children.items()})

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The variables with every parent before its children, otherwise as they were listed."""
        return _topological_order(self.parents)

    def check_name(self, name: str) -> None:
        """Nothing, or an error that suggests the nearest variable."""
        if name not in self.parents:
            raise DagError(
                f"the dag has no variable {name!r}{nearest(name, self.parents)}"
                f"\n\nvariables: {listed(self.parents)}"
            )

    def __contains__(self, name: object) -> bool:
        return name in self.parents

    def __iter__(self) -> Iterator[str]:
        return iter(self.order)

    def __len__(self) -> int:
        return len(self.parents)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dag) and dict(self.parents) == dict(other.parents)

    def __hash__(self) -> int:
        return hash(frozenset(self.parents.items()))

    def __reduce__(self) -> tuple[type[Dag], tuple[dict[str, tuple[str, ...]]]]:
        return Dag, (dict(self.parents),)

    def __str__(self) -> str:
        """Text that parses back to this dag: each variable with its parents, in listed order."""
        return "; ".join(
            f"{', '.join(map(quoted, who))} -> {quoted(name)}" if who else quoted(name)
            for name, who in self.parents.items()
        )

    def __repr__(self) -> str:
        shown = str(self)
        return f"Dag({shown if len(shown) <= 200 else shown[:197] + '...'})"


def _as_names(name: str, who: Iterable[str]) -> tuple[str, ...]:
    if isinstance(who, str):
        raise DagError(f"the parents of {name!r} must be a sequence of names, not {who!r}")
    return tuple(who)


def _check_parents(name: str, who: tuple[str, ...], known: Mapping[str, tuple[str, ...]]) -> None:
    if not isinstance(name, str) or not name.strip():
        raise DagError(f"a variable needs a name, not {name!r}")
    if name in who:
        raise CycleError((name, name))
    if len(set(who)) < len(who):
        twice = Counter(who).most_common(1)[0][0]
        raise DagError(f"{twice!r} is listed twice among the parents of {name!r}")
    for parent in who:
        if parent not in known:
            raise DagError(f"{parent!r}, a parent of {name!r}, is no variable of the dag")


def _topological_order(parents: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Depth first along parents, without recursion, so that long chains do not overflow."""
    done: dict[str, bool] = {}  # False while a variable is on the current path
    order: list[str] = []
    for start in parents:
        path = [(start, iter(parents[start]))] if start not in done else []
        done.setdefault(start, False)
        while path:
            name, rest = path[-1]
            parent = next(rest, None)
            if parent is None:
                path.pop()
                done[name] = True
                order.append(name)
            elif parent not in done:
                done[parent] = False
                path.append((parent, iter(parents[parent])))
            elif not done[parent]:
                raise CycleError(_cycle([step for step, _ in path], parent))
    return tuple(order)


def _cycle(path: list[str], again: str) -> tuple[str, ...]:
    """The path runs from child to parent and came back to `again`; arcs run the other way."""
    loop = path[path.index(again) :]
    return (again, *reversed(loop))


class HasDag(Protocol):
    """A network, for one."""

    @property
    def dag(self) -> Dag:
        """Its structure."""


AnyDag: TypeAlias = Dag | HasDag | str
"""What functions about structure take."""


def as_dag(given: AnyDag) -> Dag:
    """The dag itself, from its text, or of a network."""
    if isinstance(given, str):
        return Dag.parse(given)
    dag = getattr(given, "dag", given)
    if not isinstance(dag, Dag):
        raise DagError(f"a dag, its text or a network is needed, not {type(given).__name__}")
    return dag
