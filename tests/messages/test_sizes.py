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


STATE = tc.Discrete("S", ("a", "b"))
MIXED = tc.Network.of(
    [
        tc.table(STATE, [], [0.5, 0.5]),
        tc.ConditionalGaussian((STATE, X), np.zeros((2, 0)), [0.0, 1.0], [1.0, 1.0]),
    ]
)


def test_what_only_rounding_decides_is_not_said():
    """State b is surely behind a huge value, by 1e20 nats, but squares of 1e40 do not show it."""
    said = "the findings are so far from all that the network expects that rounding decides what "
    for ask in (
        lambda: tc.query(MIXED, "P(S | X=1e20)"),
        lambda: tc.most_probable(MIXED, given={"X": 1e20}),
        lambda: tc.sample(MIXED, 3, given={"X": 1e20}, seed=1),
    ):
        assert complaint(ask) == (
            f"{said}they say of states (log density -5e+39)\n\ncheck their values and units"
        )
    assert complaint(lambda: tc.query(CURVE, "P(X | Y=1e20)")) == (
        f"{said}they say (log density -2e+40)\n\ncheck their values and units"
    )
    predicted = tc.predict(MIXED, {"X": [1e20, 1e3]})
    assert predicted.impossible.tolist() == [0]
    np.testing.assert_allclose(predicted["S"][1], [0, 1], atol=1e-12)
    assert tc.evaluate(MIXED, {"S": ["a", "b"], "X": [1e20, 1e3]}, "S").notes == (
        "1 case is impossible under the network whatever S is, and left out",
    )


def test_the_density_of_a_peak_needs_no_difference_of_large_numbers():
    peak = tc.most_probable(LINE, given={"Y": 1e20})
    variance = 1 / (1 + 2**2 / 0.5**2)
    np.testing.assert_allclose(peak.log_probability, -0.5 * np.log(2 * np.pi * variance))


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("coefficient(Y, X) >= 1e20", "between 0 and 1e+18 in size"),
        ("intercept(Y) = 1e300", "between 0 and 1e+18 in size"),
        ("variance(Y) <= 1e-300", "between 1e-90 and 1e+90 in size"),
    ],
)
def test_rules_out_of_reach_are_refused(rule, said):
    cases = {"X": [0.5, 1.5, 2.5], "Y": [0.5, 1.0, 2.5]}
    assert complaint(lambda: tc.fit("X -> Y", cases, knowledge=rule)) == (
        f"line 1: a number of this rule is not {said}\n\n    {rule}\n    {'^' * len(rule)}\n\n"
        "express the variables in other units"
    )


@pytest.mark.parametrize("bound", [1e-50, 1e-20, 1e-9, 1e12, 1e50])
def test_bounds_on_variances_hold_on_all_scales(bound):
    random = np.random.default_rng(0)
    x, y = random.normal(size=(2, 50))
    sign = ">=" if bound > 1 else "<="
    fit = tc.fit("X -> Y", {"X": x, "Y": y}, knowledge=f"variance(Y) {sign} {bound!r}")
    np.testing.assert_allclose(fit.network["Y"].sd ** 2, bound, rtol=1e-9)


@pytest.mark.parametrize("bound", [1e3, 1e12, 1e17])
def test_bounds_on_coefficients_hold_on_all_scales(bound):
    random = np.random.default_rng(0)
    x, y = random.normal(size=(2, 50))
    fit = tc.fit("X -> Y", {"X": x, "Y": y}, knowledge=f"coefficient(Y, X) >= {bound!r}")
    np.testing.assert_allclose(fit.network["Y"].coefficients, [bound], rtol=1e-9)


@pytest.mark.parametrize("strength", [1e300, 1e-300])
def test_priors_out_of_reach_are_refused(strength):
    assert complaint(lambda: tc.NormalGamma(strength)) == (
        f"mean_strength={strength!r} is not between 1e-50 and 1e+50 cases, so it cannot be "
        "computed with"
    )


def test_probabilities_of_a_continuous_variable_are_told_apart():
    cases = {"S": ["a", "b", "a", "b"], "X": [0.5, 1.5, 2.5, 2.0]}
    known = tc.posterior("S -> X", cases, seed=1)
    assert complaint(lambda: known.of("P(X=1)")).startswith("'X' has no table of probabilities")
