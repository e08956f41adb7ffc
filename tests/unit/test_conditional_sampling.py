"""Cases drawn given findings have the posterior as their distribution."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare

import naive_inference as naive
import questions
import tacit as tc
from tacit.core.errors import ImpossibleError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import table

CASES = 20_000


def p_value(network: Network, given, meaning, seed: int) -> float:
    """Of a chi-square test of all joint states against the enumerated posterior."""
    drawn = tc.sample(network, CASES, given=given, seed=seed)
    names = list(network)
    expected = naive.posterior(network, names, meaning)
    counts = np.zeros(expected.shape)
    np.add.at(counts, tuple(drawn[name] for name in names), 1)
    possible = expected > 0
    assert counts[~possible].sum() == 0
    order = np.argsort(expected[possible])
    lumped = np.minimum(np.cumsum(expected[possible][order]) * CASES // 10, CASES)
    groups = np.unique(lumped, return_inverse=True)[1]  # at least ten expected cases a group
    seen = np.bincount(groups, counts[possible][order])
    wanted = np.bincount(groups, expected[possible][order]) * CASES
    return (
        float(chisquare(seen, wanted * seen.sum() / wanted.sum()).pvalue) if seen.size > 1 else 1.0
    )


@pytest.mark.parametrize("seed", range(5))
def test_joint_states_are_drawn_as_often_as_the_posterior_says(seed):
    network = questions.random_network(seed, size=4, sure=0.2 * (seed % 2))
    names = list(network)
    soft = np.array([0.2, 0.9, 0.5])[: len(network.variables[names[1]].states)]
    states = network.variables[names[1]].states
    assert (
        p_value(
            network,
            {names[-1]: "a"},
            {names[-1]: naive.held(network, {names[-1]: 0})[names[-1]]},
            seed,
        )
        > 1e-3
    )
    given = {names[1]: dict(zip(states, map(float, soft), strict=True))}
    assert p_value(network, given, {names[1]: soft}, seed) > 1e-3


def test_findings_hold_in_every_case():
    network = questions.random_network(7, size=6)
    drawn = tc.sample(network, 500, given={"V0": "b", "V5": {"a", "b"}}, seed=1)
    assert (drawn["V0"] == 1).all()
    assert (drawn["V5"] < 2).all()
    assert drawn.names == network.dag.names


def test_no_findings_are_the_forward_draw_and_seeds_repeat():
    network = questions.random_network(8, size=5)
    plain, empty = tc.sample(network, 50, seed=3), tc.sample(network, 50, given={}, seed=3)
    again = tc.sample(network, 50, given={"V2": "a"}, seed=3)
    other = tc.sample(network, 50, given={"V2": "a"}, seed=3)
    for name in network:
        assert_array_equal(plain[name], empty[name])
        assert_array_equal(again[name], other[name])


def test_a_class_of_a_thousand_features_is_sampled():
    kind = Discrete("Kind", ("a", "b"))
    families = [table(kind, [], [0.5, 0.5])]
    for number in range(1100):
        feature = Discrete(f"F{number}", ("no", "yes"))
        families.append(table(feature, [kind], [[0.6, 0.4], [0.4, 0.6]]))
    network = Network.of(families)
    given = {f"F{number}": ("no", "yes")[number % 2] for number in range(1100)}
    drawn = tc.sample(network, 2000, given=given, seed=1)
    assert_allclose(drawn["Kind"].mean(), 0.5, atol=0.04)


def test_gaps_can_be_made_in_cases_drawn_given_findings():
    network = questions.random_network(9, size=4)
    drawn = tc.sample(network, 200, given={"V0": "a"}, seed=1, missing=tc.AtRandom(0.3))
    assert 0.2 < np.mean([drawn[name] < 0 for name in network]) < 0.4


def test_impossible_findings_are_refused():
    a = Discrete("A", ("x", "y"))
    with pytest.raises(ImpossibleError, match="holds this finding impossible: A=y"):
        tc.sample(Network.of([table(a, [], [1.0, 0.0])]), 5, given={"A": "y"})
