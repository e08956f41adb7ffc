"""Scores of tables that treat all cells alike, as two numbers per table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tacit.core.errors import OptionError
from tacit.estimate.priors import K2, BDeu, Dirichlet, Jeffreys
from tacit.estimate.scores.values import AnyScore, Penalised

LIKELIHOOD = -1.0
"""The alpha that stands for the greatest likelihood instead of a marginal one."""


class TableScore(Protocol):
    """What a kernel must know of a score: alpha of every cell, and the price of the table."""

    def alpha(self, rows: float, states: int) -> float:
        """Pseudo-counts of each cell; below 0 for the greatest likelihood."""

    def price(self, rows: float, states: int, weight: float) -> float:
        """What is taken off for a table of this size."""


@dataclass(frozen=True, slots=True)
class _Likelihood:
    score: Penalised

    def alpha(self, rows: float, states: int) -> float:
        """The greatest likelihood."""
        del rows, states
        return LIKELIHOOD

    def price(self, rows: float, states: int, weight: float) -> float:
        """What the score says."""
        return self.score.price(rows, states, weight)


@dataclass(frozen=True, slots=True)
class _Marginal:
    """strength / cells + each, in every cell."""

    strength: float
    each: float

    def alpha(self, rows: float, states: int) -> float:
        """The prior's cases of one cell."""
        return self.strength / (rows * states) + self.each

    def price(self, rows: float, states: int, weight: float) -> float:
        """Nothing: the marginal likelihood prices itself."""
        del rows, states, weight
        return 0.0


def table_score(score: AnyScore) -> TableScore | None:
    """The score in this form; None if it treats cells differently."""
    match score:
        case Penalised():
            return _Likelihood(score)
        case BDeu():
            return _marginal(score, score.strength, 0.0)
        case K2() | Jeffreys():
            return _marginal(score, 0.0, score.alpha())
        case Dirichlet() if isinstance(score.alpha, int | float):
            return _marginal(score, 0.0, float(score.alpha))
    return None


def _marginal(score: BDeu | K2 | Jeffreys | Dirichlet, strength: float, each: float) -> _Marginal:
    if strength + each <= 0:
        raise OptionError(
            f"{score.describe()} gives cells no weight: no marginal likelihood follows from it"
            "\n\nuse a strength above 0, for example tc.BDeu(1)"
        )
    return _Marginal(strength, each)
