"""Credible intervals of a fit, computed when they are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Floats
from tacit.core.network import Network
from tacit.core.variables import Continuous, Variable
from tacit.estimate.causes.intervals import link_interval
from tacit.estimate.conditional import conditional_interval, estimate_conditional
from tacit.estimate.continuous.conjugate import posterior_interval
from tacit.estimate.continuous.prior import Pseudo
from tacit.estimate.curves import curve_interval
from tacit.estimate.gaussians import estimate_gaussian, gaussian_interval
from tacit.estimate.posteriors import Interval, cell_interval
from tacit.families.cause_counts import CauseCounts
from tacit.families.conditional_moments import AnyMoments, ConditionalMoments
from tacit.families.counts import Counts, SparseCounts
from tacit.families.curve_evidence import CurveEvidence
from tacit.families.curved import CurvedGaussian
from tacit.families.moments import Moments
from tacit.families.noisy import Noisy
from tacit.families.shared import SharedRows


@dataclass(frozen=True, slots=True, eq=False)
class Intervals(Mapping[str, Interval]):
    """One `Interval` per variable; large tables cost nothing until somebody asks.

    Tables: each cell of a row is Beta under the posterior Dirichlet(alpha + N). Linear Gaussians:
    (coefficients..., intercept, sd), conditional ones in every configuration of discrete parents.
    Independent causes: (links..., leak), of a noisy-max level by level. Shared rows: as in a table
    of them. Curves: (coefficients..., base, rise, sd).
    """

    evidence: Mapping[str, Counts | SparseCounts | AnyMoments]
    pseudo: Mapping[str, Floats]
    network: Network
    level: float
    normal: Mapping[str, Pseudo] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Interval:
        statistics, axes = self.evidence[name], self.network[name].variables
        if isinstance(statistics, CauseCounts):
            family = self.network[name]
            if isinstance(family, SharedRows):
                counts = family.pooled(statistics)
                return cell_interval(counts.values + self.pseudo[name], self.level)
            assert isinstance(family, Noisy)
            return link_interval(family.causes.frame, statistics, self.pseudo[name], self.level)
        if name in self.normal and isinstance(statistics, Moments | ConditionalMoments):
            prior = self.normal[name]
            found = posterior_interval(statistics, prior, self.level)
            return self._of_cases(axes, statistics, found) if prior.pools else found
        if isinstance(statistics, CurveEvidence):
            curve = self.network[name]
            assert isinstance(curve, CurvedGaussian)
            return curve_interval(curve, statistics, self.level)
        if isinstance(statistics, Moments | ConditionalMoments):
            return self._of_cases(axes, statistics)
        return cell_interval(statistics.dense().values + self.pseudo[name], self.level)

    def _of_cases(
        self,
        axes: tuple[Variable, ...],
        held: Moments | ConditionalMoments,
        without_noise: Interval | None = None,
    ) -> Interval:
        """Of regressions by least squares, as without a prior: a weak one says nothing of them, but
        where the cases have no noise."""
        if isinstance(held, ConditionalMoments):
            found = conditional_interval(estimate_conditional(axes, held), held, self.level)
        else:
            continuous = tuple(axis for axis in axes if isinstance(axis, Continuous))
            found = gaussian_interval(estimate_gaussian(continuous, held), held, self.level)
        if without_noise is None:
            return found
        still = (found.upper[..., -1] <= 0)[..., None]
        lower = np.where(still, without_noise.lower, found.lower)
        upper = np.where(still, without_noise.upper, found.upper)
        return Interval(lower, upper, self.level)

    def __iter__(self) -> Iterator[str]:
        return iter(self.evidence)

    def __len__(self) -> int:
        return len(self.evidence)
