"""`tacit fit --method ibem`: its settings, its path, its report."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gappy
import tacit as tc
from commands import run, run_json

Capture = pytest.CaptureFixture[str]
LEAVES = gappy.leaves_of("H", "ABCDE")
CASES = gappy.gappy(LEAVES, 150, 0.0, seed=1, hidden="H")
WORDS = ("fit", "cases.csv", "--network", "H -> A, B, C, D, E", "--hidden", "H=2", "--seed", "3")
QUICK = ("--set", "longest=0.1", "--max-steps", "30")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tc.write_cases(CASES, "cases.csv")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "method"),
    [
        (["until=0.6", "direction=exact"], {"until": 0.6, "direction": "exact"}),
        (["until=validation", "held_out=0.3"], {"until": "validation", "held_out": 0.3}),
        (["penalty=entropy", "first=none"], {"penalty": "entropy"}),
        (["direction=none", "first=0.3", "finish=false", "restarts=2"],
         {"direction": "none", "first": 0.3, "finish": False, "restarts": 2}),
    ],
)  # fmt: skip
def test_every_setting_has_words(
    here: Path, capsys: Capture, words: list[str], method: dict[str, Any]
) -> None:
    said = [word for each in words for word in ("--set", each)]
    found = run_json(capsys, *WORDS, "--method", "ibem", *QUICK, *said, "-o", "o.json")
    expected = tc.IBEM(**method, longest=0.1, max_steps=30)
    assert eval(found["method"], {"IBEM": tc.IBEM}) == expected
    fit = tc.fit("H -> A, B, C, D, E", "cases.csv", hidden={"H": 2}, seed=3, method=expected)
    assert found["objective"] == fit.objective
    assert found["path"]["steps"] == json.loads(json.dumps(fit.path.to_plain()["steps"]))


def test_other_methods_have_settings_too(here: Path, capsys: Capture) -> None:
    found = run_json(
        capsys, *WORDS, "--set", "accelerate=false", "--set", "restarts=2", "-o", "o.json"
    )
    assert found["method"] == "EM(restarts=2, accelerate=False)"
    words = ("--method", "weight-annealing", "--set", "cooling=0.5", "-o", "o.json")
    assert "cooling=0.5" in run_json(capsys, *WORDS, *words)["method"]


@pytest.mark.parametrize("name", ["path.csv", "path.tsv.gz", "path.parquet", "path.json"])
def test_the_path_is_written_beside_the_network(here: Path, capsys: Capture, name: str) -> None:
    words = ("--method", "ibem", *QUICK, "--path-to", name, "-o", "o.json", "--save-fit", "f.json")
    out = run(capsys, *WORDS, *words)
    assert f"path written to {name}" in out
    path = tc.load_fit("f.json").path
    if name.endswith(".json"):
        assert json.loads(Path(name).read_text()) == json.loads(json.dumps(path.to_plain()))
        return
    read = tc.to_frame(tc.read_cases(name))
    np.testing.assert_array_equal(read["gamma"].to_numpy(), path.gamma)
    if name.endswith(".csv"):
        with Path(name).open(newline="") as file:
            lines = list(csv.DictReader(file))
        assert [float(each["information(H)"]) for each in lines] == [
            step.information[0] for step in path.steps
        ]
        assert list(path.to_frame().columns) == list(lines[0])


def test_the_report_draws_the_path(here: Path, capsys: Capture) -> None:
    words = ("--method", "ibem", *QUICK, "--set", "until=validation")
    run(capsys, *WORDS, *words, "-o", "o.json", "--save-fit", "f.json", "--report", "r.html")
    fit = tc.load_fit("f.json")
    section = next(each for each in tc.report(fit).facts["sections"] if each["kind"] == "path")
    assert [one["gamma"] for one in section["steps"]] == fit.path.gamma.tolist()
    assert section["steps"][-1]["effective"] == [2]
    assert section["steps"][-1]["log_likelihood"] == pytest.approx(
        fit.path.steps[-1].log_likelihood / 150
    )
    page = Path("r.html").read_text()
    assert page.count('class="axis"') >= 5
    for title in ("information (nats)", "states worth telling apart", "cases held out (nats)"):
        assert title in page
    text = str(tc.report(fit))
    assert "Cases held out were most likely at gamma" in text
    assert "The path\n" in text
    plain = tc.fit("H -> A, B, C, D, E", CASES, hidden={"H": 2}, seed=3)
    assert all(each["kind"] != "path" for each in tc.report(plain).facts["sections"])


def test_a_report_of_several_hidden_variables_draws_their_mean() -> None:
    dag = "R -> S; R -> T; S -> A; S -> B; S -> C; T -> D; T -> E"
    fit = tc.fit(dag, CASES, hidden={"R": 2, "S": 2, "T": 3}, seed=1,
                 method=tc.IBEM(longest=0.02, max_steps=10))  # fmt: skip
    page = tc.report(fit).to_html()
    assert "their mean" in page
    assert "lower bounds" in str(tc.report(fit))
    section = next(each for each in tc.report(fit).facts["sections"] if each["kind"] == "path")
    assert len(section["steps"]) > 25
    text = str(tc.report(fit)).split("Some steps of the path")[1]
    assert f"{fit.path.gamma[0]:.4f}" in text
    assert "1.0000" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--method", "ibem", "--set", "untill=0.5"],
            "tacit: --set: IBEM has no setting 'untill'; did you mean 'until'?",
        ),
        (["--method", "ibem", "--set", "step=far"], "tacit: --set: step is a number"),
        (["--method", "ibem", "--set", "finish=maybe"], "tacit: --set: finish is true or false"),
        (["--method", "ibem", "--set", "until"], "tacit: --set: write until=VALUE"),
        (
            ["--method", "ibem", "--set", "step=0.1", "--set", "step=0.2"],
            "tacit: --set: 'step' is set twice",
        ),
        (["--method", "available", "--set", "step=1"], "tacit: --set: AvailableCases has no"),
        (
            ["--restarts", "3", "--set", "restarts=4"],
            "tacit: --restarts and --set both say it: leave one of them out",
        ),
        (["--method", "ibem", "--set", "until=2"], "tacit: until=2.0 must be a gamma above 0"),
        (["--path-to", "p.csv"], "tacit: --path-to writes the path that --method ibem follows"),
        (["--method", "ibem", "--path-to", "p.xls"], "tacit: --path-to: no format has the suffix"),
    ],
)
def test_bad_settings_are_told_what_is_wrong(
    here: Path, capsys: Capture, words: list[str], message: str
) -> None:
    from tacit.cli.main import execute

    assert execute([*WORDS, *words, "-o", "o.json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message), err
    assert not Path("o.json").exists()
