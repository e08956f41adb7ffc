"""Curves from the front: fits, saved fits, reports, searches, the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_ideal
import tacit as tc
from commands import run, run_json
from tacit.families.curve_evidence import CurveEvidence
from tacit.reporting.bent import chance, followed

RANDOM = np.random.default_rng(1)


def centred(random, cases):
    """Parents whose means are exactly where the threshold of the curve is put."""
    a, b = random.normal(size=(2, cases))
    return a - a.mean() + 2, b - b.mean()


A, B = centred(RANDOM, 300)
X = 1 + 3 * naive_ideal.sigmoid(2 * (A - 2) - B) + RANDOM.normal(0, 0.2, 300)
CASES = {"A": A, "B": B, "X": X}
DAG = "A, B -> X"
FIT = tc.fit(DAG, CASES, families={"X": tc.SigmoidGaussian})


def test_a_curve_is_chosen_by_class_word_or_example_and_only_where_there_are_parents():
    by_word = tc.fit(DAG, CASES, families={"X": "sigmoid-gaussian"})
    by_all = tc.fit(DAG, CASES, families=tc.SigmoidGaussian)
    by_family = tc.fit(DAG, CASES, families={"X": FIT.network["X"]})
    kept = tc.fit(FIT.network, CASES)
    for other in (by_word, by_all, by_family, kept):
        assert other.network == FIT.network
    assert isinstance(by_all.network["A"], tc.LinearGaussian)
    straight = tc.fit(FIT.network, CASES, families={"X": tc.LinearGaussian})
    assert isinstance(straight.network["X"], tc.LinearGaussian)
    assert FIT.log_likelihood > straight.log_likelihood + 50
    assert FIT.settings["families"] == {"X": "sigmoid-gaussian"}
    assert "several climbs" in FIT.stop.value


def test_the_likelihood_is_that_of_the_cases():
    assert FIT.log_likelihood == pytest.approx(float(tc.log_likelihood(FIT.network, CASES)))
    alone, weighed = (
        tc.fit(DAG, cases, families=tc.SigmoidGaussian, estimate=tc.ML())
        for cases in (CASES, tc.read_cases(CASES).with_weights(np.full(300, 2.0)))
    )
    assert weighed.log_likelihood == pytest.approx(2 * alone.log_likelihood)


def test_cases_with_gaps_are_used_where_they_are_whole():
    gaps = {**CASES, "B": np.where(np.arange(300) % 10, B, np.nan)}
    fit = tc.fit(DAG, gaps, families=tc.SigmoidGaussian, method=tc.AvailableCases())
    whole = {name: column[np.arange(300) % 10 > 0] for name, column in CASES.items()}
    other = tc.fit(DAG, whole, families=tc.SigmoidGaussian)
    assert_allclose(fit.network["X"].coefficients, other.network["X"].coefficients)


def test_a_saved_fit_comes_back_whole(tmp_path: Path):
    FIT.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.network == FIT.network
    assert_allclose(again.intervals["X"].lower, FIT.intervals["X"].lower)
    held = again.evidence["X"]
    assert isinstance(held, CurveEvidence)
    assert held.bands.tolist() == FIT.evidence["X"].bands.tolist()
    plain = json.loads((tmp_path / "fit.json").read_text())
    plain["evidence"]["X"]["tangent"] = [[1.0]]
    (tmp_path / "bad.json").write_text(json.dumps(plain))
    with pytest.raises(tc.FormatError, match="a curve needs a square tangent"):
        tc.load_fit(tmp_path / "bad.json")


def test_evidence_of_parts_adds_up_to_that_of_the_whole():
    family, cases = FIT.network["X"], np.array([A, B, X]).T
    whole = CurveEvidence.of(family, cases)
    twice = whole + whole
    assert twice.total == 600
    assert_allclose(twice.tangent, (2 * whole).tangent)
    assert_allclose(whole.bands[:, 0].sum(), 300)
    off = X - family.mean([A, B], 300)
    assert_allclose(whole.bands[:, 3].sum(), off.sum(), atol=1e-9)


def test_the_report_shows_the_curve_and_says_whether_cases_follow_it():
    told = tc.report(FIT)
    section = next(each for each in told.facts["sections"] if each["kind"] == "tables")
    table = next(each for each in section["tables"] if each["variable"] == "X")
    assert sum(band["cases"] for band in table["bands"]) == 300
    family = FIT.network["X"]
    for band in table["bands"]:
        error = (band["seen"] - band["fitted"]) / family.sd * band["cases"] ** 0.5
        assert band["errors"] == pytest.approx(error)
    assert "as chance allows" in followed(table)
    page = told.to_html()
    assert 'class="dot seen"' in page
    assert "× sigmoid(" in page
    assert "sigmoid Gaussian" in str(told)
    assert "families={'X': 'sigmoid-gaussian'}" in str(told)


def test_cases_that_do_not_follow_the_curve_are_a_worry():
    bump = {"A": A, "Y": np.exp(-((A - 2) ** 2)) + RANDOM.normal(0, 0.05, 300)}
    fit = tc.fit("A -> Y", bump, families=tc.SigmoidGaussian)
    assert chance(fit.network["Y"], fit.evidence["Y"]) < 1e-6
    assert "1 variable does not follow its curve" in str(tc.report(fit))
    assert chance(FIT.network["X"], FIT.evidence["X"]) > 0.01


def test_bands_of_a_curve_that_is_right_are_off_it_as_rarely_as_they_should_be():
    variables = FIT.network["X"].variables
    truth = tc.SigmoidGaussian(variables, [2.0, -1.0], 1.0, 3.0, 4.0, 0.2)
    random, low = np.random.default_rng(5), 0
    for _ in range(60):
        a, b = centred(random, 200)
        cases = {"A": a, "B": b, "X": truth.sample([a, b], 200, random)}
        fit = tc.fit(DAG, cases, families=tc.SigmoidGaussian)
        low += chance(fit.network["X"], fit.evidence["X"]) < 0.05
    assert low <= 9


def test_a_search_with_curves_is_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    tc.write_cases(tc.read_cases(CASES), "cases.csv")
    found = tc.search(
        tc.read_cases("cases.csv"), method=tc.IdealParent(k=3), families={"X": tc.SigmoidGaussian},
        seed=2,
    )  # fmt: skip
    words = ("search", "cases.csv", "--method", "ideal:3", "--family", "X=sigmoid", "--seed", "2")
    plain = run_json(capsys, *words, "-o", "out.json", "--save-fit", "fit.json")
    assert plain["score"] == pytest.approx(found.score)
    assert plain["method"] == "IdealParent(k=3)"
    assert tc.read("out.json").dag == found.dag
    again = tc.load_fit("fit.json")
    assert isinstance(again, tc.Search)
    command = next(line for line in str(tc.report(again)).splitlines() if "tacit search" in line)
    assert "--method ideal:3" in command
    assert "--family X=sigmoid" in command
    every = run_json(capsys, "search", "cases.csv", "--family", "sigmoid", "-o", "all.json")
    assert every["score"] == pytest.approx(tc.search(CASES, family=tc.SigmoidGaussian).score)
    assert run(capsys, "query", "out.json", "P(A)").startswith("P(A)")


def test_a_search_with_curves_beside_states_is_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    rows = len(CASES["X"])
    group = ["low", "high"] * (rows // 2)
    beside = np.where(np.array(group) == "high", 2.0, -1.0) * np.asarray(CASES["X"])
    beside = beside + np.random.default_rng(3).normal(size=rows)
    tc.write_cases(tc.read_cases({**CASES, "Group": group, "Beside": beside}), "cases.csv")
    data = tc.read_cases("cases.csv")
    found = tc.search(data, method=tc.IdealParent(k=2), families={"X": tc.SigmoidGaussian}, seed=2)
    words = ("search", "cases.csv", "--method", "ideal:2", "--family", "X=sigmoid", "--seed", "2")
    plain = run_json(capsys, *words, "-o", "out.json", "--save-fit", "fit.json")
    assert plain["score"] == pytest.approx(found.score)
    assert plain["families_scored"] == found.evaluations
    note = "X follows a curve, whose parents are continuous: arcs from Group to it were no choice"
    assert note in plain["notes"]
    assert isinstance(tc.read("out.json")["Beside"], tc.ConditionalGaussian)
    again = tc.load_fit("fit.json")
    assert isinstance(again, tc.Search)
    assert again.dag == found.dag
    page = str(tc.report(again))
    assert note in " ".join(page.split())
    command = next(line for line in page.splitlines() if "tacit search" in line)
    assert "--method ideal --" in command
    assert "--family X=sigmoid" in command
    assert "families={'X': 'sigmoid-gaussian'}" in page
    assert "tc.Exact()" in tc.advise(data).call
    assert run(capsys, "query", "out.json", "P(Beside | X=2, Group=low)").startswith("P(Beside")
    every = run_json(capsys, "search", "cases.csv", "--family", "sigmoid", "-o", "all.json")
    assert every["score"] == pytest.approx(tc.search(data, family=tc.SigmoidGaussian).score)


def test_a_network_with_curves_is_scored_by_them():
    found = tc.search(CASES, family=tc.SigmoidGaussian, seed=1)
    assert tc.score(found.network, CASES).total == pytest.approx(found.found.score)
    assert tc.score(found.network.dag, CASES).total < found.found.score


def test_a_posterior_of_curves_is_refused():
    with pytest.raises(tc.OptionError) as caught:
        tc.posterior(FIT.network, CASES)
    assert str(caught.value) == (
        "X is a sigmoid-gaussian in the network, and posteriors are of tables and straight lines"
        "\n\ngive the dag alone to take a straight line for it; tc.fit has intervals of curves"
    )
