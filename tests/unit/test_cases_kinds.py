"""Which variable a column is: kinds, states, their order, and what is noted about them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tacit.core.dataset import Dataset
from tacit.core.variables import Continuous, Discrete
from tacit.io.cases import read_cases
from tacit.io.states import natural_order, number, state_text


def states(data: Dataset, name: str) -> tuple[str, ...]:
    variable = data.variables[name]
    assert isinstance(variable, Discrete)
    return variable.states


def column(values: Any, **options: Any) -> Dataset:
    return read_cases({"x": values}, **options)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"), (1.0, "1"), ("1", "1"), ("1.0", "1.0"), (True, "True"), (np.int8(3), "3"),
        (-0.0, "0"), (0.1, "0.1"), (1e300, str(int(1e300))), (2**70, str(2**70)), (None, ""),
        (float("nan"), ""), ("  ", ""), (date(2020, 1, 2), "2020-01-02"), (b"ab", "ab"),
    ],
)  # fmt: skip
def test_a_value_is_a_state_by_its_shortest_text(value: object, text: str) -> None:
    assert state_text(value) == text


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1), (" 1.5 ", 1.5), ("-2e3", -2000.0), (".5", 0.5), ("5.", 5.0), ("+3", 3),
        ("007", None), ("00", None), ("0", 0), ("1_000", None), ("inf", None), ("nan", None),
        ("1e999", None), ("", None), ("1,5", None), ("0x1", None), ("٣", None), (True, None),
    ],
)  # fmt: skip
def test_numbers_are_told_from_text(text: object, size: float | None) -> None:
    assert number(text) == size


def test_natural_order_is_that_of_people() -> None:
    assert natural_order(["x10", "x9", "X1"]) == ["X1", "x9", "x10"]
    assert natural_order(["10", "9", "-1", "2.5"]) == ["-1", "2.5", "9", "10"]
    assert natural_order(["12+", "<5", "5-12"]) == ["5-12", "12+", "<5"]
    assert natural_order(["b2a10", "b2a9", "b10a1"]) == ["b2a9", "b2a10", "b10a1"]
    assert natural_order(["9" * 5_000 + "b", "8" * 5_000 + "b"])[0][0] == "8"


def test_few_whole_numbers_are_states_and_many_are_reals() -> None:
    assert states(column(range(20)), "x") == tuple(map(str, range(20)))
    many = column(range(21))
    assert many.variables["x"] == Continuous("x")
    assert many.notes == (
        "'x' has whole numbers of more than 20 values and is taken as continuous; discrete=[...] "
        "would make them states",
    )


def test_one_number_that_is_not_whole_makes_a_column_continuous() -> None:
    assert column([1, 2, 2.5]).variables["x"] == Continuous("x")
    assert states(column([1.0, 2.0, None]), "x") == ("1", "2")


def test_kinds_can_be_asked_for() -> None:
    data = column([*range(30), None], discrete="x")
    assert states(data, "x") == tuple(map(str, range(30)))
    assert data.notes == ()
    assert column([1, 2, 2], continuous=["x"]).variables["x"] == Continuous("x")
    assert column(["1", "2"], continuous=["x"])["x"].tolist() == [1.0, 2.0]
    assert states(column([0.5, 1.0], discrete=["x"]), "x") == ("0.5", "1")
    assert states(column(np.array([0.1, 0.2], dtype=np.float32), discrete="x"), "x") == (
        "0.1",
        "0.2",
    )


def test_large_integers_stay_apart_as_states() -> None:
    data = column([2**53, 2**53 + 1, 2**53], discrete="x")
    assert states(data, "x") == (str(2**53), str(2**53 + 1))
    assert states(column([10**30, 1]), "x") == ("1", str(10**30))


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint64, np.float32, np.float16])
def test_every_width_of_number_gives_the_same_states(kind: Any) -> None:
    data = column(np.array([100, 3, 3, 0], dtype=kind))
    assert states(data, "x") == ("0", "3", "100")
    assert data["x"].tolist() == [2, 1, 1, 0]


def test_small_integers_do_not_overflow() -> None:
    data = column(np.array([-128, 127, 0], dtype=np.int8))
    assert states(data, "x") == ("-128", "0", "127")


def test_numbers_with_leading_zeros_are_text() -> None:
    assert states(column(["007", "010", "7"]), "x") == ("007", "7", "010")


def test_true_and_one_are_two_states() -> None:
    data = column([True, 1, "a", 1.0, False, None])
    assert states(data, "x") == ("1", "a", "False", "True")
    assert data["x"].tolist() == [3, 0, 1, 0, 2, -1]
    frame = pd.DataFrame({"x": [True, 1, "a", 1.0, False, None]}, dtype=object)
    assert read_cases(frame).fingerprint() == data.fingerprint()


def test_booleans_have_both_states() -> None:
    data = column([True, True, None])
    assert states(data, "x") == ("False", "True")
    assert data["x"].tolist() == [1, 1, -1]
    assert data.kinds["x"] == "boolean"


def test_what_looks_like_a_marker_stays_a_state_and_is_noted() -> None:
    data = read_cases({"Accident": ["None", "Mild"], "Damage": ["None", "?"]})
    assert states(data, "Accident") == ("Mild", "None")
    assert data.notes == (
        "'None' is a state of 'Accident', 'Damage'; missing=['None'] would make it a missing value",
        "'?' is a state of 'Damage'; missing=['?'] would make it a missing value",
    )


def test_further_markers_of_missing_values_on_request() -> None:
    data = column(["a", "NA", "?", "b", ""], missing=["NA", "?"])
    assert states(data, "x") == ("a", "b")
    assert data.missing() == {"x": 3}
    assert column([1, -9, 2.5], missing=[-9]).missing() == {"x": 1}
    assert column(["1", "-9.0", "2"], missing="-9").missing() == {"x": 1}
    assert column([1.5, 99.0], missing="99").missing() == {"x": 1}


def test_one_word_among_numbers_is_noted() -> None:
    data = column(["1.5", "2.5", "3.5", "4", "unknown"])
    assert states(data, "x")[-1] == "unknown"
    assert data.notes == ("'x' is discrete because 'unknown' is no number",)


def test_blank_cells_are_missing_and_spaces_elsewhere_count() -> None:
    data = column(["yes", " yes", "  ", "no"])
    assert states(data, "x") == (" yes", "no", "yes")
    assert data.missing() == {"x": 1}
    assert data.notes == (
        "states of 'x' differ in nothing but spaces around them: ' yes'",
        "cells of 'x' that hold nothing but spaces count as missing: 1",
    )


def test_a_column_without_any_value_is_noted() -> None:
    data = read_cases({"x": [None, None], "y": ["a", "b"]})
    assert data.variables["x"] == Continuous("x")
    assert data.notes == ("'x' has no value in any case and is taken as continuous",)


def test_a_name_of_each_case_is_noted() -> None:
    data = column([f"patient {case}" for case in range(200)])
    assert data.notes == ("'x' has 200 states; a name or a number of each case is no variable",)


def test_the_order_of_states_is_inferred_unless_declared() -> None:
    natural = column(["II", "I", "III"]).variables["x"]
    assert isinstance(natural, Discrete)
    assert natural.inferred_order
    told = column(["II", "I"], order={"x": ["III", "II", "I"]}).variables["x"]
    assert told == Discrete("x", ("III", "II", "I"))
    assert isinstance(told, Discrete)
    assert not told.inferred_order


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": pd.Categorical(["mid", "low"], ["low", "mid", "high"], ordered=True)}),
        pl.DataFrame({"x": ["mid", "low"]}, schema={"x": pl.Enum(["low", "mid", "high"])}),
    ],
    ids=["pandas", "polars"],
)
def test_an_ordered_category_declares_its_states(frame: Any) -> None:
    data = read_cases(frame)
    variable = data.variables["x"]
    assert isinstance(variable, Discrete)
    assert variable.states == ("low", "mid", "high")
    assert not variable.inferred_order
    assert data["x"].tolist() == [1, 0]


def test_an_unordered_category_is_discrete_whatever_its_values() -> None:
    values = pd.Categorical([float(case) for case in range(30)], [float(n) for n in range(31)])
    data = read_cases(pd.DataFrame({"x": values}))
    assert states(data, "x") == tuple(map(str, range(30)))
    assert data.notes == ("the states of 'x' leave out what occurs in no case: 30",)


def test_categories_of_which_none_occurs_are_the_states() -> None:
    data = read_cases({"x": pd.Categorical([None, None], ["b", "a"])})
    assert states(data, "x") == ("a", "b")
    assert data.missing() == {"x": 2}


def test_a_text_file_gives_back_numbers_and_a_frame_of_text_gives_back_text(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text("a,b,c\n1,1.0,x\n2,2,y\n")
    data = read_cases(tmp_path / "cases.csv")
    assert dict(data.kinds) == {"a": "integer", "b": "real", "c": "text"}
    assert states(data, "b") == ("1", "2")
    assert dict(read_cases({"a": ["1", "2"]}).kinds) == {"a": "text"}
