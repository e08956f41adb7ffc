"""Whether one method is better than another by more than chance."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats

LEVEL = 0.05


def p_value(one: Floats, other: Floats, *, paired: bool = False) -> float:
    """Of Student's t-test that the means are the same; 1 where there is nothing to test.

    Two samples with one variance; paired: of their differences, where both are of the same draws
    """
    from scipy.stats import t

    if min(one.size, other.size) < 2:
        return 1.0
    if paired:
        apart, count = one - other, one.size
        error, freedom = np.sqrt(apart.var(ddof=1) / count), count - 1
    else:
        freedom = one.size + other.size - 2
        squares = (one.size - 1) * one.var(ddof=1) + (other.size - 1) * other.var(ddof=1)
        error = np.sqrt(squares / freedom * (1 / one.size + 1 / other.size))
    gap = abs(float(one.mean() - other.mean()))
    if error == 0:
        return 0.0 if gap > 0 else 1.0
    return float(2 * t.sf(gap / error, freedom))


def worse(values: dict[str, Floats], *, paired: bool = False) -> dict[str, bool]:
    """Which methods the best one beats at the level of 5 %; (repetitions,) of each."""
    best = min(values, key=lambda name: float(values[name].mean()))
    return {
        name: name != best and p_value(each, values[best], paired=paired) < LEVEL
        for name, each in values.items()
    }
