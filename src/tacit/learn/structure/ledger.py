"""What families are worth, asked once and remembered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.engines.scoring import Removing, Scorer
from tacit.estimate.scores.dag_priors import DagTerms
from tacit.knowledge.limits import Limits

MOST_NUMBERS = 40_000_000
"""Scores that are remembered in rows; then all are forgotten."""
MOST_ALONE, MOST_NAMED = 2_000_000, 40_000_000
"""Scores that are remembered one by one, and parents that they name; then all are forgotten."""

Key: TypeAlias = tuple[int, tuple[int, ...]]
"""A child and its parents, in rising order."""


@dataclass(slots=True, eq=False)
class Rows:
    """Scores of children with each variable as one more parent.

    sized  which rows there are, by child and number of parents: the parents as bits and as such
    """

    known: dict[Key, Floats] = field(default_factory=dict)
    sized: dict[tuple[int, int], list[tuple[int, tuple[int, ...]]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.known)

    def get(self, child: int, parents: tuple[int, ...]) -> Floats | None:
        """The row, if it is there."""
        return self.known.get((child, parents))

    def put(self, child: int, parents: tuple[int, ...], row: Floats) -> Floats:
        """Remember a row."""
        self.known[child, parents] = row
        self.sized.setdefault((child, len(parents)), []).append((_bits(parents), parents))
        return row

    def forget(self) -> None:
        """Forget all of them."""
        self.known.clear()
        self.sized.clear()

    def below(self, child: int, parents: tuple[int, ...]) -> Iterator[tuple[int, int, Floats]]:
        """The rows of the parents without two of them, and where those two stand."""
        k = len(parents)
        there = self.sized.get((child, k - 2), [])
        if 2 * len(there) > k * (k - 1):
            pairs = ((a, b) for b in range(k) for a in range(b))
            for a, b in pairs:
                row = self.get(child, (*parents[:a], *parents[a + 1 : b], *parents[b + 1 :]))
                if row is not None:
                    yield a, b, row
            return
        whole = _bits(parents)
        for bits, fewer in there:
            if not bits & ~whole:
                a, b = (at for at, parent in enumerate(parents) if not bits >> parent & 1)
                yield a, b, self.known[child, fewer]


def _bits(parents: tuple[int, ...]) -> int:
    found = 0
    for parent in parents:
        found |= 1 << parent
    return found


@dataclass(slots=True, eq=False)
class Ledger:
    """Scores of families, the prior over dags included, under limits.

    terms        what arcs and numbers of parents add to the score; None: nothing
    candidates   (n, n)  whether the first may be chosen as a parent of the second; None: all that
                 the limits allow. Parents that a dag has already may stay in any case.
    evaluations  families scored so far; a family asked for again costs nothing
    changes      what a dag on its way has worked out from the scores, per child and parents
    """

    scorer: Scorer
    limits: Limits
    terms: DagTerms | None = None
    candidates: Bools | None = None
    evaluations: int = 0
    changes: dict[Key, tuple[float, Floats, float]] = field(default_factory=dict)
    _alone: dict[Key, float] = field(default_factory=dict)
    _named: int = 0
    _rows: Rows = field(default_factory=Rows)
    _few: Rows = field(default_factory=Rows)
    _removing: Removing | None = None

    def __post_init__(self) -> None:
        self._removing = self.scorer if isinstance(self.scorer, Removing) else None

    @property
    def n(self) -> int:
        """How many variables there are."""
        return len(self.limits.names)

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """The score of the child with these parents, which come in rising order."""
        key = (child, parents)
        known = self._alone.get(key)
        if known is not None:
            return known
        known = self._among_rows(child, parents)
        if known is None:
            known = -np.inf
            if self.limits.keeps(child, parents):
                known = self.scorer.family(child, parents) + self.prior(child, parents)
            self.evaluations += 1
        self._make_room()
        self._alone[key] = known
        self._named += len(parents)
        return known

    def less(self, child: int, parents: tuple[int, ...]) -> Floats:
        """(parents,) the score of the child without each of its parents, as `family` has it; those
        that nobody asked for yet are scored together."""
        fewer = [(child, parents[:at] + parents[at + 1 :]) for at in range(len(parents))]
        if self._removing is None:
            return np.array([self.family(*key) for key in fewer])
        known = [self._alone.get(key) for key in fewer]
        if None in known:
            nearby = self._near_rows(child, parents)
            known = [nearby.get(at) if each is None else each for at, each in enumerate(known)]
        open_ = [at for at, each in enumerate(known) if each is None]
        found = np.array([-np.inf if each is None else each for each in known])
        kept = self.limits.keeps(child, parents)
        asked = [at for at in open_ if kept or self.limits.keeps(*fewer[at])]
        if asked:
            found[asked] = self._removing.without(child, parents, np.array(asked))
            if self.terms is not None:
                found[asked] += [self.prior(*fewer[at]) for at in asked]
        self.evaluations += len(open_)
        self._make_room()
        self._alone.update(zip(fewer, found.tolist(), strict=True))
        self._named += len(open_) * (len(parents) - 1)
        return found

    def _make_room(self) -> None:
        if len(self._alone) >= MOST_ALONE or self._named >= MOST_NAMED:
            self.forget()

    def adding(self, child: int, parents: tuple[int, ...]) -> Floats:
        """The score of the child with each variable as one more parent; -inf where none may be."""
        rows = self._rows if self.candidates is None else self._few
        row = rows.get(child, parents)
        if row is None:
            if (len(self._rows) + len(self._few) + len(self.changes)) * self.n > MOST_NUMBERS:
                self.forget()
            row = rows.put(child, parents, self._row(child, parents))
        return row

    def choose(self, parents: tuple[tuple[int, ...], ...], many: int) -> None:
        """Make the `many` most promising variables of each child its only candidates.

        The parents that it has come first, then whoever scores best as one more of them, so that
        what the parents tell already is not chosen again. Where no more parents may be, those are
        chosen that would score best alone. [Friedman, Nachman, Pe'er 1999, the score measure]
        """
        self.candidates = None
        chosen = np.zeros((self.n, self.n), dtype=np.bool_)
        for child, who in enumerate(parents):
            room = len(who) < self.limits.most[child]
            row = self.adding(child, who if room else ()).copy()
            row[list(who)] = -np.inf
            best = np.argsort(-row, kind="stable")[: max(0, many - len(who))]
            chosen[best[row[best] > -np.inf], child] = True
            chosen[list(who), child] = True
        self.candidates = chosen
        self._few.forget()
        self.changes.clear()

    def candidate(self, tail: int, head: int) -> bool:
        """Whether `tail` is among those that parents of `head` are chosen from."""
        return self.candidates is None or bool(self.candidates[tail, head])

    def total(self, parents: tuple[tuple[int, ...], ...]) -> float:
        """The score of a dag: the sum over its families."""
        return float(sum(self.family(child, who) for child, who in enumerate(parents)))

    def prior(self, child: int, parents: tuple[int, ...]) -> float:
        """What the prior over dags adds to a family."""
        if self.terms is None:
            return 0.0
        by_arc = self.terms.by_arc[list(parents), child].sum() if parents else 0.0
        return float(by_arc + self.terms.by_size[len(parents)])

    def forget(self) -> None:
        """Forget all scores; the count of evaluations stays."""
        self._alone.clear()
        self._named = 0
        self._rows.forget()
        self._few.forget()
        self.changes.clear()

    def _row(self, child: int, parents: tuple[int, ...]) -> Floats:
        row = np.full(self.n, -np.inf)
        if len(parents) >= self.limits.most[child]:
            return row
        open_ = self.limits.allowed[:, child].copy()
        open_[list(parents)] = False
        open_[child] = False
        keeping = self.limits.keeping(child, parents)
        open_ = open_ if keeping is None else open_ & keeping
        if self.candidates is not None:
            open_ &= self.candidates[:, child]
            known = self._rows.get(child, parents)
            if known is not None:
                return np.asarray(np.where(open_, known, -np.inf))
        asked = np.flatnonzero(open_)
        if asked.size:
            row[asked] = self.scorer.adding(child, parents, asked)
            self.evaluations += int(asked.size)
        if self.terms is not None:
            size = self.terms.by_size
            more = self.prior(child, parents) - size[len(parents)] + size[len(parents) + 1]
            row += more + self.terms.by_arc[:, child]
        return row

    def _among_rows(self, child: int, parents: tuple[int, ...]) -> float | None:
        for at, parent in enumerate(parents):
            fewer = parents[:at] + parents[at + 1 :]
            for rows in (self._rows, self._few):
                row = rows.get(child, fewer)
                if row is not None and row[parent] > -np.inf:
                    return float(row[parent])
        return None

    def _near_rows(self, child: int, parents: tuple[int, ...]) -> dict[int, float]:
        """What `_among_rows` has for the parents without each of them, by its place; of several
        the one that it comes to first."""
        found = dict[int, tuple[int, int, float]]()
        for order, rows in enumerate((self._rows, self._few)):
            for a, b, row in rows.below(child, parents):
                for out, more in ((a, b), (b, a)):
                    score = float(row[parents[more]])
                    if score > -np.inf and (out not in found or (more, order) < found[out][:2]):
                        found[out] = more, order, score
        return {out: score for out, (*_, score) in found.items()}
