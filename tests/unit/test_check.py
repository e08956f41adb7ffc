"""`tc.check`: what rules say without data, on cases worked out by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import table
from tacit.knowledge.binding import bind
from tacit.knowledge.blocks import blocks_of
from tacit.knowledge.cells import Cells
from tacit.knowledge.checks import Frame, checked
from tacit.knowledge.conflicts import why_zero
from tacit.knowledge.hitting import smallest_conflict
from tacit.knowledge.implied import affordable, cell_intervals
from tacit.knowledge.parsing import rules_of
from tacit.knowledge.polytope import relative_interior

SMOKER = tc.Discrete("Smoker", ("no", "yes"))
STAGE = tc.Discrete("Stage", ("I", "II", "III", "IV"))
XRAY = tc.Discrete("Xray", ("normal", "abnormal"))
NETWORK = tc.Network.of(
    [
        table(SMOKER, [], [0.5, 0.5]),
        table(STAGE, [SMOKER], np.full((2, 4), 0.25)),
        table(XRAY, [STAGE], np.full((4, 2), 0.5)),
    ]
)
CELLS = Cells.of({"Smoker": (SMOKER,), "Stage": (SMOKER, STAGE), "Xray": (STAGE, XRAY)})


def test_upper_bounds_leave_at_least_the_rest_to_the_others() -> None:
    check = tc.check("P(Stage={II, III, IV} | Smoker=no) <= 0.3", NETWORK)
    stage = check.intervals["Stage"]
    assert_allclose(stage[0], [[0.7, 1], [0, 0.3], [0, 0.3], [0, 0.3]], atol=1e-12)
    assert_allclose(stage[1], [[0, 1]] * 4)
    assert list(check.intervals) == ["Stage"]
    assert not stage.flags.writeable


def test_what_follows_from_several_rules_is_forced() -> None:
    check = tc.check(
        "P(Smoker=yes) >= 0.4; P(Smoker=no) >= 0.6; P(Xray=normal | Stage=I) = 0.9", NETWORK
    )
    assert check.forced == (
        "P(Smoker=no) = 0.6",
        "P(Smoker=yes) = 0.4",
        "P(Xray=abnormal | Stage=I) = 0.1",
    )


def test_an_inequality_that_must_be_an_equality_is_forced() -> None:
    text = """
        P(Xray=normal | Stage=I) <= P(Xray=normal | Stage=II)
        P(Xray=normal | Stage=II) <= P(Xray=normal | Stage=III)
        P(Xray=normal | Stage=III) <= P(Xray=normal | Stage=I)
    """
    assert set(tc.check(text, NETWORK).forced) == {
        "P(Xray=normal | Stage=I) = P(Xray=normal | Stage=II)",
        "P(Xray=normal | Stage=II) = P(Xray=normal | Stage=III)",
        "P(Xray=normal | Stage=III) = P(Xray=normal | Stage=I)",
    }


def test_cells_that_nothing_is_left_to_are_zero() -> None:
    check = tc.check("P(Stage={I, II} | Smoker=no) >= 1", NETWORK)
    assert check.forced == (
        "P(Stage={I, II} | Smoker=no) = 1",
        "P(Stage=III | Smoker=no) = 0",
        "P(Stage=IV | Smoker=no) = 0",
    )


def test_of_two_equal_rules_the_second_is_implied() -> None:
    twice = "P(Smoker=yes) <= 0.3\nP(Smoker=no) >= 0.5\nP(Smoker=yes) <= 0.3"
    check = tc.check(twice, NETWORK)
    assert dict(check.redundant) == {1: (0,), 2: (0,)}
    assert check.implied_by(2) == "implied by line 1"


def test_only_rules_that_are_kept_imply_others() -> None:
    less = "P(Stage={III, IV} | Smoker=no) <= P(Stage=I | Smoker=no)"
    text = f"{less}\n{less}\nP(Stage={{I, II}} | Smoker=no) >= 0.05"
    assert dict(tc.check(text, NETWORK).redundant) == {1: (0,), 2: (0,)}


def test_a_rule_that_every_table_obeys_is_implied_by_nothing() -> None:
    check = tc.check("P(Smoker=yes) <= 1; P(Smoker=yes) <= 0.2", NETWORK)
    assert dict(check.redundant) == {0: ()}
    assert check.implied_by(0) == "holds for every table"


def test_a_rule_is_implied_only_if_all_its_lines_are() -> None:
    text = "P(Xray=normal | Stage=I) >= 0.9\nP(Xray=normal | Stage=*) >= 0.8"
    assert not tc.check(text, NETWORK).redundant
    text += "\n" + "\n".join(f"P(Xray=normal | Stage={s}) >= 0.8" for s in ("II", "III", "IV"))
    assert dict(tc.check(text, NETWORK).redundant) == {2: (1,), 3: (1,), 4: (1,)}
    wide = "P(Xray=normal | Stage=*) >= 0.8\nP(Xray=normal | Stage=*) >= 0.7"
    assert dict(tc.check(wide, NETWORK).redundant) == {1: (0,)}


def test_each_part_of_the_network_may_have_its_own_conflict() -> None:
    text = """
        P(Smoker=yes) >= 0.6; P(Smoker=no) >= 0.6
        P(Xray=normal | Stage=*) >= 0.6
        P(Xray=abnormal | Stage=*) >= 0.6
        P(Stage=I | Smoker=no) <= 0.5
    """
    check = tc.check(text, NETWORK)
    assert not check.feasible
    assert [len(conflict.rules) for conflict in check.conflicts] == [2, 2]
    assert [conflict.blocks for conflict in check.conflicts] == [1, 4]
    assert np.isnan(check.intervals["Xray"]).all()
    assert not np.isnan(check.intervals["Stage"]).any()


def test_conflicts_beyond_the_first_five_are_counted() -> None:
    wide = tc.Discrete("Wide", tuple("abcdefgh"))
    network = tc.Network.of([table(wide, [], np.full(8, 1 / 8)),
                             table(XRAY, [wide], np.full((8, 2), 0.5))])  # fmt: skip
    text = "\n".join(f"P(Xray=normal | Wide={s}) = 0.{k}\nP(Xray=normal | Wide={s}) = 0.5{k}"
                     for k, s in enumerate("abcdefgh", 1))  # fmt: skip
    check = tc.check(text, network)
    assert (len(check.conflicts), check.more) == (5, 3)


def test_decimals_that_do_not_add_up_in_binary_are_no_conflict() -> None:
    text = "; ".join(f"P(Stage={s} | Smoker=no) = 0.1" for s in ("I", "II")) + (
        "; P(Stage=III | Smoker=no) = 0.2; P(Stage=IV | Smoker=no) = 0.6"
    )
    assert tc.check(text, NETWORK).feasible
    assert tc.check("P(Stage={I, II, III} | Smoker=no) >= 1; "
                    "P(Stage=I | Smoker=no) <= 0.333333333; P(Stage=II | Smoker=no) <= 0.333333333;"
                    "P(Stage=III | Smoker=no) <= 0.333333333", NETWORK).feasible  # fmt: skip


def test_a_millionth_is_a_conflict() -> None:
    assert not tc.check("P(Smoker=yes) = 0.3; P(Smoker=no) = 0.700001", NETWORK).feasible


def test_tiny_probabilities_are_not_taken_for_zero() -> None:
    bound = bind(rules_of("P(Stage=I | Smoker=no) = 1e-9"), CELLS)
    inside = relative_interior(blocks_of(bound))
    assert not inside.zero.any()
    assert_allclose(inside.point[0], 1e-9, rtol=1e-3)


def test_statements_about_arcs_are_held_against_the_dag() -> None:
    text = "require Smoker -> Stage\nforbid Stage -> Xray\nP(Smoker=yes) <= 0.5"
    check = tc.check(text, NETWORK)
    assert not check.feasible
    assert [not against for _, against in check.structure] == [True, False]
    assert not check.conflicts
    assert len(check.rules) == 1
    plain = check.to_plain()["structure"]
    assert [each["obeyed"] for each in plain] == [True, False]


def test_statements_about_arcs_alone_need_no_states() -> None:
    check = tc.check("forbid Stage -> Smoker\nat most 1 parents", "Smoker -> Stage")
    assert check.feasible
    assert str(check) == (
        "2 rules: they can hold together\n\n"
        "line 1: forbid Stage -> Smoker\n    (so it is)\n"
        "line 2: at most 1 parents\n    (so it is)"
    )


def test_what_an_equality_says_itself_is_not_called_forced() -> None:
    text = "Xray ignores Stage\nP(Xray=normal | Stage=I) <= P(Xray=normal | Stage=II)"
    check = tc.check(text, NETWORK)
    assert (check.forced, dict(check.redundant)) == ((), {1: (0,)})


def test_rules_that_are_not_linear_are_named() -> None:
    sides = [f"P(Stage=I | Smoker={s}) : P(Stage=II | Smoker={s})" for s in SMOKER.states]
    check = tc.check(f"P(Xray=normal | Stage=I) <= 0.5\n{' = '.join(sides)}", NETWORK)
    assert check.notes == ("not linear, so not held against the other rules: line 2",)


def test_a_rule_that_no_number_can_obey_is_a_conflict() -> None:
    check = tc.check("P(Smoker=yes) <= P(Smoker=yes) - 0.1; P(Smoker=yes) <= 0.5", NETWORK)
    assert [conflict.rules[0].text for conflict in check.conflicts] == [
        "P(Smoker=yes) <= P(Smoker=yes) - 0.1"
    ]
    assert len(check.rules) == 2


def test_much_work_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.knowledge.checks.WORK", 50)
    rules = rules_of("P(Stage=I | Smoker=no) <= 0.5\nP(Smoker=yes) <= 0.5")
    frame = Frame(NETWORK.dag, CELLS)
    check = checked(rules, frame)
    assert check.notes == (
        "intervals were not computed in 1 large part of the network: that takes longer",
    )
    assert np.isnan(check.intervals["Stage"][0]).all()
    assert_allclose(check.intervals["Smoker"], [[0.5, 1], [0, 0.5]])
    assert checked(rules, frame, everything=True).notes == ()


def test_the_least_work_is_done_first() -> None:
    assert affordable(np.array([5, 1, 3]), 4).tolist() == [False, True, True]


def test_questions_go_into_several_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(f"P(Stage={{I, {s}}} | Smoker={t}) <= 0.{k}"
                     for s, k in (("II", 3), ("III", 4)) for t in SMOKER.states)  # fmt: skip
    blocks = blocks_of(bind(rules_of(text), CELLS))
    once = cell_intervals(blocks, np.arange(2))
    monkeypatch.setattr("tacit.knowledge.programs.CALL", 1)
    assert_allclose(cell_intervals(blocks, np.arange(2)), once)
    assert_allclose(once[:, 1], [0.3, 0.3, 0.4, 1] * 2)


@pytest.mark.parametrize("text", ["X increases with Y", "X decreases with Y",
                                  "P(X=b | Y, Z) <= 0.6", "P(X | Y, Z) <= 0.6",
                                  "P(X | Y=y0, Z) = P(X | Y=y1, Z)"])  # fmt: skip
def test_rules_with_room_to_spare_need_no_linear_program(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    y, z = (tc.Discrete(n, tuple(f"{n.lower()}{at}" for at in range(50))) for n in "YZ")
    cells = Cells.of({"X": (z, y, tc.Discrete("X", tuple("abcd")))})
    monkeypatch.setattr("tacit.knowledge.programs.solved", None)
    inside = relative_interior(blocks_of(bind(rules_of(text), cells)))
    assert inside.feasible.all()
    assert not inside.tight.any()
    assert not inside.zero.any()


def test_a_conflict_that_is_not_proven_smallest_is_said_to_be_so() -> None:
    core = np.array([True, True, True, False])
    found, proven = smallest_conflict(core, lambda seed: seed | core[::-1], tries=0)
    assert (found.tolist(), proven) == (core.tolist(), False)


def test_states_of_a_dag_come_from_cases(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text("Smoker,Cough\nyes,wet\nno,dry\nno,none\n")
    check = tc.check("P(Cough=wet | Smoker=no) <= 0.1", "Smoker -> Cough", tmp_path / "cases.csv")
    assert check.intervals["Cough"].shape == (2, 3, 2)
    with pytest.raises(tc.OptionError, match="a dag says nothing about states"):
        tc.check("P(Cough=wet | Smoker=no) <= 0.1", "Smoker -> Cough")


def test_an_order_of_states_that_nobody_declared_is_not_used() -> None:
    cases = {"Smoker": ["yes", "no", "no"], "Cough": ["wet", "dry", "none"]}
    rule = "Cough increases with Smoker"
    with pytest.raises(tc.KnowledgeError, match="order"):
        tc.check(rule, "Smoker -> Cough", cases)
    assert tc.check(f"order of Cough: none < dry < wet\n{rule}", "Smoker -> Cough", cases).feasible


def test_continuous_variables_have_no_cells() -> None:
    speed = LinearGaussian((tc.Continuous("Speed"),), np.zeros(0), 0.0, 1.0)
    network = tc.Network.of([table(SMOKER, [], [0.5, 0.5]), speed])
    assert tc.check("P(Smoker=yes) <= 0.5", network).feasible
    with pytest.raises(tc.KnowledgeError, match="Speed"):
        tc.check("P(Speed=fast) <= 0.5", network)


def test_no_rules_are_an_error() -> None:
    with pytest.raises(tc.KnowledgeError, match="no rules"):
        tc.check("# only a comment", NETWORK)


def test_it_prints_shows_and_turns_into_plain_data() -> None:
    check = tc.check("P(Stage={III, IV} | Smoker=no) <= 0.1\nP(Smoker=yes) = 0.2", NETWORK)
    assert repr(check) == "<Check of 2 rules: they can hold together>"
    assert str(check).startswith("2 rules: they can hold together\n\n")
    html = check._repr_html_()
    assert html.count("<table") == 2
    assert "&lt;=" in html
    plain = json.loads(json.dumps(check.to_plain()))
    assert plain["feasible"] is True
    assert plain["rules"][0]["expansion"] == ["P(Stage={III, IV} | Smoker=no) <= 0.1"]
    assert_allclose(plain["intervals"]["Smoker"], [[0.8, 0.8], [0.2, 0.2]])


def test_many_rules_are_shown_in_part() -> None:
    wide = tc.Discrete("Wide", tuple(f"s{k}" for k in range(70)))
    network = tc.Network.of([table(wide, [], np.full(70, 1 / 70)),
                             table(XRAY, [wide], np.full((70, 2), 0.5))])  # fmt: skip
    text = "\n".join(f"P(Xray=normal | Wide={state}) = 0.5" for state in wide.states)
    shown = str(tc.check(text, network))
    assert "... and 10 more rules" in shown
    assert "... and 50 more" in shown
    assert "... and 46 more rows" in shown


def test_checking_loads_no_kernels() -> None:
    code = (
        "import sys, tacit as tc; net = tc.textbook('asia')\n"
        "print(tc.check('P(tub=yes | asia=yes) <= 0.1', net).feasible, 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


@pytest.mark.parametrize(("text", "cell", "reasons"), [
    ("P(Stage=I | Smoker=no) <= 0.5; P(Stage=II | Smoker=no) >= 0.4;"
     "P(Stage=III | Smoker=no) >= 0.6; P(Stage=III | Smoker=no) <= 0.9", 2, [1, 2]),
    ("P(Stage=I | Smoker=no) <= P(Stage=I | Smoker=yes); P(Stage=I | Smoker=yes) <= 0;"
     "P(Stage=II | Smoker=no) <= 0.5", 2, [0, 1]),
    ("P(Stage=II | Smoker=no) <= 0.5; P(Stage=I | Smoker=no) = 0", 2, [1]),
    ("P(Stage=I | Smoker=no) <= 0.5", 2, []),
    ("P(Stage=I | Smoker=no) <= 0.5", 0, []),
])  # fmt: skip
def test_the_fewest_rules_that_hold_a_cell_at_0(text: str, cell: int, reasons: list[int]) -> None:
    bound = bind(rules_of(text), CELLS)
    assert why_zero(bound, cell) == tuple(bound.rules[number] for number in reasons)


def test_a_conflict_of_very_many_rules_is_shown_as_it_was_found() -> None:
    year = tc.Discrete("Year", tuple(f"y{at}" for at in range(151)))
    network = tc.Network.of([
        table(year, [], np.full(151, 1 / 151)), table(XRAY, [year], np.full((151, 2), 0.5)),
    ])  # fmt: skip
    text = "\n".join(f"P(Xray=normal | Year=y{at}) <= P(Xray=normal | Year=y{at + 1})"
                     for at in range(150))  # fmt: skip
    ends = "\nP(Xray=normal | Year=y0) >= 0.6\nP(Xray=normal | Year=y150) <= 0.5"
    (conflict,) = tc.check(text + ends, network).conflicts
    assert len(conflict.rules) == 152
    assert not conflict.smallest
    assert "... and 112 more rules" in str(conflict)
    assert "the others leave" in conflict.why


@pytest.mark.parametrize(("text", "verdict"), [
    ("P(Smoker=no) - P(Smoker=no) >= 0.1; P(Smoker=no) <= 0.5",
     "2 rules: they cannot all hold"),
    ("P(Smoker=no) - P(Smoker=no) >= 0.1", "1 rule: it cannot hold"),
    ("\n".join("P(Smoker=no) - P(Smoker=no) >= 0.1" for _ in range(9)),
     "9 rules: they cannot all hold"),
])  # fmt: skip
def test_rules_that_are_false_by_themselves_count(text: str, verdict: str) -> None:
    check = tc.check(text, NETWORK)
    assert str(check).startswith(f"{verdict}\n\na rule contradicts itself\n")
    assert len(check.conflicts) + check.more == text.count(" - ")


def test_about_equal_within_0_is_equal() -> None:
    check = tc.check("P(Stage=I | Smoker=no) ~ P(Stage=I | Smoker=yes) +- 0", NETWORK)
    assert check.forced == ()
    assert check.expansion(0) == ("P(Stage=I | Smoker=no) = P(Stage=I | Smoker=yes)",)


def test_an_equation_forced_from_both_sides_is_said_once() -> None:
    one, other = "P(Stage=I | Smoker=no)", "P(Stage=I | Smoker=yes)"
    check = tc.check(f"{one} <= {other}; 2 * {other} <= 2 * {one}", NETWORK)
    assert check.forced == (f"{one} = {other}",)


@pytest.mark.parametrize("factor", ["1e-12", "1e-200", "1e12", "1e299"])
def test_rules_are_judged_in_the_units_of_their_factors(factor: str) -> None:
    def check(said: str, number: float) -> tc.Check:
        return tc.check(f"{factor} * P(Smoker=no) {said} {float(factor) * number!r}", NETWORK)

    low = check("<=", 0.1)
    assert low.feasible
    assert not low.redundant
    assert_allclose(low.intervals["Smoker"], [[0, 0.1], [0.9, 1]])
    assert check("<=", 1.1).implied_by(0) == "holds for every table"
    (conflict,) = check(">=", 1.05).conflicts
    assert conflict.why == ("it needs P(Smoker=no) to be at least 1.05, the table leaves at most 1")


def test_small_factors_that_cancel_leave_a_false_rule() -> None:
    text = "1e-12 * P(Smoker=no) - 1e-12 * P(Smoker=no) >= 1e-13"
    assert not tc.check(text, NETWORK).feasible
