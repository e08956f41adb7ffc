"""What holds of hidden processes whatever is measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_processes as naive
import tacit as tc
from planted_processes import planted
from tacit.estimate.processes.moments import Layout, Placed, pairs_of, patterns_of, trial_moments
from tacit.estimate.processes.steps import leading, surely_regular
from tacit.learn.processes.alternating import Effort, alternate

starts = st.lists(st.tuples(st.integers(0, 1), st.integers(-4, 9)), max_size=4)


@given(starts, st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_moments_are_those_of_the_dense_design(placed, length, seed):
    random, lengths = np.random.default_rng(seed), (4, 3)
    values = random.standard_normal((length, 3))
    values[random.random(values.shape) < 0.2] = np.nan
    pattern = patterns_of([np.isnan(values)], [])
    events = [Placed(process, start) for process, start in placed]
    found = trial_moments(Layout(lengths), pattern, values, events, pairs_of(events))
    matrix = naive.design(length, placed, lengths)
    for series in range(3):
        there = ~np.isnan(values[:, series])
        some, x = matrix[there], values[there, series]
        assert_allclose(found.gram[0, pattern[series]], some.T @ some, atol=1e-12)
        assert_allclose(found.cross[0, :, series], some.T @ x, atol=1e-12)
        assert_allclose(found.squares[0, series], x @ x)
        assert found.counts[0, series] == there.sum()


@given(st.integers(0, 2**32 - 1))
def test_moments_add_and_take_away(seed):
    random = np.random.default_rng(seed)
    pattern, layout = np.zeros(2, dtype=np.int64), Layout((3,))
    one, other = (
        trial_moments(layout, pattern, random.standard_normal((5, 2)), [Placed(0, at)], [])
        for at in (0, 2)
    )
    back = (one + other) - other
    for name in ("gram", "cross", "squares", "counts"):
        assert_allclose(getattr(back, name), getattr(one, name), atol=1e-12)
    assert_allclose((0.5 * one + 0.5 * one).cross, one.cross)


@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_alternating_never_falls_from_any_start(seed, own, gaps):
    drawn = planted(seed=seed, missing=0.2 * gaps, jitter=2, noise=1.0, trials=5, series=3)
    random = np.random.default_rng(seed)
    layout, total = Layout(drawn.lengths), None
    pattern = patterns_of([np.isnan(x) for x, _ in drawn.plain], [])
    for values, placed in drawn.plain:
        events = [Placed(*each) for each in placed]
        part = trial_moments(layout, pattern, values, events, pairs_of(events))
        total = part if total is None else total + part
    start = random.standard_normal((1, layout.size))
    climbed = alternate(total, layout, start, Effort(own, tolerance=1e-10, max_steps=40))
    assert np.all(np.diff(climbed.trace) >= 0)
    assert climbed.iterate.found.variances.min() > 0
    assert np.isfinite(leading(total, layout)).all()
    assert surely_regular(total) in (True, False)


@pytest.mark.parametrize("share", ["none", "all"])
def test_other_units_change_courses_and_nothing_else(share):
    drawn = planted(noise=0.8)
    told = tc.HiddenProcesses(drawn.told, drawn.onsets, share=share)
    fit = told.fit(drawn.trials, folds=4)
    large = tc.Trials({n: 1000 * x for n, x in drawn.trials.values.items()}, drawn.trials.series)
    other = told.fit(large, folds=4)
    for name in drawn.trials.series:
        assert_allclose(other.course("p0", name), 1000 * fit.course("p0", name), rtol=1e-6)
    shift = fit.measurements * np.log(1000)
    assert_allclose(other.log_likelihood, fit.log_likelihood - shift, rtol=1e-9)
    assert_allclose(other.score.total, fit.score.total - shift, rtol=1e-6)


def test_later_clocks_change_nothing():
    drawn = planted()
    later = tc.Trials(
        drawn.trials.values,
        drawn.trials.series,
        first={name: 5.0 + at for at, name in enumerate(drawn.trials.names)},
        step=0.25,
    )
    onsets = tuple(
        replace(one, time=t, earliest=t, latest=t)
        for one in drawn.onsets
        for t in [later.first[one.trial] + 0.25 * one.time]
    )
    fit = tc.HiddenProcesses(drawn.told, drawn.onsets).fit(drawn.trials)
    other = tc.HiddenProcesses(drawn.told, onsets).fit(later)
    assert other.log_likelihood == fit.log_likelihood
    assert other.score.scores == fit.score.scores


def test_sharing_more_never_fits_better():
    drawn = planted(series=6, noise=1.0)
    halves = {"a": ["s0", "s1", "s2"], "b": ["s3", "s4", "s5"]}
    alone = {name: [name] for name in drawn.trials.series}
    fits = [
        tc.HiddenProcesses(drawn.told, drawn.onsets, share=share, noise="own").fit(
            drawn.trials, folds=0
        )
        for share in ("all", halves, alone)
    ]
    likelihoods = [fit.log_likelihood for fit in fits]
    assert likelihoods == sorted(likelihoods)
    own = tc.HiddenProcesses(drawn.told, drawn.onsets, share="none").fit(drawn.trials, folds=0)
    assert_allclose(own.log_likelihood, likelihoods[-1], rtol=1e-12)
