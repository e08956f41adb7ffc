"""Where a hidden variable may stand."""

import tacit as tc
from tacit.experiments.elidan.standins import interacting
from tacit.learn.unseen.places import places
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
