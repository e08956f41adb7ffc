"""Cases: coded columns and weights."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import strategies
from tacit.core.dataset import Dataset, absent
from tacit.core.variables import Continuous, Discrete

FLU = Discrete("Flu", ("no", "yes"))
AGE = Continuous("Age")
DATA = Dataset(
    {"Flu": FLU, "Age": AGE},
    {"Flu": np.array([0, 1, -1]), "Age": np.array([30, np.nan, 50.5])},
    weights=np.array([1, 2, 0.5]),
    kinds={"Flu": "boolean"},
    notes=("read from thin air",),
    source="here",
)


def test_columns_come_by_name():
    assert DATA.names == ("Flu", "Age")
    assert len(DATA) == 3
    assert DATA["Flu"].tolist() == [0, 1, -1]
    assert "Age" in DATA
    assert "age" not in DATA
    assert DATA.total_weight == 3.5
    assert DATA.with_weights(None).total_weight == 3


def test_codes_are_kept_in_the_smallest_integer():
    for states, kind in ((2, np.int8), (128, np.int8), (129, np.int16), (40_000, np.int32)):
        variable = Discrete("X", tuple(map(str, range(states))))
        data = Dataset({"X": variable}, {"X": np.array([0, states - 1, -1])})
        assert data["X"].dtype == kind
        assert data["X"].tolist() == [0, states - 1, -1]


def test_unsigned_and_whole_numbers_are_taken():
    data = Dataset(
        {"Flu": FLU, "Age": AGE},
        {"Flu": np.array([0, 1], dtype=np.uint64), "Age": np.array([1, 2])},
    )
    assert data["Flu"].dtype == np.int8
    assert data["Age"].dtype == np.float64


def test_missing_cells_are_counted():
    assert DATA.missing() == {"Flu": 1, "Age": 1}
    assert absent(DATA["Age"]).tolist() == [False, True, False]
    assert absent(DATA["Flu"]).tolist() == [False, False, True]


def test_selected_columns_keep_cases_weights_and_words():
    part = DATA.select(["Age"])
    assert part.names == ("Age",)
    assert_array_equal(part.weights, DATA.weights)
    assert dict(part.kinds) == {}
    assert DATA.select(["Flu"]).kinds == {"Flu": "boolean"}
    assert part.notes == DATA.notes
    assert part.source == "here"


def test_cases_are_taken_by_place():
    part = DATA.take(np.array([2, 0, 0]))
    assert part["Flu"].tolist() == [-1, 0, 0]
    assert part.weights.tolist() == [0.5, 1, 1]
    assert DATA.with_weights(None).take(np.array([1])).weights is None


def test_nothing_can_be_written():
    mine = np.array([0, 1], dtype=np.int8)
    data = Dataset({"Flu": FLU}, {"Flu": mine}, weights=np.ones(2))
    with pytest.raises(ValueError, match="read-only"):
        data["Flu"][0] = 1
    with pytest.raises(ValueError, match="read-only"):
        data.weights[0] = 2
    with pytest.raises(TypeError):
        data.columns["Flu"] = mine
    with pytest.raises(AttributeError):
        data.weights = None
    assert mine.flags.writeable


def test_weights_are_copied():
    mine = np.ones(2)
    data = Dataset({"Flu": FLU}, {"Flu": np.array([0, 1])}, weights=mine)
    mine[0] = 7
    assert data.total_weight == 2


@given(strategies.datasets())
def test_a_dataset_travels_to_other_processes(data):
    for again in (copy.deepcopy(data), pickle.loads(pickle.dumps(data))):
        assert again.fingerprint() == data.fingerprint()
        assert again.names == data.names
        assert dict(again.variables) == dict(data.variables)
        assert again.notes == data.notes


@given(strategies.datasets(), st.data())
def test_the_fingerprint_changes_with_any_cell(data, draw):
    assert data.fingerprint() == data.take(np.arange(len(data))).fingerprint()
    assert len(data.fingerprint()) == 16
    assert int(data.fingerprint(), 16) >= 0
    if len(data):
        name = draw.draw(st.sampled_from(data.names))
        at = draw.draw(st.integers(0, len(data) - 1))
        column = data[name].copy()
        real = column.dtype.kind == "f"
        column[at] = 123.5 if real else (-1 if column[at] >= 0 else 0)
        changed = Dataset(data.variables, {**data.columns, name: column}, data.weights)
        assert changed.fingerprint() != data.fingerprint()


def test_the_fingerprint_changes_with_names_states_and_weights():
    codes = np.array([0, 1])
    one = Dataset({"Flu": FLU}, {"Flu": codes})
    renamed = Dataset({"flu": Discrete("flu", FLU.states)}, {"flu": codes})
    restated = Dataset({"Flu": Discrete("Flu", ("no", "ja"))}, {"Flu": codes})
    prints = [
        data.fingerprint()
        for data in (one, renamed, restated, one.with_weights(np.ones(2)), one.with_weights(codes))
    ]
    assert len(set(prints)) == 5


def test_text_shows_a_line_per_column():
    assert str(DATA) == (
        "Dataset of 3 cases, weighing 3.5, 2 columns\n"
        "  column  states            missing cells\n"
        "  Flu     no, yes                       1\n"
        "  Age     real, 30 to 50.5              1"
    )
    assert repr(DATA) == "<Dataset of 3 cases, weighing 3.5, 2 columns>"
    assert repr(DATA.select(["Flu"]).take(np.array([0])).with_weights(None)) == (
        "<Dataset of 1 case, 1 column>"
    )


def test_columns_without_a_value_print():
    empty = Dataset({"Age": AGE}, {"Age": np.array([np.nan])})
    assert str(empty).endswith("Age     real                1")
    assert str(Dataset({"Age": AGE}, {"Age": np.array([])})).endswith("0")


def test_wide_data_shows_its_first_columns():
    names = [f"V{at}" for at in range(202)]
    wide = Dataset(
        {name: Continuous(name) for name in names}, {name: np.zeros(2) for name in names}
    )
    assert str(wide).endswith("... and 2 more columns")


@given(strategies.datasets())
def test_any_names_print(data):
    assert len(str(data).split("\n")) == 2 + len(data.names)
    page = data._repr_html_()
    assert page.count("<tr>") == 1 + len(data.names)
    assert "<script" not in page


def test_no_columns_is_no_case():
    nothing = Dataset({}, {})
    assert len(nothing) == 0
    assert nothing.total_weight == 0
