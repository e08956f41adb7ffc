"""Fits under rules, from the public interface: values, prices, costs, notes, files."""

from __future__ import annotations

import json
from math import log

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import betainc, gammaln
from scipy.stats import chi2

import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.errors import ConflictError, EstimateError, KnowledgeError
from tacit.core.variables import Discrete

COIN = Discrete("Coin", ("a", "b", "c"))
SIDE = Discrete("Side", ("x", "y"))


def coins(*counts):
    """Cases in which the states of the coin occur so often."""
    codes = np.repeat(np.arange(len(counts)), counts)
    return Dataset({"Coin": COIN}, {"Coin": codes})


def two_sided(counts):
    """Cases of Side -> Coin with these counts."""
    side, coin = np.nonzero(np.ones_like(counts))
    repeats = counts.ravel()
    codes = {"Side": np.repeat(side, repeats), "Coin": np.repeat(coin, repeats)}
    return Dataset({"Side": SIDE, "Coin": COIN}, codes)


def ml(structure, data, knowledge, **further):
    return tc.fit(structure, data, knowledge=knowledge, estimate=tc.ML(), **further)


def test_a_cap_that_binds_is_reached_and_the_rest_keeps_its_proportions():
    fit = ml("Coin", coins(6, 3, 1), "P(Coin=a) <= 0.4")
    assert_allclose(fit.network["Coin"].values, [0.4, 0.6 * 3 / 4, 0.6 / 4])


def test_value_price_and_cost_of_a_cap_are_those_of_calculus():
    fit = ml("Coin", coins(6, 3, 1), "P(Coin=a) <= 0.4")
    (rule,) = fit.rules
    slope = 6 / 0.4 - 4 / 0.6
    loss = 6 * log(0.6 / 0.4) + 4 * log(0.4 / 0.6)
    assert (rule.text, rule.active, rule.instances) == ("P(Coin=a) <= 0.4", True, 1)
    assert rule.value == pytest.approx(0.4)
    assert rule.limit == 0.4
    assert rule.price == pytest.approx(0.01 * slope, rel=1e-6)
    assert rule.cost == pytest.approx(loss, abs=1e-9)
    assert rule.alone == pytest.approx(loss, abs=1e-9)
    assert rule.chance == pytest.approx(chi2.sf(2 * loss, 1) / 2)  # a true cap costs half the time
    assert rule.freedom == 1


def test_a_floor_keeps_the_sign_in_which_it_was_written():
    fit = ml("Coin", coins(6, 3, 1), "P(Coin=c) >= 0.25")
    (rule,) = fit.rules
    assert rule.value == pytest.approx(0.25)
    assert rule.limit == 0.25
    assert rule.active


def test_a_free_rule_costs_nothing_and_changes_not_a_bit():
    data = coins(6, 3, 1)
    free, plain = ml("Coin", data, "P(Coin=a) <= 0.7"), tc.fit("Coin", data, estimate=tc.ML())
    assert np.array_equal(free.network["Coin"].values, plain.network["Coin"].values)
    assert free.objective == plain.objective
    (rule,) = free.rules
    assert (rule.active, rule.verdict, rule.cost, rule.price) == (False, "free", 0.0, 0.0)


def test_a_rule_that_many_cases_contradict_is_resisted():
    (rule,) = ml("Coin", coins(600, 300, 100), "P(Coin=a) <= 0.4").rules
    assert rule.verdict == "resisted"
    (rule,) = ml("Coin", coins(6, 3, 1), "P(Coin=a) <= 0.4").rules
    assert rule.verdict == "binding"


def test_whole_rows_that_are_equal_pool_their_cases():
    counts = np.array([[6, 3, 1], [2, 7, 5]])
    fit = ml("Side -> Coin", two_sided(counts), "P(Coin | Side=x) = P(Coin | Side=y)")
    pooled = counts.sum(axis=0) / counts.sum()
    assert_allclose(fit.network["Coin"].values, [pooled, pooled])
    (rule,) = fit.rules
    assert rule.freedom == 2


def test_the_cost_is_the_loss_of_refitting_without_the_rule():
    data = two_sided(np.array([[6, 3, 1], [2, 7, 5]]))
    first, second = "P(Coin=a | Side=x) <= P(Coin=a | Side=y)", "P(Coin=c | Side=*) >= 0.3"
    both = tc.fit("Side -> Coin", data, knowledge=[first, second])
    for number, other in enumerate((second, first)):
        alone = tc.fit("Side -> Coin", data, knowledge=other)
        assert both.rules[number].cost == pytest.approx(alone.objective - both.objective, abs=1e-7)


def test_the_price_is_the_slope_of_the_objective():
    data = two_sided(np.array([[6, 3, 1], [2, 7, 5]]))

    def objective(limit):
        rules = f"P(Coin=a | Side=x) + P(Coin=b | Side=y) <= {limit!r}; P(Coin=c) >= 0.2"
        return tc.fit("Side -> Coin", data, knowledge=rules.replace("c)", "c | Side=*)"))

    middle, step = objective(0.9), 1e-4
    slope = (objective(0.9 + step).objective - objective(0.9 - step).objective) / (2 * step)
    assert middle.rules[0].price == pytest.approx(0.01 * slope, rel=1e-4)


def test_five_kinds_of_rules_in_one_network_are_the_union_of_five_fits():
    net = tc.textbook("insurance")
    cases = tc.sample(net, 2000, seed=3)
    kinds = [
        "P(Age=Adolescent) = 0.25",
        "P(GoodStudent=True | SocioEcon=Prole, Age=Adolescent) <= 0.1",
        "P(Theft=True | AntiTheft=True, HomeBase=*, CarValue=*) "
        "<= P(Theft=True | AntiTheft=False, HomeBase=*, CarValue=*)",
        "DrivQuality ignores RiskAversion when DrivingSkill=Normal",
        "P(MakeModel=SportsCar | SocioEcon=Prole, RiskAversion=*) "
        "= 2 * P(MakeModel=SuperLuxury | SocioEcon=Prole, RiskAversion=*)",
    ]
    together = tc.fit(net, cases, knowledge=kinds)
    for kind in kinds:
        alone = tc.fit(net, cases, knowledge=kind)
        touched = [n for n in net if not np.array_equal(
            alone.network[n].values, tc.fit(net, cases).network[n].values)]  # fmt: skip
        for name in touched:
            assert_allclose(together.network[name].values, alone.network[name].values, atol=1e-9)


def test_map_is_maximum_likelihood_at_shifted_counts():
    counts = np.array([6, 3, 1])
    rule = "P(Coin=a) = P(Coin=b)"
    found = tc.fit("Coin", coins(*counts), knowledge=rule, estimate=tc.MAP(), prior=tc.Dirichlet(3))
    shifted = ml("Coin", coins(*(counts + 2)), rule)
    assert_allclose(found.network["Coin"].values, shifted.network["Coin"].values)


def test_positions_with_dirichlet_2_make_a_shared_parameter_of_k_plus_1():
    # two positions shared: 1 + Σ (2 - 1) = 3 for the pair, 2 for the single one
    data = coins(6, 3, 1)
    rule = "P(Coin=a) = P(Coin=b)"
    mean = tc.fit("Coin", data, knowledge=rule, estimate=tc.PosteriorMean(), prior=tc.Dirichlet(2))
    pair, single = 3 + 9, 2 + 1
    expected = np.array([pair / 2, pair / 2, single]) / (pair + single)
    assert_allclose(mean.network["Coin"].values, expected)
    constant = gammaln([pair, single]).sum() - gammaln(pair + single)
    prior = gammaln([3, 2]).sum() - gammaln(5)
    assert mean.log_marginal_likelihood == pytest.approx(constant - prior + 9 * log(0.5))


def test_cells_held_at_0_take_no_pseudo_counts_and_refuse_cases():
    fit = tc.fit("Coin", coins(6, 3, 0), knowledge="P(Coin=c) = 0")
    assert fit.network["Coin"].values[2] == 0
    assert np.isfinite(fit.objective)
    with pytest.raises(EstimateError, match="hold P\\(Coin=c\\) at 0, but cases have it"):
        tc.fit("Coin", coins(6, 3, 1), knowledge="P(Coin=c) = 0")


def test_rows_without_cases_follow_the_rules_and_are_noted():
    counts = np.array([[6, 3, 1], [0, 0, 0]])
    fit = ml("Side -> Coin", two_sided(counts), "P(Coin=a | Side=y) >= 0.5")
    assert_allclose(fit.network["Coin"].values[1], [0.5, 0.25, 0.25])
    assert any("1 ruled row rests on no case" in note for note in fit.notes)


def test_rules_can_come_as_values_texts_files_and_lists(tmp_path):
    data = coins(6, 3, 1)
    (tmp_path / "expert.know").write_text("P(Coin=a) <= 0.4  # a guess\n")
    ways = [
        "P(Coin=a) <= 0.4",
        tc.P("Coin=a") <= 0.4,
        [tc.P("Coin=a") <= 0.4],
        tmp_path / "expert.know",
        str(tmp_path / "expert.know"),
        tc.Knowledge.parse("P(Coin=a) <= 0.4"),
    ]
    for way in ways:
        assert_allclose(ml("Coin", data, way).network["Coin"].values[0], 0.4)


def test_statistics_take_rules_too():
    counted = tc.Statistics("Coin").update(coins(6, 3, 1))
    fit = ml("Coin", counted, "P(Coin=a) <= 0.4")
    assert_allclose(fit.network["Coin"].values[0], 0.4)


def test_a_fit_says_how_many_rules_bind_and_keeps_them_when_saved(tmp_path):
    fit = ml("Coin", coins(6, 3, 1), 'P(Coin=a) <= 0.4 by "Dr. Lee"; P(Coin=b) <= 0.9')
    assert "2 rules: 1 free, 1 binding" in str(fit)
    fit.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.rules == fit.rules
    assert again.settings["knowledge"] == fit.settings["knowledge"]


def test_conflicting_rules_stop_the_fit_with_the_smallest_set():
    with pytest.raises(ConflictError) as raised:
        ml("Coin", coins(6, 3, 1), "P(Coin=a) >= 0.6; P(Coin=b) >= 0.5; P(Coin=c) <= 0.9")
    assert set(raised.value.rules) == {"P(Coin=a) >= 0.6", "P(Coin=b) >= 0.5"}


def test_structure_statements_are_held_against_the_dag():
    with pytest.raises(ConflictError, match="Side -> Coin"):
        ml("Side -> Coin", two_sided(np.ones((2, 3), dtype=int)), "forbid Side -> Coin")


def test_the_posterior_mean_under_a_bound_is_that_of_a_truncated_beta():
    fit = tc.fit(
        "Coin", coins(6, 3, 1), knowledge="P(Coin=a) <= 0.4", estimate=tc.PosteriorMean(),
        prior=tc.K2(),
    )  # fmt: skip
    a, b = 7.0, 6.0
    share = a / (a + b) * betainc(a + 1, b, 0.4) / betainc(a, b, 0.4)
    assert_allclose(fit.network["Coin"].values, [share, (1 - share) * 4 / 6, (1 - share) * 2 / 6])


def test_posterior_means_by_draws_say_so():
    rules = "P(Coin=a) <= P(Coin=b) <= P(Coin=c) <= P(Coin=d)"
    data = {"Coin": list("aaaabbbccd")}
    fit = tc.fit("Coin", data, knowledge=rules, estimate=tc.PosteriorMean(), prior=tc.K2())
    values = fit.network["Coin"].values
    assert (np.diff(values) > 0).all()
    assert any("Monte Carlo error" in note for note in fit.notes)


def test_ratios_across_rows_are_held():
    counts = np.array([[6, 3, 1], [2, 7, 5]])
    rule = "P(Coin=a | Side=x) : P(Coin=b | Side=x) = P(Coin=a | Side=y) : P(Coin=b | Side=y)"
    fit = ml("Side -> Coin", two_sided(counts), rule)
    values = fit.network["Coin"].values
    shares = counts[:, :2].sum(axis=0) / counts[:, :2].sum()
    mass = counts[:, :2].sum(axis=1) / counts.sum(axis=1)
    assert_allclose(values[:, :2], mass[:, None] * shares)
    (status,) = fit.rules
    assert status.active
    assert status.price is None
    free = tc.fit("Side -> Coin", two_sided(counts), estimate=tc.ML())
    assert status.cost == pytest.approx(free.objective - fit.objective)


def test_product_synergy_is_held():
    data = tc.sample(tc.textbook("asia"), 500, seed=1)
    rule = "positive product synergy of bronc, either on dysp=yes"
    fit = tc.fit(tc.textbook("asia"), data, knowledge=rule, estimate=tc.ML())
    free = tc.fit(tc.textbook("asia"), data, estimate=tc.ML())
    both, high = fit.network["dysp"].values[..., 0], free.network["dysp"].values[..., 0]
    assert high[0, 0] * high[1, 1] < high[0, 1] * high[1, 0]
    assert both[0, 0] * both[1, 1] == pytest.approx(both[0, 1] * both[1, 0])
    assert fit.objective < free.objective
    assert fit.proof is not None
    assert fit.proof.local == 1


def test_an_order_that_nobody_declared_is_not_guessed():
    data = {"Stage": ["I", "II", "III", "II"], "Pain": ["no", "yes", "yes", "no"]}
    with pytest.raises(KnowledgeError, match="order of Stage"):
        tc.fit("Stage -> Pain", data, knowledge="Pain increases with Stage")
    rules = "order of Stage: I < II < III; Pain increases with Stage"
    values = tc.fit("Stage -> Pain", data, knowledge=rules).network["Pain"].values
    assert (np.diff(values[:, 1]) >= -1e-12).all()


def test_the_command_line_takes_files_of_rules(tmp_path, monkeypatch, capsys):
    from tacit.cli.main import execute

    monkeypatch.chdir(tmp_path)
    tc.write_cases(coins(6, 3, 1), "cases.csv")
    (tmp_path / "one.know").write_text("P(Coin=a) <= 0.4\n")
    (tmp_path / "two.know").write_text('P(Coin=b) >= 0.2 by "Dr. Lee"\n')
    words = ["fit", "cases.csv", "--network", "Coin", "--knowledge", "one.know",
             "--knowledge", "two.know", "--estimate", "ml", "-o", "out.json", "--json"]  # fmt: skip
    assert execute(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert [rule["verdict"] for rule in told["rules"]] == ["binding", "free"]
    assert told["rules"][1]["by"] == "Dr. Lee"
    assert tc.read("out.json")["Coin"].values[0] == pytest.approx(0.4)


def test_a_file_of_rules_is_not_written_over(tmp_path, monkeypatch, capsys):
    from tacit.cli.main import execute

    monkeypatch.chdir(tmp_path)
    tc.write_cases(coins(6, 3, 1), "cases.csv")
    (tmp_path / "rules.json").write_text("P(Coin=a) <= 0.4\n")
    words = [
        "fit",
        "cases.csv",
        "--network",
        "Coin",
        "--knowledge",
        "rules.json",
        "-o",
        "rules.json",
    ]
    assert execute(words) == 2
    assert "name the same file" in capsys.readouterr().err


def test_an_unknown_file_of_rules_is_said(tmp_path):
    with pytest.raises(KnowledgeError, match="there is no file"):
        ml("Coin", coins(1, 1, 1), str(tmp_path / "nobody.know"))


def test_gradient_holds_ratios():
    rule = "P(Coin=a | Side=x) : P(Coin=b | Side=x) = P(Coin=a | Side=y) : P(Coin=b | Side=y)"
    data = {"Side": [*"xxxxyyyy", None], "Coin": [*"aabcabbc", "c"]}
    values = (
        tc.fit("Side -> Coin", data, knowledge=rule, method=tc.Gradient()).network["Coin"].values
    )
    assert values[0, 0] * values[1, 1] == pytest.approx(values[0, 1] * values[1, 0], abs=1e-7)


def test_two_experts_who_agree_on_a_wrong_rule_do_not_hide_it():
    wrong = 'P(Coin=a) <= 0.3 by "Anna"; P(Coin=a) <= 0.3 by "Bert"'
    first, second = ml("Coin", coins(600, 300, 100), wrong).rules
    assert first.verdict == second.verdict == "resisted"
    assert first.cost == pytest.approx(0.0, abs=1e-6)  # beside the other it costs nothing
    (alone,) = ml("Coin", coins(600, 300, 100), "P(Coin=a) <= 0.3").rules
    assert first.alone == second.alone == pytest.approx(alone.cost)


def test_a_right_rule_is_not_resisted_because_another_is_wrong():
    rules = "P(Coin=b) >= 2 * P(Coin=c); P(Coin=c) >= 0.3"
    right, wrong = ml("Coin", coins(500, 400, 100), rules).rules
    assert right.cost > 10
    assert (right.alone, right.verdict) == (0.0, "binding")
    assert wrong.verdict == "resisted"


@pytest.mark.parametrize(
    "rule", ["0.3 <= P(Coin=c)", "P(Coin=c) >= 0.3", "0.3 <= P(Coin=c) <= 0.9", "0.3 = P(Coin=c)"]
)
def test_values_and_limits_are_probabilities_whatever_side_the_number_stands_on(rule):
    (status,) = ml("Coin", coins(6, 3, 1), rule).rules
    assert (status.value, status.limit) == (pytest.approx(0.3), 0.3)


def test_the_price_does_not_depend_on_how_a_rule_is_scaled():
    data = two_sided(np.array([[60, 30, 10], [20, 70, 50]]))
    prices = [
        ml("Side -> Coin", data, rule).rules[0].price
        for rule in (
            "P(Coin=a | Side=x) <= 2 * P(Coin=a | Side=y)",
            "1e6 * P(Coin=a | Side=x) <= 2e6 * P(Coin=a | Side=y)",
            "1e-12 * P(Coin=a | Side=x) <= 2e-12 * P(Coin=a | Side=y)",
        )
    ]
    assert prices[0] > 0
    assert_allclose(prices, prices[0], rtol=1e-6)


def test_an_equality_that_the_cases_keep_anyway_is_free():
    for rule in ("P(Coin=a) = 0.6", "P(Coin={a, b}) = 0.9", "P(Coin={a, b, c}) = 1"):
        (status,) = ml("Coin", coins(6, 3, 1), rule).rules
        assert (status.verdict, status.cost) == ("free", 0.0)


def test_a_rule_of_many_instances_names_the_dearest():
    counts = np.array([[6, 3, 1], [2, 7, 5]])
    (status,) = ml("Side -> Coin", two_sided(counts), "P(Coin=a | Side=*) <= 0.1").rules
    assert status.dearest == "P(Coin=a | Side=x) <= 0.1"


def test_the_notes_name_the_rules_that_the_data_resist():
    fit = ml("Coin", coins(600, 300, 100), "P(Coin=a) <= 0.3; P(Coin=b) <= 0.9")
    assert any(note.startswith("the data resist P(Coin=a) <= 0.3; alone") for note in fit.notes)


def test_hidden_variables_under_known_zeros_that_cases_contradict_are_an_error():
    with pytest.raises(EstimateError, match="could not have happened"):
        tc.fit(
            "H -> A", {"A": ["a", "b", "a"]}, hidden={"H": 2}, knowledge="P(A=a | H=*) = 0", seed=1
        )


def test_gradient_takes_equalities_alone():
    fit = tc.fit(
        "H -> A", {"A": ["a", "b", "a"]}, hidden={"H": 2}, knowledge="P(H=1) = 0.5",
        method=tc.Gradient(), seed=1,
    )  # fmt: skip
    assert_allclose(fit.network["H"].values, 0.5)


def test_rows_that_rules_determine_are_not_refused_for_want_of_cases():
    counts = np.array([[6, 3, 1], [0, 0, 0]])
    fit = tc.fit(
        "Side -> Coin", two_sided(counts), knowledge="P(Coin | Side=x) = P(Coin | Side=y)",
        estimate=tc.ML(empty="error"),
    )  # fmt: skip
    assert_allclose(fit.network["Coin"].values[1], [0.6, 0.3, 0.1])


def test_cells_held_at_0_do_not_trouble_map():
    fit = tc.fit(
        "Coin", coins(6, 3, 0), knowledge="P(Coin=c) = 0", estimate=tc.MAP(), prior=tc.BDeu(1)
    )
    assert fit.network["Coin"].values[2] == 0


def test_the_orders_that_rules_took_as_the_states_stand_are_said():
    net = tc.textbook("asia")
    cases = tc.sample(net, 50, seed=1)
    fit = tc.fit(net, cases, knowledge="lung increases with smoke; order of smoke: no < yes")
    (note,) = (note for note in fit.notes if note.startswith("orders of states"))
    assert note == (
        "orders of states as they stand, low to high: lung: yes < no; "
        "a line `order of lung: no < yes` would turn one round"
    )
    declared = "lung increases with smoke; order of smoke: no < yes; order of lung: no < yes"
    fit = tc.fit(net, cases, knowledge=declared)
    assert not any(note.startswith("orders of states") for note in fit.notes)


def test_a_ratio_beside_an_inequality_that_binds_is_held():
    counts = np.array([[6, 3, 1], [2, 7, 5]])
    ratio = "P(Coin=a | Side=x) : P(Coin=b | Side=x) = P(Coin=a | Side=y) : P(Coin=b | Side=y)"
    fit = ml("Side -> Coin", two_sided(counts), [ratio, "P(Coin=a | Side=x) <= 0.1"])
    share = np.linspace(1e-4, 1, 200_001, endpoint=False)  # of a among a and b, in both rows
    mass = np.minimum(0.9, 0.1 / share)
    best = np.max(8 * np.log(share) + 10 * np.log(1 - share) + 9 * np.log(mass) + np.log(1 - mass))
    values = fit.network["Coin"].values
    assert values[0, 0] == pytest.approx(0.1)
    assert values[0, 0] * values[1, 1] == pytest.approx(values[0, 1] * values[1, 0])
    other = 9 * log(9 / 14) + 5 * log(5 / 14) + 10 * log(10 / 24) + 14 * log(14 / 24)
    assert fit.objective == pytest.approx(best + other, abs=1e-6)
    assert all("Newton on the KKT system" in rule.solved_by for rule in fit.rules)


def test_only_the_rules_that_hold_a_cell_at_0_are_named():
    rules = "P(Coin={a, b}) = 1; P(Coin=a) <= 0.9"
    with pytest.raises(EstimateError) as raised:
        tc.fit("Coin", coins(6, 3, 1), knowledge=rules)
    assert "P(Coin={a, b}) = 1" in str(raised.value)
    assert "0.9" not in str(raised.value)


@pytest.mark.parametrize(
    "rules",
    [
        "P(Coin=a | Side=x) = P(Coin=a | Side=y)",
        "P(Coin=a | Side=*) <= 0.3",
        "P(Coin=a | Side=x) <= 0.5 * P(Coin=a | Side=y); P(Coin=b | Side=x) >= 0.2",
    ],
)
def test_a_fit_carries_the_proof_that_it_is_the_optimum(rules, tmp_path):
    fit = tc.fit("Side -> Coin", two_sided(np.array([[6, 3, 1], [2, 7, 5]])), knowledge=rules)
    assert fit.proof.blocks >= 1
    assert fit.proof.primal <= 1e-11
    assert fit.proof.dual <= 1e-9
    assert 0 <= fit.proof.gap <= 1e-7
    fit.save(tmp_path / "fit.json")
    assert tc.load_fit(tmp_path / "fit.json").proof == fit.proof
    assert tc.fit("Side -> Coin", two_sided(np.ones((2, 3), dtype=int))).proof is None
