"""Curves fitted to cases against scipy and against their own derivatives. [HV2 3.1, HV2-24]"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_ideal as naive
import tacit as tc
from tacit.core.variables import Continuous
from tacit.engines.curve_scores import curve_scorer
from tacit.estimate.curves import curve_gradient, curve_log_likelihood, estimate_curve
from tacit.families.responses import RESPONSES
from tacit.learn.curved import CURVED

seeds = st.integers(0, 2**31)
every_curve = pytest.mark.parametrize("kind", list(CURVED.values()), ids=list(CURVED))


def cases_of(seed, parents=2, cases=60, noise=0.3):
    """Cases of a sigmoid, off the origin and in units of their own, the child last."""
    random = np.random.default_rng(seed)
    columns = random.normal(size=(cases, parents)) * 3 + 5
    slopes = random.uniform(0.3, 1.0, parents) * random.choice([-1, 1], parents)
    child = 10 + 4 * naive.sigmoid((columns - 5) @ slopes) + noise * random.normal(size=cases)
    return np.column_stack([columns, child])


def axes(size):
    return tuple(Continuous(f"X{at}") for at in range(size))


@every_curve
@given(seed=seeds)
def test_gradients_are_finite_differences(kind, seed):
    random = np.random.default_rng(seed)
    cases = cases_of(seed, 3, 25)
    weights = random.uniform(0, 2, 25)
    means = weights @ cases[:, :-1] / weights.sum()

    def at(point):
        slopes = point[:3]
        family = kind(axes(4), slopes, point[3], point[4], slopes @ means, np.exp(point[5]))
        return family, curve_log_likelihood(family, cases, weights)

    point = np.array([*random.normal(0, 0.3, 3), 10 + random.normal(), 3 + random.normal(), 0.4])
    step = 1e-5
    differences = [
        (at(point + step * e)[1] - at(point - step * e)[1]) / (2 * step) for e in np.eye(6)
    ]
    found = curve_gradient(at(point)[0], cases, weights)
    assert_allclose(found, differences, rtol=1e-5, atol=1e-4)


@every_curve
@given(seed=seeds)
def test_at_the_estimate_no_derivative_is_left(kind, seed):
    cases = cases_of(seed, 2)
    family = estimate_curve(kind, axes(3), cases)
    gradient = curve_gradient(family, cases)
    unit = np.array([*cases[:, :-1].std(axis=0), 1.0, 1.0, 1.0])
    assert np.abs(gradient / unit).max() < 0.05 * np.sqrt(len(cases)) * max(1, abs(family.rise))
    assert gradient[-1] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_no_start_of_another_optimiser_finds_a_better_sigmoid(seed):
    cases = cases_of(seed, 2)
    family = estimate_curve(tc.SigmoidGaussian, axes(3), cases)
    random = np.random.default_rng(seed)
    starts = random.normal(size=(12, 2)) * np.exp(random.uniform(-2, 1, (12, 1)))
    best = naive.curve_fit(cases[:, 2], list(cases[:, :2].T), naive.sigmoid, starts)
    assert curve_log_likelihood(family, cases) >= best - 1e-3


def test_an_identity_for_a_response_is_least_squares():
    class Straight(tc.SigmoidGaussian):
        response = RESPONSES["identity"]

    cases = cases_of(1, 3)
    family = estimate_curve(Straight, axes(4), cases)
    likelihood, solution, _ = naive.normal_fit(cases[:, 3], list(cases[:, :3].T))
    assert curve_log_likelihood(family, cases) == pytest.approx(likelihood, abs=1e-6)
    assert_allclose(family.rise * family.coefficients, solution[:-1], rtol=1e-4)


def test_planted_numbers_come_back_from_many_cases():
    a, b, x = axes(3)
    truth = tc.SigmoidGaussian((a, b, x), [0.8, -0.5], 1.0, 3.0, 0.0, 0.2)
    network = tc.Network.of(
        [tc.LinearGaussian((a,), [], 0, 1), tc.LinearGaussian((b,), [], 0, 1), truth]
    )
    found = tc.fit(network.dag, tc.sample(network, 20_000, seed=5), families=tc.SigmoidGaussian)
    curve = found.network["X2"]
    assert_allclose(curve.coefficients, truth.coefficients, atol=0.03)
    assert (curve.base, curve.rise, curve.sd) == pytest.approx((1.0, 3.0, 0.2), abs=0.06)
    interval = found.intervals["X2"]
    planted = [0.8, -0.5, 1.0, 3.0, 0.2]
    width = interval.upper - interval.lower
    assert (width < 0.2).all()
    assert (np.abs(planted - (interval.lower + interval.upper) / 2) < 2 * width).all()


def test_intervals_hold_as_often_as_they_say():
    a, x = axes(2)
    truth = tc.SigmoidGaussian((a, x), [2.0], 0.0, 2.0, 0.0, 0.3)
    inside, random = np.zeros(4), np.random.default_rng(8)
    for _ in range(200):
        parent = random.normal(size=120)
        parent -= parent.mean()  # where the threshold is put
        cases = {"X0": parent, "X1": truth.sample([parent], 120, random)}
        found = tc.fit("X0 -> X1", cases, families=tc.SigmoidGaussian)
        interval = found.intervals["X1"]
        planted = np.array([2.0, 0.0, 2.0, 0.3])
        inside += (interval.lower <= planted) & (planted <= interval.upper)
    assert (np.abs(inside / 200 - 0.95) < 0.05).all()


def test_scores_are_the_likelihood_less_half_a_log_of_the_cases_per_parameter():
    cases = cases_of(2, 2)
    data = tc.read_cases({f"X{at}": column for at, column in enumerate(cases.T)})
    scorer = curve_scorer(data, tc.BIC(), {"X2": tc.SigmoidGaussian})
    price = np.log(len(cases)) / 2
    for parents in ((0,), (1,), (0, 1)):
        chosen = cases[:, [*parents, 2]]
        family = estimate_curve(tc.SigmoidGaussian, axes(len(parents) + 1), chosen)
        expected = curve_log_likelihood(family, chosen) - price * (len(parents) + 3)
        assert scorer.family(2, parents) == pytest.approx(expected, abs=1e-5)
    alone = naive.normal_fit(cases[:, 2], [])[0] - 2 * price
    assert scorer.family(2, ()) == pytest.approx(alone)
    lines = naive.normal_fit(cases[:, 0], [cases[:, 1]])[0] - 3 * price
    assert scorer.family(0, (1,)) == pytest.approx(lines)


def test_a_weight_is_so_many_cases():
    cases = cases_of(4, 2, 40)
    times = np.random.default_rng(0).integers(0, 4, 40)
    weighed = estimate_curve(tc.SigmoidGaussian, axes(3), cases, times.astype(float))
    repeated = estimate_curve(tc.SigmoidGaussian, axes(3), np.repeat(cases, times, axis=0))
    assert_allclose(weighed.coefficients, repeated.coefficients, rtol=1e-4)
    assert weighed.sd == pytest.approx(repeated.sd, rel=1e-7)
