"""Structural EM over lines with gaps: the joint normal as oracle. [HV2 3.6, HV2-31, HV2-32]"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

import tacit as tc
from tacit.families.moments import Moments
from tacit.infer.normal.gaps import Lines, Patterns
from tacit.learn.fits import Stop
from tacit.learn.structure.sem_reals import lines_from

seeds = st.integers(0, 2**31)


def network(seed, n=5):
    random = np.random.default_rng(seed)
    slopes = np.tril(random.normal(size=(n, n)), -1)
    return Lines(slopes, random.normal(size=n), random.uniform(0.3, 2, n))


def cases_of(lines, cases, seed, share=0.25):
    random = np.random.default_rng(seed)
    covariance = np.linalg.inv(lines.precision)
    values = random.multivariate_normal(lines.mean, covariance, cases)
    return np.where(random.random(values.shape) < share, np.nan, values)


@given(seeds)
def test_means_variances_and_likelihood_are_those_of_the_joint_normal(seed):
    lines = network(seed)
    values = cases_of(lines, 12, seed)
    covariance, mean = np.linalg.inv(lines.precision), lines.mean
    found = Patterns.of(values).completed(lines)
    total, scatter = 0.0, np.zeros((5, 5))
    for case, row in enumerate(values):
        seen = ~np.isnan(row)
        expected = np.where(seen, row, mean)
        left = covariance.copy()
        if seen.any():
            gain = covariance[:, seen] @ np.linalg.inv(covariance[np.ix_(seen, seen)])
            expected = mean + gain @ (row[seen] - mean[seen])
            left = covariance - gain @ covariance[seen]
            part = covariance[np.ix_(seen, seen)]
            total += multivariate_normal(mean[seen], part).logpdf(row[seen])
        assert_allclose(found.values[case], expected, atol=1e-8)
        scatter += left
    assert found.log_likelihood == pytest.approx(total, abs=1e-7)
    off = found.values - found.values.mean(axis=0)
    assert_allclose(found.moments.scatter, off.T @ off + scatter, atol=1e-7)


@given(seeds)
def test_mean_field_has_the_exact_means_and_variances_no_larger(seed):
    lines = network(seed)
    patterns = Patterns.of(cases_of(lines, 10, seed))
    exact, field = patterns.completed(lines), patterns.completed(lines, mean_field=True)
    assert_allclose(field.values, exact.values, atol=1e-10)
    assert field.log_likelihood == exact.log_likelihood
    left = np.diag(exact.moments.scatter) - np.diag(field.moments.scatter)
    assert (left >= -1e-9).all()


def test_mean_field_is_the_fixed_point_of_updating_one_variable_at_a_time():
    """Each factor is the normal whose log is the expected log joint, the others held."""
    lines = network(3)
    row = np.array([np.nan, 0.4, np.nan, np.nan, -1.0])
    precision, mean = lines.precision, lines.mean
    here, variances = np.where(np.isnan(row), 0.0, row), 1 / np.diag(precision)
    for _ in range(2000):
        for at in np.flatnonzero(np.isnan(row)):
            rest = np.arange(5) != at
            here[at] = mean[at] - precision[at, rest] @ (here - mean)[rest] * variances[at]
    found = Patterns.of(row[None]).completed(lines, mean_field=True)
    assert_allclose(found.values[0], here, atol=1e-8)
    open_ = np.isnan(row)
    assert_allclose(np.diag(found.moments.scatter)[open_], variances[open_])


@given(seeds)
def test_lines_from_moments_of_whole_cases_are_least_squares(seed):
    values = cases_of(network(seed), 30, seed, share=0.0)
    parents = ((), (0,), (0, 1), (), (1, 3))
    found = lines_from(Moments.of(values), parents)
    for child, who in enumerate(parents):
        design = np.column_stack([values[:, list(who)], np.ones(30)])
        solution, *_ = np.linalg.lstsq(design, values[:, child], rcond=None)
        assert_allclose(found.slopes[child, list(who)], solution[:-1], atol=1e-8)
        off = values[:, child] - design @ solution
        assert found.variance[child] == pytest.approx(np.mean(off**2))


def gapped(seed, cases=200, n=7):
    random = np.random.default_rng(seed)
    columns = []
    for at in range(n):
        column = random.normal(size=cases)
        for before in random.permutation(at)[:2]:
            column += random.choice([-1, 1]) * random.uniform(0.7, 1.3) * columns[before]
        columns.append(3 + 2 * column)
    whole = {f"X{at}": column for at, column in enumerate(columns)}
    return whole, {
        name: np.where(random.random(cases) < 0.12, np.nan, column)
        for name, column in whole.items()
    }


@pytest.mark.parametrize(
    "method", [tc.HillClimb(), tc.IdealParent(), tc.IdealParent(similarity="ideal")],
    ids=lambda each: each.describe(),
)  # fmt: skip
def test_no_round_lowers_the_score_of_what_was_observed(method):
    for seed in range(3):
        _, gaps = gapped(seed)
        found = tc.structural_em(gaps, method=method, seed=1)
        assert found.stop is Stop.CONVERGED
        assert all(after >= before - 1e-6 for before, after in pairwise(found.trace))
        many = sum(len(who) + 2 for who in found.dag.parents.values())
        price = np.log(200) / 2 * many
        assert found.score == pytest.approx(found.log_likelihood - price, abs=0.05)
        assert found.log_likelihood == pytest.approx(float(tc.log_likelihood(found.network, gaps)))


def test_dags_found_with_gaps_suit_the_whole_cases_nearly_as_well_as_those_found_on_them():
    for seed in range(4):
        whole, gaps = gapped(seed, 400)
        best = tc.search(whole, method=tc.IdealParent())
        found = tc.structural_em(gaps, method=tc.IdealParent(k=2), seed=1)
        nothing = tc.score("; ".join(whole), whole).total
        lost = best.score - tc.score(found.dag, whole).total
        assert lost < 0.05 * (best.score - nothing)


def test_rules_hold_in_every_round_and_whole_cases_are_a_plain_search():
    whole, gaps = gapped(2)
    found = tc.structural_em(gaps, knowledge="require X6 -> X0; at most 2 parents", seed=1)
    assert ("X6", "X0") in found.dag.arcs
    assert max(len(who) for who in found.dag.parents.values()) <= 2
    plain = tc.search(whole, method=tc.HillClimb(restarts=0))
    same = tc.structural_em(whole, seed=1)
    assert same.score == pytest.approx(plain.score, abs=1e-3)
