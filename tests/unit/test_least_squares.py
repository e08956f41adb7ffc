"""Linear Gaussian families from moments, against the cases themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

import naive
from tacit.core.errors import EstimateError
from tacit.core.variables import Continuous
from tacit.estimate.gaussians import (
    estimate_gaussian,
    gaussian_interval,
    gaussian_log_likelihood,
)
from tacit.families.gaussian import LinearGaussian
from tacit.families.moments import Moments

X, Z, Y = Continuous("X"), Continuous("Z"), Continuous("Y")


def regression(seed: int, cases: int = 40):
    random = np.random.default_rng(seed)
    parents = random.normal(size=(cases, 2)) * [1, 10] + [3, -200]
    child = 2 * parents[:, 0] - 0.3 * parents[:, 1] + 5 + random.normal(size=cases)
    return parents, child, random.choice([0.5, 1.0, 2.0], cases)


@given(st.integers(0, 10_000))
def test_least_squares_are_those_on_the_cases(seed):
    parents, child, _ = regression(seed)
    found = estimate_gaussian((X, Z, Y), Moments.of(np.column_stack([parents, child])))
    coefficients, intercept, sd = naive.least_squares(parents, child)
    assert_allclose(found.family.coefficients, coefficients, rtol=1e-7)
    assert_allclose(found.family.intercept, intercept, rtol=1e-6)
    assert_allclose(found.family.sd, sd, rtol=1e-7)
    assert found.rank == 2


@given(st.integers(0, 10_000))
def test_weights_count_as_repeated_cases(seed):
    parents, child, weights = regression(seed)
    cases = np.column_stack([parents, child])
    weighted = estimate_gaussian((X, Z, Y), Moments.of(cases, weights)).family
    repeats = np.repeat(cases, (2 * weights).astype(int), axis=0)
    coefficients, intercept, sd = naive.least_squares(repeats[:, :2], repeats[:, 2])
    assert_allclose(weighted.coefficients, coefficients, rtol=1e-6)
    assert_allclose(weighted.sd, sd, rtol=1e-6)
    assert_allclose(weighted.intercept, intercept, rtol=1e-5)


def test_no_parents_give_mean_and_standard_deviation():
    values = np.array([1.0, 2, 4, 9])
    family = estimate_gaussian((Y,), Moments.of(values[:, None])).family
    assert_allclose([family.intercept, family.sd], [values.mean(), values.std()])


def test_parents_that_repeat_each_other_share_the_coefficient():
    random = np.random.default_rng(2)
    one = random.normal(size=60)
    child = 3 * one + random.normal(size=60)
    found = estimate_gaussian((X, Z, Y), Moments.of(np.column_stack([one, 2 * one + 1, child])))
    alone = estimate_gaussian((X, Y), Moments.of(np.column_stack([one, child]))).family
    assert found.rank == 1
    assert_allclose(found.family.coefficients @ [1, 2], alone.coefficients[0])
    assert_allclose(found.family.coefficients * [1, 2], alone.coefficients[0] / 2)
    assert_allclose(found.family.sd, alone.sd)


def test_fewer_cases_than_parents_still_have_an_answer():
    random = np.random.default_rng(3)
    cases = random.normal(size=(2, 3))
    found = estimate_gaussian((X, Z, Y), Moments.of(cases))
    assert found.rank == 1
    assert found.family.sd == 0
    assert_allclose(found.family.mean([cases[:, 0], cases[:, 1]], 2), cases[:, 2])


@pytest.mark.parametrize("level", [0.0, 0.1, -1e6])
def test_a_constant_parent_has_no_coefficient(level):
    child = np.random.default_rng(4).normal(size=1000)
    cases = np.column_stack([np.full(1000, level), child])
    found = estimate_gaussian((X, Y), Moments.of(cases))
    assert found.rank == 0
    assert found.family.coefficients.tolist() == [0]
    assert_allclose(found.family.intercept, child.mean())


@given(st.integers(0, 10_000))
def test_an_exact_linear_function_has_no_noise(seed):
    random = np.random.default_rng(seed)
    parents = random.normal(random.normal() * 5, 1, size=(50, 2))
    child = parents @ random.normal(size=2) + random.normal()
    moments = Moments.of(np.column_stack([parents, child]))
    family = estimate_gaussian((X, Z, Y), moments).family
    assert family.sd == 0
    assert gaussian_log_likelihood(family, moments) == np.inf


@pytest.mark.parametrize("level", [0.0, 0.1, 1e9])
def test_a_constant_child_has_no_noise(level):
    moments = Moments.of(np.full((1000, 1), level))
    family = estimate_gaussian((Y,), moments).family
    assert family.sd == 0
    assert_allclose(family.intercept, level)


def test_a_function_that_the_cases_do_not_obey_is_impossible():
    moments = Moments.of(np.array([[1.0], [2.0]]))
    assert gaussian_log_likelihood(LinearGaussian((Y,), [], 1, 0), moments) == -np.inf


def test_no_case_leaves_a_gaussian_open():
    with pytest.raises(EstimateError) as caught:
        estimate_gaussian((Y,), Moments.of(np.zeros((0, 1))))
    assert str(caught.value) == "there is no case for 'Y'"


@given(st.integers(0, 10_000))
def test_the_likelihood_from_moments_is_that_of_the_cases(seed):
    parents, child, weights = regression(seed, 15)
    cases = np.column_stack([parents, child])
    family = estimate_gaussian((X, Z, Y), Moments.of(cases)).family
    logs = [
        naive.normal_log_density(y, family.intercept + family.coefficients @ (x, z), family.sd)
        for x, z, y in cases
    ]
    ours = gaussian_log_likelihood(family, Moments.of(cases, weights))
    assert_allclose(ours, np.dot(weights, logs), rtol=1e-7)


@given(st.integers(0, 10_000), st.floats(0.5, 0.99))
def test_gaussian_intervals_are_the_textbook_s(seed, level):
    parents, child, _ = regression(seed)
    moments = Moments.of(np.column_stack([parents, child]))
    result = estimate_gaussian((X, Z, Y), moments)
    interval = gaussian_interval(result, moments, level)
    design = np.column_stack([parents, np.ones(len(child))])
    inverse = np.linalg.inv(design.T @ design)
    solution = inverse @ design.T @ child
    freedom = len(child) - 3
    squares = np.sum((child - design @ solution) ** 2)
    reach = stats.t.ppf((1 + level) / 2, freedom) * np.sqrt(np.diag(inverse) * squares / freedom)
    assert_allclose(interval.lower[:3], solution - reach, rtol=1e-5)
    assert_allclose(interval.upper[:3], solution + reach, rtol=1e-5)
    bounds = np.sqrt(squares / stats.chi2.ppf([(1 + level) / 2, (1 - level) / 2], freedom))
    assert_allclose([interval.lower[3], interval.upper[3]], bounds, rtol=1e-6)


def test_too_few_cases_leave_intervals_open():
    moments = Moments.of(np.array([[1.0, 2], [2, 3]]))
    interval = gaussian_interval(estimate_gaussian((X, Y), moments), moments, 0.9)
    assert np.isnan(interval.lower).all()
    assert np.isnan(interval.upper).all()


def test_coefficients_that_dependent_parents_leave_open_have_no_interval():
    random = np.random.default_rng(5)
    x, w = random.normal(3, 1, size=(2, 60))
    child = x + w + random.normal(size=60)
    axes = (X, Z, Continuous("W"), Y)
    moments = Moments.of(np.column_stack([x, 2 * x, w, child]))
    result = estimate_gaussian(axes, moments)
    interval = gaussian_interval(result, moments, 0.95)
    assert np.isnan(interval.lower[:2]).all()
    assert np.isfinite(interval.lower[2:]).all()  # w, intercept and sd are determined
    less = Moments.of(np.column_stack([x, w, child]))
    alone = gaussian_interval(estimate_gaussian((X, Z, Y), less), less, 0.95)
    assert_allclose(interval.lower[2:], alone.lower[1:], rtol=1e-9)
    assert_allclose(interval.upper[2:], alone.upper[1:], rtol=1e-9)


def test_a_constant_parent_takes_the_intercept_s_interval_with_it():
    child = np.random.default_rng(6).normal(size=50)
    moments = Moments.of(np.column_stack([np.full(50, 4.0), child]))
    interval = gaussian_interval(estimate_gaussian((X, Y), moments), moments, 0.95)
    assert np.isnan(interval.lower[:2]).all()
    assert np.isfinite(interval.lower[2])
    centred = Moments.of(np.column_stack([np.zeros(50), child]))
    open_slope = gaussian_interval(estimate_gaussian((X, Y), centred), centred, 0.95)
    assert np.isnan(open_slope.lower[0])
    assert np.isfinite(open_slope.lower[1:]).all()
