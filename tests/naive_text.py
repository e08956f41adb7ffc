"""Naive Bayes for documents, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

Document = Sequence[str]


def multinomial(
    documents: Sequence[Document], classes: Sequence[str], dictionary: Sequence[str], alpha: float
) -> dict[str, dict[str, float]]:
    """P(word | class) = (T + a) / Σ (T + a), T counted over all positions of all documents."""
    found = {}
    for one in sorted(set(classes)):
        times = dict.fromkeys(dictionary, alpha)
        for document, label in zip(documents, classes, strict=True):
            if label == one:
                for word in document:
                    if word in times:
                        times[word] += 1
        total = sum(times.values())
        found[one] = {word: times[word] / total for word in dictionary}
    return found


def posterior(
    document: Document, shares: dict[str, float], words: dict[str, dict[str, float]]
) -> dict[str, float]:
    """P(class | document), every word of it drawn by itself; words of no dictionary say nothing."""
    joint = {}
    for label, share in shares.items():
        value = log(share)
        for word in document:
            if word in words[label]:
                value += log(words[label][word])
        joint[label] = exp(value)
    total = sum(joint.values())
    return {label: value / total for label, value in joint.items()}
