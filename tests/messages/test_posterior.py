"""Errors of posteriors and doubted rules, word by word."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc

COIN = {"Coin": ["a"] * 6 + ["b"] * 3 + ["c"]}
TWO = "X -> Y"
PAIRS = {"X": list("aabbab"), "Y": list("ababbb")}
HEAVY = tc.read_cases({"X": ["a", "b"], "Y": ["a", None], "w": [1.0, 2e9]}, weights="w")
BOTH = "P(Y=b) <= 0.6\nP(Y=b | X=a) >= 0.5 confidence 0.9"
TOGETHER = (
    "a rule that is not linear and one said with less than certainty speak of the same rows"
    "\n\n    P(Y=b) <= 0.6\n    P(Y=b | X=a) >= 0.5 confidence 0.9"
    "\n\nleave out the confidence, or one of the two"
)
REAL = tc.read_cases({"X": [0.1, None, 0.7], "Y": [1.5, 2.5, 0.5]}, continuous=["X", "Y"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tc.posterior("H -> Coin", COIN),
            "the cases have no column 'H'\n\ncolumns: Coin"
            "\n\nevery variable needs a column here; hidden variables are for tc.fit",
        ),
        (
            lambda: tc.compare("H -> Coin", COIN, ["P(H=1) <= 0.5", None]),
            "the cases have no column 'H'\n\ncolumns: Coin"
            "\n\nevery variable needs a column to be compared on; hidden variables are for tc.fit",
        ),
        (
            lambda: tc.posterior("H -> Coin", {**COIN, "H": [None] * 10}),
            "the column 'H' has no value in any case, so nothing says what its states are"
            "\n\ntake the structure from a network that gives them"
            "\n\nevery variable needs a column here; hidden variables are for tc.fit",
        ),
        (
            lambda: tc.posterior("H -> Coin", {**COIN, "H": [*"xyxyxyxyx", None]}).mode,
            "with missing cells the most probable parameters are not told by tc.posterior"
            "\n\nuse tc.fit, which looks for them, with estimate=tc.MAP()",
        ),
        (
            lambda: tc.posterior(TWO, PAIRS, knowledge="P(Y=b) <= 0.6", prior=tc.K2(), seed=1).mode,
            "with rules that are not linear the most probable parameters are not told by "
            "tc.posterior\n\nuse tc.fit, which looks for them, with estimate=tc.MAP()",
        ),
        (lambda: tc.fit(TWO, PAIRS, knowledge=BOTH), TOGETHER),
        (lambda: tc.posterior(TWO, PAIRS, knowledge=BOTH), TOGETHER),
        (
            lambda: tc.posterior(TWO, PAIRS).of("P(X=a) <= 0.5 # and nothing else"),
            "this does not fit here: '<='\n\n    P(X=a) <= 0.5 # and nothing else\n           ^^"
            "\n\na rule is written like  0.1 <= P(Cancer=yes | Smoker=yes) <= 0.3",
        ),
        (
            lambda: tc.posterior(TWO, PAIRS).of(" "),
            "nothing is said here\n\na probability is written P(A=a | B=b)",
        ),
        (
            lambda: tc.posterior(TWO, HEAVY),
            "2e+09 cases have gaps, and each is filled in by itself; at most 20,000,000"
            "\n\ntc.fit takes their weights as they are",
        ),
        (
            lambda: tc.discover(TWO, PAIRS, within=5),
            "within= takes a name or a list of names, not 5",
        ),
        (
            lambda: tc.discover(TWO, PAIRS, kinds=5),
            "kinds= takes a name or a list of names, not 5",
        ),
        (
            lambda: tc.posterior("X -> Y", REAL, sampling=tc.Sampling(draws=16)).mode,
            "with missing cells the most probable parameters are not told by tc.posterior"
            "\n\nuse tc.fit, which looks for them, with estimate=tc.MAP()",
        ),
        (
            lambda: tc.posterior("X -> Y", REAL.with_weights(np.array([1.0, 0.5, 2.0]))),
            "case 2 has gaps and weighs 0.5; part of a case cannot be filled in at random",
        ),
        (
            lambda: tc.posterior("Coin", COIN, prior=tc.Dirichlet(0.0)),
            "the prior of 'Coin' is 0, and a posterior needs one above 0 in every cell"
            "\n\ntake tc.BDeu(1), tc.Jeffreys() or tc.K2(), for example",
        ),
        (
            lambda: tc.posterior("Coin", COIN, likelihood="poisson"),
            "likelihood='poisson' is none\n\nthere are: multinomial, binomial_product",
        ),
        (
            lambda: tc.posterior("Coin", COIN, prior=3),
            "prior takes a value such as tc.BDeu(10), not 3",
        ),
        (
            lambda: tc.posterior("Coin", COIN, sampling=100),
            "sampling takes a value such as tc.Sampling(), not 100",
        ),
        (
            lambda: tc.Sampling(draws=0),
            "draws=0 must be a whole number above 0",
        ),
        (
            lambda: tc.Sampling(draws=10),
            "draws=10 are too few for 4 chains: 4 of each are needed to tell whether they agree",
        ),
        (
            lambda: tc.TruncatedNormal({"Coin": [0.5, 0.3, 0.2]}, sd=0.0),
            "the sd of 'Coin' must be above 0 everywhere",
        ),
        (
            lambda: tc.posterior(
                "Coin", COIN, prior=tc.TruncatedNormal({"Coin": [0.5, 0.5]}, sd=0.1)
            ),
            "the prior of 'Coin' has the shape (2,); it must be one number, one row (3,) or the "
            "table (3,)",
        ),
        (
            lambda: tc.posterior(
                "Coin", COIN, prior=tc.TruncatedNormal({"Cion": [0.5, 0.3, 0.2]}, sd=0.1)
            ),
            "the prior names 'Cion', which is no variable of the network; did you mean 'Coin'?"
            "\n\nvariables: Coin",
        ),
        (
            lambda: tc.posterior("Coin", {"Coin": ["a", "a", "b", "c"]}).mean["Cion"],
            "there is no table of 'Cion'; did you mean 'Coin'?",
        ),
        (
            lambda: tc.posterior("Coin", COIN, knowledge="P(Coin=a) = 0"),
            "the rules hold P(Coin=a) at 0, but cases have it: under the rules they are impossible"
            "\n\n    line 1: P(Coin=a) = 0\n\nallow a little, or look at these cases",
        ),
        (
            lambda: tc.posterior(
                "Coin", COIN, likelihood="binomial_product",
                knowledge="P(Coin=a) <= 0.5 confidence 0.9",
            ),
            "rules said with less than certainty need a Dirichlet prior and the multinomial "
            "likelihood\n\nleave out their confidence, or likelihood= and tc.TruncatedNormal",
        ),
        (
            lambda: tc.posterior(
                "Coin", {"Coin": ["a", "", "b", "c"]}, knowledge="P(Coin=a) <= 0.5 confidence 0.9"
            ),
            "rules said with less than certainty need complete cases in tc.posterior"
            "\n\ntc.fit takes both; or leave out the confidence",
        ),
        (
            lambda: tc.auxiliary(tc.posterior("Coin", COIN), "Coin", {"Side": "x"}),
            "a row of 'Coin' is named by a state of every parent\n\nparents: none",
        ),
    ],
)  # fmt: skip
def test_the_message_says_what_is_wrong_and_what_to_do(call, message) -> None:
    with pytest.raises(tc.TacitError) as raised:
        call()
    assert str(raised.value) == message
