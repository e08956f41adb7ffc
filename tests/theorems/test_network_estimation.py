"""Networks as the sources print them, and accumulation: EST-8 to EST-13."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import naive
import strategies
import tacit as tc
from coins import ALARM_NETWORK, BINARY, COIN, beta, heads, tosses, weighted
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.estimate.posteriors import draw_rows
from tacit.families.table import Table, table


@given(st.data())
def test_est8_column_terms_add_up_to_the_likelihood_of_the_cases(data):
    network = data.draw(strategies.discrete_networks(most=4, zeros=False))
    cases = data.draw(strategies.cases_of(network, least=1, weighted=True))
    fit = tc.fit(network, cases, estimate=tc.ML())
    columns = 0.0
    for name in network:
        theta, counts = fit.network[name].values, fit.evidence[name].values
        columns += sum(n * log(t) for n, t in zip(counts.flat, theta.flat, strict=True) if n)
    case_by_case = 0.0
    for at in range(len(cases)):
        if cases.weights[at]:
            case = {name: int(cases[name][at]) for name in network}
            case_by_case += cases.weights[at] * log(naive.probability(fit.network, case))
    assert_allclose(columns, case_by_case, rtol=1e-10, atol=1e-10)
    assert_allclose(fit.log_likelihood, case_by_case, rtol=1e-10, atol=1e-10)
    ours = tc.log_likelihood(fit.network, cases)
    assert_allclose(ours, case_by_case, rtol=1e-10, atol=1e-10)


@given(st.data())
def test_est8_no_other_network_of_the_structure_is_more_likely(data):
    network = data.draw(strategies.discrete_networks(most=3, zeros=False))
    cases = data.draw(strategies.cases_of(network, least=1))
    best = tc.fit(network, cases, estimate=tc.ML()).log_likelihood
    assert tc.log_likelihood(network, cases) <= best + 1e-9


def test_est9_the_alarm_network_has_eight_parameters_and_each_column_its_own_coin():
    cases = tc.sample(ALARM_NETWORK, 300, seed=9)
    fit = tc.fit(ALARM_NETWORK.dag, cases, prior=tc.K2(), estimate=tc.PosteriorMean())
    assert fit.network.free_parameters == 8
    for name in fit.network:
        family = fit.network[name]
        for context in product(*(range(2) for _ in family.parents)):
            here = np.ones(len(cases), dtype=bool)
            for parent, code in zip(family.parents, context, strict=True):
                here &= cases[parent] == code
            coin = tosses(int((cases[name][here] == 1).sum()), int((cases[name][here] == 0).sum()))
            alone = tc.fit("Coin", coin, prior=tc.K2(), estimate=tc.PosteriorMean())
            assert_allclose(family.values[context], alone.network["Coin"].values, rtol=1e-12)


def test_est9_the_posterior_of_a_column_is_prior_plus_its_counts():
    cases = tc.sample(ALARM_NETWORK, 200, seed=3)
    fit = tc.fit(ALARM_NETWORK.dag, cases, prior=tc.Jeffreys())
    seen = naive.counts(
        list(zip(cases["Alarm"].tolist(), cases["Call"].tolist(), strict=True)), (2, 2)
    )
    assert_array_equal(fit.evidence["Call"].values, seen)
    assert_allclose(fit.evidence["Call"].values + fit.pseudo["Call"], seen + 0.5)

    interval = fit.intervals["Call"]
    exact = stats.beta(seen[0, 1] + 0.5, seen[0, 0] + 0.5)
    assert_allclose(interval.lower[0, 1], exact.ppf(0.025), rtol=1e-6)
    assert_allclose(interval.upper[0, 1], exact.ppf(0.975), rtol=1e-6)


GRID = np.linspace(0.025, 0.975, 20)


def grid_posterior(cases: list[tuple[int | None, int]]) -> np.ndarray:
    """The posterior of (P(x), P(y|x=0), P(y|x=1)) under uniform priors, on a grid, normalised."""
    likelihood = np.ones((GRID.size,) * 3)
    of_x, of_y0, of_y1 = np.meshgrid(GRID, GRID, GRID, indexing="ij")
    for x, y in cases:
        chances = []
        for value, of_y in ((0, of_y0), (1, of_y1)):
            if x in (None, value):
                chance = of_x if value else 1 - of_x
                chances.append(chance * (of_y if y else 1 - of_y))
        likelihood = likelihood * sum(chances)
    return likelihood / likelihood.sum()


def product_of_margins(joint: np.ndarray) -> np.ndarray:
    margins = [joint.sum(axis=tuple(set(range(3)) - {at})) for at in range(3)]
    return np.einsum("i,j,k->ijk", *margins)


def test_est10_complete_cases_keep_parameters_independent():
    cases = [(0, 0), (0, 1), (1, 1), (1, 1), (0, 0), (1, 0)]
    joint = grid_posterior(cases)
    assert_allclose(joint, product_of_margins(joint), atol=1e-15)
    x, y = Discrete("X", BINARY), Discrete("Y", BINARY)
    columns = {"X": np.array([c[0] for c in cases]), "Y": np.array([c[1] for c in cases])}
    fit = tc.fit("X -> Y", Dataset({"X": x, "Y": y}, columns), prior=tc.K2())
    rows = [fit.evidence["X"].values, *fit.evidence["Y"].values]
    for at, (zeros, ones) in enumerate(rows):
        margin = joint.sum(axis=tuple(set(range(3)) - {at}))
        curve = GRID**ones * (1 - GRID) ** zeros  # Beta(1 + ones, 1 + zeros)
        assert_allclose(margin, curve / curve.sum(), rtol=1e-9)


def test_est10_a_missing_cell_ties_parameters_together():
    joint = grid_posterior([(0, 0), (0, 1), (1, 1), (None, 1), (0, 0), (1, 0)])
    assert np.abs(joint - product_of_margins(joint)).max() > 1e-5


def test_est11_the_predictive_network_is_the_average_over_the_posterior():
    cases = tc.sample(ALARM_NETWORK, 40, seed=1)
    fit = tc.fit(ALARM_NETWORK.dag, cases, prior=tc.K2(), estimate=tc.PosteriorMean())
    random = np.random.default_rng(2)
    draws = []
    for _ in range(1500):
        families = [
            Table(
                fit.network[name].variables,
                draw_rows(fit.evidence[name].values + fit.pseudo[name], random),
            )
            for name in fit.network
        ]
        draws.append(list(naive.joint(Network.of(families)).values()))
    average, error = np.mean(draws, axis=0), np.std(draws, axis=0) / np.sqrt(len(draws))
    ours = np.array(list(naive.joint(fit.network).values()))
    assert (np.abs(ours - average) < 3.5 * error).all()  # sixteen cells at once


def test_est11_it_predicts_the_next_case_and_not_the_next_two():
    """E[θ²] = (1/2)(2/3) under Beta(1, 1), not (1/2)²."""
    first = heads(tc.fit("Coin", tosses(0, 0), prior=tc.K2()))
    second = heads(tc.fit("Coin", tosses(1, 0), prior=tc.K2()))
    assert_allclose(first * second, 1 / 3)
    assert_allclose(first**2, 1 / 4)


def test_est11_the_prediction_is_the_ratio_of_marginal_likelihoods():
    for ones, zeros in ((0, 0), (3, 2), (10, 1)):
        before = tc.fit("Coin", tosses(ones, zeros), prior=beta(1.5, 0.5))
        after = tc.fit("Coin", tosses(ones + 1, zeros), prior=beta(1.5, 0.5))
        ratio = exp(after.log_marginal_likelihood - before.log_marginal_likelihood)
        assert_allclose(ratio, heads(before), rtol=1e-10)


# --- accumulation: EST-12, EST-13 -----------------------------------------------------------


@given(st.data())
def test_est12_any_order_batches_and_merges_are_the_batch(data):
    network = data.draw(strategies.discrete_networks(most=3))
    cases = data.draw(strategies.cases_of(network, least=2))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(cases)), max_size=3)))
    order = np.random.default_rng(0).permutation(len(cases))
    parts = [cases.take(part) for part in np.split(order, cuts)]
    online, left, right = (tc.Statistics(network) for _ in range(3))
    for at, part in enumerate(parts):
        online = online.update(part)
        if at % 2:
            left = left.update(part)
        else:
            right = right.update(part)
    whole = tc.Statistics(network).update(cases)
    for statistics in (online, left + right, right + left):
        assert statistics.total_weight == whole.total_weight
        for name in network:
            assert_array_equal(statistics.counts[name].values, whole.counts[name].values)
        for estimate in (tc.ML(), tc.PosteriorMean()):
            ours = tc.fit(network, statistics, estimate=estimate)
            assert ours.network == tc.fit(network, cases, estimate=estimate).network


@given(st.data())
def test_est13_leaving_one_case_out_equals_fitting_the_others(data):
    network = data.draw(strategies.discrete_networks(most=3))
    cases = data.draw(strategies.cases_of(network, least=2, most=12))
    whole = tc.Statistics(network).update(cases)
    for out in range(len(cases)):
        one = cases.take(np.array([out]))
        rest = cases.take(np.delete(np.arange(len(cases)), out))
        ours = tc.fit(network, whole - tc.Statistics(network).update(one))
        assert ours.network == tc.fit(network, rest).network


def test_est13_fractional_counts_and_fading():
    half = weighted(1.5, 0.25)
    assert_allclose(heads(tc.fit("Coin", half, estimate=tc.ML())), 1.5 / 1.75)
    network = Network.of([table(COIN, [], [0.5, 0.5])])
    faded = 0.5 * tc.Statistics(network).update(tosses(8, 2)) + tc.Statistics(network).update(
        tosses(0, 5)
    )
    assert_allclose(faded.counts["Coin"].values, [6, 4])
    assert_allclose(heads(tc.fit(network, faded, estimate=tc.ML())), 0.4)


def test_est13_more_cannot_be_taken_away_than_was_counted():
    network = Network.of([table(COIN, [], [0.5, 0.5])])
    few, many = (tc.Statistics(network).update(tosses(n, n)) for n in (1, 2))
    with pytest.raises(tc.TacitError, match="4 cases cannot be taken away from 2 cases"):
        few - many
