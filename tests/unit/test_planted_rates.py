"""How often planted states and hierarchies come back; the long campaign and a short one."""

from __future__ import annotations

import pytest

import tacit as tc
from tacit.experiments.elidan.planted import measured, planted_hierarchy


def states_found(states, seed, method, leaves=20, cases=1200) -> int:
    """Of a latent class variable above three-valued leaves. [HV2 4.7]"""
    dag = tc.grouped_hierarchy({"T": [f"x{at}" for at in range(leaves)]})
    many = {name: (states if name == "T" else 3) for name in dag.names}
    data = measured(planted_hierarchy(dag, many, seed, sharp=0.6), cases, seed)
    fit = tc.fit(dag, data, hidden={"T": 2}, method=method, seed=seed)
    return len(fit.network.variables["T"].states)


def groups_found(states, seed, method, cases=1000, size=5) -> tuple[int, bool]:
    """Of three groups below a root, how many come back but for one leaf; whether all do."""
    groups = {letter: [f"{letter}{at}" for at in range(size)] for letter in "abc"}
    hidden = {f"H{letter}": who for letter, who in groups.items()}
    dag = tc.grouped_hierarchy({**hidden, "R": list(hidden)})
    many = {name: (states if dag.children[name] else 3) for name in dag.names}
    data = measured(planted_hierarchy(dag, many, seed, stays=0.8), cases, seed)
    found = tc.learn_hierarchy(data, method=method, seed=seed, held_out=0)
    children = [
        {each for each in found.network.dag.children[name] if each not in found.hidden}
        for name in found.hidden
    ]
    back = sum(
        any(each <= set(who) and len(each) >= size - 1 for each in children)
        for who in groups.values()
    )
    return back, back == len(groups)


ADAPT = tc.IBEM(cardinality="adapt")
QUICK = tc.IBEM(
    cardinality="adapt", structure=True, enrich=True, inference="exact", longest=0.05, max_steps=60
)


@pytest.mark.parametrize("states", [3, 5])
def test_planted_states_come_back(states):
    assert states_found(states, 0, ADAPT) == states


def test_a_planted_hierarchy_comes_back():
    assert groups_found(2, 1, QUICK, cases=400, size=4) == (3, True)


@pytest.mark.full
def test_planted_states_come_back_in_nine_of_ten_tables():
    right = [states_found(k, seed, ADAPT) == k for k in (2, 3, 5, 8) for seed in range(10)]
    assert sum(right) >= 0.9 * len(right)


@pytest.mark.full
def test_planted_groups_come_back_in_nine_of_ten_tables():
    whole = tc.IBEM(cardinality="adapt", structure=True, enrich=True, inference="exact")
    found = [groups_found(k, seed, whole)[0] for k in (2, 3) for seed in range(6)]
    assert sum(found) >= 0.9 * 3 * len(found)
