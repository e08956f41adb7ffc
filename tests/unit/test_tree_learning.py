"""Chow-Liu trees and TAN: their definitions, other implementations, and limits."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import naive_structures as naive
from tacit.core.variables import Discrete
from tacit.engines.table_scores import Columns, TableScorer
from tacit.estimate.priors import K2, BDeu
from tacit.estimate.scores.dag_priors import ArcPenalty
from tacit.estimate.scores.tables import table_score
from tacit.estimate.scores.values import BIC, LogLikelihood
from tacit.knowledge.limits import Limits
from tacit.learn.structure.methods_exact import TAN, ChowLiu, Exact
from tacit.learn.structure.trees import chow_liu, tan

N = 7


def cases(seed, states=(2, 3, 2, 2, 4, 3, 2), many=400):
    """Cases in which a variable often repeats one of those before it."""
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(0, each, many) for each in states])
    for at in range(1, len(states)):
        copied = rng.random(many) < 0.45
        codes[at, copied] = codes[rng.integers(0, at), copied] % states[at]
    variables = tuple(Discrete(f"V{at}", tuple("abcd"[:each])) for at, each in enumerate(states))
    return Columns(variables, codes.astype(np.int8), np.array(states))


def limits(required=(), forbidden=(), most=N):
    free = Limits.none(tuple(f"V{at}" for at in range(N)))
    needed, allowed = free.required.copy(), free.allowed.copy()
    for arc in required:
        needed[arc] = True
    for arc in forbidden:
        allowed[arc] = False
    return Limits(free.names, needed, allowed, np.minimum(free.most, most))


def scorer(here, score):
    return TableScorer.of(here, table_score(score))


def edges(parents, besides=()):
    return {
        frozenset((parent, child))
        for child, who in enumerate(parents)
        for parent in who
        if parent not in besides
    }


def heaviest(weights):
    """The edges of networkx's maximum spanning tree over {(one, other): weight}."""
    graph = nx.Graph()
    graph.add_weighted_edges_from((*pair, weight) for pair, weight in weights.items())
    return {frozenset(edge) for edge in nx.maximum_spanning_tree(graph).edges}


@pytest.mark.parametrize("seed", range(5))
def test_the_tree_of_greatest_likelihood_spans_the_greatest_mutual_information(seed):
    here = cases(seed)
    weights = {
        (one, other): naive.mutual_information(here.codes, np.ones(here.cases), one, other)
        for one in range(N)
        for other in range(one)
    }
    for root in (None, 0, 4):
        found = chow_liu(scorer(here, LogLikelihood()), limits(), root=root)
        assert edges(found) == heaviest(weights)
        assert sum(map(len, found)) == N - 1
        assert root is None or found[root] == ()


@pytest.mark.parametrize("seed", range(3))
def test_tan_spans_the_greatest_mutual_information_given_the_target(seed):
    here, target = cases(seed), 2
    others = [at for at in range(N) if at != target]
    weights = {
        (one, other): naive.information_given(here.codes, np.ones(here.cases), one, other, target)
        for one in others
        for other in others
        if other < one
    }
    found = tan(scorer(here, LogLikelihood()), limits(), target=target, root=5)
    assert edges(found, {target}) == heaviest(weights)
    assert found[target] == ()
    assert found[5] == (target,)
    assert all(target in found[at] for at in others)
    assert all(list(who) == sorted(who) for who in found)


def best_by_trying(table, required, allowed, choices):
    """The greatest score among all forests; choices(child, parent) is the family's number."""
    best = -np.inf
    for parents in naive.every_forest(len(table)):
        arcs = {(parent, child) for child, parent in enumerate(parents) if parent >= 0}
        if required <= arcs and all(allowed[arc] for arc in arcs):
            best = max(best, sum(table[c, choices(c, p)] for c, p in enumerate(parents)))
    return best


@pytest.mark.parametrize(("kind", "score"), [("BIC", BIC()), ("BDeu", BDeu(3.5)), ("K2", K2())])
def test_no_forest_within_limits_scores_more(kind, score):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        here = cases(seed, (2, 3, 2, 2, 3), 60)
        names = tuple(f"V{at}" for at in range(5))
        allowed = (rng.random((5, 5)) < 0.7) & ~np.eye(5, dtype=bool)
        required = np.zeros((5, 5), bool)
        required[3, 1] = allowed[3, 1] = True
        given = Limits(names, required, allowed, np.full(5, 4))
        found = chow_liu(scorer(here, score), given)
        table = naive.family_table(kind, here.codes, np.ones(60), here.states.tolist())

        def number(child, parent):
            return 0 if parent < 0 else 1 << (parent - (parent > child))

        ours = sum(table[c, number(c, who[0] if who else -1)] for c, who in enumerate(found))
        assert found[1] == (3,)
        assert ours == pytest.approx(best_by_trying(table, {(3, 1)}, allowed, number), abs=1e-9)


def test_a_score_with_a_price_leaves_independent_variables_apart_unless_told_to_join_them():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (N, 300)).astype(np.int8)
    codes[1] = codes[0]
    variables = tuple(Discrete(f"V{at}", ("a", "b")) for at in range(N))
    here = Columns(variables, codes, np.full(N, 2))
    assert edges(chow_liu(scorer(here, BDeu(1)), limits())) == {frozenset((0, 1))}
    joined = chow_liu(scorer(here, BDeu(1)), limits(), spanning=True)
    assert sum(map(len, joined)) == N - 1
    dear = ArcPenalty(1e4).terms(limits().names)
    assert edges(chow_liu(scorer(here, BDeu(1)), limits(), dear)) == set()
    beside = tan(scorer(here, BDeu(1)), limits(), target=3)
    assert edges(beside, {3}) == {frozenset((0, 1))}
    assert edges(tan(scorer(here, BDeu(1)), limits(), dear, target=3), {3}) == set()
    assert sum(map(len, tan(scorer(here, BIC()), limits(), target=3, spanning=True))) == 2 * N - 3


def test_limits_hold_in_trees():
    here = cases(3)
    given = limits(required=[(6, 0), (0, 3)], forbidden=[(4, 5), (5, 4)])
    found = chow_liu(scorer(here, LogLikelihood()), given)
    assert found[0] == (6,)
    assert found[3] == (0,)
    assert frozenset((4, 5)) not in edges(found)
    assert chow_liu(scorer(here, LogLikelihood()), limits(most=0)) == ((),) * N
    naive_bayes = tan(scorer(here, LogLikelihood()), limits(most=1), target=1)
    assert naive_bayes == tuple(() if at == 1 else (1,) for at in range(N))
    with_arc = tan(scorer(here, BIC()), limits(required=[(6, 0), (1, 0), (1, 2)]), target=1)
    assert with_arc[0] == (1, 6)


@pytest.mark.parametrize("score", [LogLikelihood(), BIC(), BDeu(1)])
def test_directions_do_not_hang_on_the_order_of_cases(score):
    here = cases(5, many=500)
    first = chow_liu(scorer(here, score), limits())
    augmented = tan(scorer(here, score), limits(), target=0)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(500)
        shuffled = Columns(here.variables, here.codes[:, order], here.states)
        assert chow_liu(scorer(shuffled, score), limits()) == first
        assert tan(scorer(shuffled, score), limits(), target=0) == augmented


def test_one_variable_and_a_target_alone_are_trees():
    here = cases(0, (2,), 10)
    alone = Limits.none(("V0",))
    terms = ArcPenalty(1).terms(("V0",))
    assert chow_liu(scorer(here, BIC()), alone, terms) == ((),)
    assert tan(scorer(here, BIC()), alone, terms, target=0) == ((),)


def test_methods_are_written_as_python_writes_them():
    assert Exact().describe() == "Exact()"
    assert Exact(3).describe() == "Exact(3)"
    assert ChowLiu().describe() == "ChowLiu()"
    assert ChowLiu(root="A", spanning=True).describe() == "ChowLiu(root='A', spanning=True)"
    assert TAN("C").describe() == "TAN('C')"
    assert TAN("C", root="A").describe() == "TAN('C', root='A')"
