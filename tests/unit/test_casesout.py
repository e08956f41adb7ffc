"""Cases written to files read back as they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.core.errors import FormatError

LABELS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=6)
NAMES = ["s.csv", "s.csv.gz", "s.tsv", "s.parquet"]


def _cases() -> tc.Dataset:
    network = tc.textbook("sprinkler")
    return tc.sample(network, 40, seed=2, missing=tc.AtRandom(0.3))


@pytest.mark.parametrize("name", NAMES)
def test_cases_read_back_with_their_gaps(tmp_path: Path, name: str) -> None:
    data = _cases()
    tc.write_cases(data, tmp_path / name)
    back = tc.read_cases(tmp_path / name, like=data)
    assert back.fingerprint() == data.fingerprint()


@pytest.mark.parametrize("name", NAMES)
def test_reals_keep_every_digit(tmp_path: Path, name: str) -> None:
    reals = np.array([0.1, 1 / 3, np.nan, -2.5e-300, 12345678.9, 1e22])
    data = tc.Dataset({"x": tc.Continuous("x")}, {"x": reals}, weights=np.arange(6.0))
    tc.write_cases(data, tmp_path / name, weights="w")
    back = tc.read_cases(tmp_path / name, weights="w", continuous="x")
    np.testing.assert_array_equal(back["x"], reals)
    np.testing.assert_array_equal(back.weights, np.arange(6.0))


@given(st.lists(LABELS, min_size=2, max_size=5, unique=True))
def test_labels_of_any_letters_read_back(
    tmp_path_factory: pytest.TempPathFactory, states: list[str]
) -> None:
    variables = {"a": tc.Discrete("a", tuple(states)), "b": tc.Discrete("b", ("x", "y"))}
    codes = np.arange(len(states))
    data = tc.Dataset(variables, {"a": codes, "b": codes % 2 - codes % 3 // 2})
    folder = tmp_path_factory.mktemp("labels")
    for name in ("s.csv", "s.tsv", "s.parquet"):
        tc.write_cases(data, folder / name)
        assert tc.read_cases(folder / name, like=data).fingerprint() == data.fingerprint()


def test_weights_need_a_column_of_their_own(tmp_path: Path) -> None:
    data = _cases()
    data = data.with_weights(np.ones(len(data)))
    for weights in (None, data.names[0]):
        with pytest.raises(FormatError, match="a column of its own must hold them"):
            tc.write_cases(data, tmp_path / "s.csv", weights=weights)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["s.xlsx", "s", "s.parquet.gz"])
def test_other_suffixes_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(FormatError) as caught:
        tc.write_cases(_cases(), tmp_path / name)
    assert str(caught.value) == (
        f"cases cannot be written as {name!r}\n\n"
        "the suffix says the form: .csv, .tsv, .parquet; .csv and .tsv also with .gz"
    )
    assert not list(tmp_path.iterdir())


def test_columns_are_written_as_the_cases_they_are(tmp_path: Path) -> None:
    columns = {"a": ["x", None, "y"], "b": [0.5, 1.5, 2.5]}
    tc.write_cases(columns, tmp_path / "s.csv")
    assert (tmp_path / "s.csv").read_text() == "a,b\nx,0.5\n,1.5\ny,2.5\n"
