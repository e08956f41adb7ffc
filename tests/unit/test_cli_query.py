"""`tacit query` and `tacit sample --given`: what the library answers, as a program or a person
reads it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from commands import run, run_json

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def asia(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tc.Network:
    monkeypatch.chdir(tmp_path)
    network = tc.textbook("asia")
    tc.write(network, "asia.bif")
    return tc.read("asia.bif")


def test_a_query_prints_the_table_of_the_library(asia: tc.Network, capsys: Capture) -> None:
    text = "P(lung, bronc | dysp=yes, xray=yes)"
    assert run(capsys, "query", "asia.bif", text) == f"{tc.query(asia, text)}\n"


def test_one_probability_is_one_line_and_one_number(asia: tc.Network, capsys: Capture) -> None:
    text = "P(lung=yes | xray=yes)"
    value = float(tc.query(asia, text))
    assert run(capsys, "query", "asia.bif", text) == f"{text} = {value:.4f}\n"
    assert float(run(capsys, "query", "asia.bif", text, "--quiet")) == value
    found = run_json(capsys, "query", "asia.bif", text)
    assert (found["probabilities"], found["variables"]) == (value, [])


def test_json_holds_the_joint_with_its_axes(asia: tc.Network, capsys: Capture) -> None:
    found = run_json(capsys, "query", "asia.bif", "P(lung, tub | dysp=yes)")
    assert [axis["name"] for axis in found["variables"]] == ["lung", "tub"]
    assert found["variables"][0]["states"] == ["yes", "no"]
    assert_allclose(found["probabilities"], tc.query(asia, "P(lung, tub | dysp=yes)").values)
    assert (found["method"], found["errors"], found["seed"]) == ("exact", None, None)


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["dysp=yes"], {"dysp": "yes"}),
        (["dysp=yes, asia=no"], {"dysp": "yes", "asia": "no"}),
        (["dysp=yes", "asia=no"], {"dysp": "yes", "asia": "no"}),
        (["dysp=not yes"], {"dysp": "no"}),
        (["dysp={yes, no}"], {}),
        (["dysp={yes: 0.6, no: 0.1}"], {"dysp": {"yes": 6, "no": 1}}),
        (['"dysp"="yes"'], {"dysp": "yes"}),
    ],
)
def test_findings_of_every_form_may_stand_in_options(
    asia: tc.Network, capsys: Capture, words: list[str], given: dict[str, object]
) -> None:
    options = [part for word in words for part in ("--given", word)]
    found = run_json(capsys, "query", "asia.bif", "P(lung | smoke=yes)", *options)
    expected = tc.query(asia, "P(lung | smoke=yes)", given=given).values
    assert_allclose(found["probabilities"], expected, rtol=1e-12)


def test_weighting_says_its_error_and_repeats_by_its_seed(
    asia: tc.Network, capsys: Capture
) -> None:
    words = ["query", "asia.bif", "P(lung | dysp=yes)", "--method", "weighting:2000"]
    found = run_json(capsys, *words)
    again = run_json(capsys, *words, "--seed", str(found["seed"]))
    assert again["probabilities"] == found["probabilities"]
    exact = tc.query(asia, "P(lung | dysp=yes)").values
    assert (np.abs(np.array(found["probabilities"]) - exact) < 6 * np.array(found["errors"])).all()
    assert "note: seed " in run(capsys, *words)
    assert "±" in run(capsys, *words)


def test_the_most_probable_states_of_all_or_some(asia: tc.Network, capsys: Capture) -> None:
    found = run_json(capsys, "query", "asia.bif", "--most-probable", "--given", "dysp=yes")
    best = tc.most_probable(asia, given={"dysp": "yes"})
    assert found["states"] == dict(best.states)
    assert found["probability"] == pytest.approx(best.probability)
    some = tc.most_probable(asia, of=["lung", "bronc"], given={"dysp": "yes", "smoke": "no"})
    words = ["P(lung, bronc | dysp=yes)", "--given", "smoke=no", "--most-probable"]
    assert run_json(capsys, "query", "asia.bif", *words)["states"] == dict(some.states)
    assert run(capsys, "query", "asia.bif", *words) == f"{some}\n"
    one = run_json(capsys, "query", "asia.bif", "lung", "--most-probable")
    assert one["states"] == {"lung": "no"}


def test_samples_given_findings_are_those_of_the_library(asia: tc.Network, capsys: Capture) -> None:
    words = ["-n", "40", "--seed", "2", "--given", "dysp=yes, xray=yes", "-o", "ill.csv"]
    assert run_json(capsys, "sample", "asia.bif", *words)["cases"] == 40
    drawn = tc.sample(asia, 40, given={"dysp": "yes", "xray": "yes"}, seed=2)
    back = tc.read_cases("ill.csv", like=asia)
    for name in drawn.names:
        np.testing.assert_array_equal(back[name], drawn[name])
