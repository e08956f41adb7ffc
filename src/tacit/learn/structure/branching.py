"""Maximum branchings: the best choice of at most one arc into every node, without cycles."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats, Ints

FINE = 40
"""Gains are rounded to 2^-40 of the largest: sums of them are exact, so that ties are ties."""
NONE = complex(-np.inf, 0.0)


def branching(gains: Floats, forced: Ints | None = None, *, spanning: bool = False) -> Ints | None:
    """The parent of every node in a branching of greatest gain, -1 for a root; None if none is.

    gains     (n, n)  of the arc from the first to the second, -inf where there may be none
    forced    (n,)    the parent that a node must have, -1 where it may have any or none
    spanning  as few roots as can be, then the greatest gain; else only arcs that gain are taken

    Of branchings that gain alike, the one is chosen that best arcs with the lowest numbers lead
    to. [Chu and Liu 1965; Edmonds 1967; Tarjan 1977]
    """
    n, rounded = len(gains), _rounded(gains)
    # numpy orders complex numbers by their real parts first: these count the roots
    into = np.full((n + 1, n + 1), NONE)
    into[1:, 0] = complex(-1.0 if spanning else 0.0, 0.0)
    into.real[1:, 1:] = np.where(np.isneginf(rounded), -np.inf, 0.0).T
    into.imag[1:, 1:] = np.where(np.isneginf(rounded), 0.0, rounded).T
    np.fill_diagonal(into, NONE)
    if forced is not None:
        for node in np.flatnonzero(forced >= 0):
            into[node + 1] = NONE
            into[node + 1, forced[node] + 1] = 0.0
    tails = _Growth(into).tails()
    return None if tails is None else tails[1:] - 1


def _rounded(gains: Floats) -> Floats:
    """Gains as whole multiples of a power of two, so that no sum of them is ever rounded."""
    finite = np.where(np.isfinite(gains), gains, 0.0)
    largest = float(np.abs(finite).max(initial=0.0))
    unit = 2.0 ** (np.ceil(np.log2(largest)) - FINE) if largest > 0 else 1.0
    return np.where(np.isneginf(gains), -np.inf, np.round(finite / unit) * unit)


class _Growth:
    """Tarjan's path of best arcs, contracted where it meets itself; node 0 is above all roots.

    into        (n, n)  the gain of the arc into what stands at the first place from the second
    tail, head  (n, n)  the nodes that this arc joins
    place       (n,)    where each node stands now
    number              what stands at each place: a node, or a contraction, numbered from n on
    arcs                the best arc into each number; `above` the contraction that it went into
    """

    def __init__(self, into: np.ndarray[tuple[int, int], np.dtype[np.complex128]]) -> None:
        n = len(into)
        self.into = into
        self.head, self.tail = np.indices((n, n), dtype=np.int32)
        self.place = np.arange(n)
        self.number = list(range(n))
        self.arcs = dict[int, tuple[int, int]]()
        self.above = dict[int, int]()
        self.count = n

    def tails(self) -> Ints | None:
        """The parent of every node; None if there is a node that none can be above of."""
        finished = {0}
        for start in range(1, len(self.into)):
            path, here = list[int](), int(self.place[start])
            while here not in finished:
                there = int(np.argmax(self.into[here]))
                if np.isneginf(self.into[here, there].real):
                    return None
                ends = int(self.tail[here, there]), int(self.head[here, there])
                self.arcs[self.number[here]] = ends
                path.append(here)
                here = there
                if there in path:
                    cycle = path[path.index(there) :]
                    del path[-len(cycle) :]
                    here = self._contract(sorted(cycle))
            finished.update(path)
        return self._expanded()

    def _contract(self, cycle: list[int]) -> int:
        """One place for a cycle: an arc into it does without the arc of the cycle it replaces."""
        kept = cycle[0]
        self.into[cycle] -= self.into[cycle].max(axis=1, keepdims=True)
        every, best = np.arange(len(self.into)), np.argmax(self.into[cycle], axis=0)
        chosen = np.array(cycle)[best]
        for part in (self.into, self.tail, self.head):
            part[kept] = part[chosen, every]
        chosen = np.array(cycle)[np.argmax(self.into[:, cycle], axis=1)]
        for part in (self.into, self.tail, self.head):
            part[:, kept] = part[every, chosen]
        self.into[kept, cycle] = NONE
        self.into[:, cycle[1:]] = NONE
        for each in cycle:
            self.above[self.number[each]] = self.count
        self.place[np.isin(self.place, cycle)] = kept
        self.number[kept] = self.count
        self.count += 1
        return kept

    def _expanded(self) -> Ints:
        """Open the contractions, the last first: the arc into one is the arc into a part of it."""
        n = len(self.into)
        for contraction in range(self.count - 1, n - 1, -1):
            part = self.arcs[contraction][1]
            while self.above[part] != contraction:
                part = self.above[part]
            self.arcs[part] = self.arcs[contraction]
        return np.array([0, *(self.arcs[node][0] for node in range(1, n))], dtype=np.int64)
