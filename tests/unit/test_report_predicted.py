"""The sections of a report on prediction."""

from __future__ import annotations

import json
import re

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


def section(kind):
    return next(each for each in REPORT.facts["sections"] if each["kind"] == kind)


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


def test_what_is_no_evaluation_is_refused():
    with pytest.raises(tc.OptionError) as caught:
        tc.report(FIT, evaluation=tc.cross_validate(ASIA.dag, CASES, seed=1))
    assert str(caught.value) == (
        "this cross-validation predicted no variable: name one with tc.cross_validate(..., "
        "target=...)"
    )
    with pytest.raises(tc.OptionError, match=r"evaluation is what tc\.evaluate or"):
        tc.report(FIT, evaluation=3)
    with pytest.raises(tc.OptionError, match=r"curve is what tc\.learning_curve returns"):
        tc.report(FIT, curve=3)
