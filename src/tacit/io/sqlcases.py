"""DuckDB relations as raw tables: states are coded by the engine, only small integers come out.

Two passes whatever the number of columns: one for the different values of every column, one for
the codes. A column of very many different texts comes as it is and is coded here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit.core.errors import CasesError
from tacit.frames import Labels, RawColumn, RawTable, by_case, from_array, from_values
from tacit.io.states import INTEGER, NUMBER

COMPARED = 12
"""Up to so many states, comparing with one after the other finds the code fastest."""
MOST = 1_000
"""Different texts beyond which a column is not coded by the engine."""
SAMPLE, SEEN = 20_000, 300
"""A column that shows more different texts than SEEN in so many cases has many of them."""
BLANKS = " \t\n\r\f\v"
KINDS = {0: "BIGINT", 1: "DOUBLE"}

_NUMBERS = frozenset(
    {"tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint"}
    | {"float", "double"}
)
_WIDE = frozenset({"decimal", "hugeint", "uhugeint", "bignum"})
_NESTED = frozenset(
    {"list", "struct", "map", "array", "union", "blob", "bit", "geometry", "variant"}
)


def connect(threads: int | None = None, path: str = ":memory:") -> Any:
    """A connection that downloads nothing; a database file is only read."""
    import duckdb

    config: dict[str, Any] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "preserve_insertion_order": "true",
    }
    if threads is not None:
        config["threads"] = threads
    return duckdb.connect(path, read_only=path != ":memory:", config=config)


def literal(text: str) -> str:
    """A text as SQL takes it."""
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class _SqlColumn:
    """A column of a relation, addressed by its position: names may repeat or differ in case."""

    name: str
    at: int
    type: Any

    @property
    def kind(self) -> str:
        return str(self.type.id)

    @property
    def cell(self) -> str:
        return f"#{self.at + 1}"

    @property
    def key(self) -> str:
        return f"c{self.at}"

    @property
    def text(self) -> str:
        return self.cell if self.kind == "varchar" else f"CAST({self.cell} AS VARCHAR)"

    @property
    def trimmed(self) -> str:
        return f"trim({self.text}, {literal(BLANKS)})"

    @property
    def is_text(self) -> bool:
        return self.kind not in _NUMBERS | _WIDE | {"boolean", "enum"}


def from_relation(
    relation: Any,
    place: Callable[[int], str] = by_case,
    *,
    names: Sequence[str] | None = None,
    written: bool = False,
) -> RawTable:
    """The columns of a DuckDB relation; written: all are text that may spell numbers."""
    called = tuple(names or relation.columns)
    types = list(relation.types)

    def load(wanted: Sequence[int]) -> Iterator[RawColumn]:
        columns = [_SqlColumn(called[at], at, types[at]) for at in wanted]
        for column in columns:
            if column.kind in _NESTED:
                raise CasesError(f"column {column.name!r} holds {column.type}; a cell is one value")
        return _load(relation, columns, written)

    return RawTable(called, load, place)


def _load(relation: Any, columns: Sequence[_SqlColumn], written: bool) -> Iterator[RawColumn]:
    texts = [column for column in columns if column.is_text]
    labels = _different(relation, texts)
    many = [column for column in texts if column.key not in labels]
    casts = _spelt(relation, many) if written else {}
    quick = {
        column.key: sql
        for column in columns
        if (sql := casts.get(column.key) or _quick_sql(column, labels.get(column.key))) is not None
    }
    fetched = _fetch(relation, quick)
    for column in columns:
        if column.key in casts and np.isfinite(fetched[column.key]).all():
            yield from_array(column.name, fetched.pop(column.key))
        elif column.key in quick and column.key not in casts:
            yield _quick(column, fetched.pop(column.key), labels.get(column.key), written)
        else:
            yield _as_it_is(relation, column, written)


def _fetch(relation: Any, expressions: Mapping[str, str]) -> dict[str, Any]:
    """NumPy arrays of these expressions, masked where null."""
    if not expressions:
        return {}
    asked = ", ".join(f"{sql} AS {key}" for key, sql in expressions.items())
    return dict(relation.project(asked).fetchnumpy())


def _different(relation: Any, columns: Sequence[_SqlColumn]) -> dict[str, list[str]]:
    """The different texts of each column that does not have too many of them."""
    if not columns:
        return {}
    counts = ", ".join(f"approx_count_distinct({column.text})" for column in columns)
    sizes = relation.limit(SAMPLE).aggregate(counts).fetchall()[0]
    likely = [column for column, size in zip(columns, sizes, strict=True) if size <= SEEN]
    if not likely:
        return {}
    lists = ", ".join(f"list(DISTINCT {column.text})" for column in likely)
    found = relation.aggregate(lists).fetchall()[0]
    texts = {
        column.key: [text for text in values or () if text is not None]
        for column, values in zip(likely, found, strict=True)
    }
    return {key: found for key, found in texts.items() if len(found) <= MOST}


def _quick_sql(column: _SqlColumn, labels: Sequence[str] | None) -> str | None:
    """SQL for codes or numbers; None for a column of too many different texts."""
    if column.kind in _NUMBERS:
        return column.cell
    if column.kind in _WIDE:
        return f"CAST({column.cell} AS DOUBLE)"
    if column.kind == "boolean":
        return f"coalesce(CAST({column.cell} AS TINYINT), -1)"
    if column.kind == "enum":
        return f"coalesce(CAST(enum_code({column.cell}) AS INTEGER), -1)"
    if labels is None or any("\0" in label for label in labels):
        return None
    if not labels:
        return "CAST(-1 AS TINYINT)"
    if len(labels) <= COMPARED:
        codes = " ".join(
            f"WHEN {literal(label)} THEN {at}::TINYINT" for at, label in enumerate(labels)
        )
        return f"CASE {column.text} {codes} ELSE -1::TINYINT END"
    listed = ", ".join(map(literal, labels))
    return f"coalesce(CAST(enum_code(CAST({column.text} AS ENUM({listed}))) AS SMALLINT), -1)"


def _quick(
    column: _SqlColumn, values: Any, labels: Sequence[str] | None, written: bool
) -> RawColumn:
    if column.kind in _NUMBERS | _WIDE:
        return from_array(column.name, values)
    if column.kind == "boolean":
        return Labels(column.name, (False, True), values)
    if column.kind == "enum":
        declared = dict(column.type.children)["values"]
        return Labels(column.name, declared, values, categorical=True, ordered=True)
    return Labels(column.name, labels or (), values, written=written)


def _spelt(relation: Any, columns: Sequence[_SqlColumn]) -> dict[str, str]:
    """SQL for the numbers in columns of many different texts that spell nothing else."""
    if not columns:
        return {}
    trimmed = ", ".join(f"{column.trimmed} AS {column.key}" for column in columns)
    whole, number = (literal(f"(?:{pattern})?") for pattern in (INTEGER, NUMBER))
    worst = ", ".join(
        f"max(CASE WHEN regexp_full_match({column.key}, {whole}) THEN 0"
        f" WHEN regexp_full_match({column.key}, {number}) THEN 1"
        f" WHEN {column.key} IS NULL THEN 0 ELSE 2 END)"
        for column in columns
    )
    found = relation.project(trimmed).aggregate(worst).fetchall()[0]
    return {
        column.key: f"CAST(nullif({column.trimmed}, '') AS {KINDS[kind]})"
        for column, kind in zip(columns, found, strict=True)
        if kind in KINDS
    }


def _as_it_is(relation: Any, column: _SqlColumn, written: bool) -> RawColumn:
    """A column of very many different texts."""
    values = _fetch(relation, {"v": column.text})["v"]
    found = from_values(column.name, np.ma.filled(values, None).tolist())
    return replace(found, written=written) if isinstance(found, Labels) else found
