"""The most probable states, of everything and of some variables, against enumeration."""

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
from tacit.core.errors import ImpossibleError, QueryError, StateError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import table


def check(network: Network, of, said) -> None:
    meaning = questions.meaning(said)
    value = {each.name: each.value for each in said}
    found = tc.most_probable(network, of=of, given=value)
    names = list(found.states)
    top, best = naive.most_probable(network, names, meaning)
    codes = tuple(network.variables[name].states.index(found[name]) for name in names)
    assert codes in best
    assert_allclose(found.probability, top, rtol=1e-9)
    assert_allclose(found.log_probability, np.log(top), rtol=1e-9, atol=1e-9)


@given(st.data())
def test_states_of_everything_and_of_some_variables_are_the_enumerated_best(data):
    network = data.draw(strategies.discrete_networks(least=1, most=5))
    said = [each for each in data.draw(questions.findings(network)) if each.value is not None]
    said = list({each.name: each for each in said}.values())
    assume(naive.mass(network, questions.meaning(said)) > 0)
    check(network, None, said)
    known = {each.name for each in said if np.count_nonzero(each.likelihood) == 1}
    open_names = [name for name in network.dag.names if name not in known]
    assume(open_names)
    of = data.draw(st.lists(st.sampled_from(open_names), min_size=1, unique=True))
    check(network, of, said)


@pytest.mark.parametrize("seed", range(6))
def test_subsets_of_larger_networks_are_maximised_after_the_rest_is_summed_out(seed):
    network = questions.random_network(seed, size=8, most_states=2)
    names = list(network)
    check(network, [names[0], names[3], names[6]], [])
    check(network, [names[7], names[1]], [questions.Said("V4", "", "a", np.array([1.0, 0.0]))])


def test_the_best_of_each_variable_is_not_the_best_of_all_together():
    first, second = Discrete("First", ("a", "b")), Discrete("Second", ("x", "y", "z"))
    network = Network.of(
        [table(first, [], [0.4, 0.6]), table(second, [first], [[1, 0, 0], [0.3, 0.35, 0.35]])]
    )
    assert tc.query(network, "First")["b"] > 0.5
    together = tc.most_probable(network)
    assert dict(together.states) == {"First": "a", "Second": "x"}
    assert_allclose(together.probability, 0.4)
    assert dict(tc.most_probable(network, of=["First"]).states) == {"First": "b"}
    assert dict(tc.most_probable(network, of="Second").states) == {"Second": "x"}


def test_ties_go_to_the_state_listed_first():
    a, b = Discrete("A", ("x", "y", "z")), Discrete("B", ("u", "v"))
    network = Network.of([table(a, [], [1, 1, 1] / np.float64(3)), table(b, [a], [0.5] * 6)])
    assert dict(tc.most_probable(network).states) == {"A": "x", "B": "u"}


def test_a_finding_that_leaves_states_open_is_decided_too():
    a = Discrete("A", ("x", "y", "z"))
    network = Network.of([table(a, [], [0.5, 0.3, 0.2])])
    assert tc.most_probable(network, given={"A": {"y", "z"}})["A"] == "y"
    assert tc.most_probable(network, given={"A": {"x": 0.1, "z": 0.9}})["A"] == "z"
    assert tc.most_probable(network, of=["A"], given={"A": {"y", "z"}})["A"] == "y"
    known = tc.most_probable(network, given={"A": "y"})
    assert (dict(known.states), known.probability) == ({}, 1.0)


def test_what_cannot_be_asked():
    a, b = Discrete("A", ("x", "y")), Discrete("B", ("u", "v"))
    network = Network.of([table(a, [], [1.0, 0.0]), table(b, [a], [0.5] * 4)])
    with pytest.raises(QueryError, match="the network has no variable 'C'"):
        tc.most_probable(network, of=["C"])
    with pytest.raises(QueryError, match="'B' is asked for and given"):
        tc.most_probable(network, of=["B"], given={"B": "u"})
    with pytest.raises(QueryError, match="a variable is asked for twice: A, A"):
        tc.most_probable(network, of=["A", "A"])
    with pytest.raises(StateError, match="'A' has no state 'z'"):
        tc.most_probable(network, given={"A": "z"})
    with pytest.raises(ImpossibleError, match="holds this finding impossible: A=y"):
        tc.most_probable(network, given={"A": "y", "B": "u"})


def test_it_prints_as_a_table():
    a = Discrete("A b", ("x", "y"))
    said = str(tc.most_probable(Network.of([table(a, [], [0.25, 0.75])])))
    assert said.splitlines()[0] == "most probable, with probability 0.7500"
    assert said.splitlines()[-1].split() == ['"A', 'b"', "y"]
