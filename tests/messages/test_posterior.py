"""Errors of posteriors and doubted rules, word by word."""

from __future__ import annotations

import pytest

import tacit as tc

COIN = {"Coin": ["a"] * 6 + ["b"] * 3 + ["c"]}
REAL = tc.read_cases({"X": [0.1, 0.5, 0.7], "Y": [1.5, 2.5, 0.5]}, continuous=["X", "Y"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tc.posterior("X -> Y", REAL),
            "'X' is continuous: tc.posterior speaks of networks of discrete variables"
            "\n\nmake it discrete with tc.discretise, or leave it out of the network",
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
