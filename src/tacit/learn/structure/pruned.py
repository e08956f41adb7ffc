"""A dag on its way of which only the most promising changes are scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.engines.foresight import Foresight, Ranker
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.state import Change, Parents, State, gained
from tacit.learn.structure.swaps import Marks


@dataclass(slots=True, eq=False)
class Places:
    """The candidates for one place among the parents of a variable: a further one, or another's.

    rank    (n,)  all variables, the most promising first
    scored  (n,)  which of them have been scored
    chosen  the first few that are legal
    """

    rank: Ints
    scored: Bools
    chosen: Ints


@dataclass(slots=True, eq=False)
class Pruned(State):
    """A `State` that scores, for every place among parents, the K best ranked legal candidates,
    and all of those that geometry does not tell of.

    Deletions, and reversals that close no cycle, are scored as ever, and so is whatever is done: a
    step gains what it says. With K = n it is the plain search, move for move. [HV2 3.4]

    most    K
    more    per head, candidates for a further parent
    others  per head, candidates for the place of each of its parents
    """

    ranker: Ranker = field(kw_only=True)
    most: int = field(kw_only=True)
    more: dict[int, Places] = field(default_factory=dict)
    others: dict[int, list[Places]] = field(default_factory=dict)
    asked: Bools = field(default_factory=lambda: np.zeros((0, 0), np.bool_))
    shrunk: bool = True

    @staticmethod
    def begun(ledger: Ledger, parents: Parents, asks: str, ranker: Ranker, most: int) -> Pruned:
        """The dag with these parents, nothing but its families scored yet."""
        plain = State.at(ledger, parents, "none")
        n = ledger.n
        state = Pruned(
            ledger, asks, plain.parents, plain.arcs, plain.above, plain.gains,
            plain.bounds, plain.worth, plain.mark, plain.swaps, plain.free, plain.sizes,
            ranker=ranker, most=most,
        )  # fmt: skip
        state.asked = np.zeros((n, n), np.bool_)
        state.refresh(range(n))
        return state

    def refresh(self, heads: Sequence[int]) -> None:
        """Rank the candidates of these variables anew; what changes gain is asked when needed."""
        ledger = self.ledger
        for head in heads:
            if not self.ranker.tells(head).any():
                State.refresh(self, (head,))
                self.asked[:, head] = True
                continue
            who = self.parents[head]
            alone = ledger.family(head, who)
            self.worth[head] = alone
            self.gains[:, head] = -np.inf
            self.asked[:, head] = False
            self.gains[list(who), head] = gained(ledger.less(head, who), alone)
            self.bounds[0, head] = self.gains[:, head].max()
            self.loosen((head,))
            foreseen = self.ranker.foreseen(head, who)
            self.more[head] = self._places(foreseen.adding)
            if self.asks == "replacing":
                self._rank_swaps(head, foreseen)

    def _rank_swaps(self, head: int, foreseen: Foresight) -> None:
        kept, rows = self.ledger.limits.required[:, head], foreseen.replacing
        who, told = self.parents[head], self.ranker.tells(head)
        outs, places = [], list[Places]()
        for at, parent in enumerate(who):
            if not kept[parent]:
                outs.append(parent)
                fewer = who[:at] + who[at + 1 :]
                row = rows[at] if told[parent] else self.ranker.foreseen(head, fewer).adding
                places.append(self._places(row))
        self.others[head] = places
        scored = np.full((len(outs), self.ledger.n), -np.inf)
        self.swaps.put(head, np.array(outs, dtype=np.int64), scored)

    def _places(self, worth: Floats) -> Places:
        order = np.argsort(-worth, kind="stable")
        n = self.ledger.n
        return Places(order, np.zeros(n, np.bool_), np.zeros(0, np.int64))

    def make(self, change: Change) -> None:
        """Change the dag; paths that went may make legal what was not."""
        self.shrunk = self.shrunk or change.verb != "add"
        State.make(self, change)

    def best(self, visited: Marks) -> Change | None:
        """The best legal change among those that are scored."""
        for head in range(self.ledger.n):
            self._fill(head)
        self._turns()
        self.shrunk = False
        return State.best(self, visited)

    def _legal(self, head: int) -> Bools:
        """Which variables may become a parent, the number of parents aside."""
        legal = self.ledger.limits.allowed[:, head] & ~self.above[head]
        legal[list(self.parents[head])] = False
        legal[head] = False
        return np.asarray(legal)

    def _stale(self, places: Places, head: int) -> bool:
        """Whether other candidates than those chosen may be the first legal ones."""
        if self.shrunk or not places.chosen.size:
            return True
        return bool(self.above[head, places.chosen].any())

    def _fill(self, head: int) -> None:
        """Score the candidates of a variable that are among the first few now."""
        if head not in self.more:
            return
        who, ledger = self.parents[head], self.ledger
        room = len(who) < ledger.limits.most[head]
        more, others = self.more[head], self.others.get(head, [])
        if not any(self._stale(each, head) for each in ((more,) if room else ()) + (*others,)):
            return
        legal = self._legal(head)
        if room:
            for tail in self._first(more, legal, head):
                self._score(int(tail), head)
        for at, places in enumerate(others):
            outs, rows = self.swaps.rows[head]
            kept = tuple(each for each in who if each != outs[at])
            for tail in self._first(places, legal, head):
                score = ledger.family(head, tuple(sorted((*kept, int(tail)))))
                rows[at, tail] = gained(score, float(self.worth[head]))
        if others:
            self.swaps.changed(head)

    def _first(self, places: Places, legal: Bools, head: int) -> Ints:
        """Of those to be scored, the ones that nobody scored yet."""
        places.chosen = self._chosen(places.rank, legal, head)
        new = places.chosen[~places.scored[places.chosen]]
        places.scored[new] = True
        return new

    def _chosen(self, rank: Ints, legal: Bools, head: int) -> Ints:
        """The first few legal ones, and all that geometry does not tell of."""
        open_, told = rank[legal[rank]], self.ranker.tells(head)
        first = open_[told[open_]][: self.most]
        return np.concatenate([first, open_[~told[open_]]])

    def _score(self, tail: int, head: int) -> None:
        if self.asked[tail, head]:
            return
        self.asked[tail, head] = True
        longer = tuple(sorted((*self.parents[head], tail)))
        gain = float(gained(self.ledger.family(head, longer), float(self.worth[head])))
        self.gains[tail, head] = gain
        self.bounds[0, head] = max(self.bounds[0, head], gain)
        self.loosen((head,))

    def _turns(self) -> None:
        """Score the other way round of every arc that can be turned."""
        from tacit.kernels.dags import legal_reversal

        limits = self.ledger.limits
        for head, who in enumerate(self.parents):
            for tail in who:
                room = len(self.parents[tail]) < limits.most[tail]
                if self.asked[head, tail] or not room or not limits.allowed[head, tail]:
                    continue
                if limits.required[tail, head]:
                    continue
                if legal_reversal(self.arcs, self.above, tail, head):
                    self._score(head, tail)

    def _after(self, change: Change) -> float:
        """The most that one of the first few further parents would gain after an arc was added."""
        head, ledger = change.head, self.ledger
        if not self.ranker.tells(head).any():
            return State._after(self, change)
        who = tuple(sorted((*self.parents[head], change.tail)))
        if len(who) >= ledger.limits.most[head]:
            return 0.0
        legal = self._legal(head)
        legal[change.tail] = False
        rank = np.argsort(-self.ranker.foreseen(head, who).adding, kind="stable")
        alone = ledger.family(head, who)
        first = self._chosen(rank, legal, head).tolist()
        longer = (ledger.family(head, tuple(sorted((*who, tail)))) for tail in first)
        return max((0.0, *(float(gained(score, alone)) for score in longer)))
