"""Laws of `fit`, whatever the network and the cases."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import strategies
import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import Table

ESTIMATES = [tc.ML(), tc.Smoothed(), tc.PosteriorMean(), tc.MAP()]
PRIORS = [tc.BDeu(10), tc.K2(), tc.Dirichlet(1.5)]

estimates = st.sampled_from(ESTIMATES)


def prior_for(estimate):
    """MAP needs one case or more in each cell."""
    return tc.Dirichlet(1.5) if isinstance(estimate, tc.MAP) else tc.BDeu(3)


def parameters(family) -> np.ndarray:
    if isinstance(family, Table):
        return family.values
    return np.array([*family.coefficients, family.intercept, family.sd])


def close(ours: Network, theirs: Network, rtol: float = 1e-10) -> None:
    assert ours.dag == theirs.dag
    assert dict(ours.variables) == dict(theirs.variables)
    for name in ours:
        assert_allclose(parameters(ours[name]), parameters(theirs[name]), rtol=rtol, atol=1e-9)


@st.composite
def problems(draw, weighted=True, least=1, gaussian=True):
    """A network, and cases of its variables."""
    kinds = [strategies.discrete_networks(most=4)]
    if gaussian:
        kinds.append(strategies.gaussian_networks(most=4))
    network = draw(st.one_of(kinds))
    continuous = any(isinstance(v, Continuous) for v in network.variables.values())
    least = max(least, 8) if continuous else least
    return network, draw(strategies.cases_of(network, least=least, weighted=weighted))


@given(problems(), estimates)
def test_the_order_of_cases_changes_nothing(problem, estimate):
    network, cases = problem
    order = np.random.default_rng(1).permutation(len(cases))
    prior = prior_for(estimate)
    ours = tc.fit(network, cases, prior=prior, estimate=estimate)
    theirs = tc.fit(network, cases.take(order), prior=prior, estimate=estimate)
    close(ours.network, theirs.network)
    assert_allclose(ours.objective, theirs.objective, rtol=1e-10, atol=1e-9)


@given(problems(gaussian=False), st.data())
def test_new_labels_change_only_labels(problem, data):
    network, cases = problem
    new = {name: f"new {name}" for name in network.dag.names}
    variables = {
        new[name]: Discrete(new[name], tuple(f"state {at}" for at in range(len(old.states))))
        for name, old in network.variables.items()
    }
    dag = tc.Dag({new[name]: tuple(new[who] for who in network.dag.parents[name]) for name in new})
    renamed = Dataset(variables, {new[name]: cases[name] for name in new}, cases.weights)
    estimate = data.draw(estimates)
    prior = prior_for(estimate)
    ours = tc.fit(network.dag, cases, prior=prior, estimate=estimate)
    theirs = tc.fit(dag, renamed, prior=prior, estimate=estimate)
    for name in network:
        assert_array_equal(ours.network[name].values, theirs.network[new[name]].values)
    assert_allclose(ours.objective, theirs.objective, rtol=1e-12)


@given(problems(gaussian=False), st.data())
def test_states_in_another_order_move_their_cells(problem, data):
    network, cases = problem
    name = data.draw(st.sampled_from(list(network)))
    old = network.variables[name]
    order = list(data.draw(st.permutations(range(len(old.states)))))
    turned = Discrete(name, tuple(old.states[at] for at in order))
    place = np.argsort(order)
    columns = {**cases.columns, name: place[cases[name]] if len(cases) else cases[name]}
    other = Dataset({**cases.variables, name: turned}, columns, cases.weights)
    ours, theirs = tc.fit(network.dag, cases), tc.fit(network.dag, other)
    for each in network:
        values = ours.network[each].values
        for at, axis in enumerate((*network.dag.parents[each], each)):
            if axis == name:
                values = np.take(values, order, axis=at)
        assert_allclose(theirs.network[each].values, values, rtol=1e-12)


@given(problems(weighted=False), st.data(), estimates)
def test_a_weight_counts_as_repeated_cases(problem, data, estimate):
    network, cases = problem
    repeats = np.random.default_rng(2).integers(0, 4, len(cases))
    repeats[0] = 3
    if not all(isinstance(v, Discrete) for v in network.variables.values()):
        repeats = repeats + 1
    repeated = cases.take(np.repeat(np.arange(len(cases)), repeats))
    prior = prior_for(estimate)
    ours = tc.fit(
        network, cases.with_weights(repeats.astype(float)), prior=prior, estimate=estimate
    )
    theirs = tc.fit(network, repeated, prior=prior, estimate=estimate)
    close(ours.network, theirs.network, rtol=1e-8)
    assert ours.cases.weight == theirs.cases.weight == repeats.sum()


@given(problems(weighted=False, gaussian=False))
def test_a_case_of_weight_zero_is_no_case(problem):
    network, cases = problem
    doubled = cases.take(np.concatenate([np.arange(len(cases)), np.arange(len(cases))]))
    weights = np.concatenate([np.ones(len(cases)), np.zeros(len(cases))])
    ours = tc.fit(network, doubled.with_weights(weights))
    assert ours.network == tc.fit(network, cases).network


@given(problems(gaussian=False))
def test_a_prior_of_strength_zero_is_maximum_likelihood(problem):
    network, cases = problem
    ours = tc.fit(network, cases, prior=tc.BDeu(0))
    theirs = tc.fit(network, cases, estimate=tc.ML())
    close(ours.network, theirs.network, rtol=1e-12)
    assert_allclose(ours.objective, theirs.objective, rtol=1e-12, atol=1e-12)
    assert ours.log_marginal_likelihood is None


@given(problems(gaussian=False), st.floats(0.1, 100))
def test_a_prior_is_worth_as_many_cases_as_it_says(problem, strength):
    """Prior.like(network, n) adds what n cases drawn from the network would on average."""
    network, cases = problem
    ours = tc.fit(network, cases, prior=tc.Prior.like(network, strength))
    for name in network:
        assert_allclose(ours.pseudo[name].sum(), strength, rtol=1e-9)
    strong = tc.fit(network, cases, prior=tc.Prior.like(network, 1e12))
    for name in network:
        rows = strong.pseudo[name].sum(axis=-1) > 1e6
        assert_allclose(strong.network[name].values[rows], network[name].values[rows], atol=1e-3)


@given(problems(gaussian=False), estimates)
def test_the_objective_is_the_evidence_against_the_network(problem, estimate):
    network, cases = problem
    fit = tc.fit(network, cases, prior=prior_for(estimate), estimate=estimate)
    total = 0.0
    for name in fit.network:
        evidence = fit.evidence[name].values + estimate.pseudo(fit.pseudo[name])
        theta = fit.network[name].values
        total += sum(
            float(n * np.log(t)) for n, t in zip(evidence.flat, theta.flat, strict=True) if n
        )
    assert_allclose(fit.objective, total, rtol=1e-9, atol=1e-9)
    assert fit.trace == (fit.objective,)


def test_the_objective_is_a_number_even_at_the_edge():
    """N + alpha = 1 puts a cell at 0 although a case (of half a weight) was there."""
    coin = Discrete("Coin", ("tails", "heads"))
    cases = Dataset({"Coin": coin}, {"Coin": np.array([0, 1])}, weights=np.array([0.5, 3]))
    fit = tc.fit("Coin", cases, prior=tc.Jeffreys(), estimate=tc.MAP())
    assert fit.network["Coin"].values.tolist() == [0, 1]
    assert fit.objective == 0
    assert fit.log_likelihood == -np.inf


@given(problems())
def test_one_seed_and_any_threads_give_the_same_bits(problem):
    network, cases = problem
    fits = [tc.fit(network, cases, seed=1, threads=threads) for threads in (1, 2, None)]
    assert fits[0].network == fits[1].network == fits[2].network
    assert fits[0].objective == fits[1].objective == fits[2].objective


@given(problems(), estimates)
def test_a_saved_fit_comes_back_whole(problem, estimate):
    network, cases = problem
    fit = tc.fit(network, cases, prior=prior_for(estimate), estimate=estimate, seed=3)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("fit.json", "fit.json.gz"):
            path = Path(folder) / name
            fit.save(path)
            again = tc.load_fit(path)
            assert again.network == fit.network
            for field in ("objective", "trace", "stop", "seed", "notes", "log_likelihood",
                          "log_marginal_likelihood", "cases", "cases_used"):  # fmt: skip
                assert getattr(again, field) == getattr(fit, field), field
            assert dict(again.settings) == dict(fit.settings)
            for each in network:
                assert_array_equal(fit.intervals[each].lower, again.intervals[each].lower)
            assert dict(again.empty_rows) == dict(fit.empty_rows)
            assert str(again) == str(fit)


@pytest.mark.parametrize("policy", ["nan", "zeros"])
def test_rows_left_open_survive_saving_as_json(tmp_path, policy):
    a, b = Discrete("A", ("x", "y")), Discrete("B", ("x", "y"))
    cases = Dataset({"A": a, "B": b}, {"A": np.array([0, 0]), "B": np.array([0, 1])})
    fit = tc.fit("A -> B", cases, estimate=tc.ML(empty=policy))
    fit.save(tmp_path / "fit.json")

    def no_constants(text: str) -> None:
        raise AssertionError(f"{text} is no JSON")

    json.loads((tmp_path / "fit.json").read_text(), parse_constant=no_constants)
    assert tc.load_fit(tmp_path / "fit.json").network == fit.network


@given(problems(gaussian=False))
def test_batches_add(problem):
    network, cases = problem
    middle = len(cases) // 2
    first, second = cases.take(np.arange(middle)), cases.take(np.arange(middle, len(cases)))
    together = tc.Statistics(network).update(first).update(second)
    close(tc.fit(network, together).network, tc.fit(network, cases).network)


@given(problems(gaussian=False, weighted=False))
def test_available_cases_of_complete_data_are_all_cases(problem):
    network, cases = problem
    ours = tc.fit(network, cases, method=tc.AvailableCases())
    assert ours.network == tc.fit(network, cases).network


@given(st.data())
def test_available_cases_count_each_family_on_the_cases_complete_in_it(data):
    network = data.draw(strategies.discrete_networks(most=4))
    cases = data.draw(strategies.cases_of(network, missing=True, weighted=True))
    fit = tc.fit(network, cases, method=tc.AvailableCases())
    for name in network:
        axes = (*network.dag.parents[name], name)
        whole = np.all([cases[axis] >= 0 for axis in axes], axis=0)
        family = tc.Dag({axis: network.dag.parents[name] if axis == name else () for axis in axes})
        complete = cases.take(np.flatnonzero(whole)).select(axes)
        alone = tc.fit(family, complete)
        assert_allclose(alone.evidence[name].values, fit.evidence[name].values, rtol=1e-12)
        assert_allclose(alone.network[name].values, fit.network[name].values, rtol=1e-12)


@given(problems(gaussian=False))
def test_the_structure_may_be_a_dag_its_text_or_a_network(problem):
    network, cases = problem
    fits = [tc.fit(each, cases) for each in (network, network.dag, str(network.dag))]
    assert fits[0].network == fits[1].network == fits[2].network


def test_least_squares_in_a_network():
    x, y = Continuous("X"), Continuous("Y")
    truth = Network.of([LinearGaussian((x,), [], 2, 1), LinearGaussian((x, y), [3.0], -1, 0.5)])
    cases = tc.sample(truth, 5000, seed=1)
    fit = tc.fit(truth, cases, level=0.9999, estimate=tc.ML())
    line = fit.network["Y"]
    slope, level = np.polyfit(cases["X"], cases["Y"], 1)
    assert_allclose(line.coefficients, [slope], rtol=1e-9)
    assert_allclose(line.intercept, level, rtol=1e-9)
    interval = fit.intervals["Y"]
    assert (interval.lower < [3, -1, 0.5]).all()
    assert (interval.upper > [3, -1, 0.5]).all()
    assert_allclose(fit.log_likelihood, tc.log_likelihood(fit.network, cases), rtol=1e-9)
    assert fit.log_marginal_likelihood is None
