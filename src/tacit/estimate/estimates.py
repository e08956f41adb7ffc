"""Which parameters to take when counts and a prior are given: four answers, one formula.

maximise  Σ (N + pseudo) log θ   over the rows θ of a table,

where pseudo is 0 for `ML`, alpha for `Smoothed` and `PosteriorMean`, alpha - 1 for `MAP`. Each row
is θ = (N + pseudo) / Σ (N + pseudo). [Thm 2.2.1 to 2.2.3; EST Thm 3.2]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError

POLICIES = ("uniform", "prior", "nan", "zeros", "error")
"""What to put in a row that neither cases nor prior determine."""


@dataclass(frozen=True, slots=True)
class _Estimate:
    """`empty` says what becomes of rows that nothing determines; see `POLICIES`."""

    empty: str = "uniform"
    uses_prior: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.empty not in POLICIES:
            raise OptionError(
                f"empty={self.empty!r} is no policy for rows without cases"
                f"\n\nthere are: {', '.join(POLICIES)}"
            )

    def pseudo(self, alpha: Floats) -> Floats:
        """What is added to the counts."""
        return alpha

    def describe(self) -> str:
        """The estimate as Python writes it."""
        given = "" if self.empty == "uniform" else f"empty={self.empty!r}"
        return f"{type(self).__name__}({given})"


@dataclass(frozen=True, slots=True)
class ML(_Estimate):
    """Maximum likelihood: maximises Σ N log θ. What was never seen becomes impossible."""

    uses_prior: ClassVar[bool] = False

    def pseudo(self, alpha: Floats) -> Floats:
        """Nothing is added to the counts."""
        return np.zeros_like(alpha)


@dataclass(frozen=True, slots=True)
class Smoothed(_Estimate):
    """Maximises Σ (N + alpha) log θ: the posterior mean wherever no rule binds."""


@dataclass(frozen=True, slots=True)
class MAP(_Estimate):
    """The most probable parameters: maximises Σ (N + alpha - 1) log θ.

    Refused where N + alpha < 1, since the posterior density has no maximum there.
    """

    def pseudo(self, alpha: Floats) -> Floats:
        """alpha - 1, the exponents of the prior density."""
        return alpha - 1.0


@dataclass(frozen=True, slots=True)
class PosteriorMean(_Estimate):
    """The mean of the posterior Dirichlet, which predicts the next case best."""


Estimate: TypeAlias = ML | Smoothed | MAP | PosteriorMean
