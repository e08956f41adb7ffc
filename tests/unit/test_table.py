"""Tables: rows are distributions, labelled."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import strategies
from tacit.core.errors import NetworkError, SizeError, StateError, TableError
from tacit.core.variables import Continuous, Discrete
from tacit.families import family_from_plain
from tacit.families.table import Table, cells, row_label, table, uniform_table

FLU = Discrete("Flu", ("no", "yes"))
COLD = Discrete("Cold", ("no", "yes"))
COUGH = Discrete("Cough", ("none", "dry", "wet"))
VALUES = [[[0.9, 0.1, 0], [0.2, 0.3, 0.5]], [[0.1, 0.8, 0.1], [0, 0, 1]]]
SMALL = table(COUGH, [FLU, COLD], VALUES)


def test_parts_have_names():
    assert SMALL.child == "Cough"
    assert SMALL.parents == ("Flu", "Cold")
    assert SMALL.states == {"Flu": FLU.states, "Cold": COLD.states, "Cough": COUGH.states}
    assert SMALL.values.shape == (2, 2, 3)
    assert SMALL.free_parameters == 8
    assert table(FLU, [], [0.5, 0.5]).free_parameters == 1


def test_a_row_is_asked_for_by_states():
    assert SMALL.row({"Cold": "yes", "Flu": "no"}) == {"none": 0.2, "dry": 0.3, "wet": 0.5}
    assert table(FLU, [], [0.4, 0.6]).row() == {"no": 0.4, "yes": 0.6}


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"Flu": "no"}, "a row of 'Cough' needs a state of 'Cold' too"),
        ({"Flu": "no", "Cold": "no", "Cough": "dry"}, "'Cough' is no parent of 'Cough'"),
        ({"Flu": "no", "Cold": "ja"}, "'Cold' has no state 'ja'\n\nstates of 'Cold': no, yes"),
    ],
)
def test_a_row_that_is_not_there(given_, message):
    with pytest.raises((NetworkError, StateError)) as caught:
        SMALL.row(given_)
    assert str(caught.value) == message


def test_numbers_in_any_shape_make_a_table():
    assert table(COUGH, [FLU, COLD], np.ravel(VALUES)) == SMALL
    assert table(COUGH, [FLU, COLD], np.reshape(VALUES, (4, 3))) == SMALL


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: table(FLU, [], [0.5, 0.4]),
            "P(Flu) adds up to 0.9, not 1\n\n    no: 0.5, yes: 0.4",
        ),
        (
            lambda: table(COUGH, [FLU], [[1, 0, 0], [1.5, -0.5, 0]]),
            "P(Cough | Flu=yes) has a negative probability\n\n    none: 1.5, dry: -0.5, wet: 0",
        ),
        (
            lambda: table(FLU, [], [np.nan, 1]),
            "P(Flu) has a probability that is no number\n\n    no: nan, yes: 1",
        ),
        (
            lambda: table(FLU, [], [np.inf, -np.inf]),
            "P(Flu) has a negative probability\n\n    no: inf, yes: -inf",
        ),
        (
            lambda: table(FLU, [], [np.inf, 0]),
            "P(Flu) adds up to inf, not 1\n\n    no: inf, yes: 0",
        ),
        (
            lambda: table(FLU, [], [1e308, 1e308]),
            "P(Flu) adds up to inf, not 1\n\n    no: 1e+308, yes: 1e+308",
        ),
        (lambda: table(FLU, [COLD], [1, 0]), "the table of 'Flu' needs 4 numbers, not 2"),
        (
            lambda: Table((COLD, FLU), np.ones(4)),
            "the table of 'Flu' has the shape (4,), not (2, 2)",
        ),
        (lambda: table(FLU, [FLU], [1, 0, 0, 1]), "the table of 'Flu' names 'Flu' twice"),
        (
            lambda: Table((Continuous("Age"), FLU), np.ones((1, 2))),
            "'Age' has real values; a table of 'Flu' takes discrete variables only",
        ),
        (lambda: Table((), np.ones(())), "a table needs a child"),
    ],
)
def test_what_is_no_table(build, message):
    with pytest.raises(NetworkError) as caught:
        build()
    assert str(caught.value) == message


def test_a_row_may_miss_one_by_rounding_only():
    assert isinstance(table(FLU, [], [0.5, 0.5 + 5e-10]), Table)
    with pytest.raises(TableError):
        table(FLU, [], [0.5, 0.5 + 2e-9])


def test_a_long_row_is_shown_in_part():
    many = Discrete("Many", tuple(f"s{at}" for at in range(30)))
    with pytest.raises(TableError) as caught:
        table(many, [], np.full(30, 0.1))
    assert str(caught.value).endswith("s11: 0.1, ...")


def test_tables_beyond_reason_are_refused_before_they_are_built():
    many = [Discrete(f"P{at}", ("a", "b")) for at in range(40)]
    with pytest.raises(SizeError) as caught:
        uniform_table((*many, FLU))
    assert str(caught.value) == (
        "a table of 'Flu' given 40 parents has 2.199e+12 cells, more than can be kept; "
        "the most are 200,000,000 cells and 63 parents"
    )
    single = [Discrete(f"P{at}", ("a",)) for at in range(70)]
    with pytest.raises(SizeError):
        table(FLU, single, [0.5, 0.5])


def test_a_partial_table_may_leave_rows_open():
    open_rows = Table((FLU, COLD), [[np.nan, np.nan], [0.5, 0.5]], partial=True)
    assert np.isnan(open_rows.row({"Flu": "no"})["yes"])
    assert Table((FLU, COLD), [[0, 0], [0.5, 0.5]], partial=True).values[0, 0] == 0
    for wrong in ([np.nan, 1], [0.2, 0.2], [np.nan, 0]):
        with pytest.raises(TableError):
            Table((FLU, COLD), [wrong, [0.5, 0.5]], partial=True)
    with pytest.raises(TableError):
        Table((FLU, COLD), [[0, 0], [0.5, 0.5]])


@pytest.mark.parametrize("row", [[np.nan, np.nan], [0, 0]])
def test_nothing_is_drawn_from_an_unknown_row(row):
    partial = Table((FLU, COLD), [row, [0.5, 0.5]], partial=True)
    random = np.random.default_rng(1)
    assert set(partial.sample([np.ones(50, dtype=np.int8)], 50, random)) == {0, 1}
    with pytest.raises(NetworkError) as caught:
        partial.sample([np.array([1, 0, 1])], 3, random)
    assert str(caught.value) == "P(Cold | Flu=no) is unknown, so nothing can be drawn from it"


def test_values_cannot_be_written():
    mine = np.array([0.5, 0.5])
    built = table(FLU, [], mine)
    mine[0] = 0.9
    assert built.values[0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        built.values[0] = 1
    with pytest.raises(AttributeError):
        built.values = mine


def test_equality_is_of_axes_and_numbers():
    assert table(FLU, [], [0.5, 0.5]) == table(FLU, [], [0.5, 0.5])
    assert hash(table(FLU, [], [0.5, 0.5])) == hash(table(FLU, [], [0.5, 0.5]))
    assert table(FLU, [], [0.5, 0.5]) != table(COLD, [], [0.5, 0.5])
    assert table(FLU, [], [0.5, 0.5]) != table(FLU, [], [0.4, 0.6])
    unknown = Table((FLU,), [np.nan, np.nan], partial=True)
    assert unknown == copy.deepcopy(unknown)
    assert pickle.loads(pickle.dumps(SMALL)) == SMALL
    assert SMALL != "SMALL"


def test_text_shows_a_labelled_table():
    assert str(SMALL) == (
        "P(Cough | Flu, Cold)\n"
        "  Flu  Cold   none    dry    wet\n"
        "  no   no    0.900  0.100      0\n"
        "  no   yes   0.200  0.300  0.500\n"
        "  yes  no    0.100  0.800  0.100\n"
        "  yes  yes       0      0      1"
    )
    assert repr(SMALL) == "<Table P(Cough | Flu, Cold), 2 x 2 x 3>"
    assert str(table(FLU, [], [0.25, 0.75])) == "P(Flu)\n     no    yes\n  0.250  0.750"


def test_long_tables_show_their_first_rows():
    big = uniform_table((*(Discrete(f"P{at}", ("a", "b")) for at in range(7)), FLU))
    lines = str(big).splitlines()
    assert len(lines) == 63
    assert lines[-1] == "  ... and 68 more rows"
    assert str(big.grid(127)).endswith("... and 1 more row")
    assert not big.grid(128).foot


def test_html_is_escaped_and_labelled():
    odd = Discrete("<b>X</b>", ("a & b", "<i>"))
    page = table(odd, [FLU], [[0.5, 0.5], [1, 0]])._repr_html_()
    assert "<b>" not in page
    assert "<i>" not in page
    assert "P(&quot;&lt;b&gt;X&lt;/b&gt;&quot; | Flu)" in page
    assert "a &amp; b" in page


@pytest.mark.parametrize(
    ("backend", "kind"),
    [
        (None, pd.DataFrame),
        ("pandas", pd.DataFrame),
        ("polars", pl.DataFrame),
        ("pyarrow", pa.Table),
    ],
)
def test_a_frame_has_a_line_per_row(backend, kind):
    frame = SMALL.to_frame(backend)
    assert isinstance(frame, kind)
    assert list(map(str, frame["Flu"])) == ["no", "no", "yes", "yes"]
    assert list(map(str, frame["Cold"])) == ["no", "yes", "no", "yes"]
    assert_allclose(np.asarray(frame["Cough=wet"]), [0, 0.5, 0.1, 1])


def test_a_frame_of_a_table_without_parents_has_one_line():
    frame = table(FLU, [], [0.25, 0.75]).to_frame("polars")
    assert frame.to_dict(as_series=False) == {"Flu=no": [0.25], "Flu=yes": [0.75]}


def test_a_row_is_named_as_people_write_it():
    assert row_label(SMALL.variables, 2) == "P(Cough | Flu=yes, Cold=no)"
    assert row_label((FLU,), 0) == "P(Flu)"
    odd = Discrete("a b", ("x y", "z"))
    assert row_label((odd, FLU), 0) == 'P(Flu | "a b"="x y")'


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 9), st.integers(0, 99))
def test_places_are_those_of_a_flattened_array(shape, size, seed):
    random = np.random.default_rng(seed)
    columns = [random.integers(-1, states, size).astype(np.int8) for states in shape]
    expected = [
        -1 if min(case) < 0 else np.ravel_multi_index(case, shape)
        for case in zip(*(column.tolist() for column in columns), strict=True)
    ]
    assert cells(shape, columns).tolist() == expected


def test_places_in_large_tables_do_not_overflow_small_codes():
    shape = (120, 120, 120)
    columns = [np.array([119], dtype=np.int8)] * 3
    assert cells(shape, columns).tolist() == [120**3 - 1]


def test_json_holds_unknown_rows():
    unknown = Table((FLU, COLD), [[np.nan, np.nan], [0.5, 0.5]], partial=True)
    text = json.dumps(unknown.to_plain(), allow_nan=False)
    again = family_from_plain(json.loads(text), {"Flu": FLU, "Cold": COLD})
    assert again == unknown
    assert again.partial


@given(strategies.states(1, 3), st.data())
def test_any_states_print(states, data):
    drawn = data.draw(strategies.tables(Discrete("X", states), (FLU,)))
    assert len(str(drawn).split("\n")) == 4
    assert drawn._repr_html_().count("<tr>") == 3
