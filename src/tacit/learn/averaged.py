"""Averages over cases, each as often as it weighs, and how sure they are."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats


def average_and_error(values: Floats, weights: Floats | None) -> tuple[float, float]:
    """The average over cases and its standard error; a case of weight 2 is two cases.

    One impossible case makes the average -inf and leaves its error unknown.
    """
    used = np.ones_like(values) if weights is None else weights
    seen, used = values[used > 0], used[used > 0]
    weight = float(used.sum())
    if not weight:
        return float("nan"), float("nan")
    if not np.isfinite(seen).all():
        return float("nan" if np.isnan(seen).any() else seen[~np.isfinite(seen)].min()), np.nan
    average = float(used @ seen) / weight
    if weight <= 1:
        return average, float("nan")
    variance = float(used @ (seen - average) ** 2) / (weight - 1)
    return average, float(np.sqrt(variance / weight))


def with_scaled_error(value: float, error: float) -> str:
    """`0.0001235 ± 1.2e-05`: of what has units, and so any size."""
    if not np.isfinite(value) or not np.isfinite(error) or error == 0:
        return f"{value:.4g}"
    return f"{value:.4g} ± {error:.2g}"


def with_error(value: float, error: float, digits: int = 4) -> str:
    """`-1.2345 ± 0.012`; the error is left out where it is 0 or not known."""
    shown = f"{value:.{digits}f}"
    if not np.isfinite(value) or not np.isfinite(error) or error == 0:
        return shown
    return f"{shown} ± {error:#.2g}" if error < 10 else f"{shown} ± {error:.0f}"
