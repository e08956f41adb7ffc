"""The sections of a report on prediction."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import tacit as tc

ASIA = tc.textbook("asia")
CASES = tc.sample(ASIA, 400, seed=1)
FIT = tc.fit(ASIA.dag, CASES)
HELD = tc.cross_validate(ASIA.dag, CASES, target="dysp", seed=1)
VARIANTS = {"a<b": {}, "ml": {"estimate": tc.ML()}}
CURVE = tc.learning_curve(
    ASIA.dag, CASES, [20, 100, 280], target="dysp", variants=VARIANTS, repeats=2, seed=1
)
REPORT = tc.report(FIT, evaluation=HELD, curve=CURVE)


RANDOM = np.random.default_rng(1)
LINE = {"X": RANDOM.normal(size=120)}
LINE["Y"] = 0.003 * LINE["X"] + RANDOM.normal(0, 0.001, 120)
VALUES = tc.cross_validate("X -> Y", LINE, target="Y", seed=1)
GROWING = tc.learning_curve("X -> Y", LINE, [20, 60], target="Y", repeats=2, seed=1)
REALS = tc.report(tc.fit("X -> Y", LINE), evaluation=VALUES, curve=GROWING)


def section(kind, report=REPORT):
    return next(each for each in report.facts["sections"] if each["kind"] == kind)


def test_the_facts_are_the_measures():
    told, judged = section("prediction"), HELD.evaluation
    assert judged is not None
    assert told["auc"] == judged.auc
    assert told["brier"] == judged.brier
    assert sum(map(sum, told["confusion"])) == 400
    means = section("learning")["measures"]["brier"]["mean"]
    assert means == CURVE.mean("brier").tolist()
    json.loads(REPORT.to_json())


def test_every_form_tells_of_them():
    text, page, plain = str(REPORT), REPORT.to_html(), REPORT.to_markdown()
    for form in (text, page, plain):
        assert "How well it predicts" in form
        assert "From how many cases" in form
    assert "dysp was predicted in 400 cases from all other cells" in " ".join(text.split())
    assert "a&lt;b" in page
    assert "<title>a<b" not in page


def test_the_square_holds_every_bin():
    page = REPORT.to_html()
    square = page[page.index('class="curve square"') :]
    points = re.findall(r'<circle class="dot chosen" cx="([\d.]+)" cy="([\d.]+)"', square)
    assert HELD.evaluation is not None
    bins = HELD.evaluation.calibration()
    assert len(points) == len(bins)
    for (x, y), each in zip(points, bins, strict=True):
        assert float(x) == pytest.approx(160 * each.predicted, abs=0.06)
        assert float(y) == pytest.approx(160 * (1 - each.observed), abs=0.06)


def test_without_them_the_report_is_as_before():
    kinds = {each["kind"] for each in tc.report(FIT).facts["sections"]}
    assert not kinds & {"prediction", "learning"}


def test_cases_held_out_are_told_of_with_a_target_and_without():
    plain = tc.cross_validate(ASIA.dag, CASES, seed=1)
    said = f"{plain.average:.4f} ± {plain.error:#.2g} nats"
    for found in (plain, HELD):
        report = tc.report(FIT, evaluation=found)
        kinds = [each["kind"] for each in report.facts["sections"]]
        assert kinds.count("folds") == 1
        assert ("prediction" in kinds) == (found is HELD)
        json.loads(report.to_json())
    report = tc.report(FIT, evaluation=plain)
    for page in (str(report), report.to_markdown(), report.to_html()):
        told = " ".join(page.replace("\\", "").split())
        assert f"cases that were held out score {said}." in told
        assert f"on average {said} per case." in told
        assert "cases it has not seen will score lower" not in told
        for each in plain.folds:
            assert f"{each.average:.4f}" in told
    assert "cases it has not seen will score lower" in " ".join(str(tc.report(FIT)).split())


def test_what_is_no_evaluation_is_refused():
    with pytest.raises(tc.OptionError, match=r"evaluation is what tc\.evaluate or"):
        tc.report(FIT, evaluation=3)
    with pytest.raises(tc.OptionError, match=r"curve is what tc\.learning_curve returns"):
        tc.report(FIT, curve=3)


def test_the_facts_of_values_are_their_measures():
    told, judged = section("values", REALS), VALUES.evaluation
    assert isinstance(judged, tc.RealEvaluation)
    for name in ("log_score", "rmse", "mae", "r_squared", "crps", "calibration_error"):
        assert told[name] == getattr(judged, name)
    assert [each["share"] for each in told["coverage"]] == [
        judged.coverage(level)[0] for level in (0.5, 0.9, 0.95)
    ]
    means = section("learning", REALS)["measures"]["rmse"]["mean"]
    assert means == GROWING.mean("rmse").tolist()
    json.loads(REALS.to_json())


def test_every_form_tells_of_values():
    text, page, plain = str(REALS), REALS.to_html(), REALS.to_markdown()
    for form in (text, page, plain):
        assert "How well it predicts" in form
        assert "How many values lie inside their intervals" in form
        assert "continuous ranked probability score" in " ".join(form.split())
        assert f"{GROWING.mean('rmse')[0, 1]:.4g}" in form  # small as they are, errors have digits
    assert "Y was predicted in 120 cases from all other cells" in " ".join(text.split())


def test_the_bars_hold_every_tenth():
    page = REALS.to_html()
    square = page[page.index('class="curve square"') :]
    square = square[: square.index("</svg>")]
    heights = [float(each) for each in re.findall(r'<rect [^>]*height="([\d.]+)"', square)]
    assert VALUES.evaluation is not None
    shares = np.array([each.observed for each in VALUES.evaluation.calibration()])
    np.testing.assert_allclose(np.array(heights) / sum(heights), shares, atol=0.002)


def test_values_without_spread_leave_a_report_that_says_so():
    same = tc.Dataset({"X": tc.Continuous("X")}, {"X": np.array([1.0, 1.0, 1.0])})
    told = tc.evaluate(REALS_NETWORK, same, "X")
    assert np.isnan(told.r_squared)
    assert "R² of not finite" in " ".join(str(tc.report(FIT, evaluation=told)).split())


REALS_NETWORK = tc.fit("X -> Y", LINE).network
