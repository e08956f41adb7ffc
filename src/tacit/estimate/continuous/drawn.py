"""A regression that is known by draws: under rules, or where cells are missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.posteriors import Interval, check_level

LOG_TURN = float(np.log(2 * np.pi))


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Draws of (coefficients..., intercept, sd), and how far they can be trusted.

    values  (draws, numbers)
    mode    (numbers,) the most probable; nan where it is not known
    size    (numbers,) effective sample size of the means; inf where a number cannot move
    rhat    (numbers,) 1 where chains agree
    error   (numbers,) Monte Carlo error of the means, in standard deviations
    """

    values: Floats
    mode: Floats
    size: Floats
    rhat: Floats
    error: Floats

    @property
    def mean(self) -> Floats:
        """(numbers,)"""
        return np.asarray(self.values.mean(axis=0))

    @property
    def sd(self) -> Floats:
        """(numbers,)"""
        return np.asarray(np.where(np.isinf(self.size), 0.0, self.values.std(axis=0)))

    def interval(self, level: float) -> Interval:
        """Equal tails cut off."""
        check_level(level)
        lower, upper = np.quantile(self.values, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return Interval(np.asarray(lower), np.asarray(upper), level)

    def draws(self, many: int, random: np.random.Generator) -> Floats:
        """(draws, numbers) so many of them, evenly; those of one place belong together."""
        del random
        return self.values[np.arange(many) * len(self.values) // many]

    def log_densities(self, rows: Floats, child: Floats) -> Floats:
        """(draws, cases) of the child: (cases, parents + 1) rows of (parents, 1)."""
        off = child - self.values[:, :-1] @ rows.T
        sd = self.values[:, -1:]
        return np.asarray(-0.5 * (off / sd) ** 2 - np.log(sd) - LOG_TURN / 2)
