"""Whole jobs on public tables: every one ends in an answer, in time, without a warning."""

from __future__ import annotations

from pathlib import Path

import pytest

import battery

pytestmark = pytest.mark.data

TROUBLESOME = {
    "titanic3": 400,
    "pima2": 300,
    "mice_nhanes2": 25,
    "uci_credit_a": 100,
    "bfi": 100,
    "uci_hypothyroid": 100,
    "coronary": 300,
    "iris": 100,
    "carcinoma": 118,
}
"""Tables that are hard in one way or another, and how many cases of each are taken: empty and
constant columns, gaps beside real values, many states together missing, and whole tables."""


def _troubles(path: Path, folder: Path, most: int, limit: float) -> list[str]:
    return [str(each) for each in battery.spend(path, folder, most, limit) if each.what]


@pytest.mark.parametrize("table", TROUBLESOME)
def test_every_job_on_a_troublesome_table_gives_an_answer(
    table: str, data_folder: Path, tmp_path: Path
) -> None:
    path = data_folder / "tables" / f"{table}.csv.gz"
    assert _troubles(path, tmp_path, TROUBLESOME[table], battery.LIMIT) == []


@pytest.mark.full
def test_every_job_on_every_table_gives_an_answer(data_folder: Path, tmp_path: Path) -> None:
    troubles = []
    for path in sorted((data_folder / "tables").glob("*.csv.gz")):
        folder = tmp_path / path.name
        folder.mkdir()
        troubles += _troubles(path, folder, 3000, battery.LIMIT)
    assert troubles == []
