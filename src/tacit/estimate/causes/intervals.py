"""Where links lie, given the cases and the prior."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.causes.concave import Programme
from tacit.estimate.causes.estimate import estimate_causes
from tacit.estimate.posteriors import Interval
from tacit.families.cause_counts import CauseCounts
from tacit.families.causes import Frame

TINY = 1e-12


def link_interval(frame: Frame, counts: CauseCounts, alpha: Floats, level: float) -> Interval:
    """Of the hazard of every cause and level, the leak last; of links where there are two levels:
    the normal approximation to the posterior of ω = -log(1 - link) at its mode, the only one.

    alpha  (causes + 1, states of the child)
    """
    from scipy.special import ndtri

    rising = alpha[:, list(frame.order)]
    causes = estimate_causes(frame, counts, rising).causes
    present = frame.present(counts.columns(), len(counts.seen))
    values = counts.values[:, list(frame.order)]
    wide = float(ndtri((1 + level) / 2))
    low, high = np.zeros((2, len(frame) + 1, frame.levels - 1))
    for at in range(frame.levels - 1):
        omega = np.minimum(-causes.logs[:-1, at], 700.0)
        used = values[:, at + 1] > 0
        rows = np.concatenate([present[used], np.eye(omega.size)])
        alone = rising[:, at + 1]
        if counts.expected is not None:
            alone = alone + counts.expected[:, at, 1]
        hits = np.concatenate([values[used, at + 1], alone])
        told = Programme(rows, hits, np.zeros(omega.size), np.zeros(hits.size))
        _, bend = told.slopes(np.maximum(omega, TINY))
        spread = wide * np.sqrt(np.maximum(np.diag(np.linalg.pinv(bend)), 0.0))
        low[:, at] = -np.expm1(-np.maximum(omega - spread, 0.0))
        high[:, at] = -np.expm1(-(omega + spread))
    return _interval(low, high, level)


def _interval(low: Floats, high: Floats, level: float) -> Interval:
    """With two levels one number per cause."""
    shape = low.shape[:1] if low.shape[1] == 1 else low.shape
    return Interval(low.reshape(shape), high.reshape(shape), level)
