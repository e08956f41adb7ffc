"""Betas cut off to an interval, against exact fractions, in the middle and far out in the tails."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_constants as naive
from tacit.estimate.bayes import truncated

INTERVALS = [
    (2, 3, 0.1, 0.5), (60, 90, 0.7, 0.9), (60, 90, 0.1, 0.11), (5, 7, 0.3, 0.301),
    (90, 90, 0.8, 0.8001), (3, 100, 0.7, 1.0), (1, 5, 0.0, 1e-9), (50, 1, 0.0, 1e-20),
    (1, 1, 0.0, 1.0), (30, 2, 0.999, 1.0), (2, 8, 0.2, 0.2000001), (99, 3, 0.02, 0.03),
    (4, 3, 0.2, 0.2 + 1e-12), (60, 60, 1e-6, 2e-6),
]  # fmt: skip


def arrays(*numbers):
    return tuple(np.array([float(each)]) for each in numbers)


@pytest.mark.parametrize("case", INTERVALS)
def test_the_mass_of_an_interval_is_that_of_the_polynomial(case):
    a, b, low, high = case
    exact = naive.beta_integral(a, b, low, high) / naive.beta_integral(a, b, 0, 1)
    assert_allclose(truncated.log_mass(*arrays(*case))[0], naive.logarithm(exact), rtol=1e-11)


@pytest.mark.parametrize("case", [case for case in INTERVALS if case[3] - case[2] > 1e-9])
def test_mean_and_variance_are_those_of_the_polynomial(case):
    a, b, low, high = case
    mass, first, second = (naive.beta_integral(a + more, b, low, high) for more in range(3))
    mean, variance = truncated.moments(*arrays(*case))
    assert_allclose(mean, float(first / mass), rtol=1e-11)
    assert_allclose(variance, float(second / mass - (first / mass) ** 2), rtol=1e-7)


@pytest.mark.parametrize("share", [0.001, 0.3, 0.975])
@pytest.mark.parametrize("case", [case for case in INTERVALS if case[3] - case[2] > 1e-9])
def test_a_quantile_has_its_share_of_the_mass_below(case, share):
    a, b, low, high = case
    found = truncated.quantile(*arrays(*case), np.array([share]))[0]
    below = naive.beta_integral(a, b, low, found) / naive.beta_integral(a, b, low, high)
    assert_allclose(float(below), share, atol=1e-8)


def test_the_line_without_limits_is_the_whole_beta():
    a, b = arrays(0.003, 70.0)
    nothing, one = arrays(0.0, 1.0)
    mean, variance = truncated.moments(a, b, nothing, one)
    assert truncated.log_mass(a, b, nothing, one)[0] == 0
    assert_allclose(mean, a / (a + b))
    assert_allclose(variance, mean * (1 - mean) / (a + b + 1))


def test_an_interval_of_no_width_is_a_point():
    mean, variance = truncated.moments(*arrays(2, 3, 0.25, 0.25))
    assert (mean[0], variance[0]) == (0.25, 0.0)
    assert truncated.log_mass(*arrays(2, 3, 0.25, 0.25))[0] == -np.inf
    drawn = truncated.draw(*arrays(2, 3, 0.25, 0.25), np.random.default_rng(1), 5)
    assert (drawn == 0.25).all()


@pytest.mark.parametrize(
    "case", [(2, 3, 0.1, 0.5), (0.1, 0.2, 0.0, 0.3), (200, 300, 0.6, 0.9), (3, 400, 0.5, 1.0),
             (5, 7, 0.3, 0.301), (0.5, 0.5, 0.0, 1.0), (0.02, 5.0, 0.0, 1e-9)]
)  # fmt: skip
def test_draws_fall_below_quantiles_as_often_as_they_should(case):
    drawn = truncated.draw(*arrays(*case), np.random.default_rng(7), 20_000)[:, 0]
    shares = np.linspace(0.05, 0.95, 19)
    limits = truncated.quantile(*(np.full(19, each[0]) for each in arrays(*case)), shares)
    part = (drawn[:, None] < limits).mean(axis=0)
    assert (np.abs(part - shares) < 4.5 * np.sqrt(shares * (1 - shares) / drawn.size)).all()
    assert drawn.min() >= case[2]
    assert drawn.max() <= case[3]


def test_one_seed_gives_the_same_draws():
    given = arrays(2, 3, 0.1, 0.5)
    one, other = (truncated.draw(*given, np.random.default_rng(3), 50) for _ in range(2))
    assert (one == other).all()
