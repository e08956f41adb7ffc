"""The posterior density of ruled rows, up to its constant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Density:
    """log p(θ) = Σ (alpha - 1) log θ + misses log(1 - θ) - (θ - centre)² / (2 spread²), and -∞
    where a rule does not hold; up to a constant, over the positions of blocks.

    alpha   (n,) Dirichlet parameters, prior and counts together
    misses  (n,) failures of a binomial beside every cell: MPL-C as printed; None: a multinomial
    centre  (n,) with `spread`, normal factors: the priors of MPL-TC; a spread of inf is no factor
    pooled  alphas of cells that rules tie are added up, so that the mean is (Σ N + Σ alpha) over
            its total; otherwise the density is held to the rules as it stands, and tied cells
            have 1 + Σ (alpha - 1) together [Def. 3.4.1]

    [parameter domain knowledge 1.7; estimation 3.3, 3.6]
    """

    alpha: Floats
    misses: Floats | None = None
    centre: Floats | None = None
    spread: Floats | None = None
    pooled: bool = False

    @property
    def dirichlet(self) -> bool:
        """Whether it is a Dirichlet held to the rules, and nothing else."""
        return self.misses is None and self.centre is None

    def of(self, positions: Ints) -> Density:
        """The same of some positions."""
        misses, centre, spread = (
            None if each is None else each[positions]
            for each in (self.misses, self.centre, self.spread)
        )
        return Density(self.alpha[positions], misses, centre, spread, self.pooled)

    def log(self, theta: Floats) -> Floats:
        """(...,) of every vector of cells in the last axis, whatever the rules say of it."""
        with np.errstate(divide="ignore", invalid="ignore"):
            total = _powers(self.alpha - 1.0, theta).sum(axis=-1)
            if self.misses is not None:
                total = total + _powers(self.misses, 1.0 - theta).sum(axis=-1)
        if self.centre is not None and self.spread is not None:
            total = total - 0.5 * (((theta - self.centre) / self.spread) ** 2).sum(axis=-1)
        return np.asarray(total)


def _powers(exponents: Floats, of: Floats) -> Floats:
    """exponent · log, where 0 · log 0 is 0."""
    return np.asarray(np.where(exponents == 0, 0.0, exponents * np.log(of)))
