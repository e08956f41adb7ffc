"""Cases that were read before, brought to other variables, and given back as the user had them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tacit import frames
from tacit.arrays import Column
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.variables import Discrete
from tacit.frames import Labels, Numbers, RawColumn, by_case
from tacit.io.coding import Coded, Declared, code
from tacit.io.states import number

_TRUTHS: Mapping[str, object] = {"false": False, "true": True}


def own_values(states: Sequence[str], kind: str) -> list[Any]:
    """The values that became these states: numbers, truth values or text."""
    if kind == "boolean":
        return [_TRUTHS.get(state.casefold(), state) for state in states]
    if kind in ("integer", "real"):
        sizes = [number(state) for state in states]
        if None not in sizes:
            return [int(s) if kind == "integer" else float(s) for s in sizes if s is not None]
    return list(states)


def raw_column(data: Dataset, name: str) -> RawColumn:
    """A column of cases as if it came from outside."""
    variable, kind = data.variables[name], data.kinds.get(name, "text")
    if isinstance(variable, Discrete):
        codes = data.columns[name].astype(np.int64)
        values = own_values(variable.states, kind)
        ordered = not variable.inferred_order
        return Labels(name, values, codes, categorical=True, ordered=ordered)
    return Numbers(name, data.columns[name])


def rebound(data: Dataset, names: Sequence[str], declared: Declared) -> list[Coded]:
    """These columns as the variables they are declared to be; others stay what they are."""
    return [_rebound(data, name, declared) for name in names]


def _rebound(data: Dataset, name: str, declared: Declared) -> Coded:
    told = declared.variables.get(name, data.variables[name])
    kind = data.kinds.get(name, "text")
    changes = name in declared.discrete | declared.continuous or declared.missing
    if told == data.variables[name] and not changes:
        return Coded(told, data.columns[name], kind)
    return code(raw_column(data, name), declared, by_case)


def to_frame(data: Dataset, backend: str | None = None, *, weights: str = "weight") -> Any:
    """The cases as a native data frame: states as the values they were, missing cells as nulls.

    backend  "pandas", "polars" or "pyarrow"; by default the first of them that is installed
    weights  what to call the column of case weights, if there are any
    """
    columns: dict[str, Any] = {name: _own_column(data, name) for name in data.names}
    if data.weights is not None:
        if weights in columns:
            raise OptionError(f"the cases have a column {weights!r}; weights= names another one")
        columns[weights] = data.weights
    return frames.build(columns, backend)


def _own_column(data: Dataset, name: str) -> Any:
    variable, column = data.variables[name], data.columns[name]
    kind = data.kinds.get(name, "text")
    if isinstance(variable, Discrete):
        values = np.empty(len(variable.states) + 1, dtype=object)
        values[:-1] = own_values(variable.states, kind)
        return values[column].tolist()
    return _own_reals(column, kind)


def _own_reals(column: Column, kind: str) -> Any:
    """Whole numbers that were integers come back as such."""
    present = column[~np.isnan(column)]
    if kind != "integer" or not (present == np.rint(present)).all():
        return column
    if len(present) == len(column):
        return column.astype(np.int64)
    return [None if np.isnan(value) else int(value) for value in column]
