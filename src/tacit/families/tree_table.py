"""Tree tables: questions about the parents lead to the row, not one row per configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from tacit.arrays import Column, Floats, Ints
from tacit.core.errors import TableError, listed, nearest, quoted
from tacit.core.variables import Discrete
from tacit.families.shared import SharedRows
from tacit.families.tree import Tree, tree_of

Nested: TypeAlias = Mapping[Any, Any] | npt.ArrayLike
"""{"A": {"yes": what is below, "no": what is below}}, or a row of probabilities."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TreeTable(SharedRows):
    """A tree of questions about the parents, with a row of probabilities at every leaf.

    tree    which states of which parents lead to which leaf
    values  (leaves, states of the child)

    What a path does not ask for does not matter there: the child ignores it in that context.
    """

    variables: tuple[Discrete, ...]
    tree: Tree
    values: Floats
    kind: ClassVar[str] = "tree-table"

    def __post_init__(self) -> None:
        sizes = [len(variable.states) for variable in self.variables[:-1]]
        for axis, to in zip(self.tree.axis, self.tree.to, strict=True):
            if axis >= 0 and not (axis < len(sizes) and len(to) == sizes[axis]):
                raise TableError("the tree asks for states that the parents do not have")
        self._check(self.tree.leaves)

    @classmethod
    def of(cls, child: Discrete, parents: Sequence[Discrete], tree: Nested) -> Self:
        """The tree table that is written out; handy for networks by hand.

        tree: a row of probabilities, or {"A": {"yes": tree, "no": tree}} for a question about the
        parent A; several states together stand in a tuple
        """
        built = _Built(tuple(parents), child)
        root = built.add(tree)
        found = tree_of(built.axis, built.to, root)
        ends = [node for node in _in_order(built, root) if node not in built.axis]
        rows = np.array([built.rows[node] for node in ends])
        family: Any = cls
        made: Self = family((*parents, child), found, rows)
        return made

    def rows_at(self, parents: Sequence[Column], cases: int) -> Ints:
        """(cases,) the leaf of every case."""
        return self.tree.leaves_of(parents, cases)

    def with_values(self, values: Floats) -> Self:
        """The same tree with other probabilities."""
        return replace(self, values=values)

    @property
    def shares(self) -> Floats:
        """(leaves,) which share of all configurations each leaf stands for."""
        return self.tree.shares(self._sizes)

    def reading(self, order: Sequence[int]) -> tuple[Ints, ...]:
        """How the leaf is found by reading one parent after the other."""
        return self.tree.reading(order, self._sizes)

    @property
    def ignored(self) -> tuple[tuple[dict[str, tuple[str, ...]], tuple[str, ...]], ...]:
        """Per leaf the states that lead there, by parent, and the parents that do not matter."""
        return tuple(
            (where, tuple(name for name in self.parents if name not in where))
            for where in self._places()
        )

    def labels(self) -> Iterator[str]:
        """The path to every leaf."""
        for where in self._places():
            said = (_asked(self._parent(name), states) for name, states in where.items())
            yield ", ".join(said) or "every configuration"

    def _places(self) -> Iterator[dict[str, tuple[str, ...]]]:
        rooms = self.tree.rooms(self._sizes)
        for node, axis in enumerate(self.tree.axis):
            if axis < 0:
                yield {
                    parent.name: tuple(np.array(parent.states, dtype=object)[here].tolist())
                    for parent, here in zip(self.variables[:-1], rooms[node], strict=True)
                    if not here.all()
                }

    def _lines(self) -> Iterator[tuple[str, int]]:
        if not self.tree.to[0]:
            yield "always", 0
        rooms = self.tree.rooms(self._sizes)
        for node, above, depth in self.tree.depth_first():
            axis = self.tree.axis[above]
            parent = self.variables[axis]
            # a state that no case here can have goes unsaid
            open_ = np.flatnonzero(rooms[above][axis])
            here = [parent.states[at] for at in open_ if rooms[node][axis][at]]
            said = _asked(parent, here, [parent.states[at] for at in open_])
            yield "· " * depth + said, self.tree.leaf[node]

    def _parent(self, name: str) -> Discrete:
        return next(parent for parent in self.variables if parent.name == name)

    @property
    def _sizes(self) -> list[int]:
        return [len(variable.states) for variable in self.variables[:-1]]

    def to_plain(self) -> dict[str, Any]:
        """Kind, names and numbers, as JSON holds them: leaves as rows, questions by name."""
        parents = self.variables

        def asked(axis: int, below: list[tuple[list[int], Any]]) -> dict[str, Any]:
            states = parents[axis].states
            branches = [
                {"states": [states[at] for at in leading], "then": then} for leading, then in below
            ]
            return {"parent": parents[axis].name, "branches": branches}

        return {
            "family": "tree-table",
            "child": self.child,
            "parents": list(self.parents),
            "tree": self.tree.nested(lambda leaf: self.values[leaf].tolist(), asked),
        }

    @staticmethod
    def from_plain(plain: Mapping[str, Any], variables: Mapping[str, Discrete]) -> TreeTable:
        """The tree table that `to_plain` described."""
        parents = tuple(variables[name] for name in plain["parents"])
        try:
            return TreeTable.of(variables[plain["child"]], parents, _nested(plain["tree"]))
        except RecursionError:
            raise TableError(
                f"the tree of {quoted(str(plain['child']))} is nested too deeply"
            ) from None


@dataclass(slots=True, eq=False)
class _Built:
    """A tree on its way from nested words to nodes."""

    parents: tuple[Discrete, ...]
    child: Discrete
    axis: dict[int, int]
    to: dict[int, tuple[int, ...]]
    rows: dict[int, Floats]

    def __init__(self, parents: tuple[Discrete, ...], child: Discrete) -> None:
        self.parents, self.child = parents, child
        self.axis, self.to, self.rows = {}, {}, {}

    def add(self, tree: Nested) -> int:
        """The number of the node that this part of the tree becomes."""
        node = len(self.axis) + len(self.rows)
        if not isinstance(tree, Mapping):
            self.rows[node] = self._row(tree)
            return node
        if len(tree) != 1:
            raise TableError(
                f"a question in the tree of {quoted(self.child.name)} names one parent, "
                f"not {len(tree)}: " + '{"A": {"yes": ..., "no": ...}}'
            )
        ((name, branches),) = tree.items()
        names = [parent.name for parent in self.parents]
        if name not in names:
            raise TableError(
                f"the tree of {quoted(self.child.name)} asks for {name!r}, which is no parent"
                f"{nearest(str(name), names)}\n\nparents: {listed(names) or 'none'}"
            )
        self.axis[node] = names.index(name)
        self.to[node] = self._branches(self.parents[self.axis[node]], branches)
        return node

    def _branches(self, parent: Discrete, branches: Mapping[Any, Nested]) -> tuple[int, ...]:
        to = dict[int, int]()
        for states, below in branches.items():
            target = self.add(below)
            for state in (states,) if isinstance(states, str) else states:
                if parent.code(state) in to:
                    raise TableError(f"{parent.name!r}={state!r} leads to two places of the tree")
                to[parent.code(state)] = target
        for code, state in enumerate(parent.states):
            if code not in to:
                raise TableError(f"{parent.name!r}={state!r} leads nowhere in the tree")
        return tuple(to[code] for code in range(len(parent.states)))

    def _row(self, row: Any) -> Floats:
        values = np.asarray(row, dtype=np.float64)
        if values.shape != (len(self.child.states),):
            raise TableError(
                f"a row of {quoted(self.child.name)} has {len(self.child.states)} numbers, "
                f"not {values.size}"
            )
        return values


def _in_order(built: _Built, root: int) -> Iterator[int]:
    """The nodes as `tree_of` numbers them."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(list(dict.fromkeys(built.to.get(node, ()))))


def _nested(plain: Any) -> Nested:
    """The words of `TreeTable.of` from plain data."""
    if not isinstance(plain, Mapping):
        return np.asarray(plain, dtype=np.float64)
    branches = {tuple(each["states"]): _nested(each["then"]) for each in plain["branches"]}
    return {plain["parent"]: branches}


def _asked(parent: Discrete, states: Sequence[str], of: Sequence[str] | None = None) -> str:
    """One branch as the language of rules writes it: `A=yes`, `A={a, b}`, `A=not c`."""
    name, every = quoted(parent.name), parent.states if of is None else of
    others = [state for state in every if state not in states]
    if len(states) == 1:
        return f"{name}={quoted(states[0])}"
    if len(others) == 1 and len(every) == len(parent.states):
        return f"{name}=not {quoted(others[0])}"
    return f"{name}={{{', '.join(map(quoted, states))}}}"
