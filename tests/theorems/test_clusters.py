"""Profiles of clusters that miss the same: theorems and slower searches. [HV2 3.5, P17]"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tacit.estimate.ideal.clusters import (
    Profiles,
    best_cluster,
    cluster_of,
    cluster_score,
    leading,
    root_term,
)
from tacit.estimate.ideal.similarity import Sums, c1, c2

seeds = st.integers(0, 2**31)


def missing_the_same(seed, members=5, cases=40):
    """Rows with a common part, of mean 0 and length √cases."""
    random = np.random.default_rng(seed)
    common = random.normal(size=cases)
    rows = random.normal(size=(members, 1)) * common + random.normal(size=(members, cases))
    rows -= rows.mean(axis=1, keepdims=True)
    return rows / np.sqrt((rows**2).mean(axis=1, keepdims=True))


def summed_c1(rows, z):
    return sum(float(c1(Sums.of(row, z[:, None]), 1.0)[0]) for row in rows)


@given(seeds)
def test_no_other_profile_has_a_greater_sum_of_c1_than_half_the_eigenvalue(seed):
    rows = missing_the_same(seed)
    members, profiles = tuple(range(5)), Profiles.of(rows)
    value, vector = leading(profiles.products, members)
    best = rows.T @ vector
    assert summed_c1(rows, best) == pytest.approx(value / 2)
    random = np.random.default_rng(seed)
    others = [best + 0.3 * random.normal(size=40), *random.normal(size=(20, 40)), *rows]
    assert all(summed_c1(rows, z) <= value / 2 + 1e-9 for z in others)
    assert 40 - 1e-9 <= value <= 5 * 40 + 1e-9
    assert np.linalg.norm(rows @ best - value * vector) < 1e-8 * value


@given(seeds)
def test_cosines_are_those_of_the_eigenvector_and_the_score_is_c2_at_the_profile(seed):
    rows = missing_the_same(seed)
    found = cluster_of(Profiles.of(rows), tuple(range(5)))
    z = found.profile
    assert_allclose(found.cosines, (rows @ z) ** 2 / (z @ z) / 40)
    sums = [float(c2(Sums.of(row, z[:, None]))[0]) for row in rows]
    assert found.score == pytest.approx(sum(sums) - 2.5 * np.log(40))
    assert (z.mean(), np.mean(z**2)) == pytest.approx((0, 1))


@given(seeds, st.floats(0.01, 100))
def test_the_scale_of_what_one_member_misses_does_not_matter_once_it_is_standardised(seed, scale):
    rows = missing_the_same(seed)
    other = rows.copy()
    other[2] *= -scale
    again = other / np.sqrt((other**2).mean(axis=1, keepdims=True))
    one, two = (cluster_of(Profiles.of(each), tuple(range(5))) for each in (rows, again))
    assert_allclose(np.abs(one.profile @ two.profile) / 40, 1)
    assert one.score == pytest.approx(two.score)


def test_more_members_than_cases_are_no_difficulty():
    rows = missing_the_same(3, members=30, cases=8)
    value, vector = leading(Profiles.of(rows).products, tuple(range(30)))
    assert 8 <= value <= 30 * 8
    assert_allclose(rows @ (rows.T @ vector), value * vector, atol=1e-8)


def naive_agglomeration(profiles):
    """Every pair of clusters scored anew at every merge."""
    clusters = [(at,) for at in range(len(profiles.rows))]
    best = (-np.inf, None)

    def worth(members):
        return cluster_score(profiles.products, tuple(sorted(members)), profiles.cases)[0]

    while len(clusters) > 1:
        pairs = [(a, b) for at, a in enumerate(clusters) for b in clusters[at + 1 :]]
        one, other = max(pairs, key=lambda p: worth(p[0] + p[1]) - worth(p[0]) - worth(p[1]))
        clusters = [each for each in clusters if each not in (one, other)] + [one + other]
        best = max(best, (worth(one + other), tuple(sorted(one + other))))
    return best


def test_agglomeration_is_that_of_its_definition():
    for seed in range(12):
        rows = np.concatenate([missing_the_same(seed, 4), missing_the_same(seed + 100, 4)])
        profiles = Profiles.of(rows)
        score, members = naive_agglomeration(profiles)
        found = best_cluster(profiles)
        assert found.members == members
        assert found.score == pytest.approx(score)


@pytest.mark.parametrize("cases", [30, 100, 300])
def test_planted_groups_are_found_in_nine_of_ten_runs(cases):
    """Three hidden variables of six children, loadings ±U(0.7, 1.5), noise of sd 0.6."""
    groups = {tuple(range(at, at + 6)) for at in (0, 6, 12)}
    hits = 0
    for seed in range(10):
        random = np.random.default_rng([seed, cases])
        loadings = random.uniform(0.7, 1.5, (18, 1)) * random.choice([-1, 1], (18, 1))
        rows = loadings * np.repeat(random.normal(size=(3, cases)), 6, axis=0)
        rows += 0.6 * random.normal(size=rows.shape)
        rows -= rows.mean(axis=1, keepdims=True)
        rows /= np.sqrt((rows**2).mean(axis=1, keepdims=True))
        hits += best_cluster(Profiles.of(rows)).members in groups
    assert hits >= 9


def test_one_variable_is_no_cluster_and_a_root_costs_the_same_whatever_its_scale():
    assert best_cluster(Profiles.of(missing_the_same(0, 1))) is None
    assert root_term(10) == pytest.approx(-5 * (np.log(2 * np.pi) + 1))


def test_columns_that_have_nothing_in_common_are_worth_no_more_together_than_apart():
    """Their leading vector may be one of them alone, which explains itself to the last digit."""
    rows = np.tile([[1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]], 25)
    products = Profiles.of(rows).products
    together, _ = cluster_score(products, (0, 1), 100)
    assert together <= sum(cluster_score(products, (at,), 100)[0] for at in (0, 1))
