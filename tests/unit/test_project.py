"""Promises of the project as a whole: quick to start, small files, documented names."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import stubs
import tacit as tc

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numba", "scipy", "matplotlib", "duckdb", "pandas", "polars", "pyarrow")
SOURCES = sorted((ROOT / "src").rglob("*.py"))
TEXTS = [
    path
    for folder in ("src", "tests", "docs", "benchmarks", ".ci")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".pyi", ".md", ".toml", ".html", ".css", ""} and path.is_file()
    if not {"_build", "__pycache__"} & set(path.parts)
] + [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile")]


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def _help_loads(command: str) -> str:
    return _python(
        "import sys, contextlib, io\n"
        "from tacit.cli.main import execute\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        f"    assert execute({command.split()!r}) == 0\n"
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])"
    ).strip()


@pytest.mark.parametrize("command", ["--help", "--version", "fit --help", "demo --help"])
def test_help_loads_nothing_heavy(command: str) -> None:
    assert _help_loads(command) == ""


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = (*HEAVY, "numpy", "typer")
    code = f"import sys, tacit; print(*[name for name in {heavy!r} if name in sys.modules])"
    assert _python(code).strip() == ""


def test_parsing_a_dag_loads_no_kernels() -> None:
    code = (
        "import sys, tacit; tacit.Dag.parse('A -> B'); "
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    assert _python(code).strip() == ""


def test_help_answers_at_once() -> None:
    seconds = []
    for _ in range(6):
        before = os.times()
        subprocess.run(
            [sys.executable, "-m", "tacit", "--help"], stdout=subprocess.DEVNULL, check=True
        )
        after = os.times()
        seconds.append(after[2] + after[3] - before[2] - before[3])  # of the process alone
    assert min(seconds) < 0.3


@pytest.mark.parametrize("name", tc.__all__)
def test_a_public_name_loads_and_is_documented(name: str) -> None:
    value = getattr(tc, name)
    if name != "__version__":
        assert inspect.getdoc(value)
        assert not inspect.ismodule(value)


def test_public_names_are_listed_and_others_are_refused() -> None:
    assert dir(tc) == sorted(tc.__all__)
    assert len(set(tc.__all__)) == len(tc.__all__)
    with pytest.raises(AttributeError, match="module 'tacit' has no attribute 'fti'"):
        _ = tc.fti


def test_the_stub_agrees_with_the_table_of_public_names() -> None:
    assert stubs.STUB.read_text(encoding="utf-8") == stubs.stub(), "run python tests/stubs.py"


def test_no_package_shares_its_name_with_a_public_function() -> None:
    packages = {path.parent.name for path in (ROOT / "src" / "tacit").glob("*/__init__.py")}
    assert not packages & set(tc.__all__)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_a_source_file_is_short_and_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 600
    assert text.startswith('"""')


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_every_module_imports(path: Path) -> None:
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    if parts[-1] != "__main__":
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        assert importlib.import_module(name)


def test_no_text_names_a_machine() -> None:
    private = re.compile("/(?:" + "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me"]) + r")/\w")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in TEXTS
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if private.search(line)
    ]
    assert not found


def test_nothing_is_left_for_later() -> None:
    left = re.compile("|".join(["TO" + "DO", "FIX" + "ME", "raise NotImplemented"]))
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if left.search(line)
    ]
    assert not found
