"""Every type of column that frames, dicts and arrays have."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tacit import frames
from tacit.core.variables import Continuous, Discrete
from tacit.io.binding import to_frame
from tacit.io.cases import read_cases

DAYS = [dt.date(2020, 1, 2), None, dt.date(2019, 12, 31)]
TIMES = [dt.datetime(2020, 1, 2, 3, 4, 5), None, dt.datetime(2020, 1, 1)]
MONEY = [Decimal("1.50"), None, Decimal("-2.25")]
DAY_STATES = ("2019-12-31", "2020-01-02")
TIME_STATES = ("2020-01-01 00:00:00", "2020-01-02 03:04:05")


@pytest.mark.parametrize(
    "source",
    [
        {"x": DAYS},
        pd.DataFrame({"x": DAYS}),
        pl.DataFrame({"x": DAYS}),
        pa.table({"x": DAYS}),
        pa.table({"x": pa.array(DAYS, pa.date64())}),
        {"x": np.array(["2020-01-02", "NaT", "2019-12-31"], dtype="M8[D]")},
    ],
    ids=["dict", "pandas", "polars", "pyarrow", "date64", "numpy"],
)
def test_days_are_states(source: Any) -> None:
    data = read_cases(source)
    assert data.variables["x"] == Discrete("x", DAY_STATES)
    assert data["x"].tolist() == [1, -1, 0]


@pytest.mark.parametrize(
    "source",
    [
        {"x": TIMES},
        pd.DataFrame({"x": TIMES}),
        pd.DataFrame({"x": TIMES}).astype("datetime64[ns]"),
        pl.DataFrame({"x": TIMES}),
        pa.table({"x": TIMES}),
        {"x": np.array(TIMES, dtype="M8[ns]")},
        {"x": np.array(TIMES, dtype="M8[s]")},
        {"x": pd.Series(TIMES)},
        {"x": pd.Index(TIMES)},
    ],
)
def test_moments_are_states(source: Any) -> None:
    data = read_cases(source)
    assert data.variables["x"] == Discrete("x", TIME_STATES)
    assert data["x"].tolist() == [1, -1, 0]


@pytest.mark.parametrize(
    "source",
    [{"x": MONEY}, pd.DataFrame({"x": MONEY}), pl.DataFrame({"x": MONEY}), pa.table({"x": MONEY})],
    ids=["dict", "pandas", "polars", "pyarrow"],
)
def test_exact_decimals_are_numbers(source: Any) -> None:
    data = read_cases(source)
    assert data.variables["x"] == Continuous("x")
    np.testing.assert_array_equal(data["x"], [1.5, np.nan, -2.25])


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, None, 3], dtype="Int64"),
        pd.Series([1, None, 3], dtype="Float64"),
        pd.Series([1, None, 3], dtype="float32"),
        pd.Series([1, None, 3], dtype=object),
        pd.Series([1, pd.NA, 3], dtype=object),
        pd.Series(["1", None, "3"], dtype="string"),
        pd.Series(["1", None, "3"], dtype=pd.StringDtype("python")),
        pd.Series([1, None, 3], dtype="category"),
        pd.Series([1, np.nan, 3]).astype(pd.SparseDtype("float64", np.nan)),
        pd.Series(pd.array([1, None, 3], dtype=pd.ArrowDtype(pa.int16()))),
        pl.Series([1, None, 3], dtype=pl.UInt8),
        pl.Series([1, None, 3], dtype=pl.Float32),
        pl.Series(["1", None, "3"], dtype=pl.Categorical),
        pl.Series([1, None, 3], dtype=pl.Object),
        pa.array([1, None, 3], pa.uint8()),
        pa.array([1, None, 3], pa.float16()),
        pa.array(["1", None, "3"], pa.large_string()),
        pa.array(["1", None, "3"], pa.string_view()),
        pa.array(["1", None, "3"], pa.binary()),
        pa.array(["1", None, "3"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, None, 1], pa.uint8()), ["1", "3"]),
        pa.DictionaryArray.from_arrays([0, 2, 1], ["1", "3", None]),
        pa.chunked_array([["1", None], ["3"]]),
        np.ma.masked_array([1, 7, 3], [False, True, False]),
        np.ma.masked_array(["1", "7", "3"], [False, True, False]),
        np.array(["1", "", "3"]),
        np.array([1, None, 3], dtype=object),
        [np.int64(1), np.float64("nan"), 3],
        (1, pd.NaT, 3),
        ["1", " ", 3],
    ],
)
def test_every_type_of_column_tells_the_same_states(column: Any) -> None:
    data = read_cases({"x": column})
    assert data.variables["x"] == Discrete("x", ("1", "3"))
    assert data["x"].tolist() == [0, -1, 1]
    assert data["x"].dtype == np.int8


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series([True, None, False], dtype=object),
        pl.Series([True, None, False]),
        pa.array([True, None, False]),
        np.ma.masked_array([True, True, False], [False, True, False]),
        [np.bool_(True), None, False],
    ],
)
def test_every_type_of_truth_values(column: Any) -> None:
    data = read_cases({"x": column})
    assert data.variables["x"] == Discrete("x", ("False", "True"))
    assert data["x"].tolist() == [1, -1, 0]
    assert data.kinds["x"] == "boolean"


@pytest.mark.parametrize("column", [pa.nulls(2), pl.Series([None, None]), pd.Series([None, None])])
def test_columns_of_nulls_have_no_value(column: Any) -> None:
    assert read_cases({"x": column}).missing() == {"x": 2}


def test_intervals_and_periods_are_states() -> None:
    frame = pd.DataFrame(
        {"x": pd.cut([1, 5, 9], [0, 5, 10]), "y": pd.period_range("2020", periods=3)}
    )
    data = read_cases(frame)
    assert data.variables["x"] == Discrete("x", ("(0, 5]", "(5, 10]"))
    assert len(data) == 3


def test_any_frame_that_narwhals_knows_will_do() -> None:
    expected = read_cases({"x": ["a", "b"]}).fingerprint()
    frame = pl.DataFrame({"x": ["a", "b"]})
    assert read_cases(nw.from_native(frame)).fingerprint() == expected
    assert read_cases(frame.lazy().filter(pl.col("x") != "c")).fingerprint() == expected
    assert read_cases(pa.table(frame).to_reader()).fingerprint() == expected
    assert read_cases(pa.record_batch({"x": ["a", "b"]})).fingerprint() == expected
    with duckdb.connect() as connection:
        lazy = nw.from_native(connection.sql("SELECT unnest(['a', 'b']) AS x"))
        assert read_cases(lazy).fingerprint() == expected


class Stream:
    """Something that exports an Arrow stream and nothing else."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested: object = None) -> object:
        return self.table.__arrow_c_stream__(requested)


def test_any_arrow_stream_will_do() -> None:
    data = read_cases(Stream(pa.table({"x": ["a", None]})))
    assert data["x"].tolist() == [0, -1]


def test_structured_and_plain_arrays() -> None:
    records = np.array([("a", 1.5), ("b", 2.5)], dtype=[("x", "U1"), ("y", "f8")])
    data = read_cases(records)
    assert data.names == ("x", "y")
    plain = read_cases(np.array([[0, 1], [1, 1], [0, 0]]), names=["u", "v"])
    assert plain["u"].tolist() == [0, 1, 0]


def test_numbers_as_column_names_become_text() -> None:
    assert read_cases(pd.DataFrame([["a", "b"]])).names == ("0", "1")
    odd = pd.DataFrame([["a", "b", "c"]], columns=[1.0, np.int64(7), True])
    assert read_cases(odd, columns=["7", "1", "True"]).names == ("7", "1", "True")


def test_a_named_index_is_noted() -> None:
    frame = pd.DataFrame({"x": ["a"]}, index=pd.Index([7], name="id"))
    assert read_cases(frame).notes == (
        "the index 'id' of the frame is no column; frame.reset_index() makes it one",
    )


@pytest.mark.parametrize("backend", frames.BACKENDS)
def test_frames_keep_integers_and_truth_values_beside_nulls(backend: str) -> None:
    frame = frames.build({"i": [1, None], "b": [None, True], "t": ["a", None]}, backend)
    data = read_cases(frame)
    assert dict(data.kinds) == {"i": "integer", "b": "boolean", "t": "text"}
    again = nw.from_native(to_frame(data, backend)).to_arrow()
    assert again.to_pydict() == {"i": [1, None], "b": [None, True], "t": ["a", None]}


def test_continuous_integers_come_back_as_integers() -> None:
    data = read_cases({"x": list(range(30)), "y": [None, *range(29)]})
    given = to_frame(data, "pyarrow").to_pydict()
    assert given["x"] == list(range(30))
    assert given["y"] == [None, *range(29)]
    assert {type(value) for value in given["x"]} == {int}
