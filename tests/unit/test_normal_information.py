"""Mutual information, joints and divergence where variables are continuous."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_mixed as naive
import tacit as tc
from mixed import gaussian_network, mixed_network


def of_normals(network: tc.Network, ones: list[str], others: list[str], found: dict) -> float:
    """½ log(|Σ₁| |Σ₂| / |Σ|), the covariances given what was found."""
    _, covariance = naive.real_posterior(network, [*ones, *others], found)
    first, size = len(ones), len(ones) + len(others)
    parts = [range(first), range(first, size), range(size)]
    logs = [np.linalg.slogdet(covariance[np.ix_(each, each)])[1] for each in parts]
    return 0.5 * float(logs[0] + logs[1] - logs[2])


@pytest.mark.parametrize("seed", range(4))
def test_normals_share_what_their_determinants_say(seed: int):
    network = gaussian_network(seed, 6)
    found = {"X3": 0.5}
    for ones, others in ((["X0"], ["X4"]), (["X0", "X2"], ["X1", "X4", "X5"])):
        ours = tc.mutual_information(network, ones, others, given=found)
        assert ours == pytest.approx(of_normals(network, ones, others, found), abs=1e-12)
        turned = tc.mutual_information(network, others, ones, given=found)
        assert turned == pytest.approx(ours, abs=1e-12)


@pytest.mark.parametrize(("one", "other"), [("A0", "X3"), ("X2", "A1"), ("X0", "X2"), ("A0", "A2")])
@pytest.mark.parametrize("seed", [0, 2])
def test_mixtures_share_what_a_fine_grid_says(seed: int, one: str, other: str):
    network, found = mixed_network(seed), {"X1": 0.3}
    ours = tc.mutual_information(network, one, other, given=found)
    assert ours == pytest.approx(naive.information(network, one, other, found), abs=2e-6)


def test_copies_share_without_end_and_separated_variables_nothing():
    x, y, z = (tc.Continuous(name) for name in "XYZ")
    network = tc.Network.of(
        [
            tc.LinearGaussian((x,), [], 0, 1),
            tc.LinearGaussian((x, y), [2], 1, 0),
            tc.LinearGaussian((z,), [], 0, 1),
        ]
    )
    assert tc.mutual_information(network, "X", "Y") == np.inf
    assert tc.mutual_information(network, "X", "Z") == 0
    assert tc.mutual_information(network, ["X", "Y"], "Z") == 0


def test_a_joint_normal_is_that_of_pgmpy():
    models = pytest.importorskip("pgmpy.models")
    factors = pytest.importorskip("pgmpy.factors.continuous")
    network = gaussian_network(1, 6)
    theirs = models.LinearGaussianBayesianNetwork(list(network.dag.arcs))
    theirs.add_nodes_from(list(network))
    for name in network:
        family = network[name]
        betas = [family.intercept, *family.coefficients]
        theirs.add_cpds(factors.LinearGaussianCPD(name, betas, family.sd, list(family.parents)))
    joint = tc.joint_normal(network)
    mean, covariance = theirs.to_joint_gaussian()
    order = [joint.names.index(name) for name in networkx.topological_sort(theirs)]
    assert_allclose(np.array(list(joint.mean.values()))[order], mean, atol=1e-10)
    assert_allclose(joint.covariance[np.ix_(order, order)], covariance, atol=1e-9)
    cases = tc.to_frame(tc.sample(network, 20, seed=1))[["X1", "X4"]]
    predicted = theirs.predict(cases)
    ours = tc.predict(network, cases)
    for name in ("X0", "X2", "X3", "X5"):
        assert_allclose(ours[name], predicted[name], atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_a_joint_of_reals_has_one_normal_for_each_configuration(seed: int):
    network = mixed_network(seed)
    joint = tc.joint_normal(network)
    mean, covariance = naive.real_posterior(network, list(joint.names), {})
    assert_allclose(list(joint.mean.values()), mean, atol=1e-10)
    assert_allclose(joint.covariance, covariance, atol=1e-9)
    assert joint.weights.sum() == pytest.approx(1)


def test_an_answer_about_states_and_values_lists_both():
    network = mixed_network(1)
    answer = tc.query(network, "P(A0, X0, X2 | X1=2)")
    frame = answer.to_frame()
    assert list(frame.columns) == ["A0", "probability", "mean(X0)", "sd(X0)", "mean(X2)", "sd(X2)"]
    assert_allclose(frame["probability"], naive.state_posterior(network, ["A0"], {"X1": 2.0}))
    for state, middle, spread in zip(frame["A0"], frame["mean(X2)"], frame["sd(X2)"], strict=True):
        mean, variance = naive.real_posterior(network, ["X2"], {"X1": 2.0, "A0": state})
        assert (middle, spread) == pytest.approx((mean[0], np.sqrt(variance[0, 0])))
    assert len(str(answer).splitlines()) == 2 + len(frame)


def test_a_probability_of_tables_has_a_sensitivity_beside_reals_below():
    network = mixed_network(2)
    tables = tc.Network.of([network[f"A{at}"] for at in range(3)])
    ours = tc.sensitivity(network, "P(A0=a | A2=b)")
    theirs = tc.sensitivity(tables, "P(A0=a | A2=b)")
    assert ours.value == pytest.approx(theirs.value)
    for name, slopes in ours.slopes.items():
        assert_allclose(slopes, theirs.slopes[name])
