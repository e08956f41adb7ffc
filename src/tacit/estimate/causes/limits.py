"""What rules leave to strengths: equal ones, bounds, and which are no greater than which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints


class NoRoomError(Exception):
    """Bounds and orders that no strengths can keep; becomes a message where the rules are known.

    rules  the numbers of the limits that close the room
    """

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """lower <= ω <= upper, and ω[i] <= ω[j] for pairs (i, j); equal ones are pairs both ways.

    ω = -log(1 - link) rises with the link, so bounds, equalities and orders of links are bounds,
    equalities and orders of ω: the likelihood stays concave under them, and the room convex.
    """

    lower: Floats
    upper: Floats
    pairs: Ints

    @staticmethod
    def none(size: int) -> Limits:
        """Strengths that are 0 or more, nothing else."""
        return Limits(np.zeros(size), np.full(size, np.inf), np.zeros((0, 2), dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """Limits tidied up: one number for equal strengths, bounds passed on along the orders.

    owner         (strengths,)  the class of each
    lower, upper  (classes,)    equal where the class is fixed
    pairs         (n, 2)        classes i <= j, no cycles
    """

    owner: Ints
    lower: Floats
    upper: Floats
    pairs: Ints

    @property
    def fixed(self) -> Bools:
        """(classes,) whose value the limits leave no choice."""
        return np.asarray(self.lower >= self.upper)

    def inside(self) -> Floats:
        """A point with room to every side: further along its interval the higher it is ordered."""
        rank = _ranks(self.lower.size, self.pairs)
        finite = np.concatenate([self.lower, self.upper[np.isfinite(self.upper)], [0.0]])
        top = np.where(np.isfinite(self.upper), self.upper, finite.max() + 2.0)
        share = (rank + 1.0) / (rank.max(initial=0) + 8.0)
        return np.asarray(self.lower + share * (top - self.lower))


def room_of(limits: Limits) -> Room:
    """The room that limits leave; an error if they leave none."""
    owner = _classes(limits.lower.size, limits.pairs)
    count = int(owner.max(initial=-1)) + 1
    lower, upper = np.zeros(count), np.full(count, np.inf)
    np.maximum.at(lower, owner, limits.lower)
    np.minimum.at(upper, owner, limits.upper)
    pairs = np.unique(owner[limits.pairs], axis=0) if limits.pairs.size else limits.pairs
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    order = np.argsort(_ranks(count, pairs))
    rank = np.argsort(order)
    rising = pairs[np.argsort(rank[pairs[:, 0]], kind="stable")]
    for low, high in rising:
        lower[high] = max(lower[high], lower[low])
    for low, high in rising[np.argsort(-rank[rising[:, 1]], kind="stable")]:
        upper[low] = min(upper[low], upper[high])
    if (lower > upper).any():
        raise NoRoomError(int(np.argmax((lower > upper)[owner])))
    fixed = lower >= upper
    kept = ~(fixed[pairs[:, 0]] | fixed[pairs[:, 1]])  # passed on as bounds already
    return Room(owner, lower, upper, pairs[kept])


def _classes(size: int, pairs: Ints) -> Ints:
    """Which strengths stand in a cycle of orders together, so that they are equal."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(size, size))
    _, owner = connected_components(links, directed=True, connection="strong")
    _, first, back = np.unique(owner, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[back], dtype=np.int64)


def _ranks(size: int, pairs: Ints) -> Ints:
    """The longest way up to each class; the pairs have no cycles."""
    rank = np.zeros(size, dtype=np.int64)
    for _ in range(size):
        raised = rank.copy()
        np.maximum.at(raised, pairs[:, 1], rank[pairs[:, 0]] + 1)
        if np.array_equal(raised, rank):
            break
        rank = raised
    return rank
