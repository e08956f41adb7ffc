"""What a command has to say: lines for people, plain data for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from tacit.cli.wording import in_words


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a command, printed once everything else is done.

    text   for people
    plain  for programs: the one object that `--json` prints
    brief  what is left of the text under `--quiet`; empty where the result is a file
    status  0, or 1 where the user asked to be told of a finding in this way
    """

    text: str
    plain: Mapping[str, Any]
    brief: str = ""
    json: bool = field(default=False, kw_only=True)
    quiet: bool = field(default=False, kw_only=True)
    status: int = field(default=0, kw_only=True)

    def show(self) -> None:
        """Print what was asked for, and nothing else, on standard output."""
        shown = "\n".join(map(_worded, (self.brief if self.quiet else self.text).split("\n")))
        if self.json:
            plain = dict(self.plain)
            if "notes" in plain:
                plain["notes"] = [in_words(str(note)) for note in plain["notes"]]
            shown = json.dumps(_strict(plain), ensure_ascii=False, allow_nan=False, indent=2)
        if shown:
            sys.stdout.write(shown + "\n")
        sys.stdout.flush()


def _worded(line: str) -> str:
    """A line; one that is a note advises in the words of the command line."""
    return in_words(line) if line.startswith("note: ") else line


def noted(notes: Sequence[str]) -> list[str]:
    """Notes as lines."""
    return [f"note: {note}" for note in notes]


def _strict(value: Any) -> Any:
    """The value as every JSON reader takes it: what is not finite becomes null."""
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _strict(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(each) for each in value]
    return value
