"""What was read and how goes with the cases, and is lost when other cases are made of them."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from tacit.core.reading import Reading


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("a;b;n\nx;1.5;2\ny;NA;3\nx;2.5;1\n")
    lines = ["trial,time,s", "t,0,1.0", "t,1,2.0", "u,0,1.5"]
    Path("trials.csv").write_text("\n".join(lines) + "\n")


def test_only_what_was_said_of_reading_is_kept() -> None:
    assert tc.read_cases("a.csv").reading == Reading("a.csv")
    data = tc.read_cases(
        Path("a.csv"), missing=["NA", -9], weights="n", discrete="a", delimiter=";",
        order={"a": ["y", "x"]}, columns=("a", "b"), threads=1,
    )  # fmt: skip
    assert data.reading == Reading(
        "a.csv",
        {
            "missing": ["NA", "-9"], "weights": "n", "discrete": ["a"], "delimiter": ";",
            "order": {"a": ["y", "x"]}, "columns": ["a", "b"],
        },
    )  # fmt: skip
    assert tc.read_cases("a.csv", like=data, partial=True, missing="NA").reading == Reading(
        "a.csv", {"like": True, "partial": True, "missing": ["NA"]}
    )


def test_reading_with_what_was_kept_brings_the_same_cases() -> None:
    data = tc.read_cases("a.csv", missing="NA", weights="n", columns=["b", "a"])
    assert data.reading is not None
    again = tc.read_cases(data.reading.source, **data.reading.options)
    assert again.fingerprint() == data.fingerprint()


@pytest.mark.parametrize(
    "made",
    [
        lambda data: data.take(np.array([0, 2])),
        lambda data: data.with_weights(None),
        lambda data: tc.read_cases(data, weights=[1.0, 2.0, 3.0]),
        lambda data: tc.discretise(data, "b", 2),
        tc.missing_as_state,
        lambda data: tc.read_cases(tc.to_frame(data)),
    ],
)
def test_cases_that_were_made_of_others_are_not_what_was_read(made) -> None:
    data = tc.read_cases("a.csv", missing="NA", weights="n")
    assert data.reading is not None
    assert made(data).reading is None


def test_chosen_columns_and_states_of_others_are_read_again_so() -> None:
    data = tc.read_cases("a.csv", missing="NA", order={"a": ["y", "x"]})
    assert data.select(["a"]).reading == Reading(
        "a.csv", {"missing": ["NA"], "order": {"a": ["y", "x"]}, "columns": ["a"]}
    )
    like = {"a": tc.Discrete("a", ("x", "y", "z"))}
    bound = tc.read_cases(data, like=like)
    assert bound.reading == Reading("a.csv", {"missing": ["NA"], "like": True})
    for same in (copy.deepcopy(data), pickle.loads(pickle.dumps(data))):
        assert same.reading == data.reading


def test_a_learner_keeps_how_the_cases_were_read_and_not_what_it_made_of_them() -> None:
    data = tc.read_cases("a.csv", missing="NA", weights="n")
    assert tc.fit("a -> b", data).cases.reading == data.reading
    assert tc.fit("a", "a.csv").cases.reading == Reading("a.csv", {"columns": ["a"]})
    assert tc.fit("a", {"a": ["x", "y"]}).cases.reading is None
    assert tc.structural_em(data, leave_out=["b"]).cases.reading == data.reading


def test_trials_know_how_they_were_read() -> None:
    trials = tc.read_trials("trials.csv", series="s", missing="NA")
    kept = Reading("trials.csv", {"series": ["s"], "missing": ["NA"]})
    assert trials.reading == kept
    assert pickle.loads(pickle.dumps(trials)).reading == kept
    assert trials.take(["t"]).reading is None
    assert tc.read_trials(np.zeros((2, 3, 1))).reading is None


def test_a_reading_is_plain_data_and_back() -> None:
    reading = Reading("a.csv", {"missing": ["NA"], "order": {"a": ["y", "x"]}})
    assert Reading.from_plain(reading.to_plain()) == reading
    assert Reading.kept_in({"source": "a.csv"}) == Reading("a.csv", whole=False)
    assert Reading.kept_in({"source": "a frame", "reading": None}) is None
