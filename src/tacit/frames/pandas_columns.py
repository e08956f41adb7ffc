"""Pandas columns as raw columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.frames.arrow_columns import arrow_column
from tacit.frames.raw import Labels, Numbers, RawColumn, RawTable, ahead, from_array, from_values


def from_pandas(frame: Any, threads: int | None = None) -> RawTable:
    """The columns of a frame; its index is none of them, which is said where it has a name."""
    named = [str(name) for name in frame.index.names if name is not None]
    notes = tuple(
        f"the index {name!r} of the frame is no column; frame.reset_index() makes it one"
        for name in named
    )

    def load(wanted: Sequence[int]) -> Any:
        return ahead(
            lambda at: pandas_column(str(frame.columns[at]), frame.iloc[:, at]), wanted, threads
        )

    return RawTable(tuple(frame.columns), load, notes=notes)


def pandas_column(name: str, series: Any) -> RawColumn:
    """One series; text is coded by pandas' or Arrow's own dictionaries."""
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        labels = kind.categories.tolist()
        codes = series.cat.codes.to_numpy()
        return Labels(name, labels, codes, categorical=True, ordered=bool(kind.ordered))
    if isinstance(kind, pd.SparseDtype):
        series, kind = series.sparse.to_dense(), kind.subtype
    if hasattr(series.array, "__arrow_array__") and "pyarrow" in str(
        getattr(kind, "storage", "") or kind
    ):
        return arrow_column(name, series.array.__arrow_array__())
    if isinstance(kind, np.dtype) and kind != np.dtype(object):
        return from_array(name, series.to_numpy())
    if isinstance(kind, pd.BooleanDtype):
        return Labels(name, (False, True), series.to_numpy(dtype=np.int8, na_value=-1))
    if hasattr(kind, "numpy_dtype") and pd.api.types.is_numeric_dtype(kind):
        absent = series.isna().to_numpy()
        return Numbers(name, series.to_numpy(dtype=kind.numpy_dtype, na_value=0), absent)
    return _factorised(name, series)


def _factorised(name: str, series: Any) -> RawColumn:
    """Text, objects, periods, intervals: whatever pandas can tell apart.

    pandas holds True, 1 and 1.0 equal; only where all labels are text is that no loss.
    """
    import pandas as pd

    try:
        codes, labels = pd.factorize(series)
    except TypeError:
        return from_values(name, series.tolist())
    if series.dtype == np.dtype(object) and not all(type(label) is str for label in labels):
        return from_values(name, series.tolist())
    return Labels(name, list(labels), codes)
