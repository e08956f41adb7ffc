"""Dags: written, read, ordered."""

from __future__ import annotations

import copy
import itertools
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies
import tacit as tc
from tacit.core.dag import Dag
from tacit.core.errors import CycleError, DagError, quoted


def test_arrows_point_either_way():
    dag = Dag.parse("A -> B <- C; D")
    assert dict(dag.parents) == {"A": (), "B": ("A", "C"), "C": (), "D": ()}


def test_a_chain_goes_on():
    dag = Dag.parse("A -> B -> C <- D <- E")
    assert dag.arcs == (("A", "B"), ("B", "C"), ("D", "C"), ("E", "D"))


def test_groups_multiply():
    dag = Dag.parse("Smoker, Genes -> Cancer -> Xray, Cough")
    assert dag.parents["Cancer"] == ("Smoker", "Genes")
    assert dag.parents["Xray"] == dag.parents["Cough"] == ("Cancer",)
    assert Dag.parse("A, B <- C").parents["B"] == ("C",)


def test_lines_semicolons_and_comments_separate_statements():
    text = "# who smokes\nA -> B  # a comment\n\n;B -> C;;\r\nD\n"
    assert Dag.parse(text) == Dag.parse("A -> B; B -> C; D")


def test_parents_keep_the_order_of_their_mention():
    assert Dag.parse("C -> X; A -> X; B -> X; A -> X").parents["X"] == ("C", "A", "B")


def test_quotes_hold_any_name():
    dag = Dag.parse(r'"a -> b" -> "say \"hi\"", "back\\slash", "line\nend"')
    assert dag.names == ("a -> b", 'say "hi"', "back\\slash", "line\nend")
    assert dag.children["a -> b"] == ('say "hi"', "back\\slash", "line\nend")


def test_plain_names_may_be_quoted_too():
    assert Dag.parse('"A" -> B') == Dag.parse("A -> B")


@pytest.mark.parametrize("name", ["x.1", "größe", "因果", "_", "2024", "²"])
def test_letters_digits_dots_and_underscores_stand_bare(name):
    assert quoted(name) == name
    assert Dag.parse(name).names == (name,)


@given(strategies.dags(most=6, names=strategies.odd_names))
def test_a_dag_reads_back_what_it_prints(dag):
    again = Dag.parse(str(dag))
    assert again == dag
    assert hash(again) == hash(dag)


@given(strategies.odd_names)
def test_a_quoted_name_is_one_name(name):
    assert Dag.parse(quoted(name)).names == (name,)


@given(strategies.dags(most=7))
def test_the_order_puts_parents_before_children(dag):
    assert naive.topological(dag.parents, dag.order)
    assert tuple(dag) == dag.order
    assert len(dag) == len(dag.names)


@given(strategies.dags(most=7))
def test_a_listing_that_is_an_order_stays_as_it_is(dag):
    listed = Dag({name: dag.parents[name] for name in dag.order})
    assert listed.order == dag.order


@given(strategies.dags(most=7))
def test_children_and_arcs_are_the_parents_seen_from_the_other_side(dag):
    arcs = {(tail, head) for head, who in dag.parents.items() for tail in who}
    assert set(dag.arcs) == arcs
    assert len(dag.arcs) == len(arcs)
    assert {(tail, head) for tail, who in dag.children.items() for head in who} == arcs
    assert Dag.of_arcs(dag.arcs, dag.names) == dag


def test_of_arcs_takes_variables_from_the_arcs():
    assert Dag.of_arcs([("A", "B"), ("C", "B")]) == Dag.parse("A -> B <- C")
    assert Dag.of_arcs([], ["A"]) == Dag.parse("A")


def test_equality_is_about_parents_and_their_order():
    assert Dag.parse("A; B -> C") == Dag.parse("B -> C; A")
    assert Dag.parse("A, B -> C") != Dag.parse("B, A -> C")
    assert Dag.parse("A -> B") != Dag.parse("A; B")
    assert Dag.parse("A") != "A"


@given(st.data())
def test_a_cycle_is_shown_as_it_runs(data):
    dag = data.draw(strategies.dags(least=2, most=6))
    parents = {name: list(who) for name, who in dag.parents.items()}
    start = data.draw(st.sampled_from(dag.names))
    end = data.draw(st.sampled_from(sorted(naive.descends(parents, start))))
    if end not in parents[start]:
        parents[start].append(end)
    with pytest.raises(CycleError) as caught:
        Dag({name: tuple(who) for name, who in parents.items()})
    cycle = caught.value.cycle
    assert cycle[0] == cycle[-1]
    assert len(set(cycle)) == len(cycle) - 1
    for tail, head in itertools.pairwise(cycle):
        assert tail in parents[head]


def test_a_variable_that_is_its_own_parent_is_the_shortest_cycle():
    with pytest.raises(CycleError) as caught:
        Dag.parse("A -> A")
    assert caught.value.cycle == ("A", "A")


def test_a_dag_cannot_be_changed():
    dag = Dag.parse("A -> B")
    with pytest.raises(TypeError):
        dag.parents["C"] = ()
    with pytest.raises(TypeError):
        dag.children["A"] = ()
    with pytest.raises(AttributeError):
        dag.parents = {}
    source = {"A": [], "B": ["A"]}
    built = Dag(source)
    source["B"].append("C")
    source["C"] = []
    assert built == dag


def test_a_dag_travels_to_other_processes():
    dag = Dag.parse("A -> B <- C")
    assert pickle.loads(pickle.dumps(dag)) == dag
    assert copy.deepcopy(dag) == dag


def test_membership_is_by_name():
    dag = Dag.parse("A -> B")
    assert "A" in dag
    assert "a" not in dag
    assert 3 not in dag


@pytest.mark.parametrize("listed", ["downwards", "upwards"])
def test_ten_thousand_variables_in_a_chain_do_not_overflow(listed):
    names = [f"V{at}" for at in range(10_000)]
    arcs = list(itertools.pairwise(names))
    dag = Dag.of_arcs(arcs, names if listed == "downwards" else reversed(names))
    assert dag.order == tuple(names)
    assert Dag.parse(str(dag)) == dag
    with pytest.raises(CycleError) as caught:
        Dag.of_arcs([*arcs, (names[-1], names[0])])
    assert len(caught.value.cycle) == 10_001


def test_thirty_thousand_parents_are_read_in_good_time():
    names = ", ".join(f"P{at}" for at in range(30_000))
    dag = Dag.parse(f"{names} -> X; {names} -> X")
    assert len(dag.parents["X"]) == 30_000


def test_repr_is_short():
    assert repr(Dag.parse("A -> B")) == "Dag(A; A -> B)"
    long = Dag.of_arcs((f"V{at}", f"V{at + 1}") for at in range(1000))
    assert len(repr(long)) <= 205


@given(st.text(alphabet='AB ->,;"\\\n#<.é', max_size=30))
def test_any_text_is_a_dag_or_a_dag_error(text):
    try:
        dag = Dag.parse(text)
    except DagError:
        return
    assert Dag.parse(str(dag)) == dag


def test_functions_about_structure_take_a_dag_its_text_or_a_network() -> None:
    network = tc.textbook("asia")
    for form in (network, network.dag, str(network.dag)):
        assert tc.markov_blanket(form, "lung") == {"smoke", "either", "tub"}
        assert tc.d_separated(form, "asia", "smoke")
        assert tc.equivalent(form, network)
    with pytest.raises(tc.DagError, match="a dag, its text or a network is needed, not int"):
        tc.cpdag(3)
