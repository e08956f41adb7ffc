"""States of hidden variables that become one, against scores and entropies spelled out. [P13]"""

from __future__ import annotations

from math import lgamma, log

import numpy as np
import pytest
from numpy.testing import assert_allclose

import bottlenecks
import gappy
import tacit as tc
from tacit.learn.bottleneck.completion import m_step, state_at
from tacit.learn.bottleneck.effective import States
from tacit.learn.bottleneck.splitting import joined, savings, split

TEXT = "A -> T; T -> B; T -> C; A -> C; T -> D"
LEAVES = "T -> B; T -> C; T -> D"


def work(text=TEXT, states=4, cases=60, seed=0, estimate=None):
    truth = gappy.network(text, {"T": 3, "B": 3, "C": 2, "D": 3}, seed=seed)
    data = gappy.gappy(truth, cases, 0.0, seed=seed, hidden="T", weighted=True)
    route, _ = bottlenecks.route(truth.dag, data, {"T": states}, estimate=estimate)
    return route


def merged_table(layout, family, table, i, j):
    """A table with two states of T as one: their cells add up."""
    names = [layout.names[v] for v in layout.axes[family].variables]
    if "T" not in names:
        return table
    axis = names.index("T")
    found = np.delete(table, j, axis=axis)
    place = [slice(None)] * table.ndim
    place[axis] = i
    found[tuple(place)] = np.take(table, i, axis=axis) + np.take(table, j, axis=axis)
    return found


def score(tables, alphas) -> float:
    """The BDe score of a whole network, row by row."""
    total = 0.0
    for table, alpha in zip(tables, alphas, strict=True):
        rows = zip(table.reshape(-1, table.shape[-1]), alpha.reshape(-1, alpha.shape[-1]),
                   strict=True)  # fmt: skip
        for counts, prior in rows:
            total += lgamma(prior.sum()) - lgamma(prior.sum() + counts.sum())
            total += sum(lgamma(a + n) - lgamma(a) for n, a in zip(counts, prior, strict=True))
    return total


@pytest.mark.parametrize("text", [TEXT, LEAVES])
def test_the_local_difference_is_that_of_full_scores(text):
    """Δ_ij looks at the tables around T alone."""
    route = work(text)
    state = state_at(route.work, bottlenecks.random_theta(route.work, 0),
                     bottlenecks.random_shares(route.work, 1), 1.0)  # fmt: skip
    layout = route.work.contexts.layout
    families = range(len(layout.names))
    counts = [np.array(layout.block(state.expected, v)) for v in families]
    alphas = [np.array(layout.block(route.alpha, v)) for v in families]
    gains = States.of(layout, state.expected, route.alpha, layout.places["T"]).gains()
    for i, j in ((0, 1), (1, 3), (0, 2)):
        after = score(
            [merged_table(layout, v, counts[v], i, j) for v in families],
            [merged_table(layout, v, alphas[v], i, j) for v in families],
        )
        assert_allclose(gains[i, j], after - score(counts, alphas), rtol=1e-9)


def test_halves_of_one_state_are_worth_merging():
    """Identical states give Δ_ij > 0."""
    route = work(states=2)
    (share,) = bottlenecks.random_shares(route.work, 1, 0.1)
    weights = route.work.contexts.weights
    halves = split(share, weights, np.random.default_rng(0))
    assert_allclose(halves.sum(axis=1), 1)
    state = int(np.argmax(weights @ share))
    assert_allclose(halves[:, state] + halves[:, 2], share[:, state])
    assert np.abs(halves[:, state] / share[:, state] - 0.5).max() <= 0.01 + 1e-12
    wider = work(states=3)
    expected = state_at(wider.work, bottlenecks.random_theta(wider.work, 0), (halves,), 1.0)
    layout = wider.work.contexts.layout
    states = States.of(layout, expected.expected, wider.alpha, layout.places["T"])
    assert states.gains()[state, 2] > 0
    assert_allclose(joined(halves, state, 2), share)


def jensen_shannon(share, one, other) -> float:
    """H(w a + (1 - w) b) - w H(a) - (1 - w) H(b)."""

    def entropy(p):
        return -sum(x * log(x) for x in p if x > 0)

    return (
        entropy(share * one + (1 - share) * other)
        - share * entropy(one)
        - (1 - share) * entropy(other)
    )


@pytest.mark.parametrize("gamma", [0.3, 0.8, 1.0])
def test_merging_changes_the_lagrangian_by_divergences_of_the_two_states(gamma):
    """ΔL = -q JS(Q(Y|i), Q(Y|j)) + γ q Σ_c JS(P(X_c|i), P(X_c|j)) for naive Bayes at ML."""
    before, after = work(LEAVES, 4, estimate=tc.ML()), work(LEAVES, 3, estimate=tc.ML())

    def settled(route, share):
        theta = bottlenecks.random_theta(route.work, 0)
        theta, _ = m_step(route.work, state_at(route.work, theta, (share,), gamma))
        return state_at(route.work, theta, (share,), gamma)

    (share,) = bottlenecks.random_shares(before.work, 2)
    contexts = before.work.contexts
    one, other = settled(before, share), settled(after, joined(share, 1, 3))
    shares = contexts.weights / contexts.total
    mean = shares @ share
    both = mean[1] + mean[3]
    part = mean[1] / both
    by_case = [shares * share[:, t] / mean[t] for t in (1, 3)]
    told = -both * jensen_shannon(part, *by_case)
    for name, table in bottlenecks.tables(before.work, one.theta).items():
        if name != "T":
            told += gamma * both * jensen_shannon(part, table[1], table[3])
    assert_allclose((one.objective - other.objective) / contexts.total, told, rtol=1e-9)


@pytest.mark.parametrize("gamma", [0.4, 1.0])
def test_what_merging_saves_counts_what_was_left_open_between_the_two(gamma):
    """γ (Δ + W ΔH(T|Y)) - (1 - γ) W ΔI, entropies by their definitions."""
    route = work(LEAVES, 4)
    contexts, layout = route.work.contexts, route.work.contexts.layout
    (share,) = bottlenecks.random_shares(route.work, 2)
    state = state_at(route.work, bottlenecks.random_theta(route.work, 0), (share,), gamma)
    states = States.of(layout, state.expected, route.alpha, layout.places["T"])

    def entropies(shares):
        mean = contexts.weights @ shares / contexts.total
        inside = -float(contexts.weights @ (shares * np.log(shares)).sum(axis=1))
        return inside, -contexts.total * float(mean @ np.log(mean)) - inside

    found = savings(states, share, contexts.weights, gamma)
    for i, j in ((0, 1), (1, 3)):
        (open_before, told_before), (open_after, told_after) = (
            entropies(each) for each in (share, joined(share, i, j))
        )
        expected = gamma * (states.gains()[i, j] + open_after - open_before)
        expected -= (1 - gamma) * (told_after - told_before)
        assert_allclose(found[i, j], expected, rtol=1e-9)
