"""Limits on a search, why they are, and lists of arcs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from tacit.knowledge.arc_files import arcs_from
from tacit.knowledge.cycles import cyclic, shortest_cycle
from tacit.knowledge.limits import Limits, limits_of, reasons_of
from tacit.knowledge.needs import needs_of

NAMES = ("A", "B", "C", "X")


def arcs(where: np.ndarray) -> str:
    return " ".join(NAMES[a] + NAMES[b] for a, b in zip(*where.nonzero(), strict=True))


def limits(text: str, most: int | None = None, parameters: bool = False) -> Limits:
    return limits_of(tc.parse_knowledge(text), NAMES, most, parameters=parameters)


def test_without_rules_everything_is_allowed() -> None:
    for found in (limits_of(None, NAMES), limits_of(tc.Knowledge(), NAMES), Limits.none(NAMES)):
        assert not found.required.any()
        assert_off_diagonal(found.allowed)
        assert found.most.tolist() == [3, 3, 3, 3]
    assert limits_of(None, NAMES, 2).most.tolist() == [2, 2, 2, 2]
    assert limits_of(None, NAMES, 9).most.tolist() == [3, 3, 3, 3]


def assert_off_diagonal(allowed: np.ndarray) -> None:
    assert (allowed == ~np.eye(len(NAMES), dtype=bool)).all()


def test_several_orders_add_up() -> None:
    found = limits("order A < B\norder B < C, X")
    assert arcs(~found.allowed & ~np.eye(4, dtype=bool)) == "BA CB XB"


def test_forbid_wins_over_allow_and_a_required_arc_is_allowed() -> None:
    found = limits("allow A -> *, * -> X\nforbid A -> X\nrequire C -> B")
    assert arcs(found.required) == "CB"
    assert arcs(found.allowed) == "AB AC BX CB CX"


def test_the_least_bound_counts() -> None:
    found = limits("at most 2 parents; at most 1 parent for X, A; at most 3 parents for X", most=2)
    assert found.most.tolist() == [1, 2, 2, 1]


@pytest.mark.parametrize(
    ("text", "required", "into"),
    [
        ("X increases with A", "AX", "AX BX CX"),
        ("X decreases with A when B=b", "AX BX", "AX BX CX"),
        ("X ignores B when A=a", "AX BX", "AX BX CX"),
        ("negative product synergy of A, B on X=x", "AX BX", "AX BX CX"),
        ("coefficient(X, A) = 2 * coefficient(X, B)", "AX BX", "AX BX CX"),
        ("P(X=x | A=a) <= 0.3", "AX", "AX"),
        ("P(X=x | A=a) <= P(X=x | B=*)", "AX BX", "AX BX"),
        ("P(X=x | A=a) <= 0.3; P(X=x | B=b) ~ 0.2 +- 0.1", "AX BX", "AX BX"),
        ("P(X=x | A=a) <= 0.3; X increases with B", "AX BX", "AX BX"),
        ("P(X=x | A=a) <= 0.3; require C -> X", "AX CX", "AX CX"),
        ("P(X=x | A=a) <= 0.3; allow B -> X", "", "BX"),
        ("2 * P(X=x | A=a) / (1 - P(X=x | B=b)) <= 3", "AX BX", "AX BX"),
        ("P(X=x | A=a) : P(X=y | A=a) = P(X=x | B=b) : P(X=y | B=b)", "AX BX", "AX BX"),
        ("share P(X | A=*) { x; B=b { y } }", "AX BX", "AX BX"),
        ("table(X | A) = table(B | C)", "AX CB", "AX"),
        ("P(X=x) = 0.3; P(X=x, A=a) <= 0.1; P(X=x, B=b | A=a) <= 0.1", "", "AX BX CX"),
        ("P(X=x | A=a) <= 0.3; forbid A -> X", "", "BX CX"),
        ("P(X=x | A=a, B=b) <= 0.3; order X < A", "", "BX CX"),
        ("P(X=x | A=a) <= 0.3; require X -> B -> A", "BA XB", "AX BX CX"),
    ],
)
def test_parents_that_rules_about_tables_need(text: str, required: str, into: str) -> None:
    found = limits(text, parameters=True)
    assert arcs(found.required) == required
    only = np.zeros_like(found.allowed)
    only[:, 3] = found.allowed[:, 3]
    assert arcs(only) == into


def test_a_function_in_python_needs_the_rows_that_it_names() -> None:
    rule = tc.rule(lambda p, q: p - q, ["P(X=x | A=a)", "P(X=x | A=b)"], at_most=0.1)
    known = tc.Knowledge((rule,))
    assert arcs(limits_of(known, NAMES, parameters=True).required) == "AX"
    assert not limits_of(known, NAMES).required.any()


def test_needs_tell_rows_from_events() -> None:
    known = tc.parse_knowledge("P(X=x | A=a) <= 1; P(A=a | X=x) <= 1; P(B=b) <= 1; forbid X -> A")
    needs = needs_of(known, NAMES)
    assert [(need.child.text, [p.text for p in need.parents], need.others)
            for need in needs.rows] == [("X", ["A"], "if named")]  # fmt: skip
    assert [str(rule) for rule in needs.events] == ["P(A=a | X=x) <= 1", "P(B=b) <= 1"]
    assert needs_of(None, NAMES).rows == ()


def test_reasons_name_the_rule_of_every_limit() -> None:
    known = tc.parse_knowledge(
        "allow A -> *, B -> X\nrequire C -> X\nforbid A -> X\nat most 2 parents for X\n"
        "forbid A -> X\nP(B=b | A=a) <= 0.3"
    )
    reasons = reasons_of(known, NAMES, parameters=True)
    assert {arc: rule.line for arc, rule in reasons.required.items()} == {
        ("A", "B"): 6, ("C", "X"): 2,
    }  # fmt: skip
    assert reasons.forbidden["A", "X"].line == 3
    assert reasons.forbidden["C", "B"].line == 6
    assert reasons.forbidden["X", "A"].line == 1
    assert {name: rule.line for name, rule in reasons.bounded.items()} == {"X": 4}
    assert reasons.told() == (
        "line 1: allow A -> *, B -> X: forbids B -> A, B -> C, C -> A, X -> A, X -> C",
        "line 2: require C -> X: forces C -> X",
        "line 3: forbid A -> X: forbids A -> X",
        "line 4: at most 2 parents for X: bounds the parents of X",
        "line 5: forbid A -> X: adds nothing to the others",
        "line 6: P(B=b | A=a) <= 0.3: forces A -> B and forbids C -> B, X -> B",
    )


def test_a_dag_whose_arcs_are_all_allowed_or_required_obeys() -> None:
    text = "allow A -> B\nallow * -> X\nrequire B -> C"
    assert tc.check(text, "A -> B -> C; B -> X").feasible
    check = tc.check(text, "A -> B -> C -> A2 -> X".replace("A2", "D"))
    assert [bool(against) for _, against in check.structure] == [True, False, False]
    assert not check.conflicts


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("arcs.csv", "from,to\nA,B\nA,B\n\nB,C\n", [2, 5]),
        ("arcs.csv", '"","from","to"\n"1","A","B"\n"2","B","C"\n', [2, 3]),
        ("arcs.csv", "to,strength,from\nB,0.3,A\nC,0.9,B\n", [2, 3]),
        ("arcs.csv", "Source; Target\nA; B\nB; C\n", [2, 3]),
        ("arcs.tsv", "A\tB\nB\tC\n", [1, 2]),
        ("arcs.txt", "1 A B\n2 B C", [1, 2]),
        ("arcs.dag", "A -> B -> C; D", [0, 0]),
    ],
)
def test_arcs_are_read_from_files(name: str, text: str, lines: list[int], tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    for verb in ("require", "forbid", "allow"):
        known = arcs_from(path, verb)
        assert [str(rule) for rule in known] == [f"{verb} A -> B", f"{verb} B -> C"]
        assert [rule.line for rule in known] == lines
        assert known.source == str(path)
        assert tc.parse_knowledge(str(known)) == known


def test_arcs_are_taken_from_pairs_and_dags() -> None:
    pairs = [("A", "order"), ("A b", "C")]
    known = arcs_from(pairs, "allow")
    assert str(known) == 'allow A -> "order"\nallow "A b" -> C'
    assert tc.parse_knowledge(str(known)) == known
    assert arcs_from(tc.Dag.of_arcs(pairs), "allow") == known


def test_the_shortest_cycle_is_found() -> None:
    found = np.zeros((6, 6), dtype=bool)
    for tail, head in [(0, 1), (1, 2), (2, 3), (3, 0), (2, 1), (3, 4), (5, 0)]:
        found[tail, head] = True
    assert shortest_cycle(found) == (1, 2)
    assert cyclic(found).tolist() == [True] * 4 + [False] * 2
    found[2, 1] = False
    assert shortest_cycle(found) == (0, 1, 2, 3)
    found[3, 0] = False
    assert shortest_cycle(found) is None
    assert not cyclic(found).any()


def test_limits_need_neither_numba_nor_scipy() -> None:
    code = (
        "import sys, tacit as tc\n"
        "from tacit.knowledge.limits import limits_of\n"
        "for text in ('require A -> B; P(B=b | A=a) = 1', 'require A -> B; forbid A -> B'):\n"
        "    try:\n"
        "        limits_of(tc.parse_knowledge(text), ('A', 'B'), parameters=True)\n"
        "    except tc.ConflictError:\n"
        "        pass\n"
        "print([name for name in ('numba', 'scipy') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
