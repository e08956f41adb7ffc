"""Cases: coded columns, and how often each case counts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.arrays import Codes, Column, Floats, Ints, code_type
from tacit.core.errors import CasesError, ColumnError, WeightError, listed, nearest
from tacit.core.grid import Grid, counted
from tacit.core.reading import Reading
from tacit.core.variables import Discrete, Variable

LONG = 100_000
"""Columns from this length on are worth a thread each."""
MOST_WEIGHT = 1e50
"""Of all cases together: squares of sums weighed by more are no numbers."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dataset:
    """One row per case, one column per variable.

    columns  the codes of a discrete variable in the smallest integer that holds them, -1 where
             the cell is missing; the reals of a continuous one, nan where missing; nobody writes
             to them
    weights  how often each case counts; None if every case counts once
    kinds    what the values of a discrete column were before they became states: "text" (also
             if not listed), "integer", "real" or "boolean"; output gives them back as such
    notes    what the reader should know about how the cases were read
    source   where the cases came from, for reports
    reading  what was read and how, where these cases are just what that brings; None for cases from
             memory. Whoever makes other cases of these loses it, unless he says how: `read_as`
    """

    variables: Mapping[str, Variable]
    columns: Mapping[str, Column]
    weights: Floats | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    source: str = ""
    reading: Reading | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if list(self.variables) != list(self.columns):
            raise CasesError("every column needs its variable, in the same order")
        for name, variable in self.variables.items():
            if variable.name != name:
                raise CasesError(f"variable {variable.name!r} is listed under {name!r}")
        columns = {
            name: _checked(self.variables[name], self.columns[name]) for name in self.columns
        }
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise CasesError(
                f"columns differ in length: {listed(f'{n}: {k}' for n, k in lengths.items())}"
            )
        if self.weights is not None:
            length = next(iter(lengths.values()), len(self.weights))
            object.__setattr__(self, "weights", _checked_weights(self.weights, length))
        object.__setattr__(self, "variables", MappingProxyType(dict(self.variables)))
        object.__setattr__(self, "columns", MappingProxyType(columns))
        object.__setattr__(self, "kinds", MappingProxyType(dict(self.kinds)))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""
        return tuple(self.variables)

    @property
    def total_weight(self) -> float:
        """How many cases this counts as."""
        return float(len(self) if self.weights is None else self.weights.sum())

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> Column:
        if name not in self.columns:
            raise ColumnError(
                f"the cases have no column {name!r}{nearest(name, self.columns)}"
                f"\n\ncolumns: {listed(self.columns)}"
            )
        return self.columns[name]

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def missing(self) -> Mapping[str, int]:
        """How many cells of each column are missing."""
        return {name: _gaps(column) for name, column in self.columns.items()}

    def select(self, names: Sequence[str]) -> Dataset:
        """The same cases with only these columns."""
        read = None if self.reading is None else self.reading.with_options({"columns": list(names)})
        columns = {name: self[name] for name in names}
        kinds = {name: self.kinds[name] for name in names if name in self.kinds}
        variables = {name: self.variables[name] for name in names}
        return replace(self, variables=variables, columns=columns, kinds=kinds).read_as(read)

    def take(self, cases: Ints) -> Dataset:
        """The cases at these positions, in this order."""
        columns = {name: column[cases] for name, column in self.columns.items()}
        weights = None if self.weights is None else self.weights[cases]
        return replace(self, columns=columns, weights=weights)

    def with_weights(self, weights: Floats | None) -> Dataset:
        """The same cases, counting as often as `weights` says."""
        return replace(self, weights=weights)

    def read_as(self, reading: Reading | None) -> Dataset:
        """The same cases, which this reading brings again."""
        found = object.__new__(Dataset)  # all else was checked when these were made
        for each in fields(Dataset):
            object.__setattr__(found, each.name, getattr(self, each.name))
        object.__setattr__(found, "reading", reading)
        return found

    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change when any cell, state, name or weight does."""
        parts = [*self.columns.values(), *(() if self.weights is None else (self.weights,))]
        if len(self) < LONG:
            hashed = list(map(_hashed, parts))
        else:
            with ThreadPoolExecutor(thread_name_prefix="tacit") as pool:  # hashing needs no lock
                hashed = list(pool.map(_hashed, parts))
        digest = hashlib.sha256()
        for name, part in zip((*self.columns, None), hashed, strict=False):
            variable = self.variables[name] if name is not None else None
            states = variable.states if isinstance(variable, Discrete) else None
            digest.update(repr((name, states, len(self))).encode() + part)
        return digest.hexdigest()[:16]

    def __reduce__(self) -> tuple[Callable[..., Dataset], tuple[Any, ...]]:
        mappings = (dict(self.variables), dict(self.columns), self.weights, dict(self.kinds))
        return _restored, (self.reading, *mappings, self.notes, self.source)

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else f", weighing {self.total_weight:g}"
        columns = counted(len(self.columns), "column")
        return f"<Dataset of {counted(len(self), 'case')}{weighted}, {columns}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()

    def grid(self, most_rows: int = 200) -> Grid:
        """One line per column: its states or range, and how many cells are missing."""
        absent_cells = self.missing()
        rows = tuple(
            (name, _summary(self.variables[name], self.columns[name]), f"{absent_cells[name]:,}")
            for name in self.names[:most_rows]
        )
        more = len(self.names) - len(rows)
        foot = f"  ... and {counted(more, 'more column')}" if more else ""
        return Grid(
            repr(self)[1:-1], ("column", "states", "missing cells"), rows, labels=2, foot=foot
        )


def _restored(reading: Reading | None, *parts: Any) -> Dataset:
    return Dataset(*parts).read_as(reading)


def _hashed(part: Column) -> bytes:
    return hashlib.sha256(np.ascontiguousarray(part).data).digest()


def _gaps(column: Column) -> int:
    """How many cells are missing; that there are none is seen without marking them."""
    if column.dtype.kind != "f" and (not column.size or column.min() >= 0):
        return 0
    return int(np.count_nonzero(absent(column)))


def absent(column: Column) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which cells of a column are missing."""
    if column.dtype.kind == "f":
        return np.isnan(column)
    return np.asarray(column < 0)


def _checked(variable: Variable, column: Column) -> Column:
    array = np.asarray(column)
    if array.ndim != 1:
        raise CasesError(f"column {variable.name!r} has {array.ndim} dimensions, not one")
    checked = (
        _checked_codes(variable, array)
        if isinstance(variable, Discrete)
        else _checked_reals(variable.name, array)
    )
    if checked.flags.writeable:
        checked = checked.view()
        checked.flags.writeable = False
    return checked


def _checked_codes(variable: Discrete, array: npt.NDArray[Any]) -> Codes:
    if array.dtype.kind not in "iu":
        raise CasesError(f"the codes of {variable.name!r} must be integers, not {array.dtype}")
    states = len(variable.states)
    if array.size and (array.min() < -1 or array.max() >= states):
        at = int(np.flatnonzero((array < -1) | (array >= states))[0])
        raise CasesError(
            f"the code of {variable.name!r} in case {at + 1} is {array[at]}; "
            f"codes are 0 to {states - 1}, or -1 where the cell is missing"
        )
    return array.astype(code_type(states), copy=False)


def _checked_reals(name: str, array: npt.NDArray[Any]) -> Floats:
    if array.dtype.kind not in "fiub":
        raise CasesError(f"the values of {name!r} must be numbers, not {array.dtype}")
    reals = array.astype(np.float64, copy=False)
    if np.isinf(reals).any():
        at = int(np.flatnonzero(np.isinf(reals))[0])
        raise CasesError(f"column {name!r} is infinite in case {at + 1}")
    return reals


def _checked_weights(weights: Floats, cases: int) -> Floats:
    given = np.asarray(weights)
    if given.dtype.kind not in "fiub":
        raise WeightError(f"weights must be numbers, not {given.dtype}")
    if given.ndim != 1:
        raise WeightError(f"the weights have {given.ndim} dimensions, not one")
    if given.size != cases:
        raise WeightError(f"{cases} cases need as many weights, not {given.size}")
    array = given.astype(np.float64)
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise WeightError(
            f"the weight of case {at + 1} is {array[at]:g}; a weight is a finite number, 0 or more"
        )
    with np.errstate(over="ignore"):
        total = array.sum()
    if not total <= MOST_WEIGHT:
        raise WeightError(
            f"the weights add up to {total:.3g}, more than can be computed with"
            f"\n\ndivide them by a number, so that they come to {MOST_WEIGHT:g} at most"
        )
    array.flags.writeable = False
    return array


def _summary(variable: Variable, column: Column) -> str:
    if isinstance(variable, Discrete):
        return listed(variable.states, 8)
    present = column[~np.isnan(column)]
    return f"real, {present.min():g} to {present.max():g}" if present.size else "real"
