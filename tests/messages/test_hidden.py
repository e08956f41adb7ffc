"""What the search for hidden variables says about input that it cannot use: whole messages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit as tc
from planted import SIGNS, patients

CASES = patients(60)
SEVERITY = {"Severity": ["Cough", "Fever", "Pain"]}
COLUMNS = "columns: Cough, Fever, Fatigue, Breath, Pain, Stay"
REAL = tc.Dataset(
    {**CASES.variables, "Age": tc.Continuous("Age")}, {**CASES.columns, "Age": np.arange(60.0)}
)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (
            CASES.select(["Cough", "Fever"]),
            {},
            "a hidden variable shows in links among three variables or more, and there are 2: "
            "Cough, Fever",
        ),
        (
            CASES.take(np.arange(9)),
            {},
            "7 cases to learn from are too few to find a hidden variable; 10 are the least",
        ),
        (
            CASES.take(np.arange(1)),
            {},
            "1 case to learn from is too few to find a hidden variable; 10 are the least",
        ),
        (CASES, {"held_out": 0.001}, "there are no cases to judge by; held_out=0 judges by none"),
        (
            CASES,
            {"held_out": 1.5},
            "held_out=1.5 must be a share of the cases below 1, 0 for none, or cases",
        ),
        (
            CASES,
            {"held_out": float("nan")},
            "held_out=nan must be a share of the cases below 1, 0 for none, or cases",
        ),
        (
            REAL,
            {"method": tc.IBEM()},
            "method= speaks of columns with states, and some are continuous\n\nleave it out, "
            "or make them discrete with tc.discretise",
        ),
        (CASES, {"name": " "}, "name=' ' must be the name of a variable"),
        (CASES, {"name": "Cough"}, "name='Cough' is a column of the cases; choose another"),
        (
            CASES,
            {"states": 1},
            "states=1 must be a number from 2 on, or a mapping of fixed variables",
        ),
        (
            CASES,
            {"states": {"Severity": 2}},
            "states= names variables, and children= fixes none\n\n"
            'say where they stand: children={"Severity": ["Cough", "Fever"]}',
        ),
        (
            CASES,
            {"children": SEVERITY, "states": {"Illness": 2}},
            "states= names 'Illness', which children= does not fix",
        ),
        (
            CASES,
            {"children": SEVERITY, "states": {"Severity": 1}},
            "states= gives 'Severity' 1; say how many (2 or more), or name them: "
            '("mild", "severe")',
        ),
        (
            CASES,
            {"children": SEVERITY, "states": {"Severity": ("mild", "mild")}},
            "states= gives 'Severity' a state twice: mild, mild",
        ),
        (
            CASES,
            {"children": ["Cough", "Fever"]},
            "children=['Cough', 'Fever'] must say which variables each hidden one is the parent "
            'of: {"Severity": ["Cough", "Fever"]}',
        ),
        (
            CASES,
            {"children": {"Stay": ["Cough", "Fever"]}},
            "children= names 'Stay', which is no new variable; choose another",
        ),
        (
            CASES,
            {"children": {"Severity": ["Cough", "Feever"]}},
            "children= names Feever, which is no column of the cases; did you mean 'Fever'?\n\n"
            f"{COLUMNS}",
        ),
        (
            CASES,
            {"children": {"Severity": ["Cough"]}},
            "children= names Cough: two different children are needed at least",
        ),
        (
            CASES,
            {"refuse": ["Cough", "Fever"]},
            'refuse= takes sets of children, such as [("Cough", "Fever", "Rash")], or proposals',
        ),
        (
            CASES,
            {"refuse": [("Cough", "Zeta")]},
            f"refuse= names Zeta, which is no column of the cases\n\n{COLUMNS}",
        ),
        (
            CASES,
            {"children": SEVERITY, "knowledge": "forbid Severity -> Cough"},
            "2 rules contradict each other\n\n"
            "    line 1: forbid Severity -> Cough\n"
            "                   ^^^^^^^^^^^^^^^^^\n"
            "    children:1: require Severity -> Cough\n"
            "                        ^^^^^^^^^^^^^^^^^\n\n"
            "children:1 requires Severity -> Cough, line 1 forbids it\n\nchange or leave out one",
        ),
        (
            CASES,
            {"children": SEVERITY, "knowledge": "require Severity -> Stay"},
            "Severity cannot be the parent of Cough, Fever, Pain: Severity -> Stay is required",
        ),
        (
            CASES,
            {"knowledge": "forbid H -> Zeta"},
            "line 1: there is no variable 'Zeta'\n\n    forbid H -> Zeta\n                ^^^^\n\n"
            "variables: Cough, Fever, Fatigue, Breath, Pain, Stay, H",
        ),
        (
            CASES,
            {"network": "Illness -> Cough, Fever"},
            f"the dag names Illness, which is no column of the cases\n\n{COLUMNS}\n\n"
            "hidden variables that are known already stand in a network, which says their states",
        ),
        (CASES, {"method": "ibme"}, None),
        (CASES, {"variant": "some"}, "variant='some' must be one of staged, local, full, params"),
        (
            CASES,
            {"score": tc.BIC()},
            "score=BIC() must be tc.BDeu(5) or another prior where all columns have states",
        ),
        (CASES, {"most": -1}, "most=-1 must be a whole number, 0 or more"),
        (CASES, {"restarts": 1.5}, "restarts=1.5 must be a whole number, 0 or more"),
        (CASES, {"threshold": 0}, "threshold=0 must be a share above 0, at most 1"),
        (CASES, {"evidence": float("inf")}, "evidence=inf must be a number of nats"),
        (CASES, {"leave_out": ["Zeta"]}, f"there is no column Zeta to leave out\n\n{COLUMNS}"),
        (CASES, {"resume": True}, "resume=True needs checkpoint=, the file to go on from"),
    ],
)
def test_what_cannot_be_sought(data: tc.Dataset, options: dict[str, Any], message: str | None):
    quick = {"bootstrap": 0, "tries": 1, "most": 1, "restarts": 0, "seed": 1, "progress": False}
    with pytest.raises(tc.TacitError) as problem:
        tc.propose_hidden(data, **{**quick, **options})
    if message is None:
        message = str(problem.value)
        assert message.startswith("method='ibme' must be one of None (signatures)")
    assert str(problem.value) == message


def test_a_column_that_would_hold_what_is_inferred_is_taken():
    found = tc.propose_hidden(
        CASES, children=SEVERITY, states={"Severity": 2}, most=0, bootstrap=0, restarts=0, seed=1,
        progress=False,
    )  # fmt: skip
    taken = tc.Continuous("Severity=1")
    named = tc.Dataset(
        {**CASES.variables, taken.name: taken}, {**CASES.columns, taken.name: np.zeros(60)}
    )
    with pytest.raises(tc.TacitError) as problem:
        found.completed(named)
    assert str(problem.value) == (
        'the cases have a column "Severity=1" already, which would hold what is inferred of '
        "Severity\n\nrename the column, or the variable"
    )


# --- what was saved ------------------------------------------------------------------------------


CUT = (
    "this is no checkpoint of a search for hidden variables, or it was cut short; start without it"
)


def again(path: Path, **options: Any) -> tc.HiddenProposals:
    return tc.propose_hidden(
        CASES, children=SEVERITY, states={"Severity": 2}, most=0, bootstrap=0, restarts=1, seed=1,
        progress=False, checkpoint=path, **options,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[:-9], CUT),
        (lambda text: text.replace('"learned": {', '"learned": [{', 1), CUT),
        (
            lambda text: text.replace('"version": 1', '"version": 7', 1),
            "version 7 of checkpoints is not known here; this release reads version 1",
        ),
        (
            lambda text: re.sub(r'"score": -?[0-9.]+', '"score": "high"', text),
            "the checkpoint is damaged; start without it",
        ),
        (
            lambda text: text.replace('"yes"', '"yeah"'),
            "the checkpoint is damaged; start without it",
        ),
    ],
)  # fmt: skip
def test_a_damaged_checkpoint_is_said_to_be(tmp_path: Path, damage, message) -> None:
    path = tmp_path / "run.ckpt"
    again(path)
    path.write_text(damage(path.read_text()))
    with pytest.raises(tc.TacitError) as problem:
        again(path, resume=True)
    assert str(problem.value) == f"{path}: {message}"


def test_a_checkpoint_of_other_work_is_not_gone_on_from(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    again(path)
    with pytest.raises(tc.TacitError, match="these differ: settings\n\nresume with the same"):
        tc.propose_hidden(CASES, seed=1, progress=False, checkpoint=path, resume=True)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("saved") / "found.json"
    tc.propose_hidden(
        CASES, children={"Severity": list(SIGNS)}, states={"Severity": 2}, most=0, bootstrap=0,
        restarts=1, seed=1, progress=False,
    ).save(path)  # fmt: skip
    return path.read_text()


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("learned_from", "many", "its 'learned_from' is not what is kept there"),
        ("score_without", None, "its 'score_without' is not what is kept there"),
        ("candidates", [{"turn": 1}], "a candidate: its 'children' is missing"),
        ("proposals", [{}], "proposal 1: its 'name' is missing"),
        ("proposals", 3, "its 'proposals' is not what is kept there"),
    ],
)
def test_saved_proposals_that_are_damaged(
    tmp_path: Path, saved: str, part: str, value: Any, message: str
) -> None:
    plain = json.loads(saved)
    plain["hidden"][part] = value
    assert _said(tmp_path, plain) == message


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("name", "Cough"), ("children", ["Cough"]), ("states", 3), ("gain", "much"),
        ("accepted", "yes"), ("profile", {}), ("curve", [[2]]), ("stability", {"below": [0]}),
        ("merging", {"first": -1, "states": 2, "curve": []}), ("fit", {}),
    ],
)  # fmt: skip
def test_a_saved_proposal_with_a_part_that_is_damaged(
    tmp_path: Path, saved: str, part: str, value: Any
) -> None:
    plain = json.loads(saved)
    plain["hidden"]["proposals"][0][part] = value
    told = _said(tmp_path, plain)
    said = {"children": "name", "states": "name"}.get(part, part)
    assert told == f"proposal 1: its {said!r} is not what is kept there"


def _said(tmp_path: Path, plain: Any) -> str:
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(plain))
    with pytest.raises(tc.TacitError) as problem:
        tc.load_fit(path)
    told = str(problem.value)
    start = f"{path}: what the saved search for hidden variables says is damaged: "
    assert re.match(re.escape(start), told)
    return told.removeprefix(start)
