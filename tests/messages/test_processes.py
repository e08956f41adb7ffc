"""Every mistake that can be made with hidden processes is told in words that help."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tacit as tc
from tacit.core.errors import TacitError

TRIALS = {name: np.zeros((4, 2)) + np.arange(4)[:, None] for name in ("a", "b")}
ONSETS = {"Sentence": {"a": 0, "b": 2}, "Picture": {"a": 2, "b": 0}}
TABLE = {"trial": ["a", "a", "b", "b"], "time": [0, 1, 0, 1], "x": [1.0, 2.0, 3.0, 4.0]}


def message(
    lengths: Any = 2, onsets: Any = ONSETS, trials: Any = TRIALS, fit: Any = None, **wishes: Any
) -> str:
    with pytest.raises(TacitError) as problem:
        tc.HiddenProcesses(lengths, onsets, **wishes).fit(trials, **(fit or {}))
    return str(problem.value)


def read(source: Any, **how: Any) -> str:
    with pytest.raises(TacitError) as problem:
        tc.read_trials(source, **how)
    return str(problem.value)


def test_lengths_that_are_none() -> None:
    assert message({"Sentence": 0, "Picture": 2}) == (
        "the length of process Sentence must be a whole number of measurements, 1 or more, not 0"
    )
    assert message({"Sentense": 2, "Picture": 2}) == (
        "the onsets name the process 'Sentence', which has no length; did you mean 'Sentense'?"
        "\n\nlengths: Sentense, Picture"
    )
    assert message({}) == "lengths names no process"


def test_choices_that_are_none() -> None:
    assert message(share="al") == (
        "share='al' must be 'all', 'none', 'regions', {group: series}, tc.Partition() or "
        "tc.Merging(); did you mean 'all'?"
    )
    assert message(noise="both") == "noise='both' must be 'common' or 'own'"
    assert message(baseline="mean") == "baseline='mean' must be 'none' or 'trial'"
    assert message(restarts=-1) == "restarts=-1 must be a whole number, 0 or more"
    assert message(max_steps=0) == "max_steps=0 must be a whole number, 1 or more"
    assert message(tolerance=1) == "tolerance=1 must be a number from 0 to 1"
    assert message(fit={"level": 95}) == "level=95 must be a number between 0 and 1, as 0.95"
    assert message(fit={"folds": 1}) == "folds=1 must be a whole number, 2 or more, or 0 for none"
    assert message(fit={"folds": 3}) == "2 trials cannot be split into 3 folds"
    with pytest.raises(TacitError) as problem:
        tc.Merging(slack=-1)
    assert str(problem.value) == "slack=-1 must be a number, 0 or more"
    for wrong in ((), (1, 1), 2, (2, "2")):
        with pytest.raises(TacitError) as problem:
            tc.Partition(wrong)
        said = f"cuts takes parts per axis such as (2, 2, 4), not {wrong!r}"
        assert str(problem.value) == said


def test_onsets_that_do_not_fit_the_trials() -> None:
    assert message(onsets={"Sentence": {"c": 0}}) == (
        "an onset of Sentence names the trial 'c', which was not measured\n\ntrials: a, b"
    )
    assert message(onsets={"Sentence": {"a": 0.5}}) == (
        "Sentence starts at 0.5 in trial a, between two measurements: they are 1 apart, from 0 on"
    )
    assert message(onsets={"Sentence": {"a": [1, 1]}}) == "Sentence starts twice at 1 in trial a"
    assert message(onsets=[tc.Onset("S", "a", 0.5, 0.4, 0.6)]) == (
        "no measurement lies between 0.4 and 0.6, where S is to start in trial a"
    )
    with pytest.raises(TacitError) as problem:
        tc.Onset("S", "a", 3, 0, 2)
    assert str(problem.value) == (
        "the onset of S in trial a is expected at 3, outside of its window 0 to 2"
    )


def test_too_many_ways_to_start() -> None:
    onsets = [tc.Onset(f"p{at}", "a", 0, -5, 5) for at in range(5)]
    assert message(onsets=onsets, trials={"a": np.zeros((4, 1))}) == (
        "the processes of trial a may start in 161,051 ways; the most is 20,000"
        "\n\nmake windows narrower, or leave fewer onsets open"
    )


def test_tables_of_onsets_that_lack_something() -> None:
    assert message(onsets={"trial": ["a"], "proces": ["S"], "onset": [0]}) == (
        "the onsets have no column 'process'; did you mean 'proces'?"
        "\n\ncolumns: trial, proces, onset\nonsets are a table with the columns trial, process and "
        "onset; or earliest and latest, where an onset is open"
    )
    assert message(onsets={"trial": ["a"], "process": ["S"], "when": [0]}) == (
        "the onsets say no time: there is no column 'onset'\n\ncolumns: trial, process, when"
    )
    table = {"trial": ["a"], "process": ["S"], "onset": [None], "earliest": [1.0], "latest": [None]}
    assert message(onsets=table) == (
        "onset 1, of S in trial a, has one end of its window only; earliest and latest go together"
    )


def test_groups_that_do_not_cover_the_series_once() -> None:
    assert message(share={"g": ["s1"]}) == (
        "share leaves out 1 series: s2\n\nput every series into a group; one by itself is a group "
        "of one"
    )
    assert message(share={"g": ["s1", "s2"], "h": ["s2"]}) == (
        "the series 's2' is in two groups, g and h"
    )
    assert message(share={"g": ["s1", "s3"]}) == ("there is no series 's3'\n\nseries: s1, s2")
    assert message(share="regions") == (
        "share='regions' needs regions: give tc.read_trials places with a column 'region'"
    )


def test_searches_that_cannot_be() -> None:
    advice = (
        "\n\ngive places to tc.read_trials (--places on the command line), or let groups grow by "
        "share=tc.Merging(), which needs none"
    )
    assert message(share=tc.Partition()) == (
        f"a partition cuts space, and nobody said where the series were measured{advice}"
    )
    placed = tc.read_trials(TRIALS, places={"s1": (0, 0), "s2": (0, 1)})
    assert message(share=tc.Partition((2, 2, 4)), trials=placed) == (
        "cuts=(2, 2, 4) has 3 numbers, one per axis; places have 2"
    )
    assert message(share=tc.Merging(), fit={"folds": 0}) == (
        "groups are chosen by how well they predict held-out trials: folds= must be 2 or more, and "
        "there must be as many trials; there are 2"
    )


def test_tables_of_trials_that_lack_something() -> None:
    assert read({"run": ["a"], "time": [0], "x": [1.0]}) == (
        "the trials have no column 'trial'\n\ncolumns: run, time, x\na table of trials has a line "
        "per trial and time; say trial='...' if the column has another name"
    )
    assert (
        read({"trial": ["a"], "time": [0]}) == "the trials have no series beside 'trial' and 'time'"
    )
    assert read(TABLE | {"trial": ["a", None, "b", "b"]}) == "case 2 does not say which trial it is"
    assert read(TABLE | {"time": [0, 1, 0, None]}) == "case 4 has no time"
    assert read(TABLE | {"time": [0, 0, 0, 1]}) == "trial a has two lines for the time 0"
    assert "'much' is no number" in read(TABLE | {"x": ["1", "much", "2", "3"]})


def test_columns_that_are_named_but_not_there() -> None:
    assert read(TABLE, time="tme") == (
        "the trials have no column 'tme'; did you mean 'time'?\n\ncolumns: trial, time, x\n"
        "say time='...' if the column has another name"
    )
    assert read({"trial": ["a"], "Time": [0], "x": [1.0]}) == (
        "the trials have no column 'time'; did you mean 'Time'?\n\ncolumns: trial, Time, x\n"
        "say time='...' if the column has another name"
    )
    assert read(TABLE, series=["y"]) == "there is no series 'y'\n\ncolumns: trial, time, x"


def test_times_that_are_not_even() -> None:
    uneven = {"trial": ["a"] * 3, "time": [0, 1, 2.5], "x": [1.0, 2.0, 3.0]}
    assert read(uneven) == (
        "trial a was measured at 2.5, which is no whole number of steps of 1 after 0"
        "\n\nmeasurements must be evenly spaced; leave out times that were not measured, and round "
        "those that were"
    )
    far = {"trial": ["a"] * 3, "time": [0, 1, 1e6], "x": [1.0, 2.0, 3.0]}
    assert read(far) == (
        "trial a has 3 measurements on 1,000,001 times that are 1 apart, the smallest step between "
        "two of them\n\nare the times even, and all in the same unit?"
    )


def test_arrays_and_places_of_the_wrong_shape() -> None:
    assert read({"a": np.zeros((3, 2)), "b": np.zeros((3, 1))}) == (
        "trial b has the shape (3, 1); it must be (times, 2): a line per measurement, a column per "
        "series"
    )
    assert read({"a": np.array([[0.0, np.inf]])}) == "trial a: s2 is infinite"
    assert read(TRIALS, places={"s1": (0, 0)}) == ("places do not name the series 's2'")
    assert (
        read(TRIALS, places={"s1": (0, 0), "s2": (1,)}) == "places have different numbers of axes"
    )
    assert read(TRIALS, places={"voxel": ["s1"], "x": [1]}).startswith("places do not name")


def test_questions_about_what_is_not_there() -> None:
    fit = tc.HiddenProcesses(2, ONSETS).fit(TRIALS)
    with pytest.raises(TacitError) as problem:
        fit.course("Pictures", "s1")
    assert str(problem.value) == (
        "there is no process 'Pictures'; did you mean 'Picture'?\n\nprocesses: Sentence, Picture"
    )
    with pytest.raises(TacitError) as problem:
        fit.group_of("s3")
    assert str(problem.value) == ("there is no series 's3'\n\nseries: s1, s2")
    with pytest.raises(TacitError) as problem:
        fit.predict(tc.read_trials(TRIALS, series=["s1", "x"]))
    assert str(problem.value) == "these trials lack the series s2, which the fit knows"


def test_trials_without_any_measurement_are_refused():
    told = tc.HiddenProcesses({"a": 2}, {"a": {"1": 0}})
    with pytest.raises(tc.CasesError) as caught:
        told.fit(tc.read_trials({"1": np.full((4, 2), np.nan)}), seed=1)
    assert str(caught.value) == "every measurement is missing, so there is nothing to learn from"


def test_onsets_beyond_all_counting_are_refused():
    for onset in (1e300, -1e15):
        told = tc.HiddenProcesses({"a": 2}, {"a": {"1": onset}})
        with pytest.raises(tc.CasesError) as caught:
            told.fit(tc.read_trials({"1": np.ones((4, 2))}), seed=1)
        assert str(caught.value) == (
            f"a starts at {onset:g} in trial 1, more than 1,000,000 measurements away from it"
        )
