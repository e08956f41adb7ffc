"""Fits as files: what comes back, and what is no saved fit."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tacit as tc

DAG = "Smoker -> Cancer"
CASES = {"Smoker": ["yes", "no", "no", "yes"], "Cancer": ["yes", "no", "no", "no"]}


def test_an_exact_fit_survives_saving(tmp_path):
    x = np.random.default_rng(1).normal(size=30)
    fit = tc.fit("X -> Double", {"X": x, "Double": 2 * x})
    fit.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.network == fit.network
    assert again.log_likelihood == fit.log_likelihood == np.inf


def test_a_saved_fit_is_strict_json_whatever_its_numbers(tmp_path):
    x = np.random.default_rng(1).normal(size=30)
    tc.fit("X -> Double", {"X": x, "Double": 2 * x}).save(tmp_path / "fit.json")

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
