"""Posteriors of regressions under rules: integrals over grids and one-dimensional densities are the
truth. [Def. 3.4.1 held to normal and inverse gamma, PDKX-6]"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, stats

import tacit as tc
from naive_restrained import conjugate, restricted

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(2, 1, 12)
Y = 0.4 * X + 1 + RANDOM.normal(0, 0.5, 12)
Z = 0.7 * X - 1 + RANDOM.normal(0, 0.8, 12)
PRIOR = tc.NormalGamma(spread=1)
BEFORE = stats.t(4, 0, np.sqrt(1 / 4))
"""The slope before any case: squares and curvature of the prior are the same number."""
PAIR, THREE = {"X": X, "Y": Y}, {"X": X, "Y": Y, "Z": Z}


def after(
    x: np.ndarray, y: np.ndarray, variables: int
) -> tuple[np.ndarray, np.ndarray, float, int]:
    """Normal and inverse gamma after the cases, from the normal equations."""
    centre, precision, squares, freedom = conjugate(x, y, variables)
    design = np.column_stack([x, np.ones(len(x))])
    whole = precision + design.T @ design
    best = np.linalg.solve(whole, precision @ centre + design.T @ y)
    left = squares + centre @ precision @ centre + y @ y - best @ whole @ best
    return best, np.linalg.inv(whole), left, freedom + len(y)


def slope_density(child: np.ndarray) -> stats.rv_continuous:
    best, inverse, left, freedom = after(X[:, None], child, 3)
    return stats.t(freedom, best[0], np.sqrt(inverse[0, 0] * left / freedom))


@pytest.mark.parametrize(
    ("rule", "obeys"),
    [
        ("coefficient(Y, X) >= 0.45", lambda n: n[0] >= 0.45),
        ("0.2 <= coefficient(Y, X) <= 0.35", lambda n: (n[0] >= 0.2) & (n[0] <= 0.35)),
        ("coefficient(Y, X) >= intercept(Y)", lambda n: n[0] >= n[1]),
        ("variance(Y) <= 0.3", lambda n: n[2] <= 0.3),
        (
            "intercept(Y) >= 1; coefficient(Y, X) >= 0.3; variance(Y) >= 0.25",
            lambda n: (n[1] >= 1) & (n[0] >= 0.3) & (n[2] >= 0.25),
        ),
    ],
)
def test_inequalities_cut_the_density_off(rule, obeys):
    mean, sd = restricted(X, Y, 2, obeys)
    found = tc.posterior("X -> Y", PAIR, knowledge=rule.replace("; ", "\n"), prior=PRIOR, seed=1)
    assert_allclose(found.mean["Y"], mean, atol=0.01 + 0.05 * sd.max())
    assert_allclose(found.sd["Y"], sd, rtol=0.12)
    drawn = found.draws["Y"].T.copy()
    drawn[2] **= 2
    assert obeys(drawn).all()


def test_a_rule_far_out_in_the_tail_is_a_truncated_t():
    best, inverse, left, freedom = after(X[:, None], Y, 2)
    free = stats.t(freedom, best[0], np.sqrt(inverse[0, 0] * left / freedom))
    rule, limit = "coefficient(Y, X) >= 1.6", 1.6
    top = integrate.quad(lambda s: s * free.pdf(s), limit, np.inf)[0] / free.sf(limit)
    found = tc.posterior("X -> Y", PAIR, knowledge=rule, prior=PRIOR, seed=2)
    assert "drawn in turn" in str(found.diagnostics)
    assert_allclose(found.mean["Y"][0], top, atol=5 * found.sd["Y"][0] / np.sqrt(2000))
    assert found.diagnostics.rhat < 1.02
    assert found.diagnostics.size > 1000
    plain = tc.posterior("X -> Y", PAIR, prior=PRIOR)
    expected = plain.log_marginal_likelihood + free.logsf(limit) - BEFORE.logsf(limit)
    assert_allclose(found.log_marginal_likelihood, expected, rtol=1e-9)
    assert found.evidence.error == 0


def test_an_equality_leaves_the_conditional_distribution():
    """Of a t given one of its coordinates: one more degree of freedom, and the squares it costs."""
    best, inverse, left, freedom = after(X[:, None], Y, 2)
    found = tc.posterior("X -> Y", PAIR, knowledge="coefficient(Y, X) = 0.7", prior=PRIOR)
    share = inverse[1, 0] / inverse[0, 0]
    middle = best[1] + share * (0.7 - best[0])
    squares = left + (0.7 - best[0]) ** 2 / inverse[0, 0]
    spread = (inverse[1, 1] - share * inverse[0, 1]) * squares / (freedom + 1)
    assert_allclose(found.mean["Y"][:2], [0.7, middle])
    assert_allclose(found.sd["Y"][:2], [0, np.sqrt(spread * (freedom + 1) / (freedom - 1))])
    ends = stats.t.interval(0.95, freedom + 1, middle, np.sqrt(spread))
    assert_allclose([found.interval["Y"].lower[1], found.interval["Y"].upper[1]], ends)
    assert "all means are exact" in str(found.diagnostics)
    assert_allclose(found.draws["Y"][:, 0], 0.7)
    plain = tc.posterior("X -> Y", PAIR, prior=PRIOR)
    density = stats.t(freedom, best[0], np.sqrt(inverse[0, 0] * left / freedom)).logpdf(0.7)
    expected = plain.log_marginal_likelihood + density - BEFORE.logpdf(0.7)
    assert_allclose(found.log_marginal_likelihood, expected)


def test_an_equality_is_the_limit_of_a_narrow_band():
    free = tc.posterior("X -> Y", PAIR, prior=PRIOR, seed=4, sampling=tc.Sampling(draws=400_000))
    drawn = free.draws["Y"]
    near = drawn[np.abs(drawn[:, 0] - 2 * drawn[:, 1] + 1) < 0.03]
    found = tc.posterior(
        "X -> Y", PAIR, prior=PRIOR, knowledge="coefficient(Y, X) = 2 * intercept(Y) - 1"
    )
    assert len(near) > 2000
    assert_allclose(found.mean["Y"], near.mean(axis=0), atol=0.01)
    assert_allclose(found.sd["Y"], near.std(axis=0), rtol=0.08)


def test_a_slope_that_two_regressions_share_has_the_product_of_their_densities():
    one, other = slope_density(Y), slope_density(Z)
    line = np.linspace(-3, 4, 20_001)
    weights = one.pdf(line) * other.pdf(line)
    weights /= weights.sum()
    mean = line @ weights
    sd = np.sqrt(weights @ (line - mean) ** 2)
    rule = "coefficient(Y, X) = coefficient(Z, X)"
    found = tc.posterior("X -> Y, Z", THREE, knowledge=rule, prior=PRIOR, seed=1)
    assert_allclose(found.draws["Y"][:, 0], found.draws["Z"][:, 0])
    assert_allclose(found.mean["Y"][0], mean, atol=4 * sd / np.sqrt(found.diagnostics.size))
    assert_allclose(found.sd["Y"][0], sd, rtol=0.06)
    assert found.log_marginal_likelihood is None


def test_an_order_of_two_slopes_is_a_half_plane():
    one, other = slope_density(Y), slope_density(Z)
    line = np.linspace(-3, 4, 1501)
    weights = np.outer(one.pdf(line), other.pdf(line)) * (line[:, None] >= line)
    share = weights.sum() * (line[1] - line[0]) ** 2
    rule = "coefficient(Y, X) >= coefficient(Z, X)"
    found = tc.posterior("X -> Y, Z", THREE, knowledge=rule, prior=PRIOR, seed=1)
    sums = weights.sum(axis=1)
    assert_allclose(found.mean["Y"][0], line @ sums / sums.sum(), atol=0.02)
    assert (found.draws["Y"][:, 0] >= found.draws["Z"][:, 0]).all()
    plain = tc.posterior("X -> Y, Z", THREE, prior=PRIOR)
    value = found.log_marginal_likelihood - plain.log_marginal_likelihood
    assert_allclose(value, np.log(share) - np.log(0.5), atol=5 * found.evidence.error + 0.01)


@pytest.mark.parametrize(("rule", "equal"), [("=", True), ("<=", False)])
def test_variances_in_proportion_or_in_order(rule, equal):
    laws = [after(X[:, None], child, 3)[2:] for child in (Y, Z)]
    one, other = (stats.invgamma(freedom / 2, scale=left / 2) for left, freedom in laws)
    line = np.exp(np.linspace(-6, 4, 3001))
    if equal:
        weights = one.pdf(0.5 * line) * other.pdf(line) * line
    else:
        weights = one.cdf(0.5 * line) * other.pdf(line) * line
    mean = np.sqrt(line) @ weights / weights.sum()
    said = f"variance(Y) {rule} 0.5 * variance(Z)"
    found = tc.posterior("X -> Y, Z", THREE, knowledge=said, prior=PRIOR, seed=1)
    assert_allclose(found.mean["Z"][-1], mean, atol=5 * found.sd["Z"][-1] / np.sqrt(4000))


def test_draws_under_rules_predict_as_the_integral_does():
    rule = "coefficient(Y, X) = coefficient(Z, X)"
    found = tc.posterior("X -> Y, Z", THREE, knowledge=rule, prior=PRIOR, seed=1)
    new = {"X": [2.5], "Y": [1.0], "Z": [2.0]}
    logs = []
    for draw in range(0, found.size, 4):
        families = {name: own.family(found.draws[name][draw]) for name, own in found.lines.items()}
        network = tc.Network(found.network.dag, found.network.variables, families)
        logs.append(tc.log_likelihood(network, new).per_case[0])
    assert_allclose(found.log_predictive(new)[0], np.log(np.mean(np.exp(logs))), atol=0.05)


def test_the_most_probable_numbers_are_those_that_map_finds():
    rules = "coefficient(Y, X) >= 0.8\nvariance(Z) = 2 * variance(Y)"
    found = tc.posterior("X -> Y, Z", THREE, knowledge=rules, prior=PRIOR, seed=1)
    fit = tc.fit("X -> Y, Z", THREE, knowledge=rules, prior=PRIOR, estimate=tc.MAP())
    for name in "YZ":
        assert_allclose(found.mode[name][-1], fit.network[name].sd)
        assert_allclose(found.mode[name][0], fit.network[name].coefficients[0])


def test_inequalities_that_leave_a_line_are_an_equality():
    rules = "coefficient(Y, X) <= 0.5\ncoefficient(Y, X) >= 0.5"
    found = tc.posterior("X -> Y", PAIR, knowledge=rules, prior=PRIOR)
    same = tc.posterior("X -> Y", PAIR, knowledge="coefficient(Y, X) = 0.5", prior=PRIOR)
    assert_allclose(found.mean["Y"], same.mean["Y"])
    assert_allclose(found.sd["Y"], same.sd["Y"])
