"""How well a continuous variable is predicted, beside scikit-learn, scipy and integration."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.stats import norm
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

import tacit as tc
from tacit.learn.evaluation.densities import crps, log_densities, shares_below
from tacit.learn.evaluation.evaluation import together

DAG = "State, Wind -> Power; State, Power -> Noise"


def turbines(cases: int, seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    state = random.choice(["new", "worn"], cases, p=[0.7, 0.3])
    wind = random.normal(8, 2, cases)
    power = np.where(state == "new", 3.0, 2.4) * wind - 4 + random.normal(0, 1.5, cases)
    noise = 40 + 0.5 * power + np.where(state == "new", 0, 3) + random.normal(0, 1, cases)
    return {"State": state, "Wind": wind, "Power": power, "Noise": noise}


CASES = turbines(300, 1)
NETWORK = tc.fit(DAG, turbines(200, 2)).network
TOLD = tc.evaluate(NETWORK, CASES, "Power")
OPEN = tc.evaluate(NETWORK, {name: CASES[name] for name in ("Wind", "Power")}, "Power")

normals = st.lists(
    st.tuples(st.floats(0.05, 1), st.floats(-5, 5), st.floats(0.05, 4)), min_size=1, max_size=4
)


def mixture(drawn):
    weights, means, sds = (np.array(each)[None] for each in zip(*drawn, strict=True))
    return weights / weights.sum(), means, sds


def below(value, weights, means, sds):
    return float((weights * norm.cdf(value, means, sds)).sum())


@settings(max_examples=40, deadline=None)
@given(st.floats(-8, 8), normals)
def test_the_score_is_the_integral_of_its_definition(truth, drawn):
    held = mixture(drawn)
    low = quad(lambda x: below(x, *held) ** 2, -40, truth, points=[-5, 0], limit=400)[0]
    high = quad(lambda x: (below(x, *held) - 1) ** 2, truth, 40, points=[0, 5], limit=400)[0]
    assert_allclose(crps(np.array([truth]), *held), low + high, rtol=1e-6, atol=1e-8)


@given(st.floats(-8, 8), normals)
def test_weighted_points_are_normals_without_noise(truth, drawn):
    weights, points, _ = mixture(drawn)
    place, none = np.array([truth]), np.zeros((1, 1))
    pairs = np.abs(points - points.T)
    slow = (weights * np.abs(points - truth)).sum() - 0.5 * (weights.T * weights * pairs).sum()
    assert_allclose(crps(place, weights, points, none), slow, atol=1e-12)
    assert_allclose(crps(place, weights, points, none + 1e-9), slow, atol=1e-8)


@given(st.floats(-8, 8), normals)
def test_densities_and_shares_are_those_of_the_mixture(truth, drawn):
    weights, means, sds = mixture(drawn)
    density = (weights * norm.pdf(truth, means, sds)).sum()
    with np.errstate(divide="ignore"):
        slow = np.log(density)
    place = np.array([truth])
    if density > 1e-300:
        assert_allclose(log_densities(place, weights, means, sds), slow, rtol=1e-9)
    assert_allclose(shares_below(place, weights, means, sds), below(truth, weights, means, sds))


def test_certain_values_have_infinite_density_and_their_distance_as_score():
    truth, weights = np.array([2.0, 2.0]), np.ones((1, 1))
    means, sds = np.array([[2.0], [3.0]]), np.zeros((1, 1))
    assert_array_equal(log_densities(truth, weights, means, sds), [np.inf, -np.inf])
    assert_array_equal(crps(truth, weights, means, sds), [0, 1])
    assert_array_equal(shares_below(truth, weights, means, sds), [0.5, 0])


@pytest.mark.parametrize("told", [TOLD, OPEN])
def test_measures_are_those_of_scikit_learn(told):
    assert_allclose(told.rmse, np.sqrt(mean_squared_error(told.truth, told.mean)), rtol=1e-12)
    assert_allclose(told.mae, mean_absolute_error(told.truth, told.mean), rtol=1e-12)
    assert_allclose(told.r_squared, r2_score(told.truth, told.mean), rtol=1e-12)


def test_weights_count_as_in_scikit_learn():
    weight = np.random.default_rng(0).integers(1, 4, 300).astype(float)
    cases = tc.read_cases(CASES, like=NETWORK).with_weights(weight)
    told = tc.evaluate(NETWORK, cases, "Power")
    expected = mean_squared_error(told.truth, told.mean, sample_weight=weight)
    assert_allclose(told.rmse, np.sqrt(expected), rtol=1e-12)
    assert_allclose(told.r_squared, r2_score(told.truth, told.mean, sample_weight=weight))
    repeated = cases.with_weights(None).take(np.repeat(np.arange(300), weight.astype(int)))
    plain, other = told.to_plain(), tc.evaluate(NETWORK, repeated, "Power").to_plain()
    for name in ("log_score", "log_score_error", "mae", "crps", "calibration_error"):
        assert_allclose(plain[name], other[name])


@pytest.mark.parametrize(("told", "names"), [(TOLD, ("State", "Wind", "Noise")), (OPEN, ("Wind",))])
def test_every_case_is_a_query(told, names):
    for case in range(0, 300, 60):
        answer = tc.query(NETWORK, "Power", given={name: CASES[name][case] for name in names})
        weights, sds = answer.weights, np.sqrt(answer.covariances[:, 0, 0])
        means, value = answer.means[:, 0], CASES["Power"][case]
        assert_allclose(told.mean[case], answer.mean["Power"], rtol=1e-10)
        assert_allclose(told.sd[case], answer.sd["Power"], rtol=1e-10)
        assert_allclose(told.below[case], answer.probability("Power", below=value), atol=1e-12)
        density = (weights * norm.pdf(value, means, sds)).sum()
        assert_allclose(told.log_density[case], np.log(density), rtol=1e-9)
        inside = answer.quantiles("Power", [0.25, 0.75])
        assert (inside[0] <= value <= inside[1]) == (abs(told.below[case] - 0.5) <= 0.25)


def test_the_log_density_is_what_the_target_adds_to_the_rest_of_the_case():
    rest = {name: CASES[name] for name in CASES if name != "Power"}
    apart = tc.log_likelihood(NETWORK, CASES).per_case - tc.log_likelihood(NETWORK, rest).per_case
    assert_allclose(TOLD.log_density, apart, atol=1e-9)


def test_the_predicted_mean_of_a_normal_network_is_a_regression():
    random = np.random.default_rng(3)
    one, two = random.normal(size=(2, 200))
    columns = {"A": one, "B": two, "Y": 2 * one - two + random.normal(size=200)}
    fit = tc.fit("A, B -> Y; A -> B", columns, estimate=tc.ML())
    told = tc.evaluate(fit, columns, "Y")
    line = LinearRegression().fit(np.column_stack([one, two]), columns["Y"])
    assert_allclose(told.r_squared, line.score(np.column_stack([one, two]), columns["Y"]))
    assert_allclose(told.mean, line.predict(np.column_stack([one, two])), atol=1e-10)
    assert_allclose(told.crps, np.mean(_crps_of_normals(told)), rtol=1e-12)


def _crps_of_normals(told):
    """σ (z (2 Φ(z) - 1) + 2 φ(z) - 1/√π), as textbooks print it."""
    z = (told.truth - told.mean) / told.sd
    return told.sd * (z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z) - 1 / np.sqrt(np.pi))


def test_intervals_hold_what_lies_inside_them():
    for level, (share, _) in ((each, TOLD.coverage(each)) for each in (0.5, 0.9, 0.95)):
        low, high = norm.interval(level, TOLD.mean, TOLD.sd)
        assert share == np.mean((low <= TOLD.truth) & (high >= TOLD.truth))
    assert TOLD.coverage_95 == TOLD.coverage(0.95)[0]


def test_calibration_is_the_histogram_of_quantiles():
    bins = TOLD.calibration(bins=5)
    held, _ = np.histogram(norm.cdf(TOLD.truth, TOLD.mean, TOLD.sd), 5, (0, 1))
    assert_allclose([each.weight for each in bins], held)
    assert_allclose([each.observed for each in bins], held / 300)
    assert {each.predicted for each in bins} == {0.2}


def test_one_normal_for_all_is_the_density_of_their_own():
    spread = norm(TOLD.truth.mean(), TOLD.truth.std())
    assert_allclose(TOLD.base_log_score, spread.logpdf(TOLD.truth).mean(), rtol=1e-12)
    assert TOLD.log_score > TOLD.base_log_score + 0.5


def test_gaps_are_integrated_out_and_lacking_targets_told_of():
    gaps = {name: list(column) for name, column in CASES.items()}
    for case in range(10):
        gaps["Power"][case] = None
    for case in range(5, 40):
        gaps["Wind"][case] = None
        gaps["State"][case] = None
    told = tc.evaluate(NETWORK, gaps, "Power")
    assert told.notes == ("10 cases lack Power and cannot be judged",)
    assert_array_equal(told.cases, np.arange(10, 300))
    answer = tc.query(NETWORK, "Power", given={"Noise": CASES["Noise"][20]})
    assert_allclose(told.mean[10], answer.mean["Power"])
    assert answer.weights.size == 2


def test_a_target_alone_is_predicted_by_its_margin():
    alone = tc.evaluate(NETWORK, {"Power": CASES["Power"]}, "Power")
    assert_allclose(alone.mean, tc.query(NETWORK, "Power").mean["Power"])
    assert len(alone) == 300


def test_exact_functions_are_predicted_for_certain():
    a, b, total = (tc.Continuous(name) for name in ("A", "B", "Total"))
    roots = [tc.LinearGaussian((a,), [], 1, 1), tc.LinearGaussian((b,), [], 2, 2)]
    network = tc.Network.of([*roots, tc.LinearGaussian((a, b, total), [1, 1], 0, 0)])
    one, two = np.random.default_rng(0).normal(size=(2, 20))
    told = tc.evaluate(network, {"A": one, "B": two, "Total": one + two}, "A")
    assert told.log_score == np.inf
    assert_allclose([told.rmse, told.crps], 0, atol=1e-12)
    assert told.coverage_95 == 1
    off = tc.evaluate(network, {"A": one, "B": two, "Total": one + two + 1}, "A")
    assert off.log_score == -np.inf
    assert_allclose(off.crps, 1)


def test_cross_validation_predicts_values_held_out():
    found = tc.cross_validate(DAG, CASES, folds=4, target="Power", seed=3)
    told = found.evaluation
    assert isinstance(told, tc.RealEvaluation)
    assert_array_equal(told.cases, np.arange(300))
    data = tc.read_cases(CASES)
    for fold, network in enumerate(found.networks):
        inside = np.flatnonzero(found.fold == fold)
        there = tc.evaluate(network, data.take(inside), "Power")
        assert_allclose(told.distance[inside], there.distance)
    assert found.to_plain()["prediction"]["rmse"] == told.rmse
    assert "Power predicted in 300 cases" in str(found)


@pytest.mark.parametrize("target", ["Power", "State"])
def test_what_folds_leave_out_is_told_once_for_all(target):
    gaps = {name: list(column) for name, column in CASES.items()}
    for case in range(30):
        gaps[target][case] = None
    told = tc.cross_validate(DAG, gaps, folds=3, target=target, seed=3).evaluation
    assert told is not None
    assert told.notes == (f"30 cases lack {target} and cannot be judged",)


def test_learning_curves_measure_values():
    curve = tc.learning_curve(DAG, CASES, [40, 200], target="Power", repeats=2, seed=5)
    order = np.random.default_rng(np.random.SeedSequence(5).spawn(2)[1]).permutation(300)
    data = tc.read_cases(CASES)
    network = tc.fit(DAG, data.take(order[90:130])).network
    told = tc.evaluate(network, data.take(order[:90]), "Power")
    for name in ("log_score", "rmse", "mae", "r_squared", "crps", "coverage_95"):
        assert_allclose(curve.values[name][0, 0, 1], getattr(told, name), rtol=1e-10)
    assert "brier" not in curve.values
    assert "coverage_95" in str(curve)


def test_curves_are_judged_exactly_below_and_by_draws_above():
    random = np.random.default_rng(4)
    x = random.normal(size=12)
    y = 3 / (1 + np.exp(-2 * x)) + random.normal(0, 0.2, 12)
    columns = {"X": x, "Y": y}
    one, two = tc.Continuous("X"), tc.Continuous("Y")
    network = tc.Network.of(
        [tc.LinearGaussian((one,), [], 0, 1), tc.SigmoidGaussian((one, two), [2], 0, 3, 0, 0.2)]
    )
    child = tc.evaluate(network, columns, "Y")
    assert_allclose(child.mean, 3 / (1 + np.exp(-2 * x)))
    assert not child.drawn.any()
    parent = tc.evaluate(network, columns, "X")
    assert parent.drawn.all()
    assert parent.notes == (
        "in 12 cases what is unknown stands above a curve, and X was predicted by weighted draws, "
        "not exactly",
    )
    grid = np.linspace(-8, 8, 20_001)
    for case in range(4):
        law = norm.pdf(grid) * norm.pdf(y[case], 3 / (1 + np.exp(-2 * grid)), 0.2)
        law /= np.trapezoid(law, grid)
        share = np.interp(x[case], grid, np.cumsum(law) * (grid[1] - grid[0]))
        step = np.cumsum(law) * (grid[1] - grid[0]) - (grid >= x[case])
        assert_allclose(parent.below[case], share, atol=0.02)
        assert_allclose(parent.distance[case], np.trapezoid(step**2, grid), atol=0.02)
        density = np.log(np.interp(x[case], grid, law))
        assert_allclose(parent.log_density[case], density, atol=0.02)


def test_parts_together_are_the_whole():
    data = tc.read_cases(CASES)
    one, two = np.arange(1, 300, 2), np.arange(0, 300, 2)
    parts = [tc.evaluate(NETWORK, data.take(each), "Power") for each in (one, two)]
    again = together(
        [
            type(each)(**{**_held(each), "cases": at})
            for each, at in zip(parts, (one, two), strict=True)
        ]
    )
    assert_allclose(again.log_density, TOLD.log_density)


def _held(told):
    return {name: getattr(told, name) for name in type(told).__slots__}


def test_an_evaluation_of_values_prints_and_can_be_pickled():
    text = str(TOLD)
    assert text.startswith("Power predicted in 300 cases\nlog score -1.")
    assert "against the mean of these cases" in text
    again = pickle.loads(pickle.dumps(TOLD))
    assert again.to_plain() == TOLD.to_plain()
    assert "<table" in TOLD._repr_html_()
    assert repr(TOLD) == "<RealEvaluation of Power in 300 cases>"
