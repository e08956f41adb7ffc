"""Cases out to files: CSV, TSV and Parquet; `.gz` packs the first two."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.core.dataset import Dataset
from tacit.core.errors import FormatError
from tacit.core.variables import Discrete
from tacit.io.cases import as_dataset
from tacit.io.files import suffix, write_whole
from tacit.io.sqlcases import connect, literal

SUFFIXES = (".csv", ".tsv", ".parquet")
PACKED = (".csv", ".tsv")
BLOCK = 65_536


def write_cases(data: Any, path: str | Path, *, weights: str | None = None) -> None:
    """Write cases by suffix, .csv .tsv or .parquet, whole or not at all; states by their labels.

    A missing cell is empty (null in Parquet). data: anything `tc.read_cases` takes. weights: the
    column that takes the case weights, needed where the cases have any.
    """
    write_columns(_columns(as_dataset(data), weights), path)


def write_columns(columns: Mapping[str, npt.NDArray[Any]], path: str | Path) -> None:
    """Write columns of one length by suffix, .csv .tsv or .parquet, whole or not at all."""
    lines = max((len(column) for column in columns.values()), default=0)
    packed = Path(path).name.lower().endswith(".gz")
    match suffix(path):
        case ".csv":
            write_whole(path, _delimited(columns, lines, ","))
        case ".tsv":
            write_whole(path, _delimited(columns, lines, "\t"))
        case ".parquet" if not packed:
            write_whole(path, _parquet(columns))
        case _:
            raise FormatError(
                f"cases cannot be written as {Path(path).name!r}"
                f"\n\nthe suffix says the form: {', '.join(SUFFIXES)}; "
                f"{' and '.join(PACKED)} also with .gz"
            )


def _columns(data: Dataset, weights: str | None) -> dict[str, npt.NDArray[Any]]:
    """The cells of every column: texts or None, reals or nan."""
    columns: dict[str, npt.NDArray[Any]] = {}
    for name, column in data.columns.items():
        variable = data.variables[name]
        if isinstance(variable, Discrete):
            labels = np.array([*variable.states, None], dtype=object)
            columns[name] = labels[column]
        else:
            columns[name] = np.asarray(column)
    if data.weights is not None:
        if weights is None or weights in columns:
            raise FormatError(
                "the cases have weights, and a column of its own must hold them"
                '\n\nname one that is not there yet: write_cases(..., weights="weight")'
            )
        columns[weights] = data.weights
    return columns


def _delimited(columns: Mapping[str, npt.NDArray[Any]], cases: int, between: str) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=between, lineterminator="\n")
    writer.writerow(columns)
    for start in range(0, cases, BLOCK):
        block = [_texts(column[start : start + BLOCK]) for column in columns.values()]
        writer.writerows(zip(*block, strict=True))
    return text.getvalue()


def _texts(column: npt.NDArray[Any]) -> list[Any]:
    """Cells as the writer takes them: None and nan become empty, reals keep every digit."""
    if column.dtype.kind != "f":
        return list(column)
    return [None if isnan(each) else repr(each) for each in column.tolist()]


def _parquet(columns: Mapping[str, npt.NDArray[Any]]) -> bytes:
    with TemporaryDirectory() as folder, connect() as connection:
        draft = str(Path(folder) / "cases.parquet")
        connection.register("cases", dict(columns))
        connection.execute(f"COPY cases TO {literal(draft)} (FORMAT parquet)")
        return Path(draft).read_bytes()
