"""Orders of elimination and the clique trees they make."""

from __future__ import annotations

from itertools import combinations
from math import prod

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_inference as naive
import questions
from tacit.infer import triangulation
from tacit.infer.cliques import clique_tree, step_tree
from tacit.infer.flat import layout_of
from tacit.infer.junction import compile_junction
from tacit.infer.programs import assign
from tacit.infer.triangulation import best_elimination, eliminate


@st.composite
def graphs(draw):
    size = draw(st.integers(1, 9))
    pairs = list(combinations(range(size), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    near = {v: set() for v in range(size)}
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    return near, {v: draw(st.integers(1, 4)) for v in range(size)}


@given(graphs(), st.sampled_from(["fill", "weight"]), st.booleans(), st.data())
def test_an_elimination_takes_every_variable_once_and_makes_a_clique_tree(
    graph, measure, chance, data
):
    near, cards = graph
    last = frozenset(data.draw(st.lists(st.sampled_from(sorted(near)), unique=True)))
    random = np.random.default_rng(1) if chance else None
    found = eliminate(near, cards, measure, random, last)
    assert sorted(found.order) == sorted(near)
    assert set(found.order[len(near) - len(last) :]) == last
    assert found.cost == sum(prod(cards[v] for v in clique) for clique in found.cliques)
    for tree in (clique_tree(found), step_tree(found)):
        assert naive.runs_together(tree.cliques, tree.parents)
        assert {v for clique in tree.cliques for v in clique} == set(near)
        for a, neighbours in near.items():
            assert all(any({a, b} <= set(clique) for clique in tree.cliques) for b in neighbours)
        assert all(up < 0 or up > at for at, up in enumerate(tree.parents))
    kept = [set(clique) for clique in clique_tree(found).cliques]
    assert not any(one < other for one in kept for other in kept)


@given(graphs())
def test_the_triangulated_graph_is_chordal(graph):
    near, cards = graph
    chordal = networkx.Graph()
    chordal.add_nodes_from(near)
    for clique in best_elimination(near, cards).cliques:
        chordal.add_edges_from(combinations(clique, 2))
    assert networkx.is_chordal(chordal)
    assert all(chordal.has_edge(a, b) for a, others in near.items() for b in others)


@pytest.mark.parametrize("seed", range(20))
def test_every_family_has_a_clique_and_goes_to_one_only(seed):
    network = questions.random_network(seed, size=12, most_parents=4)
    layout = layout_of(network.dag, network.variables)
    joined = tuple(range(0, 12, 5)) if seed % 2 else ()
    plan = compile_junction(layout, joined)
    assert naive.runs_together(plan.cliques.cliques, plan.cliques.parents)
    homes = assign(plan.cliques, [frozenset(axes.variables) for axes in layout.axes])
    assert sorted(family for each in homes for family in each) == list(range(12))
    for number, families in enumerate(homes):
        for family in families:
            assert set(layout.axes[family].variables) <= set(plan.cliques.cliques[number])
    assert any(set(joined) <= set(clique) for clique in plan.cliques.cliques)
    assert plan.width == max(map(len, plan.cliques.cliques)) - 1


def test_chains_and_trees_need_no_more_than_pairs():
    near = {v: {v - 1, v + 1} & set(range(500)) for v in range(500)}
    found = best_elimination(near, dict.fromkeys(near, 3))
    assert max(map(len, found.cliques)) == 2
    assert found.cost == 499 * 9 + 3


def test_a_costly_graph_is_tried_again_with_ties_broken_by_chance(monkeypatch):
    side = 7
    near = {v: set() for v in range(side * side)}
    for v in range(side * side):
        row, column = divmod(v, side)
        for r, c in ((row + 1, column), (row, column + 1)):
            if r < side and c < side:
                near[v].add(r * side + c)
                near[r * side + c].add(v)
    cards = dict.fromkeys(near, 2)
    plain = best_elimination(near, cards)
    monkeypatch.setattr(triangulation, "COSTLY", 1)
    monkeypatch.setattr(triangulation, "PATIENCE", 100)
    better = best_elimination(near, cards)
    assert better.cost < plain.cost
    assert best_elimination(near, cards) == better
    monkeypatch.setattr(triangulation, "SECONDS", -1.0)
    assert best_elimination(near, cards) == plain
