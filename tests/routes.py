"""The same cases by every way in. A new way joins the laws by one line in ROUTES."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import feather, ipc, parquet

import servers
from tacit.core.dataset import Dataset
from tacit.io.cases import read_cases

Columns = dict[str, list[Any]]
Route = Callable[[Columns, Path], Dataset]


def as_text(columns: Columns, delimiter: str = ",", end: str = "\n") -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end)
    writer.writerow(columns)
    writer.writerows(
        ["" if cell is None else cell for cell in row]
        for row in zip(*columns.values(), strict=True)
    )
    return out.getvalue()


def text_file(name: str, delimiter: str = ",", end: str = "\n", mark: str = "") -> Route:
    def route(columns: Columns, folder: Path) -> Dataset:
        content = (mark + as_text(columns, delimiter, end)).encode()
        (folder / name).write_bytes(
            gzip.compress(content, mtime=0) if name.endswith(".gz") else content
        )
        return read_cases(folder / name)

    return route


def pattern_of_files(columns: Columns, folder: Path) -> Dataset:
    cases = len(next(iter(columns.values())))
    for at, (start, end) in enumerate(itertools.pairwise([0, cases // 3, cases // 2, cases])):
        part = {name: values[start:end] for name, values in columns.items()}
        (folder / f"part{at}.csv").write_text(as_text(part), newline="")
    return read_cases(folder / "part*.csv")


def json_lines(columns: Columns, folder: Path) -> Dataset:
    rows = zip(*columns.values(), strict=True)
    lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]
    (folder / "cases.jsonl").write_text("\n".join(lines))
    return read_cases(folder / "cases.jsonl")


def json_array(columns: Columns, folder: Path) -> Dataset:
    rows = [
        {name: cell for name, cell in zip(columns, row, strict=True) if cell is not None}
        for row in zip(*columns.values(), strict=True)
    ]
    rows[0] = {name: rows[0].get(name) for name in columns}
    (folder / "cases.json.gz").write_bytes(gzip.compress(json.dumps(rows).encode(), mtime=0))
    return read_cases(folder / "cases.json.gz")


def parquet_file(columns: Columns, folder: Path) -> Dataset:
    parquet.write_table(pa.table(columns), folder / "cases.parquet")
    return read_cases(folder / "cases.parquet")


def parquet_files(columns: Columns, folder: Path) -> Dataset:
    table = pa.table(columns)
    half = table.num_rows // 2
    parquet.write_table(table.slice(0, half), folder / "half0.parquet")
    backwards = table.select(list(reversed(table.column_names)))
    parquet.write_table(backwards.slice(half), folder / "half1.parquet")
    return read_cases(str(folder / "half*.parquet"))


def packed_parquet(columns: Columns, folder: Path) -> Dataset:
    parquet.write_table(pa.table(columns), folder / "plain.parquet")
    content = gzip.compress((folder / "plain.parquet").read_bytes(), mtime=0)
    (folder / "cases.parquet.gz").write_bytes(content)
    return read_cases(folder / "cases.parquet.gz")


def arrow_file(columns: Columns, folder: Path) -> Dataset:
    table = pa.table(columns)
    with ipc.new_file(folder / "cases.arrow", table.schema) as out:
        out.write_table(table, max_chunksize=7)
    return read_cases(folder / "cases.arrow")


def arrow_stream(columns: Columns, folder: Path) -> Dataset:
    table = pa.table(columns)
    with ipc.new_stream(folder / "cases.arrow", table.schema) as out:
        out.write_table(table)
    return read_cases(folder / "cases.arrow")


def feather_files(columns: Columns, folder: Path) -> Dataset:
    table = pa.table(columns)
    feather.write_feather(table.slice(0, 5), folder / "f0.feather")
    feather.write_feather(table.slice(5), folder / "f1.feather")
    return read_cases(folder / "f?.feather")


def arrow_dictionaries(columns: Columns, folder: Path) -> Dataset:
    table = pa.table(columns)
    coded = {
        name: column.dictionary_encode() if pa.types.is_string(column.type) else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return read_cases(pa.table(coded))


def pandas_objects(columns: Columns, folder: Path) -> Dataset:
    return read_cases(pd.DataFrame(columns, dtype=object))


def pandas_nullable(columns: Columns, folder: Path) -> Dataset:
    return read_cases(pd.DataFrame(columns).convert_dtypes())


def pandas_arrow(columns: Columns, folder: Path) -> Dataset:
    return read_cases(pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"))


def numpy_array(columns: Columns, folder: Path) -> Dataset:
    array = np.array([np.array(values, dtype=object) for values in columns.values()]).T
    return read_cases(array, names=list(columns))


def numpy_columns(columns: Columns, folder: Path) -> Dataset:
    return read_cases({name: np.array(values) for name, values in columns.items()})


def duckdb_file(columns: Columns, folder: Path) -> Dataset:
    given = pa.table(columns)  # noqa: F841 - the query names it
    (folder / "cases.duckdb").unlink(missing_ok=True)
    with duckdb.connect(folder / "cases.duckdb") as connection:
        connection.execute("CREATE TABLE cases AS SELECT * FROM given")
    return read_cases(folder / "cases.duckdb", table="cases")


def duckdb_relation(columns: Columns, folder: Path) -> Dataset:
    given = pa.table(columns)  # noqa: F841 - the query names it
    with duckdb.connect() as connection:
        return read_cases(connection.sql("SELECT * FROM given"))


def sql_type(values: list[Any], boolean: str = "BOOLEAN") -> str:
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {bool}:
        return boolean
    if kinds == {int}:
        return "BIGINT"
    return "DOUBLE PRECISION" if kinds and kinds <= {int, float} else "TEXT"


def sqlite_file(columns: Columns, folder: Path) -> Dataset:
    (folder / "cases.sqlite").unlink(missing_ok=True)
    with closing(sqlite3.connect(folder / "cases.sqlite")) as connection, connection:
        fields = ", ".join(f'"{name}" {sql_type(v)}' for name, v in columns.items())
        connection.execute(f"CREATE TABLE cases ({fields})")
        marks = ", ".join("?" * len(columns))
        rows = list(zip(*columns.values(), strict=True))
        connection.executemany(f"INSERT INTO cases VALUES ({marks})", rows)
    return read_cases(folder / "cases.sqlite")


def postgresql_query(columns: Columns, folder: Path) -> Dataset:
    import adbc_driver_postgresql.dbapi

    uri = servers.postgresql()
    schema = pa.schema([(name, pa.array(values).type) for name, values in columns.items()])
    table = pa.table(columns, schema=schema)
    with adbc_driver_postgresql.dbapi.connect(uri) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest(
            "route", table.append_column("row", pa.array(range(len(table)))), "replace"
        )
        connection.commit()
    return read_cases(uri, query="SELECT * FROM route ORDER BY row", columns=list(columns))


ROUTES: dict[str, Route] = {
    "csv": text_file("cases.csv"),
    "csv with semicolons": text_file("cases.csv", ";"),
    "csv from Windows": text_file("cases.csv", ",", "\r\n", "\ufeff"),
    "csv, packed": text_file("cases.csv.gz"),
    "tsv": text_file("cases.tsv", "\t"),
    "txt": text_file("cases.txt", "|"),
    "pattern of csv": pattern_of_files,
    "json lines": json_lines,
    "json array, packed": json_array,
    "parquet": parquet_file,
    "parquet, two files": parquet_files,
    "parquet, packed": packed_parquet,
    "arrow": arrow_file,
    "arrow stream": arrow_stream,
    "feather, two files": feather_files,
    "pandas": lambda columns, _: read_cases(pd.DataFrame(columns)),
    "pandas objects": pandas_objects,
    "pandas nullable": pandas_nullable,
    "pandas arrow": pandas_arrow,
    "polars": lambda columns, _: read_cases(pl.DataFrame(columns)),
    "polars lazy": lambda columns, _: read_cases(pl.LazyFrame(columns)),
    "pyarrow": lambda columns, _: read_cases(pa.table(columns)),
    "pyarrow batch": lambda columns, _: read_cases(pa.record_batch(columns)),
    "dict of lists": lambda columns, _: read_cases(columns),
    "dict of series": lambda columns, _: read_cases(dict(pl.DataFrame(columns).to_dict())),
    "dict of arrays": numpy_columns,
    "numpy": numpy_array,
    "duckdb": duckdb_file,
    "duckdb relation": duckdb_relation,
    "sqlite": sqlite_file,
    "postgresql": postgresql_query,
}
