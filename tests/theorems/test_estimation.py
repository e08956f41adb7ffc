"""One variable as the sources print it: EST-1 to EST-7.

Numbers come from the sources or from arithmetic beside them, never from our output.
"""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import naive
import strategies
import tacit as tc
from coins import BINARY, COIN, beta, heads, tosses, weighted
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.estimate.posteriors import cell_variance, draw_rows
from tacit.families.table import table


def test_est1_the_likelihood_of_three_heads_and_two_tails():
    sequence = Dataset({"Coin": COIN}, {"Coin": np.array([1, 0, 0, 1, 1])})
    curve = {}
    for theta in np.linspace(0.01, 0.99, 99).round(2):
        network = Network.of([table(COIN, [], [1 - theta, theta])])
        curve[theta] = tc.log_likelihood(network, sequence)
        assert_allclose(curve[theta], 3 * log(theta) + 2 * log(1 - theta), rtol=1e-12)
    assert max(curve, key=curve.get) == 0.6
    assert_allclose(exp(curve[0.6]), 0.03456, rtol=1e-12)
    assert_allclose(exp(tc.fit("Coin", sequence, estimate=tc.ML()).log_likelihood), 0.03456)


def test_est2_35_heads_of_100_give_035():
    assert_allclose(heads(tc.fit("Coin", tosses(35, 65), estimate=tc.ML())), 0.35, rtol=1e-15)


def test_est2_ml_does_not_see_how_many_cases_there_were():
    few = tc.fit("Coin", tosses(3, 7), estimate=tc.ML())
    many = tc.fit("Coin", weighted(300_000, 700_000), estimate=tc.ML())
    assert_allclose([heads(few), heads(many)], 0.3, rtol=1e-15)


@given(st.data())
def test_est3_permuted_cases_have_identical_counts_and_likelihood(data):
    network = data.draw(strategies.discrete_networks(most=3, zeros=False))
    cases = data.draw(strategies.cases_of(network, least=1))
    shuffled = cases.take(np.random.default_rng(1).permutation(len(cases)))
    ours, theirs = (tc.fit(network, each) for each in (cases, shuffled))
    for name in network:
        assert_array_equal(ours.evidence[name].values, theirs.evidence[name].values)
    assert ours.network == theirs.network
    assert ours.log_likelihood == theirs.log_likelihood
    assert_allclose(
        tc.log_likelihood(network, cases), tc.log_likelihood(network, shuffled), rtol=1e-12
    )


@pytest.mark.parametrize(
    ("prior", "cases", "prediction"),
    [
        (beta(1, 1), tosses(2, 0), 3 / 4),
        (beta(50, 50), tosses(3, 7), 53 / 110),
        (beta(50, 50), weighted(300_000, 700_000), 300_050 / 1_000_100),
        (beta(1, 1), tosses(0, 3), 0.2),
        (beta(3, 1), tosses(0, 0), 3 / 4),
    ],
)
def test_est4_beta_predictions(prior, cases, prediction):
    for estimate in (tc.PosteriorMean(), tc.Smoothed()):
        fit = tc.fit("Coin", cases, prior=prior, estimate=estimate)
        assert_allclose(heads(fit), prediction, rtol=1e-12)


def test_est4_the_printed_digits():
    small = tc.fit("Coin", tosses(3, 7), prior=beta(50, 50))
    large = tc.fit("Coin", weighted(300_000, 700_000), prior=beta(50, 50))
    assert round(heads(small), 4) == 0.4818
    assert round(heads(large), 5) == 0.30002


def test_est4_three_cases_of_no_call_in_one_context():
    """Never seen is impossible under ML, one in five under Beta(1, 1)."""
    alarm, call = Discrete("Alarm", BINARY), Discrete("Call", BINARY)
    cases = Dataset(
        {"Alarm": alarm, "Call": call},
        {"Alarm": np.array([0, 0, 0, 1, 1]), "Call": np.array([0, 0, 0, 1, 0])},
    )
    ml = tc.fit("Alarm -> Call", cases, estimate=tc.ML()).network["Call"]
    bayes = tc.fit("Alarm -> Call", cases, prior=tc.K2()).network["Call"]
    assert ml.row({"Alarm": "no"})["yes"] == 0
    assert_allclose(bayes.row({"Alarm": "no"})["yes"], 0.2)


@given(st.integers(0, 50), st.integers(0, 50))
def test_est4_laplace_s_rule_of_succession(ones, zeros):
    fit = tc.fit("Coin", weighted(ones, zeros), prior=tc.K2())
    assert_allclose(heads(fit), (ones + 1) / (ones + zeros + 2), rtol=1e-12)


def test_est4_nothing_possible_ends_impossible_or_certain():
    fit = tc.fit("Coin", weighted(0, 10**9), prior=beta(0.5, 0.5))
    assert 0 < heads(fit) < 1


def test_est5_dirichlet_prediction_against_monte_carlo():
    """E[θ | D] = E[θ L(θ)] / E[L(θ)] over draws of the prior, within three standard errors."""
    alpha, counts = np.array([1.0, 2.0, 3.0]), np.array([4.0, 0.0, 2.0])
    die = Discrete("Die", ("a", "b", "c"))
    cases = Dataset({"Die": die}, {"Die": np.arange(3)}, weights=counts)
    fit = tc.fit("Die", cases, prior=tc.Dirichlet({"Die": alpha}), estimate=tc.PosteriorMean())
    theta = np.random.default_rng(5).dirichlet(alpha, 200_000)
    weights = np.prod(theta**counts, axis=1)
    estimate = (weights[:, None] * theta).sum(axis=0) / weights.sum()
    errors = np.sqrt(((weights[:, None] * (theta - estimate)) ** 2).sum(axis=0)) / weights.sum()
    assert (np.abs(fit.network["Die"].values - estimate) < 3 * errors).all()
    assert_allclose(fit.network["Die"].values, (alpha + counts) / 12)


def test_est5_posterior_draws_have_the_posterior_s_moments():
    posterior = np.array([5.0, 2.0, 5.0])
    random = np.random.default_rng(6)
    draws = np.array([draw_rows(posterior, random) for _ in range(20_000)])
    spread = np.sqrt(cell_variance(posterior) / len(draws))
    assert (np.abs(draws.mean(axis=0) - posterior / 12) < 3 * spread).all()
    mean = posterior / 12
    assert_allclose(cell_variance(posterior), mean * (1 - mean) / 13)


def test_est6_the_marginal_likelihood_of_five_tosses_is_one_sixtieth():
    fit = tc.fit("Coin", tosses(3, 2), prior=beta(1, 1))
    assert_allclose(exp(fit.log_marginal_likelihood), 1 / 60, rtol=1e-12)
    predictives = [1 / 2, 1 / 3, 2 / 4, 2 / 5, 3 / 6]  # H, T, T, H, H one after the other
    assert_allclose(exp(fit.log_marginal_likelihood), np.prod(predictives), rtol=1e-12)


@given(st.lists(st.integers(0, 1), max_size=20), st.floats(0.2, 20), st.floats(0.2, 20))
def test_est6_it_equals_the_product_of_one_step_predictions(codes, zeros, ones):
    cases = Dataset({"Coin": COIN}, {"Coin": np.array(codes, dtype=int)})
    fit = tc.fit("Coin", cases, prior=tc.Dirichlet({"Coin": [zeros, ones]}))
    expected = naive.log_predictives(codes, [zeros, ones])
    assert_allclose(fit.log_marginal_likelihood, expected, rtol=1e-12, atol=1e-12)


def test_est6_it_is_the_area_under_prior_times_likelihood():
    places = np.linspace(0, 1, 20_001)
    values = 6 * places * (1 - places) * places**3 * (1 - places) ** 2  # Beta(2, 2) and 3H2T
    fit = tc.fit("Coin", tosses(3, 2), prior=beta(2, 2))
    assert_allclose(exp(fit.log_marginal_likelihood), naive.integral(values, places), rtol=1e-6)


@given(strategies.discrete_networks(most=4), st.floats(0.01, 100))
def test_est7_bdeu_adds_up_to_its_strength_per_variable(network, strength):
    cases = Dataset(network.variables, {name: np.zeros(0, dtype=int) for name in network.variables})
    fit = tc.fit(network, cases, prior=tc.BDeu(strength))
    for name in network:
        assert_allclose(fit.pseudo[name].sum(), strength)
        shape = network[name].values.shape
        rows, states = np.prod(shape[:-1], dtype=int), shape[-1]
        assert_allclose(fit.pseudo[name], strength / (rows * states))


def test_est7_named_priors():
    cases = tosses(1, 1)
    assert tc.fit("Coin", cases, prior=tc.K2()).pseudo["Coin"].tolist() == [1, 1]
    assert tc.fit("Coin", cases, prior=tc.Jeffreys()).pseudo["Coin"].tolist() == [0.5, 0.5]
    assert tc.fit("Coin", cases).pseudo["Coin"].tolist() == [0.5, 0.5]
    mean, worth = np.array([0.3, 0.7]), 20  # elicited: a mean and how many cases it is worth
    elicited = tc.fit("Coin", tosses(0, 0), prior=tc.Dirichlet({"Coin": worth * mean}))
    assert_allclose(elicited.network["Coin"].values, mean)
