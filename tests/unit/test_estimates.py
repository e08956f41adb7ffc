"""From evidence to parameters: tables, intervals, draws, least squares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose

import naive
from tacit.core.errors import EstimateError, OptionError
from tacit.core.variables import Continuous, Discrete
from tacit.estimate.estimates import MAP, ML, POLICIES, PosteriorMean, Smoothed
from tacit.estimate.tables import estimate_table, log_probability
from tacit.families.counts import Counts, SparseCounts

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
