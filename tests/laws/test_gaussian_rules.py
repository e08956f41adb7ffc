"""What holds of rules about regressions, whatever they say."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.learn.continuous import running

RANDOM = np.random.default_rng(5)
N = 120
K = RANDOM.choice(["k", "l"], N)
A, B = RANDOM.normal(2, 1, N), RANDOM.normal(0, 2, N)
Y = 1 + np.where(K == "k", 2, 1) * A + B + RANDOM.normal(0, 1, N)
Z = 3 + 1.7 * A + RANDOM.normal(0, 1.5, N)
CASES = {"K": K, "A": A, "B": B, "Y": Y, "Z": Z}
DAG = "A, B, K -> Y; A -> Z"
EVERY = [
    "coefficient(Y, A) >= 1.8",
    "coefficient(Y, B | K=k) = coefficient(Y, B | K=l)",
    "coefficient(Y, A | K=l) = coefficient(Z, A)",
    "intercept(Y) <= 0.5",
    "variance(Y | K=k) = variance(Y | K=l)",
    "variance(Z) <= 1.4",
]


def gaps() -> dict[str, list]:
    found = {name: list(column) for name, column in CASES.items()}
    for case in range(0, N, 4):
        found["A"][case] = None
    for case in range(1, N, 5):
        found["Y"][case] = None
    for case in range(2, N, 6):
        found["K"][case] = None
    return found


@pytest.mark.parametrize("cases", [CASES, gaps()], ids=["complete", "gaps"])
@pytest.mark.parametrize("prior", [None, tc.NormalGamma()])
def test_one_rule_more_never_raises_the_objective(cases, prior):
    method = tc.EM(tolerance=1e-11)
    before = np.inf
    for many in range(len(EVERY) + 1):
        rules = EVERY[:many] or None
        fit = tc.fit(DAG, cases, knowledge=rules, prior=prior, method=method)
        assert fit.objective <= before + 1e-5
        before = fit.objective


def test_a_rule_that_the_free_optimum_obeys_changes_nothing():
    free = tc.fit(DAG, CASES)
    ruled = tc.fit(DAG, CASES, knowledge="coefficient(Y, B) >= 0; variance(Z) <= 9")
    for name in ("Y", "Z"):
        assert_allclose(ruled.network[name].coefficients, free.network[name].coefficients)
        assert_allclose(ruled.network[name].sd, free.network[name].sd)
    assert {rule.verdict for rule in ruled.rules} == {"free"}
    assert all(rule.cost == 0 for rule in ruled.rules)


@pytest.mark.parametrize("prior", [None, [tc.K2(), tc.NormalGamma()]])
def test_no_step_of_em_lowers_the_objective_under_rules(prior, monkeypatch):
    falls = []
    for name in ("plain_step", "squarem_step"):
        step = getattr(running, name)

        def taken(problem, here, step=step):
            after = step(problem, here)
            falls.append(here.objective - after.objective)
            return after

        monkeypatch.setattr(running, name, taken)
    rules = [*EVERY, "P(K=k) <= 0.4"]
    fit = tc.fit(DAG, gaps(), knowledge=rules, prior=prior)
    assert len(falls) > 2
    assert max(falls) <= 1e-7
    y, z = fit.network["Y"], fit.network["Z"]
    assert y.coefficients[:, 0].min() >= 1.8 - 1e-9
    assert_allclose(y.coefficients[0, 1], y.coefficients[1, 1])
    assert_allclose(y.coefficients[1, 0], z.coefficients[0])
    assert y.intercept.max() <= 0.5 + 1e-9
    assert_allclose(*y.sd)
    assert z.sd**2 <= 1.4 + 1e-9
    assert fit.network["K"].values[0] <= 0.4 + 1e-9
    assert [rule.text for rule in fit.rules] == rules
    assert all(rule.at_least == rule.active for rule in fit.rules)


def test_weights_of_cases_and_repeated_cases_obey_alike():
    times = RANDOM.integers(1, 4, N)
    data = tc.read_cases(CASES)
    weighted = tc.fit(DAG, data.with_weights(times.astype(float)), knowledge=EVERY)
    repeated = tc.fit(DAG, data.take(np.repeat(np.arange(N), times)), knowledge=EVERY)
    assert_allclose(weighted.objective, repeated.objective, rtol=1e-10)


def test_rules_on_a_hidden_factor_name_its_sign_and_shared_loadings():
    factor = RANDOM.normal(size=N)
    loads = (1.0, 1.3, -0.8)
    cases = {f"x{at}": load * factor + RANDOM.normal(0, 0.5, N) for at, load in enumerate(loads)}
    rules = "coefficient(x0, F) <= 0; coefficient(x0, F) = coefficient(x1, F)"
    fit = tc.fit("F -> x0, x1, x2", cases, hidden={"F": "continuous"}, knowledge=rules, seed=1)
    first, second, third = (fit.network[name].coefficients[0] for name in cases)
    assert first == pytest.approx(second)
    assert first < 0 < third
    assert fit.network["F"].sd == 1


def test_fits_under_rules_are_saved_with_what_became_of_them(tmp_path):
    fit = tc.fit(DAG, CASES, knowledge=EVERY)
    fit.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.rules == fit.rules
    assert again.network == fit.network
    assert fit.stop is type(fit.stop).SOLVED
