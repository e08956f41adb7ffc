"""Simulation-based calibration of the sampler: parameters from the prior, cases from the
parameters, and the rank of the parameters among posterior draws is uniform.

[Talts, Betancourt, Simpson, Vehtari and Gelman 2018]
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import naive_draws as naive
from small_blocks import Said, at_least, at_most, below, blocks, rising
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.sampler import sample

RUNS, RANKS = 1_000, 19
LEVEL = 1e-4
"""Of the chi-square test of every cell; the seed is fixed."""
SETTINGS = Sampling(draws=400, chains=4, precision=None)

PROBLEMS = {
    "an order": ([4], rising([0, 1, 2, 3]), [1.0, 1, 1, 1]),
    "bounds and orders": (
        [5], [at_most([0, 1], 0.5), at_least([2], 0.1), below([3], [4])], [0.7, 1, 2, 1, 1],
    ),
    "two rows": ([3, 3], [below([0], [3]), below([3, 4], [0, 1], 1.5)], [1.0, 1, 2, 1, 0.6, 1]),
    "rows of two": ([2, 2, 2], [below([0], [2]), below([2], [4])], [1.0, 2, 1, 1, 2, 1]),
    "about equal": (
        [2, 2], [Said((0, 2), (1.0, -1.0), 0.02), Said((0, 2), (-1.0, 1.0), 0.02)], [1.0, 2, 1, 2],
    ),
}  # fmt: skip


def ranks(problem, density_of):
    """(runs, n) the rank of every true cell among 19 draws that are far apart."""
    lengths, rules, prior = PROBLEMS[problem]
    prior = np.array(prior)
    truth = naive.rejected(lengths, rules, prior, RUNS, seed=1)
    random, ends = np.random.default_rng(2), np.cumsum(lengths)
    counts = np.concatenate([
        np.array([random.multinomial(12, row / row.sum()) for row in truth[:, end - size : end]])
        for size, end in zip(lengths, ends, strict=True)
    ], axis=1)  # fmt: skip
    many = blocks(*[(lengths, rules)] * RUNS)
    density = density_of(np.tile(prior, RUNS) + counts.ravel())
    found = sample(many, np.arange(RUNS), density, SETTINGS, 3)
    spaced = found.values.reshape(-1, found.values.shape[-1])[:: 400 // RANKS][:RANKS]
    return (spaced < truth.ravel()).sum(axis=0).reshape(RUNS, -1)


@pytest.mark.full
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("way", ["gammas", "chords"])
def test_the_rank_of_the_truth_is_uniform(problem, way):
    def density_of(alpha):
        if way == "gammas":
            return Density(alpha)
        return Density(alpha, centre=np.zeros(alpha.size), spread=np.full(alpha.size, 1e9))

    found = ranks(problem, density_of)
    for cell in range(found.shape[1]):
        seen = np.bincount(found[:, cell], minlength=RANKS + 1)
        assert stats.chisquare(seen).pvalue > LEVEL, (cell, seen)
