"""Where a hidden variable may stand."""

import tacit as tc
from tacit.experiments.elidan.standins import interacting
from tacit.learn.unseen.places import AROUND, LINKED, places
from tacit.learn.unseen.sought import Bench, Settings


def test_no_place_leaves_a_known_hidden_variable_without_children() -> None:
    """In the dag K, whom nobody measured, has the one child A, and is linked to all others."""
    dag = tc.Dag.parse("B -> C, D, K, A; C -> D, K, A; D -> K, A; K -> A; A -> E")
    whole = tc.read_cases({name: ["no", "yes"] for name in "ABCDEK"})
    data = whole.select(list("ABCDE"))
    known = {"K": ("1", "2")}
    bench = Bench(data, Settings(), None, known, filled=whole)
    found = places(bench, dag, None)
    assert all(place.dag.children["K"] for place in found.found)
    assert {each.why for each in found.refused} == {"it would leave K without a child"}


def test_a_second_variable_is_found_beside_the_one_that_a_given_network_has() -> None:
    """Two hidden variables with five children each, of which the network given knows one."""
    shown = [f"x{at}" for at in range(10)]
    cases = tc.sample(interacting(), 1000, seed=1).select(shown)
    common = {"bootstrap": 0, "seed": 1, "progress": False}
    first = tc.propose_hidden(cases, children={"Known": shown[:5]}, most=0, **common)
    again = tc.propose_hidden(cases, first.network, most=1, **common)
    (found,) = again.accepted
    assert set(again.network.dag.children["Known"]) >= set(shown[:5])
    assert set(found.children) >= set(shown[5:])


def test_a_star_without_any_triangle_is_a_place() -> None:
    """No four variables are linked half to each other; one stands in for what all depend on."""
    dag = tc.Dag.parse("A -> B; A -> C; A -> D; D -> E; F; G -> F")
    data = tc.read_cases({name: ["no", "yes"] for name in "ABCDEFG"})
    assert not tc.signatures(dag)
    found = places(Bench(data, Settings(), None), dag, None).found
    assert {(place.insertion.children, place.source) for place in found} == {
        (("A", "B", "C", "D"), AROUND)
    }
    done = places(Bench(data, Settings(), None), dag, None, [frozenset("ABCD")])
    assert not done.found


def test_signatures_come_before_neighbourhoods() -> None:
    dag = tc.Dag.parse("A -> B, C, D; B -> C, D; C -> D; D -> E; E -> F, G, H")
    data = tc.read_cases({name: ["no", "yes"] for name in "ABCDEFGH"})
    found = places(Bench(data, Settings(tries=1), None), dag, None)
    assert [(p.insertion.children, p.source) for p in found.found][:1] == [
        (("A", "B", "C", "D"), LINKED)
    ]
    assert found.more >= 2
