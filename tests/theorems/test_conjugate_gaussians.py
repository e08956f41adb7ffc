"""Normal-inverse-gamma posteriors of regressions, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, stats

import tacit as tc
from mixed import gaussian_network, mixed_network
from naive_gaussian_scores import bge_family
from tacit.estimate.continuous.conjugate import log_marginal, posterior_of
from tacit.estimate.continuous.prior import NormalGamma, Scales
from tacit.families.moments import Moments

RANDOM = np.random.default_rng(2)
PARENT = RANDOM.normal(3, 2, 12)
CHILD = 1.5 * PARENT - 2 + RANDOM.normal(0, 0.7, 12)
CASES = np.stack([PARENT, CHILD], axis=1)
SCALES = Scales(("p", "c"), np.array([2.0, 1.0]), np.array([1.5, 2.5]))
PSEUDO = NormalGamma(2.0, 6.0).pseudo(["p", "c"], SCALES)
ALONE = NormalGamma(2.0, 6.0).pseudo(["c"], SCALES)


def test_the_marginal_likelihood_of_one_variable_is_its_integral():
    """Over mean and variance: Normal(c, m, v) Normal(m, 1, v/2) InverseGamma(v)."""
    cases, freedom = CHILD[:3], ALONE.freedom
    scale = ALONE.moments.scatter[0, 0] / 2

    mean, log_v = np.meshgrid(np.linspace(-9, 11, 1501), np.linspace(-6, 9, 1501), indexing="ij")
    v = np.exp(log_v)
    logs = stats.norm.logpdf(mean, 1.0, np.sqrt(v / 2)) + log_v
    logs += stats.invgamma.logpdf(v, freedom / 2, scale=scale)
    logs += sum(stats.norm.logpdf(case, mean, np.sqrt(v)) for case in cases)
    found = integrate.trapezoid(integrate.trapezoid(np.exp(logs), log_v[0]), mean[:, 0])
    assert_allclose(log_marginal(Moments.of(cases[:, None]), ALONE), np.log(found), rtol=1e-5)


def test_the_marginal_likelihood_is_a_product_of_predictions():
    """P(cases) = Π P(case given those before), each a Student's t."""
    total, held = 0.0, Moments.of(CASES[:0])
    for case in CASES:
        known = posterior_of(held, PSEUDO)
        at = np.array([case[0], 1.0])
        scale = known.residual / known.freedom * (1 + at @ known.inverse @ at)
        total += stats.t.logpdf(case[1], known.freedom, at @ known.centre, np.sqrt(scale))
        held = held + Moments.of(case[None])
    assert_allclose(log_marginal(held, PSEUDO), total)


def test_draws_have_the_moments_and_quantiles_of_the_closed_form():
    known = posterior_of(Moments.of(CASES), PSEUDO)
    drawn, variances = known.draw(np.random.default_rng(1), 200_000)
    assert_allclose(drawn.mean(axis=0), known.centre, atol=0.01)
    assert_allclose(variances.mean(), known.residual / (known.freedom - 2), rtol=0.01)
    whole = np.column_stack([drawn, np.sqrt(variances)])
    interval = known.interval(0.9)
    assert_allclose(np.quantile(whole, 0.05, axis=0), interval.lower, rtol=0.02)
    assert_allclose(np.quantile(whole, 0.95, axis=0), interval.upper, rtol=0.02)


def test_a_fit_has_the_log_marginal_likelihood_that_bge_scores():
    network = gaussian_network(2, 5, 0.6)
    data = tc.sample(network, 80, seed=1)
    fit = tc.fit(network.dag, data, prior=tc.NormalGamma(spread=1))
    columns = np.stack([data[name] for name in data.names], axis=1)
    names = list(data.names)
    score = sum(
        bge_family(columns, names.index(child), [names.index(p) for p in parents], 1.0, 7.0)
        for child, parents in network.dag.parents.items()
    )
    assert_allclose(fit.log_marginal_likelihood, score)


@pytest.mark.parametrize(
    ("estimate", "added"),
    [(tc.Smoothed(), 0), (tc.MAP(), 4), (tc.PosteriorMean(), -2), (tc.ML(), None)],
)
def test_estimates_differ_in_the_divisor_of_the_variance(estimate, added):
    fit = tc.fit("p -> c", {"p": PARENT, "c": CHILD}, prior=tc.NormalGamma(), estimate=estimate)
    family, pseudo = fit.network["c"], fit.normal["c"]
    design = np.column_stack([PARENT, np.ones(12)])
    if added is None:
        slopes = np.linalg.lstsq(design, CHILD, rcond=None)[0]
        assert_allclose(family.sd**2, np.mean((CHILD - design @ slopes) ** 2))
        return
    known = posterior_of(Moments.of(CASES), pseudo)
    assert_allclose([*family.coefficients, family.intercept], known.centre)
    assert_allclose(family.sd**2, known.residual / (known.freedom + added))


def test_map_is_the_top_of_the_posterior_density():
    fit = tc.fit("p -> c", {"p": PARENT, "c": CHILD}, prior=tc.NormalGamma(), estimate=tc.MAP())
    family, known = fit.network["c"], posterior_of(Moments.of(CASES), fit.normal["c"])

    def log_density(slope: float, level: float, variance: float) -> float:
        away = np.array([slope, level]) - known.centre
        normal = stats.multivariate_normal.logpdf(away, np.zeros(2), variance * known.inverse)
        gamma = stats.invgamma.logpdf(variance, known.freedom / 2, scale=known.residual / 2)
        return float(normal + gamma)

    best = (family.coefficients[0], family.intercept, family.sd**2)
    top = log_density(*best)
    for at in range(3):
        for factor in (0.99, 1.01):
            other = [value * (factor if at == n else 1.0) for n, value in enumerate(best)]
            assert log_density(*other) < top


def test_every_configuration_has_the_same_prior():
    network = mixed_network(1)
    data = tc.sample(network, 40, seed=1)
    fit = tc.fit(network.dag, data, prior=tc.NormalGamma())
    assert not any("too few" in note for note in fit.notes)
    assert np.isfinite(fit.log_marginal_likelihood)
    for name, pseudo in fit.normal.items():
        assert np.isfinite(fit.intervals[name].lower).all()
        assert pseudo.moments.weight == 1.0
