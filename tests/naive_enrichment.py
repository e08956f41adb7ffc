"""What children say about each other given a hidden variable, spelled out case by case.

Nothing of what it checks is imported. `shares` are arrays (cases, states), `weights` (cases,).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from math import log

import numpy as np

Cases = Sequence[Mapping[str, int]]


def conditional_entropy(cases: Cases, weights, shares, group: Sequence[str], within=None) -> float:
    """H(group | T) over the cases that have all of `within`, the group unless given."""
    both: dict[tuple, float] = defaultdict(float)
    alone: dict[int, float] = defaultdict(float)
    for case, weight, share in zip(cases, weights, shares, strict=True):
        if all(name in case for name in (within or group)):
            for state, chance in enumerate(share):
                key = tuple(case[name] for name in group)
                both[key, state] += weight * chance
                alone[state] += weight * chance
    total = sum(alone.values())
    return -sum(
        mass / total * log(mass / alone[state]) for (_, state), mass in both.items() if mass > 0
    )


def total_correlation(cases: Cases, weights, shares, group: Sequence[str]) -> float:
    """Σ H(X_i | T) - H(group | T)."""
    apart = sum(conditional_entropy(cases, weights, shares, [name], group) for name in group)
    return apart - conditional_entropy(cases, weights, shares, group)


def best_tables(cases: Cases, weights, first, second, group: Sequence[str], cards):
    """The M-step's P(T2 | T1) and P(X_i | T2), T1 and T2 independent given the case."""
    link = np.zeros((first.shape[1], second.shape[1]))
    leaves = {name: np.zeros((second.shape[1], cards[name])) for name in group}
    for at, (case, weight) in enumerate(zip(cases, weights, strict=True)):
        for one, two in product(range(first.shape[1]), range(second.shape[1])):
            link[one, two] += weight * first[at, one] * second[at, two]
        for name in group:
            for two in range(second.shape[1]):
                leaves[name][two, case[name]] += weight * second[at, two]
    link /= link.sum(axis=1, keepdims=True)
    return link, {name: table / table.sum(axis=1, keepdims=True) for name, table in leaves.items()}


def explained(cases: Cases, weights, first, second, group: Sequence[str], cards) -> float:
    """E_Q[Σ log P'(X_i | T2) + log P'(T2 | T1)] at the M-step's P'."""
    link, leaves = best_tables(cases, weights, first, second, group, cards)
    total = 0.0
    for at, (case, weight) in enumerate(zip(cases, weights, strict=True)):
        for one, two in product(range(first.shape[1]), range(second.shape[1])):
            if first[at, one] * second[at, two] == 0:
                continue
            said = log(link[one, two]) + sum(log(leaves[name][two, case[name]]) for name in group)
            total += weight * first[at, one] * second[at, two] * said
    return total / float(np.sum(weights))
