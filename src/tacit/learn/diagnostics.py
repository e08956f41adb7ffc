"""How far the numbers of a posterior can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tacit.core.grid import counted


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How far the numbers of a posterior can be trusted.

    sampled  cells whose mean was estimated from draws; all others are exact
    size     the least effective sample size among them
    rhat     the worst split R-hat
    error    the largest Monte Carlo error of a mean
    settled  whether the wished precision was reached everywhere
    ways     how many blocks of ruled rows were solved in which way
    accepted share of draws that kept rules which are not linear
    numbers  numbers of regressions that were estimated from draws
    numbers_error  the largest Monte Carlo error of their means, in standard deviations
    """

    sampled: int
    size: float
    rhat: float
    error: float
    settled: bool
    ways: Mapping[str, int]
    accepted: float = 1.0
    numbers: int = 0
    numbers_error: float = 0.0

    def __str__(self) -> str:
        said = [f"{counted(count, 'block')}: {way}" for way, count in self.ways.items()]
        if self.sampled or self.numbers:
            many = [(self.sampled, "cell"), (self.numbers, "regression number")]
            whose = " and ".join(counted(count, what) for count, what in many if count)
            said.append(
                f"{whose} by draws: least effective sample size {self.size:,.0f}, worst R-hat "
                f"{self.rhat:.3f}, largest Monte Carlo error {self._errors()}"
            )
        else:
            said.append("all means are exact")
        if not self.settled:
            said.append("the wished precision was not reached")
        return "\n".join(said)

    def _errors(self) -> str:
        errors = [f"{self.error:.1e}"] if self.sampled else []
        if self.numbers:
            errors.append(f"{self.numbers_error:.1%} of a standard deviation")
        return " and ".join(errors)
