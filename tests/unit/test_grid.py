"""Labelled tables as text and HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from tacit.core.grid import Grid, amount, counted, number


class Outline(HTMLParser):
    """The tags that are open, and the text of every cell."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag in ("th", "td", "caption"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("th", "td", "caption"):
            self.cells[-1] += data


def test_labels_stand_left_and_numbers_right():
    grid = Grid("Title", ("who", "n"), (("a", "1"), ("bcd", "1000")), foot="  the end")
    assert str(grid) == "Title\n  who     n\n  a       1\n  bcd  1000\n  the end"


def test_a_grid_may_be_empty():
    assert str(Grid("", (), ())) == ""
    assert str(Grid("T", ("a", "b"), ())) == "T\n  a  b"


def test_a_line_end_in_a_name_does_not_break_the_line():
    assert str(Grid("", ("a\nb",), (("c\rd",),))) == "  a\\nb\n  c\\rd"


@given(
    st.lists(st.tuples(strategies.odd_names, strategies.odd_names), min_size=1, max_size=4),
    strategies.odd_names,
)
def test_html_holds_every_cell_unharmed(rows, title):
    page = Outline(Grid(title, ("<script>", "&"), tuple(rows))._repr_html_())
    assert page.cells == [title, "<script>", "&", *(cell for row in rows for cell in row)]


def test_html_tells_labels_from_values():
    page = Grid("T", ("who", "n"), (("a", "1"),))._repr_html_()
    assert '<th scope="col">who</th>' in page
    assert '<th scope="row" style="text-align:left">a</th>' in page
    assert '<td style="text-align:right">1</td>' in page


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (1, "1"), (-0.0, "0"), (0.5, "0.500"), (1 / 3, "0.333"), (0.9996, "0.9996"),
     (0.00012345, "0.000123"), (1e-12, "1e-12"), (float("nan"), "?"), (12, "12"), (1e20, "1e+20"),
     (-0.25, "-0.250"), (-0.99999, "-0.99999"), (1234567.5, "1234568"), (float("inf"), "inf")],
)  # fmt: skip
def test_numbers_have_the_digits_they_deserve(value, shown):
    assert number(value) == shown


@given(st.floats(0, 1))
def test_no_probability_is_shown_as_certain_or_impossible_unless_it_is(value):
    shown = number(value)
    assert abs(float(shown) - value) <= 0.0005 + 1e-12
    if 0 < value < 1 - 1e-6:
        assert shown not in ("0", "1", "0.000", "1.000")


def test_counts_agree_with_their_noun():
    assert counted(1, "case") == "1 case"
    assert counted(0, "case") == "0 cases"
    assert counted(2000, "case") == "2,000 cases"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (-7.441649, "-7.44165"), (2000.0, "2000"), (-2232.8149, "-2232.81"), (0.5, "0.5"),
        (-999_999.4, "-999999"), (-999_999.5, "-1,000,000"), (-1_047_364.3, "-1,047,364"),
        (2e6, "2,000,000"), (1e-9, "1e-09"), (float("-inf"), "-inf"), (1e300, "1e+300"),
    ],
)  # fmt: skip
def test_large_amounts_are_written_out(value: float, shown: str) -> None:
    assert amount(value) == shown
