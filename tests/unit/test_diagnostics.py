"""How far draws can be trusted: against the definitions, and against theory."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_draws as naive
from tacit.estimate.bayes.diagnostics import effective_size, error_of_mean, halves, split_rhat


def autoregressive(memory, chains, draws, seed, cells=1):
    """x_t = memory x_{t-1} + noise, of variance 1."""
    random = np.random.default_rng(seed)
    noise = random.normal(size=(draws, chains, cells)) * np.sqrt(1 - memory**2)
    values = np.empty((draws, chains, cells))
    values[0] = random.normal(size=(chains, cells))
    for at in range(1, draws):
        values[at] = memory * values[at - 1] + noise[at]
    return np.ascontiguousarray(values.transpose(1, 0, 2))


@pytest.mark.parametrize("memory", [-0.4, 0.0, 0.5, 0.95])
@pytest.mark.parametrize("draws", [8, 61, 200])
def test_effective_size_and_rhat_are_as_defined(memory, draws):
    values = autoregressive(memory, 3, draws, seed=draws, cells=2)
    cut = halves(values)
    assert cut.shape == (6, draws // 2, 2)
    for cell in range(2):
        ours, told = effective_size(values)[cell], split_rhat(values)[cell]
        assert_allclose(ours, naive.effective_size(cut[:, :, cell]), rtol=1e-10)
        assert_allclose(told, naive.rhat(cut[:, :, cell]), rtol=1e-12)


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_an_autoregression_is_worth_what_theory_says(memory):
    values = autoregressive(memory, 4, 20_000, seed=1, cells=8)
    expected = 80_000 * (1 - memory) / (1 + memory)
    assert_allclose(effective_size(values).mean(), expected, rtol=0.05)
    assert_allclose(error_of_mean(values).mean(), 1 / np.sqrt(expected), rtol=0.05)


def test_the_error_covers_the_mean():
    values = autoregressive(0.8, 4, 2_000, seed=2, cells=400)
    z = values.mean(axis=(0, 1)) / error_of_mean(values)
    # the standard deviation of 400 standardised means: 1 within 4 / √800, and the error's own noise
    assert 0.85 < z.std() < 1.2


def test_chains_in_different_places_are_worth_little():
    values = autoregressive(0.0, 4, 1_000, seed=3)
    values[0] += 3
    assert split_rhat(values)[0] > 1.5
    assert effective_size(values)[0] < 20


def test_a_chain_that_drifts_disagrees_with_itself():
    values = autoregressive(0.0, 1, 1_000, seed=4)
    values += np.linspace(0, 5, 1_000)[None, :, None]
    assert split_rhat(values)[0] > 1.3


def test_what_does_not_vary_is_exact():
    values = np.full((2, 10, 1), 0.25)
    assert effective_size(values)[0] == np.inf
    assert split_rhat(values)[0] == 1
    assert error_of_mean(values)[0] == 0
