"""Scores of Gaussian families as their definitions read: least squares, and densities of t."""

from __future__ import annotations

from itertools import product
from math import lgamma, log, pi, prod

import numpy as np


def least_squares(child, parents):
    """Coefficients, intercept last, and the residuals."""
    design = np.column_stack([*parents, np.ones(len(child))])
    solution, _, rank, _ = np.linalg.lstsq(design, child, rcond=None)
    assert rank == design.shape[1]
    return solution, child - design @ solution


def normal_log_likelihood(residuals, variance):
    return sum(-0.5 * log(2 * pi * variance) - r * r / (2 * variance) for r in residuals)


def gaussian_log_likelihood(child, parents):
    """The greatest log-likelihood of a linear Gaussian family."""
    _, residuals = least_squares(child, parents)
    return normal_log_likelihood(residuals, float(np.mean(residuals**2)))


def gaussian_score(child, parents, per_parameter):
    return gaussian_log_likelihood(child, parents) - per_parameter * (len(parents) + 2)


def configurations(columns, sizes):
    """Every configuration of the discrete parents, with the cases that have it."""
    for configuration in product(*map(range, sizes)):
        has = np.ones(len(columns[0]), dtype=bool) if columns else None
        for column, code in zip(columns, configuration, strict=True):
            has &= column == code
        yield configuration, has


def conditional_score(child, parents, discrete, sizes, per_parameter):
    """One regression per configuration; one with too few cases takes that of all cases.

    Too few are no more than it has parameters: a coefficient per parent, intercept and variance.
    """
    total, parameters = 0.0, len(parents) + 2
    for _, has in configurations(discrete, sizes):
        here = child[has], [parent[has] for parent in parents]
        if has.sum() > parameters:
            total += gaussian_log_likelihood(*here)
        elif has.sum():
            solution, residuals = least_squares(child, parents)
            design = np.column_stack([*here[1], np.ones(has.sum())])
            total += normal_log_likelihood(
                here[0] - design @ solution, float(np.mean(residuals**2))
            )
    return total - per_parameter * parameters * prod(sizes)


def table_score(child, parents, states, sizes, per_parameter):
    """Σ N log(N / N of the row) less the price of rows x (states - 1)."""
    total = 0.0
    everyone = np.ones(len(child), dtype=bool)
    for _, has in configurations(parents, sizes) if parents else [((), everyone)]:
        counts = [int(np.sum(child[has] == state)) for state in range(states)]
        total += sum(n * log(n / sum(counts)) for n in counts if n)
    return total - per_parameter * prod(sizes) * (states - 1)


def log_multivariate_t(x, freedom, mean, shape):
    """The log density of a multivariate t with this shape matrix."""
    d = len(x)
    off = x - mean
    sign, logdet = np.linalg.slogdet(shape)
    assert sign > 0
    squares = off @ np.linalg.solve(shape, off)
    return (
        lgamma((freedom + d) / 2) - lgamma(freedom / 2) - d / 2 * log(freedom * pi)
        - 0.5 * logdet - (freedom + d) / 2 * np.log1p(squares / freedom)
    )  # fmt: skip


def bge_of_variables(cases, mean_strength, freedom, total, prior_mean):
    """log P(these columns), case after case: each has a multivariate t density given those before.

    The prior of a subset of `total` variables is normal-Wishart with freedom - total + size
    degrees; the scale T is t times the identity, t = am (aw - n - 1) / (am + 1).
    """
    size = cases.shape[1]
    if not size:
        return 0.0
    t = mean_strength * (freedom - total - 1) / (mean_strength + 1)
    scale, mean = t * np.eye(size), np.array(prior_mean, dtype=float)
    kappa, nu = float(mean_strength), float(freedom - total + size)
    answer = 0.0
    for case in cases:
        degrees = nu - size + 1
        answer += log_multivariate_t(case, degrees, mean, scale * (kappa + 1) / (kappa * degrees))
        off = case - mean
        scale = scale + kappa / (kappa + 1) * np.outer(off, off)
        mean = (kappa * mean + case) / (kappa + 1)
        kappa, nu = kappa + 1, nu + 1
    return answer


def bge_family(cases, child, parents, mean_strength, freedom):
    """log P(child and parents) - log P(parents), the prior mean that of the cases."""
    total, means = cases.shape[1], cases.mean(axis=0)
    parents = list(parents)
    both = [*parents, child]
    return bge_of_variables(
        cases[:, both], mean_strength, freedom, total, means[both]
    ) - bge_of_variables(cases[:, parents], mean_strength, freedom, total, means[parents])
