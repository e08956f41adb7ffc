"""`tacit fit --source` and `--transfer`: what the words mean is what the library does."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from commands import run, run_json
from tacit.cli.sourced import Named, named_sources, transfer_of

Capture = pytest.CaptureFixture[str]
FIT = ("fit", "here.csv", "--network", "asia.bif", "-o", "o.json")


@pytest.fixture
def sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Few cases here, many at Leeds, a network at York, and other names at Bath."""
    monkeypatch.chdir(tmp_path)
    network = tc.textbook("asia")
    tc.write(network, "asia.bif")
    tc.write(network, "york.bif")
    tc.write_cases(tc.sample(network, 40, seed=1), "here.csv")
    tc.write_cases(tc.sample(network, 300, seed=2), "leeds.csv")
    lines = Path("leeds.csv").read_text().splitlines()
    at = [lines[0].split(",").index(name) for name in ("smoke", "bronc")]
    cells = (line.split(",") for line in lines[1:])
    pairs = (",".join(row[place] for place in at) for row in cells)
    Path("bath.csv").write_text("\n".join(["Smokes,Cough", *pairs]) + "\n")
    Path("bath.dag").write_text("Smokes -> Cough\n")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("leeds.csv", ("leeds", "leeds.csv", None, None)),
        ("Leeds=leeds.csv", ("Leeds", "leeds.csv", None, None)),
        ("St James=data/leeds.csv", ("St James", "data/leeds.csv", None, None)),
        ("leeds.csv:0.5", ("leeds", "leeds.csv", 0.5, None)),
        ("York=york.bif:200", ("York", "york.bif", 200.0, None)),
        ("Bath=bath.csv@A -> B", ("Bath", "bath.csv", None, "A -> B")),
        ("Bath=bath.csv:2@bath.dag", ("Bath", "bath.csv", 2.0, "bath.dag")),
        ("a/b=c.csv", ("b=c", "a/b=c.csv", None, None)),
        (r"C:\data\leeds.csv", (None, r"C:\data\leeds.csv", None, None)),
        ("Pg=postgresql://me@host:5432/db", ("Pg", "postgresql://me@host:5432/db", None, None)),
    ],
)
def test_a_source_is_taken_apart(text: str, expected: tuple[object, ...]) -> None:
    found = named_sources([text])[0]
    name = expected[0] or found.name
    assert found == Named(text, name, *expected[1:])


def test_the_name_of_a_file_is_taken_whole(sites: Path) -> None:
    odd = "Leeds=a@b:2.csv"
    Path(odd).write_text(Path("leeds.csv").read_text())
    assert named_sources([odd])[0].file == odd


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["--source", "leeds.csv"], {"sources": ["leeds.csv"]}),
        (
            ["--source", "L=leeds.csv:0.5", "--source", "York=york.bif:200"],
            {
                "sources": [
                    tc.Source("leeds.csv", "L", strength=0.5),
                    tc.Source("york.bif", "York", strength=200),
                ]
            },
        ),
        (
            ["--source", "Bath=bath.csv@Smokes -> Cough"],
            {"sources": tc.Source("bath.csv", "Bath", structure="Smokes -> Cough")},
        ),
        (
            ["--source", "Bath=bath.csv@bath.dag", "--transfer", "mixture:0.1"],
            {
                "sources": tc.Source("bath.csv", "Bath", structure="bath.dag"),
                "transfer": tc.Mixture(threshold=0.1),
            },
        ),
        (
            ["--source", "leeds.csv", "--transfer", "aggregate:distance"],
            {"sources": "leeds.csv", "transfer": tc.Aggregate(variant="distance")},
        ),
        (
            ["--source", "leeds.csv", "--transfer", "pool:0.5,unchecked"],
            {"sources": "leeds.csv", "transfer": tc.Pool(strength=0.5, check="none")},
        ),
    ],
)
def test_words_are_sources_of_the_library(
    sites: Path, capsys: Capture, words: list[str], options: dict[str, object]
) -> None:
    run(capsys, *FIT, *words, "--save-fit", "f.json")
    fit, expected = tc.load_fit("f.json"), tc.fit("asia.bif", "here.csv", **options)
    assert fit.network == expected.network
    assert fit.borrowed == expected.borrowed
    assert fit.settings["transfer"] == expected.settings["transfer"]


def test_sources_lend_tables_and_json_says_which(sites: Path, capsys: Capture) -> None:
    words = (*FIT, "--source", "Leeds=leeds.csv", "--source", "York=york.bif:200")
    found = run_json(capsys, *words)
    assert {one["variable"] for one in found["borrowed"]} == set(tc.textbook("asia"))
    names = {loan["source"] for one in found["borrowed"] for loan in one["loans"]}
    assert names <= {"Leeds", "York"}
    assert names
    assert run_json(capsys, *FIT)["borrowed"] == []


def test_missing_words_hold_for_sources_too(sites: Path, capsys: Capture) -> None:
    text = Path("leeds.csv").read_text().splitlines()
    text[1] = "?" + text[1][text[1].index(",") :]
    Path("leeds.csv").write_text("\n".join(text) + "\n")
    found = run_json(capsys, *FIT, "--source", "leeds.csv", "--missing", "?", "--seed", "1")
    assert any(one["loans"] for one in found["borrowed"])


def test_states_of_the_network_hold_for_sources_too(sites: Path, capsys: Capture) -> None:
    lines = Path("leeds.csv").read_text().splitlines()
    at = lines[0].split(",").index("asia")
    kept = [lines[0], *(line for line in lines[1:] if line.split(",")[at] == "no")]
    Path("leeds.csv").write_text("\n".join(kept) + "\n")
    found = run_json(capsys, *FIT, "--source", "leeds.csv", "--transfer", "pool")
    lent = {one["variable"]: one["loans"] for one in found["borrowed"]}
    assert lent["asia"]  # though nobody at Leeds was in Asia, it has two states


def test_the_report_and_its_command_do_it_again(sites: Path, capsys: Capture) -> None:
    sources = ("--source", "Leeds=leeds.csv", "--source", "Bath=bath.csv@Smokes -> Cough")
    run(capsys, *FIT, *sources, "--transfer", "best:0.6", "--report", "r.json")
    network = tc.read("o.json")
    sections = {each["kind"]: each for each in json.loads(Path("r.json").read_text())["sections"]}
    assert [one["name"] for one in sections["borrowed"]["sources"]] == ["Leeds", "Bath"]
    tc.write(network, "learned.json")
    run(capsys, *shlex.split(sections["again"]["command"])[1:])
    assert tc.read("again.json") == network


def test_a_transfer_is_read_with_all_its_words() -> None:
    named = [Named("x.csv", "x", "x.csv")]
    assert transfer_of(None, named) is None
    assert transfer_of("best", named) == tc.BestFragment()
    told = transfer_of("best:0.8,guided,apart,strict,together,align", named)
    assert told == tc.BestFragment(
        threshold=0.8, guided=True, learned=False, check="strict", states="aggregate",
        parents="align",
    )  # fmt: skip
    assert transfer_of("best:normal,printed", named) == tc.BestFragment(
        fusion="normal", printed=True
    )


def test_nothing_is_written_over_a_source(sites: Path, capsys: Capture) -> None:
    from tacit.cli.main import execute

    before = Path("york.bif").read_text()
    words = ("fit", "here.csv", "--network", "asia.bif", "--source", "york.bif:9", "-o", "york.bif")
    assert execute(words) == 2
    assert "--source and -o name the same file york.bif" in capsys.readouterr().err
    assert Path("york.bif").read_text() == before


@pytest.fixture
def clinics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two clinics that measure with gaps; the second has no column for the dose."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(5)
    for name, number in (("here.csv", 60), ("leeds.csv", 300)):
        ward = random.choice(["a", "b"], number)
        cured = np.where(random.random(number) < np.where(ward == "a", 0.3, 0.8), "yes", "no")
        dose = random.normal(5 + (ward == "a"), 1)
        days = np.round(random.normal(9 - 2 * (cured == "yes") - 0.5 * dose, 1), 3)
        columns = {"Ward": ward, "Cured": cured, "Days": days, "Dose": dose}
        gone = random.random((4, number)) < 0.1
        columns = {
            each: [None if lost else value for value, lost in zip(cells, holes, strict=True)]
            for (each, cells), holes in zip(columns.items(), gone, strict=True)
        }
        if number == 300:
            del columns["Dose"]
        tc.write_cases(columns, name)
    return tmp_path


MIXED = "Ward -> Cured; Ward -> Dose; Cured, Dose -> Days"
BESIDE = ("fit", "here.csv", "--network", MIXED, "--seed", "1", "-o", "o.json")


def test_tables_are_lent_beside_real_columns_with_gaps_on_both_sides(
    clinics: Path, capsys: Capture
) -> None:
    words = (*BESIDE, "--source", "Leeds=leeds.csv", "--normal-prior", "1")
    found = run_json(capsys, *words, "--save-fit", "f.json", "--report", "r.json")
    prior = [tc.BDeu(1), tc.NormalGamma()]
    source = tc.Source("leeds.csv", "Leeds")
    expected = tc.fit(MIXED, "here.csv", sources=source, prior=prior, seed=1)
    fit = tc.load_fit("f.json")
    assert fit.network == expected.network
    assert fit.borrowed == expected.borrowed
    assert any(one["loans"] for one in found["borrowed"])
    said = "Dose, Days borrowed nothing: their families are no tables, and only tables are lent"
    assert said in found["notes"]
    network = tc.read("o.json")
    sections = {each["kind"]: each for each in json.loads(Path("r.json").read_text())["sections"]}
    run(capsys, *shlex.split(sections["again"]["command"])[1:])
    assert tc.read("learned.json") == network


def test_a_hidden_variable_without_states_needs_no_column_at_the_source(
    clinics: Path, capsys: Capture
) -> None:
    dag = ("--network", "Ward -> Cured; F -> Dose, Days; Ward -> Dose", "--hidden", "F=continuous")
    words = ("fit", "here.csv", *dag, "--seed", "1", "-o", "o.json", "--source", "leeds.csv")
    found = run_json(capsys, *words, "--restarts", "1")
    assert {one["variable"] for one in found["borrowed"]} == {"Ward", "Cured"}


def test_a_source_may_show_states_that_the_network_lacks(clinics: Path, capsys: Capture) -> None:
    tc.write(tc.fit("Ward -> Cured", "here.csv", seed=1).network, "net.bif")
    text = Path("leeds.csv").read_text()
    Path("leeds.csv").write_text(f"{text}c,yes,8.5\n")
    words = ("fit", "here.csv", "--network", "net.bif", "--seed", "1", "-o", "o.json")
    found = run_json(capsys, *words, "--source", "leeds.csv")
    why = {one["variable"]: one["why"] for one in found["borrowed"]}
    assert why["Cured"] == "no source has a fragment of this shape"


def test_where_nothing_is_a_table_the_way_out_works(clinics: Path, capsys: Capture) -> None:
    from tacit.cli.main import execute

    words = ("fit", "here.csv", "--network", "Dose -> Days", "--seed", "1", "-o", "o.json")
    Path("york.csv").write_text("Dose,Days\n5.5,7.25\n4.25,8.5\n")
    assert execute([*words, "--source", "york.csv"]) == 2
    assert capsys.readouterr().err == (
        "tacit: every variable here is continuous, and only tables of variables with states are "
        "borrowed\n\nleave out the sources\n"
    )
    run(capsys, *words)
    named = (*BESIDE, "--source", "York=york.csv@Dose -> Days")
    assert execute(named) == 2
    assert capsys.readouterr().err == (
        "tacit: source 'York': it has no table to lend: all its variables are continuous\n\n"
        "leave this source out\n"
    )
