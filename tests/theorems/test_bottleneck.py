"""The information bottleneck's theorems, held against enumeration case by case."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import bottlenecks
import gappy
import naive_bottleneck as naive
import tacit as tc
from tacit.learn.bottleneck.completion import (
    begun,
    e_step,
    log_joint,
    log_likelihood,
    m_step,
    marginals,
    state_at,
    step,
)
from tacit.learn.bottleneck.continuation import follow, outset
from tacit.learn.bottleneck.directions import curvature, direction, moved, pull
from tacit.learn.expectation import at, plain_step

BLANKET = "A -> H; A -> X; H -> X; H -> Z; Z -> W; H -> W"
STATES = {"H": 3, "X": 3, "Z": 2, "W": 2, "A": 2}
HIERARCHY = "R -> S; R -> T; S -> A; S -> B; T -> C; T -> D"


def one(cases=25, seed=0, estimate=None, **options):
    """A hidden variable with a parent, co-parents and children that depend on each other."""
    truth = gappy.network(BLANKET, STATES, seed=seed)
    data = gappy.gappy(truth, cases, 0.0, seed=seed, hidden="H", weighted=True)
    route, _ = bottlenecks.route(truth.dag, data, {"H": 3}, estimate=estimate, **options)
    return truth.dag.parents, data, route


def several(cases=20, seed=0, missing=0.0, text=HIERARCHY, hidden="R S T", **options):
    truth = gappy.network(text, {"A": 3}, seed=seed)
    data = gappy.gappy(truth, cases, missing, seed=seed, hidden=hidden, weighted=True)
    known = dict.fromkeys(hidden.split(), 2)
    route, _ = bottlenecks.route(truth.dag, data, known, **options)
    return truth.dag.parents, data, route


def begin(work, shares, gamma):
    """The first step from these shares, whatever the parameters before."""
    return begun(work, shares, gamma, bottlenecks.random_theta(work, 0))


def spelt(parents, data, work, state):
    """What the oracle needs of a state."""
    cases, weights = bottlenecks.cases_of(data)
    shares = bottlenecks.by_case(work, state.shares)
    return bottlenecks.tables(work, state.theta), parents, cases, weights, shares


# --- one hidden variable: P1 to P10 -----------------------------------------------------------


@pytest.mark.parametrize("gamma", [0.0, 0.3, 1.0])
def test_the_lagrangian_is_the_penalised_fit_whatever_the_shares(gamma):
    """L_EM = (1 - γ) I(T; Y) - γ F; our objective is -W L_EM. [Prop 6.2.1, Thm 6.2.3]"""
    parents, data, route = one(estimate=tc.ML())
    work = route.work
    theta, shares = bottlenecks.random_theta(work, 1), bottlenecks.random_shares(work, 2)
    state = state_at(work, theta, shares, gamma)
    told, total = spelt(parents, data, work, state), work.contexts.total
    lagrangian = naive.lagrangian(*told, ["H"], gamma)
    assert_allclose(state.information, [naive.information(told[-1]["H"], told[-2])], rtol=1e-12)
    assert_allclose(state.fit, naive.fit(*told, ["H"]), rtol=1e-12)
    assert_allclose(state.objective, -total * lagrangian, rtol=1e-12)
    apart = (1 - gamma) * state.information[0] - gamma * state.fit / total
    assert_allclose(lagrangian, apart, rtol=1e-12)


def test_a_converged_state_solves_the_equations_and_the_gradient_vanishes():
    """[Prop 6.2.4]"""
    parents, data, route = one(estimate=tc.ML())
    work, gamma = route.work, 0.7
    state = begin(work, bottlenecks.random_shares(work, 3, 5.0), gamma)
    for _ in range(3000):
        state = step(work, state)
    tables, _, cases, weights, shares = spelt(parents, data, work, state)
    logs = naive.log_joint(tables, parents, cases, "H")
    assert_allclose(naive.update(shares["H"], logs, weights, gamma), shares["H"], atol=1e-9)

    def value(share):
        return naive.lagrangian(tables, parents, cases, weights, {"H": share}, ["H"], gamma)

    rng = np.random.default_rng(0)
    for _ in range(5):  # along what keeps every line adding up to one
        way = rng.normal(size=shares["H"].shape) * shares["H"]
        way -= shares["H"] * way.sum(axis=1, keepdims=True)
        slope = (value(shares["H"] + 1e-6 * way) - value(shares["H"] - 1e-6 * way)) / 2e-6
        assert abs(slope) < 1e-7


def test_at_gamma_one_a_step_is_a_step_of_em():
    parents, data, route = one()
    work = route.work
    theta = bottlenecks.random_theta(work, 4)
    state = e_step(work, theta, bottlenecks.random_shares(work, 5), 1.0)
    ours, _ = m_step(work, state)
    em = plain_step(work.problem, at(work.problem, theta))
    assert_allclose(ours, em.theta, rtol=1e-13)
    cases, weights = bottlenecks.cases_of(data)
    alpha = bottlenecks.tables(work, route.alpha)
    named = bottlenecks.tables(work, theta)
    slow, likely = naive.em_step(named, parents, cases, weights, alpha, ["H"])
    for name, table in bottlenecks.tables(work, ours).items():
        assert_allclose(table, slow[name], rtol=1e-10)
    assert_allclose(log_likelihood(work.contexts, theta), likely, rtol=1e-12)
    assert_allclose(state.fit, at(work.problem, theta).objective, rtol=1e-12)


def test_at_gamma_zero_hidden_states_say_nothing():
    _, _, route = one()
    state = begin(route.work, bottlenecks.random_shares(route.work, 6), 0.0)
    (mean,) = marginals(route.work.contexts, state.shares)
    assert_allclose(state.shares[0], np.broadcast_to(mean, state.shares[0].shape), rtol=1e-12)
    assert state.information[0] < 1e-12


@pytest.mark.parametrize("gamma", [0.2, 0.8])
def test_for_fixed_parameters_it_does_not_matter_where_shares_start(gamma):
    """The Lagrangian is convex in them."""
    _, _, route = one()
    work, theta = route.work, bottlenecks.random_theta(route.work, 7)
    ends = []
    for seed in (1, 2):
        shares = bottlenecks.random_shares(work, seed)
        for _ in range(3000):
            shares = e_step(work, theta, shares, gamma).shares
        ends.append(shares[0])
    assert_allclose(ends[0], ends[1], atol=1e-6)


def oracle(parents, data_route, gamma):
    """Residuals by the oracle, contexts standing for cases."""
    contexts = data_route.work.contexts
    names = contexts.layout.names
    cases = [
        {name: int(code) for name, code in zip(names, line, strict=True) if code >= 0}
        for line in contexts.codes
    ]
    shapes = bottlenecks.tables(data_route.work, data_route.alpha)
    given = (parents, cases, contexts.weights, shapes, "H")
    return (lambda share, g=gamma: naive.residual(share, *given, g, shapes)), given, shapes


def converged(route, gamma, seed=3):
    state = begin(route.work, bottlenecks.random_shares(route.work, seed, 0.5), gamma)
    for _ in range(4000):
        state = step(route.work, state)
    return state


def test_derivatives_are_finite_differences():
    """∂G/∂Q on the diagonal, ∂G/∂γ, ∂I/∂Q. [(6.24) as the errata mend it, (6.25), Lemma 6.5.2]"""
    parents, _, route = one(cases=14, prior=tc.BDeu(2))
    gamma, work = 0.8, route.work
    state = converged(route, gamma)
    share = state.shares[0]
    assert state.information[0] > 0.1
    residual, given, shapes = oracle(parents, route, gamma)
    assert_allclose(residual(share), 0, atol=1e-9)
    by_differences = naive.jacobian(residual, share)
    printed = naive.printed_jacobian(share, *given, gamma, shapes)
    assert_allclose(printed, by_differences, rtol=1e-5, atol=1e-5)
    diagonal = curvature(work, state, 0) - 1 / share
    assert_allclose(diagonal.ravel(), np.diag(by_differences), rtol=1e-5)
    by_gamma = (residual(share, gamma + 1e-6) - residual(share, gamma - 1e-6)) / 2e-6
    assert_allclose(pull(work, state, 0), by_gamma, atol=1e-7)
    weights = work.contexts.weights
    line, way = 0, np.array([1.0, -1.0, 0.0]) * 1e-6
    up, down = share.copy(), share.copy()
    up[line] += way
    down[line] -= way
    told = (naive.information(up, weights) - naive.information(down, weights)) / 2
    mean = weights @ share / weights.sum()
    lemma = weights[line] / weights.sum() * np.log(share[line] / mean)
    assert_allclose(told, lemma @ way, rtol=1e-6)


def test_the_exact_direction_is_the_tangent_of_the_path():
    """It solves G_Q dQ = -G_γ, keeps sums of one, and is where the solution goes."""
    parents, _, route = one(cases=14, prior=tc.BDeu(2))
    gamma, work = 0.8, route.work
    state = converged(route, gamma)
    residual, _, _ = oracle(parents, route, gamma)
    slope = (
        residual(state.shares[0], gamma + 1e-6) - residual(state.shares[0], gamma - 1e-6)
    ) / 2e-6
    null = np.linalg.solve(naive.jacobian(residual, state.shares[0]), -slope.ravel())
    exact = direction(work, tc.IBEM(direction="exact"), state)
    assert_allclose(exact.change[0].ravel(), null, atol=2e-3 * np.abs(null).max())
    assert_allclose(exact.change[0].sum(axis=1), 0, atol=1e-6)
    further = state
    for each in (0.8005, 0.801):
        further = begin(work, further.shares, each)
        for _ in range(4000):
            further = step(work, further)
    moved_by = (further.shares[0] - state.shares[0]) / 0.001
    assert np.corrcoef(moved_by.ravel(), exact.change[0].ravel())[0, 1] > 0.999
    told = (further.information[0] - state.information[0]) / 0.001
    assert_allclose(exact.gain, told, rtol=0.02)


def test_the_simple_direction_foretells_a_gain_that_is_a_variance():
    """dI = γ E_y Var_Q u >= 0 at a fixed point."""
    _, _, route = one()
    work, gamma = route.work, 0.8
    state = converged(route, gamma)
    simple = direction(work, tc.IBEM(), state)
    share, weights = state.shares[0], work.contexts.weights
    u = log_joint(work.contexts, state.theta, state.shares, 0)
    u = u - np.log(marginals(work.contexts, state.shares)[0])
    variance = (share * u**2).sum(axis=1) - (share * u).sum(axis=1) ** 2
    assert_allclose(simple.gain, gamma * weights @ variance / weights.sum(), rtol=1e-6)
    for way in ("simple", "diagonal"):
        along = direction(work, tc.IBEM(direction=way), state)
        for each in moved(tc.IBEM(direction=way), state, along, 0.05):
            assert_allclose(each.sum(axis=1), 1, rtol=1e-12)


def bayes(cases=400, seed=0, kids=6, states=3):
    text = "; ".join(f"H -> X{at}" for at in range(kids))
    truth = gappy.network(text, {"H": 2, **{f"X{at}": states for at in range(kids)}}, seed, 0.7)
    return gappy.gappy(truth, cases, 0.0, seed=seed, hidden="H", weighted=True), text


def test_the_trivial_solution_is_stable_up_to_the_threshold_and_no_further():
    """Small deviations grow by γ λ_max per step, and γ_c = 1 / λ_max of ZᵀZ / W."""
    data, text = bayes()
    route, _ = bottlenecks.route(text, data, {"H": 2}, prior=tc.Dirichlet(1e-9))
    weights, columns = np.asarray(data.weights), []
    for name in data.names:  # the standardised indicators of multiple correspondence analysis
        for code in range(len(data.variables[name].states)):
            hit = (np.asarray(data[name]) == code).astype(float)
            share = weights @ hit / weights.sum()
            columns.append((hit - share) / np.sqrt(share) if share > 0 else 0 * hit)
    z = np.stack(columns, axis=1) * np.sqrt(weights / weights.sum())[:, None]
    highest = np.linalg.eigvalsh(z.T @ z)[-1]
    assert_allclose(route.threshold, 1 / highest, rtol=1e-5)
    gamma = 1.05 * route.threshold
    rng = np.random.default_rng(0)
    deviation = rng.normal(size=(route.work.contexts.weights.size, 1)) * 1e-6
    shares = (0.5 + np.hstack([deviation, -deviation]),)
    state = begin(route.work, shares, gamma)
    sizes = []
    for _ in range(120):
        state = step(route.work, state)
        (mean,) = marginals(route.work.contexts, state.shares)
        sizes.append(np.abs(state.shares[0] - mean).max())
    assert_allclose(sizes[-1] / sizes[-2], 1.05, rtol=1e-3)


@pytest.mark.parametrize(("factor", "told"), [(0.99, False), (1.02, True)])
def test_below_the_threshold_nothing_is_told_above_it_something_is(factor, told):
    data, text = bayes()
    route, _ = bottlenecks.route(text, data, {"H": 2})
    state = begin(
        route.work, bottlenecks.random_shares(route.work, 1, 20.0), factor * route.threshold
    )
    for _ in range(4000):
        state = step(route.work, state)
    assert (state.information[0] > 1e-3) == told
    if not told:
        assert state.information[0] < 1e-6


def test_the_threshold_of_any_network_is_where_deviations_stop_dying():
    """With parents and co-parents; deviations grow by γ / γ_c per step."""
    _, _, route = one(cases=400, prior=tc.Dirichlet(1e-9))
    rng = np.random.default_rng(0)
    deviation = rng.normal(size=(route.work.contexts.weights.size, 3)) * 1e-8
    shares = (1 / 3 + deviation - deviation.mean(axis=1, keepdims=True),)
    for factor in (0.9, 1.1):
        state = begin(route.work, shares, factor * route.threshold)
        sizes = []
        for _ in range(80):
            state = step(route.work, state)
            (mean,) = marginals(route.work.contexts, state.shares)
            sizes.append(np.abs(state.shares[0] - mean).max())
        assert_allclose(sizes[-1] / sizes[-2], factor, rtol=5e-3)


@pytest.mark.parametrize("way", ["simple", "diagonal", "none"])
def test_information_rises_along_the_path_to_that_of_ems_posterior(way):
    data, text = bayes()
    settings = tc.IBEM(direction=way)
    route, theta = bottlenecks.route(text, data, {"H": 2}, settings=settings)
    found = follow(route, outset(route, theta), lambda _: None)
    told = np.array([each.information[0] for each in found.steps])
    assert (np.diff(told) > -1e-4).all()
    assert told.min() >= 0
    assert told.max() <= np.log(2)
    assert told[-1] > 0.1
    tables = bottlenecks.tables(route.work, found.state.theta)
    cases, weights = bottlenecks.cases_of(data)
    logs = naive.log_joint(tables, tc.Dag.parse(text).parents, cases, "H")
    posterior = np.exp(logs - logs.max(axis=1, keepdims=True))
    posterior /= posterior.sum(axis=1, keepdims=True)
    assert_allclose(told[-1], naive.information(posterior, weights), atol=1e-4)


# --- several: P11, P12 ------------------------------------------------------------------------

SEVERAL = [
    (HIERARCHY, "R S T", 0.0),
    ("R -> S; R -> X; S -> X; S -> Y; X -> Y", "R S", 0.0),
    ("H -> A; H -> B; A -> B; B -> C; H -> C", "H", 0.3),
    ("R -> S; S -> A; A -> B; R -> B", "R S", 0.3),
]


@pytest.mark.parametrize(("text", "hidden", "missing"), SEVERAL)
@pytest.mark.parametrize("gamma", [0.4, 1.0])
def test_the_mean_field_objective_is_its_definition(text, hidden, missing, gamma):
    """[(6.10)]; missing cells that matter are further variables, others are summed out."""
    parents, data, route = several(text=text, hidden=hidden, missing=missing, estimate=tc.ML())
    work = route.work
    theta, shares = bottlenecks.random_theta(work, 1), bottlenecks.random_shares(work, 2)
    state = state_at(work, theta, shares, gamma)
    told = spelt(parents, data, work, state)
    unseen = hidden.split()
    assert_allclose(state.fit, naive.fit(*told, unseen), rtol=1e-11)
    lagrangian = naive.lagrangian(*told, unseen, gamma)
    assert_allclose(state.objective, -work.contexts.total * lagrangian, rtol=1e-11)
    counted = naive.counts(*told, unseen)
    for name, table in bottlenecks.tables(work, state.expected).items():
        assert_allclose(table, counted[name], rtol=1e-9, atol=1e-12)


def test_mean_field_counts_shared_information_several_times():
    """I(T; Y) <= Σ I(T_i; Y), and L⁺ = L_EM + (1 - γ) TC. [errata, section 6.4]"""
    parents, data, route = several(estimate=tc.ML())
    work, gamma = route.work, 0.6
    theta, shares = bottlenecks.random_theta(work, 3), bottlenecks.random_shares(work, 4)
    state = state_at(work, theta, shares, gamma)
    told, hidden = spelt(parents, data, work, state), ["R", "S", "T"]
    weights, by_case = told[-2], told[-1]
    together = naive.joint_information(by_case, weights, hidden)
    assert together <= sum(state.information) + 1e-12
    fit = naive.fit(*told, hidden) / work.contexts.total
    l_em = (1 - gamma) * together - gamma * fit
    correlation = naive.total_correlation(by_case, weights, hidden)
    assert correlation > 0.001
    upper = naive.lagrangian(*told, hidden, gamma)
    assert_allclose(upper, l_em + (1 - gamma) * correlation, rtol=1e-10)


@pytest.mark.parametrize(("text", "hidden", "missing"), SEVERAL)
def test_at_gamma_one_mean_field_bounds_the_log_likelihood(text, hidden, missing):
    """[Thm 6.4.2]; the exact one by enumeration."""
    parents, data, route = several(text=text, hidden=hidden, missing=missing)
    state = begin(route.work, bottlenecks.random_shares(route.work, 5), 1.0)
    for _ in range(50):
        state = step(route.work, state)
    cases, weights = bottlenecks.cases_of(data)
    tables = bottlenecks.tables(route.work, state.theta)
    alpha = bottlenecks.tables(route.work, route.alpha)
    _, likely = naive.em_step(tables, parents, cases, weights, alpha, hidden.split())
    prior = sum(float((alpha[name] * np.log(tables[name])).sum()) for name in tables)
    assert state.fit - prior <= likely + 1e-9
    assert_allclose(at(route.work.problem, state.theta).log_likelihood, likely, rtol=1e-10)


def test_two_variables_that_agree_are_updated_one_after_the_other():
    """log P = 8·1{t1 = t2}: updated at once F falls from 2.09 to 0.05, in turn it reaches 8.00."""
    dag, cases = "S -> T; S -> A; T -> B", tc.Dataset(
        {"A": tc.Discrete("A", ("a", "b")), "B": tc.Discrete("B", ("a", "b"))},
        {"A": np.array([0]), "B": np.array([0])},
    )  # fmt: skip
    route, _ = bottlenecks.route(dag, cases, {"S": 2, "T": 2}, estimate=tc.ML())
    work, layout = route.work, route.work.contexts.layout
    theta = np.full(layout.size, 0.5)
    layout.block(theta, layout.places["T"])[...] = np.exp(8 * np.eye(2)) / (np.exp(8) + 1)
    constant = np.log(0.5**3 / (np.exp(8) + 1))
    shares = tuple(
        np.array([[0.9, 0.1]]) if layout.names[each.variable] == "S" else np.array([[0.1, 0.9]])
        for each in work.contexts.open
    )
    before = state_at(work, theta, shares, 1.0).fit - constant
    assert_allclose(before, 2.09, atol=0.005)
    assert_allclose(e_step(work, theta, shares, 1.0).fit - constant, 8.0, atol=0.005)
