"""`tacit check`: rules without data, as a program or a person reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacit as tc
from commands import run, run_json
from tacit.cli.main import execute

Capture = pytest.CaptureFixture[str]
GOOD = "P(lung=yes | smoke=no) <= 0.02\nP(lung=yes | smoke=no) <= 0.5\n"
BAD = "P(lung=yes | smoke=no) <= 0.02\nP(lung=no | smoke=no) <= 0.5\n"


@pytest.fixture(autouse=True)
def asia(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tc.Network:
    monkeypatch.chdir(tmp_path)
    Path("good.know").write_text(GOOD)
    Path("bad.know").write_text(BAD)
    network = tc.textbook("asia")
    tc.write(network, "asia.bif")
    return network


def test_it_prints_what_the_library_says(asia: tc.Network, capsys: Capture) -> None:
    printed = run(capsys, "check", "good.know", "--network", "asia.bif")
    assert printed == f"{tc.check(Path('good.know'), asia)}\n"
    assert "(implied by line 1)" in printed


def test_quiet_leaves_the_verdict(capsys: Capture) -> None:
    printed = run(capsys, "check", "good.know", "--network", "asia.bif", "--quiet")
    assert printed == "2 rules: they can hold together, 1 implied by others\n"


def test_conflicting_rules_are_a_finding(capsys: Capture) -> None:
    printed = run(capsys, "check", "bad.know", "--network", "asia.bif", "--quiet", status=1)
    assert "2 rules contradict each other" in printed
    found = run_json(capsys, "check", "bad.know", "--network", "asia.bif", status=1)
    assert found["feasible"] is False
    assert [rule["place"] for rule in found["conflicts"][0]["rules"]] == [
        "bad.know:1",
        "bad.know:2",
    ]


def test_an_arc_that_the_dag_lacks_is_a_finding(capsys: Capture) -> None:
    Path("arcs.know").write_text("require asia -> lung\n")
    printed = run(capsys, "check", "arcs.know", "--network", "asia.bif", status=1)
    assert "the dag has no arc asia -> lung" in printed


def test_json_holds_all_of_it(asia: tc.Network, capsys: Capture) -> None:
    found = run_json(capsys, "check", "good.know", "--network", "asia.bif", "--everything")
    del found["command"]
    assert found == tc.check(Path("good.know"), asia).to_plain()


def test_states_may_come_from_cases(capsys: Capture) -> None:
    Path("cases.csv").write_text("smoke,lung\nyes,yes\nno,no\n")
    words = ("check", "good.know", "--network", "smoke -> lung", "--cases", "cases.csv")
    assert run_json(capsys, *words)["feasible"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("check", "none.know", "--network", "asia.bif"), "there is no file 'none.know'"),
        (("check", "good.know", "--network", "none.bif"), "none.bif"),
        (("check", "good.know", "--network", "smoke -> lung"), "a dag says nothing about states"),
        (("check", "good.know"), "missing option '--network'"),
    ],
)
def test_bad_input_is_status_2(words: tuple[str, ...], message: str, capsys: Capture) -> None:
    assert execute(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_a_rule_that_does_not_fit_is_bad_input(capsys: Capture) -> None:
    Path("odd.know").write_text("P(lung=ja | smoke=no) <= 0.02\n")
    assert execute(("check", "odd.know", "--network", "asia.bif")) == 2
    assert "'lung' has no state 'ja'" in capsys.readouterr().err
