"""Makes the archive: files of every kind that version 0.1 saves, with the numbers they hold.

    PYTHONPATH=tests python tests/archive/make.py

It is kept for the record. Files that are there are never made again: a later version reads them,
and adds a folder of its own if it saves something new.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import textwrap
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import made_cases
import saving

import archived
import archived_runs
import tacit as tc
from tacit.learn import diaries

VERSION = "0.1."
MAKERS = ("made_networks", "made_fits", "made_lines", "made_searches")
"""In their order: some read what others made."""
README = Path(__file__).parent / "README.md"
MARK = "## Files\n"
LONG = 300
"""Characters of a call beyond which its function is named instead."""
BEGUN = ("checkpoint-em-begun.ckpt", "checkpoint-search-begun.ckpt")
"""Runs that are killed before anything but their task is kept."""
CUTS = {
    "checkpoint-em-done.ckpt.gz": 2.0,
    "checkpoint-mean-field.ckpt.gz": 0.8,
    "checkpoint-structural-em.ckpt.gz": 0.8,
}
"""After which share of its progress a run is interrupted, where that is not the half."""


class KilledError(Exception):
    """What nobody hears, as nobody hears of a kill."""


def main() -> None:
    """All files, their numbers, and the list of them."""
    if not tc.__version__.startswith(VERSION) or archived.FOLDER.exists():
        raise SystemExit("the archive is made once, by version 0.1, and is there already")
    archived.FOLDER.mkdir()
    os.chdir(archived.FOLDER)
    made_cases.write_cases()
    for each in MAKERS:
        import_module(each)
    saving.write_files()
    told = {file: archived.numbers(file) for file in (*made_cases.CASES, *saving.FILES)}
    told |= {file: broken_off(file, run) for file, run in archived_runs.RUNS.items()}
    kept = {
        file: {"digest": archived.digest_of(file), "gives": each} for file, each in told.items()
    }
    lines = (
        f"{json.dumps(file)}: {json.dumps(each, allow_nan=False)}" for file, each in kept.items()
    )
    archived.EXPECTED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    head = README.read_text().split(MARK)[0]
    README.write_text(head + MARK + "\n" + "\n".join(listed()) + "\n")


def broken_off(file: str, run: archived_runs.Run) -> dict[str, Any]:
    """Breaks a run off, which leaves its checkpoint; what the whole run ends in."""
    heard: list[Any] = []
    whole = archived_runs.ends(run(progress=lambda done, total: heard.append(done)))
    last = max(1, int(len(heard) * CUTS.get(file, 0.5)))
    how: type[BaseException] = KeyboardInterrupt
    diaries.EVERY = 0.0  # every step is kept, as if much time had passed since the last
    if file in BEGUN:
        diaries.EVERY, last, how = 1e9, 1, KilledError
    with suppress(KeyboardInterrupt, KilledError):
        run(checkpoint=file, progress=saving.interrupted_at(last, how))
    left = Path(file).read_bytes()
    again = archived_runs.ends(run(checkpoint=file, resume=True))
    assert archived_runs.close(again, whole), (file, again, whole)
    Path(file).write_bytes(left)
    ends: dict[str, Any] = archived.plain(whole)
    return ends


def listed() -> Iterator[str]:
    """A table of all files: what each is, and the call that made it."""
    yield "| file | what it holds | the call that made it |"
    yield "| --- | --- | --- |"
    every: dict[str, Callable[..., Any]] = {**made_cases.CASES, **saving.FILES}
    files: dict[Callable[..., Any], list[str]] = {}
    for file, make in {**every, **archived_runs.RUNS}.items():
        files.setdefault(make, []).append(f"`{file}`")
    for make, those in files.items():
        what = " ".join((make.__doc__ or "").split())
        yield f"| {', '.join(those)} | {what} | {_call(make)} |"


def _call(make: Callable[..., Any]) -> str:
    """The call as it stands in the source, or where it stands if it is long."""
    if make in made_cases.CASES.values():
        return f"`tc.write_cases({make.__name__}(), ...)`"
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(make))).body
    assert isinstance(function, ast.FunctionDef)
    last = function.body[-1]
    assert isinstance(last, ast.Return)
    text = " ".join(ast.unparse(last).removeprefix("return ").split())
    if len(text) > LONG or not text.startswith(("tc.", "told", "0.5", "_")):
        text = f"{make.__name__}()"
    return f"`{text}`".replace("|", "\\|")


if __name__ == "__main__":
    main()
