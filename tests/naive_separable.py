"""Rows whose density is a product over their cells, by convolution over a fine even grid.

Every factor is tabulated at whole steps, with half of its value at jumps, and all are convolved:
the trapezoidal rule in every cell but one. Limits must be whole steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

STEPS = 20_000


class Told(NamedTuple):
    mean: np.ndarray
    sd: np.ndarray
    log_constant: float


def log_factor(x, a, misses, centre, spread):
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(a == 1, 0.0, (a - 1) * np.log(x))
        found = found + (np.where(misses == 0, 0.0, misses * np.log(1 - x)))
    return found - 0.5 * ((x - centre) / spread) ** 2


def table(cell: Sequence[float], tilt: float, steps: int) -> tuple[np.ndarray, float]:
    """f(x) e^(tilt x) at whole steps, divided by its largest value, and the log of that."""
    a, misses, centre, spread, low, high = cell
    assert a >= 1, "a pole has no trapezoidal rule"
    first, last = (round(limit * steps) for limit in (low, high))
    assert abs(first - low * steps) + abs(last - high * steps) < 1e-6, "limits are whole steps"
    x = np.arange(first, last + 1) / steps
    logs = log_factor(x, a, misses, centre, spread) + tilt * x
    top = logs.max()
    found = np.zeros(steps + 1)
    found[first : last + 1] = np.exp(logs - top)
    found[first] /= 2
    found[last] /= 2
    return found, top


def convolved(cells: Sequence[Sequence[float]], tilt: float = 0.0) -> Told:
    """The same with half the steps, and what both say of steps of no width."""
    coarse, fine = (on_grid(cells, tilt, steps) for steps in (STEPS, 2 * STEPS))
    assert np.abs(fine.mean - coarse.mean).max() < 1e-3
    mean, variance, constant = (
        (4 * after - before) / 3
        for before, after in (
            (coarse.mean, fine.mean),
            (coarse.sd**2, fine.sd**2),
            (coarse.log_constant, fine.log_constant),
        )
    )
    return Told(mean, np.sqrt(variance), constant)


def on_grid(cells: Sequence[Sequence[float]], tilt: float, steps: int) -> Told:
    """a, misses, centre, spread, low and high of every cell in; what their row is like out.

    tilt: e^(tilt x) in every factor, which adds up to a constant, makes room for small numbers
    """
    tables, tops = zip(*(table(cell, tilt, steps) for cell in cells), strict=True)
    size = 1 << int(np.ceil(np.log2(len(cells) * (steps + 1))))
    x = np.arange(steps + 1) / steps
    waves = np.array([np.fft.rfft(each, size) for each in tables])

    def at_one(*changed):
        product = np.prod(
            [changed[0] if k == changed[1] else waves[k] for k in range(len(cells))], 0
        )
        return np.fft.irfft(product, size)[steps]

    whole = at_one(None, -1)
    assert whole > 1e-9 * min(each.sum() for each in tables), "too far out for this grid"
    mean, square = np.empty(len(cells)), np.empty(len(cells))
    for k, each in enumerate(tables):
        mean[k] = at_one(np.fft.rfft(each * x, size), k) / whole
        square[k] = at_one(np.fft.rfft(each * (x - mean[k]) ** 2, size), k) / whole
    assert abs(mean.sum() - 1) < 1e-8
    log_constant = np.log(whole) - (len(cells) - 1) * np.log(steps) + sum(tops) - tilt
    return Told(mean, np.sqrt(square), float(log_constant))
