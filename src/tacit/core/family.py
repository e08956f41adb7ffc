"""What a network asks of a conditional distribution, whatever its form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from tacit.arrays import Column, Floats
from tacit.core.errors import NetworkError
from tacit.core.grid import Grid
from tacit.core.variables import Continuous, Discrete, Variable


class Family(Protocol):
    """P(child given parents). Columns come as one array per variable: parents..., child."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The parents, then the child: the axes of everything the family holds."""

    @property
    def child(self) -> str:
        """The name of the variable it describes."""

    @property
    def parents(self) -> tuple[str, ...]:
        """The names of the variables it depends on."""

    @property
    def free_parameters(self) -> int:
        """How many numbers can be chosen freely."""

    def log_prob(self, columns: Sequence[Column]) -> Floats:
        """log P(child given parents) of every case; nan where a cell is missing."""

    def sample(self, parents: Sequence[Column], cases: int, random: np.random.Generator) -> Column:
        """A column of the child, drawn given columns of its parents."""

    def grid(self, most_rows: int = 60) -> Grid:
        """The parameters as a labelled table."""

    def to_plain(self) -> dict[str, Any]:
        """The family as JSON can hold it, its kind under the key `family`."""


def check_axes(variables: Sequence[Variable], kind: type[Variable], family: str) -> None:
    """Nothing, or an error if the axes of a family are not different variables of one kind."""
    for variable in variables:
        if not isinstance(variable, Discrete | Continuous):
            raise NetworkError(
                f"a {family} is of variables, as tc.{kind.__name__}(...) makes them, and "
                f"{variable!r:.40} is none"
            )
        if not isinstance(variable, kind):
            has = "states" if isinstance(variable, Discrete) else "real values"
            raise NetworkError(
                f"{variable.name!r} has {has}; a {family} of {variables[-1].name!r} "
                f"takes {kind.__name__.lower()} variables only"
            )
    check_different(variables, family)


def check_different(variables: Sequence[Variable], family: str) -> None:
    """Nothing, or an error if a family has no child, or names a variable twice."""
    names = [variable.name for variable in variables]
    if not names:
        raise NetworkError(f"a {family} needs a child")
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise NetworkError(f"the {family} of {names[-1]!r} names {twice!r} twice")
