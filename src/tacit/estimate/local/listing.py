"""Default tables from counts: which configurations are worth rows of their own."""

from __future__ import annotations

from math import log, prod

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.local.worth import RowWorth
from tacit.families.cause_counts import CauseCounts


def listed_rows(counts: CauseCounts, worth: RowWorth) -> tuple[Ints, float]:
    """The configurations to list, and what all rows are worth together.

    Begin with one row for everything; give the configuration that gains most a row of its own, or
    take one back, until nothing gains. Naming one of so many configurations costs the log of their
    number. [Friedman and Goldszmidt 1996]
    """
    share = 1.0 / prod(counts.shape[:-1])
    own = worth.of_rows(counts.values, np.full(len(counts.values), share))
    own += log(share) if worth.priced else 0.0
    listed = np.zeros(len(own), dtype=np.bool_)
    value = _worth(counts.values, listed, own, worth, share)
    while True:
        changed = _changed(counts.values, listed, own, worth, share)
        best = int(np.argmax(changed)) if changed.size else -1
        if best < 0 or changed[best] <= value + 1e-12 * abs(value):
            return counts.seen[listed].astype(np.int64), float(value)
        value = float(changed[best])
        listed[best] = ~listed[best]


def _worth(counts: Floats, listed: Bools, own: Floats, worth: RowWorth, share: float) -> float:
    rest = counts[~listed].sum(axis=0, keepdims=True)
    left = np.array([1.0 - share * listed.sum()])
    return float(own[listed].sum() + worth.of_rows(rest, left)[0])


def _changed(counts: Floats, listed: Bools, own: Floats, worth: RowWorth, share: float) -> Floats:
    """(configurations,) the worth with each of them listed that is not, or not that is."""
    sign = np.where(listed, 1.0, -1.0)
    rest = np.maximum(counts[~listed].sum(axis=0) + sign[:, None] * counts, 0.0)
    left = np.maximum(1.0 - share * listed.sum() + sign * share, share)
    return np.asarray(own[listed].sum() - sign * own + worth.of_rows(rest, left))
