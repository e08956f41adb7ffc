"""Draws of truncated gammas and betas, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from scipy import stats

from tacit.kernels.chance import below, log_gamma_draw, normal, seeded, uniform
from tacit.kernels.slopes import between, gamma_between

SIZE = 20_000
LEVEL = 1e-5
"""Of every test of Kolmogorov and Smirnov here; seeds are fixed."""


@njit
def _many_between(state, size, shape, other, low, high):
    return np.array([between(state, shape, other, low, high) for _ in range(size)])


@njit
def _many_gammas(state, size, shape, low, high):
    return np.array([gamma_between(state, shape, low, high) for _ in range(size)])


@njit
def _many(state, size, shape):
    plain = np.array([uniform(state) for _ in range(size)])
    normals = np.array([normal(state) for _ in range(size)])
    gammas = np.array([log_gamma_draw(state, shape) for _ in range(size)])
    return plain, normals, gammas


@njit
def _many_below(state, size, most):
    return np.array([below(state, most) for _ in range(size)])


def test_uniforms_normals_and_gammas_have_their_distributions():
    for shape in (0.3, 1.0, 7.5):
        plain, normals, gammas = _many(seeded(1, 2), 100_000, shape)
        assert stats.kstest(plain, "uniform").pvalue > LEVEL
        assert stats.kstest(normals, "norm").pvalue > LEVEL
        assert abs(normals).max() > 3.5  # beyond the last layer of the ziggurat
        assert stats.kstest(np.exp(gammas), stats.gamma(shape).cdf).pvalue > LEVEL
    counts = np.bincount(_many_below(seeded(3), 70_000, 7), minlength=7)
    assert stats.chisquare(counts).pvalue > LEVEL


def test_seeds_and_keys_have_generators_of_their_own():
    keys = [(1,), (2,), (1, 0), (1, 1), (1, 0, 0)]
    assert len({seeded(*each).tobytes() for each in keys}) == 5
    assert seeded(1, 2).tobytes() == seeded(1, 2).tobytes()


@pytest.mark.parametrize("shape", [0.05, 0.6, 1.0, 3.0, 40.0, 1e4])
@pytest.mark.parametrize("part", [(0.2, 0.9), (0.6, 0.61), (0.3, 1.0), (0.0, 0.05), (0.999, 1.0)])
def test_a_truncated_gamma_is_that_of_scipy(shape, part):
    theory = stats.gamma(shape)
    low, high = theory.ppf(part[0]), theory.ppf(part[1])
    drawn = _many_gammas(seeded(5), SIZE, shape, low, high)
    assert drawn.min() >= low
    assert drawn.max() <= high
    upper = theory.sf(drawn)  # more digits in the upper tail
    quantile = (theory.sf(low) - upper) / (theory.sf(low) - theory.sf(high))
    assert stats.kstest(quantile, "uniform").pvalue > LEVEL


@pytest.mark.parametrize("shapes", [(0.2, 0.7), (1.0, 1.0), (3.0, 0.5), (30.0, 50.0), (2e3, 8e3)])
@pytest.mark.parametrize("part", [(0.2, 0.9), (0.6, 0.61), (0.3, 1.0), (0.0, 0.05), (0.99, 1.0)])
def test_a_truncated_beta_is_that_of_scipy(shapes, part):
    theory = stats.beta(*shapes)
    low, high = theory.ppf(part[0]), theory.ppf(part[1])
    with np.errstate(divide="ignore"):
        ends = np.log(low) - np.log1p(-low), np.log(high) - np.log1p(-high)
    odds = _many_between(seeded(6), SIZE, *shapes, *ends)
    assert odds.min() >= ends[0]
    assert odds.max() <= ends[1]
    drawn = 1 / (1 + np.exp(-odds))
    quantile = (theory.sf(low) - theory.sf(drawn)) / (theory.sf(low) - theory.sf(high))
    assert stats.kstest(quantile, "uniform").pvalue > LEVEL


def test_far_in_the_tail_a_gamma_is_exponential():
    """Beyond 400 standard deviations g - low has a rate of nearly 1, whatever the shape."""
    drawn = _many_gammas(seeded(7), SIZE, 2.0, 800.0, np.inf)
    mean, _ = stats.expon(scale=1 / (1 - 1 / 800.0)).stats()
    assert abs(drawn.mean() - 800 - mean) < 5 / np.sqrt(SIZE)


def test_far_below_a_gamma_of_small_shape_is_exponential_in_its_logarithm():
    drawn = _many_between(seeded(8), SIZE, 0.01, 0.0, -np.inf, -50.0)
    assert abs((-50 - drawn).mean() - 100) < 5 * 100 / np.sqrt(SIZE)


def test_an_interval_of_one_point_is_that_point():
    assert _many_between(seeded(9), 3, 2.0, 3.0, 0.5, 0.5).tolist() == [0.5] * 3
