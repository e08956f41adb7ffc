"""`tacit predict`, and `tacit score` with cells or columns that are not there."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from commands import run, run_json

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def asia(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tc.Network:
    """The network, cases with gaps, and cases of which some cannot be."""
    monkeypatch.chdir(tmp_path)
    network = tc.textbook("asia")
    tc.write(network, "asia.json")
    tc.write_cases(tc.sample(network, 60, seed=1, missing=tc.AtRandom(0.3)), "gaps.csv")
    tc.write_cases(tc.sample(network, 60, seed=1), "whole.csv")
    Path("odd.csv").write_text(
        "lung,tub,either,xray\nyes,no,no,\nyes,,no,yes\nno,,,yes\nno,?,no,?\n"
    )
    return network


def lines(name: str) -> list[dict[str, str]]:
    with Path(name).open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ["p.csv", "p.csv.gz", "p.tsv", "p.parquet"])
def test_posteriors_are_those_of_the_library(asia: tc.Network, capsys: Capture, name: str) -> None:
    found = run_json(capsys, "predict", "asia.json", "gaps.csv", "-o", name)
    expected = tc.predict(asia, "gaps.csv")
    back = tc.read_cases(name, continuous=[f"{v}=yes" for v in asia])
    assert found["predicted"] == list(expected.unobserved)
    assert list(back.names) == [f"{v}={s}" for v in asia.dag.names for s in ("yes", "no")]
    for variable in asia:
        assert_allclose(back[f"{variable}=yes"], expected[variable][:, 0], rtol=1e-15)


def test_the_most_probable_state_stands_beside_its_probability(
    asia: tc.Network, capsys: Capture
) -> None:
    run(capsys, "predict", "asia.json", "gaps.csv", "--most-probable", "-o", "p.csv")
    expected = tc.predict(asia, "gaps.csv")
    rows = lines("p.csv")
    assert list(rows[0])[:2] == ["asia", "P(asia)"]
    for name in asia:
        assert [row[name] for row in rows] == expected.most_probable(name)
        assert_allclose([float(row[f"P({name})"]) for row in rows], expected[name].max(axis=1))


def test_a_column_may_be_hidden_to_be_predicted(asia: tc.Network, capsys: Capture) -> None:
    found = run_json(capsys, "predict", "asia.json", "whole.csv", "--hide", "lung", "-o", "p.csv")
    assert found["predicted"] == ["lung"]
    assert found["missing_cells"] == 60
    assert found["notes"] == ["lung hidden by --hide: predicted in every case"]
    data = tc.read_cases("whole.csv", like=asia)
    expected = tc.predict(asia, data.select([n for n in data.names if n != "lung"]))["lung"]
    assert_allclose([float(row["lung=yes"]) for row in lines("p.csv")], expected[:, 0])


def test_cases_that_cannot_be_are_noted_and_left_empty(asia: tc.Network, capsys: Capture) -> None:
    words = ["predict", "asia.json", "odd.csv", "--missing", "?", "-o", "p.csv"]
    out = run(capsys, *words)
    assert "note: 2 cases are impossible under the network and left empty: 1, 2" in out
    rows = lines("p.csv")
    assert [row["smoke=yes"] == "" for row in rows] == [True, True, False, False]
    assert rows[0]["tub=no"] == "1.0"
    assert run_json(capsys, *words)["impossible_cases"] == [1, 2]
    run(capsys, *words, "--most-probable")
    assert [(row["smoke"], row["P(smoke)"]) for row in lines("p.csv")[:2]] == [("", "")] * 2


def test_score_sums_out_what_is_missing(asia: tc.Network, capsys: Capture) -> None:
    found = run_json(capsys, "score", "asia.json", "gaps.csv")
    expected = tc.log_likelihood(asia, "gaps.csv")
    data = tc.read_cases("gaps.csv", like=asia)
    assert found["log_likelihood"] == pytest.approx(float(expected))
    assert found["missing_cells"] == {name: n for name, n in data.missing().items() if n}
    told = run(capsys, "score", "asia.json", "gaps.csv")
    assert f"{sum(data.missing().values())} cells are missing and summed out" in told


def test_score_notes_variables_without_a_column(asia: tc.Network, capsys: Capture) -> None:
    found = run_json(capsys, "score", "asia.json", "odd.csv", "--missing", "?")
    assert found["notes"] == [
        "asia, smoke, bronc, dysp have no column: summed out in every case",
    ]
    assert found["impossible_cases"] == 2


def test_a_wrong_state_is_found_in_its_line(asia: tc.Network) -> None:
    Path("wrong.csv").write_text("lung,xray\nyes,no\nyes,maybe\n")
    for ask in (tc.predict, tc.log_likelihood):
        with pytest.raises(tc.StateError, match=r"^wrong\.csv:3: 'xray' has no state 'maybe'"):
            ask(asia, "wrong.csv")


def test_partial_reading_takes_the_columns_that_are_there(asia: tc.Network) -> None:
    data = tc.read_cases("odd.csv", like=asia, missing="?", partial=True)
    assert data.names == ("tub", "lung", "either", "xray")
    np.testing.assert_array_equal(data["tub"], [1, -1, -1, -1])
    with pytest.raises(tc.ColumnError, match="no column of the cases is a variable"):
        tc.read_cases({"x": [1, 2]}, like=asia, partial=True)
