"""Naive Bayes for documents, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logsumexp

from tacit.arrays import Floats, Ints, shares_of_logs
from tacit.core.errors import OptionError, nearest, quoted
from tacit.core.grid import Grid, counted
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.learn.fits import Fit
from tacit.learn.structures import NUMBERS_UNUSED
from tacit.learn.text.estimated import Task, fit_of, learned, log_words, network_of
from tacit.learn.text.evidence import TextCounts, coded, count_words
from tacit.learn.text.prediction import TextPrediction
from tacit.learn.text.words import words as as_words

TOLD = 8
"""Words per class that are shown as the most telling."""


@dataclass(frozen=True, eq=False, repr=False)
class TextModel:
    """Classes of documents and their words.

    multinomial  each word of a document is drawn by itself from P(word | class), the same at every
                 position
    bernoulli    each word of the dictionary stands in the document or not, given the class

    task    kind, variables, dictionary, prior, estimate, rules
    counts  the evidence; more of it makes a new model: `update`

    The parameters are estimated when they are first asked for, so that batches cost their counting.
    """

    task: Task
    counts: TextCounts

    @cached_property
    def _learned(self) -> tuple[Floats, Floats, Fit | None]:
        return learned(self.task, self.counts)

    @property
    def log_class(self) -> Floats:
        """(groups, classes) log P(group, class)."""
        return self._learned[0]

    @property
    def log_word(self) -> Floats:
        """(groups, classes, words) log P(word | group, class); of "bernoulli" that it stands."""
        return self._learned[1]

    @property
    def ruled(self) -> Fit | None:
        """The fit of the network, where rules asked for one."""
        return self._learned[2]

    @property
    def kind(self) -> str:
        """`multinomial` or `bernoulli`."""
        return self.task.kind

    @property
    def classes(self) -> Discrete:
        """The variable that is predicted."""
        return self.task.target

    @property
    def dictionary(self) -> tuple[str, ...]:
        """The words that count."""
        return self.task.dictionary

    @property
    def network(self) -> Network:
        """The same as an ordinary network: class and one word, or class and every word."""
        if self.ruled is None and self.kind == "bernoulli":
            return network_of(self)
        return self.fit.network

    @property
    def fit(self) -> Fit:
        """The fit of that network, with rules, prices and intervals, for `tc.report`."""
        return self.ruled if self.ruled is not None else fit_of(self.task, self.counts)

    def update(
        self, documents: Any, classes: Any, *, groups: Any = None, weights: Any = None
    ) -> TextModel:
        """The model of these documents and all before; words new to it are counted as unknown."""
        task = self.task
        found = as_words(documents, task.dictionary)
        row = rows_of(task, classes, groups, len(found))
        more = count_words(found, row, task.shape, weights, task.kind == "bernoulli")
        return TextModel(task, self.counts + more)

    def predict(self, documents: Any, *, groups: Any = None) -> TextPrediction:
        """P(class | words) of documents; where groups are not said, they are summed out."""
        found = as_words(documents, self.dictionary)
        size, (groups_, classes) = len(found), self.task.shape
        joint = log_words(self.kind, found.counts, self.log_word.reshape(groups_ * classes, -1))
        joint = joint.reshape(size, groups_, classes) + self.log_class
        if groups is None:
            whole = logsumexp(joint, axis=1) if groups_ > 1 else joint[:, 0]
        else:
            whole = joint[np.arange(size), group_codes(self.task, groups, size)]
        log_joint = np.asarray(whole, dtype=np.float64)
        probability = shares_of_logs(log_joint)
        return TextPrediction(self.classes, probability, log_joint, found.known, found.unknown)

    def telling(self, state: str, most: int = TOLD) -> list[tuple[str, float]]:
        """Words that speak most for a class: log of how much more frequent they are than in others.

        Among words in documents of the class, by P(word | class) log P(word | class) / P(word |
        other classes), which is what one word adds to the log odds, as often as it comes.
        """
        if state not in self.classes.states:
            raise OptionError(
                f"{quoted(self.classes.name)} has no state {state!r}"
                f"{nearest(state, self.classes.states)}"
                f"\n\nstates: {', '.join(self.classes.states)}"
            )
        at = self.classes.states.index(state)
        joint = self.log_class[:, :, None] + self.log_word
        inside = logsumexp(joint[:, at], axis=0) - logsumexp(self.log_class[:, at])
        rest = [other for other in range(len(self.classes.states)) if other != at]
        if not rest:
            return []
        outside = logsumexp(joint[:, rest], axis=(0, 1)) - logsumexp(self.log_class[:, rest])
        with np.errstate(invalid="ignore"):
            apart = inside - outside
        worth = np.where(np.isfinite(apart), np.exp(inside) * apart, -np.inf)
        best = np.argsort(-worth, kind="stable")[:most]
        return [(self.dictionary[place], float(apart[place])) for place in best if worth[place] > 0]

    def grid(self) -> Grid:
        """A line per class: its share, documents, and the words that speak most for it."""
        shares = np.exp(logsumexp(self.log_class, axis=0))
        documents = self.counts.documents.sum(axis=0)
        rows = tuple(
            (
                state,
                f"{share:.3f}",
                f"{many:,.6g}",
                ", ".join(word for word, _ in self.telling(state)),
            )
            for state, share, many in zip(self.classes.states, shares, documents, strict=True)
        )
        heads = (self.classes.name, "share", "documents", "speaking for it")
        notes = "\n".join(f"note: {note}" for note in self.notes)
        return Grid(repr(self)[1:-1], heads, rows, foot=notes)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know: words left out, and what the fit notes."""
        said = () if self.ruled is None else self.ruled.notes
        told = tuple(note for note in said if note != NUMBERS_UNUSED)
        if not self.counts.unknown:
            return told
        return (
            f"{self.counts.unknown:,.6g} written words were not in the dictionary, and not counted",
            *told,
        )

    def __repr__(self) -> str:
        documents = counted(round(float(self.counts.documents.sum())), "document")
        states = len(self.classes.states)
        classes = "1 class" if states == 1 else f"{states} classes"
        return (
            f"<TextModel, {self.kind}, of {documents}, {classes}, {len(self.dictionary):,} words>"
        )

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def rows_of(task: Task, classes: Any, groups: Any, documents: int) -> Ints:
    """(documents,) group * classes + class of each."""
    found = coded(classes, task.target, "class")
    if found.size != documents:
        raise OptionError(
            f"{counted(documents, 'document')} need as many classes, not {found.size:,}"
        )
    if task.group is None:
        if groups is not None:
            raise OptionError("this model was learned without groups")
        return found
    return group_codes(task, groups, documents) * len(task.target.states) + found


def group_codes(task: Task, groups: Any, documents: int) -> Ints:
    """(documents,) the group of each."""
    if task.group is None or groups is None:
        raise OptionError(
            "this model was learned without groups"
            if task.group is None
            else "this model was learned with groups: say groups= for every document"
        )
    found = coded(groups, task.group, "group")
    if found.size != documents:
        raise OptionError(
            f"{counted(documents, 'document')} need as many groups, not {found.size:,}"
        )
    return found
