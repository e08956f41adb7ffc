"""Continuous columns cut into intervals."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacit.core.dataset import Dataset
from tacit.core.errors import TacitError
from tacit.core.variables import Discrete
from tacit.io.cases import read_cases
from tacit.io.discretise import discretise

AGES = {"age": [20, 31, None, 45, 52, 60, 71, 88.5], "sex": ["f", "m"] * 4}


def states(data: Dataset, name: str) -> tuple[str, ...]:
    variable = data.variables[name]
    assert isinstance(variable, Discrete)
    assert not variable.inferred_order
    return variable.states


def test_given_edges_cut_from_below() -> None:
    data = discretise(AGES, "age", edges=[31, 60])
    assert states(data, "age") == ("<31", "31 to 60", ">=60")
    assert data["age"].tolist() == [0, 1, -1, 1, 1, 2, 2, 2]
    assert data["sex"].tolist() == [0, 1] * 4


def test_edges_at_infinity_say_nothing() -> None:
    data = discretise(AGES, "age", edges=[-np.inf, 40, np.inf], labels=["young", "old"])
    assert states(data, "age") == ("young", "old")
    assert data["age"].tolist() == [0, 0, -1, 1, 1, 1, 1, 1]


def test_uniform_intervals_have_the_same_width() -> None:
    data = discretise({"x": [0.0, 1, 2, 3, 10]}, "x", into=5, method="uniform")
    assert states(data, "x") == ("<2", "2 to 4", "4 to 6", "6 to 8", ">=8")
    assert data["x"].tolist() == [0, 0, 1, 1, 4]


def test_quantiles_hold_about_as_many_cases_each() -> None:
    random = np.random.default_rng(1)
    data = discretise({"x": random.lognormal(size=1_000)}, "x", into=5)
    assert np.bincount(data["x"]).tolist() == [200] * 5
    assert all(len(state) < 18 for state in states(data, "x"))


def test_weights_count_in_quantiles() -> None:
    cases = read_cases({"x": [1.5, 2.5, 3.5, 4.5]}, weights=[1, 1, 1, 9])
    assert discretise(cases, "x", into=2)["x"].tolist() == [0, 0, 0, 1]
    assert discretise(cases.with_weights(None), "x", into=2)["x"].tolist() == [0, 0, 1, 1]


def test_equal_values_leave_fewer_intervals_which_is_noted() -> None:
    data = discretise({"x": [0, 0, 0, 0, 0, 0, 0, 1, 2.5]}, "x", into=4)
    assert states(data, "x") == ("<1", ">=1")
    assert data.notes == ("'x' was cut into 2, not 4: too many values are equal",)


def test_several_columns_at_once_and_columns_of_few_whole_numbers() -> None:
    data = discretise({"x": [1, 2, 3, 4], "y": ["0.5", "1.5", "2.5", ""]}, ["x", "y"], into=2)
    assert data["x"].tolist() == [0, 0, 1, 1]
    assert data["y"].tolist() == [0, 1, 1, -1]


reals = st.floats(-1e300, 1e300) | st.integers(-5, 5).map(float)


@given(
    values=st.lists(st.none() | reals, min_size=2, max_size=40),
    into=st.integers(2, 6),
    method=st.sampled_from(["quantile", "uniform"]),
)
def test_intervals_keep_order_and_gaps(values: list[float | None], into: int, method: str) -> None:
    cases = read_cases({"x": values}, continuous=["x"])
    try:
        data = discretise(cases, "x", into, method=method)
    except TacitError:
        assert len({value for value in values if value is not None}) < 2
        return
    codes, sizes = data["x"], cases["x"]
    np.testing.assert_array_equal(codes < 0, np.isnan(sizes))
    present = np.argsort(sizes[codes >= 0], kind="stable")
    ordered = codes[codes >= 0][present]
    assert (np.diff(ordered) >= 0).all()
    assert 2 <= len(states(data, "x")) <= into
    ties = np.diff(sizes[codes >= 0][present]) == 0
    assert (np.diff(ordered)[ties] == 0).all()
