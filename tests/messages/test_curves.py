"""What is said of curves that cannot be, and of searches that cannot rank: the whole texts."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc

RANDOM = np.random.default_rng(0)
REALS = {"A": RANDOM.normal(size=30), "B": RANDOM.normal(size=30), "X": RANDOM.normal(size=30)}
MIXED = {**REALS, "G": ["u", "v", "v"] * 10}
C, D, Y = (tc.Continuous(name) for name in "CDY")
STEEP = tc.Network.of([
    tc.LinearGaussian((C,), [], 0, 1),
    tc.LinearGaussian((C, D), [2], 0, 0),
    tc.SigmoidGaussian((D, Y), [1], 0, 1, 0, 1),
])  # fmt: skip
FIT = tc.fit("A, B -> X", REALS, families=tc.SigmoidGaussian)


def fitting(**wishes):
    data = wishes.pop("data", REALS)
    return lambda: tc.fit(wishes.pop("structure", "A, B -> X"), data, **wishes)


def searching(data=REALS, **wishes):
    return lambda: tc.search(data, **wishes)


FLAT = {**REALS, "A": np.full(30, 2.5)}
EXACT = {"A": REALS["A"], "X": 1 + 2 * np.tanh(REALS["A"] - REALS["A"].mean())}
CASES = {
    "states": (
        fitting(structure="G -> X", data=MIXED, families={"X": tc.SigmoidGaussian}),
        "X cannot be a sigmoid-gaussian: G has states, and a curve is of continuous variables "
        "only",
    ),
    "gaps beside states": (
        fitting(structure="G; A, B -> X", data={**MIXED, "B": [None, *REALS["B"][1:]]},
                families={"X": tc.SigmoidGaussian}),
        "G has states, and EM around curves is of continuous variables alone: cells are missing"
        "\n\nleave out families=, or use method=tc.AvailableCases()",
    ),
    "hidden states": (
        fitting(structure="G; A, B -> X", families={"X": tc.SigmoidGaussian}, hidden={"G": 2}),
        "G has states, and EM around curves is of continuous variables alone\n\nleave out "
        "families=, or make it hidden={'G': \"continuous\"}",
    ),
    "hidden curve": (
        fitting(structure="A -> H -> B, X", families=tc.SigmoidGaussian,
                hidden={"H": "continuous"}),
        "H is hidden, and what is hidden follows a straight line: the noise around it gives it "
        "its scale\n\nname the variables that follow curves one by one: families={name: "
        "tc.SigmoidGaussian}",
    ),
    "gaps and rules": (
        fitting(structure="A, B -> X", data={**REALS, "B": [None, *REALS["B"][1:]]},
                families=tc.SigmoidGaussian, knowledge="intercept(A) >= 0"),
        "A is continuous: rules beside curves need complete cases\n\nleave out the rules, or "
        "families=",
    ),
    "gaps and gradients": (
        fitting(data={**REALS, "B": [None, *REALS["B"][1:]]}, families=tc.SigmoidGaussian,
                method=tc.Gradient()),
        "A is continuous: its missing cells and hidden variables are inferred by EM\n\nuse "
        "method=tc.EM()",
    ),
    "gaps and a start of lines": (
        lambda: tc.fit(tc.fit("A, B -> X", REALS).network, {**REALS, "B": [None, *REALS["B"][1:]]},
                       families=tc.SigmoidGaussian, start="given"),
        "X is to be a SigmoidGaussian, and the network to start from has a LinearGaussian there"
        '\n\nleave out start="given", or families=',
    ),
    "gaps and an exact start": (
        lambda: tc.fit(STEEP, {"C": [None, 1.0, 2.0], "D": [1.0, 2.5, 2.0], "Y": [1.0, 0.0, 3.0]},
                       start="given"),
        "D is an exact function of its parents in the network to start from, and no step of EM "
        'leads away from there\n\nleave out start="given", or give it a small sd',
    ),
    "constant": (
        fitting(data=FLAT, families=tc.SigmoidGaussian),
        "A has the same value in all cases: no curve fits X",
    ),
    "exact": (
        fitting(structure="A -> X", data=EXACT, families=tc.SigmoidGaussian),
        "the sigmoid-gaussian of X has no estimate: its parents depend on each other, or it is "
        "an exact function of them\n\ngive it fewer parents, or leave families= out",
    ),
    "huge": (
        fitting(
            structure="A -> X",
            data={"A": [1e300, *np.arange(0.5, 9)], "X": np.arange(0.25, 10)},
            families=tc.SigmoidGaussian,
        ),
        "A has values as large as 1e+300, and the squares of such numbers cannot be computed with"
        "\n\nexpress the column in another unit, between 1e-75 and 1e+75",
    ),
    "most probable": (
        lambda: tc.most_probable(FIT.network, given={"X": 1}),
        "X follows its parents along a curve, a sigmoid-gaussian: what is unknown around it is "
        "no mixture of normals, and has no exact answer\n\ntc.query, tc.predict and tc.sample "
        "answer around curves by weighted draws; or fit straight lines: leave families= out",
    ),
    "information": (
        lambda: tc.mutual_information(FIT.network, "A", "X"),
        "X follows its parents along a curve, a sigmoid-gaussian: what is unknown around it is "
        "no mixture of normals, and has no exact answer\n\ntc.query, tc.predict and tc.sample "
        "answer around curves by weighted draws; or fit straight lines: leave families= out",
    ),
    "few draws": (
        lambda: tc.query(FIT.network, "P(A | X=1)", method=tc.LikelihoodWeighting(32, seed=1)),
        "what is unknown around X, a curve, has no exact answer, and drawing does not give one "
        "either: 32 weighted draws of A, B are worth 26, and 100 are needed\n\ngive more "
        "findings, or more draws: method=tc.LikelihoodWeighting(256)",
    ),
    "exact functions": (
        lambda: tc.query(STEEP, "P(C | Y=1)"),
        "D is an exact function of its parents, and what is unknown around Y, a curve, is drawn: "
        "no draw meets an exact function\n\ngive it a small sd, or observe the parents of the "
        "curve",
    ),
    "method": (
        lambda: tc.query(FIT.network, "P(X | A=1, B=2)", method=tc.LikelihoodWeighting(1000)),
        "tc.LikelihoodWeighting is for networks of discrete variables, and for curves\n\nleave "
        "out method=: with continuous variables the answer is exact",
    ),
    "two wishes": (
        searching(family=tc.SigmoidGaussian, families={"A": tc.SigmoidGaussian}),
        "family= and families= say the same thing: give one of them",
    ),
    "no curve": (
        searching(families={"X": tc.NoisyOr}),
        "A has real values, and links and shared rows are of states"
        "\n\nmake it discrete with tc.discretise, or leave out families=",
    ),
    "no column": (
        searching(families={"Y": tc.SigmoidGaussian}),
        "families= names 'Y', which is no column of the cases\n\ncolumns: A, B, X",
    ),
    "curve of states": (
        searching(MIXED, families={"G": tc.SigmoidGaussian}),
        "G cannot be a sigmoid-gaussian: G has states, and a curve is of continuous variables "
        "only",
    ),
    "states above a curve": (
        searching(MIXED, families={"X": tc.SigmoidGaussian}, knowledge="require G -> X"),
        "G -> X is required, but X is to be a sigmoid-gaussian, whose parents are continuous, and "
        "G has states\n\n    line 1: require G -> X\n\n"
        "drop the rule, or leave X out of families=",
    ),
    "start above a curve": (
        searching(MIXED, family=tc.SoftplusGaussian, start="A -> B; G -> X"),
        "the start has the arc G -> X, and X is to be a softplus-gaussian, whose parents are "
        "continuous, and G has states\n\nstart without the arc, or leave X out of families=",
    ),
    "states to rank": (
        searching({"G": MIXED["G"], "H": ["s", "t", "s"] * 10}, method=tc.IdealParent()),
        "tc.IdealParent() ranks continuous parents by geometry, and all of these columns have "
        "states\n\nuse tc.HillClimb()",
    ),
    "slopes of curves": (
        searching(MIXED, families={"X": tc.SigmoidGaussian},
                  method=tc.WeightAnnealing(tc.HillClimb(restarts=0))),
        "weights cannot be set against curves, whose slope is not known\n\n"
        'use tc.WeightAnnealing(..., reweight="random")',
    ),
    "mixed bge": (
        searching(MIXED, families={"X": tc.SigmoidGaussian}, score=tc.BGe()),
        "BGe(1) scores continuous variables only, and these cases have both kinds\n\n"
        "use tc.BIC() or tc.AIC()",
    ),
    "bge": (
        searching(family=tc.SigmoidGaussian, score=tc.BGe()),
        "BGe(1) scores straight lines only: the marginal likelihood of a curve has no closed form"
        "\n\nfor curves use tc.BIC() or tc.AIC()",
    ),
    "k": (lambda: tc.IdealParent(k=0), "k=0 must be a whole number, 1 or more"),
    "similarity": (
        lambda: tc.IdealParent(similarity="near"),
        "similarity='near' must be one of ideal, current, exact",
    ),
    "insert": (
        lambda: tc.IdealParent(insert="top"), "insert='top' must be one of cluster, all"
    ),
    "hidden": (lambda: tc.IdealParent(hidden=2), "hidden=2 must be True or False"),
    "pooled": (lambda: tc.IdealParent(pooled="no"), "pooled='no' must be True or False"),
    "sd": (
        lambda: tc.SigmoidGaussian((tc.Continuous("X"),), [], 0, 1, 0, 0),
        "the sd of 'X' is 0; it must be above 0",
    ),
    "coefficients": (
        lambda: tc.SigmoidGaussian((tc.Continuous("A"), tc.Continuous("X")), [], 0, 1, 0, 1),
        "'X' has 1 parents but 0 coefficients",
    ),
    "ends": (
        lambda: tc.SigmoidGaussian((tc.Continuous("X"),), [], 0, np.inf, 0, 1),
        "the rise of 'X' is no finite number",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CASES))
def test_what_cannot_be_is_said_in_words(name):
    attempt, message = CASES[name]
    with pytest.raises(tc.TacitError) as caught:
        attempt()
    assert str(caught.value) == message
