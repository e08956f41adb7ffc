"""Laws of probability that every answer obeys, whatever the network."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
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

networks = strategies.discrete_networks(least=2, most=5, zeros=False)


@st.composite
def asked(draw):
    """A network, two of its variables, and one more finding on a third if there is one."""
    network = draw(networks)
    one, other, *rest = draw(st.permutations(network.dag.names))
    given = {}
    if rest and draw(st.booleans()):
        given[rest[0]] = draw(st.sampled_from(network.variables[rest[0]].states))
    return network, one, other, given


@given(asked())
def test_a_joint_is_a_conditional_times_a_marginal(question):
    network, one, other, found = question
    joint = tc.query(network, [one, other], given=found).values
    marginal = tc.query(network, other, given=found).values
    assert_allclose(joint.sum(), 1)
    assert_allclose(joint.sum(axis=0), marginal, rtol=1e-9)
    for code, state in enumerate(network.variables[other].states):
        if marginal[code] > 0:
            conditional = tc.query(network, one, given={**found, other: state}).values
            assert_allclose(conditional * marginal[code], joint[:, code], rtol=1e-9, atol=1e-14)


@given(asked())
def test_the_order_of_targets_turns_the_axes_and_nothing_else(question):
    network, one, other, found = question
    ours = tc.query(network, [one, other], given=found).values
    turned = tc.query(network, [other, one], given=found).values
    assert_allclose(ours, turned.T, rtol=1e-12, atol=1e-15)


@given(asked())
def test_findings_that_say_nothing_change_nothing(question):
    network, one, other, found = question
    states = network.variables[other].states
    plain = tc.query(network, one, given=found).values
    for nothing in (set(states), dict.fromkeys(states, 0.3)):
        said = tc.query(network, one, given={**found, other: nothing}).values
        assert_allclose(said, plain, rtol=1e-9)


@given(asked(), st.floats(1e-6, 1e6))
def test_likelihoods_count_up_to_a_factor_and_certain_ones_are_states(question, factor):
    network, one, other, found = question
    states = network.variables[other].states
    soft = {state: float(at + 1) for at, state in enumerate(states)}
    scaled = {state: factor * value for state, value in soft.items()}
    assert_allclose(
        tc.query(network, one, given={**found, other: soft}).values,
        tc.query(network, one, given={**found, other: scaled}).values,
        rtol=1e-9,
    )
    certain = {state: float(at == 0) for at, state in enumerate(states)}
    assert_allclose(
        tc.query(network, one, given={**found, other: certain}).values,
        tc.query(network, one, given={**found, other: states[0]}).values,
        rtol=1e-9,
    )


@given(asked())
def test_separated_findings_change_nothing(question):
    network, one, other, found = question
    assume(tc.d_separated(network.dag, one, other, list(found)))
    for state in network.variables[other].states:
        assert_allclose(
            tc.query(network, one, given={**found, other: state}).values,
            tc.query(network, one, given=found).values,
            rtol=1e-9,
        )
    assert_allclose(tc.mutual_information(network, one, other, given=found), 0, atol=1e-12)


def turned(network: Network, seed: int) -> tuple[Network, dict[str, np.ndarray]]:
    """The network with the states of every variable in another order and under other names."""
    random = np.random.default_rng(seed)
    order = {n: random.permutation(len(v.states)) for n, v in network.variables.items()}
    variables = {
        name: Discrete(name, tuple(f"new {variable.states[at]}" for at in order[name]))
        for name, variable in network.variables.items()
    }
    families = []
    for name in network:
        family = network[name]
        axes = [order[axis] for axis in (*family.parents, name)]
        values = family.values[np.ix_(*axes)]
        families.append(Table(tuple(variables[a] for a in (*family.parents, name)), values))
    return Network.of(families), order


@given(asked(), st.integers(0, 1000))
def test_new_names_and_a_new_order_of_states_change_only_labels(question, seed):
    network, one, _, found = question
    other, order = turned(network, seed)
    ours = tc.query(network, one, given=found).values
    theirs = tc.query(other, one, given={n: f"new {state}" for n, state in found.items()}).values
    assert_allclose(theirs, ours[order[one]], rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_order_and_merging_of_cases_change_nothing_in_predictions(seed):
    network = questions.random_network(seed, size=6)
    cases = tc.sample(network, 60, seed=seed, missing=tc.AtRandom(0.3))
    order = np.random.default_rng(seed).permutation(60)
    ours, theirs = tc.predict(network, cases), tc.predict(network, cases.take(order))
    for name in network:
        assert_allclose(ours[name][order], theirs[name], rtol=1e-12)
    per_case = tc.log_likelihood(network, cases).per_case
    assert_allclose(tc.log_likelihood(network, cases.take(order)).per_case, per_case[order])
    matrix = np.stack([cases[name] for name in cases.names], axis=1)
    distinct, counts = np.unique(matrix, axis=0, return_counts=True)
    merged = Dataset(
        cases.variables,
        {name: distinct[:, at] for at, name in enumerate(cases.names)},
        counts.astype(float),
    )
    assert_allclose(
        float(tc.log_likelihood(network, merged)), float(tc.log_likelihood(network, cases))
    )


@pytest.mark.parametrize("seed", range(4))
def test_what_most_probable_says_is_what_a_query_of_it_says(seed):
    network = questions.random_network(seed, size=6)
    best = tc.most_probable(network, of=["V1", "V4"], given={"V5": "a"})
    joint = tc.query(network, ["V1", "V4"], given={"V5": "a"})
    assert_allclose(best.probability, joint.values.max(), rtol=1e-9)
    assert_allclose(joint[best["V1"], best["V4"]], best.probability, rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_probability_of_findings_is_the_likelihood_of_a_case(seed):
    network = questions.random_network(seed, size=5)
    case = {"V0": "a", "V3": "b"}
    found = float(tc.log_likelihood(network, {name: [state] for name, state in case.items()}))
    codes = {name: network.variables[name].states.index(state) for name, state in case.items()}
    assert_allclose(np.exp(found), naive.mass(network, naive.held(network, codes)), rtol=1e-10)
    joint = tc.query(network, "P(V0=a, V3=b)")
    assert_allclose(float(joint), np.exp(found), rtol=1e-10)
