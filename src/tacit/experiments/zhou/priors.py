"""Normal priors from the cases of a source."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.transfer.normal_prior import NormalPrior


def normal_moments(
    rows_at: Ints, counts: Floats, prior: NormalPrior, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """(cells,) centre and spread; a row without cases has no prior, its spread is inf."""
    sizes = np.diff(rows_at)
    row = np.repeat(np.arange(sizes.size), sizes)
    total, r = np.bincount(row, counts)[row], sizes[row]
    share = counts / np.maximum(total, 1.0)
    centre, spread = share.copy(), np.sqrt(share * (1 - share) / np.maximum(total, 1.0))
    if not isinstance(prior.bootstrap, str):
        for size in np.unique(sizes):
            rows = np.flatnonzero((sizes == size) & (np.bincount(row, counts) > 0))
            cells = rows_at[rows][:, None] + np.arange(size)
            n = total[cells[:, 0]].astype(np.int64)
            drawn = rng.multinomial(n, share[cells], size=(prior.bootstrap, len(rows))) / n[:, None]
            centre[cells], spread[cells] = drawn.mean(axis=0), drawn.std(axis=0)
    if isinstance(prior.floor, str):
        smooth = (counts + 1) / (total + r)
        floor = np.sqrt(smooth * (1 - smooth) / (total + r + 1))
    else:
        floor = np.full(counts.size, prior.floor)
    spread = np.maximum(spread, floor)
    if prior.coherent:
        spread = spread / np.sqrt((r - 1) / r)
    return centre, np.where(total > 0, spread, np.inf)
