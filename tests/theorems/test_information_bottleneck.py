"""The bottleneck of two variables, and of two networks. [HV2 1; HV2-1, HV2-2]"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import bottlenecks
import gappy
import naive_bottleneck as naive
import tacit as tc
from tacit.learn.bottleneck.completion import m_step, state_at


def table(seed, ys=8, xs=5, sharp=0.5):
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.full(xs, sharp), ys)
    return rng.dirichlet(np.ones(ys))[:, None] * rows


@given(seed=st.integers(0, 200), beta=st.floats(0.5, 20.0), states=st.integers(2, 4))
def test_a_limit_solves_the_equations_and_no_step_raises_the_objective(seed, beta, states):
    """Q(t|y) = Q(t) / Z exp(-beta D(Q(X|y) | Q(X|t)))."""
    joint = table(seed)
    found = tc.information_bottleneck(joint, states, beta, seed=seed, restarts=1, tolerance=1e-15)
    assert (np.diff(found.trace) <= 1e-12).all()
    weights = joint.sum(axis=1)
    assert_allclose(found.kept, naive.information(found.shares, weights), atol=1e-9)
    assert_allclose(found.objective, found.kept - beta * found.told, atol=1e-12)
    if len(found.trace) > 1990:
        return  # not at its limit yet
    mean = weights @ found.shares
    apart = np.array([
        [sum(p * np.log(p / max(q, 1e-300)) for p, q in zip(row, other, strict=True) if p > 0)
         for other in found.meaning]
        for row in joint / weights[:, None]
    ])  # fmt: skip
    logs = np.log(np.maximum(mean, 1e-300)) - beta * apart
    told = np.exp(logs - logs.max(axis=1, keepdims=True))
    assert_allclose(told / told.sum(axis=1, keepdims=True), found.shares, atol=1e-3)


def test_without_a_reward_there_is_one_cluster_and_with_much_every_kind_of_row_has_its_own():
    joint = table(0)
    for beta in (0.0, 0.5, 1.0):
        assert tc.information_bottleneck(joint, 4, beta, seed=0).kept < 1e-6
    rows = np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8], [0.2, 0.8]]) / 4
    found = tc.information_bottleneck(rows, 2, 500.0, seed=0)
    assert_allclose(found.shares[0], found.shares[1])
    assert_allclose(found.kept, np.log(2), rtol=1e-6)
    whole = naive.information(rows / rows.sum(axis=1, keepdims=True), rows.sum(axis=1))
    assert_allclose(found.told, whole, rtol=1e-6)


@pytest.mark.parametrize("gamma", [0.5, 2.0])
def test_two_principles_are_one(gamma):
    """L2 - [I(T;Y) - γ Σ I(T;X_i)] is the same for all Q of naive Bayes, and so is L1 / (1 - β)
    with β = γ / (1 + γ). [HV2 1.3]"""
    truth = gappy.network("T -> A; T -> B; T -> C", {"A": 3, "T": 3}, seed=0)
    data = gappy.gappy(truth, 40, 0.0, seed=0, hidden="T", weighted=True)
    work = bottlenecks.route(truth.dag, data, {"T": 3}, estimate=tc.ML())[0].work
    cases, weights = bottlenecks.cases_of(data)
    total, beta, apart = float(np.sum(weights)), gamma / (1 + gamma), []
    for seed in range(4):
        shares = bottlenecks.random_shares(work, seed)
        theta, _ = m_step(work, state_at(work, bottlenecks.random_theta(work, 0), shares, 1.0))
        state = state_at(work, theta, shares, 1.0)
        kept = state.information[0]
        # D(Q(Y,T,X) | P(Y,T,X)) with P(Y|T) = Q(Y|T), up to what does not depend on Q:
        # I(T;Y) + γ (-E log P(X,T) + E log Q(T)), as Q(y) is fixed
        share = bottlenecks.by_case(work, shares)["T"]
        mean = naive.marginal(share, weights)
        tables = bottlenecks.tables(work, theta)
        likely = naive.expected_log(tables, truth.dag.parents, cases, weights, {"T": share}, ["T"])
        second = kept - gamma * (likely / total + naive.entropy(mean))
        told = 0.0
        for name in "ABC":
            rows = tables[name]
            overall = mean @ rows
            told += sum(m * p * np.log(p / q) for m, row in zip(mean, rows, strict=True)
                        for p, q in zip(row, overall, strict=True) if p > 0)  # fmt: skip
        first = kept - beta * (kept + told)
        apart.append((second - (kept - gamma * told), first / (1 - beta) - (kept - gamma * told)))
    assert_allclose([each[0] for each in apart], apart[0][0], rtol=1e-9)
    assert_allclose([each[1] for each in apart], 0, atol=1e-9)


@pytest.mark.parametrize(("given_", "told"), [
    ((np.array([1.0, 2.0]), 2, 1.0), "joint= must be a table (y, x)"),
    ((np.array([[1.0, -2.0]]), 2, 1.0), "joint= must be a table (y, x)"),
    ((np.eye(2), 0, 1.0), "states=0 must be a whole number, 1 or more"),
    ((np.eye(2), 2, -1.0), "beta=-1.0 must be a number, 0 or more"),
], ids=str)  # fmt: skip
def test_what_is_no_table_is_refused(given_, told):
    with pytest.raises(tc.OptionError) as problem:
        tc.information_bottleneck(*given_)
    assert told in str(problem.value)
