"""Tables as noisy-ors, trees and lists of rows, and how far off these are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
import tacit as tc
from tacit.core.variables import Discrete
from tacit.families import KINDS

NO_YES = ("no", "yes")
A, B, X = (Discrete(name, NO_YES) for name in "ABX")


@pytest.mark.parametrize("kind", ["noisy-or", "noisy-and", "noisy-max"])
@settings(max_examples=25)
@given(data=st.data())
def test_a_family_of_causes_that_was_written_out_comes_back(kind, data):
    network = data.draw(strategies.noisy_networks(kind))
    for name in network:
        family = network[name]
        if isinstance(family, KINDS[kind]):
            again = tc.project(family.to_table(), KINDS[kind])
            if again.family.absent == family.absent:
                assert again.divergence <= 1e-6
                assert again.largest <= 1e-3


@pytest.mark.parametrize("kind", ["tree-table", "default-table"])
@settings(max_examples=25)
@given(data=st.data())
def test_shared_rows_that_were_written_out_come_back(kind, data):
    network = data.draw(strategies.shared_networks(kind))
    for name in network:
        family = network[name]
        if isinstance(family, KINDS[kind]):
            again = tc.project(family.to_table(), KINDS[kind])
            assert again.largest <= 1e-4
            assert again.divergence <= 1e-7


@settings(max_examples=20)
@given(rows=st.lists(st.floats(0.05, 0.95), min_size=4, max_size=4), seed=st.integers(0, 99))
def test_no_noisy_or_nearby_is_nearer(rows, seed):
    table = tc.table(X, [A, B], [[1 - p, p] for p in rows])
    weights = np.random.default_rng(seed).dirichlet(np.ones(4)).reshape(2, 2)
    found = tc.project(table, tc.NoisyOr, weights)
    assert found.divergence == pytest.approx(divergence(table, found.family, weights), abs=1e-9)
    random = np.random.default_rng(seed)
    here = np.array([*found.family.links, found.family.leak])
    for _ in range(30):
        near = np.clip(here + random.normal(0, 0.05, 3), 0, 1)
        other = tc.NoisyOr((A, B, X), near[:2], near[2])
        assert divergence(table, other, weights) >= found.divergence - 1e-9


def divergence(table: tc.Table, family: tc.NoisyOr, weights: np.ndarray) -> float:
    total = 0.0
    for at in np.ndindex(2, 2):
        for state in range(2):
            p, q = table.values[(*at, state)], family.to_table().values[(*at, state)]
            total += weights[at] * p * (np.log(p / q) if q > 0 else np.inf)
    return total


def test_a_table_with_an_interaction_says_how_far_it_is_from_independent_causes():
    table = tc.table(X, [A, B], [[0.9, 0.1], [0.5, 0.5], [0.5, 0.5], [0.6, 0.4]])
    found = tc.project(table, tc.NoisyOr)
    assert found.where.startswith("P(X=")
    assert str(found).splitlines()[-1] == (
        f"{found.divergence:.4f} nats off on average, at most {found.largest:.3f} in {found.where}"
    )
    tree = tc.project(table, tc.TreeTable)
    assert str(tree).splitlines()[-1] == "the same distribution"
    assert len(tree.family.values) == 4
    coarse = tc.project(table, tc.TreeTable, price=1.0)
    assert len(coarse.family.values) == 1
    assert coarse.divergence > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: tc.project(t, tc.LinearGaussian),
         f"a table cannot be projected on {tc.LinearGaussian!r}\n\nthere are: tc.NoisyOr, "
         "tc.NoisyAnd, tc.NoisyMax, tc.TreeTable, tc.DefaultTable"),
        (lambda t: tc.project(t, tc.NoisyOr, [1.0]),
         "weights of the rows are (2, 2) numbers, 0 or more"),
        (lambda t: tc.project(t, tc.NoisyOr, np.zeros((2, 2))),
         "some row must have a weight above 0"),
        (lambda t: tc.project(t, tc.TreeTable, price=-1),
         "price=-1 must be a number of nats, 0 or more"),
    ],
)  # fmt: skip
def test_what_cannot_be_projected_is_said(call, message):
    with pytest.raises(tc.TacitError) as caught:
        call(tc.table(X, [A, B], np.full((4, 2), 0.5)))
    assert str(caught.value) == message
