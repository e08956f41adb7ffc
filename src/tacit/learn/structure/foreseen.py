"""A dag on its way whose changes are scored in the order of what they are foreseen to gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.engines.foresight import Foresight, Ranker
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.state import Change, Parents, State, gained, rounding
from tacit.learn.structure.swaps import Marks

MARGIN, MORE = 0.3, 0.05
"""A further parent may gain more than geometry tells, since all parameters are fitted again: it is
asked about as if it gained so many nats, and such a share, more."""
NOBODY: Ints = np.zeros(0, dtype=np.int64)


@dataclass(slots=True, eq=False)
class Foreseen(State):
    """A `State` whose gains are foreseen until they are scored.

    The change that gains most is taken if it is scored; if it is only foreseen, it is scored first,
    and the best is asked for again. The K best first parents of a variable are always scored:
    there is no curve yet to foresee along; and where no change gains any more, the K best further
    parents of every variable are scored before that is believed. So K
    candidates are chosen over all families together, which the source names as its next step; what
    is done was scored, as ever. Changes that geometry does not tell of are scored at once.
    [Elidan 2004, section 7.7; HV2 10]

    most     K
    sure     (n, n)  whether a gain is scored
    surely   per head, the same of its swaps
    ranks    per head, the variables that geometry tells of as further parents, the most promising
             first
    """

    ranker: Ranker = field(kw_only=True)
    most: int = field(kw_only=True)
    sure: Bools = field(default_factory=lambda: np.zeros((0, 0), np.bool_))
    surely: dict[int, Bools] = field(default_factory=dict)
    ranks: dict[int, Ints] = field(default_factory=dict)

    @staticmethod
    def begun(ledger: Ledger, parents: Parents, asks: str, ranker: Ranker, most: int) -> Foreseen:
        """The dag with these parents, nothing but its families scored yet."""
        plain = State.at(ledger, parents, "none")
        state = Foreseen(
            ledger, asks, plain.parents, plain.arcs, plain.above, plain.gains,
            plain.bounds, plain.worth, plain.mark, plain.swaps, plain.free, plain.sizes,
            ranker=ranker, most=most,
        )  # fmt: skip
        state.sure = np.zeros((ledger.n, ledger.n), np.bool_, order="F")
        state.refresh(range(ledger.n))
        return state

    def refresh(self, heads: Sequence[int]) -> None:
        """Foresee anew what changes of these variables' parents gain."""
        for head in heads:
            if self.ranker.tells(head).any():
                self._foresee(head, self.parents[head])
            else:
                self._score_all(head)

    def _score_all(self, head: int) -> None:
        """Ask what all changes gain, as a plain search does."""
        State.refresh(self, (head,))
        self.sure[:, head], self.ranks[head] = True, NOBODY
        if self.asks == "replacing":
            self.surely[head] = np.ones(self.swaps.rows[head][1].shape, np.bool_)

    def _foresee(self, head: int, who: tuple[int, ...]) -> None:
        self.worth[head] = self.ledger.family(head, who)
        foreseen, told = self.ranker.foreseen(head, who), self.ranker.tells(head)
        self.sure[:, head] = False
        gains = self.gains[:, head] = self._adding(head, who, foreseen)
        order = np.argsort(-gains, kind="stable")
        self.ranks[head] = order[told[order]]
        fewer = self._prior_of_fewer(head, who)
        worth = self.ranker.price(head, who) - self.ranker.price(head, who, -1) if who else 0.0
        self.gains[list(who), head] = foreseen.removing + worth + fewer
        untold = self._open(head, who)
        untold[list(who)] = True
        for tail in np.flatnonzero(untold & ~told).tolist():
            self._score_arc(tail, head)
        for tail in () if who else self._first(head):
            self._score_arc(tail, head)
        self.bounds[0, head] = self.gains[:, head].max()
        self.loosen((head,))
        if self.asks == "replacing":
            self._foresee_swaps(head, who, foreseen, fewer)

    def _open(self, head: int, who: tuple[int, ...]) -> Bools:
        """Which variables may be further parents, cycles aside."""
        limits = self.ledger.limits
        open_ = limits.allowed[:, head] & (len(who) < limits.most[head])
        open_[[*who, head]] = False
        return np.asarray(open_)

    def _adding(self, head: int, who: tuple[int, ...], foreseen: Foresight) -> Floats:
        """What further parents may gain in score; -inf where none may be, or nothing is told."""
        if len(who) >= self.ledger.limits.most[head]:
            return np.full(self.ledger.n, -np.inf)
        k, ranker = len(who), self.ranker
        more = foreseen.adding if foreseen.exact else MARGIN + (1 + MORE) * foreseen.adding
        more = more - (ranker.price(head, who, 1) - ranker.price(head, who))
        if self.ledger.terms is not None:
            size = self.ledger.terms.by_size
            more = more + self.ledger.terms.by_arc[:, head] + size[k + 1] - size[k]
        return np.asarray(np.where(self._open(head, who), more, -np.inf))

    def _prior_of_fewer(self, head: int, who: tuple[int, ...]) -> Floats:
        """What the prior over dags gains by doing without each parent."""
        whole = self.ledger.prior(head, who)
        fewer = (who[:at] + who[at + 1 :] for at in range(len(who)))
        return np.array([self.ledger.prior(head, each) - whole for each in fewer])

    def _foresee_swaps(
        self, head: int, who: tuple[int, ...], foreseen: Foresight, fewer: Floats
    ) -> None:
        limits, terms = self.ledger.limits, self.ledger.terms
        out = [at for at, parent in enumerate(who) if not limits.required[parent, head]]
        rows = foreseen.replacing[out]
        if terms is not None:
            size = terms.by_size
            step = size[len(who)] - size[max(0, len(who) - 1)]
            rows = rows + fewer[out][:, None] + terms.by_arc[:, head] + step
        told = self.ranker.tells(head)
        for row, at in enumerate(out):
            if not told[who[at]]:
                rows[row] = self._instead(head, who[:at] + who[at + 1 :])
        closed = ~limits.allowed[:, head]
        closed[[*who, head]] = True
        rows[:, closed] = -np.inf
        outs = np.array([who[at] for at in out], dtype=np.int64)
        self.swaps.put(head, outs, rows)
        self.surely[head] = np.zeros(rows.shape, np.bool_)
        for tail in np.flatnonzero(~closed & ~told).tolist():
            for instead in outs.tolist():
                self._score(Change("replace", tail, head, 0.0, instead))

    def _instead(self, head: int, fewer: tuple[int, ...]) -> Floats:
        """What parents beside these gain in the place of one that geometry does not tell of: by
        doing without it, which is scored, and then by one more."""
        without = gained(self.ledger.family(head, fewer), float(self.worth[head]))
        adding = self._adding(head, fewer, self.ranker.foreseen(head, fewer))
        return np.where(adding > -np.inf, without + adding, -np.inf)

    def scored(self) -> list[tuple[int, int, int]]:
        """The changes that were foreseen and are scored: tail, head and the parent that goes, or
        -1."""
        told = np.array([self.ranker.tells(head) for head in range(self.ledger.n)]).T
        arcs = [(int(tail), int(head), -1) for tail, head in np.argwhere(self.sure & told)]
        swaps = [
            (int(tail), head, int(self.swaps.rows[head][0][at]))
            for head, sure in self.surely.items()
            for at, tail in np.argwhere(sure & told[:, head])
        ]
        return arcs + swaps

    def take_up(self, scored: Sequence[Sequence[int]]) -> None:
        """Score what was scored when the search was left."""
        before = self.ledger.evaluations
        for tail, head, instead in scored:
            there = int(instead) in self.swaps.rows.get(head, (NOBODY,))[0]
            if instead < 0 or there:
                self._score(Change("add" if instead < 0 else "replace", tail, head, 0.0, instead))
        self.ledger.evaluations = before

    def best(self, visited: Marks) -> Change | None:
        """The best legal change, scored; what is only foreseen to be better is scored first."""
        while True:
            change = State.best(self, visited)
            if change is None or change.gain <= rounding(self.score):
                if self._nothing_missed():
                    return change
            elif self._known(change):
                return change
            else:
                self._score(change)

    def _known(self, change: Change) -> bool:
        tail, head = change.tail, change.head
        if change.verb == "replace":
            at = int(np.flatnonzero(self.swaps.rows[head][0] == change.instead)[0])
            return bool(self.surely[head][at, tail])
        there = bool(self.sure[tail, head])
        return there and (change.verb != "reverse" or bool(self.sure[head, tail]))

    def _score(self, change: Change) -> None:
        tail, head = change.tail, change.head
        if change.verb != "replace":
            self._score_arc(tail, head)
            if change.verb == "reverse":
                self._score_arc(head, tail)
            return
        outs, rows = self.swaps.rows[head]
        at = int(np.flatnonzero(outs == change.instead)[0])
        who = tuple(sorted({*self.parents[head], tail} - {change.instead}))
        rows[at, tail] = gained(self.ledger.family(head, who), float(self.worth[head]))
        self.surely[head][at, tail] = True
        self.swaps.changed(head)

    def _score_arc(self, tail: int, head: int) -> None:
        """Score what adding the arc gains, or deleting it."""
        if self.sure[tail, head]:
            return
        who = tuple(sorted({*self.parents[head]} ^ {tail}))
        self.gains[tail, head] = gained(self.ledger.family(head, who), float(self.worth[head]))
        self.sure[tail, head] = True
        self.bounds[0, head] = self.gains[:, head].max()
        self.loosen((head,))

    def _nothing_missed(self) -> bool:
        """Score the first few further parents of every variable; whether none of them gains."""
        least, limits = rounding(self.score), self.ledger.limits
        before = self.ledger.evaluations
        most = -np.inf
        for head in range(self.ledger.n):
            if len(self.parents[head]) >= limits.most[head]:
                continue
            for tail in self._first(head):
                self._score_arc(tail, head)
                most = max(most, float(self.gains[tail, head]))
        return before == self.ledger.evaluations or most <= least

    def _first(self, head: int) -> list[int]:
        """The most promising further parents that are legal."""
        rank = self.ranks[head]
        legal = self.ledger.limits.allowed[rank, head] & ~self.above[head, rank]
        legal &= ~self.arcs[rank, head] & (rank != head)
        return [int(each) for each in rank[legal][: self.most]]

    def _either_way(self, change: Change, slack: float, visited: Marks) -> Change:
        if not self.sure[change.tail, change.head]:
            return change
        return State._either_way(self, change, slack, visited)

    def _after(self, change: Change) -> float:
        """The most that a further parent is foreseen to gain after an arc was added."""
        head, told = change.head, self.ranker.tells(change.head)
        if not told.any():
            return State._after(self, change)
        who = tuple(sorted((*self.parents[head], change.tail)))
        gains, alone = self._adding(head, who, self.ranker.foreseen(head, who)), None
        for tail in np.flatnonzero(self._open(head, who) & ~told).tolist():
            alone = self.ledger.family(head, who) if alone is None else alone
            gains[tail] = gained(self.ledger.family(head, tuple(sorted((*who, tail)))), alone)
        return max(0.0, float(gains[~self.above[head]].max(initial=0.0)))
