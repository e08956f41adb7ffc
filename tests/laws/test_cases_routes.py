"""The same cases are the same data, whichever way they come in."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_cases
from routes import ROUTES, Columns, Route
from tacit.core.dataset import Dataset
from tacit.core.variables import Discrete
from tacit.io import fastcsv
from tacit.io.binding import to_frame
from tacit.io.cases import bind, read_cases

CASES: Columns = {
    "Stage": ["II", "I", None, "IV", "I", "III", "II", None, "I", "IV", "II", "I"],
    "Level": ["x10", "x9", "x1", "x10", "x2", "x9", None, "x1", "x1", "x1", "x2", "x10"],
    "Accident": ["None", "Mild", "NA", "-", "?", "nan", "null", "N/A", "None", "Mild", None,
                 "NULL"],
    "Odd, name": ['say "hi"', "a,b", "l1\nl2", " lead", "größe", "a;b", "a|b", "tab\t", "x", None,
                  "因果", "x"],
    "Count": [3, 1, 2, 10, None, 3, 1, 2, 10, 10, 3, None],
    "Full": [1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1],
    "Id": [f"{number:03}" for number in range(7, 19)],
    "Weight": [61.5, 70.0, None, 1e-3, 82.25, 0.1, 1 / 3, 1e17, -4.5, 0.0, 61.5, 70.0],
    "Smoker": [True, False, None, True, True, False, False, True, False, False, True, True],
}  # fmt: skip
MANY: Columns = {
    "Age": [18 + (7 * case) % 60 for case in range(120)],
    "Pulse": [None if case % 11 == 0 else 50 + case % 30 for case in range(120)],
    "Site": ["ABC"[case % 3] for case in range(120)],
}


def agrees(data: Dataset, columns: Columns) -> None:
    """The dataset says what the values mean, by the slow definition."""
    assert list(data.names) == list(columns)
    for name, values in columns.items():
        states, cells = naive_cases.column(values)
        variable = data.variables[name]
        assert (variable.states if isinstance(variable, Discrete) else None) == states, name
        np.testing.assert_array_equal(data[name], cells, err_msg=name)


@pytest.mark.parametrize("columns", [CASES, MANY], ids=["few", "many"])
@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
def test_every_way_in_gives_the_same_cases(route: Route, columns: Columns, tmp_path: Path) -> None:
    data = route(columns, tmp_path)
    agrees(data, columns)
    assert data.fingerprint() == read_cases(columns).fingerprint()


@pytest.mark.parametrize(
    "name", ["csv", "csv from Windows", "csv, packed", "tsv", "pattern of csv"]
)
@pytest.mark.parametrize("columns", [CASES, MANY], ids=["few", "many"])
def test_the_fast_reader_gives_the_same_cases(
    name: str, columns: Columns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fastcsv, "SMALL", 0)
    agrees(ROUTES[name](columns, tmp_path), columns)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("columns", [CASES, MANY], ids=["few", "many"])
def test_cases_given_back_as_a_frame_are_the_same_cases(backend: str, columns: Columns) -> None:
    data = read_cases(columns)
    again = read_cases(to_frame(data, backend))
    assert again.fingerprint() == data.fingerprint()
    assert dict(again.kinds) == dict(data.kinds)


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
def test_values_come_back_as_they_were(backend: str) -> None:
    frame = to_frame(read_cases(CASES), backend)
    given_back = frame.to_dict(as_series=False) if backend == "polars" else frame.to_pydict()
    weights = given_back.pop("Weight")
    expected = {name: values for name, values in CASES.items() if name != "Weight"}
    assert given_back == expected
    assert {type(value) for value in given_back["Count"]} == {int, type(None)}
    np.testing.assert_array_equal(
        np.array(weights, dtype=float), np.array(CASES["Weight"], dtype=float)
    )


def test_the_order_of_cases_is_kept_over_many_chunks(tmp_path: Path) -> None:
    cases = 50_000
    columns: Columns = {
        "a": [f"s{(case * 7919) % 97}" for case in range(cases)],
        "b": [(case * 31) % 50_000 for case in range(cases)],
    }
    for name in ("csv", "parquet", "json lines", "sqlite", "polars", "duckdb"):
        agrees(ROUTES[name](columns, tmp_path), columns)


texts = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=0, max_size=6
)
values = st.one_of(
    st.lists(st.none() | texts, min_size=1, max_size=8),
    st.lists(st.none() | st.sampled_from(["1", "2.0", "-3", "007", "1e2", ".5", "x", " 4"])),
    st.lists(st.none() | st.integers(-(2**53), 2**53), min_size=1, max_size=30),
    st.lists(st.none() | st.floats(allow_infinity=False, allow_nan=False, width=32)),
    st.lists(st.none() | st.booleans(), min_size=1, max_size=8),
)


@st.composite
def tables(draw: st.DrawFn) -> Columns:
    """A few columns of the same length, of any kind, one of them never missing."""
    drawn = draw(st.lists(values, min_size=1, max_size=3))
    cases = max(1, *map(len, drawn))
    columns: dict[str, list[Any]] = {"row": [f"r{case}" for case in range(cases)]}
    for at, column in enumerate(drawn):
        columns[f"c{at}"] = [*column, *[None] * (cases - len(column))]
    return columns


QUICK = ["csv", "csv from Windows", "tsv", "json lines", "parquet", "pandas", "pandas objects",
         "polars", "pyarrow", "dict of lists", "duckdb relation"]  # fmt: skip


@given(columns=tables(), name=st.sampled_from(QUICK))
def test_any_table_comes_in_the_same(
    columns: Columns, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if "csv" in name or name == "tsv":
        columns = {key: [_as_read(v) for v in column] for key, column in columns.items()}
    agrees(ROUTES[name](columns, tmp_path_factory.mktemp("any")), columns)


def _as_read(value: Any) -> Any:
    """A truth value in a text file is the word for it."""
    return str(value) if isinstance(value, bool) else value


@given(columns=tables())
def test_cases_bound_to_their_own_variables_are_the_same(columns: Columns) -> None:
    data = read_cases(columns)
    assert bind(data, data).fingerprint() == data.fingerprint()
    again = read_cases(columns, like=data.variables)
    assert again.fingerprint() == data.fingerprint()


@given(columns=tables(), backend=st.sampled_from(["pandas", "polars", "pyarrow"]))
def test_any_cases_given_back_are_the_same_cases(columns: Columns, backend: str) -> None:
    data = read_cases(columns)
    again = read_cases(to_frame(data, backend), like=data.variables)
    assert again.fingerprint() == data.fingerprint()
    assert {name: math.isclose(data.total_weight, again.total_weight) for name in data.names}
