"""`tacit hidden`: files, one JSON object, or one message."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from commands import run, run_json
from planted import SIGNS, patients
from tacit.cli.given import states_of
from tacit.cli.hidden_words import fixed_of, held_out_of, refused_of
from tacit.cli.main import execute
from tacit.learn.unseen import hunting

CASES = patients()
QUICK = ("--bootstrap", "0", "--tries", "2", "--most", "1", "--restarts", "1", "--seed", "1")
QUICKLY = {
    "bootstrap": 0, "tries": 2, "most": 1, "restarts": 1, "seed": 1, "progress": False,
}  # fmt: skip
FIXED = ("--children", f"Severity -> {', '.join(SIGNS)}", "--most", "0")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Cases in a file."""
    monkeypatch.chdir(tmp_path)
    tc.write_cases(CASES, "cases.csv")
    return tmp_path


def test_a_variable_is_found_and_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("hidden", "cases.csv", "-o", "found.json", *QUICK)
    out = run(capsys, *words)
    found = tc.propose_hidden(tc.read_cases("cases.csv"), **QUICKLY)
    assert len(found.accepted) == 1
    told = str(found).replace("most=1", "--most 1")
    assert out == f"{told}\n{found[0]}\n\nnetwork written to found.json\n"
    assert tc.read("found.json").dag == found.network.dag
    assert run(capsys, *words, "--quiet") == ""


def test_everything_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("expert.know").write_text("forbid Severity -> Stay\nP(Severity=low) >= 0.4\n")
    tc.write_cases(patients(200, seed=9), "judged.csv")
    plain = run_json(
        capsys, "hidden", "cases.csv", *QUICK, *FIXED, "--states", "Severity={low, middle, high}",
        "--knowledge", "expert.know", "--refuse", "Cough, Fever, Stay", "--name", "Extra",
        "--score", "bdeu:3", "--variant", "local", "--most-states", "5", "--evidence", "2",
        "--held-out", "judged.csv", "--shown", "2", "--threshold", "0.5", "--least", "3",
        "--threads", "1", "-o", "out.dag", "--save-fit", "fit.json", "--report", "report.json",
        "--posterior", "told.csv",
    )  # fmt: skip
    found = tc.propose_hidden(
        tc.read_cases("cases.csv"),
        **{**QUICKLY, "most": 0},
        children={"Severity": list(SIGNS)},
        states={"Severity": ("low", "middle", "high")},
        knowledge=tc.read_knowledge("expert.know"),
        refuse=[("Cough", "Fever", "Stay")],
        name="Extra",
        score=tc.BDeu(3),
        variant="local",
        most_states=5,
        evidence=2.0,
        held_out=patients(200, seed=9),
        shown=2,
        threshold=0.5,
        least=3,
    )
    (proposal,) = plain["proposals"]
    assert plain["accepted"] == ["Severity"]
    assert (plain["learned_from"], plain["held_out"]) == (2000, 200)
    assert plain["dag"] == str(found.network.dag)
    assert plain["hidden"] == {"Severity": ["low", "middle", "high"]}
    assert proposal["gain"] == found[0].gain
    assert proposal["held_out_gain"] == found[0].held_out_gain
    assert proposal["profile"]["states"] == ["low", "middle", "high"]
    assert proposal["profile"]["shares"][0] >= 0.4 - 1e-9
    assert {each["states"]: each["gain"] for each in proposal["curve"]} == found[0].curve
    assert len(plain["candidates"]) == len(found.candidates)
    assert plain["written"] == {
        "dag": "out.dag", "fit": "fit.json", "report": "report.json", "posterior": "told.csv",
    }  # fmt: skip
    assert tc.Dag.parse(Path("out.dag").read_text()) == found.network.dag
    again = tc.load_fit("fit.json")
    assert isinstance(again, tc.HiddenProposals)
    assert str(again[0]) == str(found[0])
    assert json.loads(Path("report.json").read_text())["format"] == "tacit report"


def test_the_posterior_of_every_case_stands_beside_its_cells(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Path("cases.csv").read_text().splitlines()
    rows = [f"{line},p{at % 97}" for at, line in enumerate(lines[1:])]
    Path("named.csv").write_text("\n".join([f"{lines[0]},who", *rows]) + "\n")
    run(
        capsys, "hidden", "named.csv", *QUICK, *FIXED, "--states", "3", "--leave-out", "who",
        "-o", "out.json", "--posterior", "told.csv", "--quiet",
    )  # fmt: skip
    told = tc.read_cases("told.csv", discrete=["Severity"])
    assert told.names == (
        *CASES.names, "who", "Severity", "Severity=1", "Severity=2", "Severity=3",
    )  # fmt: skip
    network = tc.read("out.json")
    expected = tc.predict(network, CASES)["Severity"]
    shares = np.column_stack([told[f"Severity={state}"] for state in "123"])
    assert shares == pytest.approx(expected)
    assert shares.argmax(axis=1).tolist() == told["Severity"].tolist()


def test_a_given_network_keeps_its_structure(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chain = "Breath -> Cough, Fever, Fatigue, Pain, Stay; Cough -> Fever, Fatigue, Pain"
    plain = run_json(
        capsys, "hidden", "cases.csv", "--network", chain, "--variant", "params", *QUICK,
        *FIXED, "--states", "3", "-o", "out.json",
    )  # fmt: skip
    dag = tc.Dag.parse(plain["dag"])
    assert set(dag.children["Severity"]) == set(SIGNS)
    assert dag.parents["Stay"] == ("Breath",)


def test_known_hidden_variables_of_a_network_stay(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "hidden", "cases.csv", *QUICK, *FIXED, "--states", "3", "-o", "one.json", "--quiet")
    plain = run_json(
        capsys, "hidden", "cases.csv", "--network", "one.json", *QUICK, "-o", "two.json"
    )
    assert set(tc.Dag.parse(plain["dag"]).children["Severity"]) == set(SIGNS)
    assert plain["accepted"] == []
    assert list(plain["hidden"]) == ["Severity"]


def test_it_is_broken_off_and_taken_up_again(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("hidden", "cases.csv", *QUICK, "-o", "out.json", "--checkpoint", "run.ckpt")
    whole = run_json(capsys, "hidden", "cases.csv", *QUICK, "-o", "out.json")
    steadied = hunting.steadied

    def broken_off(*given):
        os.kill(os.getpid(), signal.SIGINT)
        return steadied(*given)

    with monkeypatch.context() as patched:
        patched.setattr(hunting, "steadied", broken_off)
        part = run_json(capsys, *words)
    assert part["stop"] == "interrupted; this is the best so far"
    assert tc.read("out.json").dag.children["H"]
    assert execute(words) == 2
    assert "this file is there already; --resume goes on from it" in capsys.readouterr().err
    again = run_json(capsys, *words, "--resume")
    for name in ("dag", "proposals", "candidates", "log_likelihood", "seed", "stop"):
        assert again[name] == whole[name]


def test_before_anything_is_tried_the_best_network_without_is_what_is_left(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = hunting.begun

    def broken_off(*given):
        os.kill(os.getpid(), signal.SIGINT)
        return begun(*given)

    monkeypatch.setattr(hunting, "begun", broken_off)
    part = run_json(capsys, "hidden", "cases.csv", *QUICK, "-o", "out.json")
    assert part["stop"] == "interrupted; this is the best so far"
    assert (part["proposals"], part["hidden"]) == ([], {})
    assert not any("no set of variables is linked" in note for note in part["notes"])
    assert set(tc.read("out.json")) == set(CASES.names)


def test_words_become_values() -> None:
    assert fixed_of(["H -> A, B", '"my h" -> "a b", C']) == {
        "H": ("A", "B"),
        "my h": ("a b", "C"),
    }
    assert fixed_of(None) is None
    assert refused_of(["A, B", '"a, b", C, D']) == [("A", "B"), ("a, b", "C", "D")]
    assert states_of(["3"]) == 3
    assert states_of(["A=3", '"my h"={low, "too high"}']) == {"A": 3, "my h": ["low", "too high"]}
    assert states_of([]) is None
    assert (held_out_of("0.3"), held_out_of("0.csv")) == (0.3, "0.csv")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--method", "ibme"), "--method: 'ibme' is no method"),
        (("--set", "gamma=1"), "--set says how a method works, and signatures have options"),
        (("--children", "Severity"), '--children: write one variable and its children: "Severity'),
        (("--children", "S -> Cough, Fever; Cough -> Pain"), "--children: write one variable and"),
        (("--children", "S -> "), "--children: "),
        (("--children", "S -> Cough"), "--children names Cough: two different children"),
        (("--children", "S -> Cough, Couhg"), "--children names Couhg, which is no column of the"),
        (("--children", "Stay -> Cough, Fever"), "--children names 'Stay', which is no new"),
        (("--states", "S=3"), "--states names variables, and --children fixes none"),
        (("--states", "1"), "--states 1 must be a number from 2 on"),
        ((*FIXED, "--states", "Severity=1"), "a hidden variable has 2 states or more, not 1"),
        ((*FIXED, "--states", "Severity"), "--states: how many states has 'Severity'?"),
        ((*FIXED, "--states", "S=2"), "--states names 'S', which --children does not fix"),
        ((*FIXED, "--states", "Severity=2", "--states", "Severity=3"), "is named twice"),
        (("--refuse", "Cough"), "--refuse names Cough: two different children are needed"),
        (("--refuse", "Cough -> Fever"), "--refuse: names of children are expected"),
        (("--refuse", "Cough, Rash"), "--refuse names Rash, which is no column of the cases"),
        (("--name", "Cough"), "--name 'Cough' is a column of the cases; choose another"),
        (("--score", "bic"), "--score BIC() must be --score bdeu:5 or another prior"),
        (("--variant", "some"), "invalid value for '--variant'"),
        (("--held-out", "1.5"), "--held-out 1.5 must be a share of the cases below 1"),
        (("--held-out", "none.csv"), "there is no file 'none.csv'"),
        (("--threshold", "2"), "--threshold 2.0 must be a share above 0, at most 1"),
        (("--evidence", "nan"), "--evidence nan must be a number of nats"),
        (("--least", "2"), "invalid value for '--least'"),
        (("--leave-out", "Rash"), "there is no column Rash to leave out"),
        (("--network", "Cough -> Rash"), "the dag names Rash, which is no column of the cases"),
        (("--knowledge", "none.know"), "there is no file 'none.know'"),
        (("--posterior", "told.json"), "no format has the suffix '.json'"),
        (("--posterior", "cases.csv"), "CASES and --posterior name the same file"),
        (("--resume",), "--resume needs --checkpoint FILE"),
        (("--save-fit", "out.bif"), "no format has the suffix '.bif'"),
        (("-o", "nowhere/out.json"), "there is no such folder"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_written(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    before = sorted(folder.iterdir())
    assert execute(("hidden", "cases.csv", "-o", "out.json", *words)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "Traceback" not in err
    assert "tc." not in err
    assert sorted(folder.iterdir()) == before


def test_places_along_paths(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("hidden", "cases.csv", *QUICK, *FIXED, "--states", "2", "--variant", "params")
    plain = run_json(
        capsys, *words, "--network", "Stay", "--method", "ibem", "--set", "until=0.9",
        "-o", "out.json", "--report", "report.json",
    )  # fmt: skip
    found = tc.propose_hidden(
        tc.read_cases("cases.csv"), "Stay", method=tc.IBEM(until=0.9), variant="params",
        states={"Severity": 2}, children={"Severity": list(SIGNS)}, **{**QUICKLY, "most": 0},
    )  # fmt: skip
    assert plain["dag"] == str(found.network.dag)
    assert plain["proposals"][0]["gain"] == found[0].gain
    assert plain["search"]["method"] == "IBEM(until=0.9)"
    facts = json.loads(Path("report.json").read_text())
    again = next(each for each in facts["sections"] if each["kind"] == "again")
    assert "--method ibem --set until=0.9" in again["command"]
    assert "method=tc.IBEM(until=0.9)" in again["python"]
