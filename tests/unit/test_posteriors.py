"""What counts and a prior say in full: marginal likelihood, intervals, draws."""

from __future__ import annotations

from math import exp, lgamma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import naive
import tacit as tc
from tacit.core.errors import OptionError
from tacit.estimate.posteriors import (
    cell_interval,
    cell_variance,
    draw_rows,
    log_marginal_likelihood,
)
from tacit.families.counts import Counts, SparseCounts

whole_counts = hnp.arrays(float, (2, 3), elements=st.integers(0, 20).map(float))
alphas = hnp.arrays(float, (2, 3), elements=st.floats(0.01, 10))


@given(
    st.lists(st.integers(0, 2), max_size=12), st.lists(st.floats(0.1, 5), min_size=3, max_size=3)
)
def test_the_marginal_likelihood_is_the_product_of_predictions(codes, alpha):
    counts = Counts(np.bincount(codes, minlength=3).astype(float))
    ours = log_marginal_likelihood(counts, np.array(alpha))
    assert_allclose(ours, naive.log_predictives(codes, alpha), atol=1e-10)


@given(whole_counts, alphas)
def test_the_marginal_likelihood_adds_up_over_rows(counts, alpha):
    whole = log_marginal_likelihood(Counts(counts), alpha)
    parts = sum(
        log_marginal_likelihood(Counts(row), prior)
        for row, prior in zip(counts, alpha, strict=True)
    )
    assert_allclose(whole, parts, atol=1e-9)


def test_the_marginal_likelihood_of_sparse_counts_needs_only_the_rows_seen():
    sparse = SparseCounts((4, 2), np.array([2, 3, 7]), np.array([5.0, 1.0, 2.0]))
    assert_allclose(
        log_marginal_likelihood(sparse, 0.5), log_marginal_likelihood(sparse.dense(), 0.5)
    )
    alpha = np.linspace(0.1, 2.0, 8).reshape(4, 2)
    whole = log_marginal_likelihood(sparse.dense(), alpha)
    assert_allclose(log_marginal_likelihood(sparse, alpha), whole)


def test_the_marginal_likelihood_of_no_cases_is_one():
    assert log_marginal_likelihood(Counts(np.zeros((2, 3))), 1.0) == 0


def test_the_marginal_likelihood_is_the_dirichlet_constant_in_closed_form():
    counts, alpha = np.array([3.0, 2.0]), np.array([1.0, 1.0])
    expected = lgamma(2) - lgamma(7) + lgamma(4) + lgamma(3)
    assert_allclose(log_marginal_likelihood(Counts(counts), alpha), expected)
    assert_allclose(exp(expected), 1 / 60)


def test_an_improper_prior_has_no_marginal_likelihood():
    with pytest.raises(OptionError, match="a prior above 0 in every cell"):
        log_marginal_likelihood(Counts(np.ones((2, 3))), 0.0)


@given(hnp.arrays(float, (2, 3), elements=st.floats(0.5, 50)), st.floats(0.05, 0.99))
def test_an_interval_holds_its_level_with_equal_tails(posterior, level):
    interval = cell_interval(posterior, level)
    for place in np.ndindex(*posterior.shape):
        one = posterior[place]
        other = posterior[place[0]].sum() - one
        beta = stats.beta(one, other)
        assert_allclose(beta.cdf(interval.lower[place]), (1 - level) / 2, atol=1e-6)
        assert_allclose(beta.cdf(interval.upper[place]), (1 + level) / 2, atol=1e-6)
    assert interval.level == level


def test_intervals_at_the_edge():
    single = cell_interval(np.array([[3.0]]), 0.9)
    assert (single.lower.item(), single.upper.item()) == (1, 1)
    empty = cell_interval(np.array([0.0, 0.0]), 0.9)
    assert_array_equal(empty.lower, [0, 0])
    assert_array_equal(empty.upper, [1, 1])
    with pytest.raises(OptionError) as caught:
        cell_interval(np.ones(2), 95)
    assert str(caught.value) == "level=95 must lie between 0 and 1, 0.95 for example"


@given(alphas)
def test_variances_are_those_of_a_dirichlet(posterior):
    assert_allclose(cell_variance(posterior), [stats.dirichlet.var(row) for row in posterior])


def test_draws_have_the_posterior_s_mean_and_variance():
    posterior = np.array([[2.0, 3, 5], [0.3, 0.2, 0.1]])
    random = np.random.default_rng(4)
    draws = np.array([draw_rows(posterior, random) for _ in range(20_000)])
    assert_allclose(draws.sum(axis=-1), 1)
    mean = posterior / posterior.sum(axis=1, keepdims=True)
    variance = cell_variance(posterior)
    assert (np.abs(draws.mean(axis=0) - mean) < 4 * np.sqrt(variance / 20_000)).all()
    assert_allclose(draws.var(axis=0), variance, rtol=0.05)


def test_draws_from_tiny_parameters_are_distributions():
    draws = draw_rows(np.full((500, 4), 1e-5), np.random.default_rng(1))
    assert_allclose(draws.sum(axis=1), 1)
    assert_allclose(draws.mean(axis=0), 0.25, atol=0.1)
    assert_array_equal(draw_rows(np.array([2.0, 0.0]), np.random.default_rng(1)), [1, 0])


@pytest.mark.parametrize("strength", [1.0, 150.0, 1e3, 1e6, 1e9, 1e12, 1e15, 1e17, 1e300])
def test_the_marginal_likelihood_of_a_strong_prior_loses_no_digits(strength):
    half = strength / 2  # the cases x, x, y one after the other, each given those before it
    exact = np.log(half / strength * ((half + 1) / (strength + 1)) * (half / (strength + 2)))
    fit = tc.fit("A", {"A": ["x", "x", "y"]}, prior=tc.BDeu(strength))
    assert_allclose(fit.log_marginal_likelihood, exact, rtol=1e-13)
