"""When a hidden variable is missing between another and its children. [HV2 2.11]"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import bottlenecks
import gappy
import naive_bottleneck as naive
import naive_enrichment as slow
import tacit as tc
from tacit.families.table import table
from tacit.learn.bottleneck.completion import e_step, m_step, state_at
from tacit.learn.bottleneck.enrichment import Enrichment
from tacit.learn.bottleneck.signals import signals, strongest

NAMES = ("A", "B", "C", "D", "E")
CARDS = {"A": 3, "B": 2, "C": 2, "D": 3, "E": 2}
PLAIN = "T -> A; T -> B; T -> C; T -> D; T -> E"
RICHER = "T -> U; U -> A; U -> B; U -> C; T -> D; T -> E"


def work(text=PLAIN, hidden=("T",), cases=40, seed=0, missing=0.0):
    truth = gappy.network(text, CARDS, seed=seed)
    names = " ".join(hidden)
    data = gappy.gappy(truth, cases, missing, seed=seed, hidden=names, weighted=True)
    states = {name: 3 if name == "T" else 2 for name in hidden}
    route, _ = bottlenecks.route(truth.dag, data, states, estimate=tc.ML())
    return data, route.work


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_signal_is_what_children_say_of_each_other_given_their_parent(missing):
    data, here = work(missing=missing)
    shares = bottlenecks.random_shares(here, 1, sharp=0.2)
    cases, weights = bottlenecks.cases_of(data)
    by_case = bottlenecks.by_case(here, shares)["T"]
    everything = Enrichment(least=0.0, informed=0.0)
    found = signals(here.contexts, shares, "T", everything)
    assert {frozenset(each.children) for each in found} == set(
        map(frozenset, combinations(NAMES, 3))
    )
    for each in found:
        group = list(each.children)
        told = slow.total_correlation(cases, weights, by_case, group)
        assert_allclose(each.dependence, told, atol=1e-10)
        told = slow.conditional_entropy(cases, weights, by_case, group)
        assert_allclose(each.entropy, told, rtol=1e-10)
        assert_allclose(each.most, sum(np.log(CARDS[name]) for name in group))
    values = [each.dependence for each in found]
    assert values == sorted(values, reverse=True)
    by_entropy = signals(here.contexts, shares, "T", Enrichment("entropy", least=0.0, informed=0.0))
    assert by_entropy[0].entropy == max(each.entropy for each in found)
    least = float(np.median([each.entropy / each.most for each in found]))
    half = signals(here.contexts, shares, "T", Enrichment("entropy", least=least, informed=0.0))
    assert {each.children for each in half} == {
        each.children for each in found if each.entropy >= least * each.most
    }
    assert 0 < len(half) < 10


def test_nothing_is_said_of_children_while_the_parent_knows_too_little():
    _, here = work()
    settings = Enrichment(least=0.0, informed=0.2)
    even = tuple(np.full_like(share, 1 / 3) for share in bottlenecks.random_shares(here, 1))
    assert signals(here.contexts, even, "T", settings) == ()
    sharp = tuple(np.eye(3)[np.random.default_rng(0).integers(0, 3, len(share))] for share in even)
    assert len(signals(here.contexts, sharp, "T", settings)) == 10


def test_only_the_least_certain_children_are_looked_at_and_nothing_is_tried_twice():
    data, here = work()
    shares = bottlenecks.random_shares(here, 1, sharp=0.2)
    cases, weights = bottlenecks.cases_of(data)
    by_case = bottlenecks.by_case(here, shares)["T"]
    alone = {name: slow.conditional_entropy(cases, weights, by_case, [name]) for name in NAMES}
    few = Enrichment(least=0.0, informed=0.0, candidates=3)
    (only,) = signals(here.contexts, shares, "T", few)
    assert set(only.children) == set(sorted(NAMES, key=lambda name: -alone[name])[:3])
    assert strongest(here.contexts, shares, few) == (only,)
    tried = {("T", frozenset(only.children))}
    assert strongest(here.contexts, shares, few, tried) == ()


def test_no_hidden_variable_explains_more_than_children_are_unsure_of():
    """-H(C|T1) >= E[Σ log P'(X_i|T2) + log P'(T2|T1)] for any Q. [Prop 6.10.1]"""
    group, tight = ["A", "B", "C"], []
    for seed in range(12):
        data, _ = work(seed=seed, cases=25)
        cases, weights = bottlenecks.cases_of(data)
        rng = np.random.default_rng(seed)
        first = rng.dirichlet(np.full(3, 0.5), len(cases))
        second = rng.dirichlet(np.full(2 + seed % 3, 0.1 + seed % 2), len(cases))
        if seed == 11:  # a variable that is the children themselves explains them wholly
            codes = [[case[name] for name in group] for case in cases]
            _, which = np.unique(codes, axis=0, return_inverse=True)
            second = np.eye(which.max() + 1)[which.reshape(-1)]
        unsure = slow.conditional_entropy(cases, weights, first, group)
        told = slow.explained(cases, weights, first, second, group, CARDS)
        assert -unsure >= told - 1e-12
        tight.append(-unsure - told)
    assert_allclose(tight.pop(), 0, atol=1e-12)
    assert min(tight) > 0.1


def likeliest(here, shares, gamma):
    """These shares with the parameters that are best for them."""
    theta, _ = m_step(here, state_at(here, bottlenecks.random_theta(here, 0), shares, gamma))
    return state_at(here, theta, shares, gamma)


@pytest.mark.parametrize("gamma", [0.3, 0.7, 1.0])
def test_what_a_new_variable_lowers_is_bounded_by_dependence(gamma):
    """L - L' = -I(T2;Y) + γ E[log P'(T2|T1) - log Q(T2) + Σ (log P'(X_i|T2) - log P(X_i|T1))]
    <= γ TC(C|T1) + γ H(T2) - I(T2;Y), Q(T1|Y) being the same on both sides."""
    group = ["A", "B", "C"]
    for seed in range(6):
        data, plain = work(seed=seed)
        cases, weights = bottlenecks.cases_of(data)
        richer = bottlenecks.route(RICHER, data, {"T": 3, "U": 2}, estimate=tc.ML())[0].work
        rng = np.random.default_rng(seed)
        shares = {
            "T": rng.dirichlet(np.full(3, 0.5), len(plain.contexts.weights)),
            "U": rng.dirichlet(np.full(2, 0.5), len(plain.contexts.weights)),
        }
        one, two = (shares[name][plain.contexts.case] for name in "TU")
        _, case = np.unique(richer.contexts.case, return_index=True)
        names = [richer.contexts.layout.names[each.variable] for each in richer.contexts.open]
        after = likeliest(richer, tuple({"T": one, "U": two}[name][case] for name in names), gamma)
        before = likeliest(plain, (shares["T"],), gamma)
        lowered = (after.objective - before.objective) / plain.contexts.total
        information = naive.information(two, weights)
        entropy = naive.entropy(naive.marginal(two, weights))
        apart = sum(slow.conditional_entropy(cases, weights, one, [name]) for name in group)
        told = slow.explained(cases, weights, one, two, group, CARDS)
        assert_allclose(lowered, gamma * (told + entropy + apart) - information, atol=1e-9)
        dependence = slow.total_correlation(cases, weights, one, group)
        assert lowered <= gamma * (dependence + entropy) - information + 1e-9


def grouped(seed, noise):
    """T1 above six leaves and T2, T2 above six more; and leaves that nothing tells of."""
    rng, states = np.random.default_rng(seed), {f"X{at}": 3 for at in range(12 + noise)}
    text = "T1 -> T2; " + "; ".join(
        [f"T{1 + at // 6} -> X{at}" for at in range(12)] + [f"X{12 + at}" for at in range(noise)]
    )
    truth = gappy.network(text, {"T1": 3, "T2": 3, **states}, seed=seed, sharp=0.5)
    variables = truth.variables
    turn = np.full((3, 3), 0.2) + 0.4 * np.eye(3)
    families = {
        "T1": table(variables["T1"], [], np.full((1, 3), 1 / 3)),
        "T2": table(variables["T2"], [variables["T1"]], turn),
    }
    for at in range(noise):
        even = rng.dirichlet(np.full(3, 10.0), 1)
        families[f"X{12 + at}"] = table(variables[f"X{12 + at}"], [], even)
    truth = tc.Network.of([families.get(name, truth[name]) for name in truth])
    return gappy.gappy(truth, 1000, 0.0, seed=seed, hidden="T1 T2")


@pytest.mark.parametrize("noise", [0, 4])
def test_dependence_finds_a_group_where_entropy_finds_noise(noise):
    """[HV2 4.4; the ranking of the source, errata]"""
    right = {"bound": 0, "entropy": 0}
    for seed in range(10):
        data = grouped(seed, noise)
        text = "; ".join(f"T -> {name}" for name in data.names)
        fit = tc.fit(text, data, hidden={"T": 3}, method=tc.EM(restarts=3), seed=seed)
        here = bottlenecks.route(text, data, {"T": 3})[0].work
        theta = here.problem.layout.parameters(fit.network)
        even = tuple(np.full_like(each, 1 / 3) for each in bottlenecks.random_shares(here, 0))
        shares = e_step(here, theta, even, 1.0).shares
        for ranking in right:
            settings = Enrichment(ranking, least=0.0)
            best = signals(here.contexts, shares, "T", settings)[0]
            groups = {int(name[1:]) // 6 for name in best.children}
            right[ranking] += groups in ({0}, {1})
    assert right["bound"] >= 9
    assert right["entropy"] <= (0 if noise else 5)
