"""Statistics of families of independent causes on cases held in memory."""

from __future__ import annotations

import numpy as np

from tacit.core.dataset import Dataset
from tacit.families.cause_counts import CauseCounts
from tacit.families.causes import Frame


def cause_counts(data: Dataset, frame: Frame, *, available: bool) -> CauseCounts:
    """The configurations seen in these cases, in those without gaps if `available`."""
    columns = [data[variable.name] for variable in frame.variables]
    shape = tuple(len(variable.states) for variable in frame.variables)
    weights = data.weights
    if available:
        whole = np.logical_and.reduce([column >= 0 for column in columns])
        columns = [column[whole] for column in columns]
        weights = None if weights is None else weights[whole]
    return CauseCounts.of(shape, columns, weights)
