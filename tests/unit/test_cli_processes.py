"""`tacit processes`: files in, files out, one JSON object, or one message."""

from __future__ import annotations

import csv
import json
import shlex
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from commands import run, run_json
from planted_processes import planted
from tacit.cli.main import execute

WORDS = ("processes", "trials.csv", "--onsets", "onsets.csv", "--seed", "1")
LENGTHS = ("--length", "p0=6", "--length", "p1=6")
GRID = list(product(range(4), range(4)))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Trials of four quarters of a grid, onsets and places."""
    monkeypatch.chdir(tmp_path)
    quarters = [2 * (x // 2) + y // 2 for x, y in GRID]
    drawn = planted(lengths=(6, 6), groups=quarters, trials=12, noise=0.5)
    with Path("trials.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["trial", "time", *drawn.trials.series])
        for name, values in drawn.trials.values.items():
            writer.writerows([name, at, *map(repr, row.tolist())] for at, row in enumerate(values))
    with Path("onsets.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["trial", "process", "onset"])
        writer.writerows([each.trial, each.process, each.time] for each in drawn.onsets)
    with Path("places.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["series", "x", "y"])
        writer.writerows([f"s{at}", *place] for at, place in enumerate(GRID))
    return tmp_path


def test_a_partition_is_written_told_and_read_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (*WORDS, *LENGTHS, "--places", "places.csv", "--share", "partition", "--folds", "4")
    out = run(capsys, *words, "-o", "fit.json", "--report", "r.html", "--scales", "scales.csv")
    assert out.startswith("2 processes in 4 groups of 16 series, 12 trials\n")
    assert out.endswith(
        "processes written to fit.json\nscales written to scales.csv\nreport written to r.html\n"
    )
    fit = tc.load_processes("fit.json")
    told = tc.HiddenProcesses({"p0": 6, "p1": 6}, "onsets.csv", share=tc.Partition())
    again = told.fit(tc.read_trials("trials.csv", places="places.csv"), folds=4, seed=1)
    assert fit.score == again.score
    assert_allclose(fit.course("p0", "s3"), again.course("p0", "s3"), rtol=0, atol=0)
    with Path("scales.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [line["series"] for line in lines] == [f"s{at}" for at in range(16)]
    assert (
        float(lines[3]["p1"])
        == fit.group_of("s3").scales["p1"][fit.group_of("s3").series.index("s3")]
    )
    page = Path("r.html").read_text()
    assert page.count('class="border"') == 2
    run(capsys, "report", "fit.json", "-o", "again.html")
    assert Path("again.html").read_text() == page


def test_one_json_object_says_it_all(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = run_json(capsys, *WORDS, "--length", "6", "-o", "courses.csv")
    assert plain["written"] == {"processes": "courses.csv"}
    assert plain["settings"]["share"] == "all"
    assert [group["name"] for group in plain["groups"]] == ["all"]
    with Path("courses.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [line["process"] for line in lines] == ["p0"] * 6 + ["p1"] * 6
    assert_allclose(
        [float(line["value"]) for line in lines[:6]], plain["groups"][0]["courses"]["p0"]
    )
    assert run(capsys, *WORDS, "--length", "6", "-o", "again.csv", "--quiet") == ""
    assert Path("again.csv").read_text() == Path("courses.csv").read_text()


def test_groups_that_grow_and_series_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (*WORDS, *LENGTHS, "--folds", "4", "-o", "fit.json")
    plain = run_json(capsys, *words, "--share", "merge", "--flat", "--neighbours", "3")
    assert len(plain["groups"]) <= 6
    assert plain["score"]["nested"] is False
    plain = run_json(capsys, *words, "--share", "none", "--noise", "own",
                     "--baseline", "trial", "--series", "s2")  # fmt: skip
    assert [group["series"] for group in plain["groups"]] == [["s2"]]


def test_a_search_goes_on_from_its_checkpoint(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (*WORDS, *LENGTHS, "--places", "places.csv", "--share", "partition", "--folds", "4")
    run(capsys, *words, "-o", "one.json", "--checkpoint", "c.ckpt")
    kept = json.loads(Path("c.ckpt").read_text())
    some = dict(list(kept["scores"].items())[:9])
    Path("c.ckpt").write_text(json.dumps({**kept, "scores": some}))
    run(capsys, *words, "-o", "two.json", "--checkpoint", "c.ckpt", "--resume")
    assert Path("one.json").read_text() == Path("two.json").read_text()
    assert json.loads(Path("c.ckpt").read_text())["scores"] == kept["scores"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--length", "p0=six"), "a whole number of measurements, 1 or more, is expected here"),
        (("--length", "p0=6"), "the onsets name the process 'p1', which has no length"),
        (("--length", "6", "--length", "p1=6"), "--length 6 is for all processes"),
        (("--length", "p0=6", "--length", "p0=5"), "--length gives 'p0' twice"),
        (("--length", "6", "--share", "partitoin"), "did you mean 'partition'?"),
        (("--length", "6", "--share", "partition"), "nobody said where the series were measured"),
        (("--length", "6", "--cuts", "2,2"), "--cuts and --look-ahead are for --share partition"),
        (
            ("--length", "6", "--share", "partition", "--cuts", "2,x"),
            "whole numbers between commas",
        ),
        (("--length", "6", "--checkpoint", "c"), "--checkpoint keeps a search for groups"),
        (("--length", "6", "--scales", "scales.json"), "no format has the suffix '.json'"),
        (("--length", "6", "--flat"), "--flat is for --share partition or merge"),
        (("--length", "6", "--trial", "run"), "say --trial '...' if the column has another name"),
        (
            ("--length", "6", "--time", "tme"),
            "the trials have no column 'tme'; did you mean 'time'?",
        ),
        (("--length", "6", "--noise", "loud"), "--noise 'loud' must be 'common' or 'own'"),
        (("--length", "6", "--share", "regions"), "--share regions needs regions: give --places"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_written(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    before = sorted(folder.iterdir())
    assert execute((*WORDS, *words, "-o", "fit.json")) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert sorted(folder.iterdir()) == before


def test_help_and_wrong_targets_come_before_the_work(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute((*WORDS, "--length", "6", "-o", "nowhere/fit.json")) == 2
    assert "there is no such folder" in capsys.readouterr().err
    assert execute((*WORDS, "--length", "6", "-o", "trials.csv")) == 2
    assert "name the same file" in capsys.readouterr().err


def test_numbers_of_a_fit_are_finite_or_null(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = run_json(capsys, *WORDS, "--length", "p0=6", "--length", "p1=20", "-o", "fit.json")
    sd = plain["groups"][0]["course_sd"]["p1"]
    assert sd[0] > 0
    assert sd[-1] is None
    fit = tc.load_processes("fit.json")
    assert np.isnan(fit.groups[0].course_sd["p1"][-1])


@pytest.mark.parametrize(
    "words",
    [
        ("--share", "all", "--noise", "own", "--baseline", "trial"),
        ("--share", "partition", "--places", "places.csv", "--cuts", "2,2", "--flat"),
        ("--share", "merge", "--slack", "0.5", "--folds", "3"),
    ],
)
def test_the_report_gives_the_command_that_does_it_again(
    words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, *WORDS, *LENGTHS, *words, "-o", "fit.json", "--report", "r.json")
    sections = json.loads(Path("r.json").read_text())["sections"]
    command = next(each for each in sections if each["kind"] == "repeat")["command"]
    assert command.startswith("tacit processes trials.csv --onsets onsets.csv --length p0=6 ")
    assert execute(shlex.split(command)[1:]) == 0
    first, again = tc.load_processes("fit.json"), tc.load_processes("learned.json")
    assert dict(first.settings) == dict(again.settings)
    assert_allclose(first.course("p0", "s3"), again.course("p0", "s3"), rtol=0, atol=0)
    page = Path("report.html").read_text()
    assert "On the command line" in page
    assert command in str(tc.report(first))


def test_what_the_command_line_has_no_words_for_has_no_command(folder: Path) -> None:
    told = tc.HiddenProcesses({"p0": 6, "p1": 6}, "onsets.csv", max_steps=400)
    fit = told.fit("trials.csv", folds=0, seed=1)
    section = tc.report(fit).facts["sections"][-1]
    assert section["command"] is None
    assert "tacit processes" not in str(tc.report(fit))
