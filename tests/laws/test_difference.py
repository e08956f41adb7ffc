"""How far dags are apart: against all members of both classes, and against pgmpy."""

from __future__ import annotations

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies
import tacit as tc
from tacit.core.dag import Dag
from tacit.core.difference import compare_dags, shd
from tacit.core.errors import DagError


def members(dag: Dag) -> list[set[tuple[str, str]]]:
    """The arcs of every dag that implies what this one does."""
    implied = naive.independences(dag.parents)
    return [
        {(tail, head) for head, who in parents.items() for tail in who}
        for parents in naive.orientations(dag.parents)
        if naive.independences(parents) == implied
    ]


def ways(arcs_of_all: list[set[tuple[str, str]]]) -> dict[frozenset[str], set[tuple[str, str]]]:
    """For every two variables that are joined, the directions that members have."""
    told: dict[frozenset[str], set[tuple[str, str]]] = {}
    for arcs in arcs_of_all:
        for arc in arcs:
            told.setdefault(frozenset(arc), set()).add(arc)
    return told


@st.composite
def two_dags(draw: st.DrawFn) -> tuple[Dag, Dag]:
    one = draw(strategies.dags(most=4))
    names = list(one.names)
    order = draw(st.permutations(names))
    arcs = [(a, b) for at, a in enumerate(order) for b in order[at + 1 :] if draw(st.booleans())]
    return one, Dag.of_arcs(arcs, names)


@given(two_dags())
def test_classes_differ_where_the_directions_of_their_members_do(pair):
    found, truth = pair
    one, other = ways(members(found)), ways(members(truth))
    told = compare_dags(found, truth)
    assert {frozenset(link) for link in told.missing} == other.keys() - one.keys()
    assert {frozenset(link) for link in told.extra} == one.keys() - other.keys()
    both = one.keys() & other.keys()
    assert {frozenset(link) for link in told.turned} == {k for k in both if one[k] != other[k]}
    assert told.common == len(both)
    assert told.distance == sum(one.get(k) != other.get(k) for k in one.keys() | other.keys())


@given(two_dags())
def test_the_distance_is_a_metric_of_classes(pair):
    found, truth = pair
    assert shd(found, truth) == shd(truth, found)
    assert (shd(found, truth) == 0) == tc.equivalent(found, truth)
    assert shd(tc.cpdag(found), truth) == shd(found, tc.cpdag(truth)) == shd(found, truth)


@given(two_dags())
def test_dags_as_they_stand_are_as_far_apart_as_their_arcs(pair):
    found, truth = pair
    told = compare_dags(found, truth, classes=False)
    one, other = set(found.arcs), set(truth.arcs)
    turned = {(tail, head) for tail, head in other if (head, tail) in one}
    assert set(told.turned) == turned
    assert set(told.missing) == other - one - turned
    assert set(told.extra) == {(a, b) for a, b in one - other if (b, a) not in turned}
    assert told.common == len(turned) + len(one & other)


def test_pgmpy_counts_the_same(peer_dags):
    from pgmpy.base import DAG
    from pgmpy.metrics import SHD

    for found, truth in peer_dags:
        theirs = []
        for dag in (found, truth):
            peer = DAG(list(dag.arcs))
            peer.add_nodes_from(sorted(dag.names))
            theirs.append(peer)
        count = SHD()(true_causal_graph=theirs[1], est_causal_graph=theirs[0])
        assert shd(found, truth, classes=False) == count


@pytest.fixture
def peer_dags() -> list[tuple[Dag, Dag]]:
    asia = tc.textbook("asia").dag
    others = [
        "asia -> tub; smoke -> lung; smoke -> bronc; lung, tub -> either; either -> xray; dysp",
        "tub -> asia; lung -> smoke -> bronc; either -> lung; tub; xray -> dysp -> bronc",
        "asia; tub; smoke; lung; bronc; either; xray; dysp",
    ]
    return [(Dag.parse(text), asia) for text in others]


def test_what_a_comparison_says():
    told = compare_dags("A -> C <- B; D -> E; F", "A -> C -> B; D -> F; E")
    assert (told.missing, told.extra) == ((("D", "F"),), (("D", "E"),))
    assert told.turned == (("A", "C"), ("B", "C"))
    assert told.distance == 4
    assert told.precision == told.recall == 2 / 3
    assert str(told) == (
        "structural Hamming distance 4; 2 links in common\n"
        "missing 1: D - F\nextra 1: D - E\nturned 2: A - C, B - C"
    )
    nothing = compare_dags("A; B", "A; B")
    assert isnan(nothing.precision)
    assert isnan(nothing.recall)
    assert str(nothing) == "structural Hamming distance 0; 0 links in common"


def test_a_search_and_a_network_are_compared_by_their_dags():
    asia = tc.textbook("asia")
    found = tc.search(tc.sample(asia, 2000, seed=1), seed=1)
    assert compare_dags(found, asia) == compare_dags(found.dag, asia.dag)


def test_dags_over_other_variables_are_refused():
    with pytest.raises(DagError) as problem:
        shd("A -> B", "A -> C; D")
    assert str(problem.value) == (
        "dags are compared over the same variables\n\nonly in the first: B\n"
        "only in the second: C, D\n\n"
        "add a variable without arcs by its name alone, as in 'A -> B; C'"
    )
    with pytest.raises(DagError) as problem:
        shd(tc.cpdag("A -> B"), "A -> B", classes=False)
    assert str(problem.value) == "classes=False compares dags, and the class of a dag is given"
