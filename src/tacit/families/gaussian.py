"""Linear Gaussian families: the child is a linear function of its parents plus noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Column, Floats, readonly
from tacit.core.errors import NetworkError, quoted
from tacit.core.family import check_axes
from tacit.core.grid import Grid, counted
from tacit.core.variables import Continuous

ROUNDING = 1e-6
"""What a case may be off an exact function, as a share of the terms of the sum. An sd is estimated
as 0 where the squares that are left are less than 1e-13 of the variance, a bit less than this."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LinearGaussian:
    """child ~ Normal(intercept + coefficients · parents, sd²).

    variables     the parents, then the child
    coefficients  one per parent, in their order
    sd            the standard deviation of the noise; 0 makes the child a function of its parents
    """

    variables: tuple[Continuous, ...]
    coefficients: Floats
    intercept: float
    sd: float

    def __post_init__(self) -> None:
        check_axes(self.variables, Continuous, "linear Gaussian family")
        coefficients = readonly(self.coefficients)
        if coefficients.shape != (len(self.parents),):
            raise NetworkError(
                f"{self.child!r} has {len(self.parents)} parents "
                f"but {coefficients.size} coefficients"
            )
        if not (np.isfinite(coefficients).all() and np.isfinite(self.intercept)):
            raise NetworkError(f"a coefficient of {self.child!r} is no finite number")
        if not (np.isfinite(self.sd) and self.sd >= 0):
            raise NetworkError(f"the sd of {self.child!r} is {self.sd:g}; it must be 0 or more")
        object.__setattr__(self, "coefficients", coefficients)
        object.__setattr__(self, "intercept", float(self.intercept))
        object.__setattr__(self, "sd", float(self.sd))

    @property
    def child(self) -> str:
        """The name of the variable it describes."""
        return self.variables[-1].name

    @property
    def parents(self) -> tuple[str, ...]:
        """The names of the variables it depends on."""
        return tuple(variable.name for variable in self.variables[:-1])

    @property
    def free_parameters(self) -> int:
        """Coefficients, intercept and sd."""
        return len(self.variables) + 1

    def mean(self, parents: Sequence[Column], cases: int) -> Floats:
        """The expected child of every case."""
        mean = np.full(cases, self.intercept)
        for coefficient, column in zip(self.coefficients, parents, strict=True):
            mean += coefficient * column
        return mean

    def log_prob(self, columns: Sequence[Column]) -> Floats:
        """The log density of every case; nan where a cell is missing."""
        *parents, child = columns
        off = np.asarray(child - self.mean(parents, len(child)), dtype=np.float64)
        if self.sd == 0:
            reach = np.abs(child) + abs(self.intercept)
            for coefficient, column in zip(self.coefficients, parents, strict=True):
                reach += np.abs(coefficient * column)
            return exact_density(off, reach)
        with np.errstate(over="ignore"):
            return np.asarray(-0.5 * (off / self.sd) ** 2 - np.log(self.sd * np.sqrt(2 * np.pi)))

    def sample(self, parents: Sequence[Column], cases: int, random: np.random.Generator) -> Column:
        """The child's values, drawn given its parents'."""
        return self.mean(parents, cases) + self.sd * random.standard_normal(cases)

    def grid(self, most_rows: int = 60) -> Grid:
        """One line per parent, then intercept and sd."""
        shown = list(zip(self.parents, self.coefficients, strict=True))[:most_rows]
        rows = [(quoted(name), f"{value:.4g}") for name, value in shown]
        rows += [("(intercept)", f"{self.intercept:.4g}"), ("(sd)", f"{self.sd:.4g}")]
        more = len(self.parents) - len(shown)
        foot = f"  ... and {counted(more, 'more parent')}" if more else ""
        given = f" | {', '.join(map(quoted, self.parents))}" if self.parents else ""
        title = f"{quoted(self.child)}{given} ~ linear Gaussian"
        return Grid(title, ("parent", "coefficient"), tuple(rows), foot=foot)

    def to_plain(self) -> dict[str, Any]:
        """Kind, names and numbers, as JSON holds them."""
        return {
            "family": "linear-gaussian",
            "child": self.child,
            "parents": list(self.parents),
            "coefficients": self.coefficients.tolist(),
            "intercept": self.intercept,
            "sd": self.sd,
        }

    @staticmethod
    def from_plain(plain: Mapping[str, Any], variables: Mapping[str, Continuous]) -> LinearGaussian:
        """The family that `to_plain` described."""
        names = (*plain["parents"], plain["child"])
        coefficients = np.asarray(plain["coefficients"], dtype=np.float64)
        return LinearGaussian(
            tuple(variables[name] for name in names), coefficients, plain["intercept"], plain["sd"]
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LinearGaussian)
            and self.variables == other.variables
            and np.array_equal(self.coefficients, other.coefficients)
            and (self.intercept, self.sd) == (other.intercept, other.sd)
        )

    def __hash__(self) -> int:
        return hash((self.variables, self.intercept, self.sd))

    def __repr__(self) -> str:
        terms = [f"{self.intercept:.4g}"]
        terms += [
            f"{c:.4g}*{quoted(p)}" for c, p in zip(self.coefficients, self.parents, strict=True)
        ]
        return f"<LinearGaussian {quoted(self.child)} = {' + '.join(terms)}, sd {self.sd:.4g}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def exact_density(off: Floats, reach: Floats) -> Floats:
    """The log density of cases so far off an exact function: inf on it, -inf elsewhere.

    reach  the sum of the absolute values of what `off` was computed from
    """
    on = np.abs(off) <= ROUNDING * reach
    return np.where(np.isnan(off), np.nan, np.where(on, np.inf, -np.inf))
