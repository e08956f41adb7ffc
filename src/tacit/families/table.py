"""Tables: one distribution over the states of the child for every configuration of its parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit import frames
from tacit.arrays import Column, Floats, Ints, code_type, readonly
from tacit.core.errors import NetworkError, SizeError, TableError, quoted
from tacit.core.family import check_axes
from tacit.core.grid import Grid, counted, number
from tacit.core.variables import Discrete
from tacit.families.counts import DENSE_CELLS

TOLERANCE = 1e-9
"""How far the sum of a row may be from one."""
MOST_CELLS = 20 * DENSE_CELLS
MOST_AXES = 64
"""Numpy has no arrays with more axes."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table:
    """P(child given parents) in full: `values[parents..., child]`, each row adding up to one.

    variables  the parents, then the child
    partial    rows may also be all nan (unknown) or all zero, as some policies for rows without
               cases leave them; such a table cannot be written to a network file
    """

    variables: tuple[Discrete, ...]
    values: Floats
    partial: bool = False

    def __post_init__(self) -> None:
        check_axes(self.variables, Discrete, "table")
        shape = tuple(len(variable.states) for variable in self.variables)
        values = readonly(self.values)
        if values.shape != shape:
            raise TableError(
                f"the table of {self.child!r} has the shape {values.shape}, not {shape}"
            )
        object.__setattr__(self, "values", values)
        self._check_rows()

    def _check_rows(self) -> None:
        rows = self.values.reshape(-1, self.values.shape[-1])
        with np.errstate(invalid="ignore", over="ignore"):
            good = (np.abs(rows.sum(axis=1) - 1) <= TOLERANCE) & (rows >= 0).all(axis=1)
        if self.partial:
            good |= np.isnan(rows).all(axis=1) | (rows == 0).all(axis=1)
        if not good.all():
            at = int(np.flatnonzero(~good)[0])
            raise TableError(row_complaint(self.variables, at, rows[at]))

    @property
    def child(self) -> str:
        """The name of the variable whose states the last axis lists."""
        return self.variables[-1].name

    @property
    def parents(self) -> tuple[str, ...]:
        """The names of the variables on the other axes."""
        return tuple(variable.name for variable in self.variables[:-1])

    @property
    def states(self) -> Mapping[str, tuple[str, ...]]:
        """The states along each axis, by the name of its variable."""
        return {variable.name: variable.states for variable in self.variables}

    @property
    def free_parameters(self) -> int:
        """Cells less one per row."""
        return int(prod(self.values.shape[:-1]) * (self.values.shape[-1] - 1))

    def row(self, given: Mapping[str, str] | None = None) -> Mapping[str, float]:
        """The distribution of the child for one state of each parent."""
        given = given or {}
        for name in given:
            if name not in self.parents:
                raise NetworkError(f"{name!r} is no parent of {self.child!r}")
        for name in self.parents:
            if name not in given:
                raise NetworkError(f"a row of {self.child!r} needs a state of {name!r} too")
        at = tuple(variable.code(given[variable.name]) for variable in self.variables[:-1])
        return dict(zip(self.variables[-1].states, map(float, self.values[at]), strict=True))

    def log_prob(self, columns: Sequence[Column]) -> Floats:
        """log P(child given parents) of every case; nan where a cell is missing."""
        with np.errstate(divide="ignore"):
            logs = np.append(np.log(self.values).ravel(), np.nan)
        return np.asarray(logs[cells(self.values.shape, columns)])

    def sample(self, parents: Sequence[Column], cases: int, random: np.random.Generator) -> Column:
        """The child's codes, drawn by inverting the distribution function of each case's row.

        Missing where a parent is; an error where a row that is drawn from is unknown.
        """
        rows = self.values.reshape(-1, self.values.shape[-1])
        at = cells(self.values.shape[:-1], parents) if parents else np.zeros(cases, dtype=np.int64)
        self._check_known(rows, at)
        last = rows.shape[1] - 1 - np.argmax(rows[:, ::-1] > 0, axis=1)
        reached = np.cumsum(rows, axis=1)
        reached[np.arange(rows.shape[1]) >= last[:, None]] = np.inf  # whatever rounding says
        uniform = random.random(cases)
        codes = np.zeros(cases, dtype=code_type(rows.shape[1]))
        for state in range(rows.shape[1] - 1):
            codes += uniform >= reached[at, state]
        codes[at < 0] = -1
        return codes

    def _check_known(self, rows: Floats, at: Ints) -> None:
        if self.partial:
            unknown = np.append(~(rows.sum(axis=1) > 0), False)[at]
            if unknown.any():
                label = row_label(self.variables, int(at[np.argmax(unknown)]))
                raise NetworkError(f"{label} is unknown, so nothing can be drawn from it")

    def grid(self, most_rows: int = 60) -> Grid:
        """Parent configurations down, states across."""
        shown = list(self._grid_rows(most_rows))
        more = self.values.size // self.values.shape[-1] - len(shown)
        foot = f"  ... and {counted(more, 'more row')}" if more else ""
        given = f" | {', '.join(map(quoted, self.parents))}" if self.parents else ""
        heads = (*self.parents, *self.variables[-1].states)
        title = f"P({quoted(self.child)}{given})"
        return Grid(title, heads, tuple(shown), labels=len(self.parents), foot=foot)

    def _grid_rows(self, most: int) -> Iterator[tuple[str, ...]]:
        rows = self.values.reshape(-1, self.values.shape[-1])
        configurations = product(*(variable.states for variable in self.variables[:-1]))
        for _, given, row in zip(range(most), configurations, rows, strict=False):
            yield (*given, *(number(float(value)) for value in row))

    def to_frame(self, backend: str | None = None) -> Any:
        """One line per row of the table: a column per parent, then one per state of the child.

        backend: "pandas", "polars" or "pyarrow"; by default the first of them that is installed.
        """
        rows = self.values.reshape(-1, self.values.shape[-1])
        given = list(product(*(variable.states for variable in self.variables[:-1])))
        columns: dict[str, Any] = {
            name: [states[at] for states in given] for at, name in enumerate(self.parents)
        }
        for at, state in enumerate(self.variables[-1].states):
            columns[f"{self.child}={state}"] = rows[:, at]
        return frames.build(columns, backend)

    def to_plain(self) -> dict[str, Any]:
        """Kind, names and numbers, as JSON holds them."""
        plain = {
            "family": "table",
            "child": self.child,
            "parents": list(self.parents),
            "values": self.values.tolist(),
        }
        if not self.partial:
            return plain
        values = self.values.astype(object)
        values[np.isnan(self.values)] = None  # JSON has null, not nan
        return {**plain, "values": values.tolist(), "partial": True}

    @staticmethod
    def from_plain(plain: Mapping[str, Any], variables: Mapping[str, Discrete]) -> Table:
        """The table that `to_plain` described."""
        names = (*plain["parents"], plain["child"])
        values = np.asarray(plain["values"], dtype=np.float64)
        return Table(tuple(variables[n] for n in names), values, bool(plain.get("partial", False)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Table)
            and self.variables == other.variables
            and np.array_equal(self.values, other.values, equal_nan=True)
        )

    def __hash__(self) -> int:
        return hash(self.variables)

    def __repr__(self) -> str:
        return f"<Table {self.grid().title}, {' x '.join(map(str, self.values.shape))}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def cells(shape: Sequence[int], columns: Sequence[Column]) -> Ints:
    """The position of every case in a table of this shape; -1 where a cell is missing."""
    at = np.zeros(len(columns[0]), dtype=np.int64)
    absent = np.zeros(len(columns[0]), dtype=np.bool_)
    for size, column in zip(shape, columns, strict=True):
        at *= size
        at += column.astype(np.int64, copy=False)
        absent |= column < 0
    at[absent] = -1
    return at


def row_label(variables: Sequence[Discrete], at: int) -> str:
    """The row at a position as people write it: `P(Cancer | Smoker=yes, Genes=bad)`."""
    *parents, child = variables
    places = np.unravel_index(at, [len(parent.states) for parent in parents]) if parents else ()
    given = ", ".join(
        f"{quoted(parent.name)}={quoted(parent.states[int(place)])}"
        for parent, place in zip(parents, places, strict=True)
    )
    return f"P({quoted(child.name)}{' | ' + given if given else ''})"


def row_complaint(variables: Sequence[Discrete], at: int, row: Floats) -> str:
    """Why a row is no distribution, with the row."""
    label = row_label(variables, at)
    shown = ", ".join(
        f"{state}: {value:.6g}"
        for state, value in zip(variables[-1].states[:12], row, strict=False)
    ) + (", ..." if row.size > 12 else "")
    if np.isnan(row).any():
        return f"{label} has a probability that is no number\n\n    {shown}"
    if (row < 0).any():
        return f"{label} has a negative probability\n\n    {shown}"
    return f"{label} adds up to {sum(row.tolist()):.10g}, not 1\n\n    {shown}"


def uniform_table(variables: tuple[Discrete, ...]) -> Table:
    """The table in which every state is as likely as any other."""
    shape = [len(variable.states) for variable in variables]
    check_size(variables[-1].name, shape)
    return Table(variables, np.full(shape, 1 / shape[-1]))


def check_size(child: str, shape: Sequence[int]) -> None:
    """Nothing, or an error about a table that is too large to keep whole."""
    if len(shape) > MOST_AXES or prod(shape) > MOST_CELLS:
        raise SizeError(
            f"a table of {child!r} given {counted(len(shape) - 1, 'parent')} has "
            f"{prod(shape):.4g} cells, more than can be kept; the most are {MOST_CELLS:,} cells "
            f"and {MOST_AXES - 1} parents"
        )


def table(child: Discrete, parents: Sequence[Discrete], values: npt.ArrayLike) -> Table:
    """A table from anything that reshapes to parents..., child; handy for networks by hand."""
    shape = [len(variable.states) for variable in (*parents, child)]
    array = np.asarray(values, dtype=np.float64)
    check_size(child.name, shape)
    if array.size != prod(shape):
        raise TableError(
            f"the table of {child.name!r} needs {prod(shape)} numbers, not {array.size}"
        )
    return Table((*parents, child), array.reshape(shape))
