"""`fit_text`: documents and their classes in, a naive Bayes model out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.arrays import Floats
from tacit.core.errors import CasesError, OptionError, WeightError, quoted
from tacit.core.grid import counted
from tacit.core.variables import Discrete
from tacit.estimate.estimates import Estimate, Smoothed
from tacit.estimate.priors import Dirichlet, Prior
from tacit.io.states import natural_order
from tacit.knowledge.knowledge import KnowledgeLike
from tacit.learn.text.estimated import KINDS, Task
from tacit.learn.text.evidence import count_words, texts
from tacit.learn.text.model import TextModel, rows_of
from tacit.learn.text.words import Words
from tacit.learn.text.words import words as as_words


def fit_text(  # noqa: PLR0913 - help() and editors show options only if they are spelt out
    documents: Any,
    classes: Any,
    *,
    kind: str = "multinomial",
    dictionary: Sequence[str] | None = None,
    least: int = 1,
    groups: Any = None,
    states: Sequence[str] | None = None,
    weights: npt.ArrayLike | None = None,
    knowledge: KnowledgeLike = None,
    prior: Prior | None = None,
    estimate: Estimate | None = None,
    target: str = "Class",
    word: str = "Word",
    group: str = "Group",
) -> TextModel:
    """Naive Bayes for documents of words:

    maximise  Σ N(c) log P(c) + Σ T(c, w) log P(w | c) + Σ pseudo log θ,

    with T(c, w) how often w is written in documents of class c ("multinomial": all positions of a
    document share one distribution, so their counts are added) or in how many of them it stands
    ("bernoulli": absent words speak, too). Rules say what classes and sub-populations share, such
    as `share P(Word | Author=*, Topic=meeting) { the, a, of }`. [EST 1.8; Niculescu 2005, 8.2]

    documents   texts, lists of words, a matrix of counts (sparse or not), or `tc.words`
    classes     the class of each document
    kind        "multinomial" or "bernoulli"
    dictionary  the words that count; by default all that stand in `least` documents or more
    groups      who wrote each document, or where: class and words depend on it
    states      the classes in their order; by default those that come, in natural order
    weights     how often each document counts
    knowledge   rules about the variables `target`, `word` and `group`
    prior       `tc.Dirichlet(1)` if not given; it speaks of every word in every class
    estimate    `tc.Smoothed()` if not given
    """
    if kind not in KINDS:
        raise OptionError(f"kind={kind!r} must be one of: {', '.join(KINDS)}")
    found = as_words(documents, dictionary, least=least)
    _check_any(found, least)
    variable = _variable(target, classes, "class", states)
    grouped = None if groups is None else _variable(group, groups, "group", None)
    names = [target, word, *([] if grouped is None else [group])]
    if len(set(names)) < len(names):
        raise OptionError(f"variables need names of their own, not {', '.join(map(quoted, names))}")
    task = Task(
        kind,
        variable,
        grouped,
        word,
        found.dictionary,
        prior or Dirichlet(1.0),
        estimate or Smoothed(),
        knowledge,
        {
            "least": least if dictionary is None else None,
            "states": None if states is None else list(map(str, states)),
            "weighted": weights is not None,
        },
    )
    row = rows_of(task, classes, groups, len(found))
    counts = count_words(found, row, task.shape, _weights(weights, len(found)), kind == KINDS[1])
    model = TextModel(task, counts)
    model.log_word  # noqa: B018 - what is wrong with prior or rules is said here, not later
    return model


def _check_any(found: Words, least: int) -> None:
    if not len(found):
        raise CasesError("there is no document to learn from")
    if not found.dictionary:
        what = "document holds a word" if least == 1 else f"word stands in {least:,} documents"
        raise CasesError(f"no {what}, so there is no dictionary")


def _variable(name: str, labels: Any, what: str, states: Sequence[str] | None) -> Discrete:
    if isinstance(labels, str) or not hasattr(labels, "__len__"):
        raise OptionError(f"{what}es are a list with one per document, not {labels!r:.40}")
    if states is not None:
        return Discrete(name, tuple(map(str, states)))
    return Discrete(name, tuple(natural_order(set(texts(labels, what)[0]))))


def _weights(weights: Any, documents: int) -> Floats | None:
    if weights is None:
        return None
    given = np.asarray(weights)
    if given.dtype.kind not in "fiub" or given.shape != (documents,):
        raise WeightError(f"{counted(documents, 'document')} need as many weights, all numbers")
    wrong = ~(np.isfinite(given) & (given >= 0))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise WeightError(
            f"the weight of document {at + 1} is {given[at]:g}; "
            "a weight is a finite number, 0 or more"
        )
    return np.asarray(given, dtype=np.float64)
