"""Which dags say the same, against all d-separations and all equivalent dags."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies
from tacit.core.dag import Dag
from tacit.core.equivalence import (
    cpdag,
    equivalent,
    is_imap,
    is_minimal_imap,
    minimal_imap,
    skeleton,
    v_structures,
)
from tacit.core.errors import DagError


def test_equivalent_dags_of_four_variables_imply_the_same():
    dags = [(Dag(parents), naive.independences(parents)) for parents in naive.all_dags("ABCD")]
    assert len(dags) == 543
    by_statements: dict[object, list[Dag]] = {}
    for dag, implied in dags:
        by_statements.setdefault(implied, []).append(dag)
    assert len(by_statements) == 185  # Markov equivalence classes of four variables
    leaders = [group[0] for group in by_statements.values()]
    for at, leader in enumerate(leaders):
        assert all(equivalent(leader, dag) for dag in by_statements[dags_key(leader)])
        assert not any(equivalent(leader, other) for other in leaders[at + 1 :])


def dags_key(dag: Dag) -> object:
    return naive.independences(dag.parents)


def test_known_pairs():
    chain, reverse, fork = map(Dag.parse, ["A -> B -> C", "A <- B <- C", "A <- B -> C"])
    collider = Dag.parse("A -> B <- C")
    assert equivalent(chain, reverse)
    assert equivalent(chain, fork)
    assert not equivalent(chain, collider)
    assert not equivalent(chain, Dag.parse("A -> B; C"))
    assert not equivalent(Dag.parse("A"), Dag.parse("B"))
    assert equivalent(Dag.parse("B, A -> C; A -> B"), Dag.parse("A, B -> C; A -> B"))


@given(strategies.dags(most=5))
def test_an_arc_is_compelled_when_every_equivalent_dag_has_it(dag):
    implied = naive.independences(dag.parents)
    others = [p for p in naive.orientations(dag.parents) if naive.independences(p) == implied]
    everywhere = [{(tail, head) for head, who in p.items() for tail in who} for p in others]
    compelled = set.intersection(*everywhere)
    pattern = cpdag(dag)
    assert pattern.arcs == compelled
    free = {frozenset(arc) for arc in dag.arcs} - {frozenset(arc) for arc in compelled}
    assert {frozenset(link) for link in pattern.links} == free
    assert all(one < other for one, other in pattern.links)
    for parents in others:
        assert cpdag(Dag(parents)) == pattern
        assert equivalent(dag, Dag(parents))


def test_compelled_arcs_of_every_class_of_four_variables():
    classes: dict[object, list[dict[str, tuple[str, ...]]]] = {}
    for parents in naive.all_dags("ABCD"):
        classes.setdefault(naive.independences(parents), []).append(parents)
    for members in classes.values():
        arcs = [{(tail, head) for head, who in p.items() for tail in who} for p in members]
        pattern = cpdag(Dag(members[0]))
        assert pattern.arcs == set.intersection(*arcs)
        assert len(pattern.arcs) + len(pattern.links) == len(arcs[0])
        assert all(cpdag(Dag(parents)) == pattern for parents in members)


def test_with_fixed_arcs_those_are_compelled_that_all_members_with_them_have():
    classes: dict[object, list[frozenset[tuple[str, str]]]] = {}
    for parents in naive.all_dags("ABCD"):
        arcs = frozenset((tail, head) for head, who in parents.items() for tail in who)
        classes.setdefault(naive.independences(parents), []).append(arcs)
    for members in classes.values():
        for arcs in members:
            dag = Dag.of_arcs(sorted(arcs), "ABCD")
            for many in (1, 2):
                for fixed in combinations(sorted(arcs), many):
                    kept = [other for other in members if set(fixed) <= other]
                    pattern = cpdag(dag, fixed)
                    assert pattern.arcs == frozenset.intersection(*kept)
                    assert len(pattern.arcs) + len(pattern.links) == len(arcs)


def test_the_fourth_rule_of_meek():
    dag = Dag.parse("A -> C -> D -> B; A -> B; A -> D")
    assert ("A", "B") not in cpdag(dag).arcs
    assert ("A", "B") in cpdag(dag, [("C", "D"), ("D", "B")]).arcs


def test_an_arc_that_is_not_there_cannot_be_fixed():
    with pytest.raises(DagError, match="no arc B -> A that could stay"):
        cpdag(Dag.parse("A -> B"), [("B", "A")])


def test_the_second_rule_of_meek():
    pattern = cpdag(Dag.parse("B -> E <- D; D, E -> C"))
    assert pattern.arcs == {("B", "E"), ("D", "E"), ("E", "C"), ("D", "C")}
    assert not pattern.links


def test_the_third_rule_of_meek():
    pattern = cpdag(Dag.parse("D -> A; D -> B; D -> C; A -> C <- B"))
    assert pattern.arcs == {("A", "C"), ("B", "C"), ("D", "C")}
    assert pattern.links == {("A", "D"), ("B", "D")}


def test_a_pattern_prints_arcs_links_and_loners():
    pattern = cpdag(Dag.parse('A -> C <- B; "d e" -> F; G'))
    assert str(pattern) == 'A -> C; B -> C; F - "d e"; G'


def test_skeleton_and_v_structures():
    dag = Dag.parse("A -> C <- B; C -> D; E -> C; A -> E")
    assert skeleton(dag) == {frozenset(pair) for pair in ("AC", "BC", "CD", "CE", "AE")}
    assert v_structures(dag) == {(frozenset("AB"), "C"), (frozenset("BE"), "C")}


# --- independence maps ----------------------------------------------------------------------


@given(strategies.dags(most=4), strategies.dags(most=4))
def test_a_map_states_nothing_that_is_not_so(candidate, truth):
    if set(candidate.names) <= set(truth.names):
        assert is_imap(candidate, truth) == naive.is_imap(candidate.parents, truth.parents)


@given(strategies.dags(least=2, most=5), st.data())
def test_minimal_maps_of_some_of_the_variables(truth, data):
    chosen = data.draw(st.lists(st.sampled_from(truth.names), unique=True, min_size=1))
    order = data.draw(st.permutations(chosen))
    found = minimal_imap(truth, order)
    assert set(found.names) == set(order)
    assert naive.topological(found.parents, order)
    assert naive.is_imap(found.parents, truth.parents)
    assert is_minimal_imap(found, truth)
    for tail, head in found.arcs:
        fewer = {**found.parents, head: tuple(p for p in found.parents[head] if p != tail)}
        assert not naive.is_imap(fewer, truth.parents)


@given(strategies.dags(most=5))
def test_a_dag_is_its_own_minimal_map(dag):
    assert is_minimal_imap(dag, dag)
    again = minimal_imap(dag, dag.order)
    assert {n: set(p) for n, p in again.parents.items()} == {
        n: set(p) for n, p in dag.parents.items()
    }


def test_a_complete_dag_is_a_map_of_all_but_minimal_of_few():
    complete = Dag.parse("A -> B; A, B -> C")
    chain = Dag.parse("A -> B -> C")
    assert is_imap(complete, chain)
    assert not is_minimal_imap(complete, chain)
    assert not is_imap(chain, complete)
    assert not is_minimal_imap(chain, complete)


def test_minimal_maps_depend_on_the_order():
    collider = Dag.parse("A -> C <- B")
    along = minimal_imap(collider, ["A", "B", "C"])
    against = minimal_imap(collider, ["C", "A", "B"])
    assert len(along.arcs) == 2
    assert len(against.arcs) == 3
    assert is_minimal_imap(along, collider)
    assert is_minimal_imap(against, collider)
