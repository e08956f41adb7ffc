"""What is said about cases that cannot be read, in full."""

from __future__ import annotations

import gzip
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
import pytest
from pyarrow import parquet

from tacit.core.errors import (
    CasesError,
    ColumnError,
    FormatError,
    OptionError,
    StateError,
    TacitError,
    WeightError,
)
from tacit.core.variables import Continuous, Discrete
from tacit.io import adbc, textfiles
from tacit.io.cases import bind, read_cases
from tacit.io.discretise import discretise

FLU = {"Flu": Discrete("Flu", ("no", "yes")), "Age": Continuous("Age")}


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def complaint(kind: type[TacitError], source: Any, **options: Any) -> str:
    with pytest.raises(TacitError) as problem:
        read_cases(source, **options)
    assert problem.type is kind
    return str(problem.value)


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (b"", FormatError, "c.csv: the file is empty; its first line must name the columns"),
        (b"\na,b\n", FormatError, "c.csv:1: the first line is empty; it must name the columns"),
        (b",\n1,2\n", FormatError, "c.csv:1: the first line is empty; it must name the columns"),
        (b"a,b\n", CasesError, "c.csv: there are columns but no cases"),
        (
            b"a,b\n1,2\n3\n",
            FormatError,
            "c.csv:3: 1 cell where the header names 2 columns\n\n    '3'",
        ),
        (
            b'a,b\n"one\ntwo",2\nx,Smith, John\n',
            FormatError,
            "c.csv:4: 3 cells where the header names 2 columns\n\n    'x,Smith, John'\n\n"
            "a cell that holds ',' must stand in double quotes",
        ),
        (
            b"a,b\n1,2,\n",
            FormatError,
            "c.csv:2: 3 cells where the header names 2 columns\n\n    '1,2,'\n\n"
            "a cell that holds ',' must stand in double quotes",
        ),
        (b"a,b\n1,2\n\n3,4\n", FormatError, "c.csv:3: an empty line stands between the cases"),
        (b"a,b,a\n1,2,3\n", ColumnError, "c.csv: columns 1 and 3 are both named 'a'"),
        (b"a, ,b\n1,2,3\n", ColumnError, "c.csv: column 2 has no name"),
        (b"\n", FormatError, "c.csv:1: the first line is empty; it must name the columns"),
        (b'""\n1\n', FormatError, "c.csv:1: the first line is empty; it must name the columns"),
        (
            b'a,b\n1,2\n3,"x\n4,5\n',
            FormatError,
            "c.csv:3: a quoted cell that starts here has no end",
        ),
        (
            b'a,b\n1,"x"y\n',
            FormatError,
            "c.csv:2: text follows the closing quote of a cell; a quote inside a cell is doubled: "
            '""',
        ),
        (
            b"a,b\n1,2\n1,M\xfcller\n",
            FormatError,
            "c.csv:3: the byte 0xfc is no UTF-8 (in Latin-1 it is 'ü')\n\nsave the file as UTF-8",
        ),
        (
            "a,b\n1,2\n".encode("utf-16"),
            FormatError,
            "c.csv: the file is written in UTF-16; save it as UTF-8",
        ),
        (b"a,b\n1,\0\n", FormatError, "c.csv: this is no text file in UTF-8 (it has zero bytes)"),
        (
            b"a,b\n1," + b"x" * 200_000 + b"\n",
            FormatError,
            "c.csv:2: a cell has more than 131,072 characters; is a quote not closed?",
        ),
        (
            gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-12],
            FormatError,
            "c.csv: the compressed file is damaged or cut short",
        ),
    ],
)
def test_text_files(content: bytes, kind: type[TacitError], message: str) -> None:
    Path("c.csv").write_bytes(content)
    assert complaint(kind, "c.csv") == message


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("d.csv", "there is no file 'd.csv'; did you mean 'c.csv'?"),
        ("folder", "'folder' is a folder; name its files, as in 'folder/*.csv'"),
        ("x*.csv", "no file matches 'x*.csv'"),
        (Path("folder/none?.csv"), "no file matches 'folder/none?.csv'"),
        (
            "c.xyz",
            "c.xyz: cases are read from files that end in .csv, .tsv, .txt, .json, .jsonl, "
            ".ndjson, .parquet, .pq, .arrow, .feather, .ipc, .db, .db3, .ddb, .duckdb, .sqlite, "
            ".sqlite3, or in .gz after that",
        ),
        ("c.*", "files of one kind can be read together, not json and text"),
        ("e.sqlite", "e.sqlite: this is neither a SQLite nor a DuckDB database"),
        (
            "e.parquet",
            "e.parquet: no Parquet file, or a damaged one (Invalid Input Error: File 'e.parquet' "
            "too small to be a Parquet file)",
        ),
        (
            "e.arrow",
            "e.arrow: no Arrow file, or a damaged one (Corrupted message, only 3 bytes available)",
        ),
    ],
)
def test_files_that_are_not_there_or_not_what_they_seem(source: Any, message: str) -> None:
    Path("folder").mkdir()
    for name in ("c.csv", "c.json", "e.sqlite", "e.parquet", "e.arrow"):
        Path(name).write_text("abc")
    if source == "c.xyz":
        Path("c.xyz").write_text("a")
    assert complaint(FormatError, source) == message


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"a": 1}\n{"a": }\n', "c.jsonl:2: no JSON at column 7: Expecting value"),
        ('{"a": 1}\n\n{"a": [1]}\n', "c.jsonl:3: 'a' is an array; a cell is one value"),
        ('{"a": {"b": 1}}\n', "c.jsonl:1: 'a' is an object; a cell is one value"),
        ('{"a": 1, "a": 2}\n', "c.jsonl:1: an object names the same key twice"),
        ("5\n", 'c.jsonl:1: a case is an object such as {"Smoker": "yes"}'),
        ("[[1]]\n", 'c.jsonl: case 1: a case is an object such as {"Smoker": "yes"}'),
        ("", "c.jsonl: there are no cases"),
        ("[]", "c.jsonl: there are no cases"),
        ("[" * 100_000, "c.jsonl: a number or a nesting too large to read"),
    ],
)
def test_json_files(lines: str, message: str) -> None:
    Path("c.jsonl").write_text(lines)
    assert complaint(FormatError, "c.jsonl") == message


def test_a_file_without_line_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textfiles, "LONGEST", 1_000)
    Path("c.csv").write_bytes(gzip.compress(b"x" * 100_000, mtime=0))
    assert complaint(FormatError, "c.csv") == "c.csv: a line has more than 1,000 characters"
    Path("c.jsonl").write_bytes(gzip.compress(b"[" * 100_000, mtime=0))
    assert complaint(FormatError, "c.jsonl") == "c.jsonl: a line has more than 1,000 characters"


def test_files_with_other_columns() -> None:
    Path("p1.csv").write_text("a,b\n1,2\n")
    Path("p2.csv").write_text("b,a\n1,2\n")
    said = "p2.csv: the columns differ from those of p1.csv\n\nhere:  b, a\nthere: a, b"
    assert complaint(ColumnError, "p?.csv") == said
    parquet.write_table(pa.table({"a": [1]}), "q1.parquet")
    parquet.write_table(pa.table({"b": [1]}), "q2.parquet")
    said = "q2.parquet: the columns differ from those of q1.parquet\n\nhere:  b\nthere: a"
    assert complaint(ColumnError, "q*.parquet") == said


def test_a_parquet_file_that_is_cut_short() -> None:
    parquet.write_table(pa.table({"a": ["x"] * 99}), "whole.parquet")
    Path("cut.parquet").write_bytes(Path("whole.parquet").read_bytes()[:-20])
    said = complaint(FormatError, "cut.parquet")
    assert said.startswith("cut.parquet: no Parquet file, or a damaged one (")


def test_a_parquet_file_with_a_repeated_column() -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    parquet.write_table(table, "c.parquet")
    assert complaint(ColumnError, "c.parquet") == "c.parquet: columns 1 and 2 are both named 'a'"


def test_a_value_that_is_no_state() -> None:
    Path("c.csv").write_text('Flu,Age\nno,1\n"",2\nyess,3\nyess,4\n')
    assert complaint(StateError, "c.csv", like=FLU) == (
        "c.csv:4: 'Flu' has no state 'yess'; did you mean 'yes'?\n\nstates of 'Flu': no, yes"
    )
    frame = pd.DataFrame({"Flu": ["no", "ja"], "Age": [1, 2]})
    assert complaint(StateError, frame, like=FLU) == (
        "case 2: 'Flu' has no state 'ja'\n\nstates of 'Flu': no, yes"
    )
    assert complaint(StateError, {"Stage": ["I", "IV"]}, order={"Stage": ["I", "II"]}) == (
        "case 2: 'Stage' has no state 'IV'; did you mean 'I'?\n\nstates of 'Stage': I, II"
    )
    with pytest.raises(StateError) as problem:
        bind(read_cases({"Flu": [1.5, 2.5], "Age": [1, 2]}), FLU)
    assert str(problem.value) == "case 1: 'Flu' has no state '1.5'\n\nstates of 'Flu': no, yes"


def test_a_value_that_is_no_state_in_a_later_file() -> None:
    Path("p1.csv").write_text("Flu,Age\nno,1\nyes,2\n")
    Path("p2.csv").write_text("Flu,Age\nno,1\nmaybe,2\n")
    assert complaint(StateError, "p*.csv", like=FLU) == (
        "p2.csv:3: 'Flu' has no state 'maybe'\n\nstates of 'Flu': no, yes"
    )
    Path("p1.jsonl").write_text('{"Flu": "no", "Age": 1}\n')
    Path("p2.jsonl").write_text('\n{"Flu": "maybe", "Age": 1}\n')
    assert complaint(StateError, "p*.jsonl", like=FLU).startswith("p2.jsonl:2: 'Flu' has no state")


def test_a_value_that_is_no_number() -> None:
    Path("c.csv").write_text("Flu,Age\nno,1\nyes,NA\n")
    said = (
        "c.csv:3: 'Age' is to be continuous, but 'NA' is no number"
        "\n\nif it stands for a missing value, say missing=['NA']"
    )
    assert complaint(CasesError, "c.csv", continuous=["Age"]) == said
    assert complaint(CasesError, "c.csv", like=FLU) == said
    said = "case 2: 'x' is infinite; a real must be finite"
    assert complaint(CasesError, {"x": [0.5, np.inf]}) == said


def test_columns_that_are_not_there() -> None:
    source = {"flu": ["no"], "Aeg": [1]}
    assert complaint(ColumnError, source, like=FLU) == (
        "the cases have no column 'Flu' (nor 'Age'); did you mean 'flu'?\n\ncolumns: flu, Aeg"
    )
    assert complaint(ColumnError, source, columns=["Age"]) == (
        "the cases have no column 'Age'; did you mean 'Aeg'?\n\ncolumns: flu, Aeg"
    )
    assert complaint(ColumnError, source, discrete="Flu") == (
        "discrete= names 'Flu', but the cases have no such column; did you mean 'flu'?"
        "\n\ncolumns: flu, Aeg"
    )
    assert complaint(ColumnError, {"a": [None], "b": [1]}, discrete="a") == (
        "column 'a' has no value in any case, so its states are unknown"
        "\n\norder={...} or like=... would name them"
    )


@pytest.mark.parametrize(
    ("column", "kind", "message"),
    [
        ("weight", ColumnError, "weights= names 'weight', but the cases have no such column"
         "\n\ncolumns: a, n"),
        ("1\n", WeightError, "c.csv:3: the weight in 'n' is missing; a weight is a finite number, "
         "0 or more"),
        ("1\n-2", WeightError, "c.csv:3: the weight in 'n' is -2; a weight is a finite number, "
         "0 or more"),
        ("1\ntwo", WeightError, "c.csv:3: 'n' holds weights, but 'two' is no number"),
    ],
)  # fmt: skip
def test_weights(column: str, kind: type[TacitError], message: str) -> None:
    counts = (column if "\n" in column else "1\n1").split("\n")
    Path("c.csv").write_text("a,n\n" + "".join(f"x,{count}\n" for count in counts))
    asked = column if column == "weight" else "n"
    assert complaint(kind, "c.csv", weights=asked) == message


def test_weights_as_numbers() -> None:
    source: dict[str, Any] = {"a": ["x", "y"]}
    assert complaint(WeightError, source, weights=[1]) == "2 cases need as many weights, not 1"
    said = "the weight of case 2 is nan; a weight is a finite number, 0 or more"
    assert complaint(WeightError, source, weights=[1, np.nan]) == said
    said = "case 2: 'n' is infinite; a real must be finite"
    assert complaint(WeightError, {**source, "n": [1.0, np.inf]}, weights="n") == said


def _duckdb() -> str:
    with duckdb.connect("base.duckdb") as connection:
        connection.execute("CREATE TABLE people (a INT)")
        connection.execute("CREATE TABLE places (a INT)")
    return "base.duckdb"


def _sqlite() -> str:
    with closing(sqlite3.connect("base.db")) as connection:
        connection.execute("CREATE TABLE people (a INT)")
        connection.execute("CREATE TABLE places (a INT)")
    return "base.db"


@pytest.fixture(params=[_duckdb, _sqlite], ids=["duckdb", "sqlite"])
def base(request: pytest.FixtureRequest) -> str:
    make: Callable[[], str] = request.param
    return make()


def test_tables_of_databases(base: str) -> None:
    assert complaint(CasesError, base, table="peple") == (
        f"{base} has no table 'peple'; did you mean 'people'?\n\ntables: people, places"
    )
    assert complaint(OptionError, base) == (
        f"{base} has 2 tables; table= or query= says which cases to read\n\ntables: people, places"
    )
    said = f"{base}, table 'people': there are columns but no cases"
    assert complaint(CasesError, base, table="people") == said
    assert complaint(OptionError, base, table="a", query="b") == "give table= or query=, not both"
    assert complaint(CasesError, base, query="SELECT * FROM nowhere").startswith(f"{base}: ")
    Path("c.csv").write_text("a\n1\n")
    said = "c.csv is no database; table= and query= are for databases"
    assert complaint(OptionError, "c.csv", table="people") == said


def test_a_query_that_sqlite_does_not_understand() -> None:
    said = complaint(CasesError, _sqlite(), query="SELECT * FRM people")
    assert said == 'base.db: Failed to prepare query: near "FRM": syntax error'


def test_a_driver_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adbc, "find_spec", lambda _: None)
    said = "base.db: reading it needs more: pip install 'tacit-bn[databases]'"
    assert complaint(OptionError, _sqlite(), table="people") == said


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (
            5,
            {},
            "cases cannot be read from an object of type int\n\nthey come from a file or a pattern "
            "of files, a database, a data frame, a dict of columns, or a NumPy array with "
            "names=[...]",
        ),
        (
            np.zeros((2, 3)),
            {},
            "an array of 3 columns needs as many names, not none: names=[...] gives them",
        ),
        (
            np.zeros((2, 3)),
            {"names": ["a"]},
            "an array of 3 columns needs as many names, not 1: names=[...] gives them",
        ),
        (np.zeros(3), {"names": ["a"]}, "an array of cases has two dimensions, not 1"),
        ({"a": [1], "b": [1, 2]}, {}, "columns differ in length: a: 1, b: 2"),
        ({"a": "word"}, {}, "column 'a' must be a sequence, not 'word'"),
        (
            {"a": [[1], [2]]},
            {},
            "a dict of columns: column 'a' holds lists or other containers; a cell is one value",
        ),
        (
            {"a": np.zeros((2, 2))},
            {},
            "a dict of columns: column 'a' has 2 dimensions, not one",
        ),
        (
            {"a": np.zeros(2, dtype=complex)},
            {},
            "a dict of columns: column 'a' holds complex128, not states or reals",
        ),
        (
            pa.table({"a": [[1]]}),
            {},
            "a pyarrow Table: column 'a' holds list<item: int64>; a cell is one value",
        ),
        (
            pa.table({"a": pa.array([b"\xff"])}),
            {},
            "column 'a' holds bytes that are no text",
        ),
        ({"a": ["x", "\ud800"]}, {}, "column 'a' holds bytes that are no text"),
        ({"a": [10**5_000, 1]}, {}, "column 'a' holds a number too long to write"),
        (pd.DataFrame({"a": []}), {}, "a pandas DataFrame: there are columns but no cases"),
    ],
)
def test_sources_in_memory(source: Any, options: dict[str, Any], message: str) -> None:
    assert complaint(CasesError, source, **options) == message


def test_frames_with_odd_columns() -> None:
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    said = "a pandas DataFrame: columns 1 and 2 are both named 'a'"
    assert complaint(ColumnError, frame) == said
    frame.columns = pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])
    said = "a pandas DataFrame: column 1 has a name of several parts: ('a', 'b')"
    assert complaint(ColumnError, frame) == said
    said = r"a dict of columns: the name of column 2 is no text: '\ud800'"
    assert complaint(ColumnError, {"ü": [1], "\ud800": [1]}) == said
    said = "a pandas DataFrame: there are no columns to read"
    assert complaint(ColumnError, pd.DataFrame()) == said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"discrete": "a", "continuous": ["a"]},
            "'a' cannot be both discrete and continuous",
        ),
        (
            {"continuous": "a", "order": {"a": [1]}},
            "'a' cannot be continuous and have an order of states",
        ),
        (
            {"like": {"a": Continuous("a")}, "order": {"a": [1]}},
            "the states of 'a' are given by like= and by order=",
        ),
        ({"columns": ["a", "a"]}, "columns= names a column twice: a, a"),
        ({"table": "a"}, "table= and query= are for databases"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    assert complaint(OptionError, {"a": [1]}, **options) == message


def test_a_delimiter_of_several_characters() -> None:
    Path("c.csv").write_text("a\n1\n")
    said = "a delimiter is one character, and no quote, not ',,'"
    assert complaint(OptionError, "c.csv", delimiter=",,") == said


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([1.5, 1.5], {}, "'x' is 1.5 in every case; it cannot be cut into intervals"),
        ([None, None], {}, "'x' has no value in any case; it cannot be cut into intervals"),
        (
            ["a", "b"],
            {},
            "case 1: 'x' is to be continuous, but 'a' is no number"
            "\n\nif it stands for a missing value, say missing=['a']",
        ),
        ([1, 2.5], {"into": 1}, "a column is cut into 2 or more intervals, not 1"),
        ([1, 2.5], {"method": "mdl"}, "method is 'quantile' or 'uniform', not 'mdl'"),
        (
            [1, 2.5],
            {"edges": [2, 1]},
            "edges are numbers, each larger than the one before, not [2, 1]",
        ),
        (
            [1, 2.5],
            {"edges": [np.nan]},
            "edges are numbers, each larger than the one before, not [nan]",
        ),
        ([1, 2.5], {"edges": [np.inf]}, "edges need at least one finite number"),
        (
            [1, 2.5],
            {"edges": [2], "labels": ["low"]},
            "2 intervals of 'x' need as many labels, not 1\n\nintervals: <2, >=2",
        ),
    ],
)
def test_columns_that_cannot_be_cut(
    values: list[Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(TacitError) as problem:
        discretise({"x": values}, "x", **options)
    assert str(problem.value) == message


def test_a_column_to_cut_that_is_not_there() -> None:
    with pytest.raises(ColumnError) as problem:
        discretise({"age": [1.5, 2.5]}, "aeg")
    assert str(problem.value) == (
        "the cases have no column 'aeg'; did you mean 'age'?\n\ncolumns: age"
    )


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (pd.Series(["a"]), "Series"),
        (pd.Index(["a"]), "Index"),
        (pl.Series(["a"]), "Series"),
        (pa.array(["a"]), "StringArray"),
        (pa.chunked_array([["a"]]), "ChunkedArray"),
    ],
)
def test_a_column_alone_is_no_table(source: Any, kind: str) -> None:
    with pytest.raises(CasesError) as caught:
        read_cases(source)
    assert str(caught.value) == (
        f"an object of type {kind} is no table; one column is given as {{'name': column}}"
    )


def test_the_class_of_a_frame_is_no_frame() -> None:
    with pytest.raises(CasesError, match=r"^cases cannot be read from an object of type type\n"):
        read_cases(pd.DataFrame)


@pytest.mark.parametrize("word", ["inf", "-inf", "+Infinity", "-1e999", " INF "])
def test_an_infinite_cell_among_numbers_makes_no_states(tmp_path: Path, word: str) -> None:
    path = tmp_path / "c.csv"
    path.write_text(f"X,Y\n1.5,a\n{word},b\n2.5,a\n")
    with pytest.raises(CasesError) as caught:
        read_cases(path)
    assert str(caught.value) == (
        f"{path}:3: 'X' is infinite ({word!r}); a real must be finite"
        f"\n\nif it stands for a missing value, say missing=[{word!r}]; if these numbers are "
        "states, discrete=['X']"
    )
    assert np.isnan(read_cases(path, missing=[word])["X"][1])
    assert read_cases(path, discrete="X").variables["X"].states[-1].strip() == word.strip()


def test_words_for_infinity_among_words_are_states(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("X\nlow\ninf\nhigh\n")
    assert read_cases(path).variables["X"].states == ("high", "inf", "low")
