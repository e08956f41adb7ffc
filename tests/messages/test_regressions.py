"""What is wrong with rules about regressions, whole texts; and what a check says of right ones."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc

K, X, Y = tc.Discrete("K", ("k", "l")), tc.Continuous("X"), tc.Continuous("Y")
NETWORK = tc.Network.of(
    [
        tc.Table((K,), np.array([0.5, 0.5])),
        tc.LinearGaussian((X,), [], 0, 1),
        tc.ConditionalGaussian((K, X, Y), np.ones((2, 1)), np.zeros(2), np.ones(2)),
    ]
)
CASES = tc.sample(NETWORK, 40, seed=1)
RATIOS = (
    "rules about variances are bounds,  variance(Y) <= 4,  or ratios,  "
    "variance(Y) = 2 * variance(Z)"
)

WRONG = [
    (
        "coefficient(X, «Y») = 1",
        "'Y' is no parent of 'X'",
        "continuous parents of 'X': none",
    ),
    (
        "coefficient(Y, «K») = 1",
        "'K' is discrete: it chooses the regression of 'Y'",
        "say in which of its states, as in  coefficient(Y, X | K=...)",
    ),
    ("coefficient(«K», X) = 1", "'K' is discrete and has no coefficient",
     "its rules speak of probabilities"),
    ("intercept(«Q») <= 1", "the network has no variable 'Q'", "variables: K, X, Y"),
    ("coefficient(Y, X | K=«m») = 1", "'K' has no state 'm'", "states of 'K': k, l"),
    ("coefficient(Y, X | «X»=3) = 1", "'X' is no parent of 'Y'", "parents of 'Y': K"),
    ("«variance(X) + variance(Y) <= 3»", "variances are not added up in rules", RATIOS),
    (
        "«variance(Y) <= coefficient(Y, X)»",
        "variances do not stand beside coefficients and intercepts in one rule",
        RATIOS,
    ),
    ("«variance(Y) <= 0»", "a variance is above 0", "allow some noise"),
    (
        "«coefficient(Y, X) >= coefficient(Y, X) + 1»",
        "this rule cannot hold, whatever the numbers are",
        "both sides name the same, and differ by a number",
    ),
    (
        "«coefficient(Y, X) >= 1 confidence 0.9»",
        "a rule about a regression is certain or left out",
        "confidence is for rules about probabilities",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("marked", "what", "advice"), WRONG, ids=[each[0] for each in WRONG])
def test_a_wrong_rule_is_shown_with_its_words_marked(marked, what, advice):
    text = marked.replace("«", "").replace("»", "")
    start, end = marked.index("«"), marked.index("»") - 1
    carets = " " * start + "^" * (end - start)
    with pytest.raises(tc.KnowledgeError) as raised:
        tc.fit("X, K -> Y", CASES, knowledge=text)
    line = str(raised.value).split("\n")[2].strip()
    assert line == text
    expected = f"line 1: {what}\n\n    {line}\n    {carets}\n\n{advice}"
    assert str(raised.value) == expected


def test_rules_that_contradict_each_other_are_the_fewest_that_do():
    rules = """
        intercept(Y) >= 0
        variance(Y) = 2 * variance(X)
        variance(X) >= 3
        variance(Y | K=k) <= 5
    """
    with pytest.raises(tc.ConflictError) as raised:
        tc.fit("X, K -> Y", CASES, knowledge=rules)
    assert str(raised.value) == (
        "3 rules contradict each other\n\n"
        "    line 3: variance(Y) = 2 * variance(X)\n"
        "    line 4: variance(X) >= 3\n"
        "    line 5: variance(Y | K=k) <= 5\n\n"
        "no numbers obey them together\n\n"
        "change or leave out one"
    )
    assert not tc.check(rules, NETWORK).feasible


def test_a_hidden_variable_has_its_scale_already():
    cases = {"a": CASES["X"], "b": CASES["Y"]}
    with pytest.raises(tc.ConflictError) as raised:
        tc.fit("F -> a, b", cases, hidden={"F": "continuous"}, knowledge="variance(F) = 4")
    assert str(raised.value) == (
        "a rule contradicts itself\n\n"
        "    line 1: variance(F) = 4\n\n"
        "no numbers obey it; a hidden continuous variable has intercept 0 and variance 1\n\n"
        "change it"
    )


def test_a_check_says_what_rules_about_regressions_stand_for():
    told = tc.check("coefficient(Y, X) >= 1; P(K=k) <= 0.5; intercept(Y | K=k) <= 3", NETWORK)
    assert told.feasible
    assert str(told) == (
        "3 rules: they can hold together\n\n"
        "line 1: P(K=k) <= 0.5\n"
        "line 1: coefficient(Y, X) >= 1\n"
        "    coefficient(Y, X | K=k) >= 1\n"
        "    coefficient(Y, X | K=l) >= 1\n"
        "line 1: intercept(Y | K=k) <= 3\n\n"
        "The rules leave to P(K)\n"
        "         k         l\n"
        "  0 to 0.5  0.5 to 1"
    )
    assert [rule["expansion"] for rule in told.to_plain()["regressions"]] == [
        ["coefficient(Y, X | K=k) >= 1", "coefficient(Y, X | K=l) >= 1"],
        ["intercept(Y | K=k) <= 3"],
    ]


@pytest.mark.parametrize(
    ("options", "what", "right"),
    [
        ({"method": tc.Gradient()}, "its missing cells and hidden variables are inferred by EM",
         "use method=tc.EM()"),
        ({"knowledge": "P(K=k) = 0.5 confidence 0.9"},
         "rules said with less than certainty need complete cases beside it",
         "leave out their confidence"),
    ],
)  # fmt: skip
def test_what_em_with_continuous_variables_cannot_do_is_said_first(options, what, right):
    gappy = {name: list(np.array(CASES[name], dtype=object)) for name in CASES.names}
    gappy["K"] = [K.states[code] for code in CASES["K"]]
    gappy["X"][3] = None
    with pytest.raises(tc.OptionError) as raised:
        tc.fit("X, K -> Y", gappy, **options)
    assert str(raised.value) in (f"{name} is continuous: {what}\n\n{right}" for name in "XY")


def test_a_prior_of_gaussian_families_needs_some():
    with pytest.raises(tc.OptionError) as raised:
        tc.fit("K", {"K": ["k", "l"]}, prior=tc.NormalGamma())
    assert str(raised.value) == (
        "tc.NormalGamma() is a prior of Gaussian families, and no variable is continuous"
        "\n\nleave it out"
    )
    for wrong, message in (
        ({"mean_strength": 0}, "mean_strength=0 must be a number of cases above 0"),
        ({"spread": -1.0},
         'spread=-1.0 must be "cases", a standard deviation above 0, or one by variable'),
    ):  # fmt: skip
        with pytest.raises(tc.OptionError) as raised:
            tc.NormalGamma(**wrong)
        assert str(raised.value) == message
    with pytest.raises(tc.OptionError) as raised:
        tc.fit("X, K -> Y", CASES, prior=tc.NormalGamma(scale_strength=2.5))
    assert str(raised.value) == (
        "scale_strength=2.5 is too little for 2 continuous variables: it must be more than 3"
    )
    with pytest.raises(tc.OptionError) as raised:
        tc.fit("X, K -> Y", CASES, prior=tc.NormalGamma(spread={"Z": 2.0}))
    assert str(raised.value) == (
        "tc.NormalGamma has a spread of Z, which is no continuous variable of the network"
    )
    with pytest.raises(tc.OptionError) as raised:
        tc.fit("X, K -> Y", CASES, prior=[tc.NormalGamma(), tc.NormalGamma()])
    assert str(raised.value) == (
        "prior= takes one prior of tables and one of Gaussian families, "
        "[tc.BDeu(1), tc.WeakNormal()] for example"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (-1, "strength=-1 must be a number of cases, 0 or more"),
        ("1", "strength='1' must be a number of cases, 0 or more"),
        (1e60, "strength=1e+60 is not between 1e-50 and 1e+50, so it cannot be computed "
         "with"),
        (1e-60, "strength=1e-60 is not between 1e-50 and 1e+50, so it cannot be computed "
         "with"),
    ],
)  # fmt: skip
def test_a_strength_is_a_number_of_cases(given, message):
    with pytest.raises(tc.OptionError) as raised:
        tc.WeakNormal(given)
    assert str(raised.value) == message


def test_a_posterior_of_regressions_needs_a_prior():
    with pytest.raises(tc.OptionError) as raised:
        tc.posterior("X -> Y", CASES.select(["X", "Y"]), prior=tc.WeakNormal(0))
    assert str(raised.value) == (
        "tc.WeakNormal(0) is no prior, and a posterior of Gaussian families needs one"
        "\n\nleave it out, or say how many cases it is worth: tc.WeakNormal(1)"
    )
