"""What the caller of `fit` chose, defaults filled in."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.estimate.continuous.prior import GaussianPrior
from tacit.estimate.estimates import Estimate
from tacit.estimate.priors import Prior
from tacit.learn.methods import Method


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """Prior, estimate, treatment of missing cells, level of intervals, and the seed.

    normal  the prior of Gaussian families, where there is one
    """

    prior: Prior
    estimate: Estimate
    method: Method | None
    level: float
    seed: int | None
    normal: GaussianPrior | None = None
