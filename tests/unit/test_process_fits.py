"""What a fit of hidden processes says, keeps, and draws."""

from __future__ import annotations

import json
import pickle
import re
import signal
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from planted_processes import planted
from tacit.core.errors import FormatError
from tacit.learn.processes.saved import to_plain

GROUPS = [0, 0, 1, 1]
PLACES = np.array([[0, 0], [0, 1], [5, 0], [5, 1]], dtype=float)


@pytest.fixture(scope="module")
def drawn():
    return planted(lengths=(6, 6), groups=GROUPS, trials=12, noise=0.5)


@pytest.fixture(scope="module")
def fit(drawn):
    opened = [
        tc.Onset(one.process, one.trial, one.time, one.time - 1, one.time + 1, 0.7)
        if one.trial == "3"
        else one
        for one in drawn.onsets
    ]
    trials = tc.Trials(drawn.trials.values, drawn.trials.series, places=PLACES)
    told = tc.HiddenProcesses(drawn.told, opened, share=tc.Partition((2, 1)))
    return told.fit(trials, folds=4, seed=1)


def test_it_prints_its_groups_scores_and_notes(fit):
    lines = str(fit).splitlines()
    assert lines[0] == "2 processes in 2 groups of 4 series, 12 trials"
    assert re.fullmatch(r"  all\.1 +2 +-?[\d.]+ at \d +-?[\d.]+ at \d +[\d.]+", lines[2])
    assert any(line.startswith("held-out log-likelihood -") for line in lines)
    assert "<table" in fit._repr_html_()
    assert repr(fit) == "<ProcessFit: 2 processes in 2 groups of 4 series, 12 trials>"


def test_it_is_the_same_after_it_was_saved(fit, tmp_path: Path):
    fit.save(tmp_path / "fit.json.gz")
    again = tc.load_processes(tmp_path / "fit.json.gz")
    assert json.dumps(to_plain(again)) == json.dumps(to_plain(fit))
    assert str(again) == str(fit)
    assert tc.report(again).to_json() == tc.report(fit).to_json()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:100], "no saved processes, or the file was cut short"),
        (lambda text: text.replace('"version": 1', '"version": 9'), "version 9 of saved processes"),
        (lambda text: text.replace('"noise"', '"noises"', 1), "the saved processes are damaged"),
        (lambda text: text.replace('"processes": {"p0": 6', '"processes": {"p0": 7'), "damaged"),
    ],
)
def test_damaged_files_are_told_of(fit, tmp_path: Path, change, said):
    path = tmp_path / "fit.json"
    fit.save(path)
    path.write_text(change(path.read_text()))
    with pytest.raises(FormatError, match=re.escape(said)):
        tc.load_processes(path)


def test_frames_have_a_line_per_time_and_per_series(fit):
    frame = fit.to_frame()
    assert list(frame.columns) == ["group", "process", "time", "value", "low", "high"]
    assert len(frame) == 2 * 12
    assert (frame["low"] < frame["value"]).all()
    columns = fit.scale_columns()
    assert list(columns) == ["series", "group", "p0", "p0 sd", "p1", "p1 sd", "noise"]


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    inside, scaled = [], []
    for seed in range(30):
        one = planted(lengths=(6, 5), series=5, trials=20, noise=0.6, seed=seed)
        found = tc.HiddenProcesses(one.told, one.onsets).fit(one.trials, folds=0, level=0.9)
        group = found.groups[0]
        for k, name in enumerate(found.processes):
            sign = np.sign(one.scales[k].mean())
            size = sign * np.sqrt(np.mean(one.scales[k] ** 2))
            truth = one.courses[0][:6] if k == 0 else one.courses[0][6:]
            wide = found.factor * group.course_sd[name]
            inside += (np.abs(group.courses[name] - truth * size) <= wide).tolist()
            wide = found.factor * group.scale_sd[name]
            scaled += (np.abs(group.scales[name] - one.scales[k] / size) <= wide).tolist()
    assert abs(np.mean(inside) - 0.9) < 0.06
    assert abs(np.mean(scaled) - 0.9) < 0.06


def test_aic_and_bic_charge_for_parameters(drawn):
    found = tc.HiddenProcesses(drawn.told, drawn.onsets).fit(drawn.trials, folds=0)
    assert found.parameters == 12 + 2 * 3 + 1
    assert found.aic == found.log_likelihood - found.parameters
    assert_allclose(found.bic, found.log_likelihood - 9.5 * np.log(12 * 12 * 4))
    own = tc.HiddenProcesses(drawn.told, drawn.onsets, noise="own").fit(drawn.trials, folds=0)
    assert own.parameters == found.parameters + 3
    assert own.log_likelihood >= found.log_likelihood


def test_a_report_draws_courses_groups_and_onsets(fit, tmp_path: Path):
    report = tc.report(fit)
    assert [section["kind"] for section in report.facts["sections"]] == [
        "answer",
        "courses",
        "sharing",
        "onsets",
        "held_out",
        "repeat",
    ]
    page = report.to_html()
    assert page.count("<polyline") == 4
    assert page.count("<polygon") == 4
    assert page.count("<rect") == 8
    assert "nan" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL).lower().split()
    for form in (".md", ".txt", ".json"):
        report.save(tmp_path / f"r{form}")
    text = (tmp_path / "r.txt").read_text()
    assert "Cells, with the held-out log-likelihood" in text
    assert "tc.Partition(cuts=(2, 1)" in text


def test_merges_stand_in_the_report(drawn):
    merged = tc.HiddenProcesses(drawn.told, drawn.onsets, share=tc.Merging(nested=False))
    found = merged.fit(drawn.trials, folds=4, seed=1)
    text = str(tc.report(found))
    assert "Merges, with what each gained" in text
    assert len(found.merges) == 2


def test_much_uneven_noise_is_noted():
    one = planted(series=6, noise=0.1)
    loud = {
        name: array * np.array([1, 1, 1, 1, 1, 400.0]) for name, array in one.trials.values.items()
    }
    found = tc.HiddenProcesses(one.told, one.onsets).fit(tc.Trials(loud, one.trials.series))
    assert any("noise='own' gives each its own" in note for note in found.notes)
    own = tc.HiddenProcesses(one.told, one.onsets, noise="own").fit(
        tc.Trials(loud, one.trials.series)
    )
    assert not any("noise='own'" in note for note in own.notes)
    assert own.score.average > found.score.average


def test_processes_that_always_start_together_cannot_be_told_apart():
    values = {str(at): np.random.default_rng(at).normal(0, 1, (6, 2)) for at in range(4)}
    onsets = {"p": dict.fromkeys(values, 0), "q": dict.fromkeys(values, 0)}
    found = tc.HiddenProcesses(6, onsets, share="none").fit(values, folds=0)
    assert_allclose(found.course("p", "s1"), found.course("q", "s1"))
    assert any("not told apart in 6 directions" in note for note in found.notes)


def test_ctrl_c_leaves_the_groups_so_far(drawn):
    told = tc.HiddenProcesses(drawn.told, drawn.onsets, share=tc.Merging())
    seen = []

    def heard(done, total):
        seen.append((done, total))
        if len(seen) == 1:
            signal.raise_signal(signal.SIGINT)

    assert threading.current_thread() is threading.main_thread()
    found = told.fit(drawn.trials, folds=4, seed=1, progress=heard)
    assert found.stop.name == "INTERRUPTED"
    assert found.score is None
    assert any("interrupted before all folds were held out" in note for note in found.notes)
    assert {name for group in found.groups for name in group.series} == set(drawn.trials.series)


def test_values_can_be_copied_and_sent_elsewhere(fit, drawn):
    for value in (fit, drawn.trials, fit.groups[0]):
        again = pickle.loads(pickle.dumps(value))
        assert str(again) == str(value)
    told = tc.HiddenProcesses(drawn.told, drawn.onsets, share={"g": drawn.trials.series})
    assert pickle.loads(pickle.dumps(told)) == told
    assert repr(told) == (
        "<HiddenProcesses {'p0': 6, 'p1': 6} with 24 onsets, share 1 groups, noise common>"
    )
    with pytest.raises(ValueError, match="read-only"):
        fit.groups[0].courses["p0"][0] = 1.0


@pytest.mark.parametrize("share", ["none", "all", tc.Merging()])
def test_series_and_trials_without_measurements_do_no_harm(share):
    values = np.random.default_rng(0).normal(0, 1, (6, 6, 4))
    values[:, :, 2] = np.nan
    values[1] = np.nan
    onsets = {"p": {str(at): at % 3 for at in range(1, 7)}}
    found = tc.HiddenProcesses(4, onsets, share=share).fit(values, folds=3, seed=1)
    assert np.isfinite(found.log_likelihood)
    assert np.isfinite(found.score.scores).all()
    assert_allclose(found.course("p", "s3"), 0.0)
    assert any("1 of the series have no measurement at all" in note for note in found.notes)


def test_zeros_throughout_are_no_reason_to_stop():
    found = tc.HiddenProcesses(2, {"p": {"1": 0, "2": 1, "3": 0}}).fit(np.zeros((3, 4, 2)))
    assert np.isfinite(found.log_likelihood)
    assert any("nothing of 2 of the series but rounding" in note for note in found.notes)


def test_folds_that_leave_no_remainder_are_told_of():
    values = np.random.default_rng(0).normal(0, 1, (3, 4, 2))
    onsets = {"p": {"1": 0, "2": 0, "3": 0}, "q": {"1": 2, "2": 1, "3": 0}}
    found = tc.HiddenProcesses(4, onsets, share="none").fit(values, folds=3)
    assert any("looks impossible" in note for note in found.notes)
