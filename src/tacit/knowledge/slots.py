"""Where the numbers of Gaussian families stand in one vector, and rules as rows over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.knowledge.expressions import Coefficient, number_text
from tacit.knowledge.statements import Rule
from tacit.knowledge.terms import Term, Word


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """All numbers of the Gaussian families of a network, numbered: per family and configuration of
    discrete parents its coefficients, its intercept, its variance.

    families  parents..., child of every continuous variable
    starts    the first slot of each family
    """

    families: Mapping[str, tuple[Variable, ...]]
    starts: Mapping[str, int]
    size: int

    @staticmethod
    def of(families: Mapping[str, tuple[Variable, ...]]) -> Slots:
        """Those of the continuous variables among these families."""
        starts, at, real = {}, 0, {}
        for name, axes in families.items():
            if isinstance(axes[-1], Continuous):
                real[name], starts[name] = axes, at
                at += width(axes) * prod(shape(axes))
        return Slots(real, starts, at)

    def of_regression(self, name: str, configuration: int) -> Ints:
        """The slots of one configuration: coefficients..., intercept, variance."""
        wide = width(self.families[name])
        first = self.starts[name] + wide * configuration
        return np.arange(first, first + wide)

    def is_variance(self, slot: int) -> bool:
        """Whether a slot is a variance."""
        name = self.child(slot)
        wide = width(self.families[name])
        return (slot - self.starts[name]) % wide == wide - 1

    def child(self, slot: int) -> str:
        """The variable whose family a slot belongs to."""
        return max((n for n in self.starts if self.starts[n] <= slot), key=self.starts.__getitem__)

    def label(self, slot: int) -> str:
        """A slot as the language writes it."""
        name = self.child(slot)
        axes = self.families[name]
        configuration, inside = divmod(slot - self.starts[name], width(axes))
        parents = [axis.name for axis in axes[:-1] if isinstance(axis, Continuous)]
        discrete = [axis for axis in axes if isinstance(axis, Discrete)]
        codes = np.unravel_index(configuration, shape(axes)) if discrete else ()
        given = tuple(
            Term(Word(axis.name), (Word(axis.states[int(code)]),))
            for axis, code in zip(discrete, codes, strict=True)
        )
        what = ("intercept", "variance")[inside - len(parents)] if inside >= len(parents) else ""
        parent = Word(parents[inside]) if not what else None
        return str(Coefficient(Word(name), parent, given, what or "coefficient"))


def shape(axes: Sequence[Variable]) -> tuple[int, ...]:
    """The states of the discrete parents."""
    return tuple(len(axis.states) for axis in axes if isinstance(axis, Discrete))


def width(axes: Sequence[Variable]) -> int:
    """How many slots a regression has."""
    return sum(isinstance(axis, Continuous) for axis in axes) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """Σ factors · numbers[slots] = limit, or <= limit where not `equal`.

    rule  the number of its rule
    sign  -1 where the rule says >= and was turned round
    """

    slots: Ints
    factors: Floats
    limit: float
    equal: bool
    rule: int
    sign: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Regressed:
    """What rules say of Gaussian families: linear rows over coefficients and intercepts, bounds and
    ratios of variances."""

    slots: Slots
    rules: tuple[Rule, ...]
    rows: tuple[Row, ...]

    def expansion(self, number: int) -> tuple[str, ...]:
        """What a rule says, configuration by configuration."""
        return tuple(self.instance(row) for row in self.rows if row.rule == number)

    def instance(self, row: Row) -> str:
        """A row as the language would write it."""
        parts = []
        for slot, factor in zip(row.slots.tolist(), (row.sign * row.factors).tolist(), strict=True):
            size = abs(factor)
            said = self.slots.label(slot) if size == 1 else f"{size:.4g} * {self.slots.label(slot)}"
            parts.append(("-" if factor < 0 else "+", said))
        words = " ".join(f"{sign} {said}" for sign, said in parts)
        words = words.removeprefix("+ ") if words.startswith("+ ") else words.replace("- ", "-", 1)
        compared = "=" if row.equal else "<=" if row.sign > 0 else ">="
        return f"{words} {compared} {number_text(row.sign * row.limit)}"
