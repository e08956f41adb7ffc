"""How much draws of several chains are worth, quantity by quantity."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tacit.arrays import Floats


@njit(cache=True, nogil=True)
def moments(values: Floats, means: Floats) -> tuple[float, float, float]:
    """Mean variance within chains, variance of their means, and the two together.

    values  (chains, draws); their means are written to `means`
    """
    chains, draws = values.shape
    within = 0.0
    for chain in range(chains):
        mean = 0.0
        for at in range(draws):
            mean += values[chain, at]
        mean /= draws
        means[chain] = mean
        for at in range(draws):
            within += (values[chain, at] - mean) ** 2
    within /= chains * (draws - 1)
    between = 0.0
    if chains > 1:
        middle = means[:chains].mean()
        for chain in range(chains):
            between += (means[chain] - middle) ** 2 / (chains - 1)
    return within, between, within * (draws - 1) / draws + between


@njit(cache=True, nogil=True)
def effective(values: Floats, means: Floats) -> float:
    """The effective sample size of the mean of all draws; inf where nothing varies.

    1 - (W - c_t) / V are the autocorrelations, c_t the mean autocovariance of the chains, W the
    variance within them and V that of all; they are added up in pairs as long as the pairs are
    positive, none larger than the one before. [Geyer 1992; Vehtari et al. 2021, eq. 10 to 13]
    """
    chains, draws = values.shape
    within, _, total = moments(values, means)
    if not total > 0.0:
        return math.inf
    time, before, last = -1.0, math.inf, 0.0
    for lag in range(draws):
        shared = 0.0
        for chain in range(chains):
            mean = means[chain]
            for at in range(draws - lag):
                shared += (values[chain, at] - mean) * (values[chain, at + lag] - mean)
        correlation = 1.0 - (within - shared / (chains * draws)) / total if lag else 1.0
        if lag % 2 == 0:
            last = correlation
            continue
        pair = last + correlation
        if pair < 0.0:
            break
        before = min(before, pair)
        time += 2.0 * before
    size = chains * draws
    return float(size / max(time, 1.0 / math.log10(max(size, 10))))


@njit(cache=True, nogil=True)
def effective_sizes(values: Floats) -> Floats:
    """(n,) of values (chains, draws, n)."""
    chains, draws, size = values.shape
    found, one, means = np.empty(size), np.empty((chains, draws)), np.empty(chains)
    for i in range(size):
        one[:] = values[:, :, i]
        found[i] = effective(one, means)
    return found


@njit(cache=True, nogil=True)
def scale_reductions(values: Floats) -> Floats:
    """(n,) √(V / W) of values (chains, draws, n); 1 where nothing varies."""
    chains, draws, size = values.shape
    found, one, means = np.ones(size), np.empty((chains, draws)), np.empty(chains)
    for i in range(size):
        one[:] = values[:, :, i]
        within, _, total = moments(one, means)
        if total > 0.0:
            found[i] = math.sqrt(total / within) if within > 0.0 else math.inf
    return found
