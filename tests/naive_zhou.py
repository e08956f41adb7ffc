"""Zhou et al. (2015) spelled out: one row, one candidate, one cell at a time."""

from __future__ import annotations

from itertools import permutations
from math import inf, lgamma, log

import numpy as np

FLOOR = 1e-5


def distance_of_rows(p, q) -> float:
    """½ Σ p ln(p / max(q, ε)) + q ln(q / max(p, ε)), 0 ln 0 = 0."""
    total = 0.0
    for one, other in zip(p, q, strict=True):
        if one > 0:
            total += one * log(one / max(other, FLOOR))
        if other > 0:
            total += other * log(other / max(one, FLOOR))
    return total / 2


def log_beta(alpha) -> float:
    return sum(lgamma(a) for a in alpha) - lgamma(sum(alpha))


def log_predictive(source, target) -> float:
    """ln P(target given source), one table with K2 priors; tables are lists of rows."""
    return sum(
        log_beta([s + t + 1 for s, t in zip(ours, theirs, strict=True)])
        - log_beta([s + 1 for s in ours])
        for ours, theirs in zip(source, target, strict=True)
    )


def laid_out(table, order):
    """A table (parents..., child) as rows, its parents in this order."""
    moved = np.transpose(table, (*order, table.ndim - 1))
    return moved.reshape(-1, table.shape[-1])


def every_candidate(sources, shape):
    """(source, fragment, order, rows) of every fragment that can be laid over the shape."""
    for which, tables in enumerate(sources):
        for number, table in enumerate(tables):
            for order in permutations(range(table.ndim - 1)):
                if tuple(table.shape[at] for at in order) + table.shape[-1:] == shape:
                    yield which, number, order, laid_out(table, order)


def best_fitness(sources, target, keeps) -> float:
    """The largest log predictive probability of candidates whose rows keep the rules."""
    rows = target.reshape(-1, target.shape[-1])
    found = [
        log_predictive(each, rows)
        for _, _, _, each in every_candidate(sources, target.shape)
        if keeps(each)
    ]
    return max(found, default=-inf)


def shares(rows):
    """Most likely rows; zeros where there are no cases."""
    return [[n / sum(row) if sum(row) else 0.0 for n in row] for row in rows]


def nearest(sources, target) -> float:
    """The smallest distance between most likely tables, averaged over rows."""
    ours = shares(target.reshape(-1, target.shape[-1]))
    return min(
        float(np.mean([distance_of_rows(p, q) for p, q in zip(ours, shares(each), strict=True)]))
        for _, _, _, each in every_candidate(sources, target.shape)
    )


def mean_of_two(yes, no, centre, spread, low, high) -> float:
    """The mean of θ under θ^2yes (1-θ)^2no exp(-2 (θ - centre)² / 2 spread²) in [low, high]."""
    theta = np.linspace(low, high, 200_001)
    inside = np.clip(theta, 1e-300, 1 - 1e-16)
    logs = 2 * yes * np.log(inside) + 2 * no * np.log1p(-inside)
    logs -= ((theta - centre) / spread) ** 2
    density = np.exp(logs - logs.max())
    density[[0, -1]] /= 2
    mean = float((theta * density).sum() / density.sum())
    assert low <= mean <= high
    return mean
