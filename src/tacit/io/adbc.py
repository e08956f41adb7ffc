"""SQLite and PostgreSQL through their ADBC drivers: Arrow batches, coded as they come."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tacit.core.errors import CasesError, OptionError
from tacit.frames import Labels, Numbers, RawColumn, RawTable, arrow_column
from tacit.io.databases import Asked, found, identifier, select, without_secrets
from tacit.io.joining import Parts

BATCH = 65_536
"""Cases that SQLite hands over at a time."""
ASKED = 200
"""Columns of SQLite whose types are asked for at a time."""

TABLES = """
    SELECT CASE WHEN table_schema = ANY (current_schemas(false)) THEN '' ELSE table_schema END,
           table_name
    FROM information_schema.tables
    WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2
"""
ENUM = "SELECT enumlabel::text FROM pg_enum WHERE enumtypid = ({})::oid ORDER BY enumsortorder"
PLAIN = frozenset({"text", "varchar", "bpchar", "bool", "int2", "int4", "int8", "float4", "float8"})
"""Types of PostgreSQL that are what they seem."""

Fix = Callable[[RawColumn], RawColumn]


@contextmanager
def _cursor(driver: str, uri: str, where: str) -> Iterator[Any]:
    """A cursor that is closed again; what the driver complains about is one message."""
    module = f"adbc_driver_{driver}"
    if find_spec(module) is None or find_spec("pyarrow") is None:
        raise OptionError(f"{where}: reading it needs more: pip install 'tacit-bn[databases]'")
    from adbc_driver_manager import dbapi

    try:
        database = import_module(f"{module}.dbapi")
        with database.connect(uri) as connection, connection.cursor() as cursor:
            yield cursor
    except (dbapi.Error, OSError) as problem:
        raise CasesError(f"{where}: {_reason(str(problem))}") from None


def _reason(problem: str) -> str:
    """What went wrong, without the driver's own prefixes and its copy of the query."""
    reason = re.split(r"\n+[Qq]uery(?: was)?:|\. SQLSTATE", problem, maxsplit=1)[0]
    reason = re.sub(r"^[A-Z_]+: (?:\[\w+\] )?", "", reason)
    return without_secrets(reason.strip())


def _rows(cursor: Any, query: str) -> list[tuple[Any, ...]]:
    cursor.execute(query)
    return list(cursor.fetchall())


def _names(cursor: Any, source: str) -> tuple[str, ...]:
    cursor.execute(select([], source) + " LIMIT 0")
    return tuple(cursor.fetch_arrow_table().column_names)


def _batches(cursor: Any, query: str, names: Sequence[str], fixes: Sequence[Fix]) -> Parts:
    cursor.execute(query)
    parts = Parts(names)
    for batch in cursor.fetch_record_batch():
        columns = zip(names, batch.columns, fixes, strict=True)
        parts.add(fix(arrow_column(name, column)) for name, column, fix in columns)
    return parts


def _same(column: RawColumn) -> RawColumn:
    return column


@dataclass(frozen=True, slots=True)
class _Cell:
    """A column of a SQLite query: SQL that has one type in every case, and how to undo it."""

    sql: str
    fix: Fix = _same


def from_sqlite(path: Path, asked: Asked) -> RawTable:
    """What is asked of a SQLite file."""
    uri, where = path.absolute().as_uri() + "?mode=ro", str(path)

    def source(cursor: Any) -> str:
        listing = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
        tables = [
            ("", name) for (name,) in _rows(cursor, listing) if not name.startswith("sqlite_")
        ]
        return found(asked, tables, where)

    def load(wanted: Sequence[int]) -> Iterator[RawColumn]:
        with _cursor("sqlite", uri, where) as cursor:
            cases = source(cursor)
            booleans = [] if asked.query else _declared_boolean(cursor, cases)
            chosen = [names[at] for at in wanted]
            found_types = zip(chosen, _seen(cursor, cases, chosen), strict=True)
            cells = [_cell(name, seen, name in booleans, where) for name, seen in found_types]
            cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(BATCH)})
            query = select([cell.sql for cell in cells], cases)
            return _batches(cursor, query, chosen, [cell.fix for cell in cells]).joined()

    with _cursor("sqlite", uri, where) as cursor:
        names = _names(cursor, source(cursor))
    return RawTable(names, load)


def _declared_boolean(cursor: Any, table: str) -> list[str]:
    columns = _rows(cursor, f"PRAGMA table_info({table})")
    return [str(name) for _, name, kind, *_ in columns if str(kind).upper().startswith("BOOL")]


def _seen(cursor: Any, cases: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Of each column: are there texts, bytes, reals, infinite reals, others than 0 and 1."""
    for start in range(0, len(names), ASKED):
        asked = []
        for cell in map(identifier, names[start : start + ASKED]):
            asked += [f"max(typeof({cell}) = '{kind}')" for kind in ("text", "blob", "real")]
            asked += [f"max({cell} IN (9e999, -9e999))", f"max({cell} NOT IN (0, 1))"]
        row = _rows(cursor, select(asked, cases))[0]
        yield from zip(*[iter(row)] * 5, strict=True)


def _cell(name: str, seen: tuple[Any, ...], boolean: bool, where: str) -> _Cell:
    """SQLite lets every cell have a type of its own; its driver trusts the first ones it sees.

    So the types that occur are asked for first. A null is carried as an empty text or as an
    infinite real, of which a column has none of its own.
    """
    cell = identifier(name)
    text, blob, real, infinite, number = seen
    if blob:
        raise CasesError(f"{where}: column {name!r} holds bytes, not states or reals")
    if text:
        return _Cell(f"coalesce(CAST({cell} AS TEXT), '')")
    if infinite:
        raise CasesError(f"{where}: {name!r} is infinite in some case; a real must be finite")
    if real:
        return _Cell(f"coalesce(CAST({cell} AS REAL), 9e999)", _finite)
    return _Cell(cell, _truths if boolean and not number else _same)


def _finite(column: RawColumn) -> RawColumn:
    assert isinstance(column, Numbers)
    return replace(column, values=np.where(np.isinf(column.values), np.nan, column.values))


def _truths(column: RawColumn) -> RawColumn:
    assert isinstance(column, Numbers)
    codes = column.values.astype(np.int8)
    if column.absent is not None:
        codes[column.absent] = -1
    return Labels(column.name, (False, True), codes)


def from_postgresql(uri: str, asked: Asked) -> RawTable:
    """What is asked of a PostgreSQL server."""
    where = without_secrets(uri)

    @contextmanager
    def reading() -> Iterator[tuple[Any, str]]:
        with _cursor("postgresql", uri, where) as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            yield cursor, found(asked, _rows(cursor, TABLES), where)

    def load(wanted: Sequence[int]) -> Iterator[RawColumn]:
        with reading() as (cursor, cases):
            chosen = [names[at] for at in wanted]
            query = select([identifier(name) for name in chosen], cases)
            schema = cursor.adbc_execute_schema(query)
            fixes = [_postgresql_fix(cursor, cases, field) for field in schema]
            return _batches(cursor, query, chosen, fixes).joined()

    with reading() as (cursor, cases):
        names = _names(cursor, cases)
    return RawTable(names, load)


def _postgresql_fix(cursor: Any, cases: str, field: Any) -> Fix:
    """Exact numbers come as text, an enumerated type as text that does not tell its order."""
    kind = (field.metadata or {}).get(b"POSTGRESQL:type", b"").decode()
    if kind == "numeric":
        return _spelt_numbers
    if kind in PLAIN:
        return _same
    of_type = select([f"pg_typeof({identifier(field.name)})"], f"{cases} LIMIT 1")
    labels = [label for (label,) in _rows(cursor, ENUM.format(of_type))]
    return partial(_in_order, labels) if labels else _same


def _spelt_numbers(column: RawColumn) -> RawColumn:
    assert isinstance(column, Labels)
    labels = [None if str(label).lower() == "nan" else label for label in column.labels]
    return replace(column, labels=labels, written=True)


def _in_order(order: Sequence[str], column: RawColumn) -> RawColumn:
    assert isinstance(column, Labels)
    texts = [label.decode() if isinstance(label, bytes) else str(label) for label in column.labels]
    lookup = np.array([*(order.index(text) for text in texts), -1], dtype=np.int32)
    return Labels(column.name, order, lookup[column.codes], categorical=True, ordered=True)
