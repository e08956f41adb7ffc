"""Numbers too large or too small to be computed with, and words that are no numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc

X, Y = tc.Continuous("X"), tc.Continuous("Y")
LINE = tc.Network.of(
    [tc.LinearGaussian((X,), [], 0, 1), tc.LinearGaussian((X, Y), [2], 1, 0.5)],
)
CURVE = tc.Network.of(
    [tc.LinearGaussian((X,), [], 0, 1), tc.SigmoidGaussian((X, Y), [2], 1, 1, 0, 0.5)],
)
WHY = "and the squares of such numbers cannot be computed with"
OTHER = "express it in another unit, up to 1e+75"


def complaint(ask):
    with pytest.raises(tc.TacitError) as caught:
        ask()
    return str(caught.value)


@pytest.mark.parametrize("network", [LINE, CURVE])
@pytest.mark.parametrize("value", [1e308, -1e80, 10**400])
def test_findings_out_of_reach_are_refused(network, value):
    from decimal import Decimal

    said = f"the value of X is {Decimal(value):.3g}, {WHY}\n\n{OTHER}"
    for ask in (
        lambda: tc.query(network, "Y", given={"X": value}),
        lambda: tc.most_probable(LINE, given={"X": value}),
        lambda: tc.sample(network, 2, given={"X": value}, seed=1),
    ):
        assert complaint(ask) == said


def test_the_word_is_marked():
    assert complaint(lambda: tc.query(LINE, "P(Y | X=1e308)")) == (
        f"the value of X is 1.00e+308, {WHY}\n\n    P(Y | X=1e308)\n            ^^^^^\n\n{OTHER}"
    )


@pytest.mark.parametrize("network", [LINE, CURVE])
def test_cells_out_of_reach_are_refused(network):
    said = f"X is 1e+308 in case 2, {WHY}\n\n{OTHER}"
    cells = {"X": [1.0, 1e308], "Y": [None, 2.5]}
    assert complaint(lambda: tc.predict(network, cells)) == said
    assert complaint(lambda: tc.log_likelihood(network, cells)) == said
    assert complaint(lambda: tc.evaluate(network, cells, "Y")) == said


@pytest.mark.parametrize(
    ("family", "number"),
    [
        (tc.LinearGaussian((X, Y), [1], 0, 1e-200), "1e-200"),
        (tc.LinearGaussian((X, Y), [1], 0, 1e200), "1e+200"),
        (tc.LinearGaussian((X, Y), [-1e300], 0, 1), "-1e+300"),
        (tc.SigmoidGaussian((X, Y), [1], 1e300, 1, 0, 1), "1e+300"),
    ],
)
def test_regressions_out_of_reach_are_refused(family, number):
    network = tc.Network.of([tc.LinearGaussian((X,), [], 0, 1), family])
    assert complaint(lambda: tc.query(network, "P(Y | X=1)")) == (
        f"the regression of Y has the number {number}, {WHY}\n\n"
        "express its variables in other units"
    )


def test_columns_out_of_reach_are_refused_where_cells_are_missing():
    gaps = tc.read_cases({"X": [1e160, None, 3e160], "Y": [1.5, 2.5, 0.5]}, continuous="X")
    assert complaint(lambda: tc.fit("X -> Y", gaps)) == (
        f"X has values as large as 3e+160, {WHY}\n\n"
        "express the column in another unit, between 1e-75 and 1e+75"
    )


def test_advice_about_a_dag_names_columns_that_are_not_there():
    cases = {"Wind": [1.5, 2.5], "Power": [1.5, 0.5]}
    assert complaint(lambda: tc.advise(cases, network="Winf -> Power")) == (
        "the cases have no column 'Winf'; did you mean 'Wind'?\n\ncolumns: Wind, Power"
    )
    assert complaint(lambda: tc.advise(cases, network="Wind -> Power", hidden={"H": 2})) == (
        "the dag has no variable 'H' to be hidden\n\nvariables: Wind, Power"
    )


def test_values_just_in_reach_are_computed_with():
    answer = tc.query(LINE, "P(X | Y=1e74)")
    np.testing.assert_allclose(answer.mean["X"], 1e74 * 2 / 4.25)
    assert tc.log_likelihood(LINE, {"X": [1e74], "Y": [0.0]}) < -1e148
