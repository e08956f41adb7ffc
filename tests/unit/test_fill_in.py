"""Filling in, conditional and not: the identity on complete cases, an approximation otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_inference as naive
import questions
import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.network import Network
from tacit.families.table import Table
from tacit.infer.flat import layout_of
from tacit.learn import fill_in
from tacit.learn.fits import Stop


def filled_counts(tables, parents, cases, weights, shares):
    """Root to leaf: each missing cell becomes a distribution given its filled parents."""
    counts = {name: np.zeros(table.shape) for name, table in tables.items()}
    for case, weight in zip(cases, weights, strict=True):
        known: dict[str, np.ndarray] = {}
        for name in parents:  # parents come before children
            if name in case:
                known[name] = np.eye(tables[name].shape[-1])[case[name]]
            elif shares is not None:
                known[name] = shares[name]
            else:
                mix = np.zeros(tables[name].shape[-1])
                for row in np.ndindex(tables[name].shape[:-1]):
                    chance = np.prod([known[p][s] for p, s in zip(parents[name], row, strict=True)])
                    mix = mix + chance * tables[name][row]
                known[name] = mix
        for name in parents:
            for at in np.ndindex(tables[name].shape):
                axes = zip((*parents[name], name), at, strict=True)
                counts[name][at] += weight * np.prod([known[v][s] for v, s in axes])
    return counts


def example(seed: int) -> tuple[Network, Dataset]:
    network = questions.random_network(seed, size=4)
    cases = tc.sample(network, 30, seed=seed, missing=tc.AtRandom(0.3))
    return network, cases.with_weights(np.random.default_rng(seed).choice([0.5, 1, 2], 30))


@pytest.mark.parametrize("given", ["parents", "nothing"])
def test_complete_cases_are_left_as_they_are(given):
    network, _ = example(1)
    cases = tc.sample(network, 40, seed=1)
    fit = tc.fit(network, cases, method=tc.FillIn(given=given))
    counted = tc.fit(network, cases)
    layout = layout_of(network.dag, network.variables)
    theta = layout.parameters(network)
    shares = fill_in._shares(cases, layout) if given == "nothing" else None
    filled = fill_in._filled_counts(cases, layout, theta, shares)
    for name in network:
        assert_allclose(fit.network[name].values, counted.network[name].values, atol=1e-12)
        block = layout.block(filled, layout.places[name])
        assert_allclose(block, counted.evidence[name].dense().values, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_one_step_given_parents_is_the_algorithm_spelled_out(seed):
    network, cases = example(seed)
    fit = tc.fit(network, cases, estimate=tc.ML(), start="given", method=tc.FillIn(max_steps=1))
    order = {name: network.dag.parents[name] for name in network}
    tables = naive.tables_of(network)
    counts = filled_counts(tables, order, naive.cases_in(cases), naive.weights_in(cases), None)
    for name in network:
        assert_allclose(fit.network[name].values, naive.rows_of(counts[name]), atol=1e-10)
    assert fit.stop is Stop.STEP_LIMIT


@pytest.mark.parametrize("seed", range(3))
def test_given_nothing_every_gap_gets_the_observed_shares_once(seed):
    network, cases = example(seed)
    fit = tc.fit(network, cases, estimate=tc.ML(), method=tc.FillIn(given="nothing"))
    shares = {}
    for name in network:
        seen = np.zeros(len(network.variables[name].states))
        for case, weight in zip(naive.cases_in(cases), naive.weights_in(cases), strict=True):
            if name in case:
                seen[case[name]] += weight
        shares[name] = seen / seen.sum()
    order = {name: network.dag.parents[name] for name in network}
    tables = naive.tables_of(network)
    counts = filled_counts(tables, order, naive.cases_in(cases), naive.weights_in(cases), shares)
    for name in network:
        assert_allclose(fit.network[name].values, naive.rows_of(counts[name]), atol=1e-10)
    assert fit.stop is Stop.CONVERGED


def test_it_settles_where_another_step_changes_nothing_and_is_no_maximum():
    network, cases = example(5)
    fit = tc.fit(network, cases, method=tc.FillIn(tolerance=1e-12))
    assert fit.stop is Stop.CONVERGED
    again = tc.fit(
        fit.network, cases, start="given", method=tc.FillIn(tolerance=1e-12, max_steps=1)
    )
    for name in network:
        assert_allclose(again.network[name].values, fit.network[name].values, atol=1e-9)
    em = tc.fit(network, cases, method=tc.EM(tolerance=1e-12))
    assert fit.objective < em.objective - 1e-3


def test_the_observed_part_is_recorded_as_it_is():
    network, cases = example(6)
    fit = tc.fit(network, cases, method=tc.FillIn())
    assert_allclose(fit.log_likelihood, float(tc.log_likelihood(fit.network, cases)), rtol=1e-10)
    assert any("FillIn()" in note for note in fit.notes)


def test_long_data_are_filled_in_blocks(monkeypatch):
    network, cases = example(7)
    whole = tc.fit(network, cases, method=tc.FillIn())
    monkeypatch.setattr(fill_in, "BLOCK", 7)
    parts = tc.fit(network, cases, method=tc.FillIn())
    for name in network:
        assert_allclose(parts.network[name].values, whole.network[name].values, atol=1e-9)


def test_hidden_variables_can_be_filled_in_too():
    network, cases = example(8)
    part = cases.select([name for name in cases.names if name != "V0"])
    fit = tc.fit(network, part, hidden="rest", method=tc.FillIn(), seed=1)
    assert isinstance(fit.network["V0"], Table)
    assert np.isfinite(fit.objective)


def test_there_are_two_ways_only():
    with pytest.raises(OptionError, match='given=\'children\' must be "parents" or "nothing"'):
        tc.FillIn(given="children")
