"""Two layers against the joint normal, factor analysis, and integrals on a grid. [HV2 3.6, 3.8]"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal, norm
from sklearn.decomposition import FactorAnalysis

import tacit as tc
from tacit.estimate.ideal.similarity import Sums, c1, c2
from tacit.learn.layers.fitting import Fitted, em, maximised
from tacit.learn.layers.model import STRAIGHT, Layer, Points, believe

SIGMOID = 0
RANDOM = np.random.default_rng(0)


def layer_of(codes, arcs, seed=0):
    random = np.random.default_rng(seed)
    n = len(codes)
    arcs = np.asarray(arcs, dtype=bool)
    slopes = np.where(arcs, random.normal(0, 1.2, arcs.shape), 0.0)
    rise = np.where(np.asarray(codes) == STRAIGHT.code, 1.0, 3.0)
    return Layer(
        np.asarray(codes), arcs, slopes, random.normal(size=n), rise, np.zeros(n),
        random.uniform(0.3, 1, n),
    )  # fmt: skip


LINES = layer_of([2] * 5, [[1, 0], [1, 0], [1, 1], [0, 1], [0, 1]])
CURVES = layer_of([SIGMOID] * 4 + [2], [[1], [1], [1], [1], [1]], 3)


def drawn(layer, cases, seed=1):
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(cases, layer.hidden))
    return (layer.mean(hidden)[0] + np.sqrt(layer.variance) * random.normal(size=(cases, 5))).T


def test_beliefs_of_lines_are_the_joint_normal_s():
    columns = drawn(LINES, 20)
    covariance = LINES.slopes @ LINES.slopes.T + np.diag(LINES.variance)
    gain = LINES.slopes.T @ np.linalg.inv(covariance)
    found = believe(LINES, columns)
    assert_allclose(found.mean, (gain @ (columns - LINES.base[:, None])).T, atol=1e-10)
    assert_allclose(found.covariance[3], np.eye(2) - gain @ LINES.slopes, atol=1e-10)
    expected = multivariate_normal(LINES.base, covariance).logpdf(columns.T)
    assert_allclose(found.evidence, expected, atol=1e-10)


def gappy(columns, share=0.3, seed=7):
    gone = np.random.default_rng(seed).random(columns.shape) < share
    gone[:, 0] = True
    return np.where(gone, np.nan, columns)


def test_beliefs_of_cases_with_gaps_are_the_joint_normal_s_of_what_is_there():
    columns = gappy(drawn(LINES, 20))
    covariance = LINES.slopes @ LINES.slopes.T + np.diag(LINES.variance)
    found = believe(LINES, columns)
    for case, values in enumerate(columns.T):
        there = np.flatnonzero(~np.isnan(values))
        slopes, own = LINES.slopes[there], covariance[np.ix_(there, there)]
        gain = slopes.T @ np.linalg.inv(own) if there.size else np.zeros((2, 0))
        assert_allclose(found.mean[case], gain @ (values - LINES.base)[there], atol=1e-10)
        assert_allclose(found.covariance[case], np.eye(2) - gain @ slopes, atol=1e-10)
        expected = (
            multivariate_normal(LINES.base[there], own).logpdf(values[there]) if there.size else 0.0
        )
        assert found.evidence[case] == pytest.approx(expected, abs=1e-10)


def test_beliefs_of_curves_with_gaps_are_those_of_the_columns_that_are_there():
    columns = gappy(drawn(CURVES, 15))
    found = believe(CURVES, columns)
    for case, values in enumerate(columns.T):
        there = np.flatnonzero(~np.isnan(values))
        if not there.size:
            assert found.evidence[case] == 0
            continue
        few = Layer(*(getattr(CURVES, name)[there] for name in Layer.__slots__))
        alone = believe(few, values[there, None])
        assert_allclose(found.mean[case], alone.mean[0], atol=1e-3)
        assert found.evidence[case] == pytest.approx(float(alone.evidence[0]), abs=1e-4)


def test_beliefs_of_curves_are_near_the_integrals_on_a_grid():
    columns, grid = drawn(CURVES, 15), np.linspace(-7, 7, 4001)[:, None]
    found, errors = believe(CURVES, columns), list[float]()
    mean, _ = CURVES.mean(grid)
    for case in range(15):
        logs = norm.logpdf(columns[:, case], mean, np.sqrt(CURVES.variance)).sum(axis=1)
        logs += norm.logpdf(grid[:, 0])
        weights = np.exp(logs - logs.max())
        integral = np.log(np.trapezoid(weights, grid[:, 0])) + logs.max()
        errors.append(float(found.evidence[case]) - integral)
        assert found.mean[case, 0] == pytest.approx(grid[logs.argmax(), 0], abs=5e-3)
    assert np.abs(errors).max() < 0.8
    assert np.mean(np.abs(errors)) < 0.25


def test_points_have_the_means_and_covariances_of_the_belief():
    columns = drawn(LINES, 12)
    belief = believe(LINES, columns)
    points = Points.of(belief, columns)
    each = points.values.reshape(2, 4, 12)  # hidden, points, cases
    assert_allclose(each.mean(axis=1), belief.mean.T)
    off = each - each.mean(axis=1, keepdims=True)
    assert_allclose(np.einsum("hpm,kpm->mhk", off, off) / 4, belief.covariance, atol=1e-12)
    assert points.weights.sum() == pytest.approx(12)


def test_similarities_in_moment_form_are_the_most_of_the_expected_likelihood_p20():
    """Where z is only believed, C1 and C2 with its second moments are what a search along the
    coefficient finds; the means alone promise more."""
    columns = drawn(LINES, 60)
    points = Points.of(believe(LINES, columns), columns)
    child, z, weights = points.columns[0], points.values[0], points.weights
    middle = weights @ child / weights.sum()
    ideal = child - middle
    sums = Sums.of(ideal, z[:, None], weights)
    variance = sums.own / sums.cases
    slopes = np.linspace(-3, 3, 20_001)
    squares = [float(weights @ (ideal - a * z) ** 2) for a in slopes]
    gain = (sums.own - min(squares)) / (2 * variance)
    assert c1(sums, variance)[0] == pytest.approx(gain, rel=1e-5)
    assert c2(sums)[0] == pytest.approx(-30 * np.log(min(squares) / sums.own), rel=1e-5)
    plain = Sums.of((columns[0] - middle), believe(LINES, columns).mean[:, :1])
    assert c2(plain)[0] > c2(sums)[0]


@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "gaps"])
@pytest.mark.parametrize("layer", [LINES, CURVES], ids=["lines", "curves"])
def test_no_step_of_em_lowers_the_likelihood(layer, gaps):
    columns = gappy(drawn(layer, 80)) if gaps else drawn(layer, 80)
    fitted = Fitted.at(layer, columns)
    trace = [fitted.log_likelihood]
    for _ in range(15):
        fitted = em(fitted, columns, 1)
        trace.append(fitted.log_likelihood)
    assert all(after >= before for before, after in pairwise(trace))
    assert trace[-1] > trace[0]


def test_one_hidden_variable_above_lines_is_factor_analysis():
    random = np.random.default_rng(4)
    columns = random.normal(size=(6, 1)) * random.normal(size=300) + random.normal(size=(6, 300))
    columns = (columns - columns.mean(axis=1, keepdims=True)) / columns.std(axis=1, keepdims=True)
    begun = Layer(
        np.full(6, STRAIGHT.code), np.ones((6, 1), bool), np.full((6, 1), 0.5), np.zeros(6),
        np.ones(6), np.zeros(6), np.full(6, 0.5),
    )  # fmt: skip
    fitted = Fitted.at(begun, columns)
    for _ in range(10):
        fitted = em(fitted, columns)
    oracle = FactorAnalysis(1, tol=1e-10, max_iter=10_000, svd_method="lapack").fit(columns.T)
    assert fitted.log_likelihood == pytest.approx(300 * oracle.score(columns.T), abs=0.05)
    loadings = oracle.components_[0]
    ours = fitted.layer.slopes[:, 0] * np.sign(loadings @ fitted.layer.slopes[:, 0])
    assert_allclose(ours, loadings, atol=0.02)


def test_a_fit_at_points_that_are_cases_is_least_squares():
    columns = drawn(LINES, 50)
    random = np.random.default_rng(2)
    points = Points(random.normal(size=(2, 50)), columns, np.ones(50))
    found = maximised(LINES, points)
    design = np.column_stack([*points.values, np.ones(50)])
    solution, left, *_ = np.linalg.lstsq(design, columns[2], rcond=None)
    assert_allclose(found.slopes[2], solution[:2])
    assert found.variance[2] == pytest.approx(left[0] / 50)


def planted(seed, cases, curved, noise=0.6):
    random = np.random.default_rng(seed)
    hidden, columns = random.normal(size=(3, cases)), {}
    for at in range(18):
        term = random.choice([-1, 1]) * random.uniform(0.7, 1.5) * hidden[at // 6]
        mean = 4 / (1 + np.exp(-2 * term)) if curved else term
        columns[f"X{at}"] = mean + noise * random.normal(size=cases)
    return columns


@pytest.mark.parametrize("family", [None, tc.SigmoidGaussian], ids=["lines", "sigmoids"])
def test_three_planted_hidden_parents_are_found_up_to_one_with_their_children(family):
    right = 0
    for seed in range(2):
        data = planted(seed, 120, family is not None)
        found = tc.search(data, method=tc.IdealParent(hidden=True), family=family, seed=1)
        assert 2 <= len(found.found.hidden) <= 4
        for group in range(3):
            own = {f"X{at}" for at in range(6 * group, 6 * group + 6)}
            shares = [
                len(own & set(found.dag.children[name]))
                - 0.5 * len(set(found.dag.children[name]) - own)
                for name in found.found.hidden
            ]
            right += max(shares) >= 3
    assert right >= 5  # of six


def test_a_cluster_is_a_better_place_for_a_new_hidden_variable_than_above_all():
    """Sigmoids, so few cases that arcs to all columns are hard to leave again."""
    data = planted(0, 60, True)
    cluster, everywhere = (
        tc.search(data, method=tc.IdealParent(hidden=True, insert=insert, most_hidden=3),
                  family=tc.SigmoidGaussian, seed=1)
        for insert in ("cluster", "all")
    )  # fmt: skip
    assert cluster.score > everywhere.score
    assert cluster.evaluations > 0
