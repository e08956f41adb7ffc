"""Statistics by configuration, only those that were seen, on cases held in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.core.dataset import Dataset
from tacit.core.variables import Discrete
from tacit.families.cause_counts import CauseCounts
from tacit.families.causes import Frame


def cause_counts(data: Dataset, frame: Frame, *, available: bool) -> CauseCounts:
    """The configurations seen in these cases, in those without gaps if `available`."""
    return configuration_counts(data, frame.variables, available=available)


def configuration_counts(
    data: Dataset, variables: Sequence[Discrete], *, available: bool
) -> CauseCounts:
    """N(configuration of the parents, child) of the configurations seen.

    variables  parents..., child
    available  count the cases that lack nothing of these
    """
    columns = [data[variable.name] for variable in variables]
    shape = tuple(len(variable.states) for variable in variables)
    weights = data.weights
    if available:
        whole = np.logical_and.reduce([column >= 0 for column in columns])
        columns = [column[whole] for column in columns]
        weights = None if weights is None else weights[whole]
    return CauseCounts.of(shape, columns, weights)
