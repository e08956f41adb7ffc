"""Cases from anywhere: files, databases, frames, dicts of columns, arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, ColumnError, WeightError
from tacit.core.network import Network
from tacit.core.reading import Reading
from tacit.core.variables import Variable
from tacit.frames import Labels, RawColumn, RawTable, UnreadableError, by_case
from tacit.io.binding import raw_column, rebound, to_frame
from tacit.io.coding import Coded, Place, code, reals
from tacit.io.databases import Asked, without_secrets
from tacit.io.remarks import notes
from tacit.io.sources import How, open_source
from tacit.io.states import marks, state_text
from tacit.io.wanted import Wanted

__all__ = ["as_dataset", "bind", "read_cases", "to_frame"]

Like = Network | Dataset | Mapping[str, Variable]
Names = str | Sequence[str]


def read_cases(  # noqa: PLR0913 - help() and editors show options only if they are spelt out
    source: Any,
    *,
    columns: Names | None = None,
    like: Like | None = None,
    missing: str | Sequence[object] = (),
    weights: str | npt.ArrayLike | None = None,
    discrete: Names = (),
    continuous: Names = (),
    order: Mapping[str, Sequence[object]] | None = None,
    table: str | None = None,
    query: str | None = None,
    names: Sequence[object] | None = None,
    delimiter: str | None = None,
    threads: int | None = None,
    partial: bool = False,
) -> Dataset:
    """Cases from a file, a database, a data frame, a dict of columns or an array; one row a case.

    source      a path or a pattern (`"cases/*.parquet"`) of .csv .tsv .txt .parquet .arrow .feather
                .json .jsonl files, packed with gzip or not; a DuckDB or SQLite file or
                `"postgresql://..."`; a frame of pandas, polars, pyarrow or any that narwhals knows,
                lazy or not; a DuckDB relation or connection; a dict of columns; a NumPy array;
                a Dataset
    columns     the columns to read, in this order; by default all
    like        a network (or a mapping of variables) whose variables the columns are to be: kinds
                and states are then those, other values are errors, other columns are not read
    missing     texts that stand for a missing value, beside empty cells and nulls
    weights     how often each case counts: the column that says so, or one number per case
    discrete, continuous  columns that are to be so, whatever their values look like
    order       the states of columns in their order: `{"Stage": ["I", "II", "III"]}`
    table, query  which table of a database, or a query to it
    names       of the columns of a NumPy array
    delimiter   between the cells of a text file; by default its header shows it
    threads     at most so many; by default all cores
    partial     read those of `columns` or `like` that are there; others are no error

    Text becomes states; whole numbers become states if there are few of them, other numbers are
    reals. What had to be decided is said in the notes of the result.
    """
    wanted = Wanted(
        None if columns is None else _several(columns),
        _variables(like),
        frozenset(marks(missing)),
        frozenset(_several(discrete)),
        frozenset(_several(continuous)),
        {name: tuple(map(state_text, states)) for name, states in (order or {}).items()},
        partial,
    )
    said = _said(
        columns=columns, like=like, missing=missing, weights=weights, discrete=discrete,
        continuous=continuous, order=order, table=table, query=query, delimiter=delimiter,
        partial=partial,
    )  # fmt: skip
    if isinstance(source, Dataset):
        read = None if source.reading is None or said is None else _read_on(source.reading, said)
        return _from_dataset(source, wanted, weights).read_as(read)
    how = How(Asked(table, query), names, delimiter, threads)
    found = _from_table(*open_source(source, how), wanted, weights)
    if said is None or not isinstance(source, str | Path):
        return found
    return found.read_as(Reading(without_secrets(str(source)), said))


def as_dataset(
    source: Any,
    *,
    like: Like | None = None,
    columns: Names | None = None,
    weights: str | npt.ArrayLike | None = None,
) -> Dataset:
    """What every function makes of its `data`: cases from anything that `read_cases` takes.

    What it asks of cases that were read before, it asks again by itself: their reading stays.
    """
    if not isinstance(source, Dataset):
        return read_cases(source, like=like, columns=columns, weights=weights)
    if like is None and columns is None and weights is None:
        return source
    found = read_cases(source, like=like, columns=columns, weights=weights)
    return found.read_as(source.reading) if weights is None else found


def bind(data: Dataset, variables: Like) -> Dataset:
    """The same cases with exactly these variables: their kinds, their states, their order.

    States that are numbers become reals where a variable is continuous, whole reals become states
    where it is discrete. A value that is no state of its variable is an error.
    """
    return read_cases(data, like=variables)


def _said(**options: Any) -> dict[str, Any] | None:
    """Options that were given, as plain data; None where they are no plain data."""
    if options["weights"] is not None and not isinstance(options["weights"], str):
        return None
    options["like"] = options["like"] is not None
    options["missing"] = marks(options["missing"])
    for name in ("columns", "discrete", "continuous"):
        options[name] = None if options[name] is None else list(_several(options[name]))
    order = options["order"] or {}
    options["order"] = {name: list(map(state_text, states)) for name, states in order.items()}
    return {name: each for name, each in options.items() if each or (name, each) == ("columns", [])}


def _read_on(before: Reading, said: Mapping[str, Any]) -> Reading:
    """Cases that were read, taken in the variables of others or with other options."""
    if "like" in said:
        before = before.without("order", "columns")
    return before.with_options(said)


def _several(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _variables(like: Like | None) -> Mapping[str, Variable]:
    if like is None:
        return {}
    return like.variables if isinstance(like, Network | Dataset) else like


def _from_dataset(data: Dataset, wanted: Wanted, weights: str | npt.ArrayLike | None) -> Dataset:
    column = weights if isinstance(weights, str) else None
    names, ignored = wanted.choose(data.names, column)
    if not names:
        raise ColumnError("no columns are left to read")
    coded = rebound(data, names, wanted.declared())
    remarks = notes(remark for column in coded for remark in column.remarks)
    counts: Any = data.weights if weights is None else weights
    if column is not None:
        counts = _weights(raw_column(data, column), wanted.missing, by_case)
    return _dataset(coded, counts, (*data.notes, *remarks, *ignored), data.source)


def _from_table(
    table: RawTable, called: str, wanted: Wanted, weights: str | npt.ArrayLike | None
) -> Dataset:
    positions, unnamed = _usable(table.names, called)
    column = weights if isinstance(weights, str) else None
    names, ignored = wanted.choose(list(positions), column)
    if not names:
        raise ColumnError(f"{called}: there are no columns to read")
    declared = wanted.declared()
    coded: list[Coded] = []
    counts: Any = weights
    asked = names if column is None else [*names, column]
    loaded = _loaded(table, [positions[name] for name in asked], called)
    for name, given in zip(asked, loaded, strict=True):
        raw = replace(given, name=name)
        if len(coded) < len(names):
            coded.append(code(raw, declared, table.place))
        else:
            counts = _weights(raw, wanted.missing, table.place)
    remarks = notes(remark for column in coded for remark in column.remarks)
    return _dataset(coded, counts, (*table.notes, *unnamed, *remarks, *ignored), called)


def _loaded(table: RawTable, wanted: Sequence[int], called: str) -> Iterator[RawColumn]:
    """The raw columns; an error if one cannot be read or there are no cases."""
    try:
        for raw in table.load(wanted):
            if not len(raw.codes if isinstance(raw, Labels) else raw.values):
                raise CasesError(f"{called}: there are columns but no cases")
            yield raw
    except UnreadableError as problem:
        raise CasesError(f"{called}: {problem}") from None


def _dataset(coded: Sequence[Coded], weights: Any, said: tuple[str, ...], source: str) -> Dataset:
    variables = {column.variable.name: column.variable for column in coded}
    columns = {column.variable.name: column.column for column in coded}
    kinds = {column.variable.name: column.kind for column in coded}
    return Dataset(variables, columns, weights, kinds, tuple(dict.fromkeys(said)), source)


def _usable(names: Sequence[object], called: str) -> tuple[dict[str, int], tuple[str, ...]]:
    """The positions of the columns by name; one without a name may only be the first."""
    positions: dict[str, int] = {}
    said: tuple[str, ...] = ()
    for at, given in enumerate(names):
        if isinstance(given, tuple):
            raise ColumnError(f"{called}: column {at + 1} has a name of several parts: {given!r}")
        name = state_text(given)
        if at == 0 and name in ("", "Unnamed: 0"):
            said = ("the first column has no name and is taken for row numbers; it was not read",)
        elif not name:
            raise ColumnError(f"{called}: column {at + 1} has no name")
        elif not name.isascii() and name != name.encode(errors="replace").decode():
            raise ColumnError(f"{called}: the name of column {at + 1} is no text: {name!a}")
        elif name in positions:
            raise ColumnError(
                f"{called}: columns {positions[name] + 1} and {at + 1} are both named {name!r}"
            )
        else:
            positions[name] = at
    return positions, said


def _weights(raw: RawColumn, missing: frozenset[str], place: Place) -> Floats:
    """The column of weights; the first case without a proper weight is named."""
    try:
        weights = reals(raw, missing, place)
    except CasesError as problem:
        raise WeightError(
            str(problem).split("\n")[0].replace("is to be continuous", "holds weights")
        ) from None
    wrong = ~(weights >= 0)
    if wrong.any():
        at = int(np.argmax(wrong))
        what = "is missing" if np.isnan(weights[at]) else f"is {weights[at]:g}"
        raise WeightError(
            f"{place(at)}: the weight in {raw.name!r} {what}"
            "; a weight is a finite number, 0 or more"
        )
    return weights
