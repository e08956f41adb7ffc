"""Fits under rules that are not linear, from the public interface."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_curved_fit as naive
import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.errors import EstimateError
from tacit.learn.fits import Stop

PARENTS = {"Smoker": (), "Cancer": ("Smoker",), "Xray": ("Cancer",)}
DAG = "Smoker -> Cancer -> Xray"


def cases(size=60, seed=2, missing=0.0):
    """Cases of a chain of three, some cells missing."""
    random = np.random.default_rng(seed)
    smoker = random.random(size) < 0.4
    cancer = random.random(size) < np.where(smoker, 0.5, 0.2)
    xray = random.random(size) < np.where(cancer, 0.8, 0.15)
    states = tuple(tc.Discrete(name, ("no", "yes")) for name in PARENTS)
    columns = zip(states, (smoker, cancer, xray), strict=True)
    codes = {
        each.name: np.where(random.random(size) < missing, -1, column.astype(int))
        for each, column in columns
    }
    return Dataset({each.name: each for each in states}, codes)


def counts(data):
    """N(parents, child) of every table."""
    found = {}
    for name, parents in PARENTS.items():
        table = np.zeros((2,) * (len(parents) + 1))
        np.add.at(table, tuple(data[each] for each in (*parents, name)), 1.0)
        found[name] = table
    return found


def tables(fit):
    return {name: fit.network[name].values for name in PARENTS}


def ml(data, knowledge, **further):
    return tc.fit(DAG, data, knowledge=knowledge, estimate=tc.ML(), **further)


def event(tables, name, given=None):
    return naive.chance(PARENTS, tables, {name: 1}, given)


RULES = {
    "P(Xray=yes) <= 0.2": [("ineq", lambda t: 0.2 - event(t, "Xray"))],
    "P(Xray=yes) = 0.5": [("eq", lambda t: event(t, "Xray") - 0.5)],
    "P(Cancer=yes | Xray=yes) >= 0.9": [
        ("ineq", lambda t: event(t, "Cancer", {"Xray": 1}) - 0.9),
    ],
    "P(Smoker=yes | Xray=yes) <= P(Smoker=yes | Xray=no)": [
        ("ineq", lambda t: event(t, "Smoker", {"Xray": 0}) - event(t, "Smoker", {"Xray": 1})),
    ],
    "P(Cancer=yes) * P(Smoker=yes) <= 0.05; P(Xray=yes | Cancer=yes) <= 0.6": [
        ("ineq", lambda t: 0.05 - event(t, "Cancer") * event(t, "Smoker")),
        ("ineq", lambda t: 0.6 - t["Xray"][1, 1]),
    ],
}


@pytest.mark.parametrize("rule", RULES)
def test_no_tables_that_another_optimiser_finds_are_better(rule):
    data = cases()
    fit = ml(data, rule)
    best, _ = naive.most_likely(PARENTS, counts(data), RULES[rule], starts=4)
    for kind, gap in RULES[rule]:
        assert gap(tables(fit)) > -1e-8 if kind == "ineq" else abs(gap(tables(fit))) < 1e-8
    assert fit.objective == pytest.approx(best, abs=1e-4)
    assert fit.objective >= best - 1e-5
    assert fit.stop is Stop.LOCAL


def test_no_random_tables_that_keep_the_rule_are_better():
    data, random = cases(), np.random.default_rng(6)
    fit, seen = ml(data, "P(Xray=yes) <= 0.25"), counts(data)
    drawn, total = {}, 0.0
    for name in PARENTS:
        rows = [random.dirichlet(row / 4 + 1.0, 20_000) for row in seen[name].reshape(-1, 2)]
        drawn[name] = np.stack(rows, axis=1)
        total = total + np.log(drawn[name]).reshape(20_000, -1) @ seen[name].ravel()
    xray = np.einsum("ca,cab,cbd->cd", drawn["Smoker"][:, 0], drawn["Cancer"], drawn["Xray"])
    kept = xray[:, 1] <= 0.25
    assert kept.sum() > 1000
    assert total[kept].max() < fit.objective


def test_value_limit_price_and_cost_are_told_as_they_were_written():
    data, free = cases(), tc.fit(DAG, cases(), estimate=tc.ML())
    fit = ml(data, "P(Cancer=yes | Xray=yes) >= 0.9")
    (status,) = fit.rules
    assert status.value == pytest.approx(0.9, abs=1e-9)
    assert status.limit == 0.9
    assert status.binding == 1
    assert status.cost == pytest.approx(free.objective - fit.objective, rel=1e-6)
    assert "Newton on the KKT system (local maximum; SLSQP agrees)" in status.solved_by
    low, high = (ml(data, f"P(Cancer=yes | Xray=yes) >= {limit}") for limit in (0.8999, 0.9001))
    slope = (low.objective - high.objective) / 0.0002
    assert status.price == pytest.approx(0.01 * slope, rel=1e-3)


def test_the_cost_of_each_of_two_rules_is_by_refitting_without_it():
    data = cases()
    rules = ["P(Xray=yes) <= 0.2", "P(Cancer=yes | Smoker=yes) >= 0.6"]
    fit = ml(data, rules)
    for at, status in enumerate(fit.rules):
        without = ml(data, [rules[1 - at]])
        assert status.cost == pytest.approx(without.objective - fit.objective, abs=1e-6)


def test_a_rule_that_the_free_optimum_keeps_changes_nothing_and_is_proven():
    data = cases()
    free, fit = tc.fit(DAG, data, estimate=tc.ML()), ml(data, "P(Xray=yes) <= 0.9")
    for name in PARENTS:
        assert np.array_equal(fit.network[name].values, free.network[name].values)
    assert fit.stop is Stop.CLOSED_FORM
    assert fit.proof.local == 0
    (status,) = fit.rules
    assert (status.verdict, status.cost, status.binding) == ("free", 0.0, 0)
    assert status.value == pytest.approx(event(tables(free), "Xray"))
    assert status.limit == 0.9


def test_rows_that_no_rule_reaches_are_as_they_were():
    data = cases()
    free, fit = tc.fit(DAG, data), tc.fit(DAG, data, knowledge="P(Cancer=yes) <= 0.2")
    assert np.array_equal(fit.network["Xray"].values, free.network["Xray"].values)
    assert event(tables(fit), "Cancer") == pytest.approx(0.2)


def test_two_local_maxima_are_told_of():
    data = {"A": ["yes"] * 11 + ["no"] * 9}
    fit = tc.fit("A", data, knowledge="P(A=yes) * P(A=no) <= 0.21", estimate=tc.ML())
    assert tc.query(fit.network, "P(A)")["yes"] == pytest.approx(0.7)
    (note,) = [note for note in fit.notes if "not linear" in note]
    assert "2 local maxima were seen" in note
    assert "this is the best from 20 starts" in note
    assert "not proven to be global" in note


def test_a_fit_with_local_maxima_says_so_in_report_and_file(tmp_path):
    fit = ml(cases(), "P(Xray=yes) <= 0.2")
    assert fit.proof.local == 1
    assert "not proven to be the highest" in str(tc.report(fit))
    fit.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.rules == fit.rules
    assert again.proof == fit.proof
    assert again.stop is Stop.LOCAL


@pytest.mark.parametrize("estimate", [tc.ML(), tc.Smoothed()])
def test_em_under_a_curved_rule_never_falls_and_ends_on_it(estimate):
    data = cases(150, missing=0.25)
    for method in (tc.EM(), tc.EM(accelerate=False)):
        fit = tc.fit(DAG, data, knowledge="P(Xray=yes) <= 0.2", estimate=estimate, method=method)
        assert np.diff(fit.trace).min() >= -1e-9 * abs(fit.objective)
        assert event(tables(fit), "Xray") == pytest.approx(0.2, abs=1e-8)
        (status,) = fit.rules
        assert status.at_least
        assert status.price > 0


def test_em_and_direct_maximisation_end_in_the_same_tables():
    data = cases(150, missing=0.25)
    rule = "P(Xray=yes) <= 0.2"
    by_em = ml(data, rule, method=tc.EM(tolerance=1e-10))
    by_slope = ml(data, rule, method=tc.Gradient(tolerance=1e-12))
    assert by_slope.objective == pytest.approx(by_em.objective, abs=1e-3)
    for name in PARENTS:
        assert_allclose(by_em.network[name].values, by_slope.network[name].values, atol=0.01)


def test_em_with_a_hidden_variable_holds_a_curved_rule():
    data = cases(120)
    fit = tc.fit(
        "H -> Smoker; H -> Cancer; H -> Xray", data, hidden={"H": 2}, seed=1,
        knowledge="P(Xray=yes, Cancer=yes) <= 0.1", method=tc.EM(restarts=2),
    )  # fmt: skip
    parents = {"H": (), "Smoker": ("H",), "Cancer": ("H",), "Xray": ("H",)}
    found = {name: fit.network[name].values for name in parents}
    assert naive.chance(parents, found, {"Xray": 1, "Cancer": 1}) == pytest.approx(0.1, abs=1e-8)
    for run in fit.runs:
        assert np.diff(run.trace).min() >= -1e-9 * abs(run.objective)


def test_nothing_seen_gives_numbers_all_the_same():
    data = cases(4, seed=1)
    fit = ml(data, "P(Xray=yes) = 0.4; P(Smoker=yes | Xray=yes) <= 0.3")
    for name in PARENTS:
        assert np.isfinite(fit.network[name].values).all()
        assert_allclose(fit.network[name].values.sum(axis=-1), 1.0)
    assert event(tables(fit), "Xray") == pytest.approx(0.4)


def test_the_same_fit_has_the_same_bits():
    one, other = (ml(cases(), "P(Xray=yes) <= 0.2") for _ in range(2))
    assert one.objective == other.objective
    assert all(np.array_equal(tables(one)[n], tables(other)[n]) for n in PARENTS)


def test_rules_that_no_table_keeps_are_listed_with_what_they_were_missed_by():
    with pytest.raises(EstimateError) as raised:
        ml(cases(), "P(Xray=yes) = 0.6\nP(Xray=yes) >= 0.7")
    told = str(raised.value)
    first, *_ = told.splitlines()
    assert first == (
        "no tables were found that keep all of these rules; those that came nearest do not keep "
        "every one"
    )
    assert "line 1: P(Xray=yes) = 0.6\n        missed by 0.0" in told
    assert "line 2: P(Xray=yes) >= 0.7\n        missed by 0.0" in told
    assert told.endswith(
        "that is no proof that they conflict, since not all of them are linear; loosen one, or "
        "leave one out"
    )


def test_rules_that_make_cases_impossible_name_the_cell():
    with pytest.raises(EstimateError) as raised:
        ml(cases(), "P(Xray=yes) = 1")
    assert str(raised.value) == (
        "the rules leave no probability to P(Xray=no | Cancer=no), which cases or prior speak for"
        "\n\n    line 1: P(Xray=yes) = 1\n\nallow a little, or look at these cases"
    )
