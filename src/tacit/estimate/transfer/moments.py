"""Normal priors from the cases of a source: a centre and a spread for every cell.

Resampling the cases of a row and dividing them anew says how far each share could have been
another; that is what the target believes of its own cell. [estimation 3.6, settled question 4]
"""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.transfer.normal_prior import NormalPrior

CENTRES = (-1.0, 2.0)
SPREADS = (1e-4, 1.0)
"""Within these the most likely normal is looked for: beyond, it is no more than an exponential."""


def normal_factors(
    counts: Floats, how: NormalPrior, random: np.random.Generator
) -> tuple[Floats, Floats]:
    """Centre and spread of every cell; a spread of inf, no factor, in rows without cases.

    counts  (rows..., states) of the source
    """
    states = counts.shape[-1]
    rows = counts.reshape(-1, states)
    total = rows.sum(axis=1, keepdims=True)
    cases = np.where(total > 0, total, 1.0)
    share = rows / cases
    centre, spread = _resampled(share, cases, how.bootstrap, random)
    if how.fit == "likelihood":
        centre, spread = most_likely(centre, spread)
    spread = np.maximum(spread, _floor(rows, how.floor))
    if how.coherent:
        spread = together(spread, states)
    spread = np.where(total > 0, spread, np.inf)
    return centre.reshape(counts.shape), spread.reshape(counts.shape)


def together(spread: Floats, states: int) -> Floats:
    """The spreads of a product of as many factors as states, to the power (states - 1) / states.

    All of a row but one cell can be chosen: two factors of two states say the same twice.
    """
    return np.asarray(spread * np.sqrt(states / (states - 1)) if states > 1 else spread * np.inf)


def _resampled(
    share: Floats, cases: Floats, bootstrap: str | int, random: np.random.Generator
) -> tuple[Floats, Floats]:
    """Mean and spread of the shares in resamples as large as the row; in all there could be."""
    if isinstance(bootstrap, str):
        return share, np.sqrt(share * (1.0 - share) / cases)
    sizes = np.maximum(np.rint(cases[:, 0]), 1).astype(np.int64)
    filled = np.where(share.sum(axis=1, keepdims=True) > 0, share, 1.0 / share.shape[1])
    drawn = random.multinomial(sizes, filled, size=(bootstrap, sizes.size)) / sizes[:, None]
    return drawn.mean(axis=0), drawn.std(axis=0)


def _floor(counts: Floats, floor: str | float) -> Floats:
    """The least spread: that of the source's own posterior under one pseudo-count per cell."""
    if not isinstance(floor, str):
        return np.full(counts.shape, float(floor))
    total = counts.sum(axis=1, keepdims=True) + counts.shape[1]
    smooth = (counts + 1.0) / total
    return np.asarray(np.sqrt(smooth * (1.0 - smooth) / (total + 1.0)))


def most_likely(mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
    """Centre and spread of the normals on [0, 1] that make shares of this mean and sd most likely.

    Where shares do not vary there is none, and they are returned as they are.
    """
    centre, spread = mean.copy(), sd.copy()
    for at in zip(*np.nonzero(sd > 0), strict=True):
        centre[at], spread[at] = _one_most_likely(float(mean[at]), float(sd[at]))
    return centre, spread


def _one_most_likely(mean: float, sd: float) -> tuple[float, float]:
    from scipy.optimize import minimize

    def loss(at: Floats) -> float:
        centre, spread = float(at[0]), float(np.exp(at[1]))
        away = ((mean - centre) ** 2 + sd**2) / (2 * spread**2)
        return float(at[1]) + away + _log_mass(centre, spread)

    lowest, highest = (np.array([CENTRES[at], np.log(SPREADS[at])]) for at in (0, 1))
    side = CENTRES[0] if mean < 0.5 else CENTRES[1]
    starts = np.array([[mean, np.log(sd)], [side, 0.5 * np.log(abs(mean - side) * sd)]])
    found = [
        minimize(loss, start, bounds=list(zip(lowest, highest, strict=True)))
        for start in np.clip(starts, lowest, highest)
    ]
    best = min(found, key=lambda each: float(each.fun))
    return float(best.x[0]), float(np.exp(best.x[1]))


def _log_mass(centre: float, spread: float) -> float:
    """log P(0 <= x <= 1) of a normal, however far out it lies."""
    from scipy.special import log_ndtr

    low, high = -centre / spread, (1.0 - centre) / spread
    if low > 0:
        low, high = -high, -low
    upper = float(log_ndtr(high))
    return upper + float(np.log(-np.expm1(float(log_ndtr(low)) - upper)))
