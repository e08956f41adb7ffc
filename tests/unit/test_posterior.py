"""Whole posteriors of small networks, against formulas and grids."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.special import betainc

import naive_posterior as naive
import tacit as tc


def coin(heads: int, tails: int) -> dict[str, list[str]]:
    return {"Coin": ["heads"] * heads + ["tails"] * tails}


def die(*counts: int) -> dict[str, list[str]]:
    return {"Die": [str(at) for at, count in enumerate(counts) for _ in range(count)]}


ONE_COIN = tc.Network(
    tc.Dag({"Coin": ()}),
    {"Coin": tc.Discrete("Coin", ("heads", "tails"))},
    {"Coin": tc.Table((tc.Discrete("Coin", ("heads", "tails")),), np.array([0.5, 0.5]))},
)


def one_die(states: int) -> tc.Network:
    variable = tc.Discrete("Die", tuple(map(str, range(states))))
    even = tc.Table((variable,), np.full(states, 1 / states))
    return tc.Network(tc.Dag({"Die": ()}), {"Die": variable}, {"Die": even})


def test_without_rules_it_is_the_dirichlet() -> None:
    asia = tc.textbook("asia")
    cases = tc.sample(asia, 300, seed=1)
    fit = tc.fit(asia, cases, prior=tc.K2(), estimate=tc.PosteriorMean())
    found = tc.posterior(asia, cases, prior=tc.K2(), seed=1)
    for name in asia:
        assert_allclose(found.mean[name], fit.network[name].values, atol=1e-12)
        assert_allclose(found.interval[name].lower, fit.intervals[name].lower, atol=1e-12)
        drawn = found.draws[name]
        error = found.sd[name] / np.sqrt(len(drawn))
        assert (np.abs(drawn.mean(axis=0) - found.mean[name]) < 5 * error + 1e-12).all()
    assert found.log_marginal_likelihood == pytest.approx(fit.log_marginal_likelihood, abs=1e-9)
    assert found.diagnostics.sampled == 0


def test_an_interval_of_two_states_is_a_truncated_beta() -> None:
    found = tc.posterior(
        ONE_COIN, coin(2, 8), prior=tc.K2(), knowledge="0.3 <= P(Coin=heads) <= 0.4", seed=1
    )
    a, b, low, high = 3.0, 9.0, 0.3, 0.4
    mass = betainc(a, b, high) - betainc(a, b, low)
    mean = a / (a + b) * (betainc(a + 1, b, high) - betainc(a + 1, b, low)) / mass
    assert found.mean["Coin"][0] == pytest.approx(mean, abs=1e-12)
    beta = stats.beta(a, b)
    ends = beta.ppf(beta.cdf(low) + np.array([0.025, 0.975]) * mass)
    assert_allclose(
        [found.interval["Coin"].lower[0], found.interval["Coin"].upper[0]], ends, atol=1e-9
    )
    assert found.draws["Coin"][:, 0].min() >= low
    assert found.draws["Coin"][:, 0].max() <= high
    prior = stats.beta(1, 1).cdf(high) - stats.beta(1, 1).cdf(low)
    plain = naive.log_beta_binomial(np.array([2.0, 8.0]), np.ones(2))
    assert found.log_marginal_likelihood == pytest.approx(plain + np.log(mass / prior), abs=1e-9)


def test_an_order_of_three_states_has_the_mean_of_the_specification() -> None:
    found = tc.posterior(
        one_die(3), die(3, 1, 6), prior=tc.K2(), seed=3,
        knowledge="P(Die=0) <= P(Die=1) <= P(Die=2)",
        sampling=tc.Sampling(draws=8000, precision=5e-4),
    )  # fmt: skip
    assert_allclose(found.mean["Die"], [0.1707, 0.2594, 0.5699], atol=2e-3)
    drawn = found.draws["Die"]
    assert (np.diff(drawn, axis=1) >= -1e-9).all()
    assert found.diagnostics.rhat < 1.02


def test_a_rule_that_holds_anyway_changes_nothing() -> None:
    cases = die(100, 400, 500)
    free = tc.posterior(one_die(3), cases, prior=tc.K2(), seed=1)
    ruled = tc.posterior(one_die(3), cases, prior=tc.K2(), knowledge="P(Die=0) <= 0.5", seed=1)
    assert_allclose(ruled.mean["Die"], free.mean["Die"], atol=1e-12)
    assert_allclose(ruled.sd["Die"], free.sd["Die"], atol=1e-9)


def test_the_mode_is_the_map_estimate_under_the_rules() -> None:
    rules = "P(Die=0) <= P(Die=1) <= P(Die=2)"
    cases = die(3, 1, 6)
    fit = tc.fit(one_die(3), cases, prior=tc.Dirichlet(2.0), estimate=tc.MAP(), knowledge=rules)
    found = tc.posterior(one_die(3), cases, prior=tc.Dirichlet(2.0), knowledge=rules, seed=1)
    assert_allclose(found.mode["Die"], fit.network["Die"].values, atol=1e-9)


@pytest.mark.parametrize(
    ("counts", "mean", "sd"), [((0, 3), 0.125, 0.110), ((2, 8), 5 / 22, 0.087)]
)
def test_the_product_of_binomials_counts_two_states_twice(
    counts: tuple[int, int], mean: float, sd: float
) -> None:
    found = tc.posterior(
        ONE_COIN, coin(*counts), prior=tc.K2(), likelihood="binomial_product", seed=1
    )
    assert found.mean["Coin"][0] == pytest.approx(mean, abs=1e-6)
    assert found.sd["Coin"][0] == pytest.approx(sd, abs=1e-3)
    assert found.log_marginal_likelihood is None


def test_normal_priors_agree_with_a_grid() -> None:
    prior = tc.TruncatedNormal({"Coin": [0.3, 0.7]}, sd=0.1)
    found = tc.posterior(ONE_COIN, coin(4, 6), prior=prior, seed=1)

    def log_density(x: np.ndarray) -> np.ndarray:
        return 4 * np.log(x) + 6 * np.log1p(-x) - ((x - 0.3) / 0.1) ** 2

    mean, sd, _ = naive.grid_two_states(log_density, 0.0, 1.0)
    assert found.mean["Coin"][0] == pytest.approx(mean, abs=1e-5)
    assert found.sd["Coin"][0] == pytest.approx(sd, abs=1e-4)
    peak = found.mode["Coin"][0]
    assert log_density(np.array([peak])) >= log_density(np.linspace(0.01, 0.99, 9999)).max() - 1e-6


CHAIN = "A -> B -> C"


def chained(cases: int) -> tc.Dataset:
    states = ("no", "yes")
    a, b, c = (tc.Discrete(name, states) for name in "ABC")
    moved = np.array([[0.8, 0.2], [0.3, 0.7]])
    network = tc.Network(
        tc.Dag.parse(CHAIN),
        {"A": a, "B": b, "C": c},
        {
            "A": tc.Table((a,), np.array([0.6, 0.4])),
            "B": tc.Table((a, b), moved),
            "C": tc.Table((b, c), moved),
        },
    )
    return tc.sample(network, cases, seed=4)


def test_a_case_that_uses_a_tied_row_twice_is_no_product_of_means() -> None:
    cases = chained(6)
    found = tc.posterior(
        CHAIN, cases, prior=tc.K2(), knowledge="table(B | A) = table(C | B)", seed=1
    )
    moves = np.zeros((2, 2))
    for a, b, c in zip(cases["A"], cases["B"], cases["C"], strict=True):
        moves[a, b] += 1
        moves[b, c] += 1
    alpha = moves + 1  # shared cells have 1 + (1 - 1) + (1 - 1)
    first = (np.bincount(cases["A"], minlength=2) + 1) / 8
    row = alpha[0]
    square = row[0] * (row[0] + 1) / (row.sum() * (row.sum() + 1))
    new = {"A": ["no"], "B": ["no"], "C": ["no"]}
    expected = np.log(first[0] * square)
    assert found.log_predictive(new)[0] == pytest.approx(expected, abs=1e-9)
    assert abs(expected - np.log(first[0] * (row[0] / row.sum()) ** 2)) > 0.01


def test_predictive_probabilities_of_all_cases_sum_to_one() -> None:
    found = tc.posterior(
        CHAIN, chained(9), prior=tc.K2(), seed=1,
        knowledge="table(B | A) = table(C | B)\nP(A=yes) <= 0.4",
    )  # fmt: skip
    every = naive.every_case([2, 2, 2])
    states = np.array(["no", "yes"])
    new = {name: states[every[:, at]].tolist() for at, name in enumerate("ABC")}
    assert np.exp(found.log_predictive(new)).sum() == pytest.approx(1.0, abs=1e-9)


def test_predictions_weigh_every_draw_by_what_it_makes_of_the_case() -> None:
    found = tc.posterior(CHAIN, chained(8), prior=tc.K2(), seed=1)
    mean = {name: found.mean[name] for name in "ABC"}
    joint = np.einsum("a,ab,bc->abc", mean["A"], mean["B"], mean["C"])  # no row is used twice
    expected = joint[:, :, 1].sum(axis=1) / joint[:, :, 1].sum()
    predicted = found.predict({"C": ["yes"]}, draws=2000)
    assert_allclose(predicted["A"][0], expected, atol=0.02)
    assert_allclose(found.log_predictive({"C": ["yes"]}), np.log(joint[:, :, 1].sum()), atol=0.02)


def test_missing_cells_agree_with_the_sum_over_completions() -> None:
    cases = {"A": ["no", "yes", "yes", "", "no", "no"], "B": ["no", "yes", "", "yes", "no", ""]}
    exact = tc.average("A -> B", cases, prior=tc.K2())
    found = tc.posterior("A -> B", cases, prior=tc.K2(), seed=2, sampling=tc.Sampling(draws=8000))
    for name in "AB":
        error = found.whole.error.max()
        assert (np.abs(found.mean[name] - exact.mean[name]) < 5 * error).all()
    assert error < 0.01


def test_draws_of_incomplete_cases_obey_the_rules() -> None:
    cases = {"A": ["no", "yes", "yes", "", "no", "no"], "B": ["no", "yes", "", "yes", "no", ""]}
    found = tc.posterior(
        "A -> B", cases, prior=tc.K2(), seed=2, sampling=tc.Sampling(draws=400),
        knowledge="P(B=yes | A=no) <= P(B=yes | A=yes)\nP(A=yes) <= 0.4",
    )  # fmt: skip
    drawn = found.draws["B"]
    assert (drawn[:, 0, 1] <= drawn[:, 1, 1] + 1e-9).all()
    assert (found.draws["A"][:, 1] <= 0.4 + 1e-12).all()


def test_a_quantity_has_its_own_posterior() -> None:
    asia = tc.textbook("asia")
    found = tc.posterior(asia, tc.sample(asia, 200, seed=1), prior=tc.K2(), seed=1)
    risk = found.of("P(lung=yes | smoke=yes) - P(lung=yes | smoke=no)")
    exact = found.mean["lung"][0, 0] - found.mean["lung"][1, 0]
    spread = np.hypot(found.sd["lung"][0, 0], found.sd["lung"][1, 0])
    assert float(risk) == pytest.approx(exact, abs=5 * spread / np.sqrt(found.size))
    assert risk.sd[0] == pytest.approx(spread, rel=0.1)
    every = found.of("P(dysp=yes | bronc, either)")
    assert every.mean.shape == (4,)
    assert every.labels[0] == "P(dysp=yes | bronc=yes, either=yes)"


def test_correlations_of_a_row_are_those_of_a_dirichlet() -> None:
    found = tc.posterior(one_die(3), die(3, 1, 6), prior=tc.K2(), seed=3,
                         sampling=tc.Sampling(draws=20_000))  # fmt: skip
    alpha = np.array([4.0, 2.0, 7.0])
    total = alpha.sum()
    expected = -np.sqrt(alpha[0] * alpha[1] / ((total - alpha[0]) * (total - alpha[1])))
    assert found.correlation("Die")[0, 1] == pytest.approx(expected, abs=0.04)


def test_the_same_seed_gives_the_same_draws_whatever_the_threads() -> None:
    rules = "P(Die=0) <= P(Die=1) <= P(Die=2)"
    one, two = (
        tc.posterior(one_die(3), die(3, 1, 6), knowledge=rules, seed=5, threads=threads)
        for threads in (1, 2)
    )
    assert (one.draws["Die"] == two.draws["Die"]).all()
    assert (one.mean["Die"] == two.mean["Die"]).all()


def test_tied_cells_of_a_weak_prior_are_pooled_and_it_is_said() -> None:
    rules = "P(Die=0) = P(Die=1) = P(Die=2)"
    found = tc.posterior(one_die(4), die(3, 1, 6, 2), knowledge=rules, seed=1)
    assert_allclose(found.mean["Die"][3], (2 + 0.25) / 13)
    assert any("added up" in note for note in found.notes)
    held = tc.posterior(one_die(4), die(3, 1, 6, 2), prior=tc.Dirichlet(2.0), knowledge=rules)
    assert_allclose(held.mean["Die"][3], (2 + 2) / (12 + 4 + 2))
    assert not any("added up" in note for note in held.notes)


def test_the_auxiliary_network_of_a_row_lists_parameters_counts_and_rules() -> None:
    found = tc.posterior(
        ONE_COIN, coin(2, 8), prior=tc.K2(), likelihood="binomial_product",
        knowledge="P(Coin=heads) <= 0.3", seed=1,
    )  # fmt: skip
    shown = tc.auxiliary(found, "Coin")
    kinds = [node.kind for node in shown.nodes]
    assert kinds == ["continuous"] * 2 + ["deterministic"] + ["integer"] * 3 + ["boolean"]
    assert [node.observed for node in shown.nodes] == ["", "", "1", "10", "2", "8", "true"]
    heads = "θ P(Coin=heads)"
    assert shown.nodes[4].parents == ("N P(Coin)", heads)
    assert shown.nodes[6].parents == (heads,)
    assert shown.dag.parents["C1"] == (heads,)
