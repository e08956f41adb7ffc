"""What is said about rules that contradict each other, in full."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.families.table import table
from tacit.knowledge.binding import bind
from tacit.knowledge.cells import Cells
from tacit.knowledge.conflicts import Conflict, check_feasible
from tacit.knowledge.parsing import rule_of, rules_of

SMOKER = tc.Discrete("Smoker", ("no", "yes"))
STAGE = tc.Discrete("Stage", ("I", "II", "III", "IV"))
CELLS = Cells.of({"Smoker": (SMOKER,), "Stage": (SMOKER, STAGE)})


def message(text: str, source: str = "expert.know") -> str:
    with pytest.raises(tc.ConflictError) as caught:
        check_feasible(bind(rules_of(text, source), CELLS))
    return str(caught.value)


def test_three_rules() -> None:
    text = """\
P(Stage=I | Smoker=yes) <= 0.9
P(Smoker=yes) <= 0.5
P(Stage=I | Smoker=yes) >= 0.4
P(Stage=II | Smoker=yes) <= 0.4
P(Stage=I | Smoker=yes) <= P(Stage=I | Smoker=no)
P(Stage={I, II} | Smoker=no) <= 0.8
P(Stage=I | Smoker=no) <= 0.3
"""
    assert message(text) == (
        "3 rules contradict each other\n\n"
        "    expert.know:3: P(Stage=I | Smoker=yes) >= 0.4\n"
        "    expert.know:5: P(Stage=I | Smoker=yes) <= P(Stage=I | Smoker=no)\n"
        "    expert.know:7: P(Stage=I | Smoker=no) <= 0.3\n\n"
        "line 3 needs P(Stage=I | Smoker=yes) to be at least 0.4, lines 5 and 7 leave at most 0.3"
        "\n\nchange or leave out one"
    )


def test_the_rules_are_kept_as_written() -> None:
    with pytest.raises(tc.ConflictError) as caught:
        check_feasible(bind(rules_of("P(Smoker=yes)  =  0.50; P(Smoker=no) = 0.4"), CELLS))
    assert caught.value.rules == ("P(Smoker=yes)  =  0.50", "P(Smoker=no) = 0.4")


def test_a_rule_over_several_lines_is_shown_on_one() -> None:
    text = "share P(Stage | Smoker) {\n  I, II\n}\nP(Stage=I | Smoker=no) = 0.2\n"
    told = message(text + "P(Stage=I | Smoker=yes) = 0.3").split("\n")
    assert told[2] == "    expert.know:1: share P(Stage | Smoker) { I, II }"


def test_equalities_on_one_line() -> None:
    assert message("P(Smoker=yes) = 0.5; P(Smoker=no) = 0.4") == (
        "2 rules contradict each other\n\n"
        "    expert.know:1: P(Smoker=yes) = 0.5\n"
        "    expert.know:1: P(Smoker=no) = 0.4\n\n"
        "`P(Smoker=yes) = 0.5` needs P(Smoker=yes) to be 0.5, `P(Smoker=no) = 0.4` leaves at "
        "least 0.6\n\nchange or leave out one"
    )


def test_a_rule_against_itself() -> None:
    assert message("0.6 <= P(Stage={III, IV} | Smoker=no) <= 0.4") == (
        "a rule contradicts itself\n\n"
        "    expert.know:1: 0.6 <= P(Stage={III, IV} | Smoker=no) <= 0.4\n\n"
        "it needs P(Stage={III, IV} | Smoker=no) to be at least 0.6, its other parts leave at most "
        "0.4\n\nchange it"
    )


def test_a_rule_against_the_table() -> None:
    text = "P(Stage=I | Smoker=no) + P(Stage=II | Smoker=no) + P(Stage=III | Smoker=no) >= 1.2"
    assert message(text) == (
        f"a rule contradicts itself\n\n    expert.know:1: {text}\n\n"
        "it needs P(Stage={I, II, III} | Smoker=no) to be at least 1.2, the table leaves at most 1"
        "\n\nchange it"
    )


def test_a_rule_of_several_parts_against_another() -> None:
    text = """\
P(Stage=I | Smoker=*) = 0.3
P(Stage=I | Smoker=yes) >= P(Stage=I | Smoker=no) + 0.1
"""
    assert message(text) == (
        "2 rules contradict each other\n\n"
        "    expert.know:1: P(Stage=I | Smoker=*) = 0.3\n"
        "    expert.know:2: P(Stage=I | Smoker=yes) >= P(Stage=I | Smoker=no) + 0.1\n\n"
        "line 1 needs P(Stage=I | Smoker=no) to be 0.3, line 2 and the rest of line 1 leave at "
        "most 0.2\n\nchange or leave out one"
    )


def test_several_conflicts() -> None:
    text = """\
P(Smoker=yes) = 0.5
P(Stage=I | Smoker=*) >= 0.6
P(Smoker=no) = 0.4
P(Stage=II | Smoker=*) >= 0.6
"""
    assert message(text, "") == (
        "2 rules contradict each other\n\n"
        "    line 1: P(Smoker=yes) = 0.5\n"
        "    line 3: P(Smoker=no) = 0.4\n\n"
        "line 1 needs P(Smoker=yes) to be 0.5, line 3 leaves at least 0.6\n\n"
        "2 rules contradict each other, in 2 separate parts of the network alike\n\n"
        "    line 2: P(Stage=I | Smoker=*) >= 0.6\n"
        "    line 4: P(Stage=II | Smoker=*) >= 0.6\n\n"
        "line 2 needs P(Stage=I | Smoker=no) to be at least 0.6, line 4 leaves at most 0.4\n\n"
        "change or leave out one of the rules of each"
    )


def test_more_conflicts_than_are_explained() -> None:
    wide = tc.Discrete("Wide", tuple("abcdefg"))
    network = tc.Network.of([table(wide, [], np.full(7, 1 / 7)),
                             table(SMOKER, [wide], np.full((7, 2), 0.5))])  # fmt: skip
    cells = Cells.of({"Smoker": network["Smoker"].variables})
    text = "\n".join(f"P(Smoker=no | Wide={s}) = 0.1; P(Smoker=no | Wide={s}) = 0.2"
                     for s in wide.states)  # fmt: skip
    with pytest.raises(tc.ConflictError) as caught:
        check_feasible(bind(rules_of(text), cells))
    told = str(caught.value).split("\n\n")
    assert told[-2:] == [
        "and 2 more parts of the network with other conflicts",
        "change or leave out one of the rules of each",
    ]


def test_a_set_that_may_not_be_the_smallest() -> None:
    rules = (rule_of("P(Smoker=yes) = 0.5"), rule_of("P(Smoker=no) = 0.4"))
    shown = str(Conflict(rules, "why", smallest=False))
    assert shown.startswith("2 rules contradict each other (perhaps fewer do)\n\n")


def test_rules_of_two_files_are_named_by_file() -> None:
    rules = (*rules_of("P(Smoker=yes) = 0.5", "a.know"), *rules_of("P(Smoker=no) = 0.4", "b.know"))
    with pytest.raises(tc.ConflictError) as caught:
        check_feasible(bind(rules, CELLS))
    assert str(caught.value).split("\n\n")[2] == (
        "a.know:1 needs P(Smoker=yes) to be 0.5, b.know:1 leaves at least 0.6"
    )
