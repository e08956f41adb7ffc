"""Posteriors of regressions from cases with gaps. The truth: draws of the closed form after the
complete cases, weighted by how probable they make the incomplete ones."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import tacit as tc
from naive_restrained import drawn, weighted

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(1, 1, 14)
Y = 0.8 * X - 1 + RANDOM.normal(0, 0.6, 14)
PRIOR, DRAWS = tc.NormalGamma(spread=1), 300_000
SAMPLING = tc.Sampling(draws=3000)


def test_gaps_in_a_parent_and_in_a_child():
    """A case without its parent says Normal(β m + a, β² s² + v) of the child; one without the child
    says nothing of the regression."""
    no_x, no_y = np.arange(14) < 4, np.arange(14) >= 11
    cases = {"X": np.where(no_x, np.nan, X), "Y": np.where(no_y, np.nan, Y)}
    means = np.array([X[~no_x].mean(), Y[~no_y].mean()])
    both = ~no_x & ~no_y
    one = drawn(np.zeros((10, 0)), X[~no_x], means[:1], 2, DRAWS, 1)
    two = drawn(X[both][:, None], Y[both], means, 2, DRAWS, 2)
    spread = np.sqrt(two[:, 0] ** 2 * one[:, 1] + two[:, 2])
    middle = two[:, 0] * one[:, 0] + two[:, 1]
    logs = sum(stats.norm.logpdf(y, middle, spread) for y in Y[no_x])
    values = np.column_stack([one[:, 0], np.sqrt(one[:, 1]), two[:, :2], np.sqrt(two[:, 2])])
    mean, sd, size = weighted(values, logs)
    assert size > 10_000
    found = tc.posterior("X -> Y", cases, prior=PRIOR, sampling=SAMPLING, seed=1)
    ours = np.concatenate([found.mean["X"], found.mean["Y"]])
    assert_allclose(ours, mean, atol=5 * sd.max() / np.sqrt(found.diagnostics.size))
    assert_allclose(np.concatenate([found.sd["X"], found.sd["Y"]]), sd, rtol=0.12)
    assert found.diagnostics.rhat < 1.02
    assert found.log_marginal_likelihood is None


@pytest.mark.parametrize("rules", ["", "coefficient(Y, X) = 1"])
def test_gaps_in_a_state_that_chooses_the_regression(rules):
    """A case without its state is a mixture over both."""
    states = np.array(list("aabbababbaabab"))
    y = np.where(states == "a", 0.0, 1.2) + Y
    gone = np.arange(14) < 3
    cases = {"K": [None if g else s for g, s in zip(gone, states, strict=True)], "X": X, "Y": y}
    means = np.array([X.mean(), y.mean()])
    shares = np.random.default_rng(3).beta(
        1 + (states[~gone] == "a").sum(), 1 + (states[~gone] == "b").sum(), DRAWS
    )
    parts = []
    for at, state in enumerate("ab"):
        mine = ~gone & (states == state)
        if rules:
            parts.append(_with_slope_one(X[mine], y[mine], means, at))
        else:
            parts.append(drawn(X[mine][:, None], y[mine], means, 2, DRAWS, 4 + at))
    logs = np.zeros(DRAWS)
    for case in np.flatnonzero(gone):
        density = [
            stats.norm.pdf(y[case], one[:, 0] * X[case] + one[:, 1], np.sqrt(one[:, 2]))
            for one in parts
        ]
        logs += np.log(shares * density[0] + (1 - shares) * density[1])
    values = np.column_stack([shares, parts[0][:, :2], parts[1][:, :2]])
    mean, sd, size = weighted(values, logs)
    assert size > 10_000
    found = tc.posterior(
        "K, X -> Y", cases, prior=[tc.K2(), PRIOR], knowledge=rules or None, sampling=SAMPLING,
        seed=1,
    )  # fmt: skip
    ours = np.concatenate([found.mean["K"][:1], *found.mean["Y"][:, :2]])
    assert_allclose(ours, mean, atol=6 * sd.max() / np.sqrt(found.diagnostics.size))
    spreads = np.concatenate([found.sd["K"][:1], *found.sd["Y"][:, :2]])
    assert_allclose(spreads, sd, rtol=0.15, atol=1e-12)
    if rules:
        assert_allclose(found.draws["Y"][..., 0], 1)


def _with_slope_one(x: np.ndarray, y: np.ndarray, means: np.ndarray, seed: int) -> np.ndarray:
    """Draws given that the slope is 1: the density of all, on that line."""
    t, rows = 0.5, np.append(y - x, means[1] - means[0])
    left = t + t * 1.0 + ((rows - rows.mean()) ** 2).sum()
    random = np.random.default_rng(seed)
    v = stats.invgamma.rvs((5 + len(y)) / 2, scale=left / 2, size=DRAWS, random_state=random)
    level = rows.mean() + np.sqrt(v / rows.size) * random.standard_normal(DRAWS)
    return np.column_stack([np.ones(DRAWS), level, v])


def test_tables_whose_columns_have_no_gaps_stay_exact():
    states = list("aabbababbaabab")
    cases = {"K": states, "Y": np.where(np.arange(14) < 3, np.nan, Y)}
    found = tc.posterior("K -> Y", cases, prior=[tc.K2(), PRIOR], seed=1)
    assert_allclose(found.mean["K"], [8 / 16, 8 / 16])
    assert found.diagnostics.sampled == 0
    seen = {"K": states[3:], "Y": Y[3:]}
    whole = tc.posterior("K -> Y", seen, prior=[tc.K2(), PRIOR], seed=1)
    assert_allclose(found.mean["Y"], whole.mean["Y"], atol=0.05)
