"""What families are worth, asked once and remembered."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.engines.scoring import Scorer
from tacit.estimate.scores.dag_priors import DagTerms
from tacit.knowledge.limits import Limits

MOST_NUMBERS = 40_000_000
"""Scores that are remembered in rows; then all are forgotten."""
MOST_ALONE = 2_000_000
"""Scores that are remembered one by one; then all are forgotten."""


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
    changes: dict[tuple[int, tuple[int, ...]], tuple[float, Floats, float]] = field(
        default_factory=dict
    )
    _alone: dict[tuple[int, tuple[int, ...]], float] = field(default_factory=dict)
    _rows: dict[tuple[int, tuple[int, ...]], Floats] = field(default_factory=dict)
    _few: dict[tuple[int, tuple[int, ...]], Floats] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """How many variables there are."""
        return len(self.limits.names)

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """The score of the child with these parents, which come in rising order."""
        key = (child, parents)
        known = self._alone.get(key)
        if known is None:
            known = self._among_rows(child, parents)
        if known is None:
            known = -np.inf
            if self.limits.keeps(child, parents):
                known = self.scorer.family(child, parents) + self.prior(child, parents)
            self.evaluations += 1
            if len(self._alone) >= MOST_ALONE:
                self.forget()
        self._alone[key] = known
        return known

    def adding(self, child: int, parents: tuple[int, ...]) -> Floats:
        """The score of the child with each variable as one more parent; -inf where none may be."""
        key = (child, parents)
        rows = self._rows if self.candidates is None else self._few
        row = rows.get(key)
        if row is None:
            if (len(self._rows) + len(self._few) + len(self.changes)) * self.n > MOST_NUMBERS:
                self.forget()
            row = rows[key] = self._row(child, parents)
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
        self._few.clear()
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
        self._rows.clear()
        self._few.clear()
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
            known = self._rows.get((child, parents))
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
            key = (child, parents[:at] + parents[at + 1 :])
            for rows in (self._rows, self._few):
                row = rows.get(key)
                if row is not None and row[parent] > -np.inf:
                    return float(row[parent])
        return None
