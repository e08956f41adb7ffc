"""Checkpoints: enough of a running EM on disk to go on as if nothing had happened."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import FormatError, OptionError
from tacit.io.files import read_text, write_whole

FORMAT = "tacit-checkpoint"
VERSION = 1


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """One run so far: its parameters (all else follows from them), its trace, why it ended."""

    theta: Floats
    before: Floats | None
    trace: tuple[float, ...]
    stop: str | None


@dataclass(slots=True, eq=False)
class Checkpoint:
    """The file, what it must agree with, and the runs it holds.

    task   plain data that names the problem: cases, structure, settings, seed
    every  seconds between two writings
    """

    path: Path
    task: Mapping[str, Any]
    runs: dict[int, Kept] = field(default_factory=dict)
    every: float = 5.0
    _written: float = field(default_factory=time.monotonic)
    _lock: Lock = field(default_factory=Lock)

    def of_run(self, number: int) -> Kept | None:
        """What is known of a run."""
        return self.runs.get(number)

    def keep(self, number: int, kept: Kept, now: bool = False) -> None:
        """Remember a run; write the file if it is time, whole or not at all."""
        with self._lock:
            self.runs[number] = kept
            if now or time.monotonic() - self._written >= self.every:
                write_whole(self.path, json.dumps(self._plain()))
                self._written = time.monotonic()

    def _plain(self) -> dict[str, Any]:
        runs = {
            str(number): {
                "theta": kept.theta.tolist(),
                "before": None if kept.before is None else kept.before.tolist(),
                "trace": list(kept.trace),
                "stop": kept.stop,
            }
            for number, kept in sorted(self.runs.items())
        }
        return {"format": FORMAT, "version": VERSION, "task": dict(self.task), "runs": runs}


def open_checkpoint(
    path: str | Path, task: Mapping[str, Any], resume: bool, size: int
) -> Checkpoint:
    """A fresh checkpoint, or with `resume` the one on disk, if it is of the same task."""
    if not resume or not Path(path).exists():
        return Checkpoint(Path(path), task)
    try:
        plain = json.loads(read_text(path))
        if plain["format"] != FORMAT or plain["version"] != VERSION:
            raise FormatError(f"{path}: this is no checkpoint that this release can read")
        runs = {int(number): _kept(each, size) for number, each in plain["runs"].items()}
        kept_task = plain["task"]
    except (KeyError, TypeError, ValueError, RecursionError) as problem:
        if isinstance(problem, FormatError):
            raise
        raise FormatError(f"{path}: the checkpoint is damaged; start without it") from None
    if kept_task != dict(task):
        apart = sorted(key for key in {*kept_task, *task} if kept_task.get(key) != task.get(key))
        raise OptionError(
            f"{path}: the checkpoint belongs to another fit; these differ: {', '.join(apart)}"
            "\n\nresume with the same cases, structure and settings, or choose another file"
        )
    return Checkpoint(Path(path), task, runs)


def _kept(plain: Mapping[str, Any], size: int) -> Kept:
    theta = np.array(plain["theta"], dtype=np.float64)
    before = None if plain["before"] is None else np.array(plain["before"], dtype=np.float64)
    if theta.shape != (size,) or (before is not None and before.shape != (size,)):
        raise FormatError("the checkpoint holds another number of parameters")
    return Kept(theta, before, tuple(map(float, plain["trace"])), plain["stop"])
