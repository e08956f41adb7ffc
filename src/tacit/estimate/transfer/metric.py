"""How far two tables are apart, as the papers on transfer measured it."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats

FLOOR = 1e-5
"""What stands for 0 under a logarithm."""


def row_divergences(one: Floats, other: Floats, floor: float = FLOOR) -> Floats:
    """Row by row  d = ½ Σ p ln(p / max(q, floor)) + q ln(q / max(p, floor)),  0 ln 0 = 0.

    The mean of both Kullback-Leibler divergences. Rows that nobody saw are all zero in a most
    likely table, and stay so: against a row p they are ½ (ln(1 / floor) - H(p)) away. The floor
    makes it lie slightly below 0 where cells are smaller than it. [estimation 3.8, `zhou2015`]
    """
    return np.asarray(0.5 * (_directed(one, other, floor) + _directed(other, one, floor)))


def zhou2015(one: Floats, other: Floats, floor: float = FLOOR) -> float:
    """The mean over rows; the same both ways."""
    return float(row_divergences(one, other, floor).mean())


def most_likely_rows(counts: Floats) -> Floats:
    """N / Σ N row by row; all zero where there are no cases."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.asarray(counts / np.where(total > 0, total, 1.0))


def _directed(p: Floats, q: Floats, floor: float) -> Floats:
    logs = np.log(np.where(p > 0, p, 1.0)) - np.log(np.maximum(q, floor))
    return np.asarray(np.where(p > 0, p * logs, 0.0).sum(axis=-1))
