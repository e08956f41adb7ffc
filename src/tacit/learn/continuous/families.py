"""The M-step of single families: tables by shares, Gaussians by least squares."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.core.errors import EstimateError, quoted
from tacit.core.variables import Discrete, Variable
from tacit.engines.tasks import Evidence
from tacit.estimate.continuous.regression import Extra, estimate_regression
from tacit.estimate.continuous.regressions import Gaussian, joined, moments_at, regressions
from tacit.families.counts import Counts, SparseCounts
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import Table

NO_NOISE = 1e-12
"""A variance below this share of its variable's own has shrunk to nothing."""
NOTHING = 1e-9
"""Cases that a configuration is expected in beneath which it keeps the regression it has."""


class NoNoiseError(Exception):
    """A variance shrinks to nothing, where the likelihood has no maximum; never leaves `learn`."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


def best_table(axes: tuple[Variable, ...], evidence: Evidence, pseudo: Floats) -> Table:
    """Each row is (E[N] + pseudo) / Σ (E[N] + pseudo), rows of nothing even."""
    assert isinstance(evidence, Counts | SparseCounts)
    weights = evidence.dense().values + pseudo
    if weights.size and weights.min() < -NOTHING:
        raise EstimateError(
            f"the table of {quoted(axes[-1].name)} has no most probable value: expected counts "
            f"plus prior of a cell come to {weights.min() + 1:.4g}, less than 1"
            "\n\nuse a prior of at least 1 per cell, tc.K2() for example, or estimate=tc.Smoothed()"
        )
    weights = np.maximum(weights, 0.0)
    totals = weights.sum(axis=-1, keepdims=True)
    even = 1.0 / weights.shape[-1]
    rows = np.where(totals > 0, weights / np.where(totals > 0, totals, 1.0), even)
    return Table(tuple(axis for axis in axes if isinstance(axis, Discrete)), rows)


def best_gaussian(
    before: Gaussian, evidence: Evidence, extra: Extra | None, kept: Bools, spread: float
) -> Gaussian:
    """Each configuration's regression; those in `kept`, and those of no case, stay as they are.

    kept    (configurations,)
    spread  the standard deviation of the child, against which its noise is judged
    """
    found = []
    for at, own in enumerate(regressions(before)):
        moments = moments_at(evidence, at)
        if kept[at] or (extra is None and moments.weight <= NOTHING):
            found.append(own)
            continue
        best = estimate_regression(own.variables, moments, extra).family
        if best.sd**2 <= NO_NOISE * spread**2:
            raise NoNoiseError(before.child)
        found.append(best)
    return joined(before.variables, found)


def standard_gaussian(before: Gaussian, evidence: Evidence) -> LinearGaussian:
    """The regression of a hidden variable that fixes its scale: intercept 0, sd 1.

    maximise  -½ Σ E[(h - β u)²]: least squares through the origin, (Σ E[u uᵀ]) β = Σ E[u h].
    """
    own, moments = regressions(before)[0], moments_at(evidence, 0)
    products = moments.scatter + moments.weight * np.outer(moments.means, moments.means)
    inner, cross = products[:-1, :-1], products[:-1, -1]
    scale = np.sqrt(np.maximum(np.diag(inner), 1e-300))
    slopes = np.linalg.lstsq(inner / np.outer(scale, scale), cross / scale, rcond=1e-10)[0] / scale
    return LinearGaussian(own.variables, slopes, 0.0, 1.0)


def prior_value(family: Gaussian, extra: Extra | None, kept: Bools) -> float:
    """The prior's part of the objective, over configurations that are estimated."""
    if extra is None:
        return 0.0
    own = zip(regressions(family), kept, strict=True)
    return sum(extra.value(each) for each, fixed in own if not fixed)
