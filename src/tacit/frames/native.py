"""Native frames, dicts of columns and NumPy arrays as raw tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.frames.arrow_columns import arrow_column, from_arrow
from tacit.frames.pandas_columns import from_pandas, pandas_column
from tacit.frames.polars_columns import from_polars, polars_column
from tacit.frames.raw import (
    RawColumn,
    RawTable,
    UnreadableError,
    from_array,
    from_values,
)


def _library(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def is_frame(source: object) -> bool:
    """Whether `from_frame` knows what to do with this, as far as its type tells."""
    import narwhals.stable.v2 as nw

    if isinstance(source, type):
        return False
    if _library(source) in ("pandas", "polars", "pyarrow", "narwhals"):
        return True
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        return True
    return nw.from_native(source, pass_through=True) is not source


def from_frame(source: Any, threads: int | None = None) -> RawTable:
    """The columns of any frame that narwhals knows, lazy ones included, or of an Arrow stream."""
    import narwhals.stable.v2 as nw

    if (table := _by_library(source, threads)) is not None:
        return table
    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        return from_arrow(_stream(source), threads)
    table = _by_library(frame.to_native(), threads)
    return from_pandas(frame.to_pandas(), threads) if table is None else table


def _by_library(source: Any, threads: int | None) -> RawTable | None:
    """A frame of a library that is known here; None for any other."""
    library, kind = _library(source), type(source).__name__
    if library == "pyarrow":
        if kind.endswith("Array"):
            raise _no_table(source)
        return from_arrow(source, threads)
    if kind != "DataFrame":
        return None
    if library == "pandas":
        return from_pandas(source, threads)
    return from_polars(source, threads) if library == "polars" else None


def _stream(source: Any) -> Any:
    if find_spec("pyarrow") is None:
        raise UnreadableError("reading an Arrow stream needs pyarrow to be installed")
    import pyarrow as pa

    try:
        if hasattr(source, "__arrow_c_array__"):
            return pa.record_batch(source)
        return pa.table(source)
    except (pa.ArrowInvalid, TypeError):
        raise _no_table(source) from None


def _no_table(source: object) -> UnreadableError:
    """The error about a series, an array or another column without a name."""
    what = f"an object of type {type(source).__name__} is no table"
    return UnreadableError(f"{what}; one column is given as {{'name': column}}")


def from_columns(columns: Mapping[Any, Any]) -> RawTable:
    """A dict of columns: lists, arrays or series, all of the same length."""
    lengths: dict[str, int] = {}
    for name, values in columns.items():
        if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
            raise UnreadableError(f"column {str(name)!r} must be a sequence, not {values!r}")
        lengths[str(name)] = len(values)
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name}: {length}" for name, length in list(lengths.items())[:12])
        raise UnreadableError(f"columns differ in length: {shown}")
    series = list(columns.items())

    def load(wanted: Sequence[int]) -> Iterator[RawColumn]:
        for at in wanted:
            name, values = series[at]
            yield _column(str(name), values)

    return RawTable(tuple(columns), load)


def _column(name: str, values: Any) -> RawColumn:
    match _library(values):
        case "numpy":
            return from_array(name, np.asanyarray(values))
        case "pandas":
            import pandas as pd

            return pandas_column(
                name, values if isinstance(values, pd.Series) else pd.Series(values)
            )
        case "polars":
            return polars_column(values.alias(name))
        case "pyarrow":
            return arrow_column(name, values)
    return from_values(name, list(values))


def from_matrix(array: npt.NDArray[Any], names: Sequence[object] | None) -> RawTable:
    """A NumPy array: the fields of a structured one, else two dimensions and a name per column."""
    fields = array.dtype.names
    if fields is not None:
        return from_columns({field: array[field] for field in fields})
    if array.ndim != 2:
        raise UnreadableError(f"an array of cases has two dimensions, not {array.ndim}")
    if names is None or len(names) != array.shape[1]:
        given = "none" if names is None else str(len(names))
        raise UnreadableError(
            f"an array of {array.shape[1]} columns needs as many names, not {given}: "
            "names=[...] gives them"
        )
    return RawTable(tuple(names), partial(_slices, array, [str(name) for name in names]))


def _slices(
    array: npt.NDArray[Any], names: Sequence[str], wanted: Sequence[int]
) -> Iterator[RawColumn]:
    for at in wanted:
        yield from_array(names[at], array[:, at])


def read_arrow_file(content: bytes | str) -> RawTable:
    """An Arrow file, stream or Feather file, given as its path or its bytes."""
    if find_spec("pyarrow") is not None:
        return from_arrow(_by_pyarrow(content))
    if find_spec("polars") is not None:
        return from_polars(_by_polars(content))
    raise UnreadableError("reading Arrow files needs pyarrow or polars to be installed")


def _by_pyarrow(content: bytes | str) -> Any:
    import pyarrow as pa
    from pyarrow import feather, ipc

    try:
        source = pa.memory_map(content) if isinstance(content, str) else pa.BufferReader(content)
        start = source.read(6)
        source.seek(0)
        if start[:4] == b"FEA1":
            return feather.read_table(source)
        return (
            ipc.open_file(source).read_all()
            if start == b"ARROW1"
            else (ipc.open_stream(source).read_all())
        )
    except (pa.ArrowException, OSError, ValueError) as problem:
        raise UnreadableError(f"no Arrow file, or a damaged one ({problem})") from None


def _by_polars(content: bytes | str) -> Any:
    import polars as pl

    whole = content if isinstance(content, bytes) else Path(content).read_bytes()
    try:
        read = pl.read_ipc if whole[:6] == b"ARROW1" else pl.read_ipc_stream
        return read(BytesIO(whole))
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise UnreadableError(f"no Arrow file, or a damaged one ({problem})") from None
