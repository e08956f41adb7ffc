"""Quantities computed from numbers of regressions: in closed form, or under every draw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import KnowledgeError
from tacit.core.variables import Variable
from tacit.estimate.continuous.conjugate import Conjugate
from tacit.knowledge.expressions import Coefficient, Expression
from tacit.knowledge.parsing import rule_of
from tacit.knowledge.regressions import measured_regressions
from tacit.knowledge.slots import Regressed, Row, width

if TYPE_CHECKING:
    from tacit.learn.posteriors import Posterior


@dataclass(frozen=True, slots=True)
class Margin:
    """A quantity in closed form: middle + scale · Student's t, or, where it is a variance,
    middle + scale · inverse gamma(freedom / 2, 1 / 2)."""

    freedom: float
    middle: float
    scale: float
    variance: bool = False

    @property
    def mean(self) -> float:
        """Its expectation; inf where degrees of freedom are too few."""
        if not self.variance:
            return self.middle
        return self.middle + self.scale * (1 / (self.freedom - 2) if self.freedom > 2 else np.inf)

    @property
    def sd(self) -> float:
        """Its standard deviation, inf where degrees of freedom are too few."""
        left = self.freedom - (4 if self.variance else 2)
        if self.scale == 0 or left <= 0:
            return 0.0 if self.scale == 0 else np.inf
        if self.variance:
            return abs(self.scale) * float(np.sqrt(2 / left)) / (self.freedom - 2)
        return abs(self.scale) * float(np.sqrt(self.freedom / left))

    def quantile(self, share: float) -> float:
        """What it is below with this probability."""
        from scipy.stats import chi2, t

        if not self.variance:
            return self.middle + self.scale * float(t.ppf(share, self.freedom))
        share = share if self.scale > 0 else 1 - share
        return self.middle + self.scale / float(chi2.isf(share, self.freedom))

    def above(self, limit: float) -> float:
        """The probability that it is above this."""
        from scipy.stats import chi2, t

        if self.scale == 0:
            return float(self.middle > limit)
        at = (limit - self.middle) / self.scale
        if not self.variance:
            return float(t.sf(at, self.freedom))
        below = float(chi2.sf(1 / at, self.freedom)) if at > 0 else 0.0
        return 1 - below if self.scale > 0 else below


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A quantity of regressions: its instances in words, draws, and closed forms where all have
    one."""

    labels: tuple[str, ...]
    draws: Floats
    margins: tuple[Margin, ...] | None


def speaks_of_numbers(said: Expression) -> bool:
    """Whether a quantity is one of regressions; an error if it is one of probabilities too."""
    kinds = {isinstance(part.of, Coefficient) for part in said.parts if part.of is not None}
    if len(kinds) > 1:
        raise KnowledgeError(
            f"{said} is about numbers of regressions and about probabilities"
            "\n\nask for each by itself, and compute with their draws"
        )
    return kinds == {True}


def measured(posterior: Posterior, text: str) -> Measured:
    """A sum of coefficients, intercepts and variances."""
    families: dict[str, tuple[Variable, ...]] = dict(posterior.cells.families)
    families |= {name: own.axes for name, own in posterior.lines.items()}
    declared = () if posterior.scene is None else posterior.scene.bound.rules
    said = replace(rule_of(f"{text} <= 0"), text=text)
    found = measured_regressions(said, families, declared)
    if not found.rows:
        return Measured((text,), np.zeros((posterior.size, 1)), None)
    numbers = {name: _numbers(posterior, name) for name in posterior.lines}
    draws = np.column_stack([_values(found, row, numbers) for row in found.rows])
    margins = [_margin(posterior, found, row) for row in found.rows]
    known = tuple(each for each in margins if each is not None)
    labels = (text,) if len(found.rows) == 1 else tuple(_label(found, row) for row in found.rows)
    return Measured(labels, draws, known if len(known) == len(margins) else None)


def _numbers(posterior: Posterior, name: str) -> Floats:
    """(draws, slots of the family) coefficients..., intercept, variance, as slots stand."""
    drawn = posterior.draws[name].copy()
    drawn[..., -1] **= 2
    return np.asarray(drawn.reshape(posterior.size, -1))


def _values(found: Regressed, row: Row, numbers: dict[str, Floats]) -> Floats:
    total = np.full(len(next(iter(numbers.values()))), -row.limit)
    for slot, factor in zip(row.slots.tolist(), row.factors, strict=True):
        name = found.slots.child(slot)
        total += factor * numbers[name][:, slot - found.slots.starts[name]]
    return total


def _margin(posterior: Posterior, found: Regressed, row: Row) -> Margin | None:
    """In closed form: a variance, or coefficients of one regression without inequalities."""
    name = found.slots.child(int(row.slots[0]))
    wide = width(found.slots.families[name])
    regression, places = np.divmod(row.slots - found.slots.starts[name], wide)
    last = found.slots.starts[name] + wide * len(posterior.lines[name].each)
    if row.slots.max() >= last or np.unique(regression).size > 1:
        return None
    own = posterior.lines[name].each[int(regression[0])]
    variances = places == wide - 1
    if not isinstance(own, Conjugate) or (variances.any() and places.size > 1):
        return None
    if variances.any():
        return Margin(own.freedom, -row.limit, float(row.factors[0]) * own.residual, variance=True)
    factors = np.zeros(wide - 1)
    factors[places] = row.factors
    spread = max(0.0, float(factors @ own.inverse @ factors)) * own.residual / own.freedom
    return Margin(own.freedom, float(factors @ own.centre) - row.limit, float(np.sqrt(spread)))


def _label(found: Regressed, row: Row) -> str:
    left, _, right = found.instance(row).partition(" <= ")
    return left if right == "0" else f"{left} - {right}"
