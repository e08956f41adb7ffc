"""Trees of questions about the parents: which configurations share a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tacit.arrays import Bools, Column, Floats, Ints
from tacit.core.errors import SizeError, TableError

Residue: TypeAlias = tuple[Any, ...]
"""What a tree has become once some parents are known: (axis, what follows each state), or a leaf
as (-1, its number)."""

MOST_REMEMBERED = 100_000
"""Different residues up to which a tree is read parent by parent."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Nodes, the root first and every node before those below it; leaves are counted in order.

    axis  per node, the parent whose state it asks for; -1 at a leaf
    to    per node, the node that each state of that parent leads to; () at a leaf
    """

    axis: tuple[int, ...]
    to: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        seen = [0] * len(self.axis)
        for node, targets in enumerate(self.to):
            if any(not node < target < len(self.axis) for target in targets):
                raise TableError("a branch of the tree leads to no node below its own")
            for target in set(targets):
                seen[target] += 1
        if not self.axis or seen[0] or any(count != 1 for count in seen[1:]):
            raise TableError("the nodes are no tree: each but the root stands below one other")

    @property
    def leaf(self) -> tuple[int, ...]:
        """Per node the number of its leaf; -1 for the others."""
        ends = [node for node, axis in enumerate(self.axis) if axis < 0]
        place = {node: at for at, node in enumerate(ends)}
        return tuple(place.get(node, -1) for node in range(len(self.axis)))

    @property
    def leaves(self) -> int:
        """How many there are."""
        return sum(axis < 0 for axis in self.axis)

    @property
    def used(self) -> tuple[int, ...]:
        """The parents it asks for, in the order in which they are first met."""
        return tuple(dict.fromkeys(axis for axis in self.axis if axis >= 0))

    def below(self, node: int) -> dict[int, list[int]]:
        """The nodes right below, each with the states that lead to it."""
        found: dict[int, list[int]] = {}
        for state, target in enumerate(self.to[node]):
            found.setdefault(target, []).append(state)
        return found

    def leaves_of(self, parents: Sequence[Column], cases: int) -> Ints:
        """(cases,) the leaf of every case; a missing state is taken for the first."""
        found, leaf = np.zeros(cases, dtype=np.int64), self.leaf
        waiting = [(0, np.arange(cases))]
        while waiting:
            node, here = waiting.pop()
            axis = self.axis[node]
            if axis < 0:
                found[here] = leaf[node]
            elif here.size:
                codes = np.maximum(parents[axis][here].astype(np.int64), 0)
                target = np.array(self.to[node], dtype=np.int64)[codes]
                waiting += [(each, here[target == each]) for each in self.below(node)]
        return found

    def rooms(self, states: Sequence[int]) -> list[list[Bools]]:
        """Per node and parent the states that cases there can have."""
        rooms = [[np.ones(many, dtype=np.bool_) for many in states] for _ in self.axis]
        for node, axis in enumerate(self.axis):
            for target, leading in self.below(node).items():
                rooms[target] = list(rooms[node])
                only = np.zeros(states[axis], dtype=np.bool_)
                only[leading] = True
                rooms[target][axis] = rooms[node][axis] & only
        return rooms

    def shares(self, states: Sequence[int]) -> Floats:
        """(leaves,) the share of all configurations that ends in each leaf."""
        rooms = self.rooms(states)
        return np.array(
            [
                np.prod([here.mean() for here in rooms[node]])
                for node, axis in enumerate(self.axis)
                if axis < 0
            ]
        )

    def reading(self, order: Sequence[int], states: Sequence[int]) -> tuple[Ints, ...]:
        """As in `SharedRows.reading`: what is remembered is what the tree has become.

        A residue is kept once however often it is met, so that the tables stay about as small as
        the tree where the order is that of its questions. [Boutilier et al. 1996, section 4]
        """
        known, steps = [self._residue(0)], []
        for axis in order:
            after: dict[Residue, int] = {}
            step = np.empty((len(known), states[axis]), dtype=np.int64)
            for at, residue in enumerate(known):
                for state in range(states[axis]):
                    left = _told(residue, axis, state)
                    step[at, state] = after.setdefault(left, len(after))
            if len(after) > MOST_REMEMBERED:
                raise SizeError(
                    f"a tree of {self.leaves:,} leaves cannot be read parent by parent: more than "
                    f"{MOST_REMEMBERED:,} things would have to be remembered"
                )
            known = list(after)
            steps.append(step)
        ends = np.array([residue[1] for residue in known], dtype=np.int64)
        if steps:
            steps[-1] = ends[steps[-1]]
        return tuple(steps)

    def _residue(self, node: int) -> Residue:
        if self.axis[node] < 0:
            return (-1, self.leaf[node])
        return (self.axis[node], tuple(self._residue(target) for target in self.to[node]))

    def nested(self, leaf: Callable[[int], Any], inner: Callable[..., Any], node: int = 0) -> Any:
        """The tree from the leaves up: leaf(number), inner(axis, [(states, what is below)])."""
        if self.axis[node] < 0:
            return leaf(self.leaf[node])
        below = self.below(node).items()
        return inner(
            self.axis[node],
            [(leading, self.nested(leaf, inner, target)) for target, leading in below],
        )

    def depth_first(self, node: int = 0, depth: int = 0) -> Iterator[tuple[int, int, int]]:
        """(node, the node above or -1, depth) in the order of a print."""
        for target in self.below(node):
            yield target, node, depth
            yield from self.depth_first(target, depth + 1)


def _told(residue: Residue, axis: int, state: int) -> Residue:
    """What a residue becomes once the state of one more parent is known."""
    asked, below = residue
    if asked < 0:
        return residue
    if asked == axis:
        return _told(below[state], axis, state)
    left = tuple(_told(each, axis, state) for each in below)
    return left[0] if all(each == left[0] for each in left) else (asked, left)


def tree_of(axis: Mapping[int, int], to: Mapping[int, Sequence[int]], root: int) -> Tree:
    """A tree from nodes under any numbers: they are numbered anew, depth first.

    axis  of the nodes that ask; any other is a leaf
    """
    order: list[int] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if node in axis:
            waiting += reversed(list(dict.fromkeys(to[node])))
    place = {node: at for at, node in enumerate(order)}
    return Tree(
        tuple(axis.get(node, -1) for node in order),
        tuple(tuple(place[t] for t in to[node]) if node in axis else () for node in order),
    )
