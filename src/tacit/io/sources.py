"""Where cases come from: whatever is given becomes a raw table."""

from __future__ import annotations

import glob
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.core.errors import CasesError, FormatError, OptionError, nearest
from tacit.core.paths import neighbours
from tacit.frames import (
    RawTable,
    UnreadableError,
    from_columns,
    from_frame,
    from_matrix,
    is_frame,
)
from tacit.io import databases, fastcsv, textfiles
from tacit.io.adbc import from_postgresql, from_sqlite
from tacit.io.files import suffix
from tacit.io.jsoncases import from_json
from tacit.io.parquet import from_arrow_files, from_parquet
from tacit.io.words import short

TEXT = (".csv", ".tsv", ".txt")
JSON = (".json", ".jsonl", ".ndjson")
PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")


@dataclass(frozen=True, slots=True)
class How:
    """What some sources need to be told.

    asked      the table or query of a database
    names      of the columns of a NumPy array
    delimiter  between the cells of a text file
    threads    at most so many; None for all cores
    """

    asked: databases.Asked
    names: Sequence[object] | None = None
    delimiter: str | None = None
    threads: int | None = None


def open_source(source: Any, how: How) -> tuple[RawTable, str]:
    """The raw table of a source, and what to call it in reports and messages."""
    asked = how.asked.table or how.asked.query
    try:
        if isinstance(source, str) and source.startswith(databases.SERVERS):
            return from_postgresql(source, how.asked), _called(source, how)
        if isinstance(source, str | Path):
            return _from_paths(_paths(source), how), _called(str(source), how)
        if _is_duckdb(source, "DuckDBPyConnection"):
            relation = databases.asked_relation(source, how.asked, "the connection")
            return databases.relation_table(relation), _called("a DuckDB connection", how)
        if asked is not None:
            raise OptionError("table= and query= are for databases")
        return _from_memory(source, how)
    except UnreadableError as problem:
        raise CasesError(str(problem)) from None


def _called(source: str, how: How) -> str:
    name = databases.without_secrets(source)
    if how.asked.table is not None:
        return f"{name}, table {how.asked.table!r}"
    return f"{name}, a query" if how.asked.query is not None else name


def _is_duckdb(source: object, kind: str) -> bool:
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(source, getattr(duckdb, kind))


def _from_memory(source: Any, how: How) -> tuple[RawTable, str]:
    kind = type(source)
    called = f"a {kind.__module__.partition('.')[0]} {kind.__name__}"
    if isinstance(source, Mapping):
        return from_columns(source), "a dict of columns"
    if isinstance(source, np.ndarray):
        return from_matrix(source, how.names), "a NumPy array"
    if _is_duckdb(source, "DuckDBPyRelation"):
        return databases.relation_table(source), "a DuckDB relation"
    if is_frame(source):
        return from_frame(source, how.threads), called
    raise CasesError(
        f"cases cannot be read from an object of type {kind.__name__}"
        "\n\nthey come from a file or a pattern of files, a database, a data frame, a dict of "
        "columns, or a NumPy array with names=[...]"
    )


def _paths(source: str | Path) -> list[Path]:
    """The files that a path or a pattern names, in the order of their names."""
    path = Path(source)
    try:
        folder, there = path.is_dir(), path.exists()
    except OSError as problem:  # a text that is no name, such as that of a long dag
        raise FormatError(f"{short(str(path))}: cannot be read: {problem.strerror}") from None
    if folder:
        raise FormatError(f"{str(path)!r} is a folder; name its files, as in '{path}/*.csv'")
    if there:
        return [path]
    if glob.has_magic(str(source)):
        return _matches(path)
    siblings = neighbours(str(path))
    raise FormatError(f"there is no file {str(path)!r}{nearest(path.name, siblings)}")


def _matches(pattern: Path) -> list[Path]:
    fixed = next(at for at, part in enumerate(pattern.parts) if glob.has_magic(part))
    folder, rest = Path(*pattern.parts[:fixed]), str(Path(*pattern.parts[fixed:]))
    try:
        files = sorted(match for match in folder.glob(rest) if match.is_file())
    except (OSError, ValueError, NotImplementedError) as problem:
        raise FormatError(f"{str(pattern)!r} is no pattern of files: {problem}") from None
    if not files:
        raise FormatError(f"no file matches {str(pattern)!r}")
    return files


def _from_paths(paths: Sequence[Path], how: How) -> RawTable:
    base = _is_database(paths[0])
    if base:
        if len(paths) > 1:
            raise FormatError(f"{paths[0]} is a database; databases are read one at a time")
        if base == "sqlite":
            return from_sqlite(paths[0], how.asked)
        return databases.from_duckdb(paths[0], how.asked, how.threads)
    if how.asked.table is not None or how.asked.query is not None:
        raise OptionError(f"{paths[0]} is no database; table= and query= are for databases")
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        raise FormatError(
            f"files of one kind can be read together, not {' and '.join(sorted(kinds))}"
        )
    match kinds.pop():
        case "text":
            files = [textfiles.open_text(path, suffix(path), how.delimiter) for path in paths]
            textfiles.same_header(files)
            return fastcsv.delimited(files, how.threads)
        case "json":
            return from_json(paths)
        case "parquet":
            return from_parquet(paths, how.threads)
    return from_arrow_files(paths)


def _is_database(path: Path) -> str:
    """Which database a file is, by its first bytes."""
    try:
        with path.open("rb") as file:
            start = file.read(16)
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read: {problem.strerror}") from None
    if start == b"SQLite format 3\0":
        return "sqlite"
    if start[8:12] == b"DUCK":
        return "duckdb"
    if suffix(path) in databases.SUFFIXES:
        raise FormatError(f"{path}: this is neither a SQLite nor a DuckDB database")
    return ""


def _kind(path: Path) -> str:
    for kind, endings in (("text", TEXT), ("json", JSON), ("parquet", PARQUET), ("arrow", ARROW)):
        if suffix(path) in endings:
            return kind
    known = ", ".join((*TEXT, *JSON, *PARQUET, *ARROW, *sorted(databases.SUFFIXES)))
    raise FormatError(
        f"{path}: cases are read from files that end in {known}, or in .gz after that"
    )
