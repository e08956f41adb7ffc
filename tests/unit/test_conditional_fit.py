"""Fits with regressions by configuration: what notes, reports and the command line say of them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive
import tacit as tc
from tacit.cli.main import execute

SITES = ("hill", "coast", "sea", "<b>")
SITE = np.repeat(SITES[:3], [30, 20, 2])
RANDOM = np.random.default_rng(5)
WIND = RANDOM.normal(8, 2, 52)
POWER = np.where(SITE == "hill", 2, 3) * WIND + RANDOM.normal(0, 1, 52)
CASES = {"Site": SITE, "Wind": WIND, "Power": POWER}
AXES = {
    "Site": tc.Discrete("Site", SITES),
    "Wind": tc.Continuous("Wind"),
    "Power": tc.Continuous("Power"),
}


def network() -> tc.Network:
    axes = tuple(AXES.values())
    return tc.Network.of([
        tc.Table(axes[:1], np.full(4, 0.25)),
        tc.LinearGaussian(axes[1:2], [], 8, 2),
        tc.ConditionalGaussian(axes, np.ones((4, 1)), np.ones(4), np.ones(4)),
    ])  # fmt: skip


@pytest.fixture(scope="module")
def fit() -> tc.Fit:
    return tc.fit(network(), CASES, estimate=tc.ML())


def told(fit: tc.Fit, kind: str):
    return next(each for each in tc.report(fit).facts["sections"] if each["kind"] == kind)


def test_thin_configurations_take_the_regression_of_all_cases_and_are_noted(fit):
    assert fit.notes == (
        "the network gave structure and states; its numbers were not used",
        "2 of 4 configurations of the discrete parents of Power have no more than 3 cases "
        "(1 of them none), too few for a regression of their own: they take that of all cases",
    )
    assert dict(fit.empty_rows) == {"Site": (), "Power": (3,)}
    (slope,), intercept, sd = naive.least_squares(WIND[:, None], POWER)
    for site in ("sea", "<b>"):
        line = fit.network["Power"].given({"Site": site})
        assert_allclose([*line.coefficients, line.intercept, line.sd], [slope, intercept, sd])
    assert np.isnan(fit.intervals["Power"].lower[2:]).all()
    assert np.isfinite(fit.intervals["Power"].upper[:2]).all()


def test_one_thin_configuration_is_noted_in_the_singular():
    rest = SITE != "coast"
    cases = {"Site": SITE[rest], "Power": POWER[rest]}
    for estimate in (tc.ML(), tc.Smoothed()):
        assert tc.fit("Site -> Power", cases, estimate=estimate).notes == (
            "1 of 2 configurations of the discrete parents of Power has no more than 2 cases, "
            "too few for a regression of its own: it takes that of all cases",
        )
    assert tc.fit("Site -> Power", cases, prior=tc.WeakNormal(spread=1)).notes == (
        "1 of 2 configurations of the discrete parents of Power has no more than 2 cases: the "
        "prior decides most of its regression",
    )


def test_a_configuration_without_noise_is_noted():
    power = np.where(SITE == "hill", 2 * WIND, POWER)
    cases = CASES | {"Power": power}
    leaning = tc.fit("Site, Wind -> Power", cases).notes[0]
    assert leaning.startswith(
        "Power is an exact linear function of its parents in 1 of 3 configurations of its discrete "
        "parents: the prior alone keeps its noise, at sd "
    )
    fit = tc.fit("Site, Wind -> Power", cases, estimate=tc.ML())
    assert fit.notes[-1] == (
        "Power is an exact linear function in 1 configuration of its parents: the sd is 0 there"
    )
    assert fit.network["Power"].sd[fit.network.variables["Site"].code("hill")] == 0
    assert fit.log_likelihood == np.inf


def test_dependent_parents_are_noted():
    twice = CASES | {"Gust": 2 * WIND}
    fit = tc.fit("Site, Wind, Gust -> Power", twice, estimate=tc.ML())
    assert fit.notes[0] == (
        "the parents of Power depend on each other in these cases: 2 coefficients are not "
        "determined; the shortest solution was taken"
    )
    assert tc.fit("Site, Wind, Gust -> Power", twice).notes[0] == (
        "the parents of Power depend on each other in these cases: only the prior tells 2 "
        "coefficients from the others"
    )


def test_a_report_lists_every_regression(fit):
    table = next(each for each in told(fit, "tables")["tables"] if each["variable"] == "Power")
    assert table["family"] == "conditional-gaussian"
    assert table["parents"] == [
        {"name": "Site", "states": list(SITES)}, {"name": "Wind", "states": None},
    ]  # fmt: skip
    assert [each["kind"] for each in table["parameters"]] == ["coefficient", "intercept", "sd"]
    assert (table["rows"], table["few"], sorted(table["cases"])) == (4, 2, [0, 2, 20, 30])
    family = fit.network["Power"]
    for at, values in zip(table["position"], table["value"], strict=True):
        assert values == [family.coefficients[at, 0], family.intercept[at], family.sd[at]]
    variables = {each["name"]: each for each in told(fit, "network")["variables"]}
    assert (variables["Power"]["rows"], variables["Power"]["support"]) == (4, 11)
    assert variables["Power"]["states"] is None
    arcs = told(fit, "network")["arcs"]
    assert [each["unsaid"] for each in arcs] == [[], []]
    assert all(each["information"] >= 0 and each["given_others"] >= 0 for each in arcs)


@pytest.mark.parametrize("ending", ["html", "md", "txt", "json"])
def test_every_report_shows_the_regressions(fit, ending, tmp_path):
    tc.report(fit).save(tmp_path / f"report.{ending}")
    text = (tmp_path / f"report.{ending}").read_text()
    if ending == "json":
        assert "NaN" not in text
        assert json.loads(text)["sections"]
        return
    assert "no formula" not in text
    assert "(1 of them none)" in " ".join(text.replace("\\", "").split())
    slope = fit.network["Power"].given({"Site": "hill"}).coefficients[0]
    assert f"{slope:.3f}" in text
    assert "nan" not in text.split("Tables")[-1].split("How it went")[0]
    if ending == "html":
        assert "&lt;b&gt;" in text
        assert '<th scope="row"><b></th>' not in text
        assert "conditional Gaussian, 4 rows, 2 on few cases" in text


def test_the_rows_of_a_text_report(fit):
    lines = str(tc.report(fit)).splitlines()
    start = lines.index("Power given Site, Wind")
    assert lines[start + 1].split() == ["Site", "Wind", "(intercept)", "(sd)", "cases"]
    assert [line.split()[0] for line in lines[start + 2 : start + 6]] == list(SITES)
    assert [line.split()[-1] for line in lines[start + 2 : start + 6]] == ["30", "20", "2*", "0*"]
    assert lines[start + 6].strip() == "conditional Gaussian, a regression in each of 4 rows."


def test_many_regressions_are_cut_and_the_report_says_so(monkeypatch):
    monkeypatch.setattr("tacit.reporting.tabled.MOST_ROWS", 20)
    random = np.random.default_rng(1)
    states = {f"D{at}": random.integers(0, 5, 600).astype(str) for at in range(3)}
    fit = tc.fit("D0, D1, D2 -> Y", states | {"Y": random.normal(size=600)})
    table = next(each for each in told(fit, "tables")["tables"] if each["variable"] == "Y")
    assert (table["rows"], len(table["cases"])) == (125, 20)
    fullest = np.sort(fit.evidence["Y"].weights.ravel())[::-1][:20]
    assert sorted(table["cases"], reverse=True) == fullest.tolist()
    assert "105 of 125 rows are left out here" in str(tc.report(fit))
    assert told(fit, "answer")["figures"]["rows"] == 128


def test_the_command_line_fits_shows_scores_and_draws(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tc.write_cases(tc.read_cases(CASES), "cases.csv")

    def run(*words: str) -> str:
        status = execute([*words])
        said = capsys.readouterr()
        assert (status, said.err.count("Traceback")) == (0, 0), said.err
        return said.out

    run("fit", "cases.csv", "--network", "Site, Wind -> Power", "-o", "out.json", "--quiet")
    made = tc.fit("Site, Wind -> Power", "cases.csv")
    assert tc.read("out.json") == made.network
    assert "Power | Site, Wind ~ conditional Gaussian" in run("show", "out.json", "Power")
    scored = json.loads(run("score", "out.json", "cases.csv", "--json"))
    assert scored["log_likelihood"] == pytest.approx(made.log_likelihood)
    run("sample", "out.json", "-n", "20", "-o", "drawn.csv", "--seed", "1", "--quiet")
    assert len(tc.read_cases("drawn.csv")) == 20


def test_a_saved_fit_with_moments_of_another_shape_is_refused(fit, tmp_path):
    fit.save(tmp_path / "fit.json")
    plain = json.loads((tmp_path / "fit.json").read_text())
    text = json.dumps(plain)
    assert '"conditional moments"' in text
    for old, new, message in [
        ("weights", [1.0, 2.0], "conditional moments need one mean per variable"),
        ("weights", [-1.0, 1, 1, 1], "the weights of configurations must be numbers, 0 or more"),
        ("means", [], "conditional moments need one mean per variable"),
    ]:
        damaged = json.loads(text)
        held = find(damaged, "conditional moments")
        held[old] = new
        (tmp_path / "bad.json").write_text(json.dumps(damaged))
        with pytest.raises(tc.FormatError, match=message):
            tc.load_fit(tmp_path / "bad.json")
    damaged = json.loads(text)
    held = find(damaged, "conditional moments")
    for part in ("weights", "means", "scatter"):
        held[part] = held[part][:3]
    (tmp_path / "bad.json").write_text(json.dumps(damaged))
    with pytest.raises(tc.FormatError, match="not those of the saved network"):
        tc.load_fit(tmp_path / "bad.json")


def find(plain, kind):
    """The statistics of this kind, wherever they are."""
    if isinstance(plain, dict):
        if plain.get("statistics") == kind:
            return plain
        plain = list(plain.values())
    for each in plain if isinstance(plain, list) else ():
        found = find(each, kind)
        if found is not None:
            return found
    return None
