"""The documentation builds without a warning and knows every public name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tacit as tc
import tacit.sklearn
from tacit.cli.main import execute

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def test_the_documentation_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html"]
    folders = ["-d", str(tmp_path / "doctrees"), str(DOCS), str(tmp_path / "html")]
    done = subprocess.run([*command, *folders], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    pages = list((tmp_path / "html").rglob("*.html"))
    assert len(pages) > 8
    for page in pages:
        loaded = re.findall(
            r'(?:src|href)="(?:https?:)?//[^"]+\.(?:js|css|woff2?)', page.read_text()
        )
        assert not loaded, f"{page.name} loads {loaded} from the network"


def test_the_reference_names_everything_public() -> None:
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    told = set(re.findall(r"auto\w+:: tacit\.(\w+)$", text, re.MULTILINE))
    assert told == set(tc.__all__) - {"__version__"}
    estimators = set(re.findall(r"auto\w+:: tacit\.sklearn\.(\w+)$", text, re.MULTILINE))
    assert estimators == set(tacit.sklearn.__all__)


@pytest.mark.parametrize(
    "command",
    [
        "evaluate",
        "text",
        "fit",
        "search",
        "check",
        "processes",
        "query",
        "predict",
        "score",
        "sample",
        "convert",
        "show",
        "report",
        "demo",
        "reproduce",
    ],
)
def test_the_command_line_page_names_every_option(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    execute([command, "--help"])
    for option in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", capsys.readouterr().out):
        assert re.search(rf"`(?:{command} )?{option}\b", page) or option in ("-h", "-q"), option


def test_every_page_is_in_the_table_of_contents() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    listed = set(re.search(r"```\{toctree\}\n(.*?)```", index, re.DOTALL)[1].split())
    assert {page.stem for page in DOCS.glob("*.md")} - {"index"} <= listed
