"""Priors over tables: how many cases of each kind the reader brings along."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tacit.arrays import Floats
from tacit.core.errors import OptionError, listed, nearest
from tacit.core.network import Network, check_network
from tacit.core.options import exact, is_number
from tacit.core.variables import Discrete

Joint: TypeAlias = Callable[[Network, tuple[str, ...]], Floats]
"""P(these variables) under a network, an axis per name; inference lends it."""


class Prior(ABC):
    """Independent Dirichlet distributions, one per row of every table."""

    @abstractmethod
    def resolved(self, families: Sequence[tuple[Discrete, ...]], joint: Joint) -> TablePrior:
        """The prior with its numbers for these families (parents..., child) at hand."""

    @abstractmethod
    def describe(self) -> str:
        """The prior as Python writes it, for notes and reports."""

    @staticmethod
    def like(network: Network, strength: float) -> Like:
        """A prior that expects this network and is worth `strength` cases drawn from it."""
        return Like(network, strength)


class TablePrior(Prior):
    """A prior that knows its numbers: what it adds to the counts of a table is alpha."""

    @abstractmethod
    def pseudo_counts(self, variables: tuple[Discrete, ...]) -> Floats:
        """alpha(parents..., child) of one table."""

    def resolved(self, families: Sequence[tuple[Discrete, ...]], joint: Joint) -> TablePrior:
        """Itself."""
        del families, joint
        return self


def _check_strength(strength: float) -> None:
    if not is_number(strength) or strength < 0:
        raise OptionError(f"the strength of a prior is a number of cases, not {strength!r}")


def _shape(variables: tuple[Discrete, ...]) -> tuple[int, ...]:
    return tuple(len(variable.states) for variable in variables)


@dataclass(frozen=True, slots=True)
class BDeu(TablePrior):
    """`strength` cases spread evenly over each table: alpha = strength / (rows x states).

    Equivalent dags get equal marginal likelihoods under it. [EST 1.3; Heckerman et al. 1995]
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        _check_strength(self.strength)

    def pseudo_counts(self, variables: tuple[Discrete, ...]) -> Floats:
        """strength / cells, everywhere."""
        shape = _shape(variables)
        return np.full(shape, self.strength / prod(shape))

    def describe(self) -> str:
        """The prior as Python writes it."""
        return f"BDeu({exact(self.strength)})"


@dataclass(frozen=True, slots=True)
class _Constant(TablePrior):
    def pseudo_counts(self, variables: tuple[Discrete, ...]) -> Floats:
        """The same alpha in every cell."""
        return np.full(_shape(variables), self.alpha())

    def alpha(self) -> float:
        """What one cell gets."""
        return 1.0

    def describe(self) -> str:
        """The prior as Python writes it."""
        return f"{type(self).__name__}()"


@dataclass(frozen=True, slots=True)
class K2(_Constant):
    """One case in every cell: all distributions are equally likely. [Cooper, Herskovits 1992]"""


@dataclass(frozen=True, slots=True)
class Jeffreys(_Constant):
    """Half a case in every cell: the same prior whichever way a row is parametrised."""

    def alpha(self) -> float:
        """What one cell gets."""
        return 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Dirichlet(TablePrior):
    """alpha said outright: one number for every cell, or per variable.

    alpha      a number, or {variable: number, one row of numbers, or a whole table of them}
    otherwise  what the cells of variables that `alpha` does not name get

    A prior mean p worth a cases is the row a * p. [EST 1.3, elicitation]
    """

    alpha: float | Mapping[str, npt.ArrayLike]
    otherwise: float = 1.0
    _arrays: Mapping[str, Floats] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        named = self.alpha if isinstance(self.alpha, Mapping) else {}
        arrays = {name: _as_alpha(f"of {name!r}", values) for name, values in named.items()}
        object.__setattr__(self, "_arrays", arrays)
        _as_alpha("otherwise", self.otherwise)
        if not isinstance(self.alpha, Mapping):
            _as_alpha("of every cell", self.alpha)

    def pseudo_counts(self, variables: tuple[Discrete, ...]) -> Floats:
        """What was said of the child, spread over its rows where only one row was said."""
        shape, child = _shape(variables), variables[-1].name
        default = self.otherwise if isinstance(self.alpha, Mapping) else self.alpha
        values = self._arrays.get(child, np.asarray(default, dtype=np.float64))
        if values.shape not in ((), shape[-1:], shape):
            raise OptionError(
                f"the prior of {child!r} has the shape {values.shape}; "
                f"it must be one number, one row {shape[-1:]} or the table {shape}"
            )
        return np.broadcast_to(values, shape).copy()

    def check_names(self, names: Mapping[str, Any]) -> None:
        """Nothing, or an error about a variable the prior names and the network lacks."""
        for name in self._arrays:
            if name not in names:
                raise OptionError(
                    f"the prior names {name!r}, which is no variable of the network"
                    f"{nearest(name, names)}\n\nvariables: {listed(names)}"
                )

    def describe(self) -> str:
        """The prior as Python writes it, long tables left out."""
        if not isinstance(self.alpha, Mapping):
            return f"Dirichlet({exact(self.alpha)})"
        named = listed((f"{name!r}: ..." for name in self._arrays), 4)
        return f"Dirichlet({{{named}}}, otherwise={exact(self.otherwise)})"


@dataclass(frozen=True, slots=True, eq=False)
class Like(Prior):
    """Worth `strength` cases drawn from `network`: alpha = strength x P(parents, child) there.

    The structure may differ from that of the network: any joint has a probability. [BDe,
    Heckerman et al. 1995]
    """

    network: Network
    strength: float

    def __post_init__(self) -> None:
        check_network(self.network)
        _check_strength(self.strength)

    def resolved(self, families: Sequence[tuple[Discrete, ...]], joint: Joint) -> TablePrior:
        """The pseudo-counts of every family, as explicit tables."""
        for variable in {
            variable.name: variable for family in families for variable in family
        }.values():
            self._check_variable(variable)
        alpha = {
            family[-1].name: self.strength * joint(self.network, tuple(v.name for v in family))
            for family in families
        }
        return Dirichlet(alpha)

    def _check_variable(self, variable: Discrete) -> None:
        known = self.network.variables.get(variable.name)
        if known is None:
            raise OptionError(
                f"the network behind the prior has no variable {variable.name!r}"
                f"{nearest(variable.name, self.network.variables)}"
            )
        if known != variable:
            states = listed(known.states) if isinstance(known, Discrete) else "real values"
            raise OptionError(
                f"{variable.name!r} has the states {listed(variable.states)}, "
                f"but in the network behind the prior: {states}"
            )

    def describe(self) -> str:
        """The prior as Python writes it."""
        return f"Prior.like({self.network!r}, strength={exact(self.strength)})"


def _as_alpha(what: str, values: npt.ArrayLike) -> Floats:
    try:
        alpha = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"the prior {what} must be numbers, not {values!r}") from None
    if not (np.isfinite(alpha).all() and (alpha >= 0).all()):
        raise OptionError(f"the prior {what} must be finite numbers, 0 or more, not {values!r}")
    return alpha
