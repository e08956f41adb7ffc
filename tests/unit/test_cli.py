"""The command line: what it prints, what it writes, and that its numbers are the library's."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit as tc
from tacit.cli.main import execute

DAG = "Smoker -> Cancer -> Xray"
COMMANDS = (
    "evaluate",
    "text",
    "posterior",
    "compare",
    "discover",
    "fit",
    "query",
    "predict",
    "score",
    "sample",
    "convert",
    "show",
    "report",
    "demo",
)


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a network, cases drawn from it, and cases with gaps and weights."""
    monkeypatch.chdir(tmp_path)
    network = tc.textbook("asia")
    tc.write(network, "asia.bif")
    tc.write_cases(tc.sample(network, 300, seed=1), "cases.csv")
    Path("weighted.csv").write_text(
        "Smoker,Cancer,Xray,times\nyes,yes,dark,3\nno,no,clear,5\nyes,no,?,1\nno,no,dark,1\n"
    )
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The standard output of a command that must succeed without a word on standard error."""
    status = execute(words)
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    return out


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The one object that a command prints under --json."""
    found = json.loads(run(capsys, *words, "--json"), parse_constant=pytest.fail)
    assert isinstance(found, dict)
    assert found["command"] == words[0]
    return found


def test_fit_writes_what_the_library_learns(
    clinic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--prior", "bdeu:10", "-o", "out.bif", "--save-fit", "fit.json", "--report", "r.html"]
    out = run(capsys, "fit", "cases.csv", "--network", "asia.bif", *words, "--seed", "4")
    expected = tc.fit("asia.bif", "cases.csv", prior=tc.BDeu(10))
    assert tc.read("out.bif") == expected.network
    assert "Fit to 300 cases, Smoothed() with prior BDeu(10)" in out
    assert out.endswith(
        "network written to out.bif\nfit written to fit.json\nreport written to r.html\n"
    )
    saved = tc.load_fit("fit.json")
    assert saved.network == expected.network
    assert saved.seed == 4
    assert Path("r.html").read_text().lower().startswith("<!doctype html>")
    assert sorted(path.name for path in clinic.iterdir()) == sorted(
        ["asia.bif", "cases.csv", "weighted.csv", "out.bif", "fit.json", "r.html"]
    )


def test_fit_in_json_holds_the_figures(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--network", "asia.bif", "-o", "o.json", "--estimate", "ml"]
    found = run_json(capsys, "fit", "cases.csv", *words)
    expected = tc.fit("asia.bif", "cases.csv", estimate=tc.ML())
    assert found["log_likelihood"] == pytest.approx(expected.log_likelihood)
    assert found["average_log_likelihood"] == pytest.approx(expected.log_likelihood / 300)
    assert found["cases"] == 300
    assert found["free_parameters"] == 18
    assert found["estimate"] == "ML()"
    assert found["rows_without_cases"] == sum(map(len, expected.empty_rows.values()))
    assert found["written"] == {"network": "o.json"}
    assert found["notes"] == list(expected.notes)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["--prior", "k2"], {"prior": tc.K2()}),
        (["--prior", "jeffreys"], {"prior": tc.Jeffreys()}),
        (["--prior", "dirichlet:2"], {"prior": tc.Dirichlet(2.0)}),
        (["--prior", "bdeu"], {"prior": tc.BDeu(1)}),
        (["--estimate", "ml", "--empty", "prior"], {"estimate": tc.ML("prior")}),
        (["--estimate", "map", "--prior", "k2"], {"estimate": tc.MAP(), "prior": tc.K2()}),
        (["--estimate", "mean"], {"estimate": tc.PosteriorMean()}),
        (["--level", "0.5", "--threads", "1"], {"level": 0.5, "threads": 1}),
    ],
)
def test_words_of_fit_are_values_of_the_library(
    clinic: Path, capsys: pytest.CaptureFixture[str], words: list[str], options: dict[str, Any]
) -> None:
    common = ["--network", "asia.bif", "-o", "o.json", "--save-fit", "f.json"]
    run(capsys, "fit", "cases.csv", *common, *words)
    expected = tc.fit("asia.bif", "cases.csv", **options)
    assert tc.read("o.json") == expected.network
    assert dict(tc.load_fit("f.json").settings) == dict(expected.settings)


def test_fit_takes_a_dag_as_text_with_weights_and_missing_marks(
    clinic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--weights", '"times"', "--missing", "?", "--method", "available", "-o", "o.json"]
    found = run_json(capsys, "fit", "weighted.csv", "--network", DAG, *words)
    data = tc.read_cases("weighted.csv", weights="times", missing=["?"])
    expected = tc.fit(DAG, data, method=tc.AvailableCases())
    assert tc.read("o.json") == expected.network
    assert (found["cases"], found["weight"]) == (4, 10.0)
    assert found["missing_cells"] == {"Xray": 1}


def test_fit_reads_a_table_or_a_query_of_a_database(
    clinic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import duckdb

    with duckdb.connect("clinic.duckdb") as base:
        base.execute("CREATE TABLE visits AS FROM read_csv('cases.csv', all_varchar=true)")
        base.execute("CREATE TABLE other AS SELECT 1 AS x")
    common = ["--network", "asia.bif", "-o"]
    run(capsys, "fit", "clinic.duckdb", "--table", "visits", *common, "table.bif")
    run(capsys, "fit", "clinic.duckdb", "--query", "FROM visits", *common, "query.bif")
    expected = tc.fit("asia.bif", "cases.csv").network
    assert tc.read("table.bif") == expected
    assert tc.read("query.bif") == expected


def test_fit_takes_numbers_as_states_or_as_reals(
    clinic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("n.csv").write_text("a,b\n" + "".join(f"{at % 3},{at}\n" for at in range(60)))
    common = ["fit", "n.csv", "--network", "a -> b", "-o", "o.json"]
    run(capsys, *common, "--continuous", "a", "--continuous", "b")
    assert isinstance(tc.read("o.json")["a"], tc.LinearGaussian)
    run(capsys, *common, "--discrete", "a", "--discrete", "b")
    assert tc.read("o.json")["b"].values.shape == (3, 60)


def test_score_is_the_log_likelihood(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, "score", "asia.bif", "cases.csv", "--per-case", "each.csv")
    expected = tc.log_likelihood(tc.read("asia.bif"), "cases.csv")
    assert found["log_likelihood"] == pytest.approx(float(expected))
    assert found["average_log_likelihood"] == pytest.approx(expected.average)
    assert found["impossible_cases"] == 0
    with Path("each.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["case"] for row in rows] == [str(at) for at in range(1, 301)]
    assert [float(row["log_likelihood"]) for row in rows] == expected.per_case.tolist()
    assert float(run(capsys, "score", "asia.bif", "cases.csv", "--quiet")) == float(expected)


def test_score_counts_cases_that_cannot_be(
    clinic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Path("cases.csv").read_text().splitlines()
    names = lines[0].split(",")
    impossible = dict.fromkeys(names, "no") | {"lung": "yes"}
    Path("odd.csv").write_text("\n".join([*lines, ",".join(impossible.values())]) + "\n")
    found = run_json(capsys, "score", "asia.bif", "odd.csv")
    assert found["log_likelihood"] is None
    assert found["impossible_cases"] == 1
    assert "1 case is impossible" in run(capsys, "score", "asia.bif", "odd.csv")


@pytest.mark.parametrize("name", ["s.csv", "s.csv.gz", "s.tsv", "s.parquet"])
def test_sample_writes_cases_that_read_back(
    clinic: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    words = ["-n", "50", "--seed", "3", "--missing-share", "0.2", "-o", name]
    found = run_json(capsys, "sample", "asia.bif", *words)
    network = tc.read("asia.bif")
    drawn = tc.sample(network, 50, seed=3, missing=tc.AtRandom(0.2))
    back = tc.read_cases(name, like=network)
    for column in drawn.names:
        np.testing.assert_array_equal(back[column], drawn[column])
    assert found["missing_cells"] == sum(drawn.missing().values())
    assert found["seed"] == 3


def test_sample_without_a_seed_says_which_it_used(
    clinic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run_json(capsys, "sample", "asia.bif", "-n", "20", "-o", "one.csv")
    run(capsys, "sample", "asia.bif", "-n", "20", "-o", "two.csv", "--seed", str(found["seed"]))
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()


@pytest.mark.parametrize("name", ["n.xmlbif", "n.xdsl", "n.net", "n.dsc", "n.json.gz", "n.bif"])
def test_convert_keeps_the_network(
    clinic: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    out = run(capsys, "convert", "asia.bif", name)
    assert tc.read(name) == tc.read("asia.bif")
    assert f"network written to {name}" in out


def test_show_prints_the_network_or_tables(
    clinic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    network = tc.read("asia.bif")
    assert run(capsys, "show", "asia.bif") == f"{network}\n"
    tables = run(capsys, "show", "asia.bif", "lung", '"dysp"')
    assert tables == f"{network['lung']}\n\n{network['dysp']}\n"
    found = run_json(capsys, "show", "asia.bif", "lung")
    assert [family["child"] for family in found["families"]] == ["lung"]


def test_show_prints_a_dag(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("d.dag").write_text(DAG)
    shown = run(capsys, "show", DAG)
    assert shown.splitlines()[0] == "Dag of 3 variables, 2 arcs"
    assert shown == run(capsys, "show", "d.dag")
    assert run(capsys, "show", '"x.1"').splitlines()[0] == "Dag of 1 variable, 0 arcs"
    assert run_json(capsys, "show", DAG)["arcs"] == [["Smoker", "Cancer"], ["Cancer", "Xray"]]


@pytest.mark.parametrize("name", ["r.html", "r.md", "r.txt", "r.json"])
def test_report_is_that_of_the_saved_fit(
    clinic: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    fit = tc.fit("asia.bif", "cases.csv")
    fit.save("fit.json")
    out = run(capsys, "report", "fit.json", "-o", name)
    tc.report(fit).save(f"expected-{name}")
    assert Path(name).read_bytes() == Path(f"expected-{name}").read_bytes()
    assert f"report written to {name}" in out


@pytest.mark.parametrize(
    "words",
    [
        ["fit", "cases.csv", "--network", "asia.bif", "-o", "o.bif"],
        ["sample", "asia.bif", "-n", "5", "-o", "s.csv"],
        ["convert", "asia.bif", "o.net"],
    ],
)
def test_quiet_commands_say_nothing(
    clinic: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert run(capsys, *words, "--quiet") == ""


def test_demo_tells_what_was_learned_and_where_the_report_lies(
    clinic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run(capsys, "demo", "--output", "tour/one", "--seed", "5")
    folder = Path("tour/one")
    names = {"patients.csv", "new-patients.csv", "experts.know", "learned.bif", "fit.json"}
    names |= {"report.html"}
    assert {path.name for path in folder.iterdir()} == names
    assert "What was learned:" in out
    assert "P(dysp=yes | bronc, either)" in out
    assert "report   tour/one/report.html" in out.splitlines()[-1]
    assert len(tc.read_cases(folder / "patients.csv")) == 200
    assert tc.load_fit(folder / "fit.json").network == tc.read(folder / "learned.bif")
    found = run_json(capsys, "demo", "--output", "tour/two", "--seed", "5")
    assert found["average_log_likelihood"]["truth"] > found["average_log_likelihood"]["smoothed"]
    for name in names - {"fit.json", "report.html"}:
        assert (folder / name).read_bytes() == (Path("tour/two") / name).read_bytes()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_explains_and_shows_an_example(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    out = run(capsys, command, "--help")
    assert f"Usage: tacit {command}" in out
    assert f"Examples:\n    tacit {command}" in out or command == "report"
    assert {"--json", "--seed", "--quiet"} <= set(out.replace(",", " ").split())


def test_the_bare_command_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys)
    assert out == run(capsys, "--help")
    assert all(f"\n  {command} " in out for command in COMMANDS)
    assert "..." not in out.replace("[ARGS]...", "")


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version") == f"tacit {tc.__version__}\n"
