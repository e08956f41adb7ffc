"""What a network asks of a conditional distribution, whatever its form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from tacit.arrays import Column, Floats
from tacit.core.grid import Grid
from tacit.core.variables import Variable


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
