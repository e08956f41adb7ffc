"""Trees of questions from counts: grown and pruned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools, Codes, Floats, Ints
from tacit.estimate.local.worth import RowWorth
from tacit.families.cause_counts import CauseCounts
from tacit.families.tree import Tree, tree_of

if TYPE_CHECKING:
    from tacit.kernels.growing import Grown, Lines

MOST_NODES = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class Bans:
    """Parents that may not be asked for in some contexts, because rules say they do not matter.

    axis  (bans,)
    room  (bans, states of all parents)  the states of which each context is made
    """

    axis: Ints
    room: Bools

    @staticmethod
    def none(sizes: Sequence[int]) -> Bans:
        """No bans."""
        return Bans(np.zeros(0, dtype=np.int64), np.zeros((0, sum(sizes)), dtype=np.bool_))


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """Cases of one family: codes (parents, lines), the child's, and how often each line counts.

    shape  states of the parents..., states of the child
    """

    shape: tuple[int, ...]
    codes: Codes
    child: Codes
    weights: Floats

    @staticmethod
    def of(counts: CauseCounts) -> Told:
        """One line for every configuration and state of the child that was seen together."""
        at, state = np.nonzero(counts.values)
        return Told(counts.shape, counts.seen[at].T, state, counts.values[at, state])

    @property
    def sizes(self) -> tuple[int, ...]:
        """The states of each parent."""
        return self.shape[:-1]

    def lines(self) -> Lines:
        """As kernels take them."""
        from tacit.kernels.growing import Lines

        first = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        codes = np.ascontiguousarray(self.codes, dtype=np.int64)
        codes = codes.reshape(len(self.sizes), len(self.weights))
        child = np.ascontiguousarray(self.child, dtype=np.int64)
        weights = np.ascontiguousarray(self.weights, dtype=np.float64)
        return Lines(codes, child, weights, first, self.shape[-1])


def grown_tree(
    told: Told, worth: RowWorth, tests: str = "any", bans: Bans | None = None
) -> tuple[Tree, float]:
    """The tree that greedy growth and pruning find, and what it is worth: its rows together, less
    what its questions cost.

    Every leaf is given the question that gains most, as long as any tree below could pay; then,
    from the leaves up, questions are taken back whose leaves are worth no more than the one row
    that would stand there. [EST 1.9; Friedman and Goldszmidt 1996; Breiman et al. 1984]
    """
    from tacit.kernels.growing import FULL, ONE, Grown, Terms, grow
    from tacit.kernels.growing import Bans as Forbidden

    lines, sizes = told.lines(), told.sizes
    bans = Bans.none(sizes) if bans is None else bans
    most = max(sizes, default=1)
    nodes = min(1 + most * max(1, len(told.weights)), MOST_NODES + most)
    grown = Grown(
        np.full(nodes, -1, dtype=np.int64),
        np.zeros((nodes, most), dtype=np.int64),
        np.zeros(nodes),
        np.zeros((nodes, sum(sizes)), dtype=np.bool_),
        np.zeros(nodes, dtype=np.int64),
        np.zeros(nodes, dtype=np.int64),
        np.ones(nodes),
        np.zeros(nodes),
    )
    kinds = {"any": FULL | ONE, "states": FULL, "one": ONE}[tests]
    terms = Terms(float(worth.strength), float(worth.each), worth.price + worth.leaf, worth.priced)
    order = np.arange(len(told.weights), dtype=np.int64)
    grow(lines, order, terms, kinds, Forbidden(bans.axis, bans.room), grown)
    return _tree(grown, sizes), float(grown.worth[0])


def _tree(grown: Grown, sizes: Sequence[int]) -> Tree:
    """What is left of the nodes."""
    axis, to, waiting = dict[int, int](), dict[int, Sequence[int]](), [0]
    while waiting:
        node = waiting.pop()
        asked = int(grown.axis[node])
        if asked >= 0:
            axis[node] = asked
            to[node] = grown.to[node, : sizes[asked]].tolist()
            waiting += set(to[node])
    return tree_of(axis, to, 0)
