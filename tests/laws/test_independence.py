"""What dags say about independence, against paths, enumeration and all equivalent dags."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
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
from tacit.core.independence import (
    ancestors,
    d_separated,
    descendants,
    markov_blanket,
    moral_graph,
    reachable,
)
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import uniform_table

BURGLARY = Dag.parse("Burglary, Earthquake -> Alarm; Earthquake -> Radio; Alarm -> Call")
CANCER = Dag.parse("Smoking, Environment, Alcohol -> Cancer -> Lung, Blood, Image")


def binary(dag: Dag) -> Network:
    variables = {name: Discrete(name, ("no", "yes")) for name in dag.names}
    return Network.of(
        uniform_table((*(variables[parent] for parent in dag.parents[name]), variables[name]))
        for name in dag.names
    )


# --- separation -----------------------------------------------------------------------------


def test_every_query_on_every_dag_of_four_variables():
    for parents in naive.all_dags("ABCD"):
        dag = Dag(parents)
        for one, other, known in naive.statements("ABCD"):
            blocked = naive.separated(parents, one, other, known)
            assert d_separated(dag, one, other, known) == blocked, (dag, one, other, known)


@given(strategies.dags(least=5, most=6))
def test_every_query_on_dags_of_five_and_six(dag):
    for one, other, known in naive.statements(dag.names):
        blocked = naive.separated(dag.parents, one, other, known)
        assert d_separated(dag, one, other, known) == blocked


@given(strategies.dags(least=3, most=6), st.data())
def test_sets_are_separated_when_all_their_pairs_are(dag, data):
    sides = data.draw(st.lists(st.sampled_from("xyz-"), min_size=len(dag), max_size=len(dag)))
    ones, others, known = (
        {name for name, side in zip(dag.names, sides, strict=True) if side == which}
        for which in "xyz"
    )
    pairs = all(naive.separated(dag.parents, a, b, known) for a in ones for b in others)
    assert d_separated(dag, ones, others, known) == pairs
    assert d_separated(dag, others, ones, known) == pairs


@given(strategies.dags(least=2, most=6), st.data())
def test_reachable_is_what_is_not_separated(dag, data):
    start = data.draw(st.sampled_from(dag.names))
    others = [name for name in dag.names if name != start]
    known = set(data.draw(st.lists(st.sampled_from(others), unique=True)))
    free = {name for name in others if name not in known}
    found = reachable(dag, frozenset([start]), frozenset(known))
    assert found - {start} == {n for n in free if not d_separated(dag, start, n, known)}


def test_a_collider_opens_by_itself_or_any_descendant():
    dag = Dag.parse("A -> C <- B; C -> D -> E")
    assert d_separated(dag, "A", "B")
    for below in "CDE":
        assert not d_separated(dag, "A", "B", below)


def test_nothing_is_separated_from_anything():
    dag = Dag.parse("A -> B")
    assert d_separated(dag, [], "B")
    assert d_separated(dag, "A", [], ["B"])


def test_long_chains_do_not_overflow():
    names = [f"V{at}" for at in range(10_000)]
    dag = Dag.of_arcs(pairwise(names))
    assert not d_separated(dag, names[0], names[-1])
    assert d_separated(dag, names[0], names[-1], [names[5000]])
    assert len(ancestors(dag, names[-1])) == len(descendants(dag, names[0])) == 10_000
    assert len(cpdag(dag).links) == 9_999


@given(strategies.dags(most=6))
def test_d_separation_holds_in_numbers(dag):
    """A random network has the independences of its dag (they are sound)."""
    if len(dag) > 4:
        dag = minimal_imap(dag, dag.order[:4])
    random = np.random.default_rng(7)
    network = binary(dag)
    families = [
        type(network[name])(
            network[name].variables, random.dirichlet([1, 1], network[name].values.shape[:-1])
        )
        for name in network
    ]
    joint = naive.joint(Network.of(families), dag.names)
    table = np.reshape(list(joint.values()), [2] * len(dag))
    for one, other, known in naive.statements(dag.names):
        if d_separated(dag, one, other, known):
            axes = [dag.names.index(name) for name in (one, other, *sorted(known))]
            gone = tuple(at for at in range(len(dag)) if at not in axes)
            kept = sorted(axes)
            margin = table.sum(axis=gone).transpose([kept.index(at) for at in axes])
            flat = margin.reshape(2, 2, -1)
            assert np.allclose(flat[0, 0] * flat[1, 1], flat[0, 1] * flat[1, 0])


# --- relatives ------------------------------------------------------------------------------


@given(strategies.dags(most=6), st.data())
def test_ancestors_and_descendants_are_two_views_of_one_relation(dag, data):
    chosen = data.draw(st.lists(st.sampled_from(dag.names), unique=True))
    below = {name for top in chosen for name in naive.descends(dag.parents, top)}
    above = {n for n in dag.names if naive.descends(dag.parents, n) & set(chosen)}
    assert descendants(dag, chosen) == below
    assert ancestors(dag, chosen) == above


def test_one_name_needs_no_list():
    dag = Dag.parse("AB -> CD; A; B; C; D")
    assert ancestors(dag, "CD") == {"AB", "CD"}
    assert descendants(dag, "AB") == {"AB", "CD"}


@given(strategies.dags(most=5))
def test_the_blanket_is_the_smallest_set_that_shields(dag):
    for name in dag.names:
        assert markov_blanket(dag, name) == naive.blanket(dag.parents, name)


@given(strategies.dags(most=6))
def test_moral_neighbours_share_a_family(dag):
    moral = moral_graph(dag)
    families = [{name, *dag.parents[name]} for name in dag.names]
    for one, other in combinations(dag.names, 2):
        together = any({one, other} <= family for family in families)
        assert (other in moral[one]) == (one in moral[other]) == together
    assert all(name not in moral[name] for name in dag.names)
    assert {name: markov_blanket(dag, name) for name in dag.names} == dict(moral)


# --- equivalence ----------------------------------------------------------------------------


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


# --- the arithmetic of HV1-1, test T1 -------------------------------------------------------


@pytest.mark.parametrize(("dag", "free", "whole"), [(BURGLARY, 10, 31), (CANCER, 17, 127)])
def test_a_network_needs_fewer_parameters_than_its_joint(dag, free, whole):
    network = binary(dag)
    assert network.free_parameters == free
    assert 2 ** len(dag) - 1 == whole
    assert abs(sum(naive.joint(network).values()) - 1) < 1e-12


def test_removing_cancer_costs_59_parameters():
    order = ["Smoking", "Environment", "Alcohol", "Lung", "Blood", "Image"]
    without = minimal_imap(CANCER, order)
    assert without == Dag.parse(
        "Smoking; Environment; Alcohol; Smoking, Environment, Alcohol -> Lung;"
        "Smoking, Environment, Alcohol, Lung -> Blood;"
        "Smoking, Environment, Alcohol, Lung, Blood -> Image"
    )
    assert binary(without).free_parameters == 59
    assert is_minimal_imap(without, CANCER)
