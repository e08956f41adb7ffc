"""From evidence to parameters: tables, intervals, draws, least squares."""

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
from tacit.core.errors import EstimateError, OptionError
from tacit.core.variables import Continuous, Discrete
from tacit.estimate.estimates import MAP, ML, POLICIES, PosteriorMean, Smoothed
from tacit.estimate.gaussians import (
    estimate_gaussian,
    gaussian_interval,
    gaussian_log_likelihood,
)
from tacit.estimate.posteriors import (
    cell_interval,
    cell_variance,
    draw_rows,
    log_marginal_likelihood,
)
from tacit.estimate.tables import estimate_table, log_probability
from tacit.families.counts import Counts, SparseCounts
from tacit.families.moments import Moments

FLU = Discrete("Flu", ("no", "yes"))
COUGH = Discrete("Cough", ("none", "dry", "wet"))
AXES = (FLU, COUGH)
X, Z, Y = Continuous("X"), Continuous("Z"), Continuous("Y")

whole_counts = hnp.arrays(float, (2, 3), elements=st.integers(0, 20).map(float))
alphas = hnp.arrays(float, (2, 3), elements=st.floats(0.01, 10))


def estimated(counts, alpha, estimate):
    return estimate_table(AXES, Counts(counts), np.asarray(alpha, dtype=float), estimate)


# --- the four estimates ---------------------------------------------------------------------


@given(whole_counts, alphas)
def test_smoothed_and_posterior_mean_divide_counts_plus_prior(counts, alpha):
    expected = [naive.shares(row) for row in naive.rows(counts + alpha)]
    for estimate in (Smoothed(), PosteriorMean()):
        result = estimated(counts, alpha, estimate)
        assert_allclose(result.table.values, expected, rtol=1e-12)
        assert result.undetermined == ()


@given(whole_counts, alphas)
def test_ml_divides_counts_whatever_the_prior(counts, alpha):
    result = estimated(counts, alpha, ML())
    for at, row in enumerate(naive.rows(counts)):
        if sum(row):
            assert_allclose(result.table.values[at], naive.shares(row), rtol=1e-12)
        else:
            assert_allclose(result.table.values[at], [1 / 3] * 3)
            assert at in result.undetermined


@given(whole_counts, hnp.arrays(float, (2, 3), elements=st.floats(1.01, 10)))
def test_map_divides_counts_plus_prior_less_one(counts, alpha):
    result = estimated(counts, alpha, MAP())
    expected = [naive.shares(row) for row in naive.rows(counts + alpha - 1)]
    assert_allclose(result.table.values, expected, rtol=1e-9)


@given(whole_counts, alphas, st.sampled_from([ML(), Smoothed(), MAP()]), st.integers(0, 99))
def test_no_other_rows_have_a_higher_objective(counts, alpha, estimate, seed):
    alpha = alpha + 1
    result = estimated(counts, alpha, estimate)
    evidence = counts + estimate.pseudo(alpha)
    best = log_probability(result.table, evidence)
    random = np.random.default_rng(seed)
    for _ in range(5):
        other = random.dirichlet(np.ones(3), size=2)
        near = 0.999 * result.table.values + 0.001 * other
        for rows in (other, near):
            value = float(np.sum(evidence * np.log(rows), where=evidence > 0))
            assert value <= best + 1e-9 * (1 + abs(best))


def test_map_is_refused_where_it_has_no_maximum():
    with pytest.raises(EstimateError) as caught:
        estimated([[3, 2, 1], [5, 0, 1]], np.full((2, 3), 0.5), MAP())
    assert str(caught.value) == (
        "P(Cough | Flu=yes) has no most probable value: "
        "counts plus prior of 'dry' come to 0.5, less than 1"
        "\n\nuse a prior of at least 1 per cell, tc.K2() for example, "
        "or estimate=tc.PosteriorMean()"
    )
    with pytest.raises(EstimateError, match=r"less than 1 \(and in 1 more rows\)"):
        estimated(np.zeros((2, 3)), np.full((2, 3), 0.5), MAP())


def test_map_with_exactly_one_in_a_cell_puts_it_at_zero():
    result = estimated([[3, 1, 0], [0, 0, 0]], np.ones((2, 3)), MAP())
    assert_allclose(result.table.values[0], [0.75, 0.25, 0])
    assert result.undetermined == (1,)


def test_map_under_one_case_per_cell_is_ml():
    counts = np.array([[3.0, 1, 0], [2, 2, 2]])
    ours = estimated(counts, np.ones((2, 3)), MAP()).table
    assert_allclose(ours.values, estimated(counts, np.ones((2, 3)), ML()).table.values)


def test_map_of_alpha_plus_one_is_the_posterior_mean_of_alpha():
    counts, alpha = np.array([[3.0, 1, 0], [0, 0, 0]]), np.array([[1.0, 2, 3], [0.5, 0.5, 1]])
    assert_allclose(
        estimated(counts, alpha + 1, MAP()).table.values,
        estimated(counts, alpha, PosteriorMean()).table.values,
    )


# --- rows that nothing determines -----------------------------------------------------------

EMPTY = np.array([[2.0, 1, 1], [0, 0, 0]])
PRIOR = np.array([[1.0, 1, 1], [1, 2, 5]])


@pytest.mark.parametrize(
    ("policy", "row"),
    [
        ("uniform", [1 / 3] * 3),
        ("prior", [1 / 8, 2 / 8, 5 / 8]),
        ("nan", [np.nan] * 3),
        ("zeros", [0, 0, 0]),
    ],
)
def test_a_row_without_cases_follows_the_policy(policy, row):
    result = estimated(EMPTY, PRIOR, ML(empty=policy))
    assert_allclose(result.table.values, [[0.5, 0.25, 0.25], row])
    assert result.undetermined == (1,)
    assert result.table.partial == (policy in ("nan", "zeros"))


def test_a_row_without_cases_may_be_an_error():
    with pytest.raises(EstimateError) as caught:
        estimated(EMPTY, PRIOR, ML(empty="error"))
    assert str(caught.value) == (
        "there is no case for P(Cough | Flu=yes)"
        "\n\nuse a prior, or another policy for such rows: tc.ML(empty='uniform')"
    )
    with pytest.raises(EstimateError, match=r"P\(Cough \| Flu=no\) \(nor for 1 more rows\)"):
        estimated(np.zeros((2, 3)), PRIOR, ML(empty="error"))


def test_every_policy_leaves_determined_rows_alone():
    full = np.array([[2.0, 1, 1], [1, 1, 2]])
    tables = [estimated(full, PRIOR, ML(empty=policy)).table for policy in POLICIES]
    assert all(table == tables[0] and not table.partial for table in tables)


def test_a_prior_of_nothing_falls_back_to_even_rows():
    result = estimated(EMPTY, np.zeros((2, 3)), Smoothed(empty="prior"))
    assert_allclose(result.table.values[1], [1 / 3] * 3)


def test_an_unknown_policy_is_refused():
    with pytest.raises(OptionError) as caught:
        ML(empty="drop")
    assert str(caught.value) == (
        "empty='drop' is no policy for rows without cases"
        "\n\nthere are: uniform, prior, nan, zeros, error"
    )


def test_estimates_print_as_python_writes_them():
    assert ML().describe() == "ML()"
    assert MAP(empty="nan").describe() == "MAP(empty='nan')"
    assert (ML().uses_prior, Smoothed().uses_prior) == (False, True)


def test_sparse_counts_give_the_same_table():
    dense = np.array([[0.0, 3, 0], [1, 0, 0]])
    sparse = SparseCounts((2, 3), np.array([1, 3]), np.array([3.0, 1.0]))
    ours = estimate_table(AXES, sparse, PRIOR, Smoothed()).table
    assert ours == estimated(dense, PRIOR, Smoothed()).table


# --- posteriors -----------------------------------------------------------------------------


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


# --- linear Gaussians -----------------------------------------------------------------------


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
    from tacit.families.gaussian import LinearGaussian

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
