"""Polars columns as raw columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.frames.raw import (
    Labels,
    Numbers,
    RawColumn,
    RawTable,
    UnreadableError,
    ahead,
    from_values,
)


def from_polars(frame: Any, threads: int | None = None) -> RawTable:
    """The columns of an eager frame."""

    def load(wanted: Sequence[int]) -> Any:
        return ahead(lambda at: polars_column(frame.to_series(at)), wanted, threads)

    return RawTable(tuple(frame.columns), load)


def polars_column(series: Any) -> RawColumn:
    """One series; text is coded by a dictionary of its own, which is dropped afterwards."""
    import polars as pl

    name, kind = series.name, series.dtype
    if isinstance(kind, pl.Enum):
        labels = kind.categories.to_list()
        return Labels(name, labels, _codes(series), categorical=True, ordered=True)
    if kind == pl.Boolean:
        return Labels(name, (False, True), series.cast(pl.Int8).fill_null(-1).to_numpy())
    if kind.is_decimal():
        series, kind = series.cast(pl.Float64), pl.Float64
    if kind.is_numeric():
        absent = series.is_null().to_numpy() if series.null_count() else None
        return Numbers(name, series.fill_null(0).to_numpy(), absent)
    if kind.is_nested():
        raise UnreadableError(f"column {name!r} holds {kind}; a cell is one value")
    if kind in (pl.Object, pl.Binary):
        return from_values(name, series.to_list())
    if kind == pl.Null:
        return Labels(name, (), np.full(len(series), -1, dtype=np.int8))
    if kind == pl.String or isinstance(kind, pl.Categorical):
        return _texts(name, series.cast(pl.String), categorical=kind != pl.String)
    return _moments(name, series)


def _codes(series: Any) -> Any:
    """Positions among the categories of an Enum; its own numbers hold no -1."""
    import polars as pl

    physical = series.to_physical()
    room = {pl.UInt8: pl.Int16, pl.UInt16: pl.Int32}.get(physical.dtype, pl.Int64)
    return physical.cast(room).fill_null(-1).to_numpy()


def _texts(name: str, series: Any, *, categorical: bool) -> Labels:
    import polars as pl

    labels = series.unique(maintain_order=True).drop_nulls()
    codes = _codes(series.cast(pl.Enum(labels)))
    return Labels(name, labels.to_list(), codes, categorical=categorical)


def _moments(name: str, series: Any) -> Labels:
    """Dates, times and durations, told apart by the integers that hold them."""
    at = np.flatnonzero(series.is_not_null().to_numpy())
    _, first, inverse = np.unique(
        series.to_physical().drop_nulls().to_numpy(), return_index=True, return_inverse=True
    )
    codes = np.full(len(series), -1, dtype=np.int64)
    codes[at] = inverse
    return Labels(name, series.gather(at[first]).to_list(), codes)
