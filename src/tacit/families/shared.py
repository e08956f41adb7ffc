"""Tables in which several configurations of the parents share one row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from tacit.arrays import Column, Floats, Ints, readonly
from tacit.core.errors import TableError, quoted
from tacit.core.family import check_axes
from tacit.core.grid import Grid, counted, number
from tacit.core.variables import Discrete
from tacit.families.cause_counts import CauseCounts
from tacit.families.counts import Counts
from tacit.families.table import TOLERANCE, Table, check_size


class SharedRows(ABC):
    """What tree tables and default tables have in common: a row for a set of configurations.

    P(child | parents) = values[row of the configuration], and the rows are fewer than the
    configurations: the child depends on some parents in some contexts only. [EST 1.9; Boutilier,
    Friedman, Goldszmidt, Koller 1996; Friedman and Goldszmidt 1996]

    values  (rows, states of the child)
    """

    __slots__ = ()
    kind: ClassVar[str]
    variables: tuple[Discrete, ...]
    values: Floats

    @abstractmethod
    def rows_at(self, parents: Sequence[Column], cases: int) -> Ints:
        """(cases,) the row of every case, whatever is missing taken for the first state."""

    @abstractmethod
    def with_values(self, values: Floats) -> Self:
        """The same rows with other probabilities."""

    @property
    @abstractmethod
    def shares(self) -> Floats:
        """(rows,) which share of all configurations each row stands for; they add up to 1."""

    @abstractmethod
    def labels(self) -> Iterator[str]:
        """The configurations of every row in words."""

    @abstractmethod
    def reading(self, order: Sequence[int]) -> tuple[Ints, ...]:
        """How the row is found by reading one parent after the other, in this order: per parent
        (what is remembered before, states of the parent) what is remembered after. Nothing is
        remembered at first, 0; after the last parent it is the row."""

    @abstractmethod
    def to_plain(self) -> dict[str, Any]:
        """Kind, names and numbers, as JSON holds them."""

    @abstractmethod
    def _lines(self) -> Iterator[tuple[str, int]]:
        """The lines of the print: what it is about, and its row; -1 for a heading."""

    def _check(self, rows: int) -> None:
        check_axes(self.variables, Discrete, self.kind)
        values, shape = readonly(self.values), (rows, len(self.variables[-1].states))
        if values.shape != shape:
            raise TableError(
                f"the rows of the {self.kind} of {quoted(self.child)} have the shape "
                f"{values.shape}, not {shape}"
            )
        object.__setattr__(self, "values", values)
        with np.errstate(invalid="ignore", over="ignore"):
            good = (np.abs(values.sum(axis=1) - 1) <= TOLERANCE) & (values >= 0).all(axis=1)
        if not good.all():
            at = int(np.argmin(good))
            label = next(said for row, said in enumerate(self.labels()) if row == at)
            shown = ", ".join(f"{value:.6g}" for value in values[at, :12])
            raise TableError(
                f"the row of {quoted(self.child)} for {label} is no distribution\n\n    {shown}"
            )

    @property
    def child(self) -> str:
        """The name of the variable it describes."""
        return self.variables[-1].name

    @property
    def parents(self) -> tuple[str, ...]:
        """The names of the variables it depends on."""
        return tuple(variable.name for variable in self.variables[:-1])

    @property
    def configurations(self) -> int:
        """How many configurations the parents have."""
        return prod(len(parent.states) for parent in self.variables[:-1])

    @property
    def free_parameters(self) -> int:
        """Cells less one per row."""
        return int(self.values.shape[0] * (self.values.shape[1] - 1))

    def log_prob(self, columns: Sequence[Column]) -> Floats:
        """log P(child given parents) of every case; nan where a cell is missing."""
        *parents, child = columns
        with np.errstate(divide="ignore"):
            found = np.log(self.values[self.rows_at(parents, len(child)), child])
        for column in columns:
            found[column < 0] = np.nan
        return np.asarray(found)

    def sample(self, parents: Sequence[Column], cases: int, random: np.random.Generator) -> Column:
        """The child's codes, drawn given its parents'; missing where a parent is."""
        row = self.rows_at(parents, cases)
        for column in parents:
            row[column < 0] = -1
        number_of_row = Discrete("row", tuple(map(str, range(len(self.values)))))
        return Table((number_of_row, self.variables[-1]), self.values).sample([row], cases, random)

    def pooled(self, counts: CauseCounts) -> Counts:
        """N(row, child): what was counted of all configurations that share each row."""
        values = np.zeros(self.values.shape)
        np.add.at(values, self.rows_at(counts.columns(), len(counts.seen)), counts.values)
        return Counts(values)

    @property
    def row_axis(self) -> Discrete:
        """The rows as the states of a variable, each by its configurations in words.

        Rows that no case can come to may be called alike; a stroke tells them apart.
        """
        seen = Counter[str]()
        names = []
        for label in self.labels():
            names.append(label + "'" * seen[label])
            seen[label] += 1
        return Discrete("when", tuple(names))

    def to_table(self) -> Table:
        """The same distribution with every row written out; an error where these are too many."""
        shape = [len(variable.states) for variable in self.variables]
        check_size(self.child, shape)
        at = np.unravel_index(np.arange(self.configurations), shape[:-1]) if shape[:-1] else ()
        rows = self.rows_at(at, self.configurations)
        return Table(self.variables, self.values[rows].reshape(shape))

    def grid(self, most_rows: int = 60) -> Grid:
        """A line for every row, under headings where there is one; states across."""
        lines = list(self._lines())
        shown = [
            (label, *([""] * self.values.shape[1] if row < 0 else map(number, self.values[row])))
            for label, row in lines[:most_rows]
        ]
        more = len(lines) - len(shown)
        foot = f"  ... and {counted(more, 'more line')}" if more else ""
        given = f" | {', '.join(map(quoted, self.parents))}" if self.parents else ""
        title = f"P({quoted(self.child)}{given}) ~ {self.kind}, {self._extent()}"
        return Grid(title, ("when", *self.variables[-1].states), tuple(shown), foot=foot)

    def _extent(self) -> str:
        rows = counted(len(self.values), "row")
        return f"{rows} for {counted(self.configurations, 'configuration')}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SharedRows)
            and type(self) is type(other)
            and self.to_plain() == other.to_plain()
            and self.variables == other.variables
        )

    def __hash__(self) -> int:
        return hash((self.kind, self.variables, len(self.values)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {quoted(self.child)}, {self._extent()}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def every_configuration(parents: Sequence[Discrete]) -> Iterator[tuple[int, ...]]:
    """The configurations of these variables by codes, the last one moving fastest."""
    return product(*(range(len(parent.states)) for parent in parents))
