"""Normals and gammas cut off by rules, against scipy's and against trial and error."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tacit.kernels.chance import seeded
from tacit.kernels.wedge import cut_gamma, cut_normal, sweep_normal

DRAWS = 20_000


@pytest.mark.parametrize(
    ("low", "high"),
    [(-np.inf, np.inf), (-0.5, 2.0), (3.0, np.inf), (-np.inf, -6.0), (4.0, 4.1), (-0.01, 0.02)],
)
def test_a_normal_in_an_interval_is_that_of_scipy(low, high):
    state = seeded(1)
    drawn = np.array([cut_normal(state, low, high) for _ in range(DRAWS)])
    assert stats.kstest(drawn, stats.truncnorm(low, high).cdf).pvalue > 1e-4


@pytest.mark.parametrize(
    ("shape", "low", "high"),
    [
        (1.0, 0.0, np.inf), (1.0, 2.0, 3.0), (4.0, 0.0, 0.5), (4.0, 9.0, np.inf),
        (30.0, 28.9, 29.1), (30.0, 10.0, 20.0), (2.5, 0.5, 4.0),
    ],
)  # fmt: skip
def test_a_gamma_in_an_interval_has_the_share_of_its_cdf(shape, low, high):
    state = seeded(2)
    drawn = np.array([cut_gamma(state, shape, low, high) for _ in range(DRAWS)])
    law = stats.gamma(shape)
    share = (law.cdf(drawn) - law.cdf(low)) / (law.cdf(high) - law.cdf(low))
    assert stats.kstest(share, "uniform").pvalue > 1e-4


def test_sweeps_leave_a_normal_under_rules_as_it_is():
    rows = np.array([[1.0, 1.0, 0.0], [-1.0, 2.0, 0.5], [0.0, -1.0, -1.0]])
    room = np.array([0.3, 0.8, 0.5])
    free = np.random.default_rng(1).standard_normal((400_000, 3))
    kept = free[(free @ rows.T <= room).all(axis=1)]
    state, point, drawn = seeded(3), np.array([-0.5, 0.0, 0.0]), []
    for _ in range(DRAWS):
        sweep_normal(state, point, rows, room, 2)
        drawn.append(point.copy())
    assert (np.array(drawn) @ rows.T <= room + 1e-12).all()
    assert_allclose(np.mean(drawn, axis=0), kept.mean(axis=0), atol=0.04)
    assert_allclose(np.cov(np.array(drawn).T), np.cov(kept.T), atol=0.06)


def test_an_interval_of_no_width_is_a_point():
    assert cut_normal(seeded(1), 0.5, 0.5) == 0.5
    assert cut_gamma(seeded(1), 3.0, 2.0, 2.0) == 2.0
