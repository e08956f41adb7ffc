"""Scores of families as frozen values: the fit to the cases less the price of parameters.

The score of a dag is the sum of the scores of its families. A prior over tables is a score too: the
log marginal likelihood of a family under it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import log
from typing import TypeAlias

from tacit.core.errors import OptionError
from tacit.core.options import exact, is_number
from tacit.estimate.priors import Prior
from tacit.estimate.scores.complexity import log_complexity


class Score(ABC):
    """What a family is worth: a number that grows with fit and falls with size."""

    @abstractmethod
    def describe(self) -> str:
        """The score as Python writes it."""


class Penalised(Score):
    """Σ N log(N / N of the row), the greatest log-likelihood, less a price for the parameters."""

    @abstractmethod
    def price(self, rows: float, states: int, weight: float) -> float:
        """What a table of so many rows and states costs where the cases weigh so much."""

    @abstractmethod
    def per_parameter(self, weight: float) -> float:
        """What one free parameter of a Gaussian family costs."""

    def describe(self) -> str:
        """The score as Python writes it."""
        return f"{type(self).__name__}()"


@dataclass(frozen=True, slots=True)
class LogLikelihood(Penalised):
    """The greatest log-likelihood and nothing else: more parents never score less."""

    def price(self, rows: float, states: int, weight: float) -> float:
        """Nothing."""
        del rows, states, weight
        return 0.0

    def per_parameter(self, weight: float) -> float:
        """Nothing."""
        del weight
        return 0.0


@dataclass(frozen=True, slots=True)
class BIC(Penalised):
    """The greatest log-likelihood less log(cases) / 2 for each free parameter. [HV1 1.5]

    Equal for equivalent dags; the large-sample form of the log marginal likelihood.
    """

    def price(self, rows: float, states: int, weight: float) -> float:
        """log(cases) / 2 for each of rows x (states - 1)."""
        return self.per_parameter(weight) * rows * (states - 1)

    def per_parameter(self, weight: float) -> float:
        """log(cases) / 2; nothing for weights that are less than one case, never a reward."""
        return 0.5 * log(max(weight, 1.0))


@dataclass(frozen=True, slots=True)
class AIC(Penalised):
    """The greatest log-likelihood less 1 for each free parameter (Akaike 1974)."""

    def price(self, rows: float, states: int, weight: float) -> float:
        """1 for each of rows x (states - 1)."""
        del weight
        return rows * (states - 1)

    def per_parameter(self, weight: float) -> float:
        """1."""
        del weight
        return 1.0


@dataclass(frozen=True, slots=True)
class QNML(Penalised):
    """Quotient normalised maximum likelihood (Silander, Leppä-aho, Jääsaari, Roos 2018).

    The price of a table is log C(N, rows x states) - log C(N, rows), C the normalising sum of a
    multinomial's maximum likelihood. No setting to choose, and equal for equivalent dags.
    """

    def price(self, rows: float, states: int, weight: float) -> float:
        """The log complexity of parents and child together less that of the parents."""
        return log_complexity(weight, rows * states) - log_complexity(weight, rows)

    def per_parameter(self, weight: float) -> float:
        """Gaussian families have no finite normalising sum."""
        del weight
        raise OptionError(
            "QNML scores tables only\n\nfor continuous variables use tc.BIC(), tc.AIC() or tc.BGe()"
        )


@dataclass(frozen=True, slots=True)
class MDL(BIC):
    """BIC less the code length of the graph: log n + log (n choose k) for k parents of n. [HV1 1.5]

    Not equal for equivalent dags; in nats throughout. [erratum E12]
    """


@dataclass(frozen=True, slots=True)
class BGe(Score):
    """Log marginal likelihood of linear Gaussian families under a normal-Wishart prior.

    mean_strength   cases that the prior mean is worth, alpha_mu
    scale_strength  degrees of freedom of the Wishart prior, alpha_w; None: variables + 2
    Equal for equivalent dags. [Geiger and Heckerman 2002; Kuipers, Moffa, Heckerman 2014]
    """

    mean_strength: float = 1.0
    scale_strength: float | None = None

    def __post_init__(self) -> None:
        for name in ("mean_strength", "scale_strength"):
            given = getattr(self, name)
            optional = given is None and name == "scale_strength"
            if not optional and not (is_number(given) and given > 0):
                raise OptionError(f"{name}={given!r} must be a number of cases above 0")

    def describe(self) -> str:
        """The score as Python writes it."""
        more = "" if self.scale_strength is None else f", {exact(self.scale_strength)}"
        return f"BGe({exact(self.mean_strength)}{more})"


AnyScore: TypeAlias = Score | Prior
"""What `score=` takes: a score, or a prior over tables for its log marginal likelihood."""
