"""What is asked of a posterior: quantities that are not linear, modes, draws, copies."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tacit as tc

CASES = {"A": list("nnynynny"), "B": list("nnyynnyy"), "C": list("nnyynyyn")}
GAPS = {**CASES, "B": [None, "n", "y", "y", "n", "n", "y", None]}
CHAIN = "A -> B -> C"
MIXED = """
    P(B=y | A=n) = P(C=y | B=n)
    P(B=y | A=y) >= 2 * P(B=y | A=n)
    P(C=y | B=y) <= P(C=y | B=n) + 0.2
"""


@pytest.fixture(scope="module")
def found() -> tc.Posterior:
    return tc.posterior(CHAIN, CASES, seed=1)


def test_a_quotient_is_divided_under_every_draw(found: tc.Posterior) -> None:
    a, b = found.draws["A"], found.draws["B"]
    risk = found.of("P(B=y | A=y) / P(B=y | A=n)")
    assert_allclose(risk.draws[:, 0], b[:, 1, 1] / b[:, 0, 1], rtol=1e-12)
    odds = found.of("2 * P(B=y | A=n) * (P(A=y) + 0.5) / P(A=n) / (1 - P(A=n)) - 1")
    expected = 2 * b[:, 0, 1] * (a[:, 1] + 0.5) / a[:, 0] / (1 - a[:, 0]) - 1
    assert_allclose(odds.draws[:, 0], expected, rtol=1e-9)


def test_a_quotient_of_events_is_divided_too(found: tc.Posterior) -> None:
    b, c = found.draws["B"], found.draws["C"]
    given = (b[:, :, :, None] * c[:, None, :, :]).sum(axis=2)
    asked = found.of("P(C=y | A=y) / P(C=y | A=n)")
    assert_allclose(asked.draws[:, 0], given[:, 1, 1] / given[:, 0, 1], rtol=1e-9)


def test_a_quotient_runs_through_what_it_leaves_free(found: tc.Posterior) -> None:
    b = found.draws["B"]
    asked = found.of("P(B=y | A) / P(B=n | A)")
    assert asked.labels == ("P(B=y | A=n), P(B=n | A=n)", "P(B=y | A=y), P(B=n | A=y)")
    assert_allclose(asked.draws, b[:, :, 1] / b[:, :, 0], rtol=1e-12)


def test_what_cancels_out_is_zero(found: tc.Posterior) -> None:
    assert float(found.of("P(A=y) - P(A=y)")) == 0.0


@pytest.mark.parametrize("draws", [17, 18, 19, 20])
def test_any_number_of_draws_is_made_by_any_number_of_chains(draws: int) -> None:
    sampling = tc.Sampling(draws=draws, precision=None)
    drawn = tc.posterior(CHAIN, CASES, knowledge=MIXED, sampling=sampling, seed=1)
    assert drawn.draws["B"].shape == (draws, 2, 2)


def test_the_mode_where_nothing_else_is_ruled_is_that_of_the_most_probable_rules() -> None:
    doubted = "P(B=y | A=n) <= 0.3 confidence 0.99"
    mixed = tc.posterior(CHAIN, CASES, knowledge=doubted, prior=tc.K2(), seed=1)
    assert mixed.beliefs[0].probability > 0.5
    assert_allclose(mixed.mode["B"][0], [0.7, 0.3], atol=1e-9)


@pytest.mark.parametrize(("cases", "rules"), [(GAPS, None), (CASES, "P(C=y) <= 0.45")])
def test_it_is_said_where_draws_are_too_few_for_the_wished_precision(cases, rules) -> None:
    few = tc.posterior(CHAIN, cases, knowledge=rules, sampling=tc.Sampling(precision=1e-6), seed=1)
    assert not few.diagnostics.settled
    assert any("before the wished precision" in note for note in few.notes)
    enough = tc.posterior(
        CHAIN, cases, knowledge=rules, sampling=tc.Sampling(precision=0.1), seed=1
    )
    assert enough.diagnostics.settled


@pytest.mark.parametrize("rules", [None, MIXED, "P(B=y | A=n) <= 0.3 confidence 0.9"])
def test_a_posterior_comes_back_from_a_pickle(rules: str | None) -> None:
    first = tc.posterior(CHAIN, CASES, knowledge=rules, prior=tc.K2(), seed=1)
    again = pickle.loads(pickle.dumps(first))
    assert_array_equal(first.draws["B"], again.draws["B"])
    assert first.log_marginal_likelihood == again.log_marginal_likelihood
    new = {"A": ["n"], "B": ["n"], "C": ["n"]}
    assert_array_equal(first.log_predictive(new), again.log_predictive(new))


def test_one_set_of_rules_is_one() -> None:
    certain = "P(B=y | A=n) <= 0.3\nP(B=y | A=n) >= 0.4 confidence 0.9"
    one = tc.posterior(CHAIN, CASES, knowledge=certain, seed=1)
    assert dict(one.diagnostics.ways) == {"mixed over 1 set of rules": 1}


def test_the_heading_says_the_level_that_was_asked_for() -> None:
    sure = tc.posterior(CHAIN, CASES, level=0.999, seed=1)
    assert "99.9% interval" in str(sure.of("P(A=y)"))
    assert np.all(sure.interval["A"].lower < sure.mean["A"])


@pytest.mark.parametrize("doubt", ["", "confidence 0.9"])
def test_rows_that_no_rule_ties_are_drawn_independently(doubt: str) -> None:
    twice = {"A": CASES["A"], "B": CASES["A"]}
    rules = f"P(A=y) <= 0.9 confidence 0.9\nP(B=y) <= 0.9 {doubt}"
    both = tc.posterior("A; B", twice, knowledge=rules, seed=1)
    found = np.corrcoef(both.draws["A"][:, 0], both.draws["B"][:, 0])[0, 1]
    assert abs(found) < 5 / np.sqrt(both.size)
    apart = np.hypot(both.sd["A"][0], both.sd["B"][0])
    assert_allclose(both.of("P(A=y) - P(B=y)").sd[0], apart, rtol=5 / np.sqrt(both.size))


def test_it_is_said_where_draws_hang_together() -> None:
    states = [f"s{at:02d}" for at in range(50)]
    ordered = "\n".join(f"P(X={a}) <= P(X={b})" for a, b in pairwise(states))
    few = tc.Sampling(draws=200, precision=1e-2)
    rough = tc.posterior("X", {"X": states}, knowledge=ordered, sampling=few, seed=1)
    assert rough.diagnostics.size < 100
    (note,) = (each for each in rough.notes if "effective sample size" in each)
    assert f"is only {rough.diagnostics.size:.0f}:" in note
