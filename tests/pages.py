"""Pages of the documentation as examples: what they run and what they say it prints.

A page is executed from top to bottom, in one namespace and one folder. A `python` block is run; a
`text` block right behind it is what it must have printed. In a `console` block each `$ tacit ...`
is run, the lines below it are what it must print on either stream, and `$ echo $?` shows its
status, which is 0 unless it says otherwise. `...` stands for anything; spaces run together.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Example:
    """Something to run, what it must print (None: anything), and the line where it stands."""

    kind: str
    code: str
    expected: str | None
    line: int


def examples(page: Path) -> list[Example]:
    """All that a page runs, in order."""
    text = page.read_text(encoding="utf-8")
    found: list[Example] = []
    previous_end = -1
    for match in FENCE.finditer(text):
        language, body = match[1], match[2]
        line = text.count("\n", 0, match.start()) + 2
        if language == "python":
            found.append(Example("python", body, None, line))
        elif language == "console":
            found += _commands(body, line)
        elif language == "text" and previous_end >= 0:
            last, between = found[-1], text[previous_end : match.start()].strip()
            if last.kind == "python" and not between:
                found[-1] = Example(last.kind, last.code, body, last.line)
        previous_end = match.end() if language in ("python", "console") else -1
    return found


def _commands(body: str, line: int) -> Iterator[Example]:
    command, output, at = None, [], line
    for number, text in enumerate([*body.splitlines(), "$ "], line):
        if command is not None and command.endswith("\\"):
            command = command[:-1] + text.removeprefix(">")
        elif text.startswith("$ "):
            if command is not None and command.startswith(("tacit ", "echo $?")):
                yield Example("console", command, "\n".join(output) + "\n" if output else None, at)
            command, output, at = text[2:], [], number
        else:
            output.append(text)


def run_page(page: Path) -> None:
    """Run every example of the page in the current folder; the first that lies fails."""
    names: dict[str, Any] = {"__name__": "__main__"}
    todo = examples(page)
    status = 0
    for at, example in enumerate(todo):
        place = f"{page.name}:{example.line}"
        following = todo[at + 1].code if at + 1 < len(todo) else ""
        if example.kind == "python":
            printed = _run_python(example, names, place)
        elif example.code == "echo $?":
            printed = f"{status}\n"
        else:
            printed, status = _run_command(example.code)
            shown = following == "echo $?"
            assert shown or status == 0, f"{place}: status {status}\n{printed}"
        if example.expected is not None:
            _compare(example, printed, place)


def _run_python(example: Example, names: dict[str, Any], place: str) -> str:
    code = compile("\n" * (example.line - 1) + example.code, place, "exec")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, names)
    return printed.getvalue()


def _run_command(command: str) -> tuple[str, int]:
    from tacit.cli.main import execute

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        status = execute(shlex.split(command)[1:])
    return out.getvalue(), status


def _compare(example: Example, printed: str, place: str) -> None:
    assert example.expected is not None
    expected = "\n".join(line for line in example.expected.splitlines() if line.strip()) + "\n"
    shown = "\n".join(line for line in printed.splitlines() if line.strip()) + "\n"
    same = doctest.OutputChecker().check_output(expected, shown, LENIENT)
    assert same, f"{place} prints{os.linesep}{printed}{os.linesep}not{os.linesep}{example.expected}"
