"""What is proved of the traces of hidden variables: propositions 4.1.1 and 4.1.3.

HV1-25 to HV1-28; T8 to T11.
"""

from __future__ import annotations

from itertools import combinations, product
from math import log

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive
import naive_signatures
import tacit as tc
from tacit.core.dag import Dag
from tacit.core.equivalence import is_imap, is_minimal_imap, minimal_imap
from tacit.core.independence import d_separated
from tacit.learn.unseen.growing import needed
from tacit.learn.unseen.insertion import insert_hidden
from tacit.learn.unseen.removal import remove_variable
from tacit.learn.unseen.signatures import signatures

FOREIGN = Dag.parse("P1 -> C1 <- H -> C2 <- P2")


def random_dags(count=91, size=7, most=3):
    """Dags with a variable that has children, to be left out."""
    rng = np.random.default_rng(411)
    found = []
    while len(found) < count:
        dag = Dag(naive_signatures.at_random(rng, size, most))
        above = [name for name in dag.names if dag.children[name]]
        if above:
            found.append((dag, above[int(rng.integers(len(above)))]))
    return found


def random_network(dag, rng):
    variables = {name: tc.Discrete(name, ("no", "yes")) for name in dag.names}
    families = {}
    for name, who in dag.parents.items():
        rows = rng.dirichlet((1.0, 1.0), size=(2,) * len(who) or None)
        families[name] = tc.Table(tuple(variables[each] for each in (*who, name)), rows)
    return tc.Network(dag, variables, families)


def all_edges(size):
    return list(combinations(range(size), 2))


@pytest.mark.parametrize("size", range(3, 8))
def test_every_graph_in_which_all_have_more_than_half_has_a_triangle(size):
    edges = all_edges(size)
    graphs = np.arange(1 << len(edges))
    rows = [sum(1 << at for at, edge in enumerate(edges) if one in edge) for one in range(size)]
    crowded = np.ones(graphs.size, bool)
    for row in rows:
        crowded &= np.bitwise_count(graphs & row) > size // 2
    graphs = graphs[crowded]
    assert graphs.size
    triangle = np.zeros(graphs.size, bool)
    for three in combinations(range(size), 3):
        mask = sum(1 << edges.index(pair) for pair in combinations(three, 2))
        triangle |= (graphs & mask) == mask
    assert triangle.all()
    for graph in graphs[:: max(1, graphs.size // 40)].tolist():
        arcs = [(f"X{a}", f"X{b}") for at, (a, b) in enumerate(edges) if graph >> at & 1]
        whole = {name for arc in arcs for name in arc}
        found = signatures(Dag.of_arcs(arcs), threshold="strict", least=3)
        assert len(found)
        assert all(set(each.members) <= whole for each in found)


def test_more_than_half_and_more_than_half_rounded_down_are_the_same():
    for size in range(1, 40):
        for links in range(size):
            assert (links > size / 2) == (links >= needed("strict", size)) == (links > size // 2)
            assert (links >= size / 2) == (links >= needed("half", size))
            assert (links >= (size - 1) / 2) == (links >= needed("others", size))


def test_a_clique_of_four_without_one_link_has_half_but_not_more():
    dag = "A -> B, C, D; B -> C, D"  # all but C - D; figure 4.2b
    assert [each.members for each in signatures(dag, threshold="half")] == [("A", "B", "C", "D")]
    assert not signatures(dag, threshold="strict").found
    assert signatures("A -> B, C, D; B -> C, D; C -> D", threshold="strict").found


def test_where_half_is_enough_there_need_be_no_triangle():
    dag = Dag.of_arcs(product("ABC", "XYZ"))  # erratum E30: K₃,₃
    weights = naive_signatures.linked(dag.parents)
    assert naive_signatures.is_semi_clique(weights, "ABCXYZ", "half")
    assert not signatures(dag, threshold="half").found


def test_without_a_variable_every_dag_of_four_stays_a_minimal_imap():
    tried = 0
    for parents in naive.all_dags("ABCD"):
        dag = Dag(parents)
        left = remove_variable(dag, "B")
        implied = naive.independences(parents, "ACD")
        assert naive.independences(left.parents) <= implied
        for tail, head in left.arcs:
            fewer = {**left.parents, head: tuple(set(left.parents[head]) - {tail})}
            assert not naive.independences(fewer) <= implied
        tried += 1
    assert tried == 543


def test_without_a_variable_random_dags_of_seven_stay_minimal_imaps():
    for dag, name in random_dags():
        left = remove_variable(dag, name)
        assert is_imap(left, dag)
        assert is_minimal_imap(left, dag)
        only = minimal_imap(dag, left.order)
        assert {each: set(who) for each, who in only.parents.items()} == {
            each: set(who) for each, who in left.parents.items()
        }


def test_the_distribution_without_the_variable_factors_along_the_dag_without_it():
    rng = np.random.default_rng(3)
    for dag, name in random_dags(8, 5):
        network = random_network(dag, rng)
        left = remove_variable(dag, name)
        joint = tc.query(network, list(left.order)).values
        product_of_rows = np.ones_like(joint)
        for at, child in enumerate(left.order):
            axes = {left.order.index(parent) for parent in left.parents[child]} | {at}
            away = tuple(axis for axis in range(joint.ndim) if axis not in axes)
            family = joint.sum(axis=away, keepdims=True)
            product_of_rows = product_of_rows * family / family.sum(axis=at, keepdims=True)
        assert_allclose(product_of_rows, joint, atol=1e-12)


def conditional_information(network, one, other, given):
    """I(one; other | given), by definition from the joint."""
    joint = tc.query(network, [one, other, *given]).values.reshape(2, 2, -1)
    parts = [joint.sum(axis=0), joint.sum(axis=1), joint.sum(axis=(0, 1))]
    total = 0.0
    for a, b, c in product(range(2), range(2), range(joint.shape[2])):
        p = joint[a, b, c]
        total += p * log(p * parts[2][c] / (parts[0][b, c] * parts[1][a, c]))
    return total


def test_the_graph_as_printed_is_wrong_where_children_have_other_parents():
    printed = remove_variable(FOREIGN, "H", co_parents=False)
    assert not is_imap(printed, FOREIGN)
    assert {frozenset(arc) for arc in printed.arcs} == {
        frozenset(arc) for arc in [("P1", "C1"), ("P2", "C2"), ("C1", "C2")]
    }
    exact = remove_variable(FOREIGN, "H")
    assert set(exact.arcs) - set(printed.arcs) == {("P1", "C2")}
    assert d_separated(printed, "P1", "C2", ["C1", "P2"])
    rng = np.random.default_rng(28)
    for _ in range(20):
        network = random_network(FOREIGN, rng)
        told = conditional_information(network, "P1", "C2", ["C1", "P2"])
        by_state = sum(
            float(tc.query(network, ["C1", "P2"]).values[c, p])
            * tc.mutual_information(
                network, "P1", "C2", given={"C1": ("no", "yes")[c], "P2": ("no", "yes")[p]}
            )
            for c, p in product(range(2), range(2))
        )
        assert_allclose(by_state, told, atol=1e-12)
        assert told > 1e-8


def test_the_graph_as_printed_is_right_exactly_where_children_have_no_others():
    wrong, rng = 0, np.random.default_rng(4)
    for dag, name in random_dags():
        printed = remove_variable(dag, name, co_parents=False)
        below = dag.children[name]
        own = {name, *dag.parents[name], *below}
        if all(set(dag.parents[child]) <= own for child in below):
            assert is_minimal_imap(printed, dag)
        elif not is_imap(printed, dag):
            wrong += 1
            if wrong <= 3:
                assert greatest_violation(printed, dag, random_network(dag, rng)) > 1e-9
    assert wrong >= 10


def greatest_violation(stated, truth, network):
    """The most information between two variables that the first dag calls independent."""
    found = 0.0
    for at, name in enumerate(stated.order):
        parents = stated.parents[name]
        for other in set(stated.order[:at]) - set(parents):
            if not d_separated(truth, name, other, parents):
                found = max(found, conditional_information(network, name, other, parents))
    return found


@pytest.mark.parametrize("threshold", ["strict", "half", "others"])
@pytest.mark.parametrize("size", [4, 5, 8])
def test_a_clique_in_an_empty_dag_is_found_and_nothing_else(size, threshold):
    names = [f"X{at}" for at in range(30)]
    clique = sorted(names[3 : 3 + size])
    dag = Dag.of_arcs(combinations(clique, 2), names)
    for order in ("most_links", "index", "random"):
        found = signatures(dag, threshold=threshold, order=order)
        assert [each.members for each in found] == [tuple(clique)]


@pytest.mark.parametrize("children", [4, 5, 7])
def test_a_variable_is_put_back_where_it_was(children):
    rng = np.random.default_rng(children)
    for _ in range(10):
        parents = {name: tuple(who) for name, who in naive_signatures.at_random(rng, 9, 2).items()}
        below = [f"C{at}" for at in range(children)]
        parents |= {"H": (), **dict.fromkeys(below, ("H",))}
        for at, child in enumerate(below):  # each child has a child of its own
            parents[f"D{at}"] = (child, "X0")
        dag = Dag(parents)
        left = remove_variable(dag, "H")
        found = {each.members for each in signatures(left)}
        assert tuple(below) in found
        assert set(insert_hidden(left, below, "H").arcs) == set(dag.arcs)
