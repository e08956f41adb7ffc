"""What the experiments compute is what a fit computes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.experiments.zhou import methods
from tacit.experiments.zhou.search import Search, stacks_of
from tacit.experiments.zhou.worlds import Limits, World


def counts_of(network: tc.Network, cases: tc.Dataset) -> np.ndarray:
    fit = tc.fit(network, cases)
    return np.concatenate([fit.evidence[name].values.ravel() for name in network])


@pytest.mark.parametrize("seed", [1, 2])
def test_a_fit_borrows_as_the_experiment_does(seed: int) -> None:
    network = tc.textbook("asia")
    target = tc.sample(network, 60, seed=seed)
    sources = [tc.sample(network, 200 + 100 * at, seed=10 * seed + at) for at in range(3)]
    world = World.of("asia", network)
    counted = counts_of(network, target)
    found = Search.of(world, stacks_of(world, [counts_of(network, s) for s in sources]), counted)
    prior = tc.NormalPrior(bootstrap="analytic", floor=0.01, coherent=False)
    mode = replace(methods.PAPER, prior=prior)
    random = np.random.default_rng(0)
    expected = methods.transferred(world, counted, Limits.none(world), found.loan(), random, mode)
    fit = tc.fit(
        network, target, prior=tc.K2(),
        sources=[tc.Source(each, name=f"site {at}") for at, each in enumerate(sources)],
        transfer=tc.BestFragment(fusion="normal", printed=True, normal=prior),
    )  # fmt: skip
    ours = np.concatenate([fit.network[name].values.ravel() for name in network])
    assert_allclose(ours, expected, atol=2e-5)
