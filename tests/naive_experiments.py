"""The estimates and measures of the papers' experiments as they are printed, spelled out slowly."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from tacit.arrays import Bools, Floats


def standard(counts: Sequence[float]) -> list[float]:
    """MAP with Dirichlet 2 on each value: (N_j + 1) / (n + values)."""
    total = sum(counts) + len(counts)
    return [(count + 1) / total for count in counts]


def shared_within(counts: Sequence[float], groups: Sequence[Sequence[int]]) -> list[float]:
    """MAP with constrained Dirichlet k + 1: (N_i + k_i) / (k_i (n + values)). [Thm 4.3.1]"""
    total = sum(counts) + len(counts)
    theta = standard(counts)
    for group in groups:
        held = sum(counts[at] for at in group) + len(group)
        for at in group:
            theta[at] = held / (len(group) * total)
    assert abs(sum(theta) - 1) < 1e-12
    return theta


def shared_across(counts: Floats, shared: Bools) -> Floats:
    """MAP of distributions that share some parameters: Dirichlet 7 there, 2 elsewhere. [Thm 4.7.1]

    counts (authors, words), shared (words,). With N_g the counts of a shared word over all authors,
    N_lc those of a word of one author alone, L all of the latter and T everything:
    θ_g = N_g / T, θ_lc = L / T N_lc / Σ_l N_lc; 6 = 7 - 1 and 1 = 2 - 1 are added beforehand.
    """
    authors, words = counts.shape
    together = {w: sum(counts[a, w] for a in range(authors)) + 6 for w in range(words) if shared[w]}
    alone = [{w: counts[a, w] + 1 for w in range(words) if not shared[w]} for a in range(authors)]
    left = sum(sum(each.values()) for each in alone)
    total = sum(together.values()) + left
    theta = np.empty((authors, words))
    for a in range(authors):
        for w in range(words):
            if shared[w]:
                theta[a, w] = together[w] / total
            else:
                theta[a, w] = left / total * alone[a][w] / sum(alone[a].values())
        assert abs(theta[a].sum() - 1) < 1e-9
    return theta


def kl(truth: Sequence[float], other: Sequence[float]) -> float:
    """Σ p log(p / q), in nats."""
    return sum(p * log(p / q) for p, q in zip(truth, other, strict=True) if p)


def kl_of_one_word(truth: Sequence[Floats], other: Sequence[Floats]) -> float:
    """KL(author) + Σ P(a) KL(topic | a) + Σ P(a, t) KL(word | a, t), tables in this order."""
    author, topic, word = truth
    found = kl(author, other[0])
    for a, p in enumerate(author):
        found += p * kl(topic[a], other[1][a])
        for t, q in enumerate(topic[a]):
            found += p * q * kl(word[a, t], other[2][a, t])
    return float(found)


def topic_of(author: int, words: Sequence[int], topic: Floats, word: Floats) -> int:
    """The more probable topic of an email: argmax log P(t | a) + Σ log P(w | a, t)."""
    scores = [
        log(topic[author, t]) + sum(log(word[author, t, w]) for w in words)
        for t in range(topic.shape[1])
    ]
    return int(np.argmax(scores))


def first_as_near(curve: Sequence[float], target: float) -> int | None:
    """The least number of cases, 1, 2, ..., after which a curve is at or below the target."""
    for cases, value in enumerate(curve, 1):
        if value <= target:
            return cases
    return None
