"""What reports say of fits of real columns: what was used, what was maximised, what arcs carry."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tacit as tc
from tacit.cli.main import execute
from tacit.families.curve_evidence import CurveEvidence
from tacit.families.moments import Moments
from tacit.reporting import html, text
from tacit.reporting.inferred import place
from tacit.reporting.information import _of_gaussian
from tacit.reporting.mixed_information import of_curve


def columns(gaps: float, seed: int = 1, cases: int = 120) -> dict[str, Any]:
    """One hidden variable above four columns, cells missing by chance."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=cases)
    found = {f"X{at}": 5 + 2 * hidden + random.normal(size=cases) for at in range(4)}
    for column in found.values():
        column[random.random(cases) < gaps] = np.nan
    return found


WHOLE, GAPPY = columns(0.0), columns(0.1)
HIDDEN = {"H": "continuous"}
ABOVE = tc.fit("H -> X0, X1, X2, X3", WHOLE, hidden=HIDDEN, estimate=tc.ML(), seed=1)
PROPOSED = tc.propose_hidden(WHOLE, seed=1)
SOUGHT = tc.search(GAPPY, method=tc.IdealParent(hidden=True), seed=1)
LINES = tc.fit("X0 -> X1 -> X2", GAPPY, estimate=tc.ML(), seed=1)
LEANING = tc.fit("X0 -> X1 -> X2", GAPPY, seed=1)


def section(fit: tc.Fit, kind: str) -> dict[str, Any]:
    return next(each for each in tc.report(fit).facts["sections"] if each["kind"] == kind)


def fit_page(fit: tc.Fit) -> str:
    return " ".join(tc.report(fit).to_html().split())


def plain(fit: tc.Fit) -> str:
    return " ".join(str(tc.report(fit)).split())


@pytest.mark.parametrize("fit", [ABOVE, PROPOSED, SOUGHT, LINES, LEANING])
def test_what_is_missing_was_inferred_by_em_and_the_report_says_so(fit):
    told = plain(fit)
    assert "complete in it" not in told
    assert "least squares" not in told
    with_prior = "by EM, with the prior WeakNormal()"
    assert ("by maximum likelihood (EM)" if fit.normal == {} else with_prior) in told
    assert f"(of what was observed, {fit.log_likelihood:,.1f} nats in all)" in told
    if any(fit.cases.missing.values()):
        assert f"All {fit.cases_used} cases were used" in told


def test_available_cases_are_said_to_be_no_more_than_that():
    for estimate, how in (
        (tc.ML(), "by maximum likelihood (least squares)"),
        (tc.Smoothed(), "by least squares, with the prior WeakNormal()"),
    ):
        fit = tc.fit("X0 -> X1 -> X2", GAPPY, estimate=estimate, method=tc.AvailableCases())
        assert "Each family was counted on the cases complete in it" in plain(fit)
        assert how in plain(fit)


def test_where_no_prior_acts_none_is_named():
    for fit in (LINES, ABOVE):
        assert str(fit).startswith("Fit to 120 cases, maximum likelihood\n")
        assert "prior" not in section(fit, "answer")["sentences"][0]
        for told in (plain(fit), fit_page(fit)):
            assert f"The objective is the log-likelihood: {fit.log_likelihood:,.1f} nats" in told
            assert "term" not in told
    assert "parameters by maximum likelihood\n" in str(SOUGHT)
    own = tc.fit("X0 -> X1", WHOLE, prior=tc.NormalGamma(2))
    assert str(own).startswith("Fit to 120 cases, Smoothed() with prior NormalGamma(")
    assert "BDeu" not in str(own)
    states = tc.fit("Ward -> Dose", mixed())
    both = "Fit to 300 cases, Smoothed() with prior BDeu(1) and WeakNormal()\n"
    assert str(states).startswith(both)


def test_the_term_of_the_prior_is_told_where_one_acts():
    for fit in (PROPOSED, LEANING):
        assert fit.objective != fit.log_likelihood
        rest = fit.objective - fit.log_likelihood
        for told in (plain(fit), fit_page(fit)):
            assert "The objective is the log-likelihood" not in told
            assert f"the log-likelihood {fit.log_likelihood:,.1f} and the prior" in told
            assert f"s term {rest:,.1f}." in told


def test_continuous_hidden_variables_have_no_number_of_states():
    told = str(tc.report(PROPOSED))
    line = next(
        one.split() for one in told.splitlines() if one.startswith("  H  ") and "accepted" in one
    )
    assert "continuous" in line
    assert "0" not in line
    assert ">continuous</td>" in tc.report(PROPOSED).to_html()
    for page in (plain(PROPOSED), fit_page(PROPOSED)):
        assert "0 candidates" not in page
        assert "0 states" not in page
        assert "the log-likelihood less the price of the parameters (BIC())" in page
        assert "log marginal likelihood" not in page


def test_where_states_and_real_columns_meet_the_price_is_named_as_well():
    found = tc.propose_hidden(
        mixed(), seed=1, most=1, tries=1, bootstrap=0, restarts=1, most_states=2
    )
    told = section(found, "proposals")
    assert told["priced"] == "BIC()"
    assert "log marginal likelihood" not in plain(found)
    for one in told["proposals"]:
        assert f"{one['name']}: {len(one['states'])} states" in place(one["variable"])


def test_the_command_line_says_what_kind_of_variable_was_found(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tc.write_cases(WHOLE, "cases.csv")
    assert execute(["hidden", "cases.csv", "--seed", "1", "-o", "out.json", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["hidden"] == dict.fromkeys(said["accepted"], "continuous")


def test_residuals_are_of_families_whose_variables_were_all_measured():
    fit = tc.fit("H -> X0, X1, X2; X0 -> X3", WHOLE, hidden={"H": "continuous"}, seed=1)
    kinds = [each["kind"] for each in tc.report(ABOVE, data=WHOLE).facts["sections"]]
    assert "residuals" not in kinds
    report = tc.report(fit, data=WHOLE)
    told = next(each for each in report.facts["sections"] if each["kind"] == "residuals")
    assert [one["variable"] for one in told["families"]] == ["X3"]


def arcs_of(fit: tc.Fit) -> dict[tuple[str, str], dict[str, Any]]:
    return {(arc["parent"], arc["child"]): arc for arc in section(fit, "network")["arcs"]}


def mixed(cases: int = 300) -> dict[str, Any]:
    random = np.random.default_rng(2)
    ward, sex = random.integers(0, 3, cases), random.integers(0, 2, cases)
    dose = 3 + 1.5 * ward + random.normal(size=cases)
    level = dose * (1 + sex) - ward + random.normal(size=cases)
    curved = 2 + 6 / (1 + np.exp(-2 * (dose - 4))) + 0.4 * random.normal(size=cases)
    states = {"Ward": np.array(["a", "b", "c"])[ward], "Sex": np.array(["f", "m"])[sex]}
    return {**states, "Dose": dose, "Level": level, "Curved": curved}


def entropy(values: Any, weights: Any, means: Any, sds: Any) -> Any:
    """Of each row of mixtures of normals, by a sum over even values."""
    apart = (values[:, None] - means[..., None, :]) / sds
    density = (weights * np.exp(-0.5 * apart**2) / (sds * np.sqrt(2 * np.pi))).sum(axis=-1)
    logs = np.log(np.where(density > 0, density, 1.0))
    return -(density * logs).sum(axis=-1) * (values[1] - values[0])


VALUES = np.linspace(-40.0, 60.0, 8001)


def test_what_states_tell_a_mixture_is_what_the_network_says():
    fit = tc.fit("Ward -> Dose; Sex", mixed(), prior=None, estimate=tc.ML())
    arc = arcs_of(fit)["Ward", "Dose"]
    told = tc.mutual_information(fit.network, "Ward", "Dose")
    assert arc["information"] == pytest.approx(told, abs=1e-4)
    assert arc["given_others"] == arc["information"]


def test_what_each_of_two_parents_of_regressions_tells_is_an_integral():
    data = mixed()
    fit = tc.fit("Sex, Dose -> Level", data)
    arcs, line = arcs_of(fit), fit.network["Level"]
    assert all(arc["unsaid"] == [] for arc in arcs.values())
    shares, middles, spreads = [], [], []
    for state in ("f", "m"):
        here = data["Dose"][data["Sex"] == state]
        shares.append(len(here) / 300)
        middles.append(here.mean())
        spreads.append(here.std())
    parts = [line.given({"Sex": state}) for state in ("f", "m")]
    slopes = np.array([part.coefficients[0] for part in parts])
    bases, noises = np.array([p.intercept for p in parts]), np.array([p.sd for p in parts])
    shares, middles, spreads = map(np.array, (shares, middles, spreads))
    sds = np.sqrt((slopes * spreads) ** 2 + noises**2)
    whole = entropy(VALUES, shares, slopes * middles + bases, sds)
    within = shares @ (0.5 * np.log(2 * np.pi * np.e * sds**2))
    noise = shares @ (0.5 * np.log(2 * np.pi * np.e * noises**2))
    assert arcs["Sex", "Level"]["information"] == pytest.approx(whole - within, abs=1e-6)
    assert arcs["Dose", "Level"]["given_others"] == pytest.approx(within - noise, abs=1e-9)
    doses = np.linspace(-6, 16, 801)
    joint = shares * np.exp(-0.5 * ((doses[:, None] - middles) / spreads) ** 2) / spreads
    at = joint / joint.sum(axis=1, keepdims=True)
    values = np.linspace(-25.0, 45.0, 701)
    told = entropy(values, at[:, None], doses[:, None] * slopes + bases, noises)
    open_ = (joint.sum(axis=1) / joint.sum()) @ told
    assert arcs["Dose", "Level"]["information"] == pytest.approx(whole - open_, abs=1e-5)
    assert arcs["Sex", "Level"]["given_others"] == pytest.approx(open_ - noise, abs=1e-5)


def test_what_parents_tell_a_curve_is_an_integral_along_it():
    data = mixed()
    fit = tc.fit("Dose -> Curved", data, families={"Curved": tc.SigmoidGaussian})
    arc, curve = arcs_of(fit)["Dose", "Curved"], fit.network["Curved"]
    doses = data["Dose"].mean() + data["Dose"].std() * np.linspace(-7, 7, 1401)
    weights = np.exp(-0.5 * np.linspace(-7, 7, 1401) ** 2)
    means = curve.mean([doses], doses.size)
    values = np.linspace(-4.0, 14.0, 1801)
    whole = entropy(values, weights / weights.sum(), means, curve.sd)
    told = whole - 0.5 * np.log(2 * np.pi * np.e * curve.sd**2)
    assert arc["information"] == pytest.approx(told, abs=1e-6)
    assert arc["given_others"] == pytest.approx(told, abs=1e-6)


def test_a_nearly_straight_curve_tells_what_a_line_does():
    axes = tuple(map(tc.Continuous, ("X0", "X1", "X2")))
    flat = np.array([0.7, -0.4]) / 500
    bent = tc.SigmoidGaussian(axes, flat, -1000.0, 2000.0, float(flat @ [5, 5]), 1.0)
    cases = np.stack([WHOLE[name] for name in ("X0", "X1", "X2")], axis=1)
    told = of_curve(bent, CurveEvidence.of(bent, cases))
    line = tc.LinearGaussian(axes, flat * 500, 0.0, 1.0)
    straight = _of_gaussian(line, Moments.of(cases))
    np.testing.assert_allclose(told, [(each.alone, each.beside) for each in straight], atol=1e-4)


def test_what_is_not_computed_is_left_out_of_the_list():
    fit = tc.fit("Sex, Ward, Dose, Curved -> Level", mixed())
    arcs = arcs_of(fit)
    assert arcs["Sex", "Level"]["unsaid"] == ["given_others"]
    assert arcs["Dose", "Level"]["unsaid"] == []
    assert "no formula" not in plain(fit)
    assert "not computed" in plain(fit)
    assert "not computed" in tc.report(fit).to_html()


def test_a_list_of_arcs_without_any_number_is_left_out():
    facts = json.loads(tc.report(tc.fit("X0 -> X1", WHOLE)).to_json())
    arc = next(each for each in facts["sections"] if each["kind"] == "network")["arcs"][0]
    arc["unsaid"] = ["given_others"]
    assert "given the other parents" not in text.page(facts)
    assert "Arcs, with I(child; parent)" in text.page(facts)
    arc |= {"unsaid": ["information", "given_others"], "information": None}
    assert "Arcs" not in text.page(facts)
    assert "The arcs as a list" not in html.page(facts)
