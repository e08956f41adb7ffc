"""Conditional Gaussian families: one linear Gaussian per configuration of discrete parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import prod
from typing import Any

import numpy as np

from tacit.arrays import Column, Floats, Ints, readonly
from tacit.core.errors import NetworkError, quoted
from tacit.core.family import check_different
from tacit.core.grid import Grid, counted
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.families.gaussian import LinearGaussian, exact_density
from tacit.families.table import cells

_NAME = "conditional Gaussian family"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConditionalGaussian:
    """child ~ Normal(intercept + coefficients · continuous parents, sd²), the numbers chosen by
    the configuration of the discrete parents (Lauritzen and Wermuth 1989).

    variables     the parents of either kind in the order of the dag, then the child
    coefficients  (states of the discrete parents..., continuous parents)
    intercept     (states of the discrete parents...,)
    sd            (states of the discrete parents...,)  0 makes the child a function of its parents
    """

    variables: tuple[Variable, ...]
    coefficients: Floats
    intercept: Floats
    sd: Floats

    def __post_init__(self) -> None:
        check_different(self.variables, _NAME)
        if not isinstance(self.variables[-1], Continuous):
            raise NetworkError(f"{self.child!r} has states; the child of a {_NAME} is continuous")
        shape = self.shape
        wanted = (*shape, len(self.continuous) - 1), shape, shape
        for part, size in zip(("coefficients", "intercept", "sd"), wanted, strict=True):
            values = readonly(getattr(self, part))
            if values.shape != size:
                raise NetworkError(
                    f"the shape of the {part} of {self.child!r} is {values.shape}, not {size}"
                )
            object.__setattr__(self, part, values)
        if not (np.isfinite(self.coefficients).all() and np.isfinite(self.intercept).all()):
            raise NetworkError(f"a coefficient of {self.child!r} is no finite number")
        wrong = ~(np.isfinite(self.sd) & (self.sd >= 0))
        if wrong.any():
            sd = float(self.sd[wrong][0])
            raise NetworkError(f"an sd of {self.child!r} is {sd:g}; it must be 0 or more")

    @property
    def child(self) -> str:
        """The name of the variable it describes."""
        return self.variables[-1].name

    @property
    def parents(self) -> tuple[str, ...]:
        """The names of the variables it depends on."""
        return tuple(variable.name for variable in self.variables[:-1])

    @property
    def discrete(self) -> tuple[Discrete, ...]:
        """The parents that choose the regression."""
        return tuple(each for each in self.variables if isinstance(each, Discrete))

    @property
    def continuous(self) -> tuple[Continuous, ...]:
        """The parents that have coefficients, then the child."""
        return tuple(each for each in self.variables if isinstance(each, Continuous))

    @property
    def shape(self) -> tuple[int, ...]:
        """States of the discrete parents."""
        return tuple(len(parent.states) for parent in self.discrete)

    @property
    def free_parameters(self) -> int:
        """Coefficients, intercept and sd of every configuration."""
        return prod(self.shape) * (len(self.continuous) + 1)

    def given(self, states: Mapping[str, str] | None = None) -> LinearGaussian:
        """The linear Gaussian of one configuration, a state for each discrete parent."""
        states, names = states or {}, [parent.name for parent in self.discrete]
        for name in states:
            if name not in names:
                raise NetworkError(f"{name!r} is no discrete parent of {self.child!r}")
        for name in names:
            if name not in states:
                raise NetworkError(f"a regression of {self.child!r} needs a state of {name!r} too")
        at = tuple(parent.code(states[parent.name]) for parent in self.discrete)
        return LinearGaussian(
            self.continuous, self.coefficients[at], float(self.intercept[at]), float(self.sd[at])
        )

    def mean(self, parents: Sequence[Column], cases: int) -> Floats:
        """The expected child of every case; nan where a parent is missing."""
        at, rest = self._configurations(parents, cases), self._reals(parents)
        slopes = self.coefficients.reshape(prod(self.shape), -1)
        mean = np.append(self.intercept.reshape(-1), np.nan)[at]
        for number, column in enumerate(rest):
            mean += np.append(slopes[:, number], np.nan)[at] * column
        return np.asarray(mean)

    def spread(self, parents: Sequence[Column], cases: int) -> Floats:
        """The sd of every case; nan where a discrete parent is missing."""
        at = self._configurations(parents, cases)
        return np.asarray(np.append(self.sd.reshape(-1), np.nan)[at])

    def _configurations(self, parents: Sequence[Column], cases: int) -> Ints:
        codes = [
            column
            for variable, column in zip(self.variables[:-1], parents, strict=True)
            if isinstance(variable, Discrete)
        ]
        return cells(self.shape, codes) if codes else np.zeros(cases, dtype=np.int64)

    def _reals(self, parents: Sequence[Column]) -> list[Column]:
        return [
            column
            for variable, column in zip(self.variables[:-1], parents, strict=True)
            if not isinstance(variable, Discrete)
        ]

    def log_prob(self, columns: Sequence[Column]) -> Floats:
        """The log density of every case; nan where a cell is missing."""
        *parents, child = columns
        sd = self.spread(parents, len(child))
        off = np.asarray(child - self.mean(parents, len(child)), dtype=np.float64)
        exact = sd == 0
        scale = np.where(exact, 1.0, sd)
        with np.errstate(over="ignore"):
            density = -0.5 * (off / scale) ** 2 - np.log(scale * np.sqrt(2 * np.pi))
        if exact.any():
            reach = self.reach(parents, len(child)) + np.abs(child)
            density[exact] = exact_density(off[exact], reach[exact])
        return np.asarray(density)

    def reach(self, parents: Sequence[Column], cases: int) -> Floats:
        """What the terms of the mean of every case add up to without their signs."""
        whole = replace(
            self, coefficients=np.abs(self.coefficients), intercept=np.abs(self.intercept)
        )
        axes = zip(self.variables[:-1], parents, strict=True)
        return whole.mean(
            [each if isinstance(axis, Discrete) else np.abs(each) for axis, each in axes], cases
        )

    def sample(self, parents: Sequence[Column], cases: int, random: np.random.Generator) -> Column:
        """The child's values, drawn given its parents'; missing where a parent is."""
        noise = random.standard_normal(cases)
        return self.mean(parents, cases) + self.spread(parents, cases) * noise

    def grid(self, most_rows: int = 60) -> Grid:
        """Configurations of the discrete parents down; coefficients, intercept and sd across."""
        shown = tuple(islice(self._grid_rows(), most_rows))
        more = prod(self.shape) - len(shown)
        foot = f"  ... and {counted(more, 'more configuration')}" if more else ""
        given = f" | {', '.join(map(quoted, self.parents))}" if self.parents else ""
        title = f"{quoted(self.child)}{given} ~ conditional Gaussian"
        slopes = (quoted(parent.name) for parent in self.continuous[:-1])
        states = [parent.name for parent in self.discrete]
        heads = (*states, *slopes, "(intercept)", "(sd)")
        return Grid(title, heads, shown, labels=len(states), foot=foot)

    def _grid_rows(self) -> Iterator[tuple[str, ...]]:
        for at in np.ndindex(self.shape):
            given = (parent.states[code] for parent, code in zip(self.discrete, at, strict=True))
            numbers = (*self.coefficients[at], self.intercept[at], self.sd[at])
            yield (*given, *(f"{float(number):.4g}" for number in numbers))

    def to_plain(self) -> dict[str, Any]:
        """Kind, names and numbers, as JSON holds them."""
        return {
            "family": "conditional-gaussian",
            "child": self.child,
            "parents": list(self.parents),
            "coefficients": self.coefficients.tolist(),
            "intercept": self.intercept.tolist(),
            "sd": self.sd.tolist(),
        }

    @staticmethod
    def from_plain(
        plain: Mapping[str, Any], variables: Mapping[str, Variable]
    ) -> ConditionalGaussian:
        """The family that `to_plain` described."""
        names = (*plain["parents"], plain["child"])
        numbers = (
            np.asarray(plain[part], dtype=np.float64)
            for part in ("coefficients", "intercept", "sd")
        )
        return ConditionalGaussian(tuple(variables[name] for name in names), *numbers)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConditionalGaussian)
            and self.variables == other.variables
            and np.array_equal(self.coefficients, other.coefficients)
            and np.array_equal(self.intercept, other.intercept)
            and np.array_equal(self.sd, other.sd)
        )

    def __hash__(self) -> int:
        return hash(self.variables)

    def __repr__(self) -> str:
        regressions = counted(prod(self.shape), "regression")
        return f"<ConditionalGaussian {self.grid().title.split(' ~ ')[0]}, {regressions}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()
