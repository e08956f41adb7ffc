"""Arcs into a hidden variable that might as well leave it are turned, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import tacit as tc
from strategies import discrete_networks
from tacit.core.equivalence import equivalent
from tacit.knowledge.knowledge import as_knowledge
from tacit.knowledge.limits import Limits, limits_of
from tacit.learn.unseen.heading import headed, starred


@given(discrete_networks(), st.data())
def test_the_distribution_stays_and_no_covered_arc_is_left(
    network: tc.Network, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(network.dag.names))
    done = headed(network, name, Limits.none(network.dag.names))
    assert equivalent(done.dag, network.dag)
    before, after = (naive.joint(each, network.dag.names) for each in (network, done))
    assert after == pytest.approx(before, abs=1e-12)
    own = set(done.dag.parents[name])
    assert all({*done.dag.parents[each], each} != own for each in own)
    assert set(network.dag.children[name]) <= set(done.dag.children[name])


@pytest.mark.parametrize(
    ("rules", "parents"),
    [
        (None, ()),
        ("require A -> H", ("A",)),
        ("forbid H -> A", ("A",)),
        ("at most 0 parents for A", ("A",)),
    ],
)
def test_rules_keep_an_arc_as_it_is(rules: str | None, parents: tuple[str, ...]) -> None:
    kinds = {name: tc.Discrete(name, ("no", "yes")) for name in "AHB"}
    network = tc.Network(
        tc.Dag.parse("A -> H -> B"),
        kinds,
        {
            "A": tc.table(kinds["A"], [], [0.3, 0.7]),
            "H": tc.table(kinds["H"], [kinds["A"]], [[0.2, 0.8], [0.6, 0.4]]),
            "B": tc.table(kinds["B"], [kinds["H"]], [[0.1, 0.9], [0.5, 0.5]]),
        },
    )
    limits = limits_of(as_knowledge(rules), network.dag.names)
    assert headed(network, "H", limits).dag.parents["H"] == parents


def free(dag: tc.Dag, rules: str | None = None) -> Limits:
    return limits_of(as_knowledge(rules), dag.names)


def test_in_a_star_all_neighbours_are_children_and_none_is_linked_to_another() -> None:
    dag = tc.Dag.parse("P -> A; Q -> A; P -> H; H -> A; H -> B; A -> B; B -> C; D -> B")
    star = starred(dag, "H", free(dag))
    assert star is not None
    assert star.parents["H"] == ()
    assert set(star.children["H"]) == {"P", "A", "B"}
    assert set(star.arcs) == {
        ("H", "P"), ("H", "A"), ("H", "B"), ("Q", "A"), ("B", "C"), ("D", "B"),
    }  # fmt: skip
    assert starred(star, "H", free(star)) is None


@pytest.mark.parametrize("rules", ["require P -> H", "forbid H -> P", "require A -> B"])
def test_no_star_breaks_a_rule(rules: str) -> None:
    dag = tc.Dag.parse("P -> H; H -> A; H -> B; A -> B")
    assert starred(dag, "H", free(dag)) is not None
    assert starred(dag, "H", free(dag, rules)) is None
    few = tc.Dag.parse("P -> H; H -> A; H -> B; D -> B")
    assert starred(few, "H", free(few, "at most 1 parent")) is None
