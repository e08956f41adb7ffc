"""Expected moments and counts of incomplete cases, against joint normals written out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_mixed
import tacit as tc
from mixed import found_in, gaussian_network, mixed_network
from tacit.engines import completed
from tacit.engines.completed import complete
from tacit.engines.normal_expected import NormalExpectation

NETWORKS = [gaussian_network(0, 5), gaussian_network(2, 6, 0.8), mixed_network(1), mixed_network(3)]


def naive_sums(network: tc.Network, data: tc.Dataset) -> tuple[dict, float]:
    total, mass = {name: {} for name in network}, 0.0
    weights = np.ones(len(data)) if data.weights is None else data.weights
    for case, weight in enumerate(weights):
        found = found_in(network, data, case)
        mass += weight * naive_mixed.mass(network, found)
        for name, sums in naive_mixed.expected_sums(network, found).items():
            for at, parts in sums.items():
                before = total[name].get(at, (0.0, 0.0, 0.0))
                total[name][at] = tuple(a + weight * b for a, b in zip(before, parts, strict=True))
    return total, mass


def assert_same(evidence: object, sums: dict) -> None:
    for at, (weight, first, second) in sums.items():
        if isinstance(evidence, tc.Counts):
            assert_allclose(evidence.values[at], weight, atol=1e-10)
            continue
        held = evidence
        if hasattr(evidence, "weights"):
            held = evidence.at(int(np.ravel_multi_index(at, evidence.shape)))
        assert_allclose(held.weight, weight, atol=1e-10)
        assert_allclose(held.weight * held.means, first, atol=1e-9)
        square = held.scatter + held.weight * np.outer(held.means, held.means)
        assert_allclose(square, second, atol=1e-8)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("weighted", [False, True])
def test_expected_statistics_are_sums_over_joint_normals(network, weighted):
    data = tc.sample(network, 25, seed=4, missing=tc.AtRandom(0.4))
    if weighted:
        data = data.with_weights(np.random.default_rng(1).uniform(0, 3, len(data)))
    found = NormalExpectation.of(network, data).run(network)
    sums, mass = naive_sums(network, data)
    assert_allclose(found.log_likelihood, mass)
    for name in network:
        assert_same(found.evidence[name], sums[name])


def test_variables_without_a_column_are_expected_too():
    network = mixed_network(5)
    whole = tc.sample(network, 15, seed=2, missing=tc.AtRandom(0.2))
    data = whole.select([name for name in whole.names if name not in ("A0", "X1")])
    found = NormalExpectation.of(network, data).run(network)
    sums, mass = naive_sums(network, data)
    assert_allclose(found.log_likelihood, mass)
    for name in network:
        assert_same(found.evidence[name], sums[name])


def test_expected_moments_of_complete_cases_are_their_moments():
    network = mixed_network(1)
    data = tc.sample(network, 200, seed=3)
    found = NormalExpectation.of(network, data).run(network)
    for name, held in tc.fit(network, data).evidence.items():
        for part in ("values", "weights", "means", "scatter"):
            if hasattr(held, part):
                assert_allclose(getattr(found.evidence[name], part), getattr(held, part))


@pytest.mark.parametrize("seed", range(4))
def test_completed_cases_give_the_moments_of_any_family(seed):
    network = mixed_network(seed) if seed % 2 else gaussian_network(seed, 5)
    data = tc.sample(network, 60, seed=seed, missing=tc.AtRandom(0.3))
    data = data.with_weights(np.random.default_rng(seed).uniform(0, 2, 60))
    hidden = ("A0", "X1") if seed == 3 else ()
    data = data.select([name for name in data.names if name not in hidden])
    expected, found = NormalExpectation.of(network, data).run(network), complete(network, data)
    assert_allclose(np.bincount(found.split.case, found.split.share), 1)
    for name in network:
        held, axes = expected.evidence[name], network[name].variables
        if isinstance(axes[-1], tc.Discrete):
            assert_allclose(found.counts(axes).values, held.values, atol=1e-9)
            continue
        own = found.moments(axes)
        weights = [np.array(getattr(e, "weights", getattr(e, "weight", 0))) for e in (own, held)]
        assert_allclose(*weights, atol=1e-9)
        sums = (w[..., None] * e.means for w, e in zip(weights, (own, held), strict=True))
        assert_allclose(*sums, atol=1e-9)
        assert_allclose(own.scatter, held.scatter, atol=1e-8)


@pytest.mark.parametrize("seed", [1, 3, 5])
def test_completed_cases_give_what_every_completion_gives_of_families_the_network_lacks(seed):
    """The joint normal of every configuration of all states, written out, is the oracle."""
    network = mixed_network(seed)
    data = tc.sample(network, 20, seed=seed, missing=tc.AtRandom(0.35))
    if seed == 5:
        data = data.select([name for name in data.names if name not in ("A1", "X0")])
    found, random = complete(network, data), np.random.default_rng(seed)
    for _ in range(4):
        discrete = [n for n in network if n.startswith("A")]
        reals = random.permutation([n for n in network if n.startswith("X")]).tolist()[:3]
        axes = random.permutation(discrete).tolist()[: random.integers(1, 3)] + reals
        sums = {}
        for case in range(len(data)):
            own = naive_mixed.expected_family(network, found_in(network, data, case), axes)
            for at, parts in own.items():
                before = sums.get(at, (0.0, 0.0, 0.0))
                sums[at] = tuple(a + b for a, b in zip(before, parts, strict=True))
        assert_same(found.moments([network.variables[name] for name in axes]), sums)


def test_the_joint_moments_hold_those_of_families_the_network_lacks():
    network = gaussian_network(7, 4, 0.5)
    data = tc.sample(network, 40, seed=1, missing=tc.AtRandom(0.4))
    found = complete(network, data)
    joint, second = found.joint(), np.zeros((4, 4))
    for case in range(len(data)):
        given = found_in(network, data, case)
        mean, covariance = naive_mixed.real_posterior(
            network, [n for n in found.names if n not in given], given
        )
        z = np.array([given.get(name, np.nan) for name in found.names], dtype=float)
        gaps = np.isnan(z)
        z[gaps] = mean
        second += np.outer(z, z)
        second[np.ix_(gaps, gaps)] += covariance
    assert_allclose(joint.scatter + joint.weight * np.outer(joint.means, joint.means), second)
    backwards = found.moments([network.variables[n] for n in reversed(found.names)])
    assert_allclose(backwards.scatter[::-1, ::-1], joint.scatter)


@pytest.mark.parametrize("seed", [1, 3])
def test_pieces_that_are_cut_apart_give_the_same_moments(seed, monkeypatch):
    """Cells of large pieces are set in every way, one after the other: exact as before."""
    network = mixed_network(seed)
    data = tc.sample(network, 30, seed=seed, missing=tc.AtRandom(0.5))
    whole = complete(network, data)
    monkeypatch.setattr(completed, "WAYS", 2)
    monkeypatch.setattr(completed, "NUMBERS", 4)
    cut = complete(network, data)
    assert len(cut.reals) > len(whole.reals) == 30
    assert cut.split.drawn == 0
    assert_allclose(np.bincount(cut.split.case, cut.split.share), 1)
    for one in network:
        for other in network:
            axes = [network.variables[name] for name in dict.fromkeys((other, one))]
            if all(isinstance(axis, tc.Discrete) for axis in axes):
                assert_allclose(cut.counts(axes).values, whole.counts(axes).values, atol=1e-9)
            elif isinstance(axes[-1], tc.Continuous):
                ours, theirs = cut.moments(axes), whole.moments(axes)
                assert_allclose(ours.means, theirs.means, atol=1e-8)
                assert_allclose(ours.scatter, theirs.scatter, atol=1e-8)


def test_cells_are_drawn_where_a_case_would_come_to_too_many_lines(monkeypatch):
    """Right on average: many draws come near the exact counts, and as near as their spread says."""
    network = mixed_network(3)
    data = tc.sample(network, 30, seed=2, missing=tc.AtRandom(0.6))
    axes = [network.variables[name] for name in ("A0", "A1")]
    exact = complete(network, data).counts(axes).values
    monkeypatch.setattr(completed, "WAYS", 2)
    monkeypatch.setattr(completed, "NUMBERS", 4)
    monkeypatch.setattr(completed, "LINES", (1, 0))
    found = [complete(network, data, seed) for seed in range(200)]
    assert min(each.split.drawn for each in found) > 0
    assert all(len(each.reals) == 30 for each in found)
    drawn = np.array([each.counts(axes).values for each in found])
    assert drawn.std(axis=0).max() > 0.1
    error = drawn.std(axis=0) / np.sqrt(len(found))
    assert (np.abs(drawn.mean(axis=0) - exact) < 4.5 * error + 1e-9).all()


def test_many_pieces_of_one_case_are_not_multiplied_out():
    """Twenty columns of four states, one of reals, nothing tied to each other: 4^20 completions."""
    random = np.random.default_rng(0)
    columns = {f"A{at}": list(random.choice(list("abcd"), 50)) for at in range(20)}
    for column in columns.values():
        column[0] = None
    columns["X"] = random.normal(size=50).tolist()
    data = tc.read_cases(columns)
    network = tc.fit("; ".join(columns), data).network
    found = complete(network, data)
    assert found.split.drawn == 0
    share = network["A3"].values
    axes = [network.variables["A3"], network.variables["X"]]
    want = np.bincount(data["A3"][1:], minlength=4) + share
    assert_allclose(found.moments(axes).weights, want)
