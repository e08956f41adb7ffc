"""Databases as sources of cases: what is asked of them, and DuckDB, which reads its own files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.core.errors import CasesError, OptionError, listed, nearest
from tacit.frames import RawColumn, RawTable
from tacit.io.sqlcases import connect, from_relation

SUFFIXES = frozenset({".duckdb", ".ddb", ".sqlite", ".sqlite3", ".db", ".db3"})
SERVERS = ("postgresql://", "postgres://")


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a database is wanted: a table by name or a query; by default its only table."""

    table: str | None = None
    query: str | None = None

    def __post_init__(self) -> None:
        if self.table is not None and self.query is not None:
            raise OptionError("give table= or query=, not both")


def identifier(name: str) -> str:
    """A name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def select(columns: Sequence[str], source: str) -> str:
    """A query for these expressions; they and the source are SQL already."""
    return " ".join(["SELECT", ", ".join(columns) or "*", "FROM", source])


def without_secrets(text: str) -> str:
    """A connection string as messages and reports may show it."""
    text = re.sub(r"(://[^:/@\s]*):[^@\s]*@", r"\1:***@", text)
    return re.sub(r"(password=)[^&\s]+", r"\1***", text)


def found(asked: Asked, tables: Sequence[tuple[str, str]], where: str) -> str:
    """SQL for what is asked for; `tables` are (schema, name), the plain schema empty."""
    if asked.query is not None:
        return f"({asked.query.strip().rstrip(';')}\n) AS cases"
    names = [name for _, name in tables]
    full = [f"{schema}.{name}" if schema else name for schema, name in tables]
    if asked.table is None:
        if len(tables) != 1:
            raise OptionError(
                f"{where} has {len(tables)} tables; table= or query= says which cases to read"
                f"\n\ntables: {listed(full) or 'none'}"
            )
        at = 0
    elif asked.table in full:
        at = full.index(asked.table)
    elif asked.table in names:
        at = names.index(asked.table)
    else:
        hint = nearest(asked.table, names)
        raise CasesError(
            f"{where} has no table {asked.table!r}{hint}\n\ntables: {listed(full) or 'none'}"
        )
    schema, name = tables[at]
    return f"{identifier(schema)}.{identifier(name)}" if schema else identifier(name)


def from_duckdb(path: Path, asked: Asked, threads: int | None) -> RawTable:
    """What is asked of a DuckDB file."""

    @contextmanager
    def relation() -> Iterator[Any]:
        with complaints(str(path)), connect(threads, str(path)) as connection:
            yield asked_relation(connection, asked, str(path))

    def load(wanted: Sequence[int]) -> Iterator[RawColumn]:
        with relation() as cases:
            yield from from_relation(cases).load(wanted)

    with relation() as cases:
        return RawTable(tuple(cases.columns), load)


def asked_relation(connection: Any, asked: Asked, where: str) -> Any:
    """What is asked of an open connection to DuckDB, not yet computed."""
    tables = connection.sql(
        "SELECT table_schema, table_name FROM information_schema.tables ORDER BY ALL"
    ).fetchall()
    plain = [("" if schema == "main" else schema, name) for schema, name in tables]
    cases = connection.sql("FROM " + found(asked, plain, where))
    if cases is None:
        raise CasesError(f"{where}: the query gives no cases")
    return cases


def relation_table(relation: Any) -> RawTable:
    """A relation of the user's own."""
    table = from_relation(relation)

    def load(wanted: Sequence[int]) -> Iterator[RawColumn]:
        with complaints("the relation"):
            yield from table.load(wanted)

    return RawTable(table.names, load)


@contextmanager
def complaints(where: str) -> Iterator[None]:
    """What DuckDB complains about, as one message."""
    import duckdb

    try:
        yield
    except duckdb.Error as problem:
        raise CasesError(f"{where}: {str(problem).strip()}") from None
