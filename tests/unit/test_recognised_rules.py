"""Rules as experts write them are recognised as the theorem that they are."""

from __future__ import annotations

import pytest

from tacit.core.variables import Discrete
from tacit.estimate.ruled.recognise import recognise
from tacit.knowledge.binding import bind
from tacit.knowledge.blocks import blocks_of
from tacit.knowledge.cells import Cells
from tacit.knowledge.knowledge import Knowledge

DIE, AUTHOR = Discrete("Die", tuple("123456")), Discrete("Author", ("x", "y", "z"))
WORD = Discrete("Word", ("a", "the", "of", "cat", "dog"))
CELLS = Cells.of({"Die": (DIE,), "Author": (AUTHOR,), "Word": (AUTHOR, WORD)})


def kinds(text):
    blocks = blocks_of(bind(Knowledge.parse(text).rules, CELLS))
    trees = [recognise(blocks[number]) for number in range(len(blocks))]
    return [tree and tree.kind for tree in trees]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("P(Die=1) = 0.2", "known values (Thm 4.2.1)"),
        ("P(Die=not 1) = 0.8", "known values (Thm 4.2.1)"),
        ("P(Die=2) = P(Die=3) = P(Die=4)", "sharing within one row (Thm 4.3.1)"),
        ("P(Die=1) = 2 * P(Die=6)", "proportions within one row (Thm 4.4.1)"),
        ("P(Die={1, 2}) = P(Die={3, 4})", "equal masses within one row (Thm 4.5.1)"),
        ("P(Die=1) + P(Die=2) = P(Die=4)", "equal masses within one row (Thm 4.5.1)"),
        ("P(Die=1) : P(Die=2) = P(Die=3) : P(Die=4)",
         "equal ratios within one row (Thm 4.6.1)"),
        ("P(Word=a | Author=x) = P(Word=of | Author=y)", "general sharing (Thm 4.7.1)"),
        ("P(Word | Author=x) = P(Word | Author=y)", "general sharing (Thm 4.7.1)"),
        ("share P(Word | Author) { a; Author={x, y} { the }; Author=z { of } }",
         "sharing tree (Thm 4.8.1)"),
        ("P(Word={a, the} | Author=x) = P(Word={a, the} | Author=y)",
         "equal masses across rows (Thm 4.9.1)"),
        ("P(Word=a | Author=x) : P(Word=of | Author=x)"
         " = P(Word=a | Author=y) : P(Word=of | Author=y)", "equal ratios (Thm 4.10.1)"),
        ("P(Word=a | Author=x) = 0.1; P(Word=a | Author=y) = 0.1;"
         " P(Word=of | Author=x) = P(Word=of | Author=y)", "mixed"),
        ("P(Word=a | Author=x) = 2 * P(Word=a | Author=y)", None),
        ("P(Die=1) + 2 * P(Die=2) = P(Die=3)", None),
    ],
)  # fmt: skip
def test_a_rule_is_the_theorem_that_it_says(text, kind):
    assert kinds(text.replace("; ", "\n") if "share" not in text else text) == [kind]


def test_rules_about_different_rows_are_trees_of_their_own():
    assert kinds("P(Die=1) = 0.2\nP(Word=a | Author=*) = 0.1") == ["known values (Thm 4.2.1)"] * 4
