"""Whole messages about reports that cannot be written."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc


@pytest.fixture(scope="module")
def report():
    data = tc.Dataset({"A": tc.Discrete("A", ("no", "yes"))}, {"A": np.array([0, 1])})
    return tc.report(tc.fit("A", data))


@pytest.mark.parametrize("name", ["report.pdf", "report", "report.html.zip"])
def test_an_unknown_suffix_lists_the_known_ones(report, tmp_path, name):
    with pytest.raises(tc.OptionError) as caught:
        report.save(tmp_path / name)
    assert str(caught.value) == (
        f"a report cannot be written as {name!r}"
        "\n\nthe suffix says the form: .html, .md, .txt, .json, each also with .gz"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(report, tmp_path):
    target = tmp_path / "nowhere" / "r.html"
    with pytest.raises(tc.FormatError) as caught:
        report.save(target)
    assert str(caught.value) == f"{target}: cannot be written: No such file or directory"


def test_what_cannot_be_written_leaves_the_old_file(report, tmp_path, monkeypatch):
    target = tmp_path / "r.html"
    target.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(tc.FormatError, match="No space left on device"):
        report.save(target)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_a_report_is_about_a_fit():
    with pytest.raises(tc.OptionError) as caught:
        tc.report(tc.textbook("asia"))
    assert str(caught.value) == "a report is about what tc.fit returns, not a Network"
