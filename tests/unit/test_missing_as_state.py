"""Gaps that say something, as a state of their own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tacit as tc
from tacit.core.errors import CasesError, ColumnError

CASES = {"A": ["x", None, "y", "x"], "B": ["u", "v", "v", "u"], "C": [1, None, 2, None]}


def test_columns_with_gaps_get_one_more_state_the_last():
    found = tc.missing_as_state(CASES)
    assert found.variables["A"].states == ("x", "y", "missing")
    assert found.variables["B"].states == ("u", "v")
    assert found.variables["C"].states == ("1", "2", "missing")
    assert_array_equal(found["A"], [0, 2, 1, 0])
    assert not any(found.missing().values())


def test_the_likelihood_is_defined_and_fits_count_the_gaps():
    found = tc.missing_as_state(CASES)
    fit = tc.fit("A -> B", found, estimate=tc.ML())
    assert_allclose(fit.network["A"].values, [0.5, 0.25, 0.25])
    assert np.isfinite(float(tc.log_likelihood(fit.network, found)))


def test_columns_and_the_word_can_be_chosen():
    found = tc.missing_as_state(CASES, columns=["A", "B"], state="unknown")
    assert found.variables["B"].states == ("u", "v", "unknown")
    assert found.variables["C"].states == ("1", "2")
    assert found.missing()["C"] == 2
    weighted = tc.read_cases({**CASES, "w": [1, 2, 3, 4]}, weights="w")
    assert_array_equal(tc.missing_as_state(weighted).weights, [1, 2, 3, 4])


def test_reals_keep_their_gaps_unless_named():
    cases = tc.read_cases({"A": ["x", None], "R": [0.5, np.nan]}, continuous=["R"])
    found = tc.missing_as_state(cases)
    assert found.missing() == {"A": 0, "R": 1}
    with pytest.raises(CasesError, match="'R' is continuous; a gap can be a state of discrete"):
        tc.missing_as_state(cases, columns=["R"])


def test_a_word_that_is_taken_and_a_column_that_is_not_there():
    taken = {"A": ["missing", None, "x"]}
    with pytest.raises(CasesError, match="'A' has a state 'missing' already; choose another word"):
        tc.missing_as_state(taken)
    with pytest.raises(ColumnError, match="no column 'D'"):
        tc.missing_as_state(CASES, columns=["D"])


def test_gaps_that_depend_on_what_they_hide_mislead_em_but_can_be_modelled():
    """The sick do not answer: EM takes the gaps for chance, a state of their own does not."""
    random = np.random.default_rng(1)
    sick = random.random(20_000) < 0.3
    fever = random.random(20_000) < np.where(sick, 0.9, 0.1)
    silent = random.random(20_000) < np.where(sick, 0.8, 0.05)
    answer = np.where(silent, None, np.where(sick, "sick", "well"))
    cases = {"Answer": list(answer), "Fever": list(np.where(fever, "yes", "no"))}
    naive = tc.fit("Answer -> Fever", cases).network
    assert naive["Answer"].values[0] < 0.3 - 0.02
    told = tc.fit("Answer -> Fever", tc.missing_as_state(cases)).network
    states = told.variables["Answer"].states
    silent_row = told["Fever"].values[states.index("missing")]
    assert_allclose(silent_row[1], np.mean(fever[silent]), atol=0.01)
