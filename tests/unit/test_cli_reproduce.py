"""`tacit reproduce`: what there is to run, and what comes out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from commands import run, run_json
from tacit.cli.main import execute
from tacit.core.errors import OptionError
from tacit.experiments import registry
from tacit.experiments.experiment import Experiment
from tacit.experiments.outcome import Settings
from tacit.experiments.registry import EXPERIMENTS

Capture = pytest.CaptureFixture[str]
NAMES = [each.name for each in EXPERIMENTS]
NEEDY = Experiment(
    "needy2000", "a study", "Needy 2000", "tacit.nowhere", ("1 s", "1 min", "1 h"), "needy.csv"
)


def test_without_a_name_all_experiments_are_listed(capsys: Capture) -> None:
    out = run(capsys, "reproduce")
    for each in EXPERIMENTS:
        assert each.name in out
        assert each.source in out
        assert all(time in out for time in each.takes)
    assert run(capsys, "reproduce", "--quiet").split() == NAMES
    listed = run_json(capsys, "reproduce")["experiments"]
    assert [each["name"] for each in listed] == NAMES
    assert [each["needs"] for each in listed] == [each.needs or None for each in EXPERIMENTS]


def test_the_list_loads_nothing_heavy() -> None:
    code = (
        "import sys; from tacit.cli.main import execute; execute(['reproduce', '--quiet'])\n"
        "print(*[name for name in ('numba', 'scipy', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[len(NAMES)] == ""


@pytest.mark.parametrize("name", [each.name for each in EXPERIMENTS if not each.needs])
def test_an_experiment_shows_tables_claims_and_reasons(name: str, capsys: Capture) -> None:
    out = run(capsys, "reproduce", name, "--smoke", "--seed", "4")
    found = run_json(capsys, "reproduce", name, "--smoke", "--seed", "4")
    assert (found["experiment"], found["scale"], found["seed"]) == (name, "smoke", 4)
    assert found["repetitions"]["done"] == found["repetitions"]["asked"]
    for claim in found["claims"]:
        assert f"{'holds' if claim['holds'] else 'FAILS'}: {claim['text']}" in out
    assert all(f"- {remark}" in " ".join(out.split()) for remark in found["remarks"])
    assert found["rows"]
    assert "paper" in out or "specification" in out  # whose figures stand beside ours


def test_under_quiet_only_the_claims_are_printed(capsys: Capture) -> None:
    lines = run(capsys, "reproduce", NAMES[0], "--smoke", "--quiet").splitlines()
    found = run_json(capsys, "reproduce", NAMES[0], "--smoke")
    assert [line.split(": ", 1)[1] for line in lines] == [each["text"] for each in found["claims"]]


def test_what_is_not_reached_is_null_in_json(capsys: Capture) -> None:
    execute(["reproduce", NAMES[0], "--smoke", "--json"])
    rows = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["rows"]
    assert rows[-1]["needed_paper"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["niculescu2005-sharin"],
            "there is no experiment 'niculescu2005-sharin'; did you mean 'niculescu2005-sharing'?"
            f"\n\nexperiments: {', '.join(NAMES)}",
        ),
        (
            ["--full", "--smoke"],
            "--full and --smoke exclude each other: both say how large it shall be",
        ),
        (
            [NAMES[0], "--data", "."],
            "niculescu2005-sharing draws its own data: --data is of no use to it",
        ),
    ],
)
def test_what_is_wrong_is_said(words: list[str], message: str, capsys: Capture) -> None:
    assert execute(["reproduce", *words]) == 2
    assert capsys.readouterr().err == f"tacit: {message}\n"


def test_an_experiment_that_needs_data_says_which(tmp_path: Path) -> None:
    with pytest.raises(OptionError) as without:
        registry.run(NEEDY, Settings())
    assert str(without.value) == "needy2000 needs needy.csv\n\nname its folder with --data DIR"
    nowhere = tmp_path / "nowhere"
    with pytest.raises(OptionError) as wrong:
        registry.run(NEEDY, Settings(data=nowhere))
    assert str(wrong.value) == (
        f"needy2000 needs needy.csv, and there is no folder {nowhere}"
        "\n\nname its folder with --data DIR"
    )
    assert "needy.csv" in str(registry.overview((NEEDY,)))


def test_a_scale_that_is_none_is_refused() -> None:
    with pytest.raises(OptionError, match="scale='huge' must be one of: smoke, default, full"):
        registry.run(EXPERIMENTS[0], Settings("huge"))
