"""Every probability that is answered lies within [0, 1], and rows add up to 1, to the last digits.

No tolerance at the ends: what is 1.0000000000000002 is no probability, and breaks what others make
of it (square roots, logs of odds, checks of other packages).
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import questions
import strategies
import tacit as tc
from tacit.arrays import shares, shares_of_logs
from tacit.core.errors import ImpossibleError
from tacit.core.variables import Discrete

MASSES = st.lists(st.floats(0, 1e300, allow_subnormal=True), min_size=1, max_size=40)


def assert_shares(rows: np.ndarray) -> None:
    """Rows of probabilities, exactly within [0, 1], that add up to 1 to the last digits."""
    assert rows.min() >= 0
    assert rows.max() <= 1
    assert np.abs(rows.sum(axis=-1) - 1).max() <= 2e-16 * max(4, rows.shape[-1])


@given(MASSES.filter(any))
def test_shares_of_anything_are_probabilities(masses):
    told = np.array(masses) / 1e10  # so that their sum is a number
    assume(told.sum() > 0)
    assert_shares(shares(told[None]))
    with np.errstate(divide="ignore"):
        assert_shares(shares_of_logs(np.log(told)[None] - 1e6))


def test_rows_without_mass_stay_as_they_are():
    rows = np.array([[0.0, 0.0], [np.nan, np.nan], [3.0, 1.0]])
    np.testing.assert_array_equal(shares(rows), [[0, 0], [np.nan] * 2, [0.75, 0.25]])
    np.testing.assert_array_equal(
        shares_of_logs(np.array([[-np.inf, -np.inf], [0.0, -np.inf]])), [[np.nan] * 2, [1, 0]]
    )


@pytest.mark.parametrize("seed", range(8))
def test_predictions_of_many_cases_and_of_a_few_are_probabilities(seed):
    network = questions.random_network(seed, size=7, sure=0.3, most_states=4)
    cases = tc.sample(network, 300, seed=seed, missing=tc.AtRandom(0.5))
    few = cases.take(np.arange(3))
    for data in (cases, few):
        told = tc.predict(network, data)
        for name in network:
            assert_shares(told[name])


@given(st.data())
def test_predictions_of_every_kind_of_network_are_probabilities(data):
    network = data.draw(
        st.one_of(
            strategies.discrete_networks(most=4),
            strategies.noisy_networks("noisy-or"),
            strategies.shared_networks("tree-table"),
            strategies.mixed_networks(),
        )
    )
    cases = data.draw(strategies.cases_of(network, least=1, most=12, missing=True))
    told = tc.predict(network, cases)
    for name, variable in network.variables.items():
        if isinstance(variable, Discrete):
            rows = told[name]
            possible = rows[~np.isnan(rows[:, 0])]
            if len(possible):
                assert_shares(possible)


@given(st.data())
def test_answers_to_queries_are_probabilities(data):
    network = data.draw(
        st.one_of(strategies.discrete_networks(most=4), strategies.mixed_networks())
    )
    names = [name for name, each in network.variables.items() if isinstance(each, Discrete)]
    assume(names)
    wanted = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    rest = [name for name in names if name not in wanted]
    known = data.draw(st.lists(st.sampled_from(rest), unique=True)) if rest else []
    said = {each: data.draw(st.sampled_from(network.variables[each].states)) for each in known}
    try:
        answer = tc.query(network, wanted, given=said)
    except ImpossibleError:
        assume(False)
    assert_shares(answer.values.reshape(1, -1))
    held = data.draw(
        st.lists(st.sampled_from(network.variables[wanted[0]].states), min_size=1, unique=True)
    )
    inside = ", ".join(map(questions.word, held))
    text = f"P({questions.quoted(wanted[0])}={{{inside}}})"
    assert 0 <= float(tc.query(network, text, given=said)) <= 1


def test_all_states_together_are_certain_and_no_more():
    for seed in range(40):
        network = questions.random_network(seed, size=4, most_states=4)
        for name, variable in network.variables.items():
            every = ", ".join(variable.states)
            for given_ in ({}, {n: "a" for n in network if n != name}):
                assert float(tc.query(network, f"P({name}={{{every}}})", given=given_)) == 1
            if len(variable.states) > 2:
                some = ", ".join(variable.states[:-1])
                inside = float(tc.query(network, f"P({name}={{{some}}})"))
                last = float(tc.query(network, f"P({name}={variable.states[-1]})"))
                assert abs(inside + last - 1) <= 4e-16


@pytest.mark.parametrize("seed", range(20))
def test_estimates_by_weighted_samples_are_probabilities(seed):
    network = questions.random_network(seed, size=4, most_states=4)
    method = tc.LikelihoodWeighting(999, seed)
    answer = tc.query(network, ["V0", "V3"], given={"V1": "a"}, method=method)
    assert_shares(answer.values.reshape(1, -1))
    assert (
        float(
            tc.query(
                network,
                "P(V0={a, b, c, d})"
                if len(network.variables["V0"].states) == 4
                else "P(V0={a, b})",
                method=method,
            )
        )
        <= 1
    )


@given(strategies.mixed_networks(), st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_bounds_on_reals_are_asked_for_with_probabilities(network, one, other):
    name = next(n for n, each in network.variables.items() if not isinstance(each, Discrete))
    answer = tc.query(network, [name])
    low, high = sorted((one, other))
    below, above = answer.probability(name, below=low), answer.probability(name, above=low)
    between = answer.probability(name, above=low, below=high)
    over = answer.probability(name, above=high)
    for each in (below, above, between, over, answer.probability(name)):
        assert 0 <= each <= 1
    np.testing.assert_allclose(below + above, 1, rtol=1e-15)
    np.testing.assert_allclose(below + between + over, 1, rtol=1e-12)
