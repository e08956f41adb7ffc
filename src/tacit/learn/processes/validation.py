"""How well processes predict trials that they were not fitted to."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.processes.moments import Layout, ProcessMoments
from tacit.estimate.processes.steps import (
    Shared,
    fit_own,
    log_likelihoods,
    own_rest,
    responses,
    shared_rest,
)
from tacit.learn.diaries import Diary, Form, damaged
from tacit.learn.processes.alternating import Effort, quick

FORM = Form("tacit-processes-checkpoint", "checkpoint", "search for groups", "scores")
MOST = 2**24
"""Numbers of one batch; folds of larger groups are fitted a few at a time."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Log-likelihoods of trials under what was learned from all others.

    folds   the trials of every fold
    scores  per fold, the log-likelihood of its trials in nats
    nested  whether groups were chosen inside the training trials of each fold, so that the score
            is honest about that choice; True where there was nothing to choose
    """

    folds: tuple[tuple[str, ...], ...]
    scores: tuple[float, ...]
    nested: bool = True

    @property
    def total(self) -> float:
        """Of all trials, each held out once."""
        return float(np.sum(self.scores))

    @property
    def average(self) -> float:
        """Per trial: the average log score. [Sec. 2.2.7]"""
        return self.total / sum(map(len, self.folds))

    @property
    def error(self) -> float:
        """The standard error of the average, over folds."""
        sizes = np.array(list(map(len, self.folds)), dtype=np.float64)
        apart = np.array(self.scores) - self.average * sizes
        many = sizes.size
        return float(np.sqrt(many / (many - 1) * (apart @ apart)) / sizes.sum())

    def to_plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "folds": [list(fold) for fold in self.folds],
            "scores": list(self.scores),
            "nested": self.nested,
            "total": self.total,
            "average": self.average,
            "error": self.error,
        }


def fold_scores(parts: ProcessMoments, layout: Layout, effort: Effort) -> Floats:
    """(folds,) the log-likelihood of each part under one shared fit to all other parts."""
    folds = parts.squares.shape[0]
    whole = parts.total()
    size = parts.cross[0].size + parts.gram[0].size
    chunk = max(1, MOST // max(1, size))
    scores = np.empty(folds)
    for first in range(0, folds, chunk):
        held = parts.batch(slice(first, first + chunk))
        left = whole - held
        scores[first : first + chunk] = shared_scores(held, quick(left, layout, effort), layout)
    return scores


def shared_scores(held: ProcessMoments, found: Shared, layout: Layout) -> Floats:
    """(batch,) the log-likelihood of held-out measurements under shared courses."""
    inner, seen = responses(held, found.courses, layout)
    rest = shared_rest(held, inner, seen, found.scales)
    return np.asarray(log_likelihoods(held.counts, rest, found.variances).sum(axis=1))


def own_scores(parts: ProcessMoments, layout: Layout) -> Floats:
    """(folds,) the same for series that share nothing."""
    whole, scores = parts.total(), []
    for fold in range(parts.squares.shape[0]):
        held = parts.batch(slice(fold, fold + 1))
        found = fit_own(whole - held, layout)
        rest = own_rest(held, found.courses)
        scores.append(float(log_likelihoods(held.counts, rest, found.variances).sum()))
    return np.array(scores)


@dataclass(slots=True, eq=False)
class Book:
    """Scores of groups that were asked for before; a checkpoint keeps them.

    A search is a function of its scores, so a search that is taken up again repeats itself from
    the book, up to where it was broken off.
    """

    scores: dict[str, list[float]] = field(default_factory=dict)
    diary: Diary | None = None

    def keep(self, key: str, scores: Floats) -> None:
        """Remember the scores of the folds; `key` tells the group from all others of the work."""
        self.scores[key] = scores.tolist()
        if self.diary is not None and self.diary.due:
            self.diary.write(self.scores)

    def close(self) -> None:
        """Put what is known on disk."""
        if self.diary is not None:
            self.diary.write(self.scores)


def open_book(path: str | Path | None, task: dict[str, Any], resume: bool) -> Book:
    """An empty book, or the one that a checkpoint of the same task holds."""
    if path is None:
        return Book()
    diary = Diary(Path(path), FORM, task)
    book = Book(diary=diary)
    if resume and Path(path).exists():
        found = FORM.resumed(Path(path), task)
        for each in found.values():
            if not isinstance(each, list) or not all(type(value) is float for value in each):
                raise damaged(path)
        book.scores.update(found)
    else:
        book.close()
    return book


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """Scores groups of series on the folds of some training trials.

    parts  the moments of the folds; name: of the training trials, in the keys of the book
    """

    parts: ProcessMoments
    series: Sequence[str]
    layout: Layout
    effort: Effort
    book: Book
    name: str

    def score(self, group: Ints) -> float:
        """The cross-validated log-likelihood of one shared fit to these series."""
        return float(np.sum(self.folds(group)))

    def folds(self, group: Ints) -> Floats:
        """(folds,) the same, fold by fold."""
        names = sorted(self.series[at] for at in group)
        digest = hashlib.sha256(repr(names).encode()).hexdigest()[:16]
        key = f"{self.name}:{digest}"
        if key not in self.book.scores:
            some = self.parts.take(group)
            self.book.keep(key, fold_scores(some, self.layout, self.effort))
        return np.array(self.book.scores[key])
