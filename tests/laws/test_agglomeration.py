"""What must not matter to the states of a hidden variable, and what their counts must add up to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit as tc

DAGS = (
    "H -> A; H -> B; H -> C; H -> D",
    "A -> H; B -> H; H -> C; H -> D",
    "A -> H; H -> B; C -> B; H -> D; B -> D",
)
PRIORS = ("summed", "uniform_k", "per_cell")
asked = st.tuples(st.sampled_from(DAGS), st.sampled_from(PRIORS), st.integers(0, 10_000))


def cases(seed: int, many: int = 80) -> tc.Dataset:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, many)
    codes = {
        name: np.where(rng.random(many) < 0.7, group, rng.integers(0, 3, many)) for name in "ABCD"
    }
    return tc.Dataset({name: tc.Discrete(name, ("x", "y", "z")) for name in "ABCD"}, codes)


def same(one: np.ndarray, other: np.ndarray) -> bool:
    """Equal up to what states are called."""
    pairs = len(set(zip(one.tolist(), other.tolist(), strict=True)))
    return pairs == len(set(one.tolist())) == len(set(other.tolist()))


@settings(max_examples=25, deadline=None)
@given(asked)
def test_the_order_and_the_names_of_variables_and_states_do_not_matter(question) -> None:
    dag, prior, seed = question
    rng, data = np.random.default_rng(seed), cases(seed)
    found = tc.agglomerate(data, dag, "H", prior=prior)
    new = dict(zip("ABCD", rng.permutation(["p", "q", "r", "s"]).tolist(), strict=True))
    whole = tc.Dag.parse(dag)
    listed = rng.permutation(list(whole.names)).tolist()
    other = tc.Dag(
        {
            new.get(name, "K"): tuple(
                new.get(who, "K") for who in rng.permutation(list(whole.parents[name])).tolist()
            )
            for name in listed
        }
    )
    turned = {name: rng.permutation(3) for name in "ABCD"}
    order = rng.permutation(list("ABCD")).tolist()
    again = tc.agglomerate(
        tc.Dataset(
            {new[name]: tc.Discrete(new[name], ("u", "v", "w")) for name in order},
            {new[name]: turned[name][data[name]] for name in order},
        ),
        other,
        "K",
        prior=prior,
    )
    assert again.states == found.states
    assert again.curve == pytest.approx(found.curve, abs=1e-7)
    assert [merge.pair for merge in again.merges] == [merge.pair for merge in found.merges]
    assert np.array_equal(again.assignment(), found.assignment())


@settings(max_examples=25, deadline=None)
@given(asked)
def test_each_step_joins_two_states_and_leaves_the_others(question) -> None:
    dag, prior, seed = question
    found = tc.agglomerate(cases(seed), dag, "H", prior=prior)
    for k in range(1, found.first_states):
        finer, coarser = found.assignment(k + 1), found.assignment(k)
        pairs = set(zip(finer.tolist(), coarser.tolist(), strict=True))
        assert len(pairs) == k + 1
        assert len(set(coarser.tolist())) == k
    assert same(found.assignment(found.first_states), found.leaf_of)
    assert set(found.assignment(1).tolist()) == {0}


@settings(max_examples=15, deadline=None)
@given(asked)
def test_cases_in_one_first_state_have_one_blanket(question) -> None:
    dag, prior, seed = question
    data = cases(seed)
    found = tc.agglomerate(data, dag, "H", prior=prior)
    for at, name in enumerate(found.tree.variables):
        assert np.array_equal(found.tree.codes[found.leaf_of, at], data[name])
    configurations = {tuple(row) for row in found.tree.codes.tolist()}
    assert len(configurations) == found.first_states
    assert (np.diff(found.tree.weights) <= 0).all()
