"""Posteriors under rules, the slow way: rejection, quadrature, and diagnostics as they are defined.

A rule here: (cells, factors, limit, equal), as the tests write them.
"""

from __future__ import annotations

import numpy as np


def obeys(theta, rules):
    """(...,) whether each vector of cells obeys the inequalities."""
    fine = np.ones(theta.shape[:-1], dtype=bool)
    for cells, factors, limit, equal in rules:
        assert not equal
        fine &= theta[..., list(cells)] @ np.array(factors, dtype=float) <= limit
    return fine


def rejected(lengths, rules, alpha, size, seed):
    """(size, n) independent draws of Dirichlet rows that obey the rules."""
    random, kept, have = np.random.default_rng(seed), [], 0
    ends = np.cumsum(lengths)
    while have < size:
        rows = [
            random.dirichlet(alpha[end - length : end], 50_000)
            for length, end in zip(lengths, ends, strict=True)
        ]
        theta = np.concatenate(rows, axis=1)
        theta = theta[obeys(theta, rules)]
        assert len(theta) > 50, "rules that are hardly ever obeyed"
        kept.append(theta)
        have += len(theta)
    return np.concatenate(kept)[:size]


def grid(cells_at, log_density, rules, steps=1500, box=((0.0, 1.0), (0.0, 1.0))):
    """Mean and standard deviation of every cell by the midpoint rule over two free coordinates.

    cells_at     (m, 2) -> (m, n): the cells at these coordinates
    log_density  (m, n) -> (m,)
    """
    (a, b), (c, d) = box
    x = a + (b - a) * (np.arange(steps) + 0.5) / steps
    y = c + (d - c) * (np.arange(steps) + 0.5) / steps
    theta = cells_at(np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2))
    theta = theta[(theta > 0).all(axis=1)]
    theta = theta[obeys(theta, rules)]
    heights = log_density(theta)
    weights = np.exp(heights - heights.max())
    weights /= weights.sum()
    mean = weights @ theta
    return mean, np.sqrt(weights @ (theta - mean) ** 2)


def dirichlet(alpha):
    """Its log density, up to a constant."""
    return lambda theta: np.log(theta) @ (np.asarray(alpha, dtype=float) - 1)


def autocovariance(series, lag):
    mean, size = sum(series) / len(series), len(series)
    return sum((series[at] - mean) * (series[at + lag] - mean) for at in range(size - lag)) / size


def effective_size(chains):
    """Of the mean of (chains, draws); Vehtari et al. 2021, equations 10 to 13, word by word."""
    chains = [list(map(float, each)) for each in chains]
    number, size = len(chains), len(chains[0])
    means = [sum(each) / size for each in chains]
    variances = [autocovariance(each, 0) * size / (size - 1) for each in chains]
    within = sum(variances) / number
    middle = sum(means) / number
    between = sum((mean - middle) ** 2 for mean in means) / (number - 1)
    total = within * (size - 1) / size + between
    rho = [1.0]
    for lag in range(1, size):
        shared = sum(autocovariance(each, lag) for each in chains) / number
        rho.append(1 - (within - shared) / total)
    pairs = []
    for at in range(0, size - 1, 2):
        pair = rho[at] + rho[at + 1]
        if pair < 0:
            break
        pairs.append(min(pair, pairs[-1]) if pairs else pair)
    time = max(-1 + 2 * sum(pairs), 1 / np.log10(number * size))
    return number * size / time


def rhat(chains):
    """√ of the variance of all over that within chains."""
    chains = np.asarray(chains, dtype=float)
    size = chains.shape[1]
    within = np.mean([np.var(each, ddof=1) for each in chains])
    between = size * np.var([np.mean(each) for each in chains], ddof=1)
    return float(np.sqrt(((size - 1) / size * within + between / size) / within))
