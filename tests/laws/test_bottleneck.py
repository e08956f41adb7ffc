"""Laws of the information bottleneck: what never falls, and what does not matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import bottlenecks
import gappy
import questions
import tacit as tc
from tacit.learn.bottleneck.completion import begun, e_step, m_step, state_at
from tacit.learn.expectation import at, plain_step
from tacit.learn.fits import Stop

TEXTS = {
    "H -> A; H -> B; H -> C; H -> D": "H",
    "A -> H; H -> B; A -> B; H -> C": "H",
    "R -> S; R -> T; S -> A; S -> B; T -> C; T -> D": "R S T",
    "R -> S; R -> A; S -> A; S -> B; A -> B; A -> C": "R S",
}
LEAVES = gappy.leaves_of("H", "ABCDE")
CASES = gappy.gappy(LEAVES, 300, 0.0, seed=1, hidden="H")
RULES = "P(A=a | H=1) >= 0.7\nP(B | H=1) = P(C | H=1)"


def work(text, seed, missing, estimate=None, cases=40, **options):
    truth = gappy.network(text, {"A": 3, "C": 3}, seed=seed, sharp=0.6)
    hidden = TEXTS[text]
    data = gappy.gappy(truth, cases, missing, seed=seed, hidden=hidden, weighted=True)
    known = {name: 2 + (seed + at) % 2 for at, name in enumerate(hidden.split())}
    route, _ = bottlenecks.route(truth.dag, data, known, estimate=estimate, **options)
    return route.work


@given(
    text=st.sampled_from(sorted(TEXTS)), seed=st.integers(0, 10_000), gamma=st.floats(0, 1),
    missing=st.sampled_from([0.0, 0.3]), entropic=st.booleans(),
    estimate=st.sampled_from([tc.ML(), tc.Smoothed()]),
)  # fmt: skip
def test_neither_half_of_a_step_lowers_the_objective(
    text, seed, gamma, missing, entropic, estimate
):
    """With a prior its term is part of the objective. [HV2 2.1, Prop 6.2.5]"""
    here = work(text, seed, missing, estimate, entropic=entropic)
    theta = bottlenecks.random_theta(here, seed)
    state = state_at(here, theta, bottlenecks.random_shares(here, seed), gamma)
    for _ in range(4):
        likelier, _ = m_step(here, state)
        half = state_at(here, likelier, state.shares, gamma)
        small = 1e-9 * (1 + abs(state.objective))
        assert half.objective >= state.objective - small
        state = e_step(here, likelier, state.shares, gamma)
        assert state.objective >= half.objective - small


@given(seed=st.integers(0, 10_000), gamma=st.floats(0.05, 1))
def test_what_a_step_is_worth_does_not_depend_on_how_it_is_reached(seed, gamma):
    """An E-step's own account of its end is what shares and parameters are worth anew."""
    here = work(sorted(TEXTS)[seed % 4], seed, 0.2)
    theta = bottlenecks.random_theta(here, seed)
    state = e_step(here, theta, bottlenecks.random_shares(here, seed), gamma)
    again = state_at(here, theta, state.shares, gamma)
    assert_allclose(state.expected, again.expected, atol=1e-10)
    assert_allclose(state.information, again.information, atol=1e-10)
    assert_allclose(state.objective, again.objective, rtol=1e-10, atol=1e-8)
    for share in state.shares:
        assert_allclose(share.sum(axis=1), 1, rtol=1e-12)


@given(seed=st.integers(0, 10_000))
def test_leaves_that_are_missing_are_summed_out(seed):
    """One hidden variable above leaves with gaps: no other variable is open, and shares at gamma 1
    are worth the exact likelihood."""
    here = work("H -> A; H -> B; H -> C; H -> D", seed, 0.3, cases=12)
    assert here.contexts.exact
    theta = bottlenecks.random_theta(here, seed)
    state = e_step(here, theta, bottlenecks.random_shares(here, seed), 1.0)
    assert_allclose(state.fit, at(here.problem, theta).objective, rtol=1e-10)


def test_contexts_are_merged_cases():
    """Cases told by weight are cases told again and again; their order does not matter."""
    counts = np.random.default_rng(7).integers(1, 4, len(CASES))
    repeated = CASES.take(np.repeat(np.arange(len(CASES)), counts))
    shuffled = repeated.take(np.random.default_rng(8).permutation(len(repeated)))
    fits = [
        tc.fit(LEAVES.dag, data, hidden={"H": 2}, method=tc.IBEM(), seed=4)
        for data in (CASES.with_weights(counts.astype(float)), repeated, shuffled)
    ]
    for other in fits[1:]:
        assert_allclose(other.objective, fits[0].objective, rtol=1e-10)
        assert_allclose(other.path.gamma, fits[0].path.gamma, rtol=1e-6)
        for name in LEAVES:
            assert_allclose(other.network[name].values, fits[0].network[name].values, atol=1e-6)
    route, _ = bottlenecks.route(LEAVES.dag, repeated, {"H": 2})
    assert route.work.contexts.weights.size <= 2**5
    assert route.work.contexts.total == len(repeated)


def assert_same(one, other):
    assert one.trace == other.trace
    assert one.path == other.path
    for name in one.network:
        assert_array_equal(one.network[name].values, other.network[name].values)


def test_one_seed_gives_the_same_bits_whatever_the_threads():
    def learned(seed, threads):
        return tc.fit(LEAVES.dag, CASES, hidden={"H": 2}, method=tc.IBEM(restarts=2), seed=seed,
                      threads=threads)  # fmt: skip

    assert_same(learned(3, 1), learned(3, 2))
    assert learned(5, 1).trace != learned(3, 1).trace


def test_no_seed_changes_the_optimum_of_an_easy_problem():
    fits = [
        tc.fit(LEAVES.dag, CASES, hidden={"H": 2}, method=method, seed=seed)
        for seed, method in enumerate(
            [tc.IBEM(), tc.IBEM(direction="diagonal"), tc.IBEM(direction="none"),
             tc.IBEM(penalty="entropy"), tc.EM(restarts=5)]
        )
    ]  # fmt: skip
    for other in fits[1:]:
        assert_allclose(other.objective, fits[0].objective, rtol=1e-6)


@pytest.mark.parametrize("estimate", [tc.ML(), tc.Smoothed(), tc.MAP()])
def test_the_end_of_a_path_is_a_fixed_point_of_em(estimate):
    prior = tc.Dirichlet(1.5)
    fit = tc.fit(LEAVES.dag, CASES, hidden={"H": 2}, method=tc.IBEM(finish=False), seed=1,
                 estimate=estimate, prior=prior)  # fmt: skip
    problem, _, _ = bottlenecks.problem(LEAVES.dag, CASES, {"H": 2}, prior, estimate)
    theta = problem.layout.parameters(fit.network)
    here = at(problem, theta)
    after = plain_step(problem, here)
    assert_allclose(fit.objective, here.objective, rtol=1e-12)
    assert after.objective - here.objective < 1e-4
    assert_allclose(after.theta, theta, atol=1e-3)


def test_rules_hold_at_every_gamma_and_cost_at_gamma_one():
    free = tc.fit(LEAVES.dag, CASES, hidden={"H": 2}, method=tc.IBEM(), seed=1)
    ruled = tc.fit(LEAVES.dag, CASES, hidden={"H": 2}, method=tc.IBEM(), seed=1, knowledge=RULES)
    em = tc.fit(LEAVES.dag, CASES, hidden={"H": 2}, method=tc.EM(), seed=1, knowledge=RULES)
    assert_allclose(ruled.objective, em.objective, rtol=1e-7)
    assert ruled.objective <= free.objective + 1e-6
    for until in (0.3, 0.6, 1.0):
        method = tc.IBEM(until=until, finish=False)
        fit = tc.fit(LEAVES.dag, CASES, hidden={"H": 2}, method=method, seed=1, knowledge=RULES)
        network = fit.network
        assert network["A"].values[0, 0] >= 0.7 - 1e-9
        assert_allclose(network["B"].values[0], network["C"].values[0], atol=1e-9)
        assert fit.stop is Stop.CONVERGED


@given(seed=st.integers(0, 300))
def test_new_names_of_states_change_only_names(seed):
    truth = questions.random_network(seed, size=4)
    data = tc.sample(truth, 40, seed=seed)
    dag = tc.Dag({**truth.dag.parents, "H": (), **{
        name: (*truth.dag.parents[name], "H") for name in truth.dag.names[-2:]
    }})  # fmt: skip
    settings = tc.IBEM(finish=False, longest=0.2, max_steps=20, step=0.1)
    renamed = tc.Dataset(
        {n: tc.Discrete(n, tuple(f"z{s}" for s in v.states)) for n, v in data.variables.items()},
        {n: data[n] for n in data.names},
    )
    one, other = (
        tc.fit(dag, cases, hidden={"H": 2}, method=settings, seed=seed) for cases in (data, renamed)
    )
    assert one.trace == other.trace


def test_an_unfinished_start_costs_nothing_at_the_first_step():
    """The first step from any shares is an M-step, whatever the parameters before."""
    here = work("H -> A; H -> B; H -> C; H -> D", 3, 0.0)
    shares = bottlenecks.random_shares(here, 1)
    one, other = (begun(here, shares, 0.5, bottlenecks.random_theta(here, seed)) for seed in (1, 2))
    assert_array_equal(one.theta, other.theta)
