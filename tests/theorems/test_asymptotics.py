"""Rows without cases, many cases, and quality: EST-14, EST-15, PDK-1, PDK-2, PDK-39, T3."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive
import strategies
import tacit as tc
from coins import ALARM_NETWORK, COIN, GAP, beta, heads, population, tosses
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table, table

# --- rows without cases: EST-14 -------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "row"),
    [("uniform", [0.5, 0.5]), ("nan", [np.nan] * 2), ("zeros", [0, 0]), ("prior", [0.2, 0.8])],
)
def test_est14_policies_for_a_row_without_cases(policy, row):
    prior = tc.Dirichlet({"Call": [1, 4]})
    fit = tc.fit("Alarm -> Call", GAP, prior=prior, estimate=tc.ML(empty=policy))
    assert_allclose(fit.network["Call"].values, [[1 / 3, 2 / 3], row])
    assert fit.empty_rows["Call"] == (1,)
    assert any("1 row" in note and "Call" in note for note in fit.notes)
    assert np.isfinite(fit.log_likelihood)


def test_est14_the_fifth_policy_is_to_refuse():
    with pytest.raises(tc.EstimateError, match=r"there is no case for P\(Call \| Alarm=yes\)"):
        tc.fit("Alarm -> Call", GAP, estimate=tc.ML(empty="error"))


def test_est14_a_prior_leaves_no_row_open():
    fit = tc.fit("Alarm -> Call", GAP, prior=tc.K2(), estimate=tc.Smoothed(empty="error"))
    assert_allclose(fit.network["Call"].values[1], [0.5, 0.5])
    assert fit.empty_rows["Call"] == (1,)


# --- asymptotics: EST-15 --------------------------------------------------------------------


@st.composite
def truths_and_structures(draw):
    """A network and a dag over the same variables that need not be its own."""
    truth = draw(strategies.discrete_networks(least=2, most=4, zeros=False))
    size = len(truth)
    drawn = draw(strategies.dags(size, size, parents=2))
    name = dict(zip(drawn.names, truth.dag.names, strict=True))
    return truth, tc.Dag({name[n]: tuple(name[p] for p in who) for n, who in drawn.parents.items()})


@given(truths_and_structures())
def test_est15_population_counts_give_the_true_conditionals(drawn):
    truth, dag = drawn
    fit = tc.fit(dag, population(truth, 1000), estimate=tc.ML())
    for name in dag.names:
        who = dag.parents[name]
        margin = naive.joint(truth, (*who, name))
        shape = [len(truth.variables[other].states) for other in (*who, name)]
        values = np.reshape(list(margin.values()), shape)
        conditional = values / values.sum(axis=-1, keepdims=True)
        assert_allclose(fit.network[name].values, conditional, rtol=1e-9)


@given(truths_and_structures(), st.integers(0, 99))
def test_est15_that_projection_is_the_nearest_network(drawn, seed):
    truth, dag = drawn
    fit = tc.fit(dag, population(truth, 1000), estimate=tc.ML())
    nearest = tc.divergence(truth, fit.network)
    random = np.random.default_rng(seed)
    for share in (0.01, 0.3):
        families = []
        for name in fit.network:
            values = fit.network[name].values
            other = random.dirichlet(np.ones(values.shape[-1]), values.shape[:-1])
            families.append(
                Table(fit.network[name].variables, (1 - share) * values + share * other)
            )
        assert nearest <= tc.divergence(truth, Network.of(families)) + 1e-9


@given(truths_and_structures())
def test_est15_the_prior_s_share_falls_as_one_over_the_cases(drawn):
    truth, dag = drawn
    target = tc.fit(dag, population(truth, 1), estimate=tc.ML()).network
    alpha = 1.0
    for size in (1e4, 1e8):
        fit = tc.fit(dag, population(truth, size), prior=tc.BDeu(alpha))
        for name in dag.names:
            counts = fit.evidence[name].values.sum(axis=-1, keepdims=True)
            error = np.abs(fit.network[name].values - target[name].values)
            assert (error <= alpha / counts + 1e-9).all()


# --- the other sources: PDK-1, PDK-2, PDK-39, T2, T3 ----------------------------------------


def test_pdk1_counts_of_sampled_cases_reproduce_the_tables():
    cases = tc.sample(ALARM_NETWORK, 50_000, seed=4)
    fit = tc.fit(ALARM_NETWORK, cases, estimate=tc.ML())
    for name in ALARM_NETWORK:
        truth = ALARM_NETWORK[name].values
        counts = fit.evidence[name].values.sum(axis=-1, keepdims=True)
        off = np.abs(fit.network[name].values - truth)
        assert (off <= 4 * np.sqrt(truth * (1 - truth) / counts)).all()


@given(st.data())
def test_pdk1_the_log_likelihood_is_the_sum_of_n_log_theta(data):
    network = data.draw(strategies.discrete_networks(most=4, zeros=False))
    cases = data.draw(strategies.cases_of(network, weighted=True))
    total = 0.0
    for name in network:
        axes = (*network.dag.parents[name], name)
        shape = network[name].values.shape
        counts = naive.counts(
            list(zip(*(cases[axis].tolist() for axis in axes), strict=True)), shape, cases.weights
        )
        total += float(np.sum(counts * np.log(network[name].values)))
    assert_allclose(tc.log_likelihood(network, cases), total, rtol=1e-10, atol=1e-10)


@given(st.data())
def test_pdk2_closed_forms(data):
    network = data.draw(strategies.discrete_networks(most=3))
    cases = data.draw(strategies.cases_of(network, least=1))
    alpha = data.draw(st.floats(1.01, 8))
    prior = tc.Dirichlet(alpha)
    for estimate, extra in ((tc.ML(), 0), (tc.MAP(), alpha - 1), (tc.PosteriorMean(), alpha)):
        fit = tc.fit(network, cases, prior=prior, estimate=estimate)
        for name in network:
            axes = (*network.dag.parents[name], name)
            codes = list(zip(*(cases[axis].tolist() for axis in axes), strict=True))
            counts = naive.counts(codes, network[name].values.shape)
            for ours, row in zip(
                naive.rows(fit.network[name].values), naive.rows(counts + extra), strict=True
            ):
                expected = naive.shares(row) if sum(row) else [1 / len(row)] * len(row)
                assert_allclose(ours, expected, rtol=1e-9)


def test_pdk2_zero_counts():
    """Some zero: ML puts zeros there. All zero: any distribution is ML."""
    some = tc.fit("Alarm -> Call", GAP, estimate=tc.ML()).network["Call"]
    assert some.row({"Alarm": "yes"}) == {"no": 0.5, "yes": 0.5}
    never = Dataset({"Coin": COIN}, {"Coin": np.zeros(4, dtype=int)})
    assert heads(tc.fit("Coin", never, estimate=tc.ML())) == 0
    with pytest.raises(tc.EstimateError, match="has no most probable value"):
        tc.fit("Coin", never, prior=tc.BDeu(1), estimate=tc.MAP())


@given(strategies.discrete_networks(most=4))
def test_pdk39_a_network_does_not_diverge_from_itself(network):
    assert tc.divergence(network, network) == 0


def test_pdk39_the_average_log_score_tends_to_minus_the_cross_entropy():
    """ALS -> -H(P, Q) = -(H(P) + KL(P, Q))."""
    other = tc.fit(ALARM_NETWORK, tc.sample(ALARM_NETWORK, 30, seed=1)).network
    joint = naive.joint(ALARM_NETWORK)
    entropy = -sum(p * log(p) for p in joint.values() if p)
    expected = -(entropy + tc.divergence(ALARM_NETWORK, other))
    scored = tc.log_likelihood(other, tc.sample(ALARM_NETWORK, 100_000, seed=2))
    error = scored.per_case.std() / np.sqrt(100_000)
    assert abs(scored.average - expected) < 3 * error
    assert_allclose(scored.average, scored / 100_000)


def test_pdk39_natural_logarithms():
    p = Network.of([table(COIN, [], [0.5, 0.5])])
    q = Network.of([table(COIN, [], [0.25, 0.75])])
    assert_allclose(tc.divergence(p, q), 0.5 * log(2) + 0.5 * log(2 / 3))


def test_pdk39_a_difference_in_score_is_a_likelihood_ratio_per_case():
    cases = tosses(7, 3)
    one, other = (
        tc.log_likelihood(Network.of([table(COIN, [], row)]), cases)
        for row in ([0.3, 0.7], [0.5, 0.5])
    )
    ratios = np.exp(one.per_case - other.per_case)
    assert_allclose(exp(one.average - other.average), np.exp(np.log(ratios).mean()))


def test_pdk39_how_many_cases_a_good_prior_is_worth():
    """The informed fit has at n the score that the baseline reaches at n'; report n' / n."""
    truth = ALARM_NETWORK
    informed = tc.Prior.like(truth, strength=20)
    sizes = [20, 40, 80, 160, 320, 640]

    def score(size: int, prior) -> float:
        drawn = (tc.sample(truth, size, seed=100 + repeat) for repeat in range(20))
        return -np.mean(
            [tc.divergence(truth, tc.fit(truth, d, prior=prior).network) for d in drawn]
        )

    curve = [score(size, tc.K2()) for size in sizes]
    needed = tc.equivalent_size(sizes, curve, score(20, informed))
    assert 2 < needed / 20 < 32
    assert tc.equivalent_size(sizes, curve, curve[2]) == pytest.approx(80)


EQUIVALENT = ("A -> B -> C", "A <- B <- C", "A <- B -> C")


def test_t3_bdeu_scores_equivalent_dags_alike_and_k2_does_not():
    variables = {name: Discrete(name, states) for name, states in
                 (("A", ("x", "y")), ("B", ("p", "q", "r")), ("C", ("u", "v")))}  # fmt: skip
    random = np.random.default_rng(11)
    columns = {name: random.integers(0, len(v.states), 60) for name, v in variables.items()}
    cases = Dataset(variables, columns)
    bdeu = [tc.fit(dag, cases, prior=tc.BDeu(5)).log_marginal_likelihood for dag in EQUIVALENT]
    k2 = [tc.fit(dag, cases, prior=tc.K2()).log_marginal_likelihood for dag in EQUIVALENT]
    assert_allclose(bdeu, bdeu[0], rtol=1e-12)
    assert np.ptp(k2) > 1e-3
    collider = tc.fit("A -> B <- C", cases, prior=tc.BDeu(5)).log_marginal_likelihood
    assert abs(collider - bdeu[0]) > 1e-3


@given(st.permutations(range(8)))
def test_t3_the_order_of_cases_does_not_matter_to_the_product_of_predictions(order):
    codes = np.array([0, 1, 1, 0, 1, 1, 1, 0])[list(order)]
    ours = tc.fit("Coin", Dataset({"Coin": COIN}, {"Coin": codes}), prior=beta(2, 3))
    expected = naive.log_predictives(codes.tolist(), [3, 2])
    assert_allclose(ours.log_marginal_likelihood, expected, rtol=1e-12)
