"""Whatever the documentation shows is run, and prints what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from pages import examples, run_page

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning"
)  # of pgmpy, pyAgrum
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_does_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page)


def test_pages_with_examples_are_found() -> None:
    told = {page.name for page in PAGES if examples(page)}
    assert {"README.md", "tutorial.md", "cli.md"} <= told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```python\nprint(1)\n```\n```text\n2\n```\n", "page.md:2 prints"),
        ("```python\n\n1 / 0\n```\n", "division by zero"),
        ("```console\n$ tacit nothing\n```\n", "status 2"),
        ("```console\n$ tacit nothing\n$ echo $?\n0\n```\n", "page.md:3 prints"),
    ],
)
def test_a_page_that_lies_fails(tmp_path: Path, text: str, message: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises((AssertionError, ZeroDivisionError), match=message):
        run_page(page)
