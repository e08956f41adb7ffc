"""MPL-TC: normal priors from a source, rules and cases of the target, posterior means."""

from __future__ import annotations

import numpy as np
import pytest

import naive_posterior as naive
import tacit as tc

STATES = ("heads", "tails")
COIN = tc.Network(
    tc.Dag({"Coin": ()}),
    {"Coin": tc.Discrete("Coin", STATES)},
    {"Coin": tc.Table((tc.Discrete("Coin", STATES),), np.array([0.5, 0.5]))},
)
NORMAL = tc.BestFragment(fusion="normal", threshold=0.0)
PRINTED = tc.BestFragment(
    fusion="normal", printed=True, normal=tc.NormalPrior(floor=0.01, coherent=False)
)


def coin(heads: int, tails: int) -> dict[str, list[str]]:
    return {"Coin": ["heads"] * heads + ["tails"] * tails}


def leeds(heads: int, tails: int) -> list[tc.Source]:
    return [tc.Source(coin(heads, tails), name="Leeds", structure=COIN)]


def test_two_states_are_one_normal_times_one_binomial() -> None:
    fit = tc.fit(COIN, coin(2, 8), sources=leeds(40, 60), transfer=NORMAL)
    centre, n = 0.4, 100
    smooth = 41 / 102
    spread = max(np.sqrt(centre * 0.6 / n), np.sqrt(smooth * (1 - smooth) / (n + 3)))

    def log_density(x: np.ndarray) -> np.ndarray:
        return 2 * np.log(x) + 8 * np.log1p(-x) - 0.5 * ((x - centre) / spread) ** 2

    mean, _, _ = naive.grid_two_states(log_density, 0.0, 1.0)
    assert fit.network["Coin"].values[0] == pytest.approx(mean, abs=1e-4)


def test_as_printed_both_are_counted_twice() -> None:
    fit = tc.fit(COIN, coin(2, 8), sources=leeds(40, 60), transfer=PRINTED)
    spread = np.sqrt(0.4 * 0.6 / 100)

    def log_density(x: np.ndarray) -> np.ndarray:
        return 4 * np.log(x) + 16 * np.log1p(-x) - ((x - 0.4) / spread) ** 2

    mean, _, _ = naive.grid_two_states(log_density, 0.0, 1.0)
    assert fit.network["Coin"].values[0] == pytest.approx(mean, abs=1e-4)


def test_rules_hold_and_say_what_became_of_them() -> None:
    fit = tc.fit(
        COIN, coin(2, 8), sources=leeds(40, 60), transfer=NORMAL, knowledge="P(Coin=heads) <= 0.32"
    )
    assert fit.network["Coin"].values[0] < 0.32
    assert fit.rules[0].limit == 0.32
    assert fit.rules[0].value == pytest.approx(fit.network["Coin"].values[0])


def test_one_case_hardly_moves_a_large_source() -> None:
    fit = tc.fit(COIN, coin(1, 0), sources=leeds(300, 700), transfer=NORMAL)
    assert fit.network["Coin"].values[0] == pytest.approx(0.3, abs=0.005)


def test_the_report_and_a_saved_fit_tell_the_loan(tmp_path) -> None:
    fit = tc.fit(COIN, coin(2, 8), sources=leeds(40, 60), transfer=NORMAL)
    fit.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.borrowed == fit.borrowed
    assert "Leeds" in str(tc.report(fit))


def test_missing_cells_are_refused_with_a_way_out() -> None:
    with pytest.raises(tc.OptionError, match="needs complete cases"):
        tc.fit(COIN, {"Coin": ["heads", "", "tails"]}, sources=leeds(4, 6), transfer=NORMAL)
