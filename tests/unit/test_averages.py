"""Exact Bayes with missing cells, by summing over completions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_inference as naive
import questions
import tacit as tc
from tacit.core.errors import OptionError, SizeError, WeightError

CASES = [(0, 0), (0, None), (None, 1), (1, 1), (None, None), (1, None), (None, 0)]


def frame(cases):
    words = {0: "no", 1: "yes", None: None}
    return {
        "A": [*(words[a] for a, _ in cases)],
        "B": [*(words[b] for _, b in cases)],
    }


@pytest.mark.parametrize("alpha", [1, 2, 3])
def test_two_variables_agree_with_the_integral_over_all_parameters(alpha):
    found = tc.average("A -> B", frame(CASES), prior=tc.Dirichlet(float(alpha)))
    total, mean_a, mean_b = naive.two_variable_integral(CASES, alpha)
    assert_allclose(found.log_marginal_likelihood, np.log(total), rtol=1e-10)
    assert_allclose(found.mean["A"], mean_a, rtol=1e-10)
    assert_allclose(found.mean["B"], mean_b, rtol=1e-10)


def test_complete_cases_have_the_closed_form():
    network = questions.random_network(1, size=4)
    cases = tc.sample(network, 30, seed=1)
    found = tc.average(network, cases, prior=tc.BDeu(5))
    fit = tc.fit(network, cases, prior=tc.BDeu(5), estimate=tc.PosteriorMean())
    assert_allclose(found.log_marginal_likelihood, fit.log_marginal_likelihood, rtol=1e-12)
    for name in network:
        assert_allclose(found.mean[name], fit.network[name].values, rtol=1e-12)


def test_a_case_that_counts_twice_may_be_filled_in_two_ways():
    once = tc.average("A -> B", frame([*CASES, CASES[1], CASES[3]]))
    weights = [1.0, 2, 1, 2, 1, 1, 1]
    weighted = tc.read_cases({**frame(CASES), "w": weights}, weights="w")
    twice = tc.average("A -> B", weighted)
    assert_allclose(twice.log_marginal_likelihood, once.log_marginal_likelihood, rtol=1e-12)
    assert_allclose(twice.mean["B"], once.mean["B"], rtol=1e-12)


def test_a_complete_case_may_weigh_anything_but_one_with_gaps_may_not():
    weighted = {**frame(CASES[:2]), "w": [0.5, 1]}
    tc.average("A -> B", tc.read_cases(weighted, weights="w"))
    weighted["w"] = [1, 0.5]
    with pytest.raises(WeightError, match=r"case 2 has gaps and weighs 0\.5"):
        tc.average("A -> B", tc.read_cases(weighted, weights="w"))


def test_a_hidden_variable_is_symmetric_in_its_states():
    cases = {"X": ["a", "b", "a"], "Y": ["u", "u", "v"]}
    found = tc.average("H -> X, Y", cases, hidden={"H": 2})
    assert_allclose(found.mean["H"], [0.5, 0.5])
    assert_allclose(found.mean["X"][0], found.mean["X"][1])


def test_too_many_gaps_and_improper_priors_are_refused():
    many = {"A": [None] * 21 + ["no", "yes"], "B": ["no", "yes"] * 11 + ["no"]}
    with pytest.raises(SizeError, match="21 missing cells can be filled in 2,097,152 ways"):
        tc.average("A -> B", many)
    with pytest.raises(OptionError, match="a prior above 0 in every cell"):
        tc.average("A -> B", frame(CASES), prior=tc.Dirichlet(0.0))


@pytest.mark.parametrize(
    "rules", ["P(B=yes | A=no) = P(B=yes | A=yes)", "P(A=yes) <= 0.4", "P(B=yes | A=no) <= 0.3"]
)
def test_averages_under_rules_are_integrals_over_what_the_rules_leave(rules: str) -> None:
    """A two-variable network, by a grid over its three parameters."""
    cases = {"A": ["no", "yes", "", "no"], "B": ["no", "yes", "yes", ""]}
    found = tc.average("A -> B", cases, prior=tc.K2(), knowledge=rules)
    grid = (np.arange(200) + 0.5) / 200
    a, p, q = np.meshgrid(
        grid, grid, grid, indexing="ij"
    )  # P(A=yes), P(B=yes | no), P(B=yes | yes)
    inside = {
        "P(B=yes | A=no) = P(B=yes | A=yes)": p == q,
        "P(A=yes) <= 0.4": a <= 0.4,
        "P(B=yes | A=no) <= 0.3": p <= 0.3,
    }[rules]
    likelihood = (1 - a) * (1 - p) * a * q * ((1 - a) * p + a * q) * (1 - a) * inside
    assert np.exp(found.log_marginal_likelihood) == pytest.approx(
        likelihood.sum() / inside.sum(), rel=1e-3
    )
    mean = (a * likelihood).sum() / likelihood.sum()
    assert found.mean["A"][1] == pytest.approx(mean, abs=1e-3)
    assert found.mean["B"][0, 1] == pytest.approx(
        (p * likelihood).sum() / likelihood.sum(), abs=1e-3
    )
