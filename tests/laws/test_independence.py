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
    is_minimal_imap,
    minimal_imap,
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
