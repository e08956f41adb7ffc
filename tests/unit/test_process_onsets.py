"""Onsets that nobody knows: EM over windows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_processes as naive
import tacit as tc
from planted_processes import planted


def _opened(drawn, wide, only="p0", sd=float("inf")):
    """The onsets of one process open by `wide` on either side of a shifted guess."""
    random = np.random.default_rng(7)
    return tuple(
        replace(
            each,
            time=(guess := each.time + int(random.integers(-1, 2))),
            earliest=guess - wide,
            latest=guess + wide,
            sd=sd,
        )
        if each.process == only
        else each
        for each in drawn.onsets
    )


def test_the_objective_is_the_log_likelihood_with_onsets_summed_out():
    drawn = planted(series=3, noise=1.0, jitter=1, missing=0.05, trials=5)
    onsets = _opened(drawn, 2, sd=1.5)
    fit = tc.HiddenProcesses(drawn.told, onsets, tolerance=1e-12).fit(drawn.trials, folds=0)
    group, total = fit.groups[0], 0.0
    courses = np.concatenate([*group.courses.values()])
    scales = np.array([*group.scales.values()])
    for name, (values, _) in zip(drawn.trials.names, drawn.plain, strict=True):
        windows = []
        for each in onsets:
            if each.trial == name:
                starts = np.arange(each.earliest, each.latest + 1)
                prior = -0.5 * ((starts - each.time) / each.sd) ** 2
                windows.append((int(each.process[1]), starts, prior - np.logaddexp.reduce(prior)))
        total += naive.log_likelihood_of_open(
            values, windows, drawn.lengths, courses, scales, group.noise**2
        )
    assert_allclose(fit.log_likelihood, total, rtol=1e-8)


def test_no_step_lowers_the_log_likelihood():
    drawn = planted(series=4, noise=2.0, jitter=2)
    onsets = _opened(drawn, 2)
    fit = tc.HiddenProcesses(drawn.told, onsets, restarts=2).fit(drawn.trials, folds=0, seed=1)
    assert len(fit.trace) > 3
    assert np.all(np.diff(fit.trace) >= 0)


def test_planted_onsets_are_found():
    drawn = planted(lengths=(8, 8), times=24, trials=20, series=12, noise=0.7, jitter=2)
    onsets = tuple(
        replace(each, time=t, earliest=t - 2, latest=t + 2)
        for each in drawn.onsets
        for t in [round(each.time / 12) * 12.0]
    )
    fit = tc.HiddenProcesses(drawn.told, onsets, restarts=3).fit(drawn.trials, folds=0, seed=2)
    truth = {(each.process, each.trial): each.time for each in drawn.onsets}
    off = {
        process: [
            each.time - truth[each.process, each.trial]
            for each, _ in fit.found
            if each.process == process
        ]
        for process in fit.processes
    }
    for shifts in off.values():  # a course may be shifted as a whole: onsets are known up to that
        most = max(set(shifts), key=shifts.count)
        assert shifts.count(most) >= 0.95 * len(shifts)
    assert min(chance for _, chance in fit.found) > 0.3
    assert any("no onset of p0 is known or expected" in note for note in fit.notes)


def test_a_known_onset_anchors_the_course():
    drawn = planted(lengths=(8, 8), times=24, trials=20, series=12, noise=0.7, jitter=2)
    onsets = tuple(
        each if int(each.trial) <= 6 else replace(each, time=t, earliest=t - 2, latest=t + 2)
        for each in drawn.onsets
        for t in [round(each.time / 12) * 12.0]
    )
    fit = tc.HiddenProcesses(drawn.told, onsets).fit(drawn.trials, folds=0)
    truth = {(each.process, each.trial): each.time for each in drawn.onsets}
    right = [each.time == truth[each.process, each.trial] for each, _ in fit.found]
    assert np.mean(right) >= 0.95
    assert len(right) == 28


def test_windows_of_one_measurement_are_known_onsets():
    drawn = planted()
    narrow = tuple(
        replace(each, earliest=each.time - 0.4, latest=each.time + 0.4) for each in drawn.onsets
    )
    known = tc.HiddenProcesses(drawn.told, drawn.onsets).fit(drawn.trials, folds=4)
    opened = tc.HiddenProcesses(drawn.told, narrow).fit(drawn.trials, folds=4)
    assert_allclose(opened.log_likelihood, known.log_likelihood, rtol=1e-10)
    assert opened.score is not None
    assert known.score is not None
    assert_allclose(opened.score.scores, known.score.scores, rtol=1e-6)


@pytest.mark.parametrize("share", ["none", "all"])
def test_held_out_trials_sum_their_onsets_out(share):
    drawn = planted(series=3, noise=0.6, trials=8, jitter=1)
    told = tc.HiddenProcesses(drawn.told, _opened(drawn, 2), share=share)
    fit = told.fit(drawn.trials, folds=4, seed=1)
    known = tc.HiddenProcesses(drawn.told, drawn.onsets, share=share).fit(drawn.trials, folds=4)
    assert fit.score is not None
    assert known.score is not None
    assert fit.score.total < known.score.total + 30
    assert np.isfinite(fit.score.scores).all()


def test_groups_are_looked_for_with_onsets_that_were_found():
    drawn = planted(lengths=(6, 6), groups=[0, 0, 0, 1, 1, 1], noise=0.4, trials=12, times=16)
    told = tc.HiddenProcesses(drawn.told, _opened(drawn, 1), share=tc.Merging())
    fit = told.fit(drawn.trials, folds=4, seed=1)
    assert {frozenset(group.series) for group in fit.groups} == {
        frozenset({"s0", "s1", "s2"}),
        frozenset({"s3", "s4", "s5"}),
    }
    assert any("open onsets were found with one group" in note for note in fit.notes)
