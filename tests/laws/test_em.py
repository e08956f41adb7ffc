"""Laws of EM: it never falls, and nothing depends on what does not matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_inference as naive
import questions
import strategies
import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table
from tacit.learn.expectation import at, plain_step, squarem_step
from tacit.learn.incomplete import Incomplete, problem_of
from tacit.learn.starts import start_parameters

ESTIMATES = [tc.ML(), tc.Smoothed(), tc.MAP()]
PRIOR = tc.Dirichlet(1.3)


def rising(trace) -> bool:
    """No step lowers the objective, but for the rounding of sums."""
    here = np.array(trace)
    return bool((np.diff(here) >= -1e-9 * np.maximum(1, np.abs(here[1:]))).all())


def objective_of(fit: tc.Fit, estimate, cases: Dataset) -> float:
    """Computed anew: the log-likelihood of the returned network plus its prior's term."""
    pseudo = {name: estimate.pseudo(fit.pseudo[name]) for name in fit.network}
    tables = naive.tables_of(fit.network)
    return float(tc.log_likelihood(fit.network, cases)) + naive.prior_term(tables, pseudo)


@settings(max_examples=20)
@given(st.data())
@pytest.mark.parametrize("estimate", ESTIMATES, ids=lambda each: each.describe())
@pytest.mark.parametrize("accelerate", [False, True])
def test_no_step_lowers_the_objective_and_the_last_is_that_of_the_network(
    estimate, accelerate, data
):
    network = data.draw(strategies.discrete_networks(least=2, most=4))
    cases = data.draw(strategies.cases_of(network, least=1, missing=True, weighted=True))
    method = tc.EM(accelerate=accelerate, max_steps=40, restarts=2)
    fit = tc.fit(network, cases, prior=PRIOR, estimate=estimate, method=method, seed=1)
    for run in fit.runs:
        assert rising(run.trace)
    assert_allclose(fit.objective, objective_of(fit, estimate, cases), rtol=1e-9, atol=1e-9)
    assert_allclose(fit.objective, fit.trace[-1], rtol=1e-12)
    assert_allclose(fit.log_likelihood, float(tc.log_likelihood(fit.network, cases)), atol=1e-8)


@pytest.mark.parametrize("estimate", ESTIMATES, ids=lambda each: each.describe())
@pytest.mark.parametrize("accelerate", [False, True])
def test_no_step_lowers_the_objective_with_hidden_variables(estimate, accelerate):
    truth = questions.random_network(3, size=6)
    cases = tc.sample(truth, 200, seed=3, missing=tc.AtRandom(0.1))
    cases = cases.select([name for name in cases.names if name not in ("V0", "V2")])
    fit = tc.fit(
        truth, cases, hidden="rest", prior=PRIOR, estimate=estimate, seed=2,
        method=tc.EM(accelerate=accelerate, restarts=3, max_steps=100),
    )  # fmt: skip
    assert all(rising(run.trace) for run in fit.runs)
    assert_allclose(fit.objective, objective_of(fit, estimate, cases), rtol=1e-9)


@pytest.mark.parametrize("estimate", ESTIMATES, ids=lambda each: each.describe())
@pytest.mark.parametrize("step", [plain_step, squarem_step])
@pytest.mark.parametrize("seed", range(4))
def test_no_single_step_lowers_the_objective_from_anywhere(seed, step, estimate):
    """Step by step: the loop that keeps the trace would not take a step down."""
    truth = questions.random_network(seed, size=6)
    cases = tc.sample(truth, 60, seed=seed, missing=tc.AtRandom(0.2))
    cases = cases.select([name for name in cases.names if name != "V1"])
    families = {n: truth[n].variables for n in truth}
    alpha = {name: np.full(truth[name].values.shape, 1.3) for name in truth}
    given = Incomplete(truth.dag, cases, families, ("V1",), (), alpha)
    problem = problem_of(given, estimate, "auto", 1)
    random = np.random.default_rng(seed)
    for start in range(3):
        theta = start_parameters(
            problem.layout,
            problem.expected.known,
            (problem.layout.places["V1"],),
            random,
            not start,
        )
        here = at(problem, theta)
        for _ in range(25):
            after = step(problem, here)
            assert after.objective >= here.objective - 1e-10 * abs(here.objective)
            here = after


@settings(max_examples=20)
@given(st.data())
def test_complete_cases_are_counted_whatever_the_method(data):
    network = data.draw(strategies.discrete_networks(least=1, most=4))
    cases = data.draw(strategies.cases_of(network, least=1, weighted=True))
    counted = tc.fit(network, cases)
    for method in (tc.EM(), tc.Gradient(), tc.FillIn(), tc.AvailableCases()):
        fit = tc.fit(network, cases, method=method)
        assert fit.objective == counted.objective
        for name in network:
            assert (fit.network[name].values == counted.network[name].values).all()


@pytest.mark.parametrize("seed", range(4))
def test_a_second_step_on_complete_families_changes_nothing(seed):
    """EM on complete cases is counting: one step, and there it stays."""
    network = questions.random_network(seed, size=5)
    cases = tc.sample(network, 50, seed=seed)
    singles = [(name,) for name in network]
    fit = tc.fit(network, cases, tied=singles, estimate=tc.ML(), method=tc.EM(max_steps=3))
    counted = tc.fit(network, cases, estimate=tc.ML())
    assert_allclose(fit.trace[1:], counted.objective, rtol=1e-12)
    for name in network:
        assert_allclose(fit.network[name].values, counted.network[name].values, atol=1e-12)


def example(seed: int) -> tuple[Network, Dataset]:
    network = questions.random_network(seed, size=5)
    return network, tc.sample(network, 80, seed=seed, missing=tc.AtRandom(0.25))


METHOD = tc.EM(accelerate=False, tolerance=0, max_steps=25)


def assert_close(one: tc.Fit, other: tc.Fit, order=None) -> None:
    assert_allclose(one.trace, other.trace, rtol=1e-10)
    for name in one.network:
        ours, theirs = one.network[name].values, other.network[name].values
        if order is not None:
            ours = ours[np.ix_(*(order[a] for a in (*one.network[name].parents, name)))]
        assert_allclose(ours, theirs, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("accelerate", [False, True])
def test_the_order_of_cases_changes_nothing(seed, accelerate):
    network, cases = example(seed)
    order = np.random.default_rng(seed).permutation(len(cases))
    method = tc.EM() if accelerate else METHOD
    assert_close(
        tc.fit(network, cases, method=method, seed=1),
        tc.fit(network, cases.take(order), method=method, seed=1),
    )


@pytest.mark.parametrize("seed", range(3))
def test_equal_cases_may_be_merged_into_weights(seed):
    network, cases = example(seed)
    cases = cases.take(np.random.default_rng(seed).integers(0, 80, 300))
    matrix = np.stack([cases[name] for name in cases.names], axis=1)
    distinct, counts = np.unique(matrix, axis=0, return_counts=True)
    merged = Dataset(
        cases.variables,
        {name: distinct[:, at] for at, name in enumerate(cases.names)},
        counts.astype(float),
    )
    for strategy in ("contexts", "trees"):
        method = tc.EM(accelerate=False, tolerance=0, max_steps=25, strategy=strategy)
        assert_close(
            tc.fit(network, cases, method=method, seed=1),
            tc.fit(network, merged, method=method, seed=1),
        )


@pytest.mark.parametrize("seed", range(3))
def test_new_names_and_a_new_order_of_states_change_only_labels(seed):
    network, cases = example(seed)
    random = np.random.default_rng(seed)
    order = {n: random.permutation(len(v.states)) for n, v in network.variables.items()}
    variables = {
        name: Discrete(name, tuple(f"{variable.states[at]}'" for at in order[name]))
        for name, variable in network.variables.items()
    }
    families, columns = [], {}
    for name in network:
        axes = (*network[name].parents, name)
        values = network[name].values[np.ix_(*(order[axis] for axis in axes))]
        families.append(Table(tuple(variables[axis] for axis in axes), values))
    for name in cases.names:
        place = np.append(np.argsort(order[name]), -1)  # the last is for missing cells
        columns[name] = place[cases[name]]
    turned = Dataset({name: variables[name] for name in cases.names}, columns)
    assert_close(
        tc.fit(network, cases, method=METHOD, seed=1),
        tc.fit(Network.of(families), turned, method=METHOD, seed=1),
        order,
    )


@pytest.mark.parametrize("seed", range(3))
def test_weights_scale_the_evidence(seed):
    network, cases = example(seed)
    doubled = cases.with_weights(np.full(len(cases), 2.0))
    one = tc.fit(network, cases, estimate=tc.ML(), method=METHOD, seed=1, start="given")
    two = tc.fit(network, doubled, estimate=tc.ML(), method=METHOD, seed=1, start="given")
    assert_allclose(2 * np.array(one.trace), two.trace, rtol=1e-10)
    for name in network:
        assert_allclose(one.network[name].values, two.network[name].values, atol=1e-10)
        assert_allclose(2 * one.evidence[name].values, two.evidence[name].values, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_cases_of_gaps_alone_and_of_no_weight_add_nothing_to_the_likelihood(seed):
    network, cases = example(seed)
    nothing = Dataset(cases.variables, {n: np.append(cases[n], -1) for n in cases.names})
    weightless = Dataset(
        cases.variables,
        {n: np.append(cases[n], 0) for n in cases.names},
        np.append(np.ones(len(cases)), 0.0),
    )
    one = tc.fit(network, cases, estimate=tc.ML(), method=METHOD, start="given")
    for other in (nothing, weightless):
        two = tc.fit(network, other, estimate=tc.ML(), method=METHOD, start="given")
        assert_allclose(one.trace[0], two.trace[0], rtol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_expected_counts_of_a_fit_add_up_to_its_cases(seed):
    network, cases = example(seed)
    fit = tc.fit(network, cases)
    for name in network:
        assert_allclose(fit.evidence[name].values.sum(), len(cases), rtol=1e-9)
        known, expected = fit.known[name].values, fit.evidence[name].values
        assert (known <= expected + 1e-9).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_fitted_maximum_is_a_fixed_point(seed):
    network, cases = example(seed)
    fit = tc.fit(network, cases, method=tc.EM(tolerance=1e-15))
    again = tc.fit(fit.network, cases, start="given", method=tc.EM(accelerate=False, max_steps=1))
    assert_allclose(again.objective, fit.objective, rtol=1e-9)
    for name in network:
        assert_allclose(again.network[name].values, fit.network[name].values, atol=1e-4)


@pytest.mark.parametrize("seed", range(2))
def test_more_information_about_a_cell_never_makes_cases_more_likely(seed):
    """log P(observed) falls when more is observed: the fit of fewer cells is no lower."""
    network, cases = example(seed)
    fuller = tc.sample(network, 80, seed=seed)
    assert float(tc.log_likelihood(network, fuller)) <= float(tc.log_likelihood(network, cases))
