"""What is said about priors that cannot be integrated under rules, in full."""

from __future__ import annotations

import numpy as np
import pytest

from small_blocks import at_most, below, blocks
from tacit.estimate.bayes import constants
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.ruled.splits import ImproperError
from tacit.knowledge.polytope import relative_interior


def test_an_improper_prior_says_what_to_do():
    rules = [below([0], [1], equal=True), at_most([2], 0.4)]
    given = blocks(([3], rules))
    alpha, counts = np.full(3, 0.25), np.array([3.0, 1.0, 2.0])
    exact = Exact.of(given, relative_interior(given), Density(alpha))
    with pytest.raises(ImproperError) as caught:
        constants.log_evidence(given, exact, alpha, counts, Sampling(), 1)
    assert str(caught.value) == (
        "the prior cannot be integrated under these rules: cells that they tie have together a "
        "Dirichlet parameter of -0.5, which must be above 0\n\n"
        "give these cells a stronger prior, or add up the alphas of tied cells: pooled=True"
    )
    assert caught.value.positions.tolist() == [0, 1]
    pooled = Exact.of(given, relative_interior(given), Density(alpha, pooled=True))
    found = constants.log_evidence(given, pooled, alpha, counts, Sampling(), 1, pooled=True)
    assert np.isfinite(found.value).all()
