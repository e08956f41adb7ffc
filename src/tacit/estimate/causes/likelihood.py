"""What independent causes say of cases."""

from __future__ import annotations

import numpy as np

from tacit.families.cause_counts import CauseCounts
from tacit.families.causes import Causes


def causes_log_likelihood(causes: Causes, counts: CauseCounts) -> float:
    """Σ N log P(child | parents)."""
    total, columns = 0.0, counts.columns()
    for state in range(counts.shape[-1]):
        weights = counts.values[:, state]
        used = weights > 0
        column = np.full(int(used.sum()), state)
        total += float(weights[used] @ causes.log_prob([*(c[used] for c in columns), column]))
    return total
