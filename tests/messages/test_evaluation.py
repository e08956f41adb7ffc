"""What is said where a prediction cannot be judged."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.core.variables import Continuous, Discrete

ASIA = tc.textbook("asia")
CASES = tc.sample(ASIA, 50, seed=1)
NAMES = "asia, tub, smoke, lung, bronc, either, xray, dysp"
OTHERS = CASES.select([name for name in CASES.names if name != "dysp"])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: tc.evaluate(ASIA, CASES, "dyspnea"),
            f"target='dyspnea' is no variable of the network; did you mean 'dysp'?"
            f"\n\nvariables: {NAMES}",
        ),
        (
            lambda: tc.evaluate(ASIA, CASES, 3),
            f"target=3 is no variable of the network\n\nvariables: {NAMES}",
        ),
        (
            lambda: tc.evaluate(ASIA, OTHERS, "dysp"),
            "the cases have no column dysp, so nothing says what came"
            "\n\ncolumns: asia, tub, smoke, lung, bronc, either, xray",
        ),
        (
            lambda: tc.evaluate(ASIA, CASES.with_weights(np.zeros(50)), "dysp"),
            "all cases that say what came of dysp weigh 0",
        ),
        (
            lambda: tc.cross_validate(ASIA.dag, CASES, target="dyspnoea"),
            f"target='dyspnoea' is no variable of the network; did you mean 'dysp'?"
            f"\n\nvariables: {NAMES}",
        ),
        (
            lambda: tc.evaluate(ASIA, CASES, "dysp").area("maybe"),
            "dysp has no state 'maybe'\n\nstates: yes, no",
        ),
        (
            lambda: tc.evaluate(ASIA, CASES, "dysp").calibration(bins=1),
            "bins=1 must be a whole number, 2 or more",
        ),
        (
            lambda: tc.learning_curve(ASIA.dag, CASES, [10, 40]),
            "sizes=10, 40 needs 40 cases to learn from, but only 35 are not held out",
        ),
        (
            lambda: tc.learning_curve(ASIA.dag, CASES, [0]),
            "sizes=0 must be a whole number, 1 or more",
        ),
        (lambda: tc.learning_curve(ASIA.dag, CASES, []), "sizes=[] names no number of cases"),
        (
            lambda: tc.learning_curve(ASIA.dag, CASES, held_out=1.5),
            "held_out=1.5 must be a share of the cases, between 0 and 1",
        ),
        (
            lambda: tc.learning_curve(ASIA.dag, CASES.take(np.arange(1))),
            "1 cases are too few to hold 0.3 of them out",
        ),
        (
            lambda: tc.learning_curve(ASIA.dag, CASES, checkpoint="x"),
            "a learning curve takes no checkpoint= for tc.fit",
        ),
        (
            lambda: tc.learning_curve(ASIA.dag, CASES, variants={"k2": {"priors": tc.K2()}}),
            "tc.fit has no option 'priors'; did you mean 'prior'?",
        ),
        (
            lambda: tc.learning_curve(ASIA.dag, CASES, variants={}),
            "variants are ways of learning by name, each with options of tc.fit: "
            '{"tables": {}, "trees": {"families": tc.TreeTable}}',
        ),
        (
            lambda: tc.learning_curve(ASIA.dag, CASES, [10], repeats=1).mean("aucc"),
            "'aucc' was not measured\n\nmeasures: log_likelihood",
        ),
        (
            lambda: tc.learning_curve(ASIA.dag, CASES, [10], repeats=1).gain("that"),
            "there is no variant 'that'\n\nvariants: this",
        ),
    ],
)
def test_the_message_says_what_would_be_right(ask, message):
    with pytest.raises(tc.TacitError) as caught:
        ask()
    assert str(caught.value) == message


REALS = tc.Dataset({"X": Continuous("X")}, {"X": np.arange(9.0)})


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: tc.fit_multinet(REALS, "X"),
            "target='X' is continuous, and a class has states"
            "\n\nmake it discrete with tc.discretise",
        ),
        (
            lambda: tc.evaluate(tc.fit("X", REALS), {"X": [None, None]}, "X"),
            "no case says which value of X came",
        ),
        (
            lambda: tc.evaluate(tc.fit("X", REALS), REALS, "X").coverage(95),
            "level=95 must be a share, between 0 and 1",
        ),
        (
            lambda: tc.evaluate(tc.fit("X", REALS), REALS, "X").calibration(bins=2.5),
            "bins=2.5 must be a whole number, 2 or more",
        ),
        (
            lambda: tc.learning_curve("X", REALS, [5], target="X", repeats=1).mean("brier"),
            "'brier' was not measured\n\nmeasures: log_likelihood, log_score, rmse, mae, "
            "r_squared, crps, coverage_95",
        ),
    ],
)
def test_continuous_targets_have_their_own_messages(ask, message):
    with pytest.raises(tc.TacitError) as caught:
        ask()
    assert str(caught.value) == message


def test_cases_that_are_all_impossible_are_refused():
    a, total = Continuous("A"), Continuous("Total")
    exact = [tc.LinearGaussian((a,), [], 0, 1), tc.LinearGaussian((a, total), [1], 0, 0)]
    other = tc.LinearGaussian((a, Continuous("B")), [1], 0, 1)
    network = tc.Network.of([*exact, other])
    with pytest.raises(tc.CasesError) as caught:
        tc.evaluate(network, {"A": [1.0], "Total": [2.0], "B": [0.0]}, "B")
    assert str(caught.value) == (
        "no case can be judged: 1 case is impossible under the network whatever B is, and left out"
    )


def test_cases_that_all_lack_the_target_are_refused():
    gaps = tc.Dataset({"A": Discrete("A", ("x", "y"))}, {"A": np.full(3, -1, dtype=np.int8)})
    told = tc.Network.of([tc.table(Discrete("A", ("x", "y")), [], [0.5, 0.5])])
    with pytest.raises(tc.CasesError) as caught:
        tc.evaluate(told, gaps, "A")
    assert str(caught.value) == "no case says which state of A came"
