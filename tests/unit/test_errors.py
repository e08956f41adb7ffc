"""The error tree and the helpers that word messages."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.core import errors
from tacit.core.errors import TacitError, listed, marked, nearest, quoted


def test_every_error_is_in_the_tree_drawn_at_the_top():
    classes = [
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, Exception)
    ]
    assert all(issubclass(kind, TacitError) for kind in classes)
    assert issubclass(TacitError, ValueError)
    drawn = (errors.__doc__ or "").splitlines()
    for kind in classes:
        line = next(line for line in drawn if kind.__name__ in line.split())
        depth = line.index(kind.__name__) // 4
        assert kind.__mro__.index(ValueError) - 1 == depth, kind


@pytest.mark.parametrize(
    ("name", "shown"),
    [("A", "A"), ("a.b_2", "a.b_2"), ("", '""'), ("a b", '"a b"'), ('a"b', r'"a\"b"'),
     ("a\\b", r'"a\\b"'), ("a\nb", r'"a\nb"'), ("a-b", '"a-b"')],
)  # fmt: skip
def test_names_are_quoted_only_where_needed(name, shown):
    assert quoted(name) == shown


def test_the_nearest_name_is_suggested_whatever_its_case():
    assert nearest("smoker", ["Cancer", "Smoker"]) == "; did you mean 'Smoker'?"
    assert nearest("Smokr", ["Cancer", "Smoker"]) == "; did you mean 'Smoker'?"
    assert nearest("Zebra", ["Cancer", "Smoker"]) == ""
    assert nearest("A", []) == ""
    assert nearest(3, ["33"]) == "; did you mean '33'?"


def test_long_lists_are_cut():
    assert listed("abc") == "a, b, c"
    assert listed(map(str, range(15)), 12).endswith("10, 11, ... (3 more)")
    assert listed([]) == ""


def test_the_words_at_fault_are_marked():
    text = "one two three"
    assert marked(text, 4, 7, "wrong") == "wrong\n\n    one two three\n        ^^^"
    assert marked(text, 4, 7, "wrong", "f.txt").startswith("f.txt: wrong\n")


def test_the_line_at_fault_is_shown_with_its_number():
    text = "one\ntwo three\nfour\n"
    assert marked(text, 8, 13, "wrong") == "line 2: wrong\n\n    two three\n        ^^^^^"
    assert marked(text, 8, 13, "wrong", "f").startswith("f:2: wrong")
    assert marked(text, 8, 18, "wrong").endswith("    two three\n        ^^^^^")


def test_tabs_do_not_shift_the_marks():
    assert marked("\ta\tb", 3, 4, "wrong").endswith("     a b\n       ^")


def test_a_place_at_the_end_is_marked_too():
    assert marked("ab", 2, 2, "more is expected").endswith("    ab\n      ^")
    assert marked("", 0, 0, "nothing").endswith("    \n    ^")


@given(st.text(alphabet="ab \t\n", max_size=400), st.data())
def test_marks_stay_within_the_line_shown(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    *_, line, marks = marked(text, start, end, "wrong").split("\n")
    assert len(line) <= 94
    assert set(marks.strip()) == {"^"}
    assert len(marks) <= max(len(line), marks.index("^") + 1)


@given(st.integers(0, 300), st.integers(1, 5))
def test_the_marks_of_a_long_line_stand_under_the_words(before, size):
    text = "." * before + "#" * size + "." * 200
    *_, line, marks = marked(text, before, before + size, "wrong").split("\n")
    assert line[marks.index("^") : len(marks)] == "#" * size
