"""Every public table reads, with the cases, columns and missing cells its description counts."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tacit.core.variables import Continuous, Discrete
from tacit.io import fastcsv
from tacit.io.cases import read_cases
from tacit.io.states import natural_order, number

pytestmark = pytest.mark.data

Description = dict[str, dict[str, str]]


@pytest.fixture(scope="module")
def described(data_folder: Path) -> dict[str, Description]:
    """By table and column: kind, states, range and missing cells."""
    tables: dict[str, Description] = {}
    with (data_folder / "columns.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            tables.setdefault(row["table"], {})[row["column"]] = row
    return tables


@pytest.fixture(scope="module")
def rows(data_folder: Path) -> dict[str, int]:
    """How many cases the description gives each table."""
    found = {}
    for line in (data_folder / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 3 and cells[1].endswith(".csv.gz`") and "edges" not in cells[1]:
            found[cells[1].strip("`").removesuffix(".csv.gz")] = int(cells[2].replace(",", ""))
    return found


def test_every_table_reads_as_described(
    data_folder: Path, described: dict[str, Description], rows: dict[str, int]
) -> None:
    paths = sorted((data_folder / "tables").glob("*.csv.gz"))
    assert len(paths) > 100
    for path in paths:
        name = path.name.removesuffix(".csv.gz")
        data = read_cases(path)
        columns = described[name]
        assert list(data.names) == list(columns), name
        assert len(data) == rows[name], name
        missing = {column: int(row["missing"]) for column, row in columns.items()}
        assert dict(data.missing()) == missing, name
        for column, row in columns.items():
            _agrees(data.variables[column], row)


def _agrees(variable: Discrete | Continuous, row: dict[str, str]) -> None:
    """The states are those described; codes of many whole numbers may be reals to us."""
    if row["kind"] != "discrete":
        return
    unused = set(filter(None, row["unobserved"].split("|")))
    states = [state.strip() for state in row["states"].split("|") if state not in {"", *unused}]
    if isinstance(variable, Continuous):
        assert not 0 < len(states) <= 20
        assert all(number(state) is not None for state in states)
    else:
        assert list(variable.states) == natural_order(states)


def test_none_is_a_state_of_accident(data_folder: Path) -> None:
    data = read_cases(data_folder / "tables" / "insurance_bnlearn.csv.gz")
    assert data.variables["Accident"] == Discrete(
        "Accident", ("Mild", "Moderate", "None", "Severe")
    )
    assert data.missing()["Accident"] == 0
    assert data.notes == (
        "'None' is a state of 'ThisCarDam', 'Accident'; missing=['None'] would make it a missing "
        "value",
    )


@pytest.mark.parametrize("name", ["insurance_bnlearn", "titanic3", "nhanes_2009_12", "gasch2000"])
def test_both_readers_agree_on_real_tables(
    name: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = data_folder / "tables" / f"{name}.csv.gz"
    monkeypatch.setattr(fastcsv, "SMALL", 1 << 40)
    careful = read_cases(path)
    monkeypatch.setattr(fastcsv, "SMALL", 0)
    fast = read_cases(path)
    assert fast.fingerprint() == careful.fingerprint()
    assert fast.notes == careful.notes
    assert dict(fast.kinds) == dict(careful.kinds)
