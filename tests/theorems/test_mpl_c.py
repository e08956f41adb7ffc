"""MPL-C and MPL-TC: what the model as printed computes. TRANS-3, 4, 6, 7; estimation 3.3."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import beta

import naive_separable as naive
import tacit as tc
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.separable import separable


def printed(counts, lower=0.0, upper=1.0, likelihood="binomial_product"):
    counts = np.asarray(counts, dtype=float)
    misses = counts.sum() - counts if likelihood == "binomial_product" else None
    limits = (np.broadcast_to(np.asarray(each, float), counts.shape) for each in (lower, upper))
    return separable(np.array([0, counts.size]), Density(1 + counts, misses), *limits)


@pytest.mark.parametrize(
    ("counts", "plain", "product"),
    [
        ((0, 3), (0.200, 0.163), (0.125, 0.110)),
        ((2, 8), (0.250, 0.120), (0.227, 0.087)),
        ((20, 80), (0.206, 0.040), (0.203, 0.028)),
    ],
)
def test_the_table_of_two_states(counts, plain, product):
    for said, likelihood in ((plain, "multinomial"), (product, "binomial_product")):
        found = printed(counts, likelihood=likelihood)
        assert_allclose([found.mean[0], found.sd[0]], said, atol=6e-4)


@pytest.mark.parametrize("counts", [(0, 3), (2, 8), (20, 80), (0, 0), (5, 0)])
def test_two_states_are_betas_of_twice_the_cases(counts):
    law = beta(2 * counts[0] + 1, 2 * counts[1] + 1)
    found = printed(counts)
    assert_allclose(found.mean[0], law.mean(), atol=1e-10)
    assert_allclose(found.sd[0], law.std(), rtol=1e-7)


@pytest.mark.parametrize(
    ("counts", "ratios"),
    [
        ((30, 30, 30), (1.48, 1.48, 1.48)),
        ((25, 25, 25, 25), (1.32,) * 4),
        ((2, 5, 13), (1.36, 1.52, 1.67)),
    ],
)
def test_more_states_are_more_sure_than_they_may_be(counts, ratios):
    plain, product = printed(counts, likelihood="multinomial"), printed(counts)
    assert_allclose((plain.sd / product.sd) ** 2, ratios, atol=0.02)


def test_narrow_and_zero_width_intervals():
    found = printed((0, 40, 60), [0, 0.0095, 0], [0, 0.0105, 1])
    assert found.mean[0] == 0
    assert found.sd[0] == 0
    assert 0.0095 < found.mean[1] < 0.0105
    assert 0 < found.sd[1] < 0.001 / np.sqrt(12) * 1.01
    assert_allclose(found.mean.sum(), 1, atol=1e-12)


def test_a_cut_off_beta():
    """The mean a/(a+b) · [I_hi(a+1,b) - I_lo(a+1,b)] / [I_hi(a,b) - I_lo(a,b)]."""
    a, b, low, high = 3, 9, 0.3, 0.45
    more, same = beta(a + 1, b), beta(a, b)
    mean = a / (a + b) * np.diff(more.cdf([low, high])) / np.diff(same.cdf([low, high]))
    found = printed((2, 8), [low, 0], [high, 1], "multinomial")
    assert_allclose(found.mean[0], mean[0], atol=1e-10)


def test_five_states_with_bounds_need_no_sampler():
    counts = {"red": 3, "blue": 9, "green": 1, "white": 0, "black": 7}
    names = sorted(counts)
    data = {"Colour": [name for name in names for _ in range(counts[name])] + ["white"]}
    known = "P(Colour=red) <= 0.12\nP(Colour=blue) >= 0.4"
    found = tc.posterior(
        "Colour", data, knowledge=known, prior=tc.K2(), likelihood="binomial_product", seed=1
    )
    assert found.diagnostics.sampled == 0
    seen = {**counts, "white": 1}
    total = sum(seen.values())
    cells = [
        (1 + seen[name], total - seen[name], 0, np.inf,
         0.4 if name == "blue" else 0.0, 0.12 if name == "red" else 1.0)
        for name in names
    ]  # fmt: skip
    told = naive.convolved(cells)
    order = [names.index(state) for state in found.network["Colour"].variables[-1].states]
    assert_allclose(found.mean["Colour"], told.mean[order], atol=1e-6)
    assert_allclose(found.sd["Colour"], told.sd[order], rtol=1e-4)


def test_a_normal_prior_on_three_states_needs_no_sampler():
    data = {"Coin": ["a"] * 2 + ["b"] * 3 + ["c"] * 5}
    prior = tc.TruncatedNormal({"Coin": [0.3, 0.4, 0.3]}, sd=0.05)
    found = tc.posterior("Coin", data, prior=prior, knowledge="P(Coin=a) >= 0.25", seed=1)
    assert found.diagnostics.sampled == 0
    cells = [(3, 0, 0.3, 0.05, 0.25, 1), (4, 0, 0.4, 0.05, 0, 1), (6, 0, 0.3, 0.05, 0, 1)]
    assert_allclose(found.mean["Coin"], naive.convolved(cells).mean, atol=1e-6)
