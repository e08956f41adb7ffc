"""Traces of hidden variables from the front: what is shown, what rules do to candidates."""

from __future__ import annotations

import numpy as np
import pytest

import naive_signatures
import tacit as tc
from tacit.core.dag import Dag
from tacit.core.errors import DagError, KnowledgeError, OptionError
from tacit.knowledge.knowledge import as_knowledge
from tacit.knowledge.limits import limits_of
from tacit.learn.unseen import growing
from tacit.learn.unseen.insertion import (
    Insertion,
    Refusal,
    candidates,
    free_parameters,
    inserted,
)

FOUR = Dag.parse("A -> B; A, B -> C; A, B, C, P -> D; D -> E")


def limits(text, dag=FOUR):
    return limits_of(as_knowledge(text), (*dag.names, "H"))


def test_without_cancer_it_takes_59_parameters_instead_of_17():
    """Figure 1.1, as mended by erratum E1."""
    dag = Dag.parse("S, E, A -> C; C -> L, B, I")
    left = tc.remove_variable(dag, "C")
    states = dict.fromkeys(dag.names, 2)
    assert free_parameters(dag, states) == 17
    assert free_parameters(left, states) == 59
    assert {each: set(who) for each, who in left.parents.items() if who} == {
        "L": {"S", "E", "A"}, "B": {"S", "E", "A", "L"}, "I": {"S", "E", "A", "L", "B"},
    }  # fmt: skip


def test_a_figure_of_the_source():
    """Figure 4.1: three parents and three children of a hidden variable."""
    dag = Dag.of_arcs([*((p, "H") for p in ("P1", "P2", "P3")), *(("H", c) for c in "XYZ")])
    left = tc.remove_variable(dag, "H")
    assert set(left.parents["X"]) == {"P1", "P2", "P3"}
    assert set(left.parents["Y"]) == {"P1", "P2", "P3", "X"}
    assert set(left.parents["Z"]) == {"P1", "P2", "P3", "X", "Y"}


def test_a_variable_without_children_just_goes():
    assert tc.remove_variable("A -> B; C", "B") == Dag.parse("A; C")
    assert tc.remove_variable("A -> B", "A") == Dag.parse("B")


def test_an_unknown_variable_cannot_be_removed():
    with pytest.raises(DagError, match="the dag has no variable 'Hx'"):
        tc.remove_variable("H -> B", "Hx")


def test_signatures_are_shown_by_what_they_save():
    found = tc.signatures("A -> B, C, D; B -> C, D; C -> D; U -> V, W; V -> W", least=3)
    assert [str(each) for each in found] == ["A, B, C, D: 6 of 6 links", "U, V, W: 3 of 3 links"]
    assert str(found) == (
        "2 sets of variables that may have a hidden parent\n"
        "  variables    links  weakest  saves\n"
        "  A, B, C, D  6 of 6     1.00     +2\n"
        "  U, V, W     3 of 3     1.00     +0"
    )
    assert repr(found) == "<Signatures: 2 sets of variables>"
    assert "<table" in found._repr_html_()
    assert found[0].saves == 2


def test_long_lists_are_cut_and_said_to_be():
    dag = Dag.of_arcs([(f"X{i}{a}", f"X{i}{b}") for i in range(30) for a, b in naive_pairs(4)])
    shown = str(tc.signatures(dag))
    assert shown.endswith("  ... and 10 more sets")
    assert "30 sets" in shown


def naive_pairs(size):
    return [(a, b) for b in range(size) for a in range(b)]


def test_sets_that_could_grow_in_too_many_ways_stop(monkeypatch):
    rng = np.random.default_rng(5)
    dag = Dag(naive_signatures.at_random(rng, 30, 9))
    free = tc.signatures(dag)
    monkeypatch.setattr(growing, "MOST_SETS", 5)
    few = tc.signatures(dag)
    shuffled = Dag({name: dag.parents[name] for name in reversed(dag.names)})
    assert few == tc.signatures(shuffled)
    assert few != free
    weights = naive_signatures.linked(dag.parents)
    assert all(naive_signatures.is_semi_clique(weights, each.members, "half") for each in few)


def test_the_hidden_parent_takes_the_place_of_the_links():
    assert set(tc.insert_hidden(FOUR, list("ABCD")).arcs) == {
        *(("H", child) for child in "ABCD"), ("P", "H"), ("D", "E"),
    }  # fmt: skip


def test_an_arc_that_would_close_a_cycle_stays():
    dag = Dag.parse("A -> B; A, B -> C; C -> X; X -> D; A -> D")
    done = inserted(dag, list("ABCD"), "H")
    assert isinstance(done, Insertion)
    assert done.kept == (("X", "D"),)
    assert done.parents == ()
    assert str(done) == "H -> A, B, C, D"


def test_required_arcs_stay_among_children_and_from_outside():
    done = inserted(FOUR, list("ABCD"), "H", limits("require A -> B; require P -> D"))
    assert isinstance(done, Insertion)
    assert set(done.kept) == {("A", "B"), ("P", "D")}
    assert done.parents == ()
    assert (
        tc.insert_hidden(FOUR, list("ABCD"), knowledge="require A -> B; require P -> D") == done.dag
    )


def test_a_parent_that_may_not_be_one_keeps_its_arcs():
    dag = tc.insert_hidden(FOUR, list("ABCD"), knowledge="forbid P -> H")
    assert ("P", "D") in dag.arcs
    assert ("P", "H") not in dag.arcs


def test_a_parent_that_must_be_one_becomes_it():
    dag = Dag.parse("A -> B; A, B -> C; A, B, C -> D; Z")
    assert ("Z", "H") in tc.insert_hidden(dag, list("ABCD"), knowledge="require Z -> H").arcs


def test_with_room_for_few_parents_those_with_the_most_arcs_go():
    dag = Dag.parse("A, P, Q -> B; A, B, P -> C; A, B, C -> D; P, Q, R")
    done = inserted(dag, list("ABCD"), "H", limits("at most 1 parent for H", dag))
    assert isinstance(done, Insertion)
    assert done.parents == ("P",)
    assert done.kept == (("Q", "B"),)
    alike = Dag.parse("A, P, Q -> B; A, B -> C; A, B, C -> D")
    done = inserted(alike, "ABCD", "H", limits("at most 1 parent for H", alike))
    assert isinstance(done, Insertion)
    assert done.parents == ()
    assert set(done.kept) == {("P", "B"), ("Q", "B")}


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("forbid H -> C", "the rules forbid H -> C"),
        ("require H -> E", "H -> E is required"),
        ("require E -> H", "E -> H is required, and would close a cycle"),
        (
            "at most 1 parent for D; require P -> D",
            "D would have 2 parents, and may have 1",
        ),
        ("order A < H", "the rules forbid H -> A"),
    ],
)
def test_what_rules_do_not_allow_is_refused_with_the_reason(rules, why):
    with pytest.raises(KnowledgeError) as caught:
        tc.insert_hidden(FOUR, list("ABCD"), knowledge=rules)
    assert str(caught.value) == f"H cannot be the parent of A, B, C, D: {why}"
    assert inserted(FOUR, list("ABCD"), "H", limits(rules)) == Refusal(("A", "B", "C", "D"), why)


@pytest.mark.parametrize(
    ("members", "name", "message"),
    [
        ((), "H", "a hidden variable needs children; none are named"),
        (("A", "A"), "H", "a child of a hidden variable is named twice: A, A"),
        (("A", "B"), "E", "the dag has a variable 'E' already; choose another name"),
    ],
)
def test_what_makes_no_insertion_is_said(members, name, message):
    with pytest.raises(DagError) as caught:
        tc.insert_hidden(FOUR, members, name)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"threshold": "most"},
            "threshold='most' must be one of strict, half, others, "
            "or a share of the others, above 0 and at most 1",
        ),
        (
            {"threshold": 0},
            "threshold=0 must be one of strict, half, others, "
            "or a share of the others, above 0 and at most 1",
        ),
        ({"least": 2}, "least=2 must be a whole number from 3 on"),
        ({"order": "name"}, "order='name' must be one of most_links, index, random"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(OptionError) as caught:
        tc.signatures(FOUR, **options)
    assert str(caught.value) == message


def test_candidates_come_with_the_one_first_that_saves_most_parameters():
    dag = Dag.parse("A -> B; A, B -> C; A, B, C -> D; U -> V; U, V -> W; U, V, W -> X")
    states = {"H": 2, **dict.fromkeys("ABCD", 2), **dict.fromkeys("UVWX", 3)}
    found = candidates(dag, ["ABCD", "UVWX"], states=states)
    assert [each.children[0] for each in found.found] == ["U", "A"]
    assert free_parameters(dag, states) == (1 + 2 + 4 + 8) + 2 * (1 + 3 + 9 + 27)
    assert free_parameters(found.found[0].dag, states) == 15 + 1 + 4 * 2 * 2
    rules = limits_of(as_knowledge("forbid H -> V"), (*dag.names, "H"))
    left = candidates(dag, ["ABCD", "UVWX"], limits=rules)
    assert [each.children[0] for each in left.found] == ["A"]
    assert [each.why for each in left.refused] == ["the rules forbid H -> V"]


def test_children_of_one_cause_show_in_few_cases_only_when_resampled():
    """A binary variable with five children, among four others, in a hundred cases."""
    hard = soft = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        cause = rng.integers(0, 2, 100)
        columns = {f"C{at}": np.where(rng.random(100) < 0.8, cause, 1 - cause) for at in range(5)}
        columns |= {f"X{at}": rng.integers(0, 2, 100) for at in range(4)}
        data = tc.read_cases({name: values.astype(str) for name, values in columns.items()})
        found = tc.search(
            data, bootstrap=30, seed=seed, progress=False, method=tc.HillClimb(restarts=0)
        )
        assert found.confidence is not None
        hard += any(planted(each) for each in tc.signatures(found.dag))
        first = tc.signatures(found.confidence, threshold=0.4).found[:1]
        soft += any(planted(each) for each in first)
    assert soft >= 5
    assert hard <= soft - 2


def planted(signature):
    return all(name.startswith("C") for name in signature.members)
