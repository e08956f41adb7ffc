"""No step of EM lowers the objective, whatever is missing, hidden, or expected beforehand."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from mixed import gaussian_network, mixed_network
from tacit.learn.continuous import running


@pytest.mark.parametrize("seed", [1, 2, 4, 11, 17])
@pytest.mark.parametrize("estimate", [tc.Smoothed(), tc.MAP(), tc.PosteriorMean()])
def test_no_step_lowers_the_objective(seed, estimate, monkeypatch):
    falls = []

    def watched(step):
        def taken(problem, here):
            after = step(problem, here)
            falls.append(here.objective - after.objective)
            return after

        return taken

    for name in ("plain_step", "squarem_step"):
        monkeypatch.setattr(running, name, watched(getattr(running, name)))
    network = mixed_network(seed, 2, 3) if seed % 2 else gaussian_network(seed, 4)
    data = tc.sample(network, 40, seed=seed, missing=tc.AtRandom(0.25))
    random, hidden = np.random.default_rng(seed), {}
    for name, variable in network.variables.items():
        if random.random() < 0.3 and network.dag.children[name]:
            states = len(variable.states) if isinstance(variable, tc.Discrete) else "continuous"
            hidden[name] = states
    tc.fit(
        network.dag,
        data.select([name for name in data.names if name not in hidden]),
        hidden=hidden or None,
        prior=[tc.K2(), tc.NormalGamma()],
        estimate=estimate,
        method=tc.EM(restarts=1, max_steps=15, accelerate=seed != 2),
        seed=1,
    )
    assert len(falls) > 5
    assert max(falls) <= 1e-9


def test_a_shift_and_a_scale_of_a_column_change_its_family_alone():
    network = gaussian_network(6, 4, 0.8)
    data = tc.sample(network, 80, seed=1, missing=tc.AtRandom(0.2))
    moved = {name: np.array(data[name]) for name in data.names}
    moved["X1"] = 1000 + 10 * moved["X1"]
    method = tc.EM(tolerance=1e-13)
    for prior in (None, tc.NormalGamma()):
        fit, other = (
            tc.fit(network.dag, cases, method=method, prior=prior)
            for cases in (data, tc.Dataset(data.variables, moved))
        )
        seen = int((~np.isnan(moved["X1"])).sum())
        off = other.log_likelihood + seen * np.log(10) - fit.log_likelihood
        assert abs(off) < 1e-5
        ours, theirs = (tc.joint_normal(each.network) for each in (fit, other))
        at = ours.names.index("X1")
        scale = np.where(np.arange(4) == at, 10.0, 1.0)
        np.testing.assert_allclose(
            theirs.covariance, ours.covariance * np.outer(scale, scale), rtol=1e-3, atol=1e-3
        )


def test_other_names_of_states_change_nothing_but_names():
    network = mixed_network(3)
    data = tc.sample(network, 60, seed=2, missing=tc.AtRandom(0.2))
    order = list(reversed(range(len(data))))
    fit = tc.fit(network.dag, data, prior=tc.NormalGamma())
    other = tc.fit(network.dag, data.take(np.array(order)), prior=tc.NormalGamma())
    assert abs(fit.objective - other.objective) < 1e-8 * abs(fit.objective)
