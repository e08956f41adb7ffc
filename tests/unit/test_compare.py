"""Rule sets of several experts against the same cases."""

from __future__ import annotations

from dataclasses import replace
from math import exp, inf, log

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import beta

import naive_compare
import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.estimate.bayes.draws import Sampling
from tacit.families.table import table
from tacit.learn.compare import compare
from tacit.learn.comparison import Compared, Comparison, posterior_weights
from tacit.learn.favoured import verdict
from tacit.learn.folds import cross_validate
from tacit.learn.freedom import lost_parameters
from tacit.learn.ruled import ruled

SIDE, COIN = Discrete("Side", ("x", "y", "z")), Discrete("Coin", ("a", "b", "c"))
SAME = Network.of([table(SIDE, [], [0.3, 0.3, 0.4]), table(COIN, [SIDE], [[0.2, 0.3, 0.5]] * 3)])
APART = Network.of(
    [
        table(SIDE, [], [0.3, 0.3, 0.4]),
        table(COIN, [SIDE], [[0.2, 0.3, 0.5], [0.4, 0.3, 0.3], [0.6, 0.2, 0.2]]),
    ]
)
TWO = "P(Coin | Side=x) = P(Coin | Side=y)"
THREE = "P(Coin | Side=x) = P(Coin | Side=y) = P(Coin | Side=z)"


def codes_of(data: Dataset) -> list[tuple[int, ...]]:
    return list(zip(data["Side"].tolist(), data["Coin"].tolist(), strict=True))


def joined(*together: int):
    """The factors of a case where these rows of the coin are one."""

    def places(case: tuple[int, ...]) -> list[tuple[object, int]]:
        side, coin = case
        row = min(together) if side in together else side
        return [("Side", side), (("Coin", row), coin)]

    return places


def priors(cell: float, tied: int, pooled: bool):
    """alpha in every cell; row 0 of the coin stands for so many rows."""
    together = tied * cell if pooled else 1 + tied * (cell - 1)

    def alpha(name: object) -> list[float]:
        return [together if name == ("Coin", 0) else cell] * 3

    return alpha


def marginal(data: Dataset, tied: int, cell: float, pooled: bool) -> float:
    places = joined(*range(tied))
    return naive_compare.log_predictives(codes_of(data), places, priors(cell, tied, pooled))


def test_the_marginal_likelihood_is_the_product_of_predictives() -> None:
    data = tc.sample(SAME, 40, seed=1)
    found = compare(SAME, data, [TWO, THREE, None], names=["two", "three", "free"],
                    prior=tc.K2(), seed=1)  # fmt: skip
    for name, tied in (("two", 2), ("three", 3), ("free", 1)):
        each = found[name]
        assert each.log_marginal_likelihood == pytest.approx(marginal(data, tied, 1.0, False))
        assert each.error == 0
    assert not found.pooled
    assert found.notes == ()


def test_one_improper_set_pools_the_prior_of_all() -> None:
    data = tc.sample(SAME, 40, seed=1)
    prior = tc.Dirichlet(0.6)  # 1 + 2 (0.6 - 1) is above 0, 1 + 3 (0.6 - 1) is not
    alone = compare(SAME, data, [TWO, None], prior=prior, seed=1)
    among = compare(SAME, data, [TWO, THREE, None], prior=prior, seed=1)
    assert (alone.pooled, among.pooled) == (False, True)
    for found in (alone, among):
        value = found["expert A"].log_marginal_likelihood
        assert value == pytest.approx(marginal(data, 2, 0.6, found.pooled))
    assert among["expert B"].log_marginal_likelihood == pytest.approx(marginal(data, 3, 0.6, True))
    assert alone.notes == ()
    assert any("pseudo-counts of tied cells were added up" in note for note in among.notes)


def test_a_bound_gains_what_it_makes_more_probable() -> None:
    data = Dataset({"Coin": COIN}, {"Coin": np.repeat([0, 1, 2], [3, 5, 9])})
    found = compare("Coin", data, ["P(Coin=a) <= 0.3", None], prior=tc.K2(), seed=1)
    inside = log(beta.cdf(0.3, 1 + 3, 2 + 14) / beta.cdf(0.3, 1, 2))
    factor, error = found.log_bayes_factor("expert A", "no rules")
    assert abs(factor - inside) <= 1e-8 + 5 * error


def test_an_order_of_rows_gains_what_rejection_counts() -> None:
    data = tc.sample(APART, 50, seed=1)
    found = compare(APART, data, ["Coin decreases with Side", None], prior=tc.K2(), seed=1)
    counts = np.zeros((3, 3))
    np.add.at(counts, (data["Side"], data["Coin"]), 1)

    def falls(rows: np.ndarray) -> np.ndarray:
        below = rows.cumsum(axis=2)[:, :, :2]
        return (np.diff(below, axis=1) >= 0).all(axis=(1, 2))

    oracle, spread = naive_compare.log_gain(counts, falls, 200_000, seed=1)
    factor, error = found.log_bayes_factor("expert A", "no rules")
    assert error < 0.05
    assert abs(factor - oracle) <= 5 * np.hypot(spread, error)


def test_true_sharing_is_preferred_on_enough_cases_and_false_sharing_is_not() -> None:
    true = compare(SAME, tc.sample(SAME, 2000, seed=1), [THREE, None], seed=1)
    false = compare(SAME, tc.sample(APART, 2000, seed=1), [THREE, None], seed=1)
    assert (true.best.name, false.best.name) == ("expert A", "no rules")
    assert true.best.weight > 0.99
    assert false.best.weight > 0.99
    assert "The cases speak against the rules of expert A" in false.verdict
    assert "speak against" not in true.verdict


def test_both_scores_rank_alike_on_enough_cases() -> None:
    rules = [THREE, TWO, "P(Coin | Side=x) = P(Coin | Side=z)", None]
    near = Network.of(
        [SAME["Side"], table(COIN, [SIDE], [[0.2, 0.3, 0.5], [0.2, 0.3, 0.5], [0.6, 0.2, 0.2]])]
    )
    found = compare(near, tc.sample(near, 5000, seed=2), rules, seed=1)
    by_marginal = [each.name for each in found]
    by_held_out = sorted(found, key=lambda each: -each.held_out.average)
    assert by_marginal == ["expert B", "no rules", "expert C", "expert A"]
    assert [each.name for each in by_held_out] == by_marginal


def test_equal_sets_tie() -> None:
    data = tc.sample(APART, 50, seed=1)
    found = compare(APART, data, [TWO, TWO], seed=1)
    one, other = found
    assert (one.weight, other.weight) == (0.5, 0.5)
    assert one.log_marginal_likelihood == other.log_marginal_likelihood
    assert (one.below, other.below) == (0, 0)
    assert found.verdict == (
        "Expert A and expert B have the same marginal likelihood; "
        "held-out cases do not tell them apart."
    )


def test_no_rules_are_the_free_network() -> None:
    data = tc.sample(APART, 50, seed=1)
    found = compare(APART, data, [TWO, None], prior=tc.K2(), seed=1)["no rules"]
    fitted = tc.fit(APART, data, prior=tc.K2())
    assert found.log_marginal_likelihood == pytest.approx(fitted.log_marginal_likelihood)
    alone = cross_validate(APART, data, prior=tc.K2(), seed=1)
    assert_array_equal(found.held_out.per_case, alone.per_case)


def test_the_seed_repeats_everything_whatever_the_threads() -> None:
    data = tc.sample(APART, 50, seed=1)
    rules = [TWO, "P(Coin=a | Side=x) <= P(Coin=a | Side=y)", None]
    one, two, other = (
        compare(APART, data, rules, seed=seed, threads=threads, sampling=Sampling(draws=400))
        for seed, threads in ((1, 1), (1, 2), (2, 1))
    )
    assert one.to_plain() == two.to_plain()
    assert one.best.held_out.average != other.best.held_out.average


def test_weights_follow_from_the_marginal_likelihoods() -> None:
    found = compare(APART, tc.sample(APART, 50, seed=1), [TWO, THREE, None], seed=1)
    raw = np.array([exp(each.log_marginal_likelihood) for each in found])
    assert_allclose([each.weight for each in found], raw / raw.sum())


def test_errors_of_weights_are_those_of_simulated_ones() -> None:
    logs, errors = np.array([-10.0, -10.5, -12.0]), np.array([0.02, 0.03, 0.01])
    weights, inherited = posterior_weights(logs, errors)
    random = np.random.default_rng(1)
    drawn = np.exp(logs + errors * random.standard_normal((100_000, 3)))
    drawn /= drawn.sum(axis=1, keepdims=True)
    assert_allclose(weights, drawn.mean(axis=0), atol=1e-3)
    assert_allclose(inherited, drawn.std(axis=0), rtol=0.02)  # an sd of 100,000: 0.2 %


def test_a_set_that_holds_cases_impossible_is_refuted_not_refused() -> None:
    data = tc.sample(APART, 50, seed=1)
    found = compare(APART, data, ["P(Coin=a | Side=x) = 0", None], seed=1)
    refuted = found["expert A"]
    never = int(((data["Side"] == 0) & (data["Coin"] == 0)).sum())
    assert refuted.log_marginal_likelihood == -inf
    assert (refuted.weight, refuted.barred, refuted.held_out.impossible) == (0, never, never)
    assert found.best.name == "no rules"
    assert found.verdict.startswith("Expert A holds the cases impossible, no rules do not")
    both = compare(APART, data, ["P(Coin=a | Side=x) = 0", "P(Coin=b | Side=x) = 0"], seed=1)
    assert [each.weight for each in both] == [None, None]
    assert "both hold the cases impossible" in both.verdict


def test_missing_cells_leave_cross_validation_alone() -> None:
    data = tc.sample(APART, 60, seed=1, missing=tc.AtRandom(0.1))
    gaps = sum(data.missing().values())
    found = compare(APART, data, [THREE, None], seed=1)
    assert [each.log_marginal_likelihood for each in found] == [None, None]
    assert [each.weight for each in found] == [None, None]
    assert found.notes[0] == f"no marginal likelihood: {gaps} cells are missing"
    averages = [each.held_out.average for each in found]
    assert averages == sorted(averages, reverse=True)
    assert "Bayes factor" not in found.verdict
    assert "eld-out cases" in found.verdict


def test_a_prior_of_nothing_has_no_marginal_likelihood() -> None:
    found = compare(APART, tc.sample(APART, 60, seed=1), [TWO, None], prior=tc.BDeu(0), seed=1)
    assert found.notes[0] == "no marginal likelihood: the prior of Side is 0 in some cells"


def test_doubted_rules_are_a_mixture() -> None:
    data = tc.sample(APART, 30, seed=1)
    rules = [f"{TWO} confidence 0.8", TWO, None]
    found = compare(APART, data, rules, names=["doubted", "sure", "none"], prior=tc.K2(), seed=1)
    mixed = 0.8 * exp(marginal(data, 2, 1.0, False)) + 0.2 * exp(marginal(data, 1, 1.0, False))
    assert found["doubted"].log_marginal_likelihood == pytest.approx(log(mixed))
    assert found["doubted"].free_parameters is None


def test_doubted_rules_of_rows_apart_are_independent_and_contradictions_are_no_sets() -> None:
    data = tc.sample(APART, 30, seed=1)
    apart = "P(Coin=a | Side=x) = 0.3 confidence 0.6\nP(Coin=a | Side=y) = 0.5 confidence 0.7"
    clash = "P(Coin=a | Side=x) = 0.3 confidence 0.6\nP(Coin=a | Side=x) = 0.5 confidence 0.7"
    found = compare(APART, data, [apart, clash], prior=tc.K2(), seed=1)
    counts = np.zeros((3, 3))
    np.add.at(counts, (data["Side"], data["Coin"]), 1)
    free = marginal(data, 1, 1.0, False)

    def gain(row: int, value: float) -> float:
        """P(row given P(a) = value) over P(row): b and c are divided by a flat share."""
        a, others = counts[row, 0], counts[row, 1:]
        fixed = a * log(value) + others.sum() * log(1 - value) + _flat(others)
        return exp(fixed - _flat(counts[row]))

    x, y, again = gain(0, 0.3), gain(1, 0.5), gain(0, 0.5)
    both = log(0.4 + 0.6 * x) + log(0.3 + 0.7 * y)
    possible = 0.4 * 0.3 + 0.6 * 0.3 + 0.4 * 0.7  # both at once contradict each other
    either = log((0.4 * 0.3 + 0.6 * 0.3 * x + 0.4 * 0.7 * again) / possible)
    assert found["expert A"].log_marginal_likelihood == pytest.approx(free + both)
    assert found["expert B"].log_marginal_likelihood == pytest.approx(free + either)


def _flat(counts: np.ndarray) -> float:
    """log of the probability of these states, in their order, under a uniform prior."""
    cases = [(int(state),) for state in np.repeat(np.arange(counts.size), counts.astype(int))]
    flat = [1.0] * counts.size
    return naive_compare.log_predictives(cases, lambda case: [("", case[0])], lambda name: flat)


def test_rules_that_are_not_linear_have_held_out_cases_only() -> None:
    data = tc.sample(APART, 40, seed=1)
    bent = "P(Coin=a | Side=x) * P(Coin=a | Side=y) <= 0.1"
    found = compare(APART, data, [bent, None], prior=tc.K2(), seed=1, folds=2)
    assert found["expert A"].log_marginal_likelihood is None
    assert found["expert A"].free_parameters is None
    assert found["no rules"].log_marginal_likelihood is not None
    assert any(note.startswith("no marginal likelihood of expert A: rules") for note in found.notes)


@pytest.mark.parametrize(
    ("rules", "lost"),
    [
        (None, 0),
        ("P(Coin=a | Side=x) <= 0.4", 0),
        ("P(Coin=a | Side=x) = 0.4", 1),
        (TWO, 2),
        (THREE, 4),
        ("P(Coin=a | Side=x) = P(Coin=a | Side=y)", 1),
        ("P(Coin=a | Side=x) <= 0", 1),
        ("P(Coin={a, b} | Side=x) = 1\nP(Coin=a | Side=x) = 0.3", 2),
        ("P(Coin=a | Side=x) <= P(Coin=a | Side=y)\nP(Coin=a | Side=y) <= P(Coin=a | Side=x)", 1),
        ("P(Coin=a|Side=x) : P(Coin=b|Side=x) = P(Coin=a|Side=y) : P(Coin=b|Side=y)", 1),
        ("Coin ignores Side", 4),
    ],
)
def test_free_parameters_are_counted(rules, lost) -> None:
    data = tc.sample(APART, 30, seed=1)
    families = {"Side": (SIDE,), "Coin": (SIDE, COIN)}
    known = None if rules is None else tc.parse_knowledge(rules)
    assert lost_parameters(ruled(known, APART.dag, families)) == lost
    if rules is not None and "0.3" not in rules and "<= 0" not in rules:
        found = compare(APART, data, [rules, None], prior=tc.K2(), seed=1, folds=2)
        assert found["expert A"].free_parameters == 8 - lost


def test_names_come_from_who_said_the_rules_or_their_file_or_their_place(tmp_path) -> None:
    (tmp_path / "cee.know").write_text(TWO)
    rules = [f"{TWO} by Ann", tmp_path / "cee.know", f"{THREE} by Ann", THREE, None]
    found = compare(APART, tc.sample(APART, 30, seed=1), rules, seed=1, folds=2)
    assert {each.name for each in found} == {"Ann", "cee.know", "Ann (2)", "expert D", "no rules"}


def test_sets_are_found_by_name() -> None:
    found = compare(APART, tc.sample(APART, 30, seed=1), [TWO, None], seed=1, folds=2)
    assert len(found) == 2
    assert found["no rules"].knowledge is None
    assert str(found["expert A"].knowledge) == TWO
    with pytest.raises(OptionError, match="there is no rule set 'expert B'; did you mean"):
        found["expert B"]


def test_progress_is_told_set_by_set_and_fold_by_fold() -> None:
    told: list[tuple[int, int]] = []
    for data in (
        tc.sample(APART, 30, seed=1),
        tc.sample(APART, 30, seed=1, missing=tc.AtRandom(0.1)),
    ):
        told.clear()
        compare(APART, data, [TWO, None], folds=3, seed=1,
                progress=lambda *said: told.append(said[:2]))  # fmt: skip
        assert told == [(step, 8) for step in range(1, 9)]


def test_it_prints_as_a_table_and_as_plain_data() -> None:
    found = compare(APART, tc.sample(APART, 80, seed=1), [TWO, THREE, None], seed=1)
    lines = str(found).splitlines()
    assert lines[0] == "Comparison of 3 rule sets on 80 cases, prior BDeu(1), 5 folds"
    assert found.verdict in lines
    assert all(f"note: {note}" in lines for note in found.notes)
    assert "<table" in found._repr_html_()
    assert "<li>under some of the rules" in found._repr_html_()
    plain = found.to_plain()
    assert [each["name"] for each in plain["sets"]] == [each.name for each in found]
    assert plain["verdict"] == found.verdict
    assert repr(found) == "<Comparison of 3 rule sets on 80 cases>"


@pytest.fixture(scope="module")
def pair() -> Comparison:
    return compare(APART, tc.sample(APART, 60, seed=1), [TWO, TWO], names=["Ann", "Bob"], seed=1)


def standing(each: Compared, marginal: float | None, error: float = 0.0, gain: float = 0.0):
    """The set with another marginal likelihood, and held-out cases so much more probable."""
    spread = np.tile([-0.1, 0.1], 30) if gain else np.zeros(60)
    held_out = replace(each.held_out, per_case=each.held_out.per_case + gain + spread)
    return replace(each, log_marginal_likelihood=marginal, error=error, held_out=held_out)


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        (3.1, "3.1 (barely worth a mention)"),
        (3.2, "3.2 (substantial)"),
        (12, "12 (strong)"),
        (40, "40 (very strong)"),
        (101, "101 (decisive)"),
        (1e9, "10^9 (decisive)"),
    ],
)
def test_a_bayes_factor_is_put_in_words(pair, factor, said) -> None:
    ann, bob = standing(pair["Ann"], log(factor)), standing(pair["Bob"], 0.0)
    assert verdict([ann, bob]) == (
        f"Ann is favoured over Bob by a Bayes factor of {said}; "
        "held-out cases do not tell them apart."
    )


def test_a_difference_within_the_monte_carlo_error_is_none(pair) -> None:
    ann, bob = standing(pair["Ann"], 0.5, 0.3), standing(pair["Bob"], 0.0, 0.4)
    assert verdict([ann, bob]).startswith(
        "The marginal likelihoods of Ann and Bob differ by less than they are known "
        "(0.5 ± 0.5 nats);"
    )


def test_held_out_cases_agree_or_do_not(pair) -> None:
    ann, bob = standing(pair["Ann"], 3.0, gain=0.2), standing(pair["Bob"], 0.0)
    assert "; held-out cases agree, by 0.2000 ± 0.013 nats per case." in verdict([ann, bob])
    ann, bob = standing(pair["Ann"], 3.0), standing(pair["Bob"], 0.0, gain=0.2)
    assert "; held-out cases favour Bob, by 0.2000 ± 0.013 nats per case." in verdict([ann, bob])
    ann, bob = standing(pair["Ann"], None, gain=0.2), standing(pair["Bob"], None)
    assert verdict([ann, bob]).startswith("Held-out cases favour Ann over Bob by 0.2")
    ann, bob = standing(pair["Ann"], None), standing(pair["Bob"], -3.0)
    assert verdict([ann, bob]) == "Held-out cases do not tell Ann and Bob apart."
