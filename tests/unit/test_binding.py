"""Rules become rows over cells, and rows read as rules again."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from tacit.core.dag import Dag
from tacit.core.errors import ConflictError, KnowledgeError, SizeError
from tacit.core.variables import Discrete
from tacit.knowledge import meaning
from tacit.knowledge.binding import bind
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.expansion import cell_label, expansion
from tacit.knowledge.parsing import rules_of
from tacit.knowledge.statements import Compare, Expression, Part, Rule
from tacit.knowledge.structural import check_structure
from tacit.knowledge.terms import Probability, Term, Word

SMOKER = Discrete("Smoker", ("no", "yes"))
GENES = Discrete("Genes", ("good", "bad"))
CANCER = Discrete("Cancer", ("no", "yes"))
AGE = Discrete("Age", ("young", "mid", "old"))
STAGE = Discrete("Stage", ("I", "II", "III"))
LATER = Discrete("Later", ("I", "II", "III"))
ODD = Discrete("not", ("a b", "not", "let"))
CELLS = Cells.of(
    {
        "Smoker": (SMOKER,),
        "Genes": (GENES,),
        "Cancer": (SMOKER, GENES, CANCER),
        "Age": (AGE,),
        "Stage": (AGE, STAGE),
        "Later": (STAGE, LATER),
        "not": (ODD,),
    }
)


def bound(text: str, **options: Any) -> Bound:
    return bind(rules_of(text), CELLS, **options)


def lines(text: str, **options: Any) -> list[str]:
    found = bound(text, **options)
    return [line for rule in range(len(found.rules)) for line in expansion(found, rule)]


def row(text: str) -> tuple[list[int], list[float], float, bool, int]:
    rows = bound(text).rows
    assert len(rows) == 1
    return (
        rows.cells.tolist(), rows.factors.tolist(), float(rows.limits[0]),
        bool(rows.equal[0]), int(rows.sign[0]),
    )  # fmt: skip


# cells: Smoker 0-1, Genes 2-3, Cancer 4-11, Age 12-14, Stage 15-23, Later 24-32, not 33-35


def test_a_bound_is_one_row():
    assert row("P(Smoker=yes) <= 0.3") == ([1], [1.0], 0.3, False, 1)


def test_at_least_is_turned_round():
    assert row("P(Smoker=yes) >= 0.3") == ([1], [-1.0], -0.3, False, -1)


def test_numbers_go_to_the_right_and_like_cells_are_collected():
    text = "P(Smoker=yes) + 0.25 = 3 * P(Smoker=yes) - 2 * P(Smoker=no) + 0.5"
    assert row(text) == ([0, 1], [2.0, -2.0], 0.25, True, 1)


def test_a_mass_is_the_sum_of_its_states():
    assert row("P(Stage={III, I} | Age=mid) <= 0.5") == ([18, 20], [1.0, 1.0], 0.5, False, 1)
    assert row("P(Stage=not II | Age=mid) <= 0.5") == ([18, 20], [1.0, 1.0], 0.5, False, 1)


def test_cells_that_cancel_are_left_out():
    assert row("P(Stage={I, II} | Age=mid) <= P(Stage={II, III} | Age=mid)") == (
        [18, 20], [1.0, -1.0], 0.0, False, 1
    )  # fmt: skip


def test_a_chain_is_a_row_for_every_two_neighbours():
    assert lines("0.1 <= P(Smoker=yes) <= P(Genes=bad) = 0.4") == [
        "P(Smoker=yes) >= 0.1",
        "P(Smoker=yes) <= P(Genes=bad)",
        "P(Genes=bad) = 0.4",
    ]


def test_a_parent_that_is_not_named_stands_for_every_state_paired():
    assert lines("P(Cancer=yes | Smoker=no) <= P(Cancer=yes | Smoker=yes)") == [
        "P(Cancer=yes | Smoker=no, Genes=good) <= P(Cancer=yes | Smoker=yes, Genes=good)",
        "P(Cancer=yes | Smoker=no, Genes=bad) <= P(Cancer=yes | Smoker=yes, Genes=bad)",
    ]


def test_what_is_free_on_one_side_only_means_every_combination():
    text = "P(Cancer=yes | Smoker=no, Genes=good) <= P(Cancer=yes | Smoker=yes, Genes=*)"
    assert lines(text) == [
        "P(Cancer=yes | Smoker=no, Genes=good) <= P(Cancer=yes | Smoker=yes, Genes=good)",
        "P(Cancer=yes | Smoker=no, Genes=good) <= P(Cancer=yes | Smoker=yes, Genes=bad)",
    ]


def test_a_free_target_shares_whole_rows():
    assert lines("P(Stage | Age=mid) = P(Stage | Age=old)") == [
        "P(Stage=I | Age=mid) = P(Stage=I | Age=old)",
        "P(Stage=II | Age=mid) = P(Stage=II | Age=old)",
        "P(Stage=III | Age=mid) = P(Stage=III | Age=old)",
    ]


def test_one_set_in_two_conditions_is_paired_and_two_sets_are_combined():
    same = "P(Stage=I | Age={young, mid}) <= P(Stage=II | Age={mid, young})"
    assert lines(same) == [
        "P(Stage=I | Age=young) <= P(Stage=II | Age=young)",
        "P(Stage=I | Age=mid) <= P(Stage=II | Age=mid)",
    ]
    assert lines("P(Stage=I | Age={young, mid}) <= P(Stage=I | Age=not young)") == [
        "P(Stage=I | Age=young) <= P(Stage=I | Age=mid)",
        "P(Stage=I | Age=young) <= P(Stage=I | Age=old)",
        "P(Stage=I | Age=mid) <= P(Stage=I | Age=old)",
    ]


def test_a_group_stands_for_its_states_in_targets_and_in_conditions():
    assert lines("let late = {II, III}; P(Stage=late | Age=old) >= 0.5") == [
        "P(Stage={II, III} | Age=old) >= 0.5"
    ]
    assert lines("let grown = {mid, old}; P(Stage=I | Age=grown) <= 0.5") == [
        "P(Stage=I | Age=mid) <= 0.5",
        "P(Stage=I | Age=old) <= 0.5",
    ]


def test_a_group_of_another_variable_does_not_hide_a_state():
    assert lines("let I = {mid, old}; P(Stage=I | Age=mid) <= 0.5") == [
        "P(Stage=I | Age=mid) <= 0.5"
    ]


def test_about_is_two_inequalities():
    assert lines("P(Smoker=yes) ~ 2 * P(Genes=bad) +- 0.05") == [
        "P(Smoker=yes) <= 2 * P(Genes=bad) + 0.05",
        "P(Smoker=yes) >= 2 * P(Genes=bad) - 0.05",
    ]


def test_ratios_are_lists_of_cells_for_every_value_of_what_is_free():
    found = bound("P(Later=I | Stage=I) : P(Later=II | Stage=I)"
                  " = P(Later=I | Stage=*) : P(Later=II | Stage=*)")  # fmt: skip
    assert [each.lists.tolist() for each in found.proportions] == [
        [[24, 25], [27, 28]],
        [[24, 25], [30, 31]],
    ]
    assert expansion(found, 0) == (
        "P(Later=I | Stage=I) : P(Later=II | Stage=I)"
        " = P(Later=I | Stage=II) : P(Later=II | Stage=II)",
        "P(Later=I | Stage=I) : P(Later=II | Stage=I)"
        " = P(Later=I | Stage=III) : P(Later=II | Stage=III)",
    )


def test_influence_takes_the_shorter_tail_of_every_threshold():
    assert lines("Stage increases with Age") == [
        "P(Stage=I | Age=mid) <= P(Stage=I | Age=young)",
        "P(Stage=I | Age=old) <= P(Stage=I | Age=mid)",
        "P(Stage=III | Age=young) <= P(Stage=III | Age=mid)",
        "P(Stage=III | Age=mid) <= P(Stage=III | Age=old)",
    ]


def test_a_declared_order_is_the_order_of_influence():
    turned = lines("order of Age: old < mid < young; Stage increases with Age")
    assert sorted(turned) == sorted(lines("Stage decreases with Age"))


def test_two_states_need_no_declared_order_and_three_do():
    assert len(lines("Cancer increases with Smoker", ordered=[])) == 2
    assert len(lines("Stage increases with Age", ordered=["Age", "Stage"])) == 4
    text = "order of Age: young < mid < old; order of Stage: I < II < III; Stage increases with Age"
    assert len(lines(text, ordered=[])) == 4
    with pytest.raises(KnowledgeError, match="order of the states of 'Age'"):
        bound("Stage increases with Age", ordered=["Stage"])


def test_additive_synergy_adds_the_equal_corners():
    assert lines("positive additive synergy of Smoker, Genes on Cancer") == [
        "P(Cancer=yes | Smoker=no, Genes=good) + P(Cancer=yes | Smoker=yes, Genes=bad)"
        " >= P(Cancer=yes | Smoker=no, Genes=bad) + P(Cancer=yes | Smoker=yes, Genes=good)"
    ]
    assert lines("negative additive synergy of Smoker, Genes on Cancer") == [
        "P(Cancer=yes | Smoker=no, Genes=good) + P(Cancer=yes | Smoker=yes, Genes=bad)"
        " <= P(Cancer=yes | Smoker=no, Genes=bad) + P(Cancer=yes | Smoker=yes, Genes=good)"
    ]


def test_additive_synergy_is_of_every_threshold():
    families = {"Age": (AGE,), "Smoker": (SMOKER,), "Stage": (AGE, SMOKER, STAGE)}
    rules = rules_of("positive additive synergy of Smoker, Age on Stage when Age=*")
    with pytest.raises(KnowledgeError, match="is what varies here"):
        bind(rules, Cells.of(families))
    found = bind(rules_of("positive additive synergy of Smoker, Age on Stage"), Cells.of(families))
    assert expansion(found, 0) == (
        "P(Stage=I | Age=young, Smoker=no) + P(Stage=I | Age=mid, Smoker=yes)"
        " <= P(Stage=I | Age=young, Smoker=yes) + P(Stage=I | Age=mid, Smoker=no)",
        "P(Stage=I | Age=mid, Smoker=no) + P(Stage=I | Age=old, Smoker=yes)"
        " <= P(Stage=I | Age=mid, Smoker=yes) + P(Stage=I | Age=old, Smoker=no)",
        "P(Stage=III | Age=young, Smoker=no) + P(Stage=III | Age=mid, Smoker=yes)"
        " >= P(Stage=III | Age=young, Smoker=yes) + P(Stage=III | Age=mid, Smoker=no)",
        "P(Stage=III | Age=mid, Smoker=no) + P(Stage=III | Age=old, Smoker=yes)"
        " >= P(Stage=III | Age=mid, Smoker=yes) + P(Stage=III | Age=old, Smoker=no)",
    )


def test_product_synergy_multiplies_them():
    (found,) = bound("positive product synergy of Smoker, Genes on Cancer").products
    assert sorted(found.left[:, 0].tolist()) == [7, 9]
    assert sorted(found.right[:, 0].tolist()) == [5, 11]
    (found,) = bound("negative product synergy of Smoker, Genes on Cancer=no").products
    assert sorted(found.left[:, 0].tolist()) == [4, 10]
    assert sorted(found.right[:, 0].tolist()) == [6, 8]
    assert lines("negative product synergy of Smoker, Genes on Cancer") == [
        "P(Cancer=yes | Smoker=yes, Genes=bad) * P(Cancer=yes | Smoker=no, Genes=good)"
        " <= P(Cancer=yes | Smoker=yes, Genes=good) * P(Cancer=yes | Smoker=no, Genes=bad)"
    ]


def test_ignored_parents_leave_equal_rows_in_their_context():
    assert lines("Cancer ignores Genes when Smoker=no") == [
        "P(Cancer=no | Smoker=no, Genes=good) = P(Cancer=no | Smoker=no, Genes=bad)",
        "P(Cancer=yes | Smoker=no, Genes=good) = P(Cancer=yes | Smoker=no, Genes=bad)",
    ]
    assert len(lines("Cancer ignores Genes, Smoker")) == 3 * 2


def test_tied_tables_are_equal_by_position():
    found = bound("table(Stage | Age) = table(Later | Stage)").rows
    assert found.cells.reshape(-1, 2).tolist() == [[15 + at, 24 + at] for at in range(9)]
    turned = lines("table(Cancer | Smoker, Genes) = table(Cancer | Genes, Smoker)")
    assert turned[1::2] == [
        "P(Cancer=yes | Smoker=no, Genes=bad) = P(Cancer=yes | Smoker=yes, Genes=good)",
        "P(Cancer=yes | Smoker=yes, Genes=good) = P(Cancer=yes | Smoker=no, Genes=bad)",
    ]


def test_a_sharing_tree_equals_states_over_the_rows_of_each_level():
    assert lines("share P(Stage | Age=*) { I; Age=not young { II } }") == [
        "P(Stage=I | Age=young) = P(Stage=I | Age=mid)",
        "P(Stage=I | Age=mid) = P(Stage=I | Age=old)",
        "P(Stage=II | Age=mid) = P(Stage=II | Age=old)",
    ]


def test_what_always_holds_is_kept_without_rows():
    found = bound("P(Smoker=yes) <= P(Smoker=yes) + 0.1; P(Genes=bad) = 0.5")
    assert len(found.rules) == 2
    assert found.rows.rule.tolist() == [1]
    assert expansion(found, 0) == ()


def test_rounding_makes_no_conflict():
    text = "P(Smoker=yes) + 0.1 + 0.2 = P(Smoker=yes) + 0.3"
    assert len(bound(text).rows) == 0
    with pytest.raises(ConflictError) as caught:
        bound("P(Smoker=yes) + 0.1 = P(Smoker=yes)")
    assert caught.value.rules == ("P(Smoker=yes) + 0.1 = P(Smoker=yes)",)


def test_declarations_and_structure_are_no_rules_about_parameters():
    text = "let late = {II}; P(Smoker=yes) = 0.5; require Age -> Stage; order of Genes: bad < good"
    assert [rule.text for rule in bound(text).rules] == ["P(Smoker=yes) = 0.5"]
    assert len(bound("").rows) == 0


def test_long_expansions_say_how_many_lines_are_left():
    found = bound("P(Stage=* | Age=*) >= 0.01")
    assert expansion(found, 0, most=2) == (
        "P(Stage=I | Age=young) >= 0.01",
        "P(Stage=II | Age=young) >= 0.01",
        "... (7 more)",
    )
    assert len(expansion(found, 0, most=9)) == 9


def test_cells_are_named_as_in_rules():
    assert cell_label(CELLS, 10) == "P(Cancer=no | Smoker=yes, Genes=bad)"
    assert cell_label(CELLS, 1) == "P(Smoker=yes)"
    assert cell_label(CELLS, 34) == 'P("not"="not")'


def test_tables_that_are_one_are_named_by_the_first():
    families = {"Stage": (AGE, STAGE), "Again": (AGE, Discrete("Again", STAGE.states))}
    cells = Cells(families, {"Stage": 0, "Again": 0}, 9)
    assert cell_label(cells, 4) == "P(Stage=II | Age=mid)"
    tied = bind(rules_of("table(Stage | Age) = table(Again | Age)"), cells)
    assert len(tied.rows) == 0


def test_rules_built_in_python_bind_and_are_marked_where_their_words_stand():
    mass = Probability((Term(Word("Smoker"), (Word("ja"),)),))
    sides = (Expression((Part(1.0, mass),)), Expression((Part(0.3),)))
    with pytest.raises(KnowledgeError) as caught:
        bind([Rule(Compare(sides, ("<=",)))], CELLS)
    assert "P(Smoker=ja) <= 0.3\n             ^^\n" in str(caught.value)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_none_are_refused(number):
    mass = Part(1.0, Probability((Term(Word("Smoker"), (Word("no"),)),)))
    sides = (Expression((mass,)), Expression((Part(number),)))
    with pytest.raises(KnowledgeError, match="is no number that a rule can use"):
        bind([Rule(Compare(sides, ("<=",)), text="x")], CELLS)


def test_rules_that_would_fill_the_memory_are_refused(monkeypatch):
    monkeypatch.setattr(meaning, "MOST_ENTRIES", 7)
    with pytest.raises(SizeError, match="this rule stands for 9 rules of 2 cells each"):
        bound("P(Stage=* | Age=*) <= P(Smoker=yes)")
    with pytest.raises(SizeError, match="this rule stands for 4 rules of 2 cells each"):
        bound("Stage increases with Age")


@pytest.mark.parametrize(
    "text",
    [
        "require Age -> Stage, Smoker -> Cancer",
        "forbid Age -> Cancer, Stage -> *",
        "forbid Smoker -> Smoker",
        "order Age, Smoker < Cancer, Stage",
        "at most 2 parents; at most 1 parents for Stage, Age",
        "P(Stage=I | Nobody=yes) = 2",
    ],
)
def test_structure_that_the_dag_obeys_is_quiet(text):
    check_structure(rules_of(text), Dag.parse("Age -> Stage; Smoker -> Cancer <- Genes"))


@pytest.mark.parametrize(
    "text",
    [
        "require Age -> Cancer",
        "require Age -> *",
        "forbid Smoker -> Cancer",
        "forbid * -> Stage",
        "forbid * -> *",
        "order Cancer < Genes",
        "at most 1 parents",
        "at most 1 parents for Cancer",
    ],
)
def test_structure_that_the_dag_breaks_is_a_conflict(text):
    with pytest.raises(ConflictError) as caught:
        check_structure(rules_of(text), Dag.parse("Age -> Stage; Smoker -> Cancer <- Genes"))
    assert caught.value.rules == (text,)


def test_ten_thousand_rules_bind_in_a_moment():
    generator = np.random.default_rng(1)
    said = []
    for number in generator.integers(1, 90, 10_000):
        mass = Term(Word("Cancer"), (Word("yes"),))
        given = (Term(Word("Smoker"), (Word("no"),)), Term(Word("Genes"), (Word("bad"),)))
        left = Expression((Part(1.0, Probability((mass,), given)),))
        said.append(Rule(Compare((left, Expression((Part(number / 100),))), ("<=",)), text="x"))
    start = time.process_time()
    assert len(bind(said, CELLS).rows) == 10_000
    assert time.process_time() - start < 1


def test_binding_needs_neither_numba_nor_scipy():
    code = (
        "import sys; from tacit.knowledge import binding, expansion, structural; "
        "assert not {'numba', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
