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
from tacit.core.errors import FormatError, OptionError, TacitError
from tacit.io.files import read_text, write_whole
from tacit.learn.fits import Stop

FORMAT = "tacit-checkpoint"
VERSION = 1
EVERY = 5.0
"""Seconds between two writings of a checkpoint."""


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """One run so far: its parameters (all else follows from them), its trace, why it ended.

    more  plain data of a method that needs more than that to go on
    """

    theta: Floats
    before: Floats | None
    trace: tuple[float, ...]
    stop: str | None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Checkpoint:
    """The file, what it must agree with, and the runs it holds.

    task   plain data that names the problem: cases, structure, settings, seed
    every  seconds between two writings
    """

    path: Path
    task: Mapping[str, Any]
    runs: dict[int, Kept] = field(default_factory=dict)
    every: float = field(default_factory=lambda: EVERY)
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
                self.write()

    def write(self) -> None:
        """Put everything on disk, whole or not at all."""
        write_whole(self.path, json.dumps(self._plain()))
        self._written = time.monotonic()

    def _plain(self) -> dict[str, Any]:
        runs = {
            str(number): {
                "theta": kept.theta.tolist(),
                "before": None if kept.before is None else kept.before.tolist(),
                "trace": list(kept.trace),
                "stop": kept.stop,
                **({"more": dict(kept.more)} if kept.more else {}),
            }
            for number, kept in sorted(self.runs.items())
        }
        return {"format": FORMAT, "version": VERSION, "task": dict(self.task), "runs": runs}


def open_checkpoint(
    path: str | Path, task: Mapping[str, Any], resume: bool, size: int
) -> Checkpoint:
    """A fresh checkpoint, or with `resume` the one on disk, if it is of the same task.

    A fresh one is written at once: a file that cannot be written is an error before the work.
    """
    if not resume or not Path(path).exists():
        fresh = Checkpoint(Path(path), task)
        fresh.write()
        return fresh
    try:
        plain = _opened(path)
        check_same_task(path, dict(plain["task"]), dict(task))
        runs = {int(number): _kept(each, size) for number, each in plain["runs"].items()}
    except TacitError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError):
        raise FormatError(f"{path}: the checkpoint is damaged; start without it") from None
    return Checkpoint(Path(path), task, runs)


def kept_seed(path: str | Path) -> int | None:
    """The seed of the fit that a checkpoint keeps, if there is one."""
    if not Path(path).exists():
        return None
    task = _opened(path).get("task")
    seed = task.get("seed") if isinstance(task, dict) else None
    return seed if type(seed) is int and seed >= 0 else None


def _opened(path: str | Path) -> dict[str, Any]:
    try:
        plain = json.loads(read_text(path))
    except (json.JSONDecodeError, RecursionError):
        plain = None
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise FormatError(f"{path}: this is no checkpoint, or it was cut short; start without it")
    if plain.get("version") != VERSION:
        raise FormatError(
            f"{path}: version {plain.get('version')!r} of checkpoints is not known here; "
            f"this release reads version {VERSION}"
        )
    return plain


def check_same_task(
    path: str | Path, kept: Mapping[str, Any], task: Mapping[str, Any], what: str = "fit"
) -> None:
    """Nothing, or an error about a checkpoint of another piece of work."""
    if kept != task:
        apart = sorted(key for key in {*kept, *task} if kept.get(key) != task.get(key))
        raise OptionError(
            f"{path}: the checkpoint belongs to another {what}; these differ: {', '.join(apart)}"
            "\n\nresume with the same cases, structure and settings, or choose another file"
        )


def _kept(plain: Mapping[str, Any], size: int) -> Kept:
    theta = np.array(plain["theta"], dtype=np.float64)
    before = None if plain["before"] is None else np.array(plain["before"], dtype=np.float64)
    stop, trace = plain["stop"], tuple(map(float, plain["trace"]))
    vectors = [theta] if before is None else [theta, before]
    sound = all(each.shape == (size,) and np.isfinite(each).all() for each in vectors)
    if not sound or not trace or not (stop is None or stop in Stop.__members__):
        raise ValueError("no run of this fit")
    return Kept(theta, before, trace, stop, dict(plain.get("more", {})))
