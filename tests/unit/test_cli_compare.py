"""`tacit compare`: rule sets against cases, as a program or a person reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacit as tc
from commands import run, run_json
from tacit.cli.main import execute
from tacit.learn.compare import compare

Capture = pytest.CaptureFixture[str]
ANN = "P(dysp | bronc=yes, either=yes) = P(dysp | bronc=yes, either=no)\n"
BOB = "P(dysp | bronc=yes, either=yes) = P(dysp | bronc=no, either=no)\n"
BOTH = ("--knowledge", "ann.know", "--knowledge", "bob.know")
WORDS = ("compare", "cases.csv", "--network", "asia.bif")


@pytest.fixture(autouse=True)
def asia(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tc.Network:
    monkeypatch.chdir(tmp_path)
    network = tc.textbook("asia")
    tc.write(network, "asia.bif")
    tc.write_cases(tc.sample(network, 200, seed=1), "cases.csv")
    Path("ann.know").write_text(ANN)
    Path("bob.know").write_text(BOB)
    return network


def test_it_prints_the_table_and_a_sentence_that_reads_it(capsys: Capture) -> None:
    printed = run(capsys, *WORDS, *BOTH, "--none", "--seed", "1").splitlines()
    assert printed[0] == "Comparison of 3 rule sets on 200 cases, prior BDeu(1), 5 folds"
    assert printed[1].split()[:3] == ["rules", "of", "rules"]
    assert {line.split("  ")[1] for line in printed[2:5]} == {"ann.know", "bob.know", "no rules"}
    assert printed[6].startswith("ann.know is favoured over no rules by a Bayes factor of ")


def test_quiet_leaves_the_sentence(capsys: Capture, asia: tc.Network) -> None:
    printed = run(capsys, *WORDS, *BOTH, "--seed", "1", "--quiet")
    found = compare(asia, "cases.csv", [Path("ann.know"), Path("bob.know")], seed=1)
    assert printed == f"{found.verdict}\n"


def test_json_holds_all_of_it(capsys: Capture, asia: tc.Network) -> None:
    words = (*WORDS, *BOTH, "--none", "--folds", "3", "--prior", "k2", "--seed", "7")
    found = run_json(capsys, *words)
    del found["command"]
    rules = [Path("ann.know"), Path("bob.know"), None]
    same = compare(asia, "cases.csv", rules, folds=3, prior=tc.K2(), seed=7)
    assert found == same.to_plain()


def test_a_dag_will_do_and_a_set_that_is_refuted_is_null_in_json(capsys: Capture) -> None:
    Path("cee.know").write_text("P(lung=yes | smoke=yes) = 0\n")
    words = ("compare", "cases.csv", "--network", "smoke -> lung", "--knowledge", "cee.know")
    found = run_json(capsys, *words, "--none", "--seed", "1")
    refuted = found["sets"][1]
    assert refuted["log_marginal_likelihood"] is None
    assert refuted["impossible_cases"] > 0
    assert refuted["weight"] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--knowledge", "ann.know"),
            "tacit: there is nothing to compare: give --knowledge twice or more, or once with "
            "--none, which stands for no rules\n",
        ),
        (("--none",), "tacit: there is nothing to compare"),
        ((*BOTH, "--folds", "1"), "invalid value for '--folds'"),
        ((*BOTH, "--folds", "500"), "tacit: 200 cases cannot be split into 500 folds"),
        (("--knowledge", "cee.know", "--none"), "there is no file 'cee.know'"),
        (("--knowledge", "bad.know", "--none"), "tacit: bad.know: 2 rules contradict each other"),
        ((*BOTH, "--prior", "flat"), "'flat' is no prior"),
    ],
)
def test_bad_input_is_status_2(words: tuple[str, ...], message: str, capsys: Capture) -> None:
    Path("bad.know").write_text("P(asia=yes) <= 0.1\nP(asia=yes) >= 0.2\n")
    assert execute((*WORDS, *words)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
