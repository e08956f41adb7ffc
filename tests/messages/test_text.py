"""What is said of documents that cannot be learned from."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc

TEXTS, LABELS = ["a cat", "the dog"], ["x", "y"]
MODEL = tc.fit_text(TEXTS, LABELS)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: tc.fit_text(TEXTS, LABELS, kind="gaussian"),
            "kind='gaussian' must be one of: multinomial, bernoulli",
        ),
        (lambda: tc.fit_text([], []), "there is no document to learn from"),
        (
            lambda: tc.fit_text(["", " ."], LABELS),
            "no document holds a word, so there is no dictionary",
        ),
        (
            lambda: tc.fit_text(TEXTS, LABELS, least=3),
            "no word stands in 3 documents, so there is no dictionary",
        ),
        (
            lambda: tc.fit_text("a cat", LABELS),
            "documents are a list of texts, of lists of words, or a matrix of counts, not 'a cat'",
        ),
        (
            lambda: tc.fit_text(["a cat", None], LABELS),
            "document 2 is missing; an empty text is a document without words",
        ),
        (
            lambda: tc.fit_text(["a cat", 3], LABELS),
            "document 2 is a int, neither a text nor a list of words",
        ),
        (
            lambda: tc.fit_text(TEXTS, ["x"]),
            "2 documents need as many classes, not 1",
        ),
        (lambda: tc.fit_text(TEXTS, ["x", None]), "document 2 has no class"),
        (
            lambda: tc.fit_text(TEXTS, "xy"),
            "classes are a list with one per document, not 'xy'",
        ),
        (
            lambda: tc.fit_text(TEXTS, LABELS, states=["x"]),
            "'y' is no state of 'Class'\n\nstates: x",
        ),
        (
            lambda: tc.fit_text(TEXTS, LABELS, target="Word"),
            "variables need names of their own, not Word, Word",
        ),
        (
            lambda: tc.fit_text(np.array([[1, -1], [0, 2]]), LABELS),
            "a count of words is a finite number, 0 or more; the matrix holds others",
        ),
        (
            lambda: tc.fit_text(np.array([[1.0, np.nan], [0, 2]]), LABELS),
            "a count of words is a finite number, 0 or more; the matrix holds others",
        ),
        (
            lambda: tc.fit_text(np.array([["a", "b"], ["c", "d"]]), LABELS),
            "counts of words must be numbers, not <U1",
        ),
        (
            lambda: tc.fit_text(np.ones((2, 3)), LABELS, dictionary=["a", "b"]),
            "a matrix of 3 columns needs as many words, not a dictionary of 2",
        ),
        (
            lambda: tc.fit_text(TEXTS, LABELS, dictionary=["a", "b", "a"]),
            "the dictionary holds a word twice: 'a'",
        ),
        (
            lambda: tc.fit_text(TEXTS, LABELS, weights=[1, -1]),
            "the weight of document 2 is -1; a weight is a finite number, 0 or more",
        ),
        (
            lambda: tc.fit_text(TEXTS, LABELS, weights=[1]),
            "2 documents need as many weights, all numbers",
        ),
        (lambda: tc.words(TEXTS, least=0), "least=0 must be a whole number, 1 or more"),
        (
            lambda: MODEL.predict(["a"], groups=["u"]),
            "this model was learned without groups",
        ),
        (lambda: MODEL.telling("z"), "Class has no state 'z'\n\nstates: x, y"),
        (
            lambda: MODEL.update(["a"], ["z"]),
            "'z' is no state of 'Class'\n\nstates: x, y",
        ),
        (
            lambda: tc.fit_text(
                np.ones((2, 5001)), LABELS, kind="bernoulli", knowledge="P(w1=yes | Class=x) <= 0.2"
            ),
            "a dictionary of 5,001 words would be as many variables of a network; up to 5,000 are "
            "made into one\n\nuse kind='multinomial', or fewer words",
        ),
        (
            lambda: MODEL.counts - 2.0 * MODEL.counts,
            "documents can only be taken away that are among those counted",
        ),
        (lambda: -1 * MODEL.counts, "counts are scaled by a number, 0 or more, not -1"),
    ],
)
def test_the_message_says_what_would_be_right(ask, message):
    with pytest.raises(tc.TacitError) as caught:
        ask()
    assert str(caught.value) == message
