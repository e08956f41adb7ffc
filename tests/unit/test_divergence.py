"""Exact joints, divergences, and what a score is worth in cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive
import strategies
from tacit.core.errors import NetworkError, OptionError, SizeError
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import table, uniform_table
from tacit.infer.divergence import divergence, equivalent_size
from tacit.infer.marginals import joint, joint_gaussian

A, B = Discrete("A", ("x", "y")), Discrete("B", ("p", "q", "r"))


@st.composite
def pairs(draw, zeros=False, same_dag=False):
    """Two networks over the same variables."""
    one = draw(strategies.discrete_networks(most=4, zeros=zeros))
    dag = one.dag if same_dag else draw(strategies.dags(len(one), len(one), parents=2))
    names = dict(zip(dag.names, one.dag.names, strict=True))
    other = Network.of(
        draw(
            strategies.tables(
                one.variables[names[name]],
                tuple(one.variables[names[parent]] for parent in dag.parents[name]),
                zeros,
            )
        )
        for name in dag.names
    )
    return one, other


@given(strategies.discrete_networks(most=5), st.data())
def test_a_joint_is_the_enumerated_one(network, data):
    names = data.draw(st.lists(st.sampled_from(list(network)), unique=True, min_size=1))
    found = joint(network, names)
    assert found.shape == tuple(len(network.variables[name].states) for name in names)
    assert_allclose(found.ravel(), list(naive.joint(network, names).values()), atol=1e-12)


@given(pairs(zeros=True))
def test_divergence_is_the_enumerated_one(networks):
    p, q = networks
    assert_allclose(divergence(p, q), naive.divergence(p, q), atol=1e-10)


@given(strategies.discrete_networks(most=4))
def test_divergence_from_itself_is_zero(network):
    assert divergence(network, network) == 0


@given(pairs(same_dag=True))
def test_each_family_adds_its_own_divergence(networks):
    p, q = networks
    found = divergence(p, q)
    assert_allclose(sum(found.families.values()), found)
    for name, part in found.families.items():
        weight = joint(p, (*p.dag.parents[name], name))
        terms = weight * (np.log(p[name].values) - np.log(q[name].values))
        assert_allclose(part, terms.sum(), atol=1e-10)
        assert part >= -1e-12


def test_what_q_rules_out_is_infinitely_far():
    p, q = Network.of([table(A, [], [0.5, 0.5])]), Network.of([table(A, [], [1, 0])])
    assert divergence(p, q) == np.inf
    assert_allclose(divergence(q, p), np.log(2))


def test_networks_about_other_things_cannot_be_compared():
    p = Network.of([table(A, [], [0.5, 0.5])])
    for q in (
        Network.of([uniform_table((B,))]),
        Network.of([table(Discrete("A", ("y", "x")), [], [0.5, 0.5])]),
        Network.of([table(A, [], [0.5, 0.5]), uniform_table((B,))]),
    ):
        with pytest.raises(NetworkError, match="the networks differ in their variables: "):
            divergence(p, q)


def test_tables_too_large_on_the_way_are_refused():
    parents = [Discrete(f"P{at}", tuple("abcdefgh")) for at in range(10)]
    hidden = Discrete("H", ("no", "yes"))
    network = Network.of(
        [uniform_table((hidden,)), *(uniform_table((hidden, parent)) for parent in parents)]
    )
    with pytest.raises(SizeError, match="needs a table of 2,147,483,648 cells on the way"):
        joint(network, [parent.name for parent in parents])


@given(strategies.gaussian_networks(most=4))
def test_a_gaussian_joint_follows_the_arcs(network):
    """Moments by the recursion of the regression, one variable after the other."""
    names, mean, covariance = joint_gaussian(network)
    place = {name: at for at, name in enumerate(names)}
    for name in names:
        family = network[name]
        above = [place[parent] for parent in family.parents]
        at = place[name]
        expected = family.intercept + family.coefficients @ mean[above]
        assert_allclose(mean[at], expected, atol=1e-9)
        for other in names[:at]:
            expected = family.coefficients @ covariance[above, place[other]]
            assert_allclose(covariance[at, place[other]], expected, atol=1e-9)
        inner = covariance[np.ix_(above, above)]
        own = family.coefficients @ inner @ family.coefficients + family.sd**2
        assert_allclose(covariance[at, at], own)
    assert_allclose(covariance, covariance.T)


def test_gaussian_divergence_has_a_textbook_value():
    """KL(N(m1, s1), N(m2, s2)) = ln(s2/s1) + (s1² + (m1-m2)²) / (2 s2²) - 1/2."""
    p = Network.of([LinearGaussian((Continuous("X"),), [], 1, 2)])
    q = Network.of([LinearGaussian((Continuous("X"),), [], 3, 5)])
    assert_allclose(divergence(p, q), np.log(5 / 2) + (4 + 4) / 50 - 0.5)
    assert divergence(p, p) == pytest.approx(0, abs=1e-12)


def test_gaussian_divergence_does_not_depend_on_the_direction_of_arcs():
    x, y = Continuous("X"), Continuous("Y")
    forward = Network.of([LinearGaussian((x,), [], 0, 1), LinearGaussian((x, y), [2.0], 0, 1)])
    backward = Network.of(
        [LinearGaussian((y,), [], 0, np.sqrt(5)), LinearGaussian((y, x), [0.4], 0, np.sqrt(0.2))]
    )
    assert divergence(forward, backward) == pytest.approx(0, abs=1e-12)
    assert divergence(backward, forward) == pytest.approx(0, abs=1e-12)


def test_gaussian_divergence_matches_an_average_over_samples():
    x, y = Continuous("X"), Continuous("Y")
    p = Network.of([LinearGaussian((x,), [], 1, 1), LinearGaussian((x, y), [2.0], 0, 1)])
    q = Network.of([LinearGaussian((x,), [], 0, 2), LinearGaussian((x, y), [1.0], 1, 1.5)])
    random = np.random.default_rng(8)
    columns = {}
    for name in p:
        columns[name] = p[name].sample([columns[w] for w in p[name].parents], 40_000, random)

    def logs(network):
        return sum(
            network[name].log_prob([columns[other] for other in (*network[name].parents, name)])
            for name in network
        )

    ratios = logs(p) - logs(q)
    assert abs(divergence(p, q) - ratios.mean()) < 4 * ratios.std() / 200


def test_mixed_and_exact_networks_have_no_divergence():
    mixed = Network.of([table(A, [], [0.5, 0.5]), LinearGaussian((Continuous("X"),), [], 0, 1)])
    with pytest.raises(NetworkError):
        divergence(mixed, mixed)
    exact = Network.of([LinearGaussian((Continuous("X"),), [], 0, 0)])
    with pytest.raises(NetworkError, match="sd 0 has no density"):
        divergence(exact, exact)


# --- equivalent sizes -----------------------------------------------------------------------


def test_a_size_on_the_curve_is_itself():
    sizes, scores = [10, 100, 1000], [-3.0, -2.0, -1.0]
    for size, score in zip(sizes, scores, strict=True):
        assert equivalent_size(sizes, scores, score) == pytest.approx(size)


def test_between_sizes_the_score_is_linear_in_their_logarithm():
    assert equivalent_size([10, 1000], [-3, -1], -2) == pytest.approx(100)


def test_the_curve_may_dip_and_may_never_arrive():
    assert equivalent_size([1, 10, 100], [-2, -3, -1], -2) == 1
    assert equivalent_size([1, 10, 100], [-2, -3, -1], -1) == 100
    assert np.isnan(equivalent_size([1, 10], [-2, -1], -0.5))
    assert equivalent_size([5, 10], [-2, -1], -9) == 5


def test_a_curve_that_starts_impossible_jumps():
    assert equivalent_size([1, 10, 100], [-np.inf, -2, -1], -2.5) == 10
    assert equivalent_size([1, 10, 100], [-np.inf, -2, -1], -1.5) == pytest.approx(10**1.5)


@pytest.mark.parametrize(
    ("sizes", "scores", "message"),
    [
        ([1, 2], [0.0], "a learning curve needs one score for each size"),
        ([], [], "a learning curve needs one score for each size"),
        ([2, 1], [0.0, 1.0], "the sizes of a learning curve must be positive and rise"),
        ([0, 1], [0.0, 1.0], "the sizes of a learning curve must be positive and rise"),
        ([1, 2], [0.0, np.nan], "a score of the learning curve is no number"),
    ],
)
def test_what_is_no_learning_curve(sizes, scores, message):
    with pytest.raises(OptionError) as caught:
        equivalent_size(sizes, scores, 0.5)
    assert str(caught.value) == message
