"""Trials and onsets from tables, frames, files and arrays."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tacit as tc
from tacit.io.trials import as_onsets

TABLE = {
    "trial": ["2", "10", "2", "10", "2", "10"],
    "time": [0.5, 0.0, 0.0, 0.5, 1.5, 1.0],
    "x": [2.0, 11.0, 1.0, 12.0, 4.0, None],
    "y": [20.0, 110.0, 10.0, 120.0, 40.0, 130.0],
}


def _same(trials: tc.Trials) -> None:
    assert trials.names == ("2", "10")
    assert trials.series == ("x", "y")
    assert trials.step == 0.5
    assert_array_equal(trials["2"][:, 0], [1, 2, np.nan, 4])
    assert_array_equal(trials["10"][:, 0], [11, 12, np.nan])
    assert_array_equal(trials["10"][:, 1], [110, 120, 130])
    assert (trials.measurements, trials.missing) == (11, 3)


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "csv", "csv.gz", "parquet"])
def test_every_source_gives_the_same_trials(kind: str, tmp_path: Path) -> None:
    source: object = TABLE
    if kind == "pandas":
        source = pd.DataFrame(TABLE)
    elif kind == "polars":
        source = pl.DataFrame(TABLE)
    elif kind != "dict":
        path = tmp_path / f"trials.{kind}"
        getattr(pd.DataFrame(TABLE), "to_parquet" if kind == "parquet" else "to_csv")(
            path, index=False
        )
        source = path
    _same(tc.read_trials(source))


def test_the_order_of_lines_changes_nothing() -> None:
    frame = pd.DataFrame(TABLE).sample(frac=1, random_state=1)
    assert tc.read_trials(frame).fingerprint() == tc.read_trials(TABLE).fingerprint()


def test_lines_without_times_are_one_step_apart() -> None:
    trials = tc.read_trials({"trial": ["a", "a", "b"], "x": [1.0, 2.0, 3.0]})
    assert trials.step == 1.0
    assert_array_equal(trials["a"][:, 0], [1, 2])
    assert "one step apart" in trials.notes[0]


def test_arrays_lists_and_mappings_are_trials() -> None:
    cube = np.arange(12.0).reshape(2, 3, 2)
    for source in (cube, [cube[0], cube[1]], {"1": cube[0], "2": cube[1]}):
        trials = tc.read_trials(source, series=["x", "y"])
        assert trials.names == ("1", "2")
        assert_array_equal(trials["2"], cube[1])
    with pytest.raises(ValueError, match="read-only"):
        trials["2"][0, 0] = 1.0


def test_columns_are_chosen_and_named_otherwise() -> None:
    table = {"run": TABLE["trial"], "t": TABLE["time"], "x": TABLE["x"], "who": ["a"] * 6}
    trials = tc.read_trials(table, series="x", trial="run", time="t", missing=["?"])
    assert trials.series == ("x",)


def test_places_and_regions_come_by_the_names_of_series(tmp_path: Path) -> None:
    path = tmp_path / "places.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([["series", "a", "b", "region"], ["y", 3, 4, "L"], ["z", 0, 0, "L"]])
        writer.writerow(["x", 1, 2, "R"])
    trials = tc.read_trials(TABLE, places=path)
    assert_array_equal(trials.places, [[1, 2], [3, 4]])
    assert trials.regions == ("R", "L")
    again = tc.read_trials(trials, places={"x": (1, 2), "y": (3, 4)})
    assert_array_equal(again.places, trials.places)
    assert trials.select(["y"]).regions == ("L",)


def test_onsets_from_tables_mappings_and_values_agree() -> None:
    wanted = (tc.Onset("S", "2", 0.5), tc.Onset("S", "10", 0.0), tc.Onset("S", "10", 1.0))
    table = {"trial": ["2", "10", "10"], "process": ["S"] * 3, "onset": [0.5, 0.0, 1.0]}
    assert as_onsets(table) == as_onsets({"S": {"2": 0.5, "10": [0.0, 1.0]}}) == wanted
    assert as_onsets(list(wanted)) == as_onsets(pl.DataFrame(table)) == wanted
    assert wanted[0].known


def test_windows_and_series_come_from_columns() -> None:
    table = {
        "trial": ["2", "2"],
        "process": ["S", "P"],
        "onset": [1.0, None],
        "earliest": [None, 0.0],
        "latest": [None, 1.0],
        "sd": [None, 0.5],
        "series": ["x", None],
    }
    known, opened = as_onsets(table)
    assert known == tc.Onset("S", "2", 1.0, series=("x",))
    assert (opened.time, opened.earliest, opened.latest, opened.sd) == (0.5, 0.0, 1.0, 0.5)
    assert not opened.known


def test_onsets_are_in_the_unit_of_the_times() -> None:
    trials = tc.read_trials(TABLE)
    fit = tc.HiddenProcesses({"S": 2}, {"S": {"2": 0.5, "10": 0.0}}, share="none").fit(
        trials, folds=0
    )
    assert_allclose(fit.course("S", "y"), [(20 + 110) / 2, 120])


def test_a_process_may_act_on_some_series_only() -> None:
    random = np.random.default_rng(0)
    values = {str(at): random.normal(0, 1, (6, 3)) for at in range(4)}
    onsets = [tc.Onset("p", name, 0.0) for name in values]
    onsets += [tc.Onset("q", name, 2.0, series=("s1", "s3")) for name in values]
    fit = tc.HiddenProcesses({"p": 6, "q": 3}, onsets, share="none").fit(values, folds=0)
    mean = np.mean([*values.values()], axis=0)
    shown = fit.predict(tc.read_trials(values))["0"]
    assert np.allclose(shown[:, 1], mean[:, 1])
    assert np.allclose(fit.course("q", "s2"), 0)
    assert np.allclose(shown, mean)


def test_a_process_may_start_twice_in_a_trial() -> None:
    course, onsets = np.array([3.0, 2.0, 1.0]), {"p": {"a": [0, 2], "b": [1]}}
    values = {"a": np.zeros((6, 1)), "b": np.zeros((5, 1))}
    for trial, starts in onsets["p"].items():
        for start in starts:
            values[trial][start : start + 3, 0] += course
    fit = tc.HiddenProcesses(3, onsets, share="none").fit(values, folds=0)
    assert np.allclose(fit.course("p", "s1"), course)
    assert any("leave nothing of 1 of the series but rounding" in note for note in fit.notes)
