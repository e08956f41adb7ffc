"""How probable cases are under a network."""

from __future__ import annotations

from math import log

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive
import strategies
import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import table
from tacit.infer.likelihood import LogLikelihood, log_likelihood

FLU = Discrete("Flu", ("no", "yes"))
COUGH = Discrete("Cough", ("none", "dry", "wet"))
NETWORK = Network.of(
    [table(FLU, [], [0.8, 0.2]), table(COUGH, [FLU], [[0.9, 0.1, 0], [0.1, 0.2, 0.7]])]
)


def flu_cases(flu, cough, weights=None) -> Dataset:
    columns = {"Flu": np.array(flu, dtype=int), "Cough": np.array(cough, dtype=int)}
    return Dataset({"Flu": FLU, "Cough": COUGH}, columns, weights)


@given(st.data())
def test_each_case_has_the_probability_of_the_chain_rule(data):
    network = data.draw(strategies.discrete_networks())
    cases = data.draw(strategies.cases_of(network, weighted=True))
    found = log_likelihood(network, cases)
    expected = [
        naive.probability(network, {name: int(cases[name][at]) for name in network})
        for at in range(len(cases))
    ]
    assert_allclose(np.exp(found.per_case), expected, rtol=1e-10)


@given(st.data())
def test_gaussian_cases_have_the_product_of_densities(data):
    network = data.draw(strategies.gaussian_networks())
    cases = data.draw(strategies.cases_of(network, least=1))
    found = log_likelihood(network, cases)
    for at in range(len(cases)):
        total = 0.0
        for name in network:
            family = network[name]
            mean = family.intercept + sum(
                coefficient * cases[parent][at]
                for coefficient, parent in zip(family.coefficients, family.parents, strict=True)
            )
            total += -0.5 * ((cases[name][at] - mean) / family.sd) ** 2
            total -= log(family.sd * np.sqrt(2 * np.pi))
        assert_allclose(found.per_case[at], total, rtol=1e-9, atol=1e-9)


def test_the_sum_counts_each_case_as_often_as_it_weighs():
    found = log_likelihood(NETWORK, flu_cases([0, 1], [0, 2], weights=np.array([2, 0.5])))
    per_case = [log(0.8 * 0.9), log(0.2 * 0.7)]
    assert_allclose(found.per_case, per_case)
    assert_allclose(found, 2 * per_case[0] + 0.5 * per_case[1])
    assert_allclose(found.average, found / 2.5)
    assert isinstance(found, float)


def test_an_impossible_case_makes_all_impossible_unless_it_weighs_nothing():
    impossible = flu_cases([0, 0], [2, 0])
    assert log_likelihood(NETWORK, impossible) == -np.inf
    assert log_likelihood(NETWORK, impossible).per_case[0] == -np.inf
    ignored = impossible.with_weights(np.array([0.0, 1.0]))
    assert_allclose(log_likelihood(NETWORK, ignored), log(0.72))


def test_no_case_has_likelihood_one():
    found = log_likelihood(NETWORK, flu_cases([], []))
    assert found == 0
    assert np.isnan(found.average)
    assert np.isnan(LogLikelihood(np.array([-1.0]), np.array([0.0])).average)


def test_long_data_are_taken_in_blocks():
    cases = tc.sample(NETWORK, 70_000, seed=1)
    found = log_likelihood(NETWORK, cases)
    tail = log_likelihood(NETWORK, cases.take(np.arange(65_000, 70_000)))
    assert_allclose(found.per_case[65_000:], tail.per_case)


def test_columns_the_network_does_not_name_do_not_matter():
    cases = flu_cases([0, 1], [0, 1])
    extra = Dataset(
        {**cases.variables, "Age": Continuous("Age")},
        {**cases.columns, "Age": np.array([np.nan, 1.0])},
    )
    assert log_likelihood(NETWORK, extra) == log_likelihood(NETWORK, cases)


def test_states_are_matched_by_name_not_by_place():
    turned = Discrete("Flu", ("yes", "no"))
    cases = Dataset(
        {"Flu": turned, "Cough": COUGH}, {"Flu": np.array([1, 0]), "Cough": np.array([0, 1])}
    )
    assert log_likelihood(NETWORK, cases) == log_likelihood(NETWORK, flu_cases([0, 1], [0, 1]))


def test_plain_columns_are_cases_too():
    found = log_likelihood(NETWORK, {"Flu": ["no", "yes"], "Cough": ["none", "wet"]})
    assert_allclose(found, log(0.72) + log(0.14))


def test_missing_cells_are_summed_out():
    found = log_likelihood(NETWORK, flu_cases([0, -1, -1], [0, 1, -1]))
    assert_allclose(found.per_case, [log(0.72), log(0.8 * 0.1 + 0.2 * 0.2), 0], atol=1e-12)
    column = log_likelihood(NETWORK, {"Cough": ["dry", "wet"]})
    assert_allclose(column.per_case, [log(0.12), log(0.14)])


def test_an_exact_function_has_infinite_density_where_it_holds():
    x = Continuous("X")
    exact = Network.of([LinearGaussian((x,), [], 2, 0)])
    assert log_likelihood(exact, Dataset({"X": x}, {"X": np.array([2.0])})) == np.inf
    assert log_likelihood(exact, Dataset({"X": x}, {"X": np.array([2.5])})) == -np.inf


def test_one_impossible_case_outweighs_infinite_densities():
    x, y = Continuous("X"), Continuous("Y")
    exact = Network.of([LinearGaussian((x,), [], 2, 0), LinearGaussian((y,), [], 3, 0)])
    columns = {"X": np.array([2.0, 2.0, 2.5]), "Y": np.array([3.0, 3.5, 3.0])}
    found = log_likelihood(exact, Dataset({"X": x, "Y": y}, columns))
    assert found.per_case.tolist() == [np.inf, -np.inf, -np.inf]
    assert found == found.average == -np.inf
