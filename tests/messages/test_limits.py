"""What is said about rules on structure that a search cannot obey, in full."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacit as tc
from tacit.knowledge.arc_files import arcs_from
from tacit.knowledge.limits import limits_of

NAMES = ("A", "B", "C", "D", "X")
EVENT = (
    "a condition that can be no parent makes a probability one of the whole network: "
    "where that is meant, forbid the arc\n\n"
)


def message(text: str, parameters: bool = False, most: int | None = None) -> str:
    with pytest.raises(tc.TacitError) as caught:
        limits_of(tc.parse_knowledge(text), NAMES, most, parameters=parameters)
    return str(caught.value)


CONFLICTS = [
    (
        "require A -> B, C -> D\nat most 3 parents\nforbid * -> B",
        "2 rules contradict each other\n\n"
        "    line 1: require A -> B, C -> D\n"
        "                    ^^^^^^\n"
        "    line 3: forbid * -> B\n"
        "                        ^\n\n"
        "line 1 requires A -> B, line 3 forbids it\n\n"
        "change or leave out one",
    ),
    (
        "order A < B, C < D\nrequire D -> B by Lee",
        "2 rules contradict each other\n\n"
        "    line 1: order A < B, C < D\n"
        "                      ^      ^\n"
        "    line 2: require D -> B by Lee\n"
        "                    ^^^^^^\n\n"
        "line 2 requires D -> B, line 1 puts B before D\n\n"
        "change or leave out one",
    ),
    (
        "require A -> A",
        "a rule contradicts itself\n\n"
        "    line 1: require A -> A\n"
        "                    ^^^^^^\n\n"
        "it requires A -> A, and no variable is its own parent\n\n"
        "change it",
    ),
    (
        "require A -> B\nrequire B -> C,\n    C -> D -> A; forbid X -> *",
        "2 rules contradict each other\n\n"
        "    line 1: require A -> B\n"
        "                    ^^^^^^\n"
        "    line 2: require B -> C, C -> D -> A\n"
        "                    ^^^^^^  ^^^^^^^^^^^\n\n"
        "the arcs form a cycle: A -> B -> C -> D -> A\n\n"
        "change or leave out one",
    ),
    (
        "at most 1 parent for X\nrequire A -> X\nrequire B -> X",
        "3 rules contradict each other\n\n"
        "    line 1: at most 1 parent for X\n"
        "                                 ^\n"
        "    line 2: require A -> X\n"
        "                    ^^^^^^\n"
        "    line 3: require B -> X\n"
        "                    ^^^^^^\n\n"
        "lines 2 and 3 require 2 parents of X: A, B; line 1 leaves at most 1\n\n"
        "change or leave out one",
    ),
    (
        "require A -> B; forbid A -> B\nrequire C -> D\nrequire D -> C",
        "2 rules contradict each other\n\n"
        "    line 1: require A -> B\n"
        "                    ^^^^^^\n"
        "    line 1: forbid A -> B\n"
        "                   ^^^^^^\n\n"
        "`require A -> B` requires A -> B, `forbid A -> B` forbids it\n\n"
        "2 rules contradict each other\n\n"
        "    line 2: require C -> D\n"
        "                    ^^^^^^\n"
        "    line 3: require D -> C\n"
        "                    ^^^^^^\n\n"
        "the arcs form a cycle: C -> D -> C\n\n"
        "change or leave out one of the rules of each",
    ),
]


@pytest.mark.parametrize(("text", "said"), CONFLICTS, ids=lambda part: str(part)[:30])
def test_rules_that_no_dag_obeys(text: str, said: str) -> None:
    assert message(text) == said


def test_a_dag_is_not_blamed_for_rules_that_none_obeys() -> None:
    text, said = CONFLICTS[0]
    with pytest.raises(tc.ConflictError) as caught:
        tc.fit("A -> B; C -> D; X", {name: ["a", "b"] for name in NAMES}, knowledge=text)
    assert str(caught.value) == said
    check = tc.check(text, "A -> B; C -> D; X")
    assert str(check).startswith("3 rules: they cannot all hold\n\n2 rules contradict each other")
    assert str(check.conflicts[0]) == said.removesuffix("\n\nchange or leave out one")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "X increases with A\norder X < A",
            "2 rules contradict each other\n\n"
            "    line 1: X increases with A\n"
            "            ^                ^\n"
            "    line 2: order X < A\n"
            "                  ^   ^\n\n"
            "line 1 needs A -> X, line 2 puts X before A\n\n"
            "change or leave out one",
        ),
        (
            "P(X=x | A=a, B=b) = 1\nat most 1 parent for X",
            "2 rules contradict each other\n\n"
            "    line 1: P(X=x | A=a, B=b) = 1\n"
            "              ^     ^    ^\n"
            "    line 2: at most 1 parent for X\n"
            "                                 ^\n\n"
            "line 1 needs 2 parents of X: A, B; line 2 leaves at most 1\n\n"
            + EVENT + "change or leave out one",
        ),
        (
            "P(X=x | A=a) <= 0.3\nP(A=a | X=x) <= 0.3",
            "2 rules contradict each other\n\n"
            "    line 1: P(X=x | A=a) <= 0.3\n"
            "              ^     ^\n"
            "    line 2: P(A=a | X=x) <= 0.3\n"
            "              ^     ^\n\n"
            "the arcs form a cycle: A -> X -> A\n\n" + EVENT + "change or leave out one",
        ),
        (
            "table(X | A) = table(B | C)\nrequire D -> X",
            "2 rules contradict each other\n\n"
            "    line 1: table(X | A) = table(B | C)\n"
            "                  ^\n"
            "    line 2: require D -> X\n"
            "                    ^^^^^^\n\n"
            "line 2 requires D -> X, line 1 names a table of X without D\n\n"
            "change or leave out one",
        ),
        (
            "X ignores X",
            "line 1: 'X' cannot be its own parent\n\n    X ignores X\n              ^",
        ),
        (
            "P(X=x | X=y) = 1",
            "line 1: 'X' cannot be its own condition\n\n    P(X=x | X=y) = 1\n            ^",
        ),
    ],
)  # fmt: skip
def test_parents_that_rules_about_tables_need(text: str, said: str) -> None:
    assert message(text, parameters=True) == said


def test_a_bound_of_the_caller() -> None:
    assert message("require A -> X, B -> X\nrequire C -> X", most=2) == (
        "at most 2 parents cannot be kept: 3 parents of X must be there: A, B, C\n\n"
        "    line 1: require A -> X, B -> X\n"
        "    line 2: require C -> X\n\n"
        "let a variable have 3 parents, or change or leave out rules"
    )
    for most in (-1, True, 1.5):
        assert message("require A -> X", most=most) == (
            f"at most how many parents is a whole number from 0 on, not {most!r}"
        )


def test_words_that_are_no_variables() -> None:
    known = "\n\n    {}\n\nvariables: A, B, C, D, X"
    assert message("allow A -> BB") == (
        "line 1: there is no variable 'BB'; did you mean 'B'?"
        + known.format("allow A -> BB\n               ^^")
    )
    assert message("P(X=x | Q=q) = 1", parameters=True) == (
        "line 1: there is no variable 'Q'" + known.format("P(X=x | Q=q) = 1\n            ^")
    )
    assert message("order A < B < A") == (
        "line 1: 'A' stands twice in this order\n\n    order A < B < A\n                  ^"
    )


def test_a_dag_with_an_arc_that_no_rule_allows() -> None:
    with pytest.raises(tc.ConflictError) as caught:
        tc.fit(
            "A -> B -> C", {n: ["a", "b"] for n in "ABC"}, knowledge="allow A -> B\nallow A -> *"
        )
    assert str(caught.value) == (
        "line 1: the dag has the arc B -> C, which no rule allows\n\n"
        "    allow A -> B\n    ^^^^^^^^^^^^\n\nadd it:  allow B -> C"
    )


LIKE = "a file of arcs has a line for each, like  Smoker,Cancer  with the parent first"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", f"arcs.csv: the file is empty\n\n{LIKE}"),
        ("from,to\n", "arcs.csv: the file holds no arcs"),
        ("A\nB\n", f"arcs.csv:1: this line has 1 column, not two\n\n    A\n    ^\n\n{LIKE}"),
        ("A,B\nC,C\n", f"arcs.csv:2: 'C' cannot be its own parent\n\n    C,C\n    ^^^\n\n{LIKE}"),
        ("A,B\nC,\n", f"arcs.csv:2: a name is missing here\n\n    C,\n    ^^\n\n{LIKE}"),
        (
            "A,B\nC,D,E\n",
            f"arcs.csv:2: this line has 3 columns, not two\n\n    C,D,E\n    ^^^^^\n\n{LIKE}",
        ),
        (
            'A,"B\nC,D',
            f"arcs.csv:1: this is no line of two columns: unexpected end of data\n\n{LIKE}",
        ),
    ],
)
def test_files_that_hold_no_list_of_arcs(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arcs.csv").write_text(text)
    with pytest.raises(tc.KnowledgeError) as caught:
        arcs_from("arcs.csv", "forbid")
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("arcs", "verb", "said"),
    [
        ("none.csv", "allow", "there is no file 'none.csv'"),
        ([], "allow", "no arcs are given"),
        (7, "allow", "arcs are a file or pairs of names, not 7"),
        ([("A", "A")], "allow", "'A' cannot be its own parent"),
        (
            [("A", "B"), "AB"],
            "allow",
            "an arc is a pair of names, parent and child, not 'AB'\n\n"
            'pairs are written like  [("Smoker", "Cancer"), ("Genes", "Cancer")]',
        ),
        (
            [("A", "B")],
            "frobid",
            "arcs are required, forbidden or allowed, not 'frobid'; did you mean 'forbid'?\n\n"
            "verbs: require, forbid, allow",
        ),
    ],
)
def test_pairs_that_are_no_arcs(arcs: object, verb: str, said: str) -> None:
    with pytest.raises(tc.TacitError) as caught:
        arcs_from(arcs, verb)
    assert str(caught.value) == said


def test_a_conflict_names_the_lines_of_both_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("white.csv").write_text("from,to\nA,B\nB,C\n")
    Path("black.tsv").write_text("C\tD\nB\tC\n")
    both = arcs_from("white.csv", "require") + arcs_from("black.tsv", "forbid")
    with pytest.raises(tc.ConflictError) as caught:
        limits_of(both, NAMES)
    assert str(caught.value) == (
        "2 rules contradict each other\n\n"
        "    white.csv:3: require B -> C\n"
        "                         ^^^^^^\n"
        "    black.tsv:2: forbid B -> C\n"
        "                        ^^^^^^\n\n"
        "white.csv:3 requires B -> C, black.tsv:2 forbids it\n\n"
        "change or leave out one"
    )
