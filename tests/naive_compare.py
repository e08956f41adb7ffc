"""Cross-validation and marginal likelihoods spelled out case by case, for tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import log, sqrt

import numpy as np

Case = tuple[int, ...]
Place = tuple[object, int]
"""Which distribution a factor of a case belongs to, and which state it takes there."""


def log_predictives(
    cases: Sequence[Case],
    places: Callable[[Case], Sequence[Place]],
    alpha: Callable[[object], Sequence[float]],
) -> float:
    """Σ log P(case given all earlier ones): every factor is an urn that learns as it goes.

    Places that rules make one distribution have the same name; `alpha` is of that distribution.
    """
    seen: Counter[Place] = Counter()
    total = 0.0
    for case in cases:
        for name, state in places(case):
            prior = alpha(name)
            drawn = [seen[name, other] + prior[other] for other in range(len(prior))]
            total += log(drawn[state] / sum(drawn))
            seen[name, state] += 1
    return total


def held_out(
    cases: Sequence[Case],
    fold: Sequence[int],
    places: Callable[[Case], Sequence[Place]],
    alpha: Callable[[object], Sequence[float]],
    weights: Sequence[float] | None = None,
) -> list[float]:
    """log P of every case under (N + alpha) / Σ (N + alpha), N counted outside its fold."""
    found = []
    for case, own in zip(cases, fold, strict=True):
        seen: Counter[Place] = Counter()
        for at, (other, where) in enumerate(zip(cases, fold, strict=True)):
            if where != own:
                for place in places(other):
                    seen[place] += 1.0 if weights is None else weights[at]
        total = 0.0
        for name, state in places(case):
            held = [seen[name, each] + extra for each, extra in enumerate(alpha(name))]
            total += log(held[state] / sum(held))
        found.append(total)
    assert len(found) == len(cases)
    return found


def log_gain(
    counts: np.ndarray, holds: Callable[[np.ndarray], np.ndarray], draws: int, seed: int
) -> tuple[float, float]:
    """log P(rules given cases) - log P(rules) by rejection, uniform rows; and its standard error.

    That is by how much rules that only exclude raise the log marginal likelihood.
    """
    random = np.random.default_rng(seed)
    value, variance = 0.0, 0.0
    for alpha, sign in ((counts + 1, 1), (np.ones_like(counts), -1)):
        rows = [random.dirichlet(row, draws) for row in alpha]
        kept = float(holds(np.stack(rows, axis=1)).mean())
        assert kept * draws > 1_000
        value += sign * log(kept)
        variance += (1 - kept) / (kept * draws)
    return value, sqrt(variance)
