"""What is said of wishes about noisy-ors that cannot be granted, in full."""

from __future__ import annotations

import pytest

import tacit as tc

CASES = {"Flu": ["no", "yes", "yes"], "Fever": ["no", "yes", "no"]}
GAPS = {"Flu": ["no", "yes", None], "Fever": ["no", "yes", "no"]}


@pytest.mark.parametrize(
    ("cases", "options", "message"),
    [
        (
            GAPS,
            {"method": tc.Gradient()},
            "Gradient() infers tables only, and Fever is to be a noisy-or\n\nuse method=tc.EM()",
        ),
        (
            CASES,
            {"knowledge": "P(Fever=yes | Flu=yes) >= 0.5"},
            "line 1: 'Fever' has no table of probabilities\n\n"
            "    P(Fever=yes | Flu=yes) >= 0.5\n"
            "      ^^^^^\n\n"
            "such rules speak of discrete variables whose family is a table",
        ),
        (
            CASES,
            {"estimate": tc.PosteriorMean()},
            "the posterior mean of the noisy-or of Fever has no formula"
            "\n\nuse estimate=tc.Smoothed() or tc.MAP()",
        ),
    ],
)
def test_what_links_cannot_do_is_said(cases, options, message):
    with pytest.raises(tc.TacitError) as caught:
        tc.fit("Flu -> Fever", cases, families={"Fever": tc.NoisyOr}, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("families", "message"),
    [
        (
            {"Fevr": tc.NoisyOr},
            "families= names 'Fevr', which is no variable of the structure; "
            "did you mean 'Fever'?\n\nvariables: Flu, Fever",
        ),
        (
            {"Fever": tc.LinearGaussian},
            "families= says LinearGaussian of 'Fever', which has states, no real values"
            "\n\nleave it out, or name it continuous when the cases are read",
        ),
        (
            {"Fever": tc.BIC},
            "families= says BIC of 'Fever', which is no family to choose"
            "\n\nthere are: tc.Table, tc.NoisyOr, tc.NoisyAnd, tc.NoisyMax, "
            "tc.TreeTable, tc.DefaultTable",
        ),
        (
            {"Fevr": tc.SigmoidGaussian},
            "families= names 'Fevr', which is no variable of the structure; "
            "did you mean 'Fever'?\n\nvariables: Flu, Fever",
        ),
    ],
)
def test_a_family_that_cannot_be_chosen_is_said(families, message):
    with pytest.raises(tc.TacitError) as caught:
        tc.fit("Flu -> Fever", CASES, families=families)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: tc.NoisyOr.of(tc.Discrete("Fever", ("no", "yes")), {"Flu": 0.5}),
            "a noisy-or is of variables, as tc.Discrete(...) makes them, and 'Flu' is none",
        ),
        (
            lambda: tc.project("Fever", tc.NoisyOr),
            "tc.project takes a table, as tc.table(...) makes one or a network holds it, not "
            "'Fever'",
        ),
    ],
)
def test_what_is_no_variable_or_no_table_is_said(make, message):
    with pytest.raises(tc.TacitError) as caught:
        make()
    assert str(caught.value) == message
