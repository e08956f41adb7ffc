"""A dag on its way: its arcs, its score, and what every single change would gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.swaps import Marks, Swaps

Parents: TypeAlias = tuple[tuple[int, ...], ...]
"""The parents of every variable, in rising order."""
VERBS = ("add", "delete", "reverse", "replace")
NOTHING = 1e-9
"""A gain that rounding could have made, as a share of the score."""
UNKNOWN = 1e6
"""The score that is assumed for it where a family has no distribution: else steps up by rounding
alone could go in a circle."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a dag by numbers; `instead` is the parent that a replacement takes out."""

    verb: str
    tail: int
    head: int
    gain: float
    instead: int = -1


def rounding(score: float) -> float:
    """What a gain must exceed to count at this score; at -inf the other families are unknown."""
    return NOTHING * (max(1.0, abs(score)) if np.isfinite(score) else UNKNOWN)


def gained(after: float | Floats, before: float) -> Floats:
    """after - before, and nothing to be gained by a family that no distribution joins: -inf."""
    if before > -np.inf:
        return np.asarray(after - before)
    return np.where(np.asarray(after) > -np.inf, np.inf, -np.inf)


@lru_cache(maxsize=4)
def marks_of(n: int) -> Marks:
    """Random bits for every arc; two dags with the same bits together are the same dag."""
    bits = np.random.default_rng(n).integers(0, 2**63, (n, n), dtype=np.uint64)
    bits.flags.writeable = False
    return bits


@dataclass(slots=True, eq=False)
class State:
    """A dag that changes arc by arc.

    arcs   (n, n)  whether [tail, head] is an arc
    above  (n, n)  whether the first is an ancestor of the second
    gains  (n, n)  what adding or deleting the arc gains; -inf where it may not be
    bounds (3, n)  no legal addition, deletion or reversal of an arc to each head gains more
    free   (n, n)  arcs that need not be
    sizes  (n,)    how many parents every variable has
    worth  (n,)    the score of every family
    swaps  the changes that put another parent in the place of one
    asks   "all" keeps gains up to date, "replacing" swaps too, "none" neither
    """

    ledger: Ledger
    asks: str
    parents: list[tuple[int, ...]]
    arcs: Bools
    above: Bools
    gains: Floats
    bounds: Floats
    worth: Floats
    mark: np.uint64
    swaps: Swaps
    free: Bools
    sizes: Ints

    @staticmethod
    def at(ledger: Ledger, parents: Parents, asks: str = "all") -> State:
        """The dag with these parents."""
        from tacit.kernels.dags import find_paths

        n = ledger.n
        arcs = np.zeros((n, n), dtype=np.bool_, order="F")  # read head by head, as gains are
        for head, who in enumerate(parents):
            arcs[list(who), head] = True
        above = np.zeros((n, n), dtype=np.bool_)
        find_paths(arcs, above)
        mark = np.bitwise_xor.reduce(marks_of(n)[arcs], initial=np.uint64(0))
        gains = np.full((n, n), -np.inf, order="F")
        state = State(
            ledger, asks, list(parents), arcs, above, gains, np.full((3, n), np.inf),
            np.zeros(n), mark, Swaps.none(n), ~ledger.limits.required, arcs.sum(axis=0),
        )  # fmt: skip
        state.refresh(range(n))
        return state

    @property
    def score(self) -> float:
        """The score of the dag: the sum over its families."""
        return float(self.worth.sum())

    @property
    def now(self) -> Parents:
        """The parents of every variable."""
        return tuple(self.parents)

    def refresh(self, heads: Sequence[int]) -> None:
        """Ask anew what changes of these variables' parents would gain."""
        for head in heads:
            who = self.parents[head]
            if self.asks == "none":
                self.worth[head] = self.ledger.family(head, who)
                continue
            known = self.ledger.changes.get((head, who)) or self._ask(head, who)
            self.worth[head], self.gains[:, head], self.bounds[0, head] = known
            if self.asks == "replacing":
                self._ask_swaps(head, who)
        self.loosen(heads)

    def loosen(self, heads: Sequence[int]) -> None:
        """Without arcs to these heads, or with them turned, other things are gained now."""
        if len(heads) == len(self.parents):
            self.bounds[1:] = np.inf
            return
        for head in heads:
            self.bounds[1:, head] = np.inf
            self.bounds[2, self.arcs[head]] = np.inf

    def _ask(self, head: int, who: tuple[int, ...]) -> tuple[float, Floats, float]:
        """The score of a family, what its changes by one parent gain, and the most of that."""
        ledger = self.ledger
        alone, more = ledger.family(head, who), ledger.adding(head, who)
        gains = gained(more, alone).copy()
        gains[list(who)] = gained(ledger.less(head, who), alone)
        known = ledger.changes[head, who] = alone, gains, float(gains.max())
        return known

    def _ask_swaps(self, head: int, who: tuple[int, ...]) -> None:
        fewer = [who[:at] + who[at + 1 :] for at in range(len(who))]
        alone = self.worth[head]
        kept = self.ledger.limits.required[:, head]
        out = [at for at, parent in enumerate(who) if not kept[parent]]
        rows = np.array([gained(self.ledger.adding(head, fewer[at]), alone) for at in out])
        rows = rows.reshape(len(out), self.ledger.n)
        rows[:, list(who)] = -np.inf
        self.swaps.put(head, np.array([who[at] for at in out], dtype=np.int64), rows)

    def scored(self) -> list[tuple[int, int, int]]:
        """Changes whose scores the next step depends on; none where all are scored."""
        return []

    def take_up(self, scored: Sequence[Sequence[int]]) -> None:
        """Be as the dag was when these changes were scored."""
        del scored

    def best(self, visited: Marks) -> Change | None:
        """The best legal change that leads to no visited dag."""
        from tacit.kernels.dags import best_change

        limits, marks = self.ledger.limits, marks_of(self.ledger.n)
        slack = rounding(self.score)
        verb, tail, head, gain = best_change(
            self.gains, self.bounds, self.arcs, self.above, self.free, self.sizes >= limits.most,
            slack, marks, self.mark, visited,
        )  # fmt: skip
        found = Change(VERBS[verb], tail, head, gain) if verb >= 0 else None
        if found is not None and found.verb == "add":
            found = self._either_way(found, slack, visited)
        least = -np.inf if found is None else found.gain
        swap = self.swaps.best(least, slack, self.above, (self.mark, marks, visited))
        return found if swap is None else Change("replace", swap[1], swap[2], swap[0], swap[3])

    def _either_way(self, change: Change, slack: float, visited: Marks) -> Change:
        """The arc, or its reverse if it gains as much and more can be gained after it.

        Where two variables have no other parents, every score that is equal for equivalent dags
        gains the same both ways. The way that meets another parent can be told by how much it
        would gain next.
        """
        other = Change("add", change.head, change.tail, float(self.gains[change.head, change.tail]))
        if not other.gain >= change.gain - slack or not self.legal(other):
            return change
        if (self.mark ^ marks_of(self.ledger.n)[other.tail, other.head]) in visited:
            return change
        return other if self._after(other) > self._after(change) + slack else change

    def _after(self, change: Change) -> float:
        """The most that one more parent of the same variable would gain after an arc was added."""
        head = change.head
        who = tuple(sorted((*self.parents[head], change.tail)))
        rows = gained(self.ledger.adding(head, who), self.ledger.family(head, who))
        return max(0.0, float(rows[~self.above[head]].max(initial=0.0)))

    def gain(self, change: Change) -> float:
        """What a change would gain, asking only for the families it touches."""
        tail, head = change.tail, change.head
        who = set(self.parents[head])
        match change.verb:
            case "add":
                after = {head: who | {tail}}
            case "delete":
                after = {head: who - {tail}}
            case "reverse":
                after = {head: who - {tail}, tail: {*self.parents[tail], head}}
            case _:
                after = {head: who - {change.instead} | {tail}}
        return sum(
            float(gained(self.ledger.family(child, tuple(sorted(now))), self.worth[child]))
            for child, now in after.items()
        )

    def legal(self, change: Change) -> bool:
        """Whether limits and cycles allow a change."""
        from tacit.kernels.dags import legal_reversal

        limits, tail, head = self.ledger.limits, change.tail, change.head
        match change.verb:
            case "add":
                room = len(self.parents[head]) < limits.most[head]
            case "replace":
                room = not limits.required[change.instead, head]
            case "delete":
                return not limits.required[tail, head]
            case _:
                room = len(self.parents[tail]) < limits.most[tail] and limits.allowed[head, tail]
                free = room and not limits.required[tail, head]
                return bool(free and legal_reversal(self.arcs, self.above, tail, head))
        return bool(room and limits.allowed[tail, head] and not self.above[head, tail])

    def make(self, change: Change) -> None:
        """Change the dag."""
        self.refresh(self.turn(change))

    def turn(self, change: Change) -> tuple[int, ...]:
        """Change the arcs alone; the variables whose parents changed."""
        from tacit.kernels.dags import add_paths, find_paths, legal_reversal

        tail, head = change.tail, change.head
        match change.verb:
            case "add":
                self._flip(tail, head)
                add_paths(self.above, tail, head)
                return (head,)
            case "delete":
                alone = legal_reversal(self.arcs, self.above, tail, head)
                self._flip(tail, head)
                if not alone:  # another path leads there, so nobody lost an ancestor
                    return (head,)
            case "reverse":
                self._flip(tail, head)
                self._flip(head, tail)
            case "replace":
                self._flip(change.instead, head)
                self._flip(tail, head)
        find_paths(self.arcs, self.above)
        self.bounds[0] = self.bounds[2] = np.inf  # more may be legal now
        self.swaps.forget()
        return (tail, head) if change.verb == "reverse" else (head,)

    def _flip(self, tail: int, head: int) -> None:
        there = self.arcs[tail, head] = not self.arcs[tail, head]
        who = set(self.parents[head])
        self.parents[head] = tuple(sorted(who | {tail} if there else who - {tail}))
        self.sizes[head] += 1 if there else -1
        self.mark = np.uint64(self.mark ^ marks_of(self.ledger.n)[tail, head])
