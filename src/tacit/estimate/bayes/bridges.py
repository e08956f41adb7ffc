"""Ratios of normalising constants by draws: Bennett's acceptance ratio along a path.

log Z(α + N) - log Z(α) over the same feasible set needs neither constant: draw from the densities
with α + t N for t from 0 to 1, near enough to each other, and join neighbours.
[Bennett 1976; Meng and Wong 1996; bridge sampling]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.bayes.diagnostics import error_of_mean

_OVERLAP = 0.4
"""Draws of one density are worth at least this part of as many draws of the next."""
_STEPS = 200
_HALVINGS = 60

Energies = Callable[[Ints, Floats, int], Floats]
"""Draws of Σ N log θ: of these blocks, at these t (blocks,), in this step; (blocks, chains, k)."""


@dataclass(frozen=True, slots=True, eq=False)
class Bridged:
    """log Z(α + N) - log Z(α), its standard error and how many steps were made, by block."""

    value: Floats
    error: Floats
    steps: Ints


def bridged(blocks: int, energies: Energies) -> Bridged:
    """The ratios of so many blocks, all on their way at once, each in steps of its own.

    A set of draws serves the step to it and the step from it; what it adds to the error is that of
    the sum of both, so that steps need not be independent.
    """
    value, variance, steps = np.zeros(blocks), np.zeros(blocks), np.zeros(blocks, dtype=np.int64)
    at, going = np.zeros(blocks), np.arange(blocks)
    here = energies(going, at, 0)
    before = np.zeros_like(here)
    for number in range(1, _STEPS + 1):
        dead = np.isneginf(here.max(axis=(1, 2)))
        value[going[dead]] = -np.inf
        going, here, before = going[~dead], here[~dead], before[~dead]
        if not going.size:
            break
        step = np.array([_step(each, 1 - t) for each, t in zip(here, at[going], strict=True)])
        at[going] += step
        last = 1 - at[going] < 1e-12
        at[going[last]] = 1.0
        there = energies(going, at[going], number)
        for row, block in enumerate(going.tolist()):
            found, lower, upper = _joined(step[row] * here[row], step[row] * there[row])
            value[block] += found
            variance[block] += _square_error(before[row] + lower)
            before[row] = upper
            steps[block] += 1
            if last[row]:
                variance[block] += _square_error(upper)
        going, here, before = going[~last], there[~last], before[~last]
        if not going.size:
            break
    variance[going] = np.inf  # a path of so many steps has no end in sight
    return Bridged(value, np.sqrt(variance), steps)


def _step(energies: Floats, most: float) -> float:
    """The longest step whose draws still overlap."""
    away = (energies - energies.max()).ravel()

    def overlap(step: float) -> float:
        with np.errstate(under="ignore"):
            weights = np.exp(step * away)
        return float(weights.sum() ** 2 / (weights @ weights) / weights.size)

    if overlap(most) >= _OVERLAP:
        return most
    low, high = 0.0, most
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if overlap(middle) >= _OVERLAP else (low, middle)
    return max(low, 1e-12 * most)


def _joined(here: Floats, there: Floats) -> tuple[float, Floats, Floats]:
    """log of the ratio of two constants, and what every draw of either side adds to its error.

    here, there  (chains, draws)  the log ratio of both densities at draws of the first and the
                                  second; r solves  mean σ(here - r) = mean σ(r - there)
    """
    from scipy.special import expit

    finite = np.concatenate([here[np.isfinite(here)], there[np.isfinite(there)]])
    low, high = float(finite.min()) - 50.0, float(finite.max()) + 50.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        if expit(here - middle).mean() > expit(middle - there).mean():
            low = middle
        else:
            high = middle
    ratio = 0.5 * (low + high)
    one, other = expit(here - ratio), expit(ratio - there)
    slope = (one * (1 - one)).mean() + (other * (1 - other)).mean()
    return ratio, one / slope, -other / slope


def _square_error(values: Floats) -> float:
    """The squared Monte Carlo error of the mean of (chains, draws)."""
    if np.ptp(values) == 0:
        return 0.0
    return float(error_of_mean(values[:, :, None])[0]) ** 2
