"""Files that keep long work as it goes on, so that it can be taken up again after a break."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit.core.errors import FormatError, OptionError
from tacit.io.files import read_text, write_whole

EVERY = 5.0
"""Seconds between two writings of a checkpoint."""


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of checkpoint.

    mark   names the kind in the file
    title  what it is called in messages
    work   what it belongs to, in messages
    body   the key under which the work itself stands
    empty  whether the body may be null: nothing was done yet
    """

    mark: str
    title: str
    work: str
    body: str
    empty: bool = False
    version: int = 1

    def opened(self, path: Path) -> dict[str, Any]:
        """The plain data of a file of this kind; an error that says what is wrong with it."""
        try:
            plain = json.loads(read_text(path))
        except (json.JSONDecodeError, RecursionError):
            plain = None
        if not isinstance(plain, dict) or plain.get("format") != self.mark:
            raise FormatError(
                f"{path}: this is no {self.title}, or it was cut short; start without it"
            )
        if plain.get("version") != self.version:
            raise FormatError(
                f"{path}: version {plain.get('version')!r} of checkpoints is not known here; "
                f"this release reads version {self.version}"
            )
        body = plain.get(self.body)
        if not isinstance(plain.get("task"), dict) or not (
            isinstance(body, dict) or (self.empty and body is None and self.body in plain)
        ):
            raise damaged(path)
        return plain

    def resumed(self, path: Path, task: Mapping[str, Any]) -> Any:
        """The body of a file that belongs to this very task."""
        plain = self.opened(path)
        kept = plain["task"]
        if kept != task:
            apart = sorted(key for key in {*kept, *task} if kept.get(key) != task.get(key))
            raise OptionError(
                f"{path}: the checkpoint belongs to another {self.work}; these differ: "
                f"{', '.join(apart)}\n\nresume with the same cases, structure and settings, or "
                "choose another file"
            )
        return plain[self.body]

    def seed(self, path: str | Path) -> int | None:
        """The seed of the work that a checkpoint keeps, if there is one."""
        if not Path(path).exists():
            return None
        seed = self.opened(Path(path))["task"].get("seed")
        return seed if type(seed) is int and seed >= 0 else None


def damaged(path: str | Path) -> FormatError:
    """The error about a file whose content makes no sense."""
    return FormatError(f"{path}: the checkpoint is damaged; start without it")


@dataclass(slots=True, eq=False)
class Diary:
    """A checkpoint that is being written.

    task   plain data that names the problem: cases, structure, settings, seed
    every  seconds between two writings
    """

    path: Path
    form: Form
    task: Mapping[str, Any]
    every: float = field(default_factory=lambda: EVERY)
    _written: float = field(default_factory=time.monotonic)

    @property
    def due(self) -> bool:
        """Whether it is time to write again."""
        return time.monotonic() - self._written >= self.every

    def write(self, body: Any) -> None:
        """Put everything on disk, whole or not at all."""
        form = self.form
        plain = {"format": form.mark, "version": form.version, "task": dict(self.task)}
        write_whole(self.path, json.dumps({**plain, form.body: body}))
        self._written = time.monotonic()
