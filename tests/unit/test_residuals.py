"""Residual checks of Gaussian families: against scipy, and on cases made to break them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import tacit as tc
from tacit.cli.main import execute

RANDOM = np.random.default_rng(0)
N = 300
A, K = RANDOM.normal(size=N), RANDOM.choice(["a", "b"], N)
CASES = {
    "K": K,
    "A": A,
    "Right": 2 * A + RANDOM.normal(size=N),
    "Bent": A**2 + 0.5 * RANDOM.normal(size=N),
    "Uneven": A + RANDOM.normal(size=N) * np.exp(0.8 * A),
    "Heavy": A + RANDOM.standard_t(3, N) + (K == "a"),
    "Skewed": A + RANDOM.exponential(size=N),
}
FIT = tc.fit("A -> Right, Bent, Uneven, Skewed; A, K -> Heavy", CASES, estimate=tc.ML())
FOUND = tc.residuals(FIT, CASES)


def test_moments_and_the_test_of_normality_are_those_of_scipy():
    family = FIT.network["Right"]
    off = (CASES["Right"] - family.intercept - family.coefficients[0] * A) / family.sd
    check = FOUND["Right"]
    assert_allclose(check.skewness, stats.skew(off))
    assert_allclose(check.kurtosis, stats.kurtosis(off))
    assert_allclose(check.normal, stats.jarque_bera(off).pvalue)
    assert_allclose([check.mean, check.sd, check.cases], [0, 1, N], atol=1e-9)
    fitted = family.intercept + family.coefficients[0] * A
    assert_allclose(check.even, stats.pearsonr(np.abs(off), fitted).pvalue)


def test_bands_hold_all_cases_and_their_errors_are_standard():
    bands = FOUND["Right"].bands
    assert sum(band.cases for band in bands) == N
    assert [band.fitted for band in bands] == sorted(band.fitted for band in bands)
    sd = FIT.network["Right"].sd
    for band in bands:
        assert_allclose((band.seen - band.fitted) / sd * band.cases**0.5, band.errors, atol=1e-9)
    squares = sum(band.errors**2 for band in bands)
    assert_allclose(FOUND["Right"].straight, stats.chi2.sf(squares, len(bands) - 2))


def test_each_kind_of_trouble_is_told_where_it_is():
    doubts = {name: " ".join(FOUND[name].doubts) for name in FOUND}
    assert doubts["A"] == doubts["Right"] == ""
    assert "bends away" in doubts["Bent"]
    assert "grows or shrinks" in doubts["Uneven"]
    assert doubts["Heavy"] == "the noise has heavy tails"
    assert doubts["Skewed"].startswith("the noise is skewed") or "tails" in doubts["Skewed"]
    assert "Bent: the mean bends away from the line" in str(FOUND)


def test_true_networks_are_doubted_about_as_often_as_said():
    doubted = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        x = random.normal(size=400)
        cases = {"x": x, "y": x + random.normal(size=400)}
        found = tc.residuals(tc.fit("x -> y", cases), cases)
        doubted += len(found["x"].doubts) + len(found["y"].doubts)
    assert doubted <= 7


def test_gaps_weights_and_hidden_variables_are_left_to_what_was_seen():
    gappy = {name: list(column) for name, column in CASES.items()}
    for case in range(0, N, 3):
        gappy["A"][case] = None
    found = tc.residuals(FIT.network, gappy)
    assert found["Right"].cases == N - 100
    assert found["A"].cases == N - 100
    only = tc.residuals(FIT.network, {"A": A, "Right": CASES["Right"]})
    assert list(only) == ["A", "Right"]
    data = tc.read_cases(CASES)
    times = RANDOM.integers(1, 4, N)
    weighted = tc.residuals(FIT, data.with_weights(times.astype(float)))["Right"]
    repeated = tc.residuals(FIT, data.take(np.repeat(np.arange(N), times)))["Right"]
    assert_allclose(weighted.skewness, repeated.skewness)
    assert_allclose(weighted.normal, repeated.normal)
    assert_allclose(weighted.even, repeated.even)


def test_few_cases_are_not_judged():
    few = {name: column[:12] for name, column in CASES.items()}
    found = tc.residuals(FIT, few)
    assert all(found[name].normal == 1 and not found[name].doubts for name in found)


def test_a_report_shows_them_in_words_tables_and_drawings(tmp_path):
    report = tc.report(FIT, residuals=FOUND)
    for suffix in ("html", "md", "txt", "json"):
        report.save(tmp_path / f"r.{suffix}")
    text = (tmp_path / "r.txt").read_text()
    assert "Of Bent the mean bends away from the line" in " ".join(text.split())
    html = (tmp_path / "r.html").read_text()
    assert html.count('<circle class="dot chosen"') == 8 * 5
    facts = json.loads((tmp_path / "r.json").read_text())
    (section,) = (each for each in facts["sections"] if each["kind"] == "residuals")
    assert [each["variable"] for each in section["families"]] == list(FOUND)


def test_what_has_no_residuals_is_said():
    with pytest.raises(tc.NetworkError) as raised:
        tc.residuals(tc.fit("K", {"K": K}), CASES)
    assert str(raised.value) == "the network has no Gaussian family, so no residuals"
    with pytest.raises(tc.OptionError) as raised:
        tc.report(FIT, residuals=CASES)
    assert str(raised.value) == "residuals is what tc.residuals returns, not a dict"


def test_a_report_takes_them_itself_where_the_cases_are_at_hand():
    told = tc.report(FIT, data=CASES).facts
    (section,) = (each for each in told["sections"] if each["kind"] == "residuals")
    assert section == next(
        each
        for each in tc.report(FIT, residuals=FOUND).facts["sections"]
        if each["kind"] == "residuals"
    )
    worries = told["sections"][0]["worries"]
    assert any(each["kind"] == "off the line" for each in worries)
    states = {"K": K}
    kinds = [each["kind"] for each in tc.report(tc.fit("K", states), data=states).facts["sections"]]
    assert "residuals" not in kinds
    with pytest.raises(tc.OptionError) as raised:
        tc.report(FIT, data=CASES, residuals=FOUND)
    assert str(raised.value) == (
        "residuals= and data= both say how cases lie about the lines: give one"
    )


def test_curves_have_residuals_too():
    random = np.random.default_rng(4)
    x = random.normal(size=600)
    y = 3 / (1 + np.exp(-3 * x)) + random.normal(0, 0.2, 600)
    cases = {"x": x, "y": y}
    fit = tc.fit("x -> y", cases, families={"y": tc.SigmoidGaussian})
    found = tc.residuals(fit, cases)["y"]
    assert (found.along, found.doubts) == ("curve", ())
    off = (y - fit.network["y"].mean([x], 600)) / fit.network["y"].sd
    assert_allclose([found.mean, found.sd], [off.mean(), off.std()], atol=1e-9)
    steep = tc.SigmoidGaussian(fit.network["y"].variables, [30.0], 0, 3, 0, 0.2)
    wrong = tc.Network.of([fit.network["x"], steep])
    assert "the mean bends away from the curve" in tc.residuals(wrong, cases)["y"].doubts


def test_of_many_families_the_doubtful_are_shown():
    random = np.random.default_rng(5)
    x = random.normal(size=200)
    cases = {"x": x} | {f"y{at}": x + random.normal(size=200) for at in range(80)}
    cases["bent"] = x**2 + random.normal(0, 0.1, 200)
    fit = tc.fit("x -> " + ", ".join([f"y{at}" for at in range(80)] + ["bent"]), cases)
    report = tc.report(fit, data=cases)
    assert report.to_html().count('<circle class="dot chosen"') == 24 * 8
    assert "Of bent the mean bends away" in " ".join(str(report).split())


def test_commands_that_learn_put_them_into_their_reports(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tc.write_cases(tc.read_cases({name: CASES[name] for name in ("A", "Bent")}), "cases.csv")
    for line in (
        "fit cases.csv --network dag.dag -o net.json --report fit.json",
        "search cases.csv -o net.json --report search.json",
    ):
        (tmp_path / "dag.dag").write_text("A -> Bent\n")
        assert execute([*line.split(), "--continuous", "A", "--continuous", "Bent", "--quiet"]) == 0
        told = json.loads((tmp_path / line.split()[-1]).read_text())
        (section,) = (each for each in told["sections"] if each["kind"] == "residuals")
        assert {each["variable"] for each in section["families"]} == {"A", "Bent"}
    capsys.readouterr()
