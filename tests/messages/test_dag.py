"""What is said about dags that cannot be read or built, in full."""

from __future__ import annotations

import pytest

from tacit.core.dag import Dag
from tacit.core.equivalence import is_imap, minimal_imap
from tacit.core.errors import CycleError, DagError
from tacit.core.independence import ancestors, d_separated, markov_blanket

HINT = "\n\na dag is written like  Smoker -> Cancer <- Genes; Cancer -> Xray"
QUOTES = "\n\nnames with other than letters, digits, _ and . stand in double quotes"


def said(action) -> str:
    with pytest.raises(DagError) as caught:
        action()
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A -> ", "a variable is expected here\n\n    A ->\n       ^" + HINT),
        ("-> B", "a variable is expected here\n\n    -> B\n    ^^" + HINT),
        ("A -> ; B", "a variable is expected here\n\n    A -> ; B\n         ^" + HINT),
        ("A, -> B", "a variable is expected here\n\n    A, -> B\n       ^^" + HINT),
        ("A B", "an arrow or the end of the statement is expected\n\n    A B\n      ^" + HINT),
        ("A <-> B", "an arc has one direction\n\n    A <-> B\n      ^^^" + HINT),
        ('A -> " "', 'a variable needs a name\n\n    A -> " "\n         ^^^' + HINT),
        ("A => B", "this is no part of a dag: '='\n\n    A => B\n      ^" + QUOTES),
        (
            "lung-cancer -> X",
            "this is no part of a dag: '-'\n\n    lung-cancer -> X\n        ^" + QUOTES,
        ),
        ('A -> "B', 'this quoted name has no end\n\n    A -> "B\n         ^'),
        ("", "this dag names no variable: ''"),
        ("# nothing\n;", "this dag names no variable: '# nothing\\n;'"),
        (
            "A -> B\nB -> -> C",
            "line 2: a variable is expected here\n\n    B -> -> C\n         ^^" + HINT,
        ),
        (
            "A -> B ->\nC",
            "line 1: a variable is expected here\n\n    A -> B ->\n            ^" + HINT,
        ),
    ],
)
def test_text_that_is_no_dag(text, message):
    assert said(lambda: Dag.parse(text)) == message


def test_the_source_of_the_text_is_named():
    assert said(lambda: Dag.parse("A -> -> B", "my.dag")).startswith("my.dag: a variable is")
    assert said(lambda: Dag.parse("A\nB -> -> C", "my.dag")).startswith("my.dag:2: a variable is")
    assert said(lambda: Dag.parse(" ", "my.dag")) == "my.dag: this dag names no variable: ''"


def test_a_long_line_is_cut_around_the_fault():
    text = " -> ".join(f"Variable{at}" for at in range(30)) + " -> -> X"
    message = said(lambda: Dag.parse(text))
    line, marks = message.splitlines()[2:4]
    assert len(line) <= 94
    at = marks.index("^")
    assert line[at : at + 2] == "->"


def test_a_cycle():
    message = "the arcs form a cycle: B -> C -> D -> B\n\nremove or reverse one of these arcs"
    with pytest.raises(CycleError) as caught:
        Dag.parse("A -> B -> C -> D -> B")
    assert str(caught.value) == message


def test_a_cycle_through_odd_names():
    message = 'the arcs form a cycle: "a b" -> "a b"\n\nremove or reverse one of these arcs'
    assert said(lambda: Dag({"a b": ("a b",)})) == message


def test_parents_that_are_wrong():
    assert said(lambda: Dag({"A": ("B",)})) == "'B', a parent of 'A', is no variable of the dag"
    assert (
        said(lambda: Dag({"A": ("B", "B"), "B": ()}))
        == "'B' is listed twice among the parents of 'A'"
    )
    assert said(lambda: Dag({"": ()})) == "a variable needs a name, not ''"
    assert said(lambda: Dag({3: ()})) == "a variable needs a name, not 3"
    assert (
        said(lambda: Dag({"A": "BC", "B": (), "C": ()}))
        == "the parents of 'A' must be a sequence of names, not 'BC'"
    )


def test_a_name_the_dag_lacks():
    dag = Dag.parse("Smoker -> Cancer <- Genes")
    message = (
        "the dag has no variable 'smoker'; did you mean 'Smoker'?"
        "\n\nvariables: Smoker, Cancer, Genes"
    )
    for ask in (
        lambda: markov_blanket(dag, "smoker"),
        lambda: ancestors(dag, "smoker"),
        lambda: d_separated(dag, "smoker", "Genes"),
        lambda: d_separated(dag, "Genes", "Cancer", ["smoker"]),
        lambda: is_imap(Dag.parse("smoker"), dag),
        lambda: minimal_imap(dag, ["smoker"]),
    ):
        assert said(ask) == message


def test_a_variable_on_two_sides():
    dag = Dag.parse("A -> B -> C")
    message = "'B' stands on two sides of an independence statement"
    assert said(lambda: d_separated(dag, "B", "B")) == message
    assert said(lambda: d_separated(dag, "A", "B", ["B"])) == message
    assert said(lambda: d_separated(dag, ["A", "B"], "C", "B")) == message


def test_an_order_that_repeats():
    assert (
        said(lambda: minimal_imap(Dag.parse("A -> B"), ["A", "B", "A"]))
        == "the order names a variable twice: A, B, A"
    )
