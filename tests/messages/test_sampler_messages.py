"""What the sampler says where it cannot draw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from small_blocks import Said, at_least, at_most, blocks
from tacit.core.errors import EstimateError
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.sampler import sample
from tacit.knowledge.blocks import Aligned


def message(given, alpha):
    with pytest.raises(EstimateError) as error:
        sample(given, np.arange(len(given)), Density(np.asarray(alpha)), Sampling(draws=40), 1)
    return str(error.value)


def test_ratios_beside_equalities_that_are_no_tree():
    plain = blocks(([3, 3], [Said((0, 1, 3), (1.0, 2.0, -1.0), 0.0, True)]))
    given = replace(plain, ratios=(Aligned(np.array([[0, 1], [3, 4]]), 0, 1),))
    assert message(given, np.ones(6)) == (
        "rules on ratios are not linear in the probabilities, and with this density or the rules "
        "beside them their posterior cannot be drawn\n\nleave out the ratios, or take a Dirichlet "
        "prior and no other rule that cuts through their lists"
    )


def test_rules_that_cannot_hold():
    given = blocks(([2], [at_most([0], 0.2), at_least([0], 0.3)]))
    assert message(given, np.ones(2)) == (
        "no table obeys all rules of these rows, and none can be drawn"
    )


def test_ratios_and_inequalities_that_nothing_obeys_together():
    """θ0 : θ1 = θ3 : θ4, but θ0 is at least twice θ1 and θ4 at least twice θ3."""
    rules = [Said((0, 1), (-1.0, 2.0)), Said((3, 4), (2.0, -1.0)), at_least([0], 0.1),
             at_least([4], 0.1)]  # fmt: skip
    given = replace(blocks(([3, 3], rules)), ratios=(Aligned(np.array([[0, 1], [3, 4]]), 0, 4),))
    assert message(given, np.ones(6) * 2) == (
        "no table was found that obeys the ratios and the inequalities of these rows together"
        "\n\nleave out one of them"
    )
