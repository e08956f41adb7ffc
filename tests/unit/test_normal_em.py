"""EM where variables are continuous: against joint normals, scikit-learn, and its own promises."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import naive_mixed
import tacit as tc
from mixed import gaussian_network, mixed_network
from tacit.cli.main import execute
from tacit.learn.continuous import running
from tacit.learn.continuous.families import NoNoiseError

RANDOM = np.random.default_rng(0)
FACTOR = RANDOM.normal(size=300)
LOADINGS = np.array([1.0, 2.0, -0.5, 0.7])
NOISE = np.array([0.5, 1.0, 0.7, 0.9])
MEASURED = FACTOR[:, None] * LOADINGS + RANDOM.normal(size=(300, 4)) * NOISE + 3
COLUMNS = {f"x{at}": MEASURED[:, at] for at in range(4)}
EXACT = tc.EM(tolerance=1e-13)
ONE_FACTOR = "F -> x0, x1, x2, x3"


def test_one_hidden_parent_is_factor_analysis():
    from sklearn.decomposition import FactorAnalysis

    hidden = {"F": "continuous"}
    fit = tc.fit(ONE_FACTOR, COLUMNS, hidden=hidden, estimate=tc.ML(), method=EXACT, seed=1)
    peer = FactorAnalysis(1, tol=1e-12, max_iter=10_000, svd_method="lapack").fit(MEASURED)
    assert_allclose(fit.log_likelihood, peer.score(MEASURED) * 300, rtol=1e-9)
    ours = np.array([fit.network[name].coefficients[0] for name in COLUMNS])
    assert_allclose(ours, peer.components_[0] * np.sign(peer.components_[0, 0]), rtol=1e-4)
    assert_allclose(
        [fit.network[name].sd ** 2 for name in COLUMNS], peer.noise_variance_, rtol=1e-4
    )
    assert fit.network["F"] == tc.LinearGaussian((tc.Continuous("F"),), np.zeros(0), 0.0, 1.0)
    assert ours[0] > 0


def test_a_hidden_variable_between_measured_ones_reaches_the_best_joint_normal():
    """X -> F -> a, b, c, F ~ Normal(b X, 1): the joint normal of X, a, b, c by its own numbers."""
    random = np.random.default_rng(8)
    x = random.normal(size=120)
    f = 0.8 * x + random.normal(size=120)
    measured = np.outer(f, [1.0, 1.5, -0.7]) + random.normal(size=(120, 3)) * [0.5, 0.7, 0.6]
    cases = {"X": x, **dict(zip("abc", measured.T, strict=True))}
    hidden = {"F": "continuous"}
    fit = tc.fit("X -> F -> a, b, c", cases, hidden=hidden, estimate=tc.ML(), method=EXACT, seed=1)
    every = np.column_stack([x, measured])

    def cost(t: np.ndarray) -> float:
        loads, variance = t[2:5], np.exp(t[8])
        mean = np.append(t[0], t[5:8] + loads * t[1] * t[0])
        spread = np.zeros((4, 4))
        spread[0, 0] = variance
        spread[0, 1:] = spread[1:, 0] = t[1] * variance * loads
        spread[1:, 1:] = np.outer(loads, loads) * (t[1] ** 2 * variance + 1)
        spread[1:, 1:] += np.diag(np.exp(t[9:]))
        off = every - mean
        volume = np.linalg.slogdet(2 * np.pi * spread)[1]
        squares = np.einsum("ci,ij,cj->", off, np.linalg.inv(spread), off)
        return float(0.5 * (len(every) * volume + squares))

    begin = np.array([0, 0.5, 1, 1, -1, 0, 0, 0, 0, 0, 0, 0], dtype=float)
    best = minimize(cost, begin, method="BFGS", options={"gtol": 1e-5})
    assert_allclose(fit.log_likelihood, -best.fun, rtol=1e-8)
    assert_allclose(fit.network["F"].coefficients, abs(best.x[1]), rtol=1e-3)
    assert (fit.network["F"].intercept, fit.network["F"].sd) == (0.0, 1.0)
    assert fit.network["a"].coefficients[0] > 0


def test_a_hidden_state_is_a_mixture_of_normals():
    from sklearn.mixture import GaussianMixture

    random = np.random.default_rng(3)
    points = np.concatenate(
        [random.normal(0, 1, (90, 2)), random.normal([4, 3], [0.5, 2], (60, 2))]
    )
    cases = {"a": points[:, 0], "b": points[:, 1]}
    fit = tc.fit("H -> a, b", cases, hidden={"H": 2}, estimate=tc.ML(), method=EXACT, seed=0)
    peer = GaussianMixture(2, covariance_type="diag", reg_covar=0, tol=1e-12, max_iter=5000)
    peer.set_params(n_init=3, random_state=0).fit(points)
    order = np.argsort(-peer.weights_)
    assert_allclose(fit.log_likelihood, peer.score(points) * 150, rtol=1e-8)
    assert_allclose(fit.network["H"].values, peer.weights_[order], atol=1e-4)
    assert_allclose(fit.network["a"].intercept, peer.means_[order, 0], atol=1e-3)
    assert_allclose(fit.network["b"].sd ** 2, peer.covariances_[order, 1], rtol=1e-3)


def observed_log_likelihood(mean: np.ndarray, root: np.ndarray, cases: np.ndarray) -> float:
    covariance = root @ root.T
    total = 0.0
    for case in cases:
        seen = ~np.isnan(case)
        total += naive_mixed.log_normal(case[seen], mean[seen], covariance[np.ix_(seen, seen)])
    return total


def test_a_full_dag_with_gaps_is_the_most_likely_joint_normal():
    network = gaussian_network(4, 3, 1.0)
    data = tc.sample(network, 60, seed=3, missing=tc.AtRandom(0.3))
    fit = tc.fit("X0 -> X1; X0, X1 -> X2", data, estimate=tc.ML(), method=EXACT)
    cases = np.stack([data[name] for name in ("X0", "X1", "X2")], axis=1)
    at = np.tril_indices(3)

    def cost(theta: np.ndarray) -> float:
        root = np.zeros((3, 3))
        root[at] = theta[3:]
        return -observed_log_likelihood(theta[:3], root, cases)

    begin = np.concatenate([np.nanmean(cases, axis=0), np.diag(np.nanstd(cases, axis=0))[at]])
    best = minimize(cost, begin, method="BFGS", options={"gtol": 1e-6})
    assert_allclose(fit.log_likelihood, -best.fun, rtol=1e-8)
    root = np.zeros((3, 3))
    root[at] = best.x[3:]
    joint = tc.joint_normal(fit.network)
    assert_allclose(joint.covariance, root @ root.T, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("network", [gaussian_network(2, 5, 0.8), mixed_network(3)])
def test_the_log_likelihood_of_a_fit_is_that_of_its_network(network):
    data = tc.sample(network, 150, seed=1, missing=tc.AtRandom(0.2))
    fit = tc.fit(network.dag, data, estimate=tc.ML())
    assert fit.stop is tc.load_fit.__globals__["Stop"].CONVERGED
    assert_allclose(fit.log_likelihood, tc.log_likelihood(fit.network, data).per_case.sum())
    assert (np.diff(fit.trace) >= 0).all()
    again = tc.fit(network.dag, data, estimate=tc.ML())
    assert again.network == fit.network


def test_complete_cases_need_no_em_and_agree_with_it():
    network = mixed_network(1)
    data = tc.sample(network, 300, seed=1)
    counted, names = tc.fit(network.dag, data), list(data.names)
    one_gap = {name: np.array(data[name]) for name in names}
    one_gap["X0"][0] = np.nan
    fit = tc.fit(network.dag, tc.Dataset(data.variables, one_gap), method=EXACT)
    for name in names:
        for part in ("values", "coefficients", "intercept", "sd"):
            if hasattr(fit.network[name], part):
                ours, theirs = (getattr(each.network[name], part) for each in (fit, counted))
                assert_allclose(ours, theirs, atol=0.2)


def test_weights_count_as_repeated_cases():
    network = gaussian_network(5, 3, 1.0)
    data = tc.sample(network, 30, seed=2, missing=tc.AtRandom(0.3))
    times = np.random.default_rng(1).integers(1, 4, 30)
    weighted = tc.fit(network.dag, data.with_weights(times.astype(float)), method=EXACT)
    repeated = tc.fit(network.dag, data.take(np.repeat(np.arange(30), times)), method=EXACT)
    assert_allclose(weighted.log_likelihood, repeated.log_likelihood, rtol=1e-9)


def test_noise_that_shrinks_to_nothing_is_an_error_or_a_start_left_out():
    cases = {"a": [0.0, 1.0, 2.0, None], "b": [0.0, 2.0, 4.0, 5.0]}
    data = tc.read_cases(cases, continuous=["a", "b"])
    for asked in ({"estimate": tc.ML()}, {"prior": tc.WeakNormal(0)}):
        with pytest.raises(tc.EstimateError) as raised:
            tc.fit("a -> b", data, **asked)
        assert str(raised.value) == (
            "the noise of 'b' shrinks to nothing: some cases lie on an exact function of its "
            "parents, and the likelihood of what was observed has no maximum"
            "\n\ngive regressions a prior that keeps some noise, prior=tc.WeakNormal() with "
            "estimate=tc.Smoothed(), or try more restarts or fewer hidden states"
        )
    assert tc.fit("a -> b", data, prior=tc.NormalGamma()).network["b"].sd > 0.1
    weak = tc.fit("a -> b", data)
    assert 0.005 < weak.network["b"].sd / np.std(cases["b"]) < 0.01
    assert weak.notes[1].startswith("b is nearly an exact linear function of its parents")


def test_a_start_that_extrapolation_loses_is_climbed_step_by_step(monkeypatch):
    asked = {"hidden": {"F": "continuous"}, "seed": 1}
    plain = tc.fit(ONE_FACTOR, COLUMNS, **asked, method=tc.EM(restarts=1, accelerate=False))

    def leaps(problem, here):
        raise NoNoiseError("x0")

    monkeypatch.setattr(running, "squarem_step", leaps)
    fit = tc.fit(ONE_FACTOR, COLUMNS, **asked, method=tc.EM(restarts=1))
    assert fit.network == plain.network
    assert fit.trace == plain.trace


def test_thin_configurations_keep_the_regression_of_available_cases_and_are_noted():
    random = np.random.default_rng(4)
    site = np.repeat(["hill", "coast", "sea"], [20, 20, 2])
    wind = random.normal(8, 2, 42)
    power = 2 * wind + random.normal(size=42)
    wind[5] = np.nan
    cases = {"Site": site, "Wind": wind, "Power": power}
    for estimate in (tc.ML(), tc.Smoothed()):
        fit = tc.fit("Site, Wind -> Power", cases, estimate=estimate)
        assert fit.notes[1] == (
            "1 of 3 configurations of the discrete parents of Power has too few cases for a "
            "regression of its own: it keeps that of the cases complete in this family"
        )
    own = tc.fit("Site, Wind -> Power", cases, prior=tc.WeakNormal(spread=1))
    assert own.notes[1] == (
        "1 of 3 configurations of the discrete parents of Power has no more than 3 cases: the "
        "prior decides most of its regression"
    )


def test_states_come_in_order_and_a_given_start_keeps_them():
    random = np.random.default_rng(6)
    values = np.concatenate([random.normal(0, 1, 40), random.normal(8, 1, 160)])
    fit = tc.fit("H -> a", {"a": values}, hidden={"H": 2}, seed=1)
    assert fit.network["H"].values[0] > 0.7
    assert_allclose(fit.network["a"].intercept, [8, 0], atol=0.5)
    a, h = fit.network["a"], fit.network["H"]
    turned = tc.Network.of(
        [
            tc.Table(h.variables, h.values[::-1]),
            tc.ConditionalGaussian(a.variables, a.coefficients, a.intercept[::-1], a.sd[::-1]),
        ]
    )
    kept = tc.fit(turned, {"a": values}, hidden="rest", start="given")
    assert_allclose(kept.network["a"].intercept, a.intercept[::-1], atol=1e-3)
    assert len(kept.runs) == 1


def test_a_checkpoint_goes_on_to_the_same_bits(tmp_path):
    asked = {"hidden": {"F": "continuous"}, "seed": 3, "method": tc.EM(restarts=2)}
    whole = tc.fit(ONE_FACTOR, COLUMNS, **asked)
    file, steps = tmp_path / "run.ckpt", []

    def stop(done: int, total: int) -> None:
        steps.append(done)
        if len(steps) == 6:
            raise KeyboardInterrupt

    cut = tc.fit(ONE_FACTOR, COLUMNS, **asked, checkpoint=file, progress=stop)
    assert cut.stop.name == "INTERRUPTED"
    resumed = tc.fit(ONE_FACTOR, COLUMNS, **asked, checkpoint=file, resume=True)
    assert resumed.network == whole.network
    assert resumed.trace == whole.trace


def test_the_command_line_learns_hidden_variables_without_states(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tc.write_cases(tc.read_cases(COLUMNS), "cases.csv")
    line = "tacit fit cases.csv --hidden F=continuous --seed 1 --normal-prior 1 -o o.json --json"
    assert execute([*line.split()[1:], "--network", ONE_FACTOR]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["hidden"] == {"F": "continuous"}
    assert told["normal_prior"] == "NormalGamma()"
    assert tc.read("o.json")["x1"].coefficients[0] > 1
