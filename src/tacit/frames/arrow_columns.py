"""Arrow columns as raw columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.frames.raw import Labels, Numbers, RawColumn, RawTable, UnreadableError, ahead


def from_arrow(table: Any, threads: int | None = None) -> RawTable:
    """The columns of a table, a record batch, or anything that exports an Arrow stream."""
    import pyarrow as pa

    if not isinstance(table, pa.Table):
        table = pa.table(table)
    columns = table.columns

    def load(wanted: Sequence[int]) -> Any:
        return ahead(
            lambda at: arrow_column(str(table.column_names[at]), columns[at]), wanted, threads
        )

    return RawTable(tuple(table.column_names), load)


def arrow_column(name: str, column: Any) -> RawColumn:
    """One array, chunked or not; text is coded by Arrow's own dictionaries."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _extension(name, column)
    if types.is_dictionary(kind):
        return _dictionary(name, column, ordered=kind.ordered, categorical=True)
    if types.is_null(kind):
        return Labels(name, (), np.full(len(column), -1, dtype=np.int8))
    if types.is_boolean(kind):
        codes = pc.fill_null(pc.cast(column, pa.int8()), -1)
        return Labels(name, (False, True), codes.to_numpy(zero_copy_only=False))
    if types.is_decimal(kind) or types.is_float16(kind):
        column, kind = pc.cast(column, pa.float64()), pa.float64()
    if types.is_integer(kind) or types.is_floating(kind):
        return _numbers(name, column)
    if types.is_nested(kind):
        raise UnreadableError(f"column {name!r} holds {kind}; a cell is one value")
    if types.is_date64(kind):
        column = pc.cast(column, pa.date32())
    return _dictionary(name, column.dictionary_encode(), ordered=False, categorical=False)


def _numbers(name: str, column: Any) -> Numbers:
    import pyarrow.compute as pc

    if not column.null_count:
        return Numbers(name, column.to_numpy(zero_copy_only=False))
    absent = pc.is_null(column).to_numpy(zero_copy_only=False)
    return Numbers(name, pc.fill_null(column, 0).to_numpy(zero_copy_only=False), absent)


def _dictionary(name: str, column: Any, *, ordered: bool, categorical: bool) -> Labels:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries()
        parts = column.chunks
    else:
        parts = [column]
    labels = parts[0].dictionary.to_pylist() if parts else []
    codes = [_codes(part.indices) for part in parts]
    together = codes[0] if len(codes) == 1 else np.concatenate([np.zeros(0, np.int8), *codes])
    return Labels(name, labels, together, categorical=categorical, ordered=ordered)


def _codes(indices: Any) -> Any:
    """Indices as NumPy has them, -1 for null; unsigned ones have no room for it."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_unsigned_integer(indices.type):
        indices = indices.cast(pa.int64())
    return indices.fill_null(-1).to_numpy(zero_copy_only=False)


def _extension(name: str, column: Any) -> RawColumn:
    """Types that a database or library added: what they store, unless that is bytes."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_fixed_size_binary(column.type.storage_type):
        texts = [None if value is None else str(value) for value in column.to_pylist()]
        return arrow_column(name, pa.array(texts, pa.string()))
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    stored = pa.chunked_array([chunk.storage for chunk in chunks], column.type.storage_type)
    return arrow_column(name, stored)
