"""The one adapter to data frames: nothing else in the package knows pandas, polars or Arrow."""

from __future__ import annotations

from tacit.frames.arrow_columns import arrow_column
from tacit.frames.native import from_columns, from_frame, from_matrix, is_frame, read_arrow_file
from tacit.frames.out import BACKENDS, build
from tacit.frames.raw import (
    Labels,
    Numbers,
    RawColumn,
    RawTable,
    UnreadableError,
    ahead,
    by_case,
    from_array,
    from_values,
)

__all__ = [
    "BACKENDS",
    "Labels",
    "Numbers",
    "RawColumn",
    "RawTable",
    "UnreadableError",
    "ahead",
    "arrow_column",
    "build",
    "by_case",
    "from_array",
    "from_columns",
    "from_frame",
    "from_matrix",
    "from_values",
    "is_frame",
    "read_arrow_file",
]
