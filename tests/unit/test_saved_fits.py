"""Fits as files: what comes back, and what is no saved fit."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf

import numpy as np
import pytest

import tacit as tc
from tacit.estimate.ruled.status import RuleStatus

DAG = "Smoker -> Cancer"
CASES = {"Smoker": ["yes", "no", "no", "yes"], "Cancer": ["yes", "no", "no", "no"]}


def test_an_exact_fit_survives_saving(tmp_path):
    x = np.random.default_rng(1).normal(size=30)
    fit = tc.fit("X -> Double", {"X": x, "Double": 2 * x}, estimate=tc.ML())
    fit.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.network == fit.network
    assert again.log_likelihood == fit.log_likelihood == np.inf


def test_a_saved_fit_is_strict_json_whatever_its_numbers(tmp_path):
    x = np.random.default_rng(1).normal(size=30)
    fit = tc.fit("X -> Double", {"X": x, "Double": 2 * x}, estimate=tc.ML())
    fit.save(tmp_path / "fit.json")

    def refuse(word):
        raise AssertionError(word)

    text = (tmp_path / "fit.json").read_text()
    assert json.loads(text, parse_constant=refuse)["log_likelihood"] == "inf"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is no saved fit, or it was cut short"),
        ("{", "this is no saved fit, or it was cut short"),
        ("[]", "this is no saved fit; `tacit fit --save-fit` writes one"),
        ('{"format": "tacit-network"}', "this is no saved fit; `tacit fit --save-fit` writes one"),
        (
            '{"format": "tacit-fit", "version": 99}',
            "version 99 of saved fits is not known here; this release reads version 1",
        ),
    ],
)
def test_files_that_are_no_fits(tmp_path, text, message):
    path = tmp_path / "fit.json"
    path.write_text(text)
    with pytest.raises(tc.FormatError) as caught:
        tc.load_fit(path)
    assert str(caught.value) == f"{path}: {message}"


def damage(plain, keys, value):
    target = plain
    for key in keys[:-1]:
        target = target[key]
    if value is None:
        del target[keys[-1]]
    else:
        target[keys[-1]] = value
    return plain


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (["network"], None), (["network"], 3), (["evidence"], None), (["evidence"], []),
        (["pseudo"], 5), (["pseudo", "Cancer"], "x"), (["stop"], "BORED"), (["trace"], "abc"),
        (["cases"], {"many": 3}), (["objective"], "high"), (["settings"], 7), (["notes"], 4),
        (["evidence", "Cancer"], {"statistics": "guesses"}), (["evidence", "Cancer"], None),
        (["pseudo", "Cancer"], [[1, 2, 3]]), (["cases", "cases"], "six"),
    ],
)  # fmt: skip
def test_a_damaged_fit_is_refused_in_words(tmp_path, keys, value):
    path = tmp_path / "fit.json"
    tc.fit(DAG, CASES).save(path)
    path.write_text(json.dumps(damage(json.loads(path.read_text()), keys, value)))
    with pytest.raises(tc.FormatError) as caught:
        tc.load_fit(path)
    assert str(caught.value).startswith(f"{path}: ")


RULES = (
    RuleStatus(
        'P(Cancer=yes) <= 0.3 by "Dr. Lee"', 0.3, 0.3, 1, 0.8, 4.25, "Theorem 5.2.1", by="Dr. Lee",
        confidence=0.9, source="expert.know", line=7, instances=2, freedom=1, chance=0.004,
        at_least=True,
    ),
    RuleStatus("Cancer increases with Smoker", 0.2, 0.0, 0, None, None, "pooling"),
    RuleStatus("P(Cancer=yes | Smoker=*) = 0", 0.0, 0.0, 2, None, inf, "given shares", chance=0.0),
)  # fmt: skip


def with_rules(path):
    replace(tc.fit(DAG, CASES), rules=RULES).save(path)
    return json.loads(path.read_text())


def test_rules_survive_saving(tmp_path):
    path = tmp_path / "fit.json"
    with_rules(path)
    assert tc.load_fit(path).rules == RULES
    assert str(tc.report(tc.load_fit(path))) == str(
        tc.report(replace(tc.fit(DAG, CASES), rules=RULES))
    )


def test_a_fit_saved_before_there_were_rules_has_none(tmp_path):
    path = tmp_path / "fit.json"
    plain = with_rules(path)
    del plain["rules"]
    path.write_text(json.dumps(plain))
    assert tc.load_fit(path).rules == ()


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["text"], None, "its 'text' is missing"),
        (["text"], 7, "its 'text' is no text"),
        (["by"], ["Dr. Lee"], "its 'by' is no text"),
        (["value"], "high", "its 'value' is no number"),
        (["limit"], True, "its 'limit' is no number"),
        (["price"], [], "its 'price' is no number"),
        (["cost"], {}, "its 'cost' is no number"),
        (["binding"], 1.5, "its 'binding' is no whole number"),
        (["freedom"], True, "its 'freedom' is no whole number"),
        (["line"], "7", "its 'line' is no whole number"),
        (["at_least"], 1, "its 'at_least' is no truth value"),
    ],
)
def test_a_damaged_rule_is_refused_with_its_number_and_the_part(tmp_path, keys, value, message):
    path = tmp_path / "fit.json"
    plain = damage(with_rules(path), ["rules", 1, *keys], value)
    path.write_text(json.dumps(plain))
    with pytest.raises(tc.FormatError) as caught:
        tc.load_fit(path)
    assert str(caught.value) == f"{path}: rule 2 of the saved fit is damaged: {message}"


@pytest.mark.parametrize("value", [None, "abc", 5, {"a": 1}])
def test_rules_that_are_no_list_are_refused(tmp_path, value):
    path = tmp_path / "fit.json"
    plain = with_rules(path)
    plain["rules"] = value
    path.write_text(json.dumps(plain))
    with pytest.raises(tc.FormatError) as caught:
        tc.load_fit(path)
    assert str(caught.value) == f"{path}: the saved fit is damaged: its 'rules' are no list"


@pytest.mark.parametrize("value", [["x"], [None], "abc", 5, {"a": 1}])
def test_rules_that_are_none_are_refused(tmp_path, value):
    path = tmp_path / "fit.json"
    path.write_text(json.dumps(damage(with_rules(path), ["rules"], value)))
    with pytest.raises(tc.FormatError) as caught:
        tc.load_fit(path)
    assert str(caught.value).startswith(f"{path}: ")
