"""Commands run inside the test: what they print, and the one object of --json."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tacit.cli.main import execute


def run(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    """The standard output of a command that says nothing on standard error."""
    left = execute(words)
    out, err = capsys.readouterr()
    assert (left, err) == (status, "")
    return out


def run_json(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> dict[str, Any]:
    """The one object that a command prints under --json."""
    out = run(capsys, *words, "--json", status=status)
    found = json.loads(out, parse_constant=pytest.fail)
    assert isinstance(found, dict)
    assert found["command"] == words[0]
    return found
