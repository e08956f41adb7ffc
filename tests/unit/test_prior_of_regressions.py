"""The prior that regressions have unless another is given: where it acts, and what is said."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.cli.main import execute

RANDOM = np.random.default_rng(4)
WARD = RANDOM.choice(["north", "south"], 60)
DOSE = RANDOM.normal(5, 2, 60)
EFFECT = 2 * DOSE + RANDOM.normal(size=60)
CASES = {"Ward": WARD, "Dose": DOSE, "Effect": EFFECT}
USUAL = "WeakNormal()"


def gappy(cases: dict[str, Any]) -> tc.Dataset:
    columns = {name: list(column) for name, column in cases.items()}
    columns["Dose"][7] = None
    return tc.read_cases(columns, continuous=[n for n in columns if n != "Ward"])


@pytest.mark.parametrize("brought", [tc.read_cases, gappy])
def test_a_column_with_one_value_in_a_configuration_has_noise_and_a_note(brought):
    cases = CASES | {"Effect": np.where(WARD == "north", 3.25, EFFECT)}
    fit = tc.fit("Dose; Ward -> Effect", brought(cases))
    assert np.isfinite(fit.log_likelihood)
    sd = fit.network["Effect"].sd[0]
    assert f"at sd {sd:.3g}" in fit.notes[-1 if brought is tc.read_cases else 1]
    assert any(
        note.startswith(
            "Effect has the same value in 1 of 2 configurations of its discrete parents: the prior "
            "alone keeps its noise"
        )
        for note in fit.notes
    )


@pytest.mark.parametrize("value", [0.0, 0.1, -7.0, 1e9])
def test_a_constant_column_has_noise_and_a_note(value):
    cases = {"Dose": DOSE, "Same": np.full(60, value)}
    fit = tc.fit("Same -> Dose", tc.read_cases(cases, continuous=["Same"]))
    assert fit.network["Same"].sd > 0
    assert_allclose(fit.network["Same"].intercept, value, atol=1e-12)
    assert_allclose(fit.network["Dose"].coefficients, 0, atol=1e-6)
    assert fit.notes[0].startswith("Same has the same value in all cases: the prior alone keeps")
    assert not any(note.startswith("Dose has") for note in fit.notes)


def test_nearly_exact_functions_are_noted_as_such():
    nearly = 3 * DOSE + 1e-4 * RANDOM.normal(size=60)
    (note,) = tc.fit("Dose -> Nearly", {"Dose": DOSE, "Nearly": nearly}).notes
    assert note.startswith(
        "Nearly is nearly an exact linear function of its parents in all cases: the prior alone"
    )
    assert tc.fit("Ward, Dose -> Effect", CASES).notes == ()


def test_hidden_states_among_equal_values_end_in_an_answer():
    """Most values are the same, so that a state may hold nothing else."""
    random = np.random.default_rng(2)
    gain = np.where(random.random(200) < 0.8, 0.0, random.normal(50, 10, 200))
    other = np.where(gain > 0, 3.0, 0.0) + random.normal(size=200)
    cases = {"Gain": gain, "Other": other}
    fit = tc.fit("H -> Gain, Other", cases, hidden={"H": 2}, seed=1)
    assert any(
        "Gain has nearly the same value in 1 of 2 configurations" in note for note in fit.notes
    )
    assert (fit.network["Gain"].sd > 0).all()
    with pytest.raises(tc.EstimateError, match="shrinks to nothing"):
        tc.fit("H -> Gain, Other", cases, hidden={"H": 2}, estimate=tc.ML(), seed=1)


def test_dependent_parents_are_told_apart_by_the_prior_alone_and_that_is_noted():
    cases = {"Dose": DOSE, "Effect": EFFECT, "Twice": 2 * DOSE}
    fit = tc.fit("Dose, Twice -> Effect", cases)
    assert fit.notes == (
        "the parents of Effect depend on each other in these cases: only the prior tells 1 "
        "coefficient from the others",
    )
    one, other = fit.network["Effect"].coefficients * [DOSE.std(), 2 * DOSE.std()]
    assert_allclose(one, other)


def test_few_cases_lean_on_the_prior_and_that_is_noted():
    fit = tc.fit("Dose -> Effect", {name: CASES[name][:3] for name in ("Dose", "Effect")})
    assert fit.notes == (
        "Effect has no more than 3 cases: the prior decides most of its regression",
    )


def test_every_way_to_learn_has_it():
    data = tc.read_cases(CASES)
    reals = data.select(["Dose", "Effect"])
    holed = gappy(CASES)
    found = [
        tc.fit("Ward, Dose -> Effect", data),
        tc.fit("Ward, Dose -> Effect", holed),
        tc.fit("Ward, Dose -> Effect", holed, method=tc.AvailableCases()),
        tc.fit("Ward, Dose -> Effect", data, knowledge="coefficient(Effect, Dose) >= 3"),
        tc.fit("H -> Dose, Effect", data, hidden={"H": "continuous"}, seed=1),
        tc.search(data, seed=1),
        tc.search(reals, score=tc.BGe(), seed=1),
        tc.structural_em(holed.select(["Dose", "Effect"]), seed=1),
        tc.structural_em(holed, restarts=1, seed=1),
        tc.cross_validate("Ward, Dose -> Effect", data, folds=3, seed=1),
    ]
    assert [each.settings["normal_prior"] for each in found] == [USUAL] * len(found)
    most = [
        tc.search(data, estimate=tc.ML(), seed=1),
        tc.structural_em(holed.select(["Dose", "Effect"]), estimate=tc.ML(), seed=1),
    ]
    assert not any("normal_prior" in each.settings for each in most)


def test_a_search_by_a_prior_of_tables_keeps_it_beside_one_of_regressions():
    found = tc.search(CASES, score=tc.BIC(), prior=tc.WeakNormal(2), seed=1)
    assert (found.settings["prior"], found.settings["normal_prior"]) == (
        "BDeu(1)", "WeakNormal(2)",
    )  # fmt: skip
    lines = tc.structural_em(gappy(CASES).select(["Dose", "Effect"]), prior=tc.WeakNormal(2))
    assert lines.settings["normal_prior"] == "WeakNormal(2)"


def test_the_posterior_and_the_fit_agree_under_the_same_prior():
    prior = [tc.BDeu(1), tc.WeakNormal(1, spread=1)]
    fit = tc.fit("Ward, Dose -> Effect", CASES, prior=prior)
    found = tc.posterior("Ward, Dose -> Effect", CASES, prior=prior, seed=1)
    slopes = fit.network["Effect"].coefficients
    assert_allclose(found.mean["Effect"][:, 0], slopes[:, 0])
    assert_allclose(found.interval["Effect"].lower, fit.intervals["Effect"].lower)
    assert_allclose(found.log_marginal_likelihood, fit.log_marginal_likelihood)


def test_a_family_without_a_complete_case_is_an_error_still():
    cases = {"A": [1.0, None, 2.0], "B": [None, 3.0, None]}
    data = tc.read_cases(cases, continuous=["A", "B"])
    with pytest.raises(tc.EstimateError) as raised:
        tc.fit("A -> B", data, method=tc.AvailableCases())
    assert str(raised.value) == "there is no case for B"


@pytest.mark.parametrize(
    ("wishes", "python", "words"),
    [
        ({}, "prior=tc.BDeu(1), estimate=tc.Smoothed()", "--estimate smoothed --level"),
        ({"estimate": tc.ML()}, "prior=tc.BDeu(1), estimate=tc.ML()", "--estimate ml --level"),
        ({"prior": tc.WeakNormal(2)}, "prior=[tc.BDeu(1), tc.WeakNormal(2)]",
         "--normal-prior weak:2"),
        ({"prior": tc.WeakNormal(0)}, "prior=[tc.BDeu(1), tc.WeakNormal(0)]",
         "--normal-prior none"),
        ({"prior": [tc.K2(), tc.NormalGamma(3)]}, "prior=[tc.K2(), tc.NormalGamma(3)]",
         "--normal-prior 3"),
    ],
)  # fmt: skip
def test_a_report_says_how_to_do_it_again(wishes, python, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tc.write_cases(tc.read_cases(CASES), "cases.csv")
    data = tc.read_cases("cases.csv")
    fit = tc.fit("Ward, Dose -> Effect", data, **wishes)
    told = next(e for e in tc.report(fit).facts["sections"] if e["kind"] == "again")
    assert python in told["python"]
    assert words in told["command"]
    names: dict[str, Any] = {}
    exec(told["python"].replace("'learned.json'", "'net.json'"), names)  # what is shown is run
    assert names["fit"].network == fit.network
    command = told["command"].replace("--report report.html", "")
    assert execute(shlex.split(command)[1:]) == 0
    again = tc.read(re.search(r"-o (\S+)", command)[1])
    assert_allclose(again["Effect"].sd, fit.network["Effect"].sd)


def test_fits_saved_before_there_was_a_default_are_done_again_without_a_prior(tmp_path):
    fit = tc.fit("Dose -> Effect", CASES, prior=tc.WeakNormal(0))
    fit.save(tmp_path / "fit.json")
    plain = json.loads((tmp_path / "fit.json").read_text())
    del plain["settings"]["normal_prior"]
    (tmp_path / "fit.json").write_text(json.dumps(plain))
    older = tc.load_fit(tmp_path / "fit.json")
    told = next(e for e in tc.report(older).facts["sections"] if e["kind"] == "again")
    assert "tc.WeakNormal(0)" in told["python"]
    assert "--normal-prior none" in told["command"]


def test_the_command_line_has_words_for_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tc.write_cases(tc.read_cases(CASES), "cases.csv")
    for given, prior in (
        ("", USUAL), ("--normal-prior weak", USUAL), ("--normal-prior weak:0.5",
        "WeakNormal(0.5)"), ("--normal-prior none", "WeakNormal(0)"),
        ("--normal-prior 2", "NormalGamma(2)"),
    ):  # fmt: skip
        line = f"fit cases.csv --network 'Ward, Dose -> Effect' -o o.json --json {given}"
        assert execute(shlex.split(line)) == 0
        assert json.loads(capsys.readouterr().out)["normal_prior"] == prior
    line = "search cases.csv --normal-prior weak:2 --seed 1 -o s.json --save-fit fit.json"
    assert execute(line.split()) == 0
    assert tc.load_fit("fit.json").settings["normal_prior"] == "WeakNormal(2)"
    for given in ("none", "weak"):
        line = "evaluate cases.csv --network 'Ward, Dose -> Effect' --folds 3 --seed 1 --json"
        assert execute([*shlex.split(line), "--normal-prior", given]) == 0
