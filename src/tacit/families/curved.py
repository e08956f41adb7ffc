"""Curved Gaussian families: the mean of the child follows its parents along a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from tacit.arrays import Column, Floats, readonly
from tacit.core.errors import NetworkError, quoted
from tacit.core.family import check_axes
from tacit.core.grid import Grid, counted
from tacit.core.variables import Continuous
from tacit.families.responses import RESPONSES, Response

_ENDS = ("base", "rise", "threshold")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurvedGaussian:
    """child ~ Normal(base + rise * r(coefficients · parents - threshold), sd²).

    variables     the parents, then the child
    coefficients  one per parent, in their order
    base, rise    where the curve begins, and how far it rises
    threshold     the activation at which r is asked for 0; fits put it where the parents are at
                  their means, so it is no free parameter
    sd            the standard deviation of the noise, above 0

    [HV2 3.1, equations 7.2 and 7.3]
    """

    variables: tuple[Continuous, ...]
    coefficients: Floats
    base: float
    rise: float
    threshold: float
    sd: float
    kind: ClassVar[str] = ""
    response: ClassVar[Response]

    def __post_init__(self) -> None:
        check_axes(self.variables, Continuous, f"{self.kind} family")
        coefficients = readonly(self.coefficients)
        if coefficients.shape != (len(self.parents),):
            raise NetworkError(
                f"{self.child!r} has {len(self.parents)} parents "
                f"but {coefficients.size} coefficients"
            )
        if not np.isfinite(coefficients).all():
            raise NetworkError(f"a coefficient of {self.child!r} is no finite number")
        for name in _ENDS:
            if not np.isfinite(getattr(self, name)):
                raise NetworkError(f"the {name} of {self.child!r} is no finite number")
        if not (np.isfinite(self.sd) and self.sd > 0):
            raise NetworkError(f"the sd of {self.child!r} is {self.sd:g}; it must be above 0")
        object.__setattr__(self, "coefficients", coefficients)
        for name in (*_ENDS, "sd"):
            object.__setattr__(self, name, float(getattr(self, name)))

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
        """Coefficients, base, rise and sd: k + 3 for k parents. [HV2 3.1]"""
        return len(self.variables) + 2

    def activation(self, parents: Sequence[Column], cases: int) -> Floats:
        """coefficients · parents - threshold of every case."""
        found = np.full(cases, -self.threshold)
        for coefficient, column in zip(self.coefficients, parents, strict=True):
            found += coefficient * column
        return found

    def mean(self, parents: Sequence[Column], cases: int) -> Floats:
        """The expected child of every case."""
        return self.base + self.rise * self.response.value(self.activation(parents, cases))

    def log_prob(self, columns: Sequence[Column]) -> Floats:
        """The log density of every case; nan where a cell is missing."""
        *parents, child = columns
        off = np.asarray(child - self.mean(parents, len(child)), dtype=np.float64)
        with np.errstate(over="ignore"):
            return np.asarray(-0.5 * (off / self.sd) ** 2 - np.log(self.sd * np.sqrt(2 * np.pi)))

    def sample(self, parents: Sequence[Column], cases: int, random: np.random.Generator) -> Column:
        """The child's values, drawn given its parents'."""
        return self.mean(parents, cases) + self.sd * random.standard_normal(cases)

    def grid(self, most_rows: int = 60) -> Grid:
        """One line per parent, then where the curve begins and ends, and sd."""
        shown = list(zip(self.parents, self.coefficients, strict=True))[:most_rows]
        rows = [(quoted(name), f"{value:.4g}") for name, value in shown]
        rows += [(f"({name})", f"{getattr(self, name):.4g}") for name in (*_ENDS, "sd")]
        more = len(self.parents) - len(shown)
        foot = f"  ... and {counted(more, 'more parent')}" if more else ""
        given = f" | {', '.join(map(quoted, self.parents))}" if self.parents else ""
        title = f"{quoted(self.child)}{given} ~ {self.kind.replace('-g', ' G')}"
        return Grid(title, ("parent", "coefficient"), tuple(rows), foot=foot)

    def to_plain(self) -> dict[str, Any]:
        """Kind, names and numbers, as JSON holds them."""
        return {
            "family": self.kind,
            "child": self.child,
            "parents": list(self.parents),
            "coefficients": self.coefficients.tolist(),
            **{name: getattr(self, name) for name in (*_ENDS, "sd")},
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], variables: Mapping[str, Continuous]) -> Self:
        """The family that `to_plain` described."""
        names = (*plain["parents"], plain["child"])
        coefficients = np.asarray(plain["coefficients"], dtype=np.float64)
        ends = [float(plain[name]) for name in (*_ENDS, "sd")]
        return cls(tuple(variables[name] for name in names), coefficients, *ends)

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is type(self)
            and isinstance(other, CurvedGaussian)
            and self.variables == other.variables
            and np.array_equal(self.coefficients, other.coefficients)
            and self._numbers() == other._numbers()
        )

    def __hash__(self) -> int:
        return hash((self.kind, self.variables, *self._numbers()))

    def _numbers(self) -> tuple[float, ...]:
        return self.base, self.rise, self.threshold, self.sd

    def __repr__(self) -> str:
        terms = [f"{-self.threshold:.4g}"]
        terms += [
            f"{c:.4g}*{quoted(p)}" for c, p in zip(self.coefficients, self.parents, strict=True)
        ]
        curve = f"{self.kind.partition('-')[0]}({' + '.join(terms)})"
        mean = f"{self.base:.4g} + {self.rise:.4g} * {curve}"
        return f"<{type(self).__name__} {quoted(self.child)} = {mean}, sd {self.sd:.4g}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


class SigmoidGaussian(CurvedGaussian):
    """child ~ Normal(base + rise / (1 + exp(-(coefficients · parents - threshold))), sd²).

    From a floor to a ceiling, as a gene that answers to its regulators. [HV2 3.1, equation 7.3]
    """

    __slots__ = ()
    kind: ClassVar[str] = "sigmoid-gaussian"
    response: ClassVar[Response] = RESPONSES["sigmoid"]


class SoftplusGaussian(CurvedGaussian):
    """child ~ Normal(base + rise * log(1 + exp(coefficients · parents - threshold)), sd²).

    Nothing until a threshold, then straight on: a bend without a ceiling.
    """

    __slots__ = ()
    kind: ClassVar[str] = "softplus-gaussian"
    response: ClassVar[Response] = RESPONSES["softplus"]
