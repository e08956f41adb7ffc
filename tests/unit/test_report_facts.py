"""What a report says of a small fit, against numbers worked out by hand or by enumeration."""

from __future__ import annotations

import json
import shlex
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.stats import beta

import naive
import naive_report
import strategies
import tacit as tc
from tacit.cli.main import execute
from tacit.core.dataset import Dataset
from tacit.core.variables import Continuous, Discrete
from tacit.reporting.facts import BUILDERS, FORMAT
from tacit.reporting.information import arc_information
from tacit.reporting.tabled import fair, fullest

SKY = Discrete("Sky", ("clear", "grey"))
RAIN = Discrete("Rain", ("no", "yes"))
CODES = {"Sky": np.array([0, 0, 0, 0, 1, 1]), "Rain": np.array([0, 0, 0, 1, 0, 0])}
CASES = Dataset({"Sky": SKY, "Rain": RAIN}, CODES, source="six days")


def told(fit, kind):
    sections = {section["kind"]: section for section in tc.report(fit).facts["sections"]}
    return sections.get(kind)


@pytest.fixture(scope="module")
def small():
    return tc.fit("Sky -> Rain", CASES, prior=tc.K2(), seed=7)


def test_the_answer_counts_and_scores(small):
    figures = told(small, "answer")["figures"]
    likelihood = (
        4 * log(5 / 8) + 2 * log(3 / 8) + 3 * log(4 / 6) + log(2 / 6) + 2 * log(3 / 4)
    )  # fmt: skip
    assert (figures["cases"], figures["variables"], figures["arcs"]) == (6, 2, 1)
    assert (figures["rows"], figures["free_parameters"]) == (3, 3)
    assert figures["log_likelihood"] == pytest.approx(likelihood)
    assert figures["average_log_likelihood"] == pytest.approx(likelihood / 6)
    marginal = sum(
        naive.log_predictives(codes, [1.0, 1.0])
        for codes in ([0, 0, 0, 0, 1, 1], [0, 0, 0, 1], [0, 0])
    )
    assert figures["log_marginal_likelihood"] == pytest.approx(marginal)


def test_the_answer_is_in_sentences(small):
    sentences = told(small, "answer")["sentences"]
    assert sentences[0] == (
        "The parameters of a network of 2 variables and 1 arc were learned from 6 cases by "
        "counting, smoothed by the prior K2()."
    )
    assert sentences[1] == "There are 3 free parameters in 3 rows."
    assert "-1.122 nats per case (on these same cases, -6.7 nats in all)" in sentences[2]


def test_tables_hold_probabilities_intervals_cases_and_what_the_prior_moved(small):
    section = told(small, "tables")
    sky, rain = section["tables"]
    assert (section["level"], section["prior"]) == (0.95, "K2()")
    assert (sky["variable"], sky["parents"], sky["states"]) == ("Sky", [], ["clear", "grey"])
    assert_allclose(sky["probability"], [[5 / 8, 3 / 8]])
    assert_allclose(sky["moved"], [[5 / 8 - 4 / 6, 3 / 8 - 2 / 6]])
    assert_allclose(sky["lower"], [[beta.ppf(0.025, 5, 3), beta.ppf(0.025, 3, 5)]])
    assert_allclose(sky["upper"], [[beta.ppf(0.975, 5, 3), beta.ppf(0.975, 3, 5)]])
    assert rain["parents"] == [{"name": "Sky", "states": ["clear", "grey"]}]
    assert (rain["rows"], rain["position"], rain["cases"]) == (2, [0, 1], [4.0, 2.0])
    assert_allclose(rain["probability"], [[4 / 6, 2 / 6], [3 / 4, 1 / 4]])
    assert_allclose(rain["moved"], [[4 / 6 - 3 / 4, 2 / 6 - 1 / 4], [-1 / 4, 1 / 4]])


def test_the_arc_carries_the_information_of_the_fitted_table_under_the_cases_parents(small):
    arc = told(small, "network")["arcs"][0]
    joint = {(0, 0): 4 / 6 * 4 / 6, (0, 1): 4 / 6 * 2 / 6, (1, 0): 2 / 6 * 3 / 4, (1, 1): 2 / 6 / 4}
    assert (arc["parent"], arc["child"]) == ("Sky", "Rain")
    assert arc["information"] == pytest.approx(naive_report.information(joint, 0, 1))
    assert arc["given_others"] == pytest.approx(arc["information"])


def test_support_is_the_median_of_cases_per_row(small):
    sky, rain = told(small, "network")["variables"]
    assert sky == {"name": "Sky", "states": 2, "rows": 1, "support": 6.0, "hidden": False}
    assert (rain["rows"], rain["support"]) == (2, 3.0)


def test_few_cases_are_a_worry_and_say_where(small):
    (worry,) = told(small, "answer")["worries"]
    assert worry["kind"] == "few cases"
    assert worry["text"] == "2 of 3 rows rest on fewer than 5 cases"
    assert worry["where"] == [{"variable": "Rain", "count": 2}]


def test_how_it_went_splits_the_objective(small):
    course = told(small, "course")
    prior = log(5 / 8 * 3 / 8) + log(4 / 6 * 2 / 6) + log(3 / 4 * 1 / 4)
    assert course["prior_term"] == pytest.approx(prior)
    assert course["objective"] == pytest.approx(course["log_likelihood"] + prior)
    assert course["trace"] == [course["objective"]]
    assert course["stop"] == "the optimum has a closed form; no steps were needed"


def test_the_last_section_says_how_to_do_it_again(small):
    again = told(small, "again")
    assert again["python"] == (
        "import tacit as tc\n\n"
        "cases = ...  # six days\n"
        "network = tc.read('learned.json')  # for its structure and its states\n"
        "fit = tc.fit(network, cases, prior=tc.K2(), estimate=tc.Smoothed(), level=0.95, seed=7)"
    )
    assert again["command"] == (
        "tacit fit CASES --network learned.json --prior k2 --estimate smoothed "
        "--level 0.95 --seed 7 -o again.json --report report.html"
    )
    assert (again["seed"], again["source"]) == (7, "six days")
    assert again["fingerprint"] == CASES.fingerprint()
    assert again["settings"]["versions"]["tacit"] == tc.__version__


def test_zeros_of_maximum_likelihood_are_a_worry():
    fit = tc.fit("Sky -> Rain", CASES, estimate=tc.ML())
    worries = {worry["kind"]: worry for worry in told(fit, "answer")["worries"]}
    assert worries["impossible"]["text"].startswith("1 probability is exactly 0: ")
    assert worries["impossible"]["where"] == [{"variable": "Rain", "count": 1}]
    assert_allclose(told(fit, "tables")["tables"][1]["moved"], np.zeros((2, 2)))


def test_rows_without_cases_and_states_never_seen_are_worries():
    codes = {"Sky": np.zeros(400, dtype=int), "Rain": np.arange(400) % 2}
    fit = tc.fit("Sky -> Rain", Dataset({"Sky": SKY, "Rain": RAIN}, codes))
    worries = {worry["kind"]: worry["text"] for worry in told(fit, "answer")["worries"]}
    assert worries == {
        "few cases": "1 of 3 rows rests on fewer than 5 cases",
        "no cases": "1 of 3 rows has no case: what it holds is the prior's word, not learned",
        "unseen states": "1 state never occurs in the cases: Sky=grey",
    }
    assert told(fit, "tables")["tables"][1]["moved"][1] == [None, None]


def test_near_certainty_is_a_worry_only_on_too_few_cases():
    def kinds(cases):
        data = Dataset({"Rain": RAIN}, {"Rain": (np.arange(cases) == 0).astype(int)})
        return [worry["kind"] for worry in told(tc.fit("Rain", data), "answer")["worries"]]

    assert kinds(299) == ["nearly certain"]
    assert kinds(301) == []


def test_rows_left_unknown_are_a_worry():
    codes = {"Sky": np.zeros(9, dtype=int), "Rain": np.arange(9) % 2}
    data = Dataset({"Sky": SKY, "Rain": RAIN}, codes)
    fit = tc.fit("Sky -> Rain", data, estimate=tc.ML(empty="nan"))
    worries = {worry["kind"]: worry for worry in told(fit, "answer")["worries"]}
    assert worries["unknown rows"]["where"] == [{"variable": "Rain", "count": 1}]
    assert told(fit, "tables")["tables"][1]["probability"][1] == [None, None]
    assert tc.report(fit).to_html()


def test_linear_gaussians_report_parameters_with_intervals():
    data = tc.sample(gaussian_network(), 50, seed=3)
    fit = tc.fit(gaussian_network(), data)
    wind, power = told(fit, "tables")["tables"]
    family, interval = fit.network["Power"], fit.intervals["Power"]
    assert [one["kind"] for one in power["parameters"]] == ["coefficient", "intercept", "sd"]
    assert power["parameters"][0]["parent"] == "Wind"
    assert [one["value"] for one in power["parameters"]] == [
        family.coefficients[0], family.intercept, family.sd,
    ]  # fmt: skip
    assert_allclose([one["lower"] for one in power["parameters"]], interval.lower)
    assert (wind["cases"], power["cases"]) == (50.0, 50.0)
    assert told(fit, "answer")["sentences"][0].endswith(
        "were learned from 50 cases by least squares, with the prior WeakNormal()."
    )
    most = tc.fit(gaussian_network(), data, estimate=tc.ML())
    assert told(most, "answer")["sentences"][0].endswith(
        "were learned from 50 cases by maximum likelihood (least squares)."
    )


def gaussian_network():
    wind, power = Continuous("Wind"), Continuous("Power")
    return tc.Network.of(
        [
            tc.LinearGaussian((wind,), np.array([]), 5.0, 2.0),
            tc.LinearGaussian((wind, power), np.array([2.0]), -1.0, 1.0),
        ]
    )


def test_the_information_of_a_gaussian_arc_is_that_of_its_correlation():
    fit = tc.fit(gaussian_network(), tc.sample(gaussian_network(), 50, seed=3))
    family, moments = fit.network["Power"], fit.evidence["Power"]
    variance = moments.scatter[0, 0] / moments.weight
    explained = family.coefficients[0] ** 2 * variance
    expected = -0.5 * log(1 - explained / (explained + family.sd**2))
    (told_by,) = arc_information(fit, "Power")
    assert told_by.alone == pytest.approx(expected)
    assert told_by.beside == pytest.approx(expected)


def test_an_exact_function_tells_everything_and_is_no_number():
    values = np.array([1.0, 2.0, 4.0, 7.0])
    variables = {"A": Continuous("A"), "B": Continuous("B")}
    cases = Dataset(variables, {"A": values, "B": 3 * values})
    fit = tc.fit("A -> B", cases, estimate=tc.ML())
    arc = told(fit, "network")["arcs"][0]
    assert arc["information"] is None
    assert "not finite" in tc.report(fit).to_markdown()


@given(strategies.discrete_networks(least=2, most=4), strategies.st.integers(1, 40))
def test_information_is_that_of_the_enumerated_joint(network, cases):
    fit = tc.fit(network, tc.sample(network, cases, seed=1))
    for child in fit.network:
        rows = fit.evidence[child].dense().values
        weights = rows.sum(axis=-1, keepdims=True) / rows.sum()
        joint = dict(np.ndenumerate(fit.network[child].values * weights))
        for at, found in enumerate(arc_information(fit, child)):
            child_at = rows.ndim - 1
            assert found.alone == pytest.approx(
                naive_report.information(joint, child_at, at), abs=1e-9
            )
            assert found.beside == pytest.approx(
                naive_report.information_given(joint, child_at, at), abs=1e-9
            )


def test_missing_cells_have_a_section_only_if_there_are_any(small):
    assert told(small, "missing") is None
    codes = {**CODES, "Rain": np.array([0, 0, -1, 1, -1, 0])}
    data = Dataset({"Sky": SKY, "Rain": RAIN}, codes)
    missing = told(tc.fit("Sky -> Rain", data, method=tc.AvailableCases()), "missing")
    assert missing["cells"] == [{"variable": "Rain", "cells": 2, "share": 2 / 6}]
    assert missing["families"] == [{"variable": "Rain", "weight": 4.0, "share": 4 / 6}]
    assert (missing["cases"], missing["method"]) == (6, "AvailableCases()")


def test_weighted_cases_are_said_to_count_as_many():
    data = Dataset({"Rain": RAIN}, {"Rain": np.array([0, 1, 1])}, np.array([0.5, 1.0, 3.0]))
    sentence = told(tc.fit("Rain", data), "answer")["sentences"][0]
    assert "were learned from 3 cases, which count as 4.5, by counting" in sentence


def test_a_fit_to_nothing_still_reports():
    data = Dataset(
        {"Sky": SKY, "Rain": RAIN}, {"Sky": np.array([], int), "Rain": np.array([], int)}
    )
    report = tc.report(tc.fit("Sky -> Rain", data))
    arcs = next(s for s in report.facts["sections"] if s["kind"] == "network")["arcs"]
    assert arcs[0]["information"] is None
    assert "No log-likelihood can be given." in str(report)
    assert "<svg" in report.to_html()


def test_the_facts_are_plain_and_ordered(small):
    facts = tc.report(small).facts
    assert facts["format"] == FORMAT
    kinds = [section["kind"] for section in facts["sections"]]
    assert kinds == [kind for kind in BUILDERS if kind in kinds]
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts


def test_huge_tables_keep_the_rows_with_most_cases_and_say_so():
    parents = tuple(Discrete(f"P{at}", ("a", "b")) for at in range(13))
    child = Discrete("C", ("no", "yes"))
    random = np.random.default_rng(0)
    codes = {v.name: random.integers(0, 2, 300) for v in (*parents, child)}
    fit = tc.fit(
        f"{', '.join(p.name for p in parents)} -> C",
        Dataset({v.name: v for v in (*parents, child)}, codes),
    )
    report = tc.report(fit)
    table = told(fit, "tables")["tables"][-1]
    cases = fit.evidence["C"].rows().sum(axis=1)
    assert (table["rows"], len(table["position"])) == (8192, 5000)
    assert table["few"] == 8192
    assert sum(table["cases"]) == 300
    assert table["position"] == sorted(table["position"])
    assert [cases[at] for at in table["position"]] == table["cases"]
    said = "8,192 rows are left out here, those with the fewest cases; the report saved as .json "
    said += "holds 5,000 rows, fit.network['C'] all of them."
    assert said in " ".join(str(report).split())
    assert said in report.to_html().replace("&#39;", "'")


def test_room_is_divided_fairly():
    assert fair([(10, 2), (10, 2)], cells=100, most=50) == 50
    assert fair([(10, 2), (1000, 2)], cells=100, most=5000) == 40
    assert fair([(1000, 2), (1000, 2)], cells=100, most=5000) == 25
    assert fair([(1000, 9)] * 99, cells=100, most=5000) == 4


def test_the_fullest_rows_are_kept_in_their_order():
    assert fullest(np.array([1.0, 5, 0, 5, 2]), 3).tolist() == [1, 3, 4]
    assert fullest(np.array([1.0, 1, 1]), 2).tolist() == [0, 1]


def test_the_call_and_the_command_do_it_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("days.csv").write_text("Sky,Rain\nclear,no\nclear,yes\ngrey,no\ngrey,\n")
    method = tc.AvailableCases()
    fit = tc.fit("Sky -> Rain", "days.csv", estimate=tc.ML(), prior=tc.BDeu(2.5), method=method)
    again = told(fit, "again")
    assert "network = 'Sky; Sky -> Rain'" in again["python"]
    names = {}
    exec(again["python"], names)
    assert names["fit"].network == fit.network
    assert told(names["fit"], "again") == again
    assert execute(shlex.split(again["command"])[1:]) == 0
    assert tc.read("learned.json") == fit.network
    assert Path("report.html").is_file()


def test_declared_states_are_taken_from_the_network_again(small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tc.write(small.network, "learned.json")
    names = {}
    exec(told(small, "again")["python"].replace("...", "given"), names | {"given": CASES}, names)
    assert names["fit"].network == small.network


def test_what_the_command_line_cannot_say_is_not_said():
    like = tc.Prior.like(tc.fit("Sky -> Rain", CASES).network, strength=3)
    again = told(tc.fit("Sky -> Rain", CASES, prior=like), "again")
    assert again["command"] is None
    assert "prior = ...  # Prior.like(<Network of" in again["python"]
    assert "prior=prior" in again["python"]
