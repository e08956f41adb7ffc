"""Learning from more and more cases, judged on others."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tacit as tc

ASIA = tc.textbook("asia")
CASES = tc.sample(ASIA, 600, seed=1)
CURVE = tc.learning_curve(
    ASIA.dag,
    CASES,
    [30, 100, 400],
    target="dysp",
    variants={"smooth": {}, "shares": {"estimate": tc.ML()}},
    repeats=3,
    seed=5,
)


def test_a_point_is_a_fit_to_so_many_cases_judged_on_those_held_out():
    order = np.random.default_rng(np.random.SeedSequence(5).spawn(3)[1]).permutation(600)
    few, test = CASES.take(order[180:280]), CASES.take(order[:180])
    network = tc.fit(ASIA.dag, few).network
    held = tc.log_likelihood(network, test).average
    assert_allclose(CURVE.values["log_likelihood"][0, 1, 1], held, rtol=1e-12)
    told = tc.evaluate(network, test, "dysp")
    assert_allclose(CURVE.values["auc"][0, 1, 1], told.auc, rtol=1e-12)
    assert CURVE.held_out == 180


def test_more_cases_predict_better():
    mean = CURVE.mean()
    assert mean[0, 0] < mean[0, 2]
    assert np.isneginf(mean[1, 0])  # shares alone hold impossible what 30 cases do not show


def test_the_gain_is_taken_repeat_by_repeat():
    apart, error = CURVE.gain("smooth", "brier")
    values = CURVE.values["brier"]
    assert_allclose(apart[1], (values[1] - values[0]).mean(axis=1))
    assert_allclose(error[1], (values[1] - values[0]).std(axis=1, ddof=1) / np.sqrt(3))
    assert_array_equal(apart[0], 0)


def test_the_same_seed_gives_the_same_bits():
    again = tc.learning_curve(ASIA.dag, CASES, [30, 400], repeats=3, seed=5)
    assert_array_equal(again.values["log_likelihood"][0, 1], CURVE.values["log_likelihood"][0, 2])
    assert again.target is None


def test_sizes_run_from_few_to_all_that_are_not_held_out():
    curve = tc.learning_curve(ASIA.dag, CASES, repeats=1, held_out=0.5, seed=1)
    assert curve.sizes[0] == 20
    assert curve.sizes[-1] == 300
    assert np.isnan(curve.error()).all()  # one repeat knows of no spread


def test_variants_may_differ_in_structure():
    curve = tc.learning_curve(
        ASIA.dag,
        CASES,
        [400],
        variants={"asia": {}, "apart": {"structure": "; ".join(ASIA.dag.names)}},
        repeats=2,
        seed=1,
    )
    assert (curve.gain("apart")[0][0] > 0).all()


def test_a_curve_prints_has_columns_and_can_be_pickled():
    assert str(CURVE).startswith("LearningCurve of 30 to 400 cases, 180 held out, 3 repeats")
    frame = CURVE.to_frame("pandas")
    assert list(frame.columns)[:4] == ["variant", "cases", "repeat", "log_likelihood"]
    assert len(frame) == 18
    line = frame[(frame.variant == "smooth") & (frame.cases == 100) & (frame["repeat"] == 2)]
    assert_allclose(line["auc"], CURVE.values["auc"][0, 1, 1])
    again = pickle.loads(pickle.dumps(CURVE))
    assert again.to_plain() == CURVE.to_plain()


def test_ctrl_c_keeps_the_repeats_that_were_finished(monkeypatch):
    steps = []

    def stop(done: int, total: int, *_: float) -> None:
        steps.append(done)
        if done == 3:
            import signal

            signal.raise_signal(signal.SIGINT)

    curve = tc.learning_curve(ASIA.dag, CASES, [30, 400], repeats=4, seed=5, progress=stop)
    assert curve.repeats == 1
    assert curve.notes[-1] == "interrupted after 1 repeat of 4"
    assert_array_equal(
        curve.values["log_likelihood"][0, :, 0], CURVE.values["log_likelihood"][0, [0, 2], 0]
    )
    with pytest.raises(KeyboardInterrupt):
        tc.learning_curve(
            ASIA.dag,
            CASES,
            [30],
            repeats=1,
            progress=lambda *_: (_ for _ in ()).throw(KeyboardInterrupt),
        )
