"""Groups of cases with missing reals: stand-ins for many cases, and the kernel beside slow sums."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_mixed
import tacit as tc
from mixed import gaussian_network, mixed_network
from tacit.engines import normal_shapes
from tacit.engines.normal_expected import NormalExpectation
from tacit.engines.stand_ins import stand_ins, triangular
from tacit.families.moments import Moments

PARTS = ("values", "weight", "weights", "means", "scatter")


def patterns(network: tc.Network, count: int, seed: int) -> tc.Dataset:
    """Cases in which the same few patterns of gaps come again and again."""
    data = tc.sample(network, count, seed=seed)
    random = np.random.default_rng(seed)
    masks = random.random((3, len(data.names))) < 0.4
    which = random.integers(3, size=count)
    columns = {}
    for at, name in enumerate(data.names):
        gone = -1 if isinstance(network.variables[name], tc.Discrete) else np.nan
        columns[name] = np.where(masks[which, at], gone, data[name])
    return tc.Dataset(data.variables, columns).with_weights(random.uniform(0, 3, count).round())


def found_by(network: tc.Network, data: tc.Dataset) -> tuple[dict, float]:
    found = NormalExpectation.of(network, data).run(network)
    return dict(found.evidence), found.log_likelihood


def assert_same(ours: dict, theirs: dict) -> None:
    for name, held in theirs.items():
        for part in PARTS:
            if hasattr(held, part):
                mine, its = np.asarray(getattr(ours[name], part)), np.asarray(getattr(held, part))
                assert_allclose(mine, its, rtol=1e-10, atol=1e-10 * max(1.0, np.abs(its).max()))


@pytest.mark.parametrize("size", [1, 4])
def test_stand_ins_have_the_weight_the_mean_and_the_scatter_of_the_cases(size):
    random = np.random.default_rng(size)
    cases, weights = 1e6 + random.normal(size=(50, size)), random.uniform(0.1, 3, 50)
    values, own = stand_ins(cases, weights)
    ours, theirs = Moments.of(values, own), Moments.of(cases, weights)
    assert values.shape == (size + 1, size)
    assert_allclose(ours.weight, theirs.weight)
    assert_allclose(ours.means, theirs.means, rtol=1e-14)
    assert_allclose(ours.scatter, theirs.scatter, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("network", [gaussian_network(3, 5, 0.9), mixed_network(3)])
def test_many_cases_of_few_patterns_are_summed_as_joint_normals_say(network):
    data = patterns(network, 90, 2)
    found, likelihood = found_by(network, data)
    mass, counts = 0.0, dict.fromkeys(network, 0.0)
    second = dict.fromkeys(network, 0.0)
    for case, weight in enumerate(data.weights):
        given = {}
        for name in data.names:
            value, variable = data[name][case], network.variables[name]
            if isinstance(variable, tc.Discrete) and value >= 0:
                given[name] = variable.states[value]
            elif not isinstance(variable, tc.Discrete) and not np.isnan(value):
                given[name] = float(value)
        mass += weight * naive_mixed.mass(network, given)
        for name, sums in naive_mixed.expected_sums(network, given).items():
            counts[name] += weight * sum(parts[0] for parts in sums.values())
            second[name] += weight * sum(np.asarray(parts[2]) for parts in sums.values())
    assert_allclose(likelihood, mass, rtol=1e-10)
    for name, held in found.items():
        assert_allclose(held.total, counts[name])
        own = held.pooled() if isinstance(held, tc.ConditionalMoments) else held
        if isinstance(own, Moments):
            square = own.scatter + own.weight * np.outer(own.means, own.means)
            assert_allclose(square, second[name], rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_the_kernel_and_the_slow_sums_agree(seed, monkeypatch):
    network = mixed_network(seed) if seed % 2 else gaussian_network(seed, 8, 0.7)
    data = patterns(network, 700, seed) if seed < 3 else None
    if data is None:
        data = tc.sample(network, 120, seed=seed, missing=tc.AtRandom(0.35))
    ours, likelihood = found_by(network, data)
    monkeypatch.setattr(normal_shapes, "MOST_JOINT", 0)
    theirs, slow = found_by(network, data)
    assert_allclose(likelihood, slow, rtol=1e-11)
    assert_same(ours, theirs)


def test_far_away_means_cost_no_digits():
    network = gaussian_network(4, 5, 0.8)
    data = tc.sample(network, 200, seed=1, missing=tc.AtRandom(0.3))
    moved = {
        name: tc.LinearGaussian(
            own.variables,
            own.coefficients,
            own.intercept + 1e6 * (1 - own.coefficients.sum()),
            own.sd,
        )
        for name, own in network.families.items()
    }
    far = tc.Network(network.dag, network.variables, moved)
    there = tc.Dataset(data.variables, {name: data[name] + 1e6 for name in data.names})
    near, likelihood = found_by(network, data)
    shifted, beyond = found_by(far, there)
    assert_allclose(beyond, likelihood, rtol=1e-7)
    for name, held in near.items():
        assert_allclose(shifted[name].scatter, held.scatter, rtol=1e-6, atol=1e-6)


def test_impossible_cases_and_those_that_do_not_count_are_told_apart():
    sure = tc.Table((tc.Discrete("S", ("a", "b")),), np.array([1.0, 0.0]))
    second = tc.Table(
        (tc.Discrete("S", ("a", "b")), tc.Discrete("T", ("c", "d"))), np.array([[1, 0], [0, 1.0]])
    )
    real = tc.ConditionalGaussian(
        (tc.Discrete("S", ("a", "b")), tc.Continuous("x")),
        np.zeros((2, 0)), np.array([0.0, 1.0]), np.ones(2),
    )  # fmt: skip
    network = tc.Network.of([sure, second, real])
    columns = {"S": np.full(3, -1), "T": np.array([0, 1, 0]), "x": np.array([0.5, 1.0, np.nan])}
    data = tc.Dataset(network.variables, columns)
    assert found_by(network, data)[1] == -np.inf
    possible = data.with_weights(np.array([2.0, 0.0, 1.0]))
    found, likelihood = found_by(network, possible)
    assert_allclose(likelihood, -(np.log(2 * np.pi) + 0.25))
    assert_allclose(found["S"].values, [3, 0])
    assert_allclose(found["x"].weights, [3, 0])


def test_the_same_cases_give_the_same_bits_in_any_thread():
    from concurrent.futures import ThreadPoolExecutor

    network = mixed_network(3)
    data = tc.sample(network, 400, seed=1, missing=tc.AtRandom(0.3))
    expectation = NormalExpectation.of(network, data)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: expectation.run(network), range(8)))
    assert len({each.log_likelihood for each in found}) == 1
    for each in found[1:]:
        for name in network:
            for part in PARTS:
                if hasattr(each.evidence[name], part):
                    one, other = (getattr(e.evidence[name], part) for e in (each, found[0]))
                    assert np.array_equal(one, other)


def test_rows_are_made_triangular_piece_by_piece():
    rows = np.random.default_rng(1).normal(size=(3000, 5)) * [1e-6, 1, 1e6, 1, 1]
    ours = triangular(rows)
    assert ours.shape == (5, 5)
    assert_allclose(ours.T @ ours, rows.T @ rows, rtol=1e-12, atol=1e-6)
    assert_allclose(np.abs(ours), np.abs(np.linalg.qr(rows, mode="r")), rtol=1e-9, atol=1e-12)
