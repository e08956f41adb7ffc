"""Ideal parents spelled out: families fitted by scipy, gains by numerical maximisation."""

from __future__ import annotations

from math import log, pi

import numpy as np
from scipy.optimize import minimize, minimize_scalar


def normal_fit(child, parents):
    """The greatest log-likelihood of a straight line, its coefficients and its residuals."""
    design = np.column_stack([*parents, np.ones(len(child))])
    solution, *_ = np.linalg.lstsq(design, child, rcond=None)
    off = child - design @ solution
    return at_best_variance(off), solution, off


def at_best_variance(off):
    variance = float(np.mean(off**2))
    return -0.5 * len(off) * (log(2 * pi * variance) + 1)


def log_likelihood(off, variance):
    return float(np.sum(-0.5 * np.log(2 * pi * variance) - off**2 / (2 * variance)))


def gain_of_coefficient(residual, candidate, variance):
    """The most that `coefficient * candidate` adds, all else held: by search along the line."""
    before = log_likelihood(residual, variance)
    found = minimize_scalar(
        lambda a: -log_likelihood(residual - a * candidate, variance), options={"xtol": 1e-12}
    )
    assert found.success
    return -found.fun - before


def gain_of_coefficient_and_variance(residual, candidate, before):
    """The same with the variance fitted too."""
    found = minimize(
        lambda p: -log_likelihood(residual - p[0] * candidate, np.exp(p[1])),
        [0.0, log(np.mean(residual**2))],
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000},
    )
    assert found.success
    return -found.fun - before


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def curve_fit(child, parents, answer, starts):
    """The best log-likelihood of base + rise * answer(coefficients · parents), centred parents, by
    BFGS on differences from many starts."""
    centred = np.array([parent - np.mean(parent) for parent in parents])
    best = -np.inf
    for start in starts:
        found = minimize(
            lambda p: np.log(np.mean((child - p[0] - p[1] * answer(p[2:] @ centred)) ** 2)),
            [np.mean(child), np.std(child), *start],
            method="BFGS",
            options={"gtol": 1e-7},
        )
        best = max(best, -0.5 * len(child) * (log(2 * pi) + found.fun + 1))
    return best
