"""Parquet files by DuckDB, and Arrow files: columns with types of their own."""

from __future__ import annotations

import glob
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacit.core.errors import ColumnError, FormatError, listed
from tacit.frames import RawColumn, RawTable, UnreadableError, read_arrow_file
from tacit.io.files import read_bytes
from tacit.io.joining import Parts
from tacit.io.sqlcases import connect, from_relation

READ = "SELECT * FROM read_parquet($paths, union_by_name = $several)"
SCHEMA = "SELECT name, coalesce(num_children, 0) FROM parquet_schema($path)"


def from_parquet(paths: Sequence[Path], threads: int | None) -> RawTable:
    """The columns of one or more Parquet files that have the same columns."""
    with _unpacked(paths) as plain:
        names = [_names(path, file) for path, file in zip(paths, plain, strict=True)]
    _same_columns(paths, names)

    def load(wanted: Sequence[int]) -> Iterator[RawColumn]:
        with _unpacked(paths) as plain, _complaints(paths[0]), connect(threads) as connection:
            files = [glob.escape(str(file)) for file in plain]
            options = {"paths": files, "several": len(files) > 1}
            relation = connection.sql(READ, params=options)
            yield from from_relation(relation, names=names[0]).load(wanted)

    return RawTable(tuple(names[0]), load)


def _names(path: Path, plain: Path) -> list[str]:
    """The columns as the file names them: DuckDB renames those that differ in case only."""
    with _complaints(path), connect(1) as connection:
        rows = connection.execute(SCHEMA, {"path": glob.escape(str(plain))}).fetchall()
    names: list[str] = []
    inside = 0
    for name, children in rows[1:]:
        if inside == 0:
            names.append(name)
        else:
            inside -= 1
        inside += children
    return names


def _same_columns(paths: Sequence[Path], names: Sequence[Sequence[str]]) -> None:
    for path, here in zip(paths, names, strict=True):
        if sorted(here) != sorted(names[0]):
            raise ColumnError(
                f"{path}: the columns differ from those of {paths[0]}"
                f"\n\nhere:  {listed(here)}\nthere: {listed(names[0])}"
            )


@contextmanager
def _unpacked(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The files, those that are gzip unpacked beside each other in a folder for the moment."""
    with tempfile.TemporaryDirectory() as folder:
        plain = []
        for at, path in enumerate(paths):
            if path.suffix.lower() == ".gz":
                copy = Path(folder) / f"{at}.parquet"
                copy.write_bytes(read_bytes(path))
                plain.append(copy)
            else:
                plain.append(path)
        yield plain


@contextmanager
def _complaints(path: Path) -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.Error as problem:
        reason = str(problem).splitlines()[0]
        raise FormatError(f"{path}: no Parquet file, or a damaged one ({reason})") from None


def from_arrow_files(paths: Sequence[Path]) -> RawTable:
    """The columns of one or more Arrow or Feather files that have the same columns."""
    tables = [_arrow(path) for path in paths]
    names = [[str(name) for name in table.names] for table in tables]
    _same_columns(paths, names)

    def load(wanted: Sequence[int]) -> Iterator[RawColumn]:
        if len(tables) == 1:
            yield from tables[0].load(wanted)
            return
        chosen = [names[0][at] for at in wanted]
        parts = Parts(chosen)
        for table, here in zip(tables, names, strict=True):
            parts.add(table.load([here.index(name) for name in chosen]))
        yield from parts.joined()

    return RawTable(tables[0].names, load)


def _arrow(path: Path) -> RawTable:
    content: Any = read_bytes(path) if path.suffix.lower() == ".gz" else str(path)
    try:
        return read_arrow_file(content)
    except UnreadableError as problem:
        raise FormatError(f"{path}: {problem}") from None
