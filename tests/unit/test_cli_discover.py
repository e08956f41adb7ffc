"""`tacit discover`: a file of rules, one JSON object, or one message."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from commands import run, run_json
from tacit.cli.main import execute

GROUPS = ["P(X | R=r0) = P(X | R=r2)", "P(X | R=r1) = P(X | R=r3)"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Cases in which rows r0 and r2 are one, and r1 and r3; and their network."""
    monkeypatch.chdir(tmp_path)
    rows = tc.Discrete("R", tuple(f"r{at}" for at in range(4)))
    child = tc.Discrete("X", ("a", "b", "c"))
    values = np.array([[0.7, 0.2, 0.1], [0.2, 0.2, 0.6]] * 2)
    network = tc.Network(
        tc.Dag.parse("R -> X"),
        {"R": rows, "X": child},
        {"R": tc.Table((rows,), np.full(4, 0.25)), "X": tc.Table((rows, child), values)},
    )
    tc.write(network, "net.bif")
    tc.write_cases(tc.sample(network, 20_000, seed=1), "cases.csv")
    return tmp_path


def test_rules_are_written_and_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("discover", "cases.csv", "--network", "net.bif", "--within", "X", "--kind", "rows")
    out = run(capsys, *words, "-o", "found.know", "--seed", "1")
    assert out.startswith("2 rules that the cases (20,000) support")
    assert out.endswith(
        "rules written to found.know: strike what is wrong, and fit with the rest\n"
    )
    assert sorted(map(str, tc.read_knowledge(folder / "found.know"))) == GROUPS
    plain = run_json(capsys, *words)
    assert sorted(each["text"] for each in plain["proposals"]) == GROUPS
    assert plain["settings"]["kinds"] == ["rows"]
    quiet = run(capsys, *words, "--quiet")
    assert quiet == (folder / "found.know").read_text()
    run(capsys, "fit", "cases.csv", "--network", "net.bif", "--knowledge", "found.know",
        "-o", "learned.bif")  # fmt: skip


def test_a_file_of_rules_is_the_start(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("expert.know").write_text(GROUPS[0])
    words = ("discover", "cases.csv", "--network", "net.bif", "--kind", "rows")
    plain = run_json(capsys, *words, "--start", "expert.know")
    assert [each["text"] for each in plain["proposals"]] == GROUPS[1:]
    strict = run_json(capsys, *words, "--threshold", "100")
    assert strict["proposals"] == []
    assert (folder / "expert.know").read_text() == GROUPS[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--kind", "row"), "'row' is no kind of rule that can be discovered; did you mean"),
        (("-o", "found.bif"), "no format has the suffix '.bif'"),
        (("-o", "nowhere/found.know"), "there is no such folder"),
        (("--prior", "dirichlet:0"), "gives cells of R no prior"),
        (("--start", "none.know"), "there is no file 'none.know'"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_written(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    before = sorted(folder.iterdir())
    assert execute(("discover", "cases.csv", "--network", "net.bif", *words)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert sorted(folder.iterdir()) == before


def test_it_is_said_that_a_file_holds_no_rules(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("discover", "cases.csv", "--network", "net.bif", "--threshold", "1e9")
    out = run(capsys, *words, "-o", "none.know")
    assert out.endswith("\na file without rules written to none.know\n")
