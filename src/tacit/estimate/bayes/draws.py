"""Draws from a posterior, and how far they can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError

MOST_DRAWS = 10_000_000
"""Draws that are kept at most."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a posterior is sampled where it has no closed form.

    draws      kept from all chains together
    chains     run independently of each other, so that their agreement can be measured
    precision  go on until the Monte Carlo error of every mean is below this, at most `most` sweeps
    most       sweeps of every chain, at most
    """

    draws: int = 4_000
    chains: int = 4
    precision: float | None = 1e-3
    most: int = 1_000_000

    def __post_init__(self) -> None:
        for name in ("draws", "chains", "most"):
            given: Any = getattr(self, name)
            if not isinstance(given, int) or isinstance(given, bool) or given < 1:
                raise OptionError(f"{name}={given!r} must be a whole number above 0")
        if self.draws < 4 * self.chains:
            raise OptionError(
                f"draws={self.draws} are too few for {self.chains} chains: 4 of each are needed "
                "to tell whether they agree"
            )
        wished: Any = self.precision
        number = isinstance(wished, int | float) and not isinstance(wished, bool)
        if wished is not None and not (number and wished > 0):
            raise OptionError(f"precision={wished!r:.60} must be a number above 0, or None")
        if self.draws > MOST_DRAWS:
            raise OptionError(f"draws={self.draws} are more than memory holds: {MOST_DRAWS:,}")

    def describe(self) -> str:
        """The settings as Python writes them."""
        defaults = Sampling()
        said = [
            f"{name}={getattr(self, name)!r}"
            for name in ("draws", "chains", "precision", "most")
            if getattr(self, name) != getattr(defaults, name)
        ]
        return f"Sampling({', '.join(said)})"


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Draws of the cells of some blocks, and what all sweeps together say of them.

    values  (chains, draws, n)  thinned draws; nan at positions of blocks that were not drawn
    mean    (n,)  over all sweeps, not only those kept
    sd      (n,)  of the posterior
    error   (n,)  Monte Carlo error of the mean
    size    (n,)  effective sample size of the mean; inf where a cell cannot move
    rhat    (n,)  split R-hat; 1 where chains agree
    sweeps  (blocks,)  made by every chain after warming up
    settled whether the wished precision was reached everywhere
    """

    values: Floats
    mean: Floats
    sd: Floats
    error: Floats
    size: Floats
    rhat: Floats
    sweeps: np.ndarray[Any, np.dtype[np.int64]]
    settled: bool
