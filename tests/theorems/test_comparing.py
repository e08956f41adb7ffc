"""The score of a rule set is a probability of the cases. [parameter domain knowledge 5.1]"""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest

import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import table
from tacit.learn.compare import compare

A, B = Discrete("A", ("x", "y")), Discrete("B", ("x", "y"))
PAIR = Network.of([table(A, [], [0.5, 0.5]), table(B, [A], [[0.5, 0.5], [0.5, 0.5]])])
SETS = {
    "nothing": None,
    "known": "P(B=x | A=x) = 0.3",
    "shared": "P(B | A=x) = P(B | A=y)",
    "across tables": "P(A=x) = P(B=x | A=x)",
    "bounded": "P(B=x | A=x) <= 0.4",
}


@pytest.mark.parametrize("prior", [tc.K2(), tc.BDeu(1)], ids=["restricted", "pooled"])
def test_summed_over_all_cases_there_can_be_it_is_one(prior: tc.Prior) -> None:
    total = dict.fromkeys(SETS, 0.0)
    for drawn in combinations_with_replacement(range(4), 2):
        joint, orders = np.array(drawn), len(set(permutations(drawn)))
        data = Dataset(PAIR.variables, {"A": joint // 2, "B": joint % 2})
        found = compare(
            PAIR, data, list(SETS.values()), names=list(SETS), prior=prior, folds=2, seed=1
        )
        for each in found:
            assert each.error == 0
            assert each.log_marginal_likelihood is not None
            total[each.name] += orders * np.exp(each.log_marginal_likelihood)
    assert total == pytest.approx(dict.fromkeys(SETS, 1.0), abs=1e-9)
