"""Hidden variables taken together along a path, held against enumeration of all their states."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import bottlenecks
import gappy
import naive_bottleneck as naive
import tacit as tc
from tacit.learn.bottleneck.completion import e_step
from tacit.learn.bottleneck.trees import (
    exact_log_likelihood,
    held,
    together,
    together_begun,
    together_step,
    tree_of,
)
from tacit.learn.expectation import at, plain_step

TEXTS = {
    "R -> S; R -> T; S -> A; S -> B; T -> C; T -> D; D -> E": "R S T",
    "R -> S; S -> A; S -> B; A -> B; R -> C; X -> S; C -> D": "R S",  # S has an observed parent
    "R -> A; S -> A; R -> B; S -> C; T -> D; T -> E; B -> E": "R S T",  # co-parents, and a forest
    "H -> A; H -> B; A -> B; C -> H": "H",
}
LOOP = "R -> S; R -> T; S -> A; T -> A; S -> B; T -> C"


def made(text, seed=0, cases=18, missing=0.0, estimate=None, **options):
    hidden = TEXTS.get(text, "R S T")
    truth = gappy.network(text, {"A": 3, "S": 3}, seed=seed)
    data = gappy.gappy(truth, cases, missing, seed=seed, hidden=hidden, weighted=True)
    known = {name: 3 if name == "S" else 2 for name in hidden.split()}
    route, _ = bottlenecks.route(truth.dag, data, known, estimate=estimate, **options)
    return truth.dag.parents, data, route.work


def spelt_out(parents, data, tables, marginals, hidden, gamma):
    """Every case with every state of all hidden variables: shares, counts, and the objective.

    marginals  r(t | hidden parents) per hidden variable, laid out as its table
    """
    cases, weights = bottlenecks.cases_of(data)
    counts = {name: np.zeros_like(table) for name, table in tables.items()}
    shares = {name: np.zeros((len(cases), tables[name].shape[-1])) for name in hidden}
    value, told = 0.0, 0.0
    for where, (case, weight) in enumerate(zip(cases, weights, strict=True)):
        ways = []
        for codes in product(*(range(tables[name].shape[-1]) for name in hidden)):
            whole = {**case, **dict(zip(hidden, codes, strict=True))}
            cells = {name: naive.cell(whole, parents, name) for name in parents}
            likely = sum(log(tables[name][cells[name]]) for name in parents)
            apart = sum(log(marginals[name][cells[name]]) for name in hidden)
            ways.append((whole, cells, likely, apart, exp(gamma * likely + (1 - gamma) * apart)))
        mass = sum(way[-1] for way in ways)
        value += weight * log(mass)
        for whole, cells, _, apart, part in ways:
            chance = part / mass
            told += weight * chance * (log(chance) - apart)
            for name in hidden:
                shares[name][where, whole[name]] += chance
            for name in parents:
                counts[name][cells[name]] += weight * chance
    return shares, counts, value, told


@pytest.mark.parametrize("gamma", [0.0, 0.35, 0.8, 1.0])
@pytest.mark.parametrize("text", TEXTS)
def test_shares_counts_and_objective_are_those_of_enumeration(text, gamma):
    parents, data, work = made(text, estimate=tc.ML())
    hidden, contexts = TEXTS[text].split(), work.contexts
    tree = tree_of(contexts)
    theta, other = (bottlenecks.random_theta(work, seed) for seed in (3, 4))
    apart = held(work, other)
    state = together(work, tree, theta, gamma, apart)
    tables = bottlenecks.tables(work, theta)
    logs = {name: np.array(contexts.layout.block(apart, contexts.layout.places[name]))
            for name in hidden}  # fmt: skip
    marginals = {name: np.exp(each) for name, each in logs.items()}
    shares, counts, value, told = spelt_out(parents, data, tables, marginals, hidden, gamma)
    for name, share in bottlenecks.by_case(work, state.shares).items():
        assert_allclose(share, shares[name], atol=1e-12)
    for name, table in bottlenecks.tables(work, state.expected).items():
        assert_allclose(table, counts[name], atol=1e-9)
    assert_allclose(state.objective, value, rtol=1e-10, atol=1e-10)
    assert_allclose(gamma * state.fit - (1 - gamma) * told, value, rtol=1e-10, atol=1e-10)
    weights = bottlenecks.cases_of(data)[1]
    for name, each in zip(hidden, state.information, strict=True):
        assert_allclose(each, naive.information(shares[name], weights), atol=1e-10)


@pytest.mark.parametrize("text", TEXTS)
def test_what_holds_shares_back_is_their_marginal_along_the_tree(text):
    parents, _, work = made(text)
    counts = np.random.default_rng(1).uniform(0.1, 3, work.contexts.layout.size)
    found, layout = held(work, counts), work.contexts.layout
    for name in parents:
        block = np.array(layout.block(found, layout.places[name]))
        if name not in TEXTS[text].split():
            assert_allclose(block, 0)
            continue
        table = np.array(layout.block(counts, layout.places[name]))
        seen = tuple(place for place, other in enumerate(parents[name])
                     if other not in TEXTS[text].split())  # fmt: skip
        pooled = table.sum(axis=seen, keepdims=True)
        share = pooled / pooled.sum(axis=-1, keepdims=True)
        assert_allclose(np.exp(block), np.broadcast_to(share, table.shape), rtol=1e-12)


@given(
    text=st.sampled_from(sorted(TEXTS)), seed=st.integers(0, 10_000), gamma=st.floats(0.01, 1),
    entropic=st.booleans(), estimate=st.sampled_from([tc.ML(), tc.Smoothed()]),
)  # fmt: skip
def test_no_step_lowers_the_objective(text, seed, gamma, entropic, estimate):
    _, _, work = made(text, seed=seed % 7, estimate=estimate, entropic=entropic)
    tree = tree_of(work.contexts)
    state = together_begun(work, tree, bottlenecks.random_theta(work, seed), gamma)
    for _ in range(4):
        following = together_step(work, tree, state)
        assert following.objective >= state.objective - 1e-9 * abs(state.objective)
        state = following


@pytest.mark.parametrize("text", TEXTS)
def test_at_gamma_one_a_step_is_a_step_of_em(text):
    _, _, work = made(text)
    tree, theta = tree_of(work.contexts), bottlenecks.random_theta(work, 5)
    state = together(work, tree, theta, 1.0, held(work, theta))
    here = at(work.problem, theta)
    assert_allclose(state.fit, here.objective, rtol=1e-12)
    assert_allclose(state.expected, here.expected, atol=1e-9)
    assert_allclose(exact_log_likelihood(work, tree, theta), here.log_likelihood, rtol=1e-12)
    following = together_step(work, tree, state)
    assert_allclose(following.theta, plain_step(work.problem, here).theta, atol=1e-12)


def test_with_one_hidden_variable_it_is_the_path_of_one():
    """With shares whose marginal is r, both are (6.4)."""
    text = "H -> A; H -> B; A -> B; C -> H"
    _, _, work = made(text)
    theta, shares = bottlenecks.random_theta(work, 2), bottlenecks.random_shares(work, 3)
    mean = work.contexts.weights @ shares[0] / work.contexts.total
    apart = held(work, theta)
    place = work.contexts.layout.places["H"]
    block = work.contexts.layout.block(apart, place)
    block[...] = np.log(mean)
    one = e_step(work, theta, shares, 0.6)
    other = together(work, tree_of(work.contexts), theta, 0.6, apart)
    assert_allclose(other.shares[0], one.shares[0], atol=1e-12)
    assert_allclose(other.expected, one.expected, atol=1e-9)
    assert_allclose(other.fit, one.fit, rtol=1e-12)
    assert_allclose(other.information, one.information, atol=1e-12)


def test_messages_of_hundreds_of_leaves_do_not_underflow():
    dag = tc.quadrant_hierarchy(32, 32, levels=3)
    pixels = [name for name in dag.names if not dag.children[name]]
    rng = np.random.default_rng(1)
    data = tc.Dataset({name: tc.Discrete(name, tuple("abcdefgh")) for name in pixels},
                      {name: rng.integers(0, 8, 5) for name in pixels})  # fmt: skip
    known = {name: 2 for name in dag.names if dag.children[name]}
    work = bottlenecks.route(dag, data, known)[0].work
    state = together_begun(work, tree_of(work.contexts), bottlenecks.random_theta(work, 1), 0.9)
    assert np.isfinite(state.objective)
    for share in state.shares:
        assert_allclose(share.sum(axis=1), 1)


@pytest.mark.parametrize(("text", "missing"), [(LOOP, 0.0), (next(iter(TEXTS)), 0.3)])
def test_loops_and_gaps_are_no_trees(text, missing):
    _, data, work = made(text, missing=missing, cases=40)
    assert tree_of(work.contexts) is None
    dag, known = tc.Dag.parse(text), dict.fromkeys("RST", 2)
    with pytest.raises(tc.OptionError, match='inference="exact" needs hidden variables in trees'):
        tc.fit(dag, data, hidden=known, method=tc.IBEM(inference="exact"))
