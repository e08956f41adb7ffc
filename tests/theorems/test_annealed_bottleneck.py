"""Annealing without a path: each value of gamma solves its own equation, step after step."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import bottlenecks
import gappy
import naive_bottleneck as naive
import tacit as tc
from commands import run_json
from tacit.learn.bottleneck.completion import begun, step

LEAVES = gappy.leaves_of("H", "ABCD")
CASES = gappy.gappy(LEAVES, 120, 0.0, seed=3, hidden="H")
PARENTS = {name: LEAVES.dag.parents[name] for name in LEAVES.dag.names}
KINDS = {"naive": tc.naive_annealing, "entropic": tc.deterministic_annealing}


def powers(logs, share, weights, gamma):
    """Q(t|y) = P(x[y], t)^γ / Z: deterministic annealing, number by number."""
    del share, weights
    raw = np.exp(gamma * (logs - logs.max(axis=1, keepdims=True)))
    return raw / raw.sum(axis=1, keepdims=True)


def bottleneck(logs, share, weights, gamma):
    return naive.update(share, logs, weights, gamma)


UPDATES = {"naive": bottleneck, "entropic": powers}


def spelt_out(update, gammas, states=2, seed=5, many=20):
    """Annealing as a loop over gammas of loops of EM, with a little noise at every gamma; the
    tables at its end."""
    cases, weights = bottlenecks.cases_of(CASES)
    shapes = {name: (2,) if name == "H" else (2, 2) for name in PARENTS}
    alpha = {name: np.full(shape, 1.0 / np.prod(shape)) for name, shape in shapes.items()}
    rng = np.random.default_rng(seed)
    share = np.full((len(cases), states), 1.0 / states)
    blank = {name: np.full(shape, 0.5) for name, shape in shapes.items()}
    for gamma in gammas:
        share = share * np.exp(rng.normal(scale=0.1, size=share.shape))
        share /= share.sum(axis=1, keepdims=True)
        for _ in range(many):
            counted = naive.counts(blank, PARENTS, cases, weights, {"H": share}, ["H"])
            tables = naive.most_likely(counted, alpha)
            logs = naive.log_joint(tables, PARENTS, cases, "H")
            share = update(logs, share, weights, gamma)
    return logs


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gamma", [0.5, 0.8, 1.0])
def test_what_settles_at_a_gamma_solves_the_equation_of_its_kind(kind, gamma):
    entropic = kind == "entropic"
    route, theta = bottlenecks.route(LEAVES.dag, CASES, {"H": 2}, seed=2, entropic=entropic)
    shares = bottlenecks.random_shares(route.work, 7)
    state = begun(route.work, shares, gamma, theta)
    for _ in range(1500):
        state = step(route.work, state)
    cases, weights = bottlenecks.cases_of(CASES)
    told = bottlenecks.by_case(route.work, state.shares)["H"]
    logs = naive.log_joint(bottlenecks.tables(route.work, state.theta), PARENTS, cases, "H")
    assert_allclose(told, UPDATES[kind](logs, told, weights, gamma), atol=1e-6)
    other = UPDATES["naive" if entropic else "entropic"](logs, told, weights, gamma)
    assert gamma == 1 or np.abs(told - other).max() > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_annealing_ends_where_the_loop_that_defines_it_ends(kind):
    fit = tc.fit(LEAVES.dag, CASES, hidden={"H": 2}, method=KINDS[kind](10), seed=1)
    logs = spelt_out(UPDATES[kind], np.arange(3, 11) / 10)
    top = logs.max(axis=1)
    spelt = float((top + np.log(np.exp(logs - top[:, None]).sum(axis=1))).sum())
    assert_allclose(fit.log_likelihood, spelt, rtol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_gamma_rises_in_even_steps_to_one(kind):
    path = tc.fit(LEAVES.dag, CASES, hidden={"H": 2}, method=KINDS[kind](25), seed=1).path
    steps = np.diff(path.gamma)
    assert_allclose(steps[:-1], 1 / 25, rtol=1e-9)
    assert 0 < steps[-1] <= 1 / 25 + 1e-9
    assert path.gamma[-1] == 1.0


def test_both_are_settings_of_the_path():
    even = tc.IBEM(direction="none", longest=0.001)
    assert tc.naive_annealing() == even
    assert tc.naive_annealing(2000) == tc.IBEM(direction="none", longest=5e-4, shortest=5e-4)
    entropic = tc.deterministic_annealing(50, restarts=3)
    assert entropic == tc.IBEM(direction="none", longest=0.02, penalty="entropy", restarts=3)
    with pytest.raises(tc.OptionError, match=r"values=0 must be a whole number, 1 or more"):
        tc.naive_annealing(0)


@pytest.mark.parametrize("word", ["naive-annealing", "deterministic-annealing"])
def test_the_command_line_has_a_word_for_each(word, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tc.write_cases(CASES, "cases.csv")
    method = {"naive-annealing": tc.naive_annealing(10), "deterministic-annealing":
              tc.deterministic_annealing(10)}[word]  # fmt: skip
    words = ("fit", "cases.csv", "--network", "H -> A, B, C, D", "--hidden", "H=2", "--seed", "3")
    words = (*words, "--method", word, "--set", "longest=0.1", "-o", "o.json")
    found = run_json(capsys, *words)
    assert eval(found["method"], {"IBEM": tc.IBEM}) == method
    fit = tc.fit("H -> A, B, C, D", "cases.csv", hidden={"H": 2}, seed=3, method=method)
    assert found["objective"] == fit.objective
