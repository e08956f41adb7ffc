"""Columns that are to be declared variables: a network's, an order's, those read before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tacit.core.dataset import Dataset
from tacit.core.errors import StateError
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.families.table import table
from tacit.io.binding import to_frame
from tacit.io.cases import as_dataset, bind, read_cases

SMOKER = Discrete("Smoker", ("yes", "no"))
CANCER = Discrete("Cancer", ("FALSE", "TRUE"))
NETWORK = Network.of(
    [table(SMOKER, [], [0.3, 0.7]), table(CANCER, [SMOKER], [0.9, 0.1, 0.99, 0.01])]
)


def test_a_network_gives_states_their_order_and_the_columns() -> None:
    data = read_cases({"Cancer": ["TRUE"], "Age": [50], "Smoker": ["no"]}, like=NETWORK)
    assert data.names == ("Smoker", "Cancer")
    assert data.variables == NETWORK.variables
    assert (data["Smoker"].tolist(), data["Cancer"].tolist()) == ([1], [1])
    assert data.notes == ("not among the variables asked for, so not read: Age",)


def test_truth_values_find_states_that_spell_them_otherwise() -> None:
    frame = pd.DataFrame({"Cancer": [True, False], "Smoker": ["no", None]})
    data = read_cases(frame, like=NETWORK)
    assert data["Cancer"].tolist() == [1, 0]
    assert data["Smoker"].tolist() == [1, -1]
    assert to_frame(data, "pyarrow")["Cancer"].to_pylist() == [True, False]
    with pytest.raises(StateError):
        read_cases({"Cancer": ["True"], "Smoker": ["no"]}, like=NETWORK)


def test_numbers_find_states_that_spell_them_otherwise() -> None:
    like = {"x": Discrete("x", ("1.0", "2.0", "10")), "y": Discrete("y", ("0", "00"))}
    data = read_cases({"x": [10, 1, 2.0], "y": [0, "00", None]}, like=like)
    assert data["x"].tolist() == [2, 0, 1]
    assert data["y"].tolist() == [0, 1, -1]


def test_a_declared_continuous_variable_takes_numbers_of_any_kind() -> None:
    like = {"x": Continuous("x"), "y": Continuous("y")}
    data = read_cases({"x": [1, 2, 2], "y": ["0.5", None, " 3"]}, like=like)
    assert data["x"].tolist() == [1.0, 2.0, 2.0]
    np.testing.assert_array_equal(data["y"], [0.5, np.nan, 3.0])


def test_cases_bind_to_other_states_and_kinds() -> None:
    data = read_cases({"a": ["no", "yes", None], "b": [1, 2, 1], "c": [0.5, 1.0, 5.0]})
    like = {
        "c": Discrete("c", ("5", "1", "0.5")),
        "b": Continuous("b"),
        "a": Discrete("a", ("yes", "maybe", "no")),
    }
    bound = bind(data, like)
    assert bound.names == ("c", "b", "a")
    assert bound["c"].tolist() == [2, 1, 0]
    assert bound["b"].tolist() == [1.0, 2.0, 1.0]
    assert bound["a"].tolist() == [2, 0, -1]
    back = bind(bound, {name: data.variables[name] for name in ("a", "b")})
    assert back.fingerprint() == data.select(["a", "b"]).fingerprint()
    assert to_frame(back, "pyarrow")["b"].to_pylist() == [1, 2, 1]


def test_a_state_that_no_case_has_may_be_unknown() -> None:
    data = read_cases({"x": ["a", "b", "c"]}).take(np.array([0, 1]))
    assert bind(data, {"x": Discrete("x", ("b", "a"))})["x"].tolist() == [1, 0]
    with pytest.raises(StateError):
        bind(data, {"x": Discrete("x", ("b", "c"))})


def test_cases_with_the_right_variables_are_not_copied() -> None:
    data = read_cases({"x": ["a", "b"], "y": [0.5, 1.5]}, weights=[1, 2])
    assert as_dataset(data) is data
    bound = bind(data, data)
    assert bound["x"] is data["x"]
    assert bound.weights is not None
    assert bound.weights.tolist() == [1, 2]


def test_columns_are_chosen_and_ordered() -> None:
    source = {"a": ["x", "y"], "b": ["u", "v"], "c": [0.5, 1]}
    assert read_cases(source, columns=["c", "a"]).names == ("c", "a")
    assert read_cases(source, columns="b").names == ("b",)
    assert as_dataset(read_cases(source), columns=("b", "a")).names == ("b", "a")


@pytest.mark.parametrize("weights", ["n", [2, 0.5, 0]])
def test_weights_are_a_column_or_numbers(weights: str | list[float], tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text("a,n\nx,2\ny,0.5\nx,0\n")
    data = read_cases(tmp_path / "cases.csv", weights=weights, columns=["a"])
    assert data.names == ("a",)
    assert data.weights is not None
    assert data.weights.tolist() == [2, 0.5, 0]
    assert data.total_weight == 2.5
    again = read_cases(to_frame(data, weights="count"), weights="count")
    assert again.fingerprint() == data.fingerprint()


def test_a_column_of_weights_is_no_variable() -> None:
    source = {"a": ["x", "y"], "n": [3, 4]}
    assert read_cases(source, weights="n").names == ("a",)
    data = read_cases(read_cases(source), weights="n")
    assert data.names == ("a",)
    assert data.total_weight == 7


def test_an_order_names_states_that_do_not_occur() -> None:
    data = read_cases({"x": [None, "I"]}, order={"x": ["I", "II"]})
    assert data.variables["x"] == Discrete("x", ("I", "II"))
    assert read_cases({"x": [2, 1]}, order={"x": [2, 1, 0]})["x"].tolist() == [0, 1]


def test_an_unnamed_first_column_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text(",a,b\n1,x,u\n2,y,v\n")
    data = read_cases(tmp_path / "cases.csv")
    assert data.names == ("a", "b")
    assert data.notes == (
        "the first column has no name and is taken for row numbers; it was not read",
    )
    read_by_pandas = pd.read_csv(tmp_path / "cases.csv")
    assert read_cases(read_by_pandas).fingerprint() == data.fingerprint()


def test_the_source_is_remembered(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("a\nx\n")
    assert read_cases(path).source == str(path)
    assert read_cases({"a": ["x"]}).source == "a dict of columns"
    assert read_cases(pd.DataFrame({"a": ["x"]})).source == "a pandas DataFrame"


def test_a_small_text_file_needs_no_heavy_library(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text("a,b\nx,1\ny,2\n")
    script = (
        "import sys; from tacit.io.cases import read_cases; read_cases('cases.csv'); "
        "heavy = {'duckdb', 'pandas', 'polars', 'pyarrow', 'numba', 'scipy', 'narwhals'}; "
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)


def test_notes_are_said_once_however_often_cases_are_bound() -> None:
    data: Dataset = read_cases({"x": ["None", "a"]})
    assert bind(bind(data, data), data).notes == data.notes
