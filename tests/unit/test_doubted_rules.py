"""Rules said with less than certainty: how probable they become, and what they do to a fit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import betainc

import naive_posterior as naive
import tacit as tc

STATES = ("heads", "tails")
COIN = tc.Network(
    tc.Dag({"Coin": ()}),
    {"Coin": tc.Discrete("Coin", STATES)},
    {"Coin": tc.Table((tc.Discrete("Coin", STATES),), np.array([0.5, 0.5]))},
)


def coin(heads: int, tails: int) -> dict[str, list[str]]:
    return {"Coin": ["heads"] * heads + ["tails"] * tails}


def fair(confidence: float) -> str:
    return f"P(Coin=heads) = 0.5 confidence {confidence}"


@pytest.mark.parametrize(("heads", "tails"), [(5, 5), (8, 2), (60, 40)])
def test_a_doubted_value_has_the_probability_of_bayes_rule(heads: int, tails: int) -> None:
    free = naive.log_beta_binomial(np.array([heads, tails], float), np.ones(2))
    held = (heads + tails) * np.log(0.5)
    odds = 0.9 / 0.1 * np.exp(held - free)
    expected = odds / (1 + odds)
    found = tc.posterior(COIN, coin(heads, tails), prior=tc.K2(), knowledge=fair(0.9), seed=1)
    assert found.beliefs[0].probability == pytest.approx(expected, abs=1e-9)
    fit = tc.fit(COIN, coin(heads, tails), prior=tc.K2(), knowledge=fair(0.9))
    assert fit.rules[0].probability == pytest.approx(expected, abs=1e-9)
    plain = (heads + 1) / (heads + tails + 2)
    assert fit.network["Coin"].values[0] == pytest.approx(expected * 0.5 + (1 - expected) * plain)
    assert found.mean["Coin"][0] == pytest.approx(expected * 0.5 + (1 - expected) * plain)


def test_a_doubted_bound_is_weighed_by_the_mass_it_keeps() -> None:
    found = tc.posterior(
        COIN, coin(3, 5), prior=tc.K2(), seed=1, knowledge="P(Coin=heads) <= 0.3 confidence 0.8"
    )
    odds = 0.8 / 0.2 * betainc(4, 6, 0.3) / 0.3
    assert found.beliefs[0].probability == pytest.approx(odds / (1 + odds), abs=1e-9)


def test_enough_cases_overrule_a_wrong_rule_and_never_a_certain_one() -> None:
    probabilities = []
    for cases in (10, 100, 1000, 10_000):
        heads = int(0.7 * cases)
        fit = tc.fit(COIN, coin(heads, cases - heads), knowledge=fair(0.99))
        probabilities.append(fit.rules[0].probability)
        certain = tc.fit(COIN, coin(heads, cases - heads), knowledge="P(Coin=heads) = 0.5")
        assert certain.network["Coin"].values[0] == pytest.approx(0.5, abs=1e-12)
    assert probabilities == sorted(probabilities, reverse=True)
    assert probabilities[0] > 0.9
    assert probabilities[-1] < 1e-6
    assert fit.rules[0].verdict == "overruled"
    assert_allclose(fit.network["Coin"].values[0], 0.7, atol=1e-3)
    assert any("overrule" in note for note in fit.notes)


def test_enough_cases_confirm_a_right_rule() -> None:
    few, many = (
        tc.fit(COIN, coin(half, half), knowledge=fair(0.5)).rules[0].probability
        for half in (5, 5000)
    )
    assert few is not None
    assert many is not None
    assert 0.5 < few < many
    assert many > 0.97


def test_doubted_rules_that_contradict_each_other_share_the_doubt() -> None:
    rules = "P(Coin=heads) = 0.5 confidence 0.5\nP(Coin=heads) = 0.8 confidence 0.5"
    fit = tc.fit(COIN, coin(80, 20), knowledge=rules)
    half, most = (rule.probability for rule in fit.rules)
    assert half is not None
    assert most is not None
    assert half < 0.01
    assert most > 0.8
    assert half + most <= 1


def test_certain_rules_hold_beside_doubted_ones() -> None:
    asia = tc.textbook("asia")
    cases = tc.sample(asia, 200, seed=1)
    rules = """
        P(dysp=yes | bronc=no, either=no) <= 0.05
        P(dysp=yes | bronc=no, either=no) >= 0.02 confidence 0.7
        dysp increases with either confidence 0.9
        P(xray=yes | either=yes) = 0.98 confidence 0.6
    """
    fit = tc.fit(asia, cases, knowledge=rules)
    assert fit.network["dysp"].values[1, 1, 0] <= 0.05 + 1e-12
    assert [rule.probability is None for rule in fit.rules] == [True, False, False, False]
    assert all(0 <= rule.probability <= 1 for rule in fit.rules[1:])
    found = tc.posterior(asia, cases, knowledge=rules, seed=1)
    assert (found.draws["dysp"][:, 1, 1, 0] <= 0.05 + 1e-12).all()


def test_rows_that_no_doubted_rule_names_are_as_they_were() -> None:
    asia = tc.textbook("asia")
    cases = tc.sample(asia, 200, seed=1)
    plain = tc.fit(asia, cases)
    fit = tc.fit(asia, cases, knowledge="P(tub=yes | asia=yes) >= 0.1 confidence 0.9")
    for name in asia:
        if name != "tub":
            assert (fit.network[name].values == plain.network[name].values).all()
    assert (fit.network["tub"].values[1] == plain.network["tub"].values[1]).all()


def test_missing_cells_and_doubted_rules_go_together_in_a_fit() -> None:
    asia = tc.textbook("asia")
    cases = tc.sample(asia, 2000, seed=1, missing=tc.AtRandom(0.1))
    wrong = "P(bronc=yes | smoke=yes) <= 0.2 confidence 0.9"
    right = "P(bronc=yes | smoke=yes) >= 0.5 confidence 0.9"
    fit = tc.fit(asia, cases, knowledge=f"{wrong}\n{right}", seed=1)
    assert fit.rules[0].probability < 1e-6
    assert fit.rules[1].probability > 0.9
    free = tc.fit(asia, cases, seed=1)
    assert_allclose(fit.network["bronc"].values, free.network["bronc"].values, atol=1e-4)


def test_the_mixture_has_the_log_marginal_likelihood_of_its_parts() -> None:
    cases = coin(8, 2)
    free = tc.posterior(COIN, cases, prior=tc.K2()).log_marginal_likelihood
    held = tc.posterior(COIN, cases, prior=tc.K2(), knowledge="P(Coin=heads) = 0.5")
    found = tc.posterior(COIN, cases, prior=tc.K2(), knowledge=fair(0.9))
    assert free is not None
    expected = np.logaddexp(np.log(0.1) + free, np.log(0.9) + held.log_marginal_likelihood)
    assert found.log_marginal_likelihood == pytest.approx(expected, abs=1e-9)


def test_more_doubted_rules_of_a_row_than_can_be_combined_are_still_weighed() -> None:
    variable = tc.Discrete("Die", tuple(map(str, range(12))))
    network = tc.Network(
        tc.Dag({"Die": ()}), {"Die": variable},
        {"Die": tc.Table((variable,), np.full(12, 1 / 12))},
    )  # fmt: skip
    rules = "\n".join(f"P(Die={at}) = {value} confidence 0.5" for at, value in
                      zip(range(10), [0.083] * 9 + [0.2], strict=True))  # fmt: skip
    cases = {"Die": [str(at) for at in range(12) for _ in range(200)]}
    fit = tc.fit(network, cases, knowledge=rules)
    probabilities = [rule.probability for rule in fit.rules]
    assert min(probabilities[:9]) > 0.5
    assert probabilities[9] < 1e-6


def test_sets_that_contradict_themselves_leave_their_belief_to_the_others() -> None:
    rules = "P(Coin=heads) >= 0.6 confidence 0.8\nP(Coin=heads) <= 0.3 confidence 0.7"
    total = 0.0
    for heads, ways in ((0, 1), (1, 2), (2, 1)):
        data = coin(heads, 2 - heads)
        found = tc.posterior(COIN, data, prior=tc.K2(), knowledge=rules, seed=1)
        compared = tc.compare(COIN, data, [rules, None], prior=tc.K2(), folds=2, seed=1)
        marginal = found.log_marginal_likelihood
        assert marginal is not None
        assert compared["expert A"].log_marginal_likelihood == pytest.approx(marginal, abs=1e-9)
        total += ways * np.exp(marginal)
    assert total == pytest.approx(1.0, abs=1e-9)


def test_doubted_rules_of_tables_stand_beside_rules_of_regressions_priors_and_curves() -> None:
    random = np.random.default_rng(4)
    reals = {"X": random.normal(size=10), "Y": random.normal(size=10)}
    tossed, line = coin(8, 2), "coefficient(Y, X) >= 0.5"
    alone = tc.fit(COIN, tossed, prior=tc.K2(), knowledge=fair(0.9))
    for knowledge, prior, families in (
        (line, [tc.K2()], None),
        ("", [tc.K2(), tc.NormalGamma()], None),
        ("", [tc.K2()], {"Y": tc.SigmoidGaussian}),
    ):
        plain = tc.fit("X -> Y", reals, knowledge=knowledge or None, families=families,
                       prior=prior[1:] or None)  # fmt: skip
        both = f"{knowledge}\n{fair(0.9)}\nforbid Coin -> X"
        fit = tc.fit("Coin; X -> Y", {**tossed, **reals}, knowledge=both, prior=prior,
                     families=families)  # fmt: skip
        assert fit.network["Coin"] == alone.network["Coin"]
        assert fit.network["Y"] == plain.network["Y"]
        assert fit.rules[-1].probability == alone.rules[0].probability
        assert len(fit.rules) == 1 + bool(knowledge)
        assert fit.objective == pytest.approx(alone.objective + plain.objective)
        assert fit.log_likelihood == pytest.approx(alone.log_likelihood + plain.log_likelihood)
