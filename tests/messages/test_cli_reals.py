"""What the command line says where values are real: ways out that work, options for arguments."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from commands import run, run_json
from tacit.cli.main import execute

Capture = pytest.CaptureFixture[str]
DAG = ("--network", "Temp, Flow -> Yield")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(1)
    temp, flow = random.normal(80, 5, 80), random.normal(2, 0.4, 80)
    made = 10 + 0.6 * temp - 5 * flow + random.normal(0, 2, 80)
    columns = {"Temp": temp, "Flow": flow, "Yield": made}
    tc.write_cases(columns, "whole.csv")
    temp[:5] = np.nan
    ward = random.choice(["a", "b"], 80)
    tc.write_cases({"Ward": ward, **columns}, "mixed.csv")
    Path("r.know").write_text("coefficient(Yield, Flow) <= 0\nrequire Temp -> Yield\n")
    return tmp_path


def test_curves_that_cannot_be_searched_for_have_a_way_out_that_works(capsys: Capture) -> None:
    words = ["search", "mixed.csv", "--family", "Yield=sigmoid", "--seed", "1", "-o", "n.json"]
    assert execute(words) == 2
    assert capsys.readouterr().err == (
        "tacit: --family needs complete cases, and cells are missing (Temp)\n\n"
        "curves are searched for with gaps among columns of real values alone: leave out those "
        "with states (Ward) with --leave-out; in a dag that is told, tacit fit --family learns "
        "them with --method available\n"
    )
    run(capsys, *words, "--leave-out", "Ward", "--quiet")
    fit = ("fit", "mixed.csv", "--network", "Ward -> Temp -> Yield", "--family", "Yield=sigmoid")
    run(capsys, *fit, "--method", "available", "-o", "n.json")


def test_rules_about_coefficients_need_no_states_to_be_checked(capsys: Capture) -> None:
    printed = run(capsys, "check", "r.know", *DAG)
    network = tc.fit("Temp, Flow -> Yield", "whole.csv").network
    assert printed == f"{tc.check(Path('r.know'), network)}\n"
    Path("r.know").write_text("coefficient(Yield, Flow) <= 0\ncoefficient(Yield, Flow) >= 1\n")
    run(capsys, "check", "r.know", *DAG, status=1)
    Path("r.know").write_text("coefficient(Yield, Flow | Ward=a) <= 0\n")
    assert execute(("check", "r.know", "--network", "Ward, Flow -> Yield")) == 2
    assert "a dag says nothing about states" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have names on POSIX alone")
def test_rules_may_come_through_a_pipe(capsys: Capture) -> None:
    whole = run(capsys, "check", "r.know", *DAG)
    os.mkfifo("pipe")
    text = Path("r.know").read_text()
    writer = threading.Thread(target=lambda: Path("pipe").write_text(text))
    writer.start()
    assert run(capsys, "check", "pipe", *DAG).replace("pipe", "r.know") == whole
    writer.join()


def test_notes_advise_in_options(capsys: Capture) -> None:
    lines = Path("mixed.csv").read_text().splitlines()
    Path("na.csv").write_text("\n".join([lines[0], "NA" + lines[1][1:], *lines[2:]]) + "\n")
    words = ("fit", "na.csv", "--network", "Ward -> Flow", "-o", "n.json")
    advice = "'NA' is a state of 'Ward'; --missing 'NA' would make it a missing value"
    assert f"note: {advice}\n" in run(capsys, *words)
    assert advice in run_json(capsys, *words)["notes"]
    assert "NA" not in run(capsys, *words, "--missing", "NA")


def test_a_column_hidden_on_request_is_not_said_to_be_lacking(capsys: Capture) -> None:
    run(capsys, "fit", "whole.csv", *DAG, "-o", "n.json")
    words = ("predict", "n.json", "whole.csv", "-o", "p.csv", "--hide", "Yield")
    assert run(capsys, *words).endswith("note: Yield hidden by --hide: predicted in every case\n")
    tc.write_cases(tc.read_cases("whole.csv").select(["Temp", "Yield"]), "less.csv")
    notes = run_json(capsys, *("predict", "n.json", "less.csv"), *words[3:])["notes"]
    assert notes == [
        "Yield hidden by --hide: predicted in every case",
        "Flow has no column: predicted in every case",
    ]
