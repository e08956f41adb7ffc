"""Posteriors spelled out: grids, rejection and sums over everything that may have happened."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from scipy.special import gammaln


def log_beta_binomial(counts: np.ndarray, alpha: np.ndarray) -> float:
    """log P(sequence with these counts) under a Dirichlet."""
    value = gammaln(alpha.sum()) - gammaln(alpha.sum() + counts.sum())
    return float(value + (gammaln(alpha + counts) - gammaln(alpha)).sum())


def grid_two_states(
    log_density: Callable[[np.ndarray], np.ndarray], low: float, high: float, points: int = 400_001
) -> tuple[float, float, float]:
    """Mean, sd and log constant of a density of one probability on [low, high]."""
    x = np.linspace(low, high, points)
    x = (x[1:] + x[:-1]) / 2
    logs = log_density(x)
    top = logs.max()
    mass = np.exp(logs - top)
    mean = float((x * mass).sum() / mass.sum())
    sd = float(np.sqrt(((x - mean) ** 2 * mass).sum() / mass.sum()))
    return mean, sd, float(top + np.log(mass.sum() * (high - low) / (points - 1)))


def rejected(
    alphas: list[np.ndarray],
    holds: Callable[[list[np.ndarray]], np.ndarray],
    draws: int,
    seed: int,
) -> tuple[list[np.ndarray], float]:
    """Draws of independent Dirichlet rows that obey, and the share that did."""
    random = np.random.default_rng(seed)
    rows = [random.dirichlet(alpha, draws) for alpha in alphas]
    kept = holds(rows)
    assert kept.sum() > 500
    return [row[kept] for row in rows], float(kept.mean())


def every_case(cards: list[int]) -> np.ndarray:
    """All complete cases."""
    return np.array(list(product(*(range(card) for card in cards))))
