"""Numbers far from 1 are numbers like any other: nothing is taken for 0 that is not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.families.table import table
from tacit.knowledge.binding import bind
from tacit.knowledge.blocks import blocks_of
from tacit.knowledge.bounded import bounded
from tacit.knowledge.cells import Cells
from tacit.knowledge.parsing import rules_of
from tacit.knowledge.polytope import relative_interior

DATA = {"X": ["a"] * 5 + ["b"] * 5 + ["c"] * 3}
X = tc.Discrete("X", ("a", "b", "c"))
ROW = tc.Network.of([table(X, [], np.full(3, 1 / 3))])


@pytest.mark.parametrize("value", [1e-300, 1e-200, 1e-20, 1e-13, 1e-12, 1e-9, 1e-6, 0.3])
def test_a_known_value_comes_out_as_it_is(value: float) -> None:
    fit = tc.fit("X", DATA, knowledge=f"P(X=a) = {value!r}", estimate=tc.ML())
    assert_allclose(fit.network["X"].values[0], value, rtol=1e-12)
    assert_allclose(fit.network["X"].values[1:], (1 - value) * np.array([5, 3]) / 8)
    right = 5 * np.log(value) + 5 * np.log((1 - value) * 5 / 8) + 3 * np.log((1 - value) * 3 / 8)
    assert_allclose(fit.objective, right, rtol=1e-12)


@pytest.mark.parametrize("value", [1e-100, 1e-13, 1e-9])
def test_a_known_mass_is_divided_as_the_counts_are(value: float) -> None:
    fit = tc.fit("X", DATA, knowledge=f"P(X={{a, c}}) = {value!r}", estimate=tc.ML())
    assert_allclose(fit.network["X"].values[[0, 2]], value * np.array([5, 3]) / 8, rtol=1e-12)


def test_a_small_multiple_of_a_cell_is_no_zero() -> None:
    fit = tc.fit("X", DATA, knowledge="P(X=a) = 1e-10 * P(X=b)", estimate=tc.ML())
    values = fit.network["X"].values
    assert_allclose(values[0], 1e-10 * values[1], rtol=1e-9)
    assert values[0] > 0


def test_shares_given_to_the_last_digit_leave_nothing() -> None:
    assert tc.check("P(X=a) = 0.3; P(X=b) = 0.7", ROW).forced == ("P(X=c) = 0",)
    assert tc.check("P(X=a) = 0.1; P(X=b) = 0.9", ROW).forced == ("P(X=c) = 0",)


def test_what_rounding_leaves_of_a_sum_is_nothing() -> None:
    assert tc.check("P(X=a) = 0.3 - 0.2 - 0.1", ROW).intervals["X"][0].tolist() == [0, 0]


def test_a_small_bound_forces_nothing() -> None:
    check = tc.check("P(X=a) <= 1e-9", ROW)
    assert check.forced == ()
    assert check.intervals["X"].tolist() == [[0, 1e-9], [0, 1], [0, 1]]
    assert "0 to 1e-09" in str(check)


def test_small_equal_bounds_force_a_small_number() -> None:
    check = tc.check("P(X=a) <= 1e-15; P(X=a) >= 1e-15", ROW)
    assert check.forced == ("P(X=a) = 1e-15",)


@pytest.mark.parametrize("text", [
    "P(X=a) <= 0.3; P(X=b) <= 0.3; P(X=c) <= 0.4",
    "P(X={a, b}) <= 0.3; P(X={a, b}) >= 0.3",
    "P(X=a) = 0.1; P(X={b, c}) <= 0.9",
    "P(X={a, b, c}) <= 1",
    "P(X=a) >= 0.5; P(X=b) >= 0.5",
    "2 * P(X=a) <= 0.5; P(X=a) >= 0.1",
    "P(X={a, b}) <= 0",
])  # fmt: skip
def test_bounds_on_disjoint_masses_say_the_same_as_linear_programs(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = blocks_of(bind(rules_of(text), Cells.of({"X": (X,)})))
    assert bounded(blocks).blocks.all()
    closed = relative_interior(blocks)
    none = bounded(blocks_of(bind((), Cells.of({"X": (X,)}))))
    monkeypatch.setattr(
        "tacit.knowledge.polytope.bounded",
        lambda _: type(none)(np.zeros(1, bool), *[getattr(none, name) for name in
                             ("positions", "low", "high", "inside", "rules")]),
    )  # fmt: skip
    solved = relative_interior(blocks)
    assert closed.feasible.tolist() == solved.feasible.tolist()
    assert closed.tight.tolist() == solved.tight.tolist()
    assert closed.zero.tolist() == solved.zero.tolist()
