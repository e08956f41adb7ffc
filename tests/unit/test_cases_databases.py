"""Tables and queries of real databases: DuckDB, SQLite and PostgreSQL."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import servers
from tacit.core.errors import CasesError, TacitError
from tacit.core.variables import Continuous, Discrete
from tacit.io.cases import read_cases


def duckdb_file(folder: Path, *statements: str) -> Path:
    path = folder / "base.duckdb"
    with duckdb.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def sqlite_file(folder: Path, *statements: str) -> Path:
    path = folder / "base.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return path


def postgresql(*statements: str) -> str:
    import adbc_driver_postgresql.dbapi

    uri = servers.postgresql()
    with adbc_driver_postgresql.dbapi.connect(uri) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        connection.commit()
    return uri


TWO = (
    "CREATE TABLE people (name TEXT, age INTEGER)",
    "INSERT INTO people VALUES ('Ann', 30), ('Bob', NULL), ('Cyd', 41)",
    'CREATE TABLE "odd \'one" ("a ""b" TEXT)',
    "INSERT INTO \"odd 'one\" VALUES ('x')",
    "CREATE VIEW adults AS SELECT name FROM people WHERE age > 35",
)


@pytest.mark.parametrize("make", [duckdb_file, sqlite_file])
def test_tables_views_and_queries(make: Any, tmp_path: Path) -> None:
    path = make(tmp_path, *TWO)
    data = read_cases(path, table="people")
    assert data.names == ("name", "age")
    assert data["age"].tolist() == [0, -1, 1]
    assert data.source == f"{path}, table 'people'"
    assert read_cases(path, table="odd 'one").names == ('a "b',)
    assert read_cases(path, table="adults")["name"].tolist() == [0]
    query = "SELECT name, age + 1 AS next FROM people WHERE age IS NOT NULL; -- the others\n"
    asked = read_cases(path, query=query.split(";", maxsplit=1)[0] + " ;")
    assert asked.variables["next"] == Discrete("next", ("31", "42"))
    assert len(read_cases(path, query="SELECT name FROM people -- all")) == 3


@pytest.mark.parametrize("make", [duckdb_file, sqlite_file])
def test_a_database_is_only_read(make: Any, tmp_path: Path) -> None:
    path = make(tmp_path, *TWO)
    before = path.read_bytes()
    for query in (
        "DROP TABLE people",
        "DELETE FROM people",
        "SELECT nothing FROM people",
        "nonsense",
    ):
        with pytest.raises(CasesError):
            read_cases(path, query=query)
    assert path.read_bytes() == before


def test_types_of_duckdb(tmp_path: Path) -> None:
    path = duckdb_file(
        tmp_path,
        "CREATE TYPE mood AS ENUM ('low', 'mid', 'high')",
        """CREATE TABLE t AS SELECT * FROM (VALUES
            ('high'::mood, 1.50::DECIMAL(9, 2), DATE '2020-01-02', 2::HUGEINT, true, 0.1::FLOAT,
             TIMESTAMP '2020-01-02 03:04:05', 7::UBIGINT),
            (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            ('low'::mood, 2.25, DATE '2019-12-31', 3, false, 0.2, TIMESTAMP '2020-01-01', 8)
        ) AS v(mood, money, day, huge, truth, single, moment, wide)""",
    )
    data = read_cases(path)
    assert data.variables["mood"] == Discrete("mood", ("low", "mid", "high"))
    assert not data.variables["mood"].inferred_order  # type: ignore[union-attr]
    assert data["mood"].tolist() == [2, -1, 0]
    np.testing.assert_array_equal(data["money"], [1.5, np.nan, 2.25])
    assert data.variables["day"] == Discrete("day", ("2019-12-31", "2020-01-02"))
    assert data.variables["huge"] == Discrete("huge", ("2", "3"))
    assert data["truth"].tolist() == [1, -1, 0]
    assert data.variables["single"] == Continuous("single")
    states = ("2020-01-01 00:00:00", "2020-01-02 03:04:05")
    assert data.variables["moment"] == Discrete("moment", states)
    assert data.variables["wide"] == Discrete("wide", ("7", "8"))


def test_a_connection_and_a_relation_of_the_user(tmp_path: Path) -> None:
    with duckdb.connect(duckdb_file(tmp_path, *TWO)) as connection:
        expected = read_cases(connection, table="people").fingerprint()
        assert read_cases(connection.table("people")).fingerprint() == expected
        assert read_cases(connection, query="FROM people").fingerprint() == expected


def test_schemas_of_duckdb(tmp_path: Path) -> None:
    path = duckdb_file(
        tmp_path,
        "CREATE SCHEMA s",
        "CREATE TABLE s.t AS SELECT 'x' AS a",
        "CREATE TABLE u (b TEXT)",
    )
    assert read_cases(path, table="s.t").names == ("a",)
    assert read_cases(path, table="t").names == ("a",)


def test_cells_of_sqlite_may_each_have_a_type_of_their_own(tmp_path: Path) -> None:
    rows = ["(NULL, NULL, NULL, NULL)"] * 3_000
    rows += ["(1, 'x', 1.5, 'word')", "(2, 'y', 2, 3)", "(2, '', NULL, 2.5)"]
    path = sqlite_file(
        tmp_path, "CREATE TABLE t (a INTEGER, b TEXT, c REAL, d)",
        f"INSERT INTO t VALUES {', '.join(rows)}",
    )  # fmt: skip
    data = read_cases(path)
    assert data["a"][-3:].tolist() == [0, 1, 1]
    assert data["b"][-3:].tolist() == [0, 1, -1]
    np.testing.assert_array_equal(data["c"][-3:], [1.5, 2.0, np.nan])
    assert data.variables["d"] == Discrete("d", ("2.5", "3", "word"))
    assert data.missing() == {"a": 3_000, "b": 3_001, "c": 3_001, "d": 3_000}


def test_truth_values_of_sqlite_are_declared(tmp_path: Path) -> None:
    path = sqlite_file(
        tmp_path, "CREATE TABLE t (a BOOLEAN, b BOOLEAN)",
        "INSERT INTO t VALUES (1, 2), (NULL, 1), (0, 0)",
    )  # fmt: skip
    data = read_cases(path)
    assert data.variables["a"] == Discrete("a", ("False", "True"))
    assert data["a"].tolist() == [1, -1, 0]
    assert data.variables["b"] == Discrete("b", ("0", "1", "2"))


def test_bytes_and_infinite_reals_of_sqlite_are_refused(tmp_path: Path) -> None:
    path = sqlite_file(tmp_path, "CREATE TABLE t (a, b)", "INSERT INTO t VALUES (x'00ff', 9e999)")
    with pytest.raises(CasesError, match="column 'a' holds bytes"):
        read_cases(path, columns="a")
    with pytest.raises(CasesError, match="'b' is infinite in some case"):
        read_cases(path, columns="b")


def test_types_of_postgresql() -> None:
    uri = postgresql(
        "DROP TABLE IF EXISTS types",
        "DROP TYPE IF EXISTS mood",
        "CREATE TYPE mood AS ENUM ('low', 'mid', 'high')",
        """CREATE TABLE types (mood mood, money NUMERIC(9, 2), day DATE, small SMALLINT,
            truth BOOLEAN, single REAL, moment TIMESTAMP, id UUID, word VARCHAR(9))""",
        """INSERT INTO types VALUES
            ('high', 1.50, '2020-01-02', 1, true, 0.1, '2020-01-02 03:04:05',
             'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'NULL'),
            (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            ('low', 'NaN', '2019-12-31', 2, false, 'NaN', '2020-01-01',
             'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', ''),
            ('low', 2, '2019-12-31', 2, false, 0.2, '2020-01-01',
             'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'x')""",
    )
    data = read_cases(uri, table="types")
    assert data.variables["mood"] == Discrete("mood", ("low", "mid", "high"))
    assert data["mood"].tolist() == [2, -1, 0, 0]
    np.testing.assert_array_equal(data["money"], [1.5, np.nan, np.nan, 2.0])
    assert data.variables["day"] == Discrete("day", ("2019-12-31", "2020-01-02"))
    assert data.kinds["small"] == "integer"
    assert data["truth"].tolist() == [1, -1, 0, 0]
    assert data.missing()["single"] == 2
    states = ("2020-01-01 00:00:00", "2020-01-02 03:04:05")
    assert data.variables["moment"] == Discrete("moment", states)
    assert data["id"].tolist() == [0, -1, 1, 1]
    assert data.variables["word"] == Discrete("word", ("NULL", "x"))


def test_tables_schemas_and_queries_of_postgresql() -> None:
    uri = postgresql(
        "DROP SCHEMA IF EXISTS clinic CASCADE",
        "CREATE SCHEMA clinic",
        'CREATE TABLE clinic."Odd ""one" ("a b" TEXT, n INT)',
        """INSERT INTO clinic."Odd ""one" VALUES ('x', 1), ('y', 2)""",
    )
    assert read_cases(uri, table='clinic.Odd "one').names == ("a b", "n")
    query = """SELECT n, "a b" FROM clinic."Odd ""one" ORDER BY n DESC; """
    assert read_cases(uri, query=query)["a b"].tolist() == [1, 0]
    with pytest.raises(CasesError):
        read_cases(uri, query="""DELETE FROM clinic."Odd ""one" RETURNING n""")
    assert len(read_cases(uri, query="""SELECT 1 AS a FROM clinic."Odd ""one" """)) == 2


def test_a_password_is_never_shown() -> None:
    with pytest.raises(TacitError) as problem:
        read_cases("postgresql://ann:secret@localhost:1/base?password=hidden", table="t")
    assert "secret" not in str(problem.value)
    assert "hidden" not in str(problem.value)
    assert str(problem.value).startswith("postgresql://ann:***@localhost:1/base?password=***: ")
