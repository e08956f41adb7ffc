"""Cross-validation and marginal likelihoods spelled out case by case, for tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import log

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
