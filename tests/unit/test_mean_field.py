"""Mean-field EM: EM where it is exact, a bound of it elsewhere; other baselines of the path."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gappy
import tacit as tc
from tacit.learn.fits import Stop

LEAVES = gappy.leaves_of("H", "ABCDE")
CASES = gappy.gappy(LEAVES, 200, 0.0, seed=1, hidden="H")
DEEP = tc.Dag.parse("R -> S; R -> T; S -> A; S -> B; S -> C; T -> D; T -> E")
HIDDEN = {"R": 2, "S": 2, "T": 2}


def deep(method, **options):
    return tc.fit(DEEP, CASES, hidden=HIDDEN, method=method, seed=3, threads=1, **options)


def test_with_one_hidden_variable_it_is_plain_em_from_the_same_starts():
    fits = [
        tc.fit(LEAVES.dag, CASES, hidden={"H": 3}, method=method, seed=4)
        for method in (tc.MeanFieldEM(restarts=3), tc.EM(restarts=3, accelerate=False))
    ]
    for mean, plain in zip(fits[0].runs, fits[1].runs, strict=True):
        assert_allclose(mean.trace[0], plain.trace[0], rtol=1e-12)
        assert_allclose(mean.trace[5], plain.trace[5], rtol=1e-9)
        assert_allclose(mean.objective, plain.objective, rtol=1e-5)


def test_with_several_it_climbs_a_lower_bound():
    fit = deep(tc.MeanFieldEM(restarts=4))
    for run in fit.runs:
        assert (np.diff(run.trace) >= -1e-9 * abs(run.trace[-1])).all()
        assert run.trace[-2] <= run.objective + 1e-9
    assert fit.objective == max(run.objective for run in fit.runs)
    assert_allclose(fit.log_likelihood, tc.log_likelihood(fit.network, CASES), rtol=1e-10)


def test_it_may_go_on_to_what_em_maximises():
    bound, whole = (deep(tc.MeanFieldEM(restarts=2, finish=each)) for each in (False, True))
    for short, long in zip(bound.runs, whole.runs, strict=True):
        assert long.objective >= short.objective
        assert_array_equal(long.trace[: len(short.trace) - 1], short.trace[:-1])
    again = tc.fit(
        whole.network, CASES, hidden="rest", start="given", method=tc.EM(restarts=1), seed=1
    )
    assert_allclose(again.objective, whole.objective, rtol=1e-6)


def test_gaps_are_taken_for_independent_too():
    gaps = gappy.gappy(LEAVES, 120, 0.15, seed=2)
    fit = tc.fit(LEAVES.dag, gaps, method=tc.MeanFieldEM(), seed=1)
    plain = tc.fit(LEAVES.dag, gaps, method=tc.EM(), seed=1)
    assert fit.objective <= plain.objective + 1e-6
    assert fit.objective > plain.objective - 0.05 * abs(plain.objective)


def test_runs_that_are_done_are_kept_and_one_that_is_stopped_ends_there(tmp_path):
    whole, path = deep(tc.MeanFieldEM(restarts=3)), tmp_path / "run.ckpt"
    calls = 0

    def plug(done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 60:
            raise RuntimeError("unplugged")

    with pytest.raises(RuntimeError, match="unplugged"):
        deep(tc.MeanFieldEM(restarts=3), checkpoint=path, progress=plug)
    again = deep(tc.MeanFieldEM(restarts=3), checkpoint=path, resume=True)
    assert again.runs == whole.runs
    sent = False

    def interrupt(done: int, total: int) -> None:
        nonlocal sent
        if not sent and done >= 3:
            sent = True
            os.kill(os.getpid(), signal.SIGINT)

    cut = deep(tc.MeanFieldEM(restarts=3), progress=interrupt)
    assert cut.stop is Stop.INTERRUPTED
    assert len(cut.runs) == 1


def test_settings_are_checked_and_described():
    with pytest.raises(tc.OptionError, match="finish=1 must be True or False"):
        tc.MeanFieldEM(finish=1)
    with pytest.raises(tc.OptionError, match="restarts=0 must be a whole number"):
        tc.MeanFieldEM(restarts=0)
    with pytest.raises(tc.OptionError, match="needs tables of their own"):
        tc.fit("A -> B; C -> D", {"A": ["x", None, "y"], "B": ["x", "y", "y"],
               "C": ["x", "y", "y"], "D": ["y", "x", "y"]}, tied=[("B", "D")],
               method=tc.MeanFieldEM())  # fmt: skip
    assert tc.MeanFieldEM(restarts=2).describe() == "MeanFieldEM(restarts=2)"
    assert "--method mean-field --restarts 4" in str(tc.report(deep(tc.MeanFieldEM(restarts=4))))


@pytest.mark.parametrize("method", [
    tc.EM(restarts=10), tc.MeanFieldEM(restarts=10), tc.IBEM(), tc.IBEM(direction="none"),
    tc.IBEM(penalty="entropy"), tc.WeightAnnealing(tc.EM(restarts=2)),
], ids=lambda each: each.describe())  # fmt: skip
def test_on_an_easy_problem_every_method_finds_the_same_optimum(method):
    fit = tc.fit(LEAVES.dag, CASES, hidden={"H": 2}, method=method, seed=2)
    best = tc.fit(LEAVES.dag, CASES, hidden={"H": 2}, method=tc.EM(restarts=30), seed=9)
    assert_allclose(fit.objective, best.objective, rtol=2e-6)
