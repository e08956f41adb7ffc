"""What is said about rules that do not fit a network, in full."""

from __future__ import annotations

import re

import pytest

from tacit.core.dag import Dag
from tacit.core.errors import ConflictError, KnowledgeError
from tacit.core.variables import Discrete
from tacit.knowledge.binding import bind
from tacit.knowledge.cells import Cells
from tacit.knowledge.parsing import rules_of
from tacit.knowledge.statements import About, Compare, Expression, Part, Rule
from tacit.knowledge.structural import check_structure
from tacit.knowledge.terms import Probability, Term, Word

SMOKER = Discrete("Smoker", ("no", "yes"))
AGE = Discrete("Age group", ("young", "mid", "old"))
COUGH = Discrete("Cough", ("none", "dry", "wet"))
CELLS = Cells.of({"Smoker": (SMOKER,), "Age group": (AGE,), "Cough": (SMOKER, AGE, COUGH)})
DAG = Dag({"Smoker": (), "Age group": (), "Cough": ("Smoker", "Age group")})
STATES = "states of 'Cough': none, dry, wet"
VARIABLES = "variables: Smoker, Age group, Cough, Power"


def said(text: str, source: str = "", ordered: tuple[str, ...] | None = None) -> str:
    with pytest.raises(KnowledgeError) as caught:
        bind(rules_of(text, source), CELLS, ordered=ordered, others=("Power",))
    return str(caught.value)


def message(what: str, line: str, mark: str, advice: str = "", number: int = 1) -> str:
    """The message that marks the last place of `mark` in the line."""
    under = " " * line.rindex(mark) + "^" * len(mark)
    return f"line {number}: {what}\n\n    {line}\n    {under}" + (f"\n\n{advice}" if advice else "")


def test_a_file_and_its_line_are_named():
    text = "# known for long\nP(Smoker=yes) <= 0.3\n\n  P(Smoker=ja) <= 0.3  # not so\n"
    assert said(text, "expert.know") == (
        "expert.know:4: 'Smoker' has no state 'ja'\n\n"
        "    P(Smoker=ja) <= 0.3\n"
        "             ^^\n\n"
        "states of 'Smoker': no, yes"
    )


def test_a_rule_over_several_lines_shows_the_guilty_one():
    text = (
        "P(Smoker=yes) <= 0.3\nshare P(Cough | Smoker=*) {\n  dry\n  Smoker=yes { none, wett }\n}"
    )
    assert said(text) == message(
        "'Cough' has no state 'wett'; did you mean 'wet'?",
        "  Smoker=yes { none, wett }", "wett", STATES, number=4,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "what", "advice"),
    [
        (
            "P(«Smokr»=yes) <= 0.3",
            "the network has no variable 'Smokr'; did you mean 'Smoker'?",
            VARIABLES,
        ),
        (
            "P(Cough=dry | Smoker=no, «Aeg»=old) <= 0.3",
            "the network has no variable 'Aeg'",
            VARIABLES,
        ),
        (
            'P(Cough={dry, «wett»} | "Age group"=old) <= 0.3',
            "'Cough' has no state 'wett'; did you mean 'wet'?",
            STATES,
        ),
        (
            'P(Cough=dry | Smoker=no, "Age group"=old, «Smoker»=yes) <= 0.3',
            "'Smoker' stands twice in one condition",
            "",
        ),
        ("P(Cough=dry | «Cough»=wet) <= 0.3", "'Cough' cannot be its own condition", ""),
        (
            "P(Smoker=yes, Cough=dry, «Smoker»=no) <= 0.3",
            "'Smoker' stands twice before the bar",
            "",
        ),
        (
            "P(«Smoker»=yes | Cough=dry, Smoker=no) <= 0.3",
            "'Smoker' stands on both sides of the bar",
            "what is given is known: leave it out on one side",
        ),
        (
            "P(Smoker=yes | Cough=dry, «Cough»=wet) <= 0.3",
            "'Cough' stands twice in one condition",
            "",
        ),
        ("P(Smoker=yes | Cough=«loud») <= 0.3", "'Cough' has no state 'loud'", STATES),
        (
            "P(Smoker=yes, «Couhg»=dry) * P(Smoker=no) <= 0.3",
            "the network has no variable 'Couhg'; did you mean 'Cough'?",
            VARIABLES,
        ),
        (
            "P(Cough=dry | «Power»=1) <= 0.3",
            "'Power' has no table of probabilities",
            "such rules speak of discrete variables whose family is a table",
        ),
        (
            "«P(Cough={dry, wet}) >= 1.2»",
            "this rule cannot hold, whatever the probabilities are",
            "every probability lies between 0 and 1",
        ),
        (
            "«P(Cough=*) * P(Smoker=no) >= 1.2»",
            "this rule cannot hold, whatever the probabilities are",
            "every probability lies between 0 and 1, and it says\n"
            "    P(Cough=none) * P(Smoker=no) >= 1.2",
        ),
        (
            "«P(Smoker=yes) / (P(Smoker=no) - P(Smoker=no)) <= 1»",
            "this rule divides by zero",
            "",
        ),
        (
            "Cough increases with Smoker when «Cough»=dry",
            "'Cough' cannot be its own condition",
            "",
        ),
        (
            "Smoker ignores Cough when «Cough»=dry",
            "'Cough' is no parent of 'Smoker'",
            "parents of 'Smoker': none",
        ),
        (
            "P(«Power»=high) <= 0.3",
            "'Power' has no table of probabilities",
            "such rules speak of discrete variables whose family is a table",
        ),
        (
            "coefficient(«Power», Smoker) = 2",
            "this rule speaks of a coefficient of a Gaussian family, "
            "which only tc.fit and tc.check can hold",
            "rules that everything holds speak of probabilities of discrete variables",
        ),
        (
            "coefficient(«Cough», Smoker) = 2",
            "this rule speaks of a coefficient of a Gaussian family, but 'Cough' is discrete",
            "",
        ),
        (
            "P(«Smoker»={no: 0.2, yes: 0.8}) = 0.1",
            "a likelihood of states is a finding and has no place in a rule",
            "name states instead:  Smoker={no, ...}",
        ),
        ("P(Smoker=not {«no», yes}) = 0.1", "this leaves no state of 'Smoker'", ""),
        ("P(Smoker={yes, «yes»}) = 0.1", "'yes' stands twice in one set", "leave out one"),
        (
            "«P(Smoker=yes) = P(Smoker=yes) + 0.1»",
            "this rule cannot hold, whatever the probabilities are",
            "where both sides name the same cells, it says 0 = 0.1",
        ),
        (
            "«P(Smoker=yes) : P(Smoker=yes) = P(Smoker=no) : P(Smoker=yes)»",
            "one side of this ratio names the same cell twice",
            "",
        ),
        (
            "P(«Cough»={dry, wet} | Smoker=no) : P(Cough=none | Smoker=no)"
            " = P(Smoker=yes) : P(Smoker=no)",
            "a ratio is between single states, not masses",
            "name one state of 'Cough' in each term",
        ),
        ("order of «Cough»: none < dry", "the order of 'Cough' leaves out 'wet'", STATES),
        ("order of Cough: none < dry < wet < «dry»", "the state 'dry' is listed twice", ""),
        ("order of Cough: none < dry < «very»", "'Cough' has no state 'very'", STATES),
        (
            "Smoker increases with «Cough»",
            "'Cough' is no parent of 'Smoker'",
            "parents of 'Smoker': none",
        ),
        (
            "Cough increases with «Smokers»",
            "the network has no variable 'Smokers'; did you mean 'Smoker'?",
            VARIABLES,
        ),
        (
            "Cough increases with Smoker when «Smoker»=no",
            "'Smoker' is what varies here; it cannot be held behind 'when'",
            "",
        ),
        ("positive additive synergy of Smoker, «Smoker» on Cough", "'Smoker' is named twice", ""),
        (
            "table(«Cough» | Smoker) = table(Smoker)",
            "a table is named with all its parents; here 'Age group' lacks",
            'write  table(Cough | Smoker, "Age group")',
        ),
        (
            'table(Smoker) = table(«"Age group"»)',
            "tables that are one must have one shape",
            'states in table(Smoker): Smoker 2\nstates in table("Age group"): "Age group" 3',
        ),
        (
            "share P(«Cough»=dry | Smoker=*) { dry }",
            "a sharing tree is over the rows of one table",
            "write  share P(Cough | Smoker=*)",
        ),
        (
            "share P(Cough | Smoker=*) { dry; Smoker=no { none }; «Smoker»=* { wet } }",
            "this level takes rows that a level beside it has already",
            "levels side by side must split the rows of the level above",
        ),
        (
            "share P(Cough | Smoker=no) { dry; «Smoker»=yes { wet } }",
            "this level has no row: the level above has none of its rows",
            "",
        ),
        (
            "share P(Cough | Smoker=no) { dry; Smoker=no { wet, «dry» } }",
            "'dry' is shared twice on one path of the tree",
            "the rows of this level share it already",
        ),
    ],
)
def test_what_does_not_fit_is_marked(text, what, advice):
    before, mark, after = re.split("[«»]", text)
    line = before + mark + after
    under = " " * len(before) + "^" * len(mark)
    tail = f"\n\n{advice}" if advice else ""
    assert said(line) == f"line 1: {what}\n\n    {line}\n    {under}{tail}"


def test_groups_that_do_not_fit():
    rule = "P(Cough=bad | Smoker=no) <= 0.3"
    assert said(f"let bad = {{dry, loud}}\n{rule}") == message(
        "the group 'bad' has 'loud', no state of 'Cough'", rule, "bad", STATES, number=2
    )
    rule = "P(Cough=wet | Smoker=no) <= 0.3"
    assert said(f"let wet = {{dry, none}}\n{rule}") == message(
        "'wet' is both a state of 'Cough' and a group of its states",
        rule, "wet", "give the group another name", number=2,
    )  # fmt: skip


def test_declarations_that_are_made_twice():
    assert said("let a = {dry}\nlet a = {wet}") == message(
        "the group 'a' is named twice", "let a = {wet}", "a", number=2
    )
    again = "order of Smoker: yes < no"
    assert said(f"order of Smoker: no < yes\n{again}") == message(
        "the order of 'Smoker' is declared twice", again, "Smoker", number=2
    )


def test_an_order_that_nobody_declared_is_shown():
    assert said('Cough increases with "Age group"', ordered=("Cough",)) == message(
        "this needs an order of the states of 'Age group', and none is declared",
        'Cough increases with "Age group"', '"Age group"',
        "they stand in the order of their names: young, mid, old\n"
        "say the right one, from low to high, in a line like  "
        'order of "Age group": young < mid < old',
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        (Rule(None, confidence=0.0, text="x"), "a confidence is above 0 and at most 1, not 0.0"),
        (
            Rule(About(Expression(()), Expression(()), -0.1), text="x"),
            "the slack behind +- must be 0 or more, not -0.1",
        ),
        (
            Rule(Compare((Expression((Part(0.4),)), Expression((Part(0.3),))), ("<=",)), text="x"),
            "this rule cannot hold, whatever the probabilities are",
        ),
    ],
)
def test_rules_built_in_python_that_make_no_sense(rule, what):
    with pytest.raises(KnowledgeError) as caught:
        bind([rule], CELLS)
    assert str(caught.value).startswith(f"{what}\n\n    x\n    ^")


def test_a_word_that_stands_nowhere_in_the_text_is_not_marked():
    mass = Part(1.0, Probability((Term(Word("Smokers")),)))
    rule = Rule(Compare((Expression((mass,)), Expression((Part(0.3),))), ("<=",)), text="a bound")
    with pytest.raises(KnowledgeError) as caught:
        bind([rule], CELLS)
    assert str(caught.value) == (
        "the network has no variable 'Smokers'; did you mean 'Smoker'?\n\n"
        "    a bound\n\nvariables: Smoker, Age group, Cough"
    )


@pytest.mark.parametrize(
    ("text", "what", "mark", "advice"),
    [
        ("require Cough -> Smoker", "the dag has no arc Cough -> Smoker", "Cough", ""),
        ("forbid * -> Cough", "the dag has the arc Smoker -> Cough", "Cough", ""),
        (
            "order Cough < Smoker",
            "the dag has the arc Smoker -> Cough, against this order",
            "Cough",
            "",
        ),
        (
            "at most 1 parents for Cough",
            "'Cough' has 2 parents, more than 1",
            "Cough",
            'arcs: Smoker -> Cough, "Age group" -> Cough',
        ),
    ],
)
def test_a_dag_that_breaks_a_rule_is_a_conflict(text, what, mark, advice):
    with pytest.raises(ConflictError) as caught:
        check_structure(rules_of(text), DAG)
    assert str(caught.value) == message(what, text, mark, advice)


def test_unknown_variables_in_rules_about_structure():
    with pytest.raises(KnowledgeError) as caught:
        check_structure(rules_of("forbid Smoker -> Couhg"), DAG)
    assert str(caught.value) == message(
        "the dag has no variable 'Couhg'; did you mean 'Cough'?",
        "forbid Smoker -> Couhg", "Couhg", "variables: Smoker, Age group, Cough",
    )  # fmt: skip
    with pytest.raises(KnowledgeError) as caught:
        check_structure(rules_of("order Smoker < Cough < Smoker"), DAG)
    assert str(caught.value) == message(
        "'Smoker' stands twice in this order", "order Smoker < Cough < Smoker", "Smoker"
    )
