"""Integrals along lines, many at once: where the integrand matters, and nodes packed there."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from tacit.arrays import Floats

_DEPTH = 50.0
"""What is e^-50 of the top does not matter."""
_GRID = 33
_NEAR = 2.0
_ROUNDS = 40
_ORDER = 12
FAR = 1e6
"""So far out in logits there is nothing even of parameters that are all but 0."""
_SMALL = 0.1


def nodes(
    log_density: Callable[[Floats], Floats], low: Floats, high: Floats, levels: int = 12
) -> tuple[Floats, Floats]:
    """(lines, nodes) points between `low` and `high` (lines,), and the log weight of each.

    ∫ e^f is Σ e^(f + log weight). The stretch that matters is found by zooming in on a grid, and
    Gauss-Legendre panels double in length away from its top: right for functions with one top,
    however narrow, and for tails of any length.

    log_density: takes points (lines, k), one line after the other
    levels: of doubling, on either side of the top
    """
    low, high, top = stretch(log_density, low, high)
    points, weights = _panels(levels)
    left, right = (top - low)[:, None], (high - top)[:, None]
    with np.errstate(divide="ignore"):
        found = np.concatenate([top[:, None] - left * points, top[:, None] + right * points], 1)
        logs = np.concatenate([np.log(left) + weights, np.log(right) + weights], axis=1)
    return np.clip(found, low[:, None], high[:, None]), logs


def levels_for(parameters: Floats) -> int:
    """Levels that nodes need: powers near 0 have long tails beside short bends."""
    return 8 if parameters.size == 0 or parameters.min() >= _SMALL else 14


def log_sum(logs: Floats) -> Floats:
    """log Σ e^logs over the last axis; -∞ where nothing is there."""
    top = logs.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(logs - top).sum(axis=-1)) + top[..., 0])


def stretch(
    log_density: Callable[[Floats], Floats], low: Floats, high: Floats
) -> tuple[Floats, Floats, Floats]:
    """The stretch in which the density is not nothing beside its top, and the top."""
    lines = np.arange(low.size)
    steps = 0.5 + 0.5 * np.linspace(-1.0, 1.0, _GRID) ** 3  # most have their top in the middle
    for _ in range(_ROUNDS):
        grid = low[:, None] + (high - low)[:, None] * steps
        values = log_density(grid)
        best = values.argmax(axis=1)
        kept = values > values[lines, best][:, None] - _DEPTH
        kept[lines, best] = True
        first = np.maximum(kept.argmax(axis=1) - 1, 0)
        last = np.minimum(_GRID - kept[:, ::-1].argmax(axis=1), _GRID - 1)
        done = last - first >= _GRID // 2
        low, high, top = grid[lines, first], grid[lines, last], grid[lines, best]
        if done.all():
            break
        steps = np.linspace(0.0, 1.0, _GRID)
    return low, high, _sharper(log_density, low, high, top)


def _sharper(
    log_density: Callable[[Floats], Floats], low: Floats, high: Floats, top: Floats
) -> Floats:
    """The top to within a unit or two, also where the stretch is thousands long."""
    steps, lines = np.linspace(0.0, 1.0, _GRID), np.arange(low.size)
    width = (high - low) / _GRID
    while (width > _NEAR).any():
        start, end = np.maximum(low, top - 2 * width), np.minimum(high, top + 2 * width)
        grid = start[:, None] + (end - start)[:, None] * steps
        top = grid[lines, log_density(grid).argmax(axis=1)]
        width = 4 * width / _GRID
    return top


@cache
def _panels(levels: int) -> tuple[Floats, Floats]:
    """Points and log weights on [0, 1], in panels that halve towards 0."""
    points, weights = np.polynomial.legendre.leggauss(_ORDER)
    edges = np.concatenate([[0.0], 2.0 ** -np.arange(levels - 1, -1, -1.0)])
    half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    found = middle[:, None] + half[:, None] * points
    return found.ravel(), np.log(half[:, None] * weights).ravel()
