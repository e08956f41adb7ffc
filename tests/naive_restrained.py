"""Posteriors of regressions under rules, by integrals over grids. Nothing here imports what it
checks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats


def conjugate(
    x: np.ndarray, y: np.ndarray, variables: int, weight: float = 1.0
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """The normal-Wishart prior of spread 1 on `variables` reals, and y = (x, 1) β + noise of it:
    the mean of β, A, the squares R and the degrees of freedom, before any case.

    x: (cases, parents); the prior's cases lie at the mean of those seen, as Scales has it.
    """
    t = weight * (variables + 2 - variables - 1) / (weight + 1)
    parents = x.shape[1]
    middle = x.mean(axis=0)
    rows = np.vstack([np.sqrt(t) * np.eye(parents), np.sqrt(weight) * middle])
    design = np.column_stack([rows, [*np.zeros(parents), np.sqrt(weight)]])
    centre = np.append(np.zeros(parents), y.mean())
    return centre, design.T @ design, t, 2 + parents + 1


def grid(
    x: np.ndarray, y: np.ndarray, variables: int, points: int = 90, wide: float = 7.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Slope, level at the mean of x and variance on a grid, and logs of prior and of prior times
    likelihood there: case by case, as they are defined. One parent."""
    centre, precision, squares, freedom = conjugate(x[:, None], y, variables)
    fit = stats.linregress(x, y)
    noise = max(np.std(y - fit.slope * x - fit.intercept), 0.2)
    span = wide * noise / np.sqrt(((x - x.mean()) ** 2).sum())
    slopes = np.linspace(fit.slope - span, fit.slope + span, points)
    step = wide * noise / np.sqrt(x.size)
    levels = np.linspace(y.mean() - step, y.mean() + step, points)
    logs = np.linspace(2 * np.log(noise) - 3.0, 2 * np.log(noise) + 4.0, points)
    slope, level, log = (each.ravel() for each in np.meshgrid(slopes, levels, logs, indexing="ij"))
    beta = np.array([slope, level - slope * x.mean()])
    v = np.exp(log)
    off = beta - centre[:, None]
    prior = stats.invgamma.logpdf(v, freedom / 2, scale=squares / 2)
    quad = np.einsum("in,ij,jn->n", off, precision, off)
    prior += 0.5 * np.linalg.slogdet(precision)[1] - np.log(2 * np.pi * v) - quad / (2 * v)
    both = prior.copy()
    for one, child in zip(x, y, strict=True):
        both += stats.norm.logpdf(child, beta[0] * one + beta[1], np.sqrt(v))
    return np.array([beta[0], beta[1], v]), prior + log, both + log


def restricted(
    x: np.ndarray, y: np.ndarray, variables: int, obeys: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard deviations of slope, intercept and sd where `obeys` holds."""
    numbers, _, logs = grid(x, y, variables)
    kept = obeys(numbers)
    weights = np.where(kept, np.exp(logs - logs[kept].max()), 0.0)
    weights /= weights.sum()
    values = np.array([numbers[0], numbers[1], np.sqrt(numbers[2])])
    mean = values @ weights
    return mean, np.sqrt(((values - mean[:, None]) ** 2) @ weights)


def drawn(
    x: np.ndarray, y: np.ndarray, means: np.ndarray, variables: int, many: int, seed: int
) -> np.ndarray:
    """(draws, parents + 2) β and v of y = (x, 1) β + noise after complete cases, under the same
    prior around `means` of (parents, child)."""
    t, parents = (variables + 2 - variables - 1) / 2, x.shape[1]
    design = np.vstack(
        [np.column_stack([x, np.ones(len(x))]), [*means[:-1], 1.0],
         *(np.append(np.sqrt(t) * row, 0.0) for row in np.eye(parents))]
    )  # fmt: skip
    child = np.concatenate([y, means[-1:], np.zeros(parents)])
    inverse = np.linalg.inv(design.T @ design)
    best = inverse @ design.T @ child
    left = t + ((child - design @ best) ** 2).sum()
    random = np.random.default_rng(seed)
    v = stats.invgamma.rvs(
        (2 + parents + 1 + len(y)) / 2, scale=left / 2, size=many, random_state=random
    )
    beta = best + np.sqrt(v)[:, None] * random.multivariate_normal(
        np.zeros(parents + 1), inverse, many
    )
    return np.column_stack([beta, v])


def weighted(values: np.ndarray, logs: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Means, standard deviations and effective size of draws of these log weights."""
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    mean = weights @ values
    return mean, np.sqrt(weights @ (values - mean) ** 2), float(1 / (weights**2).sum())
