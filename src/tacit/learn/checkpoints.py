"""Checkpoints: enough of a running EM on disk to go on as if nothing had happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.learn.diaries import Diary, Form, damaged
from tacit.learn.fits import Stop

FORM = Form("tacit-checkpoint", "checkpoint", "fit", "runs")


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
    """The file, and the runs it holds."""

    diary: Diary
    runs: dict[int, Kept] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def of_run(self, number: int) -> Kept | None:
        """What is known of a run."""
        return self.runs.get(number)

    def keep(self, number: int, kept: Kept, now: bool = False) -> None:
        """Remember a run; write the file if it is time, whole or not at all."""
        with self._lock:
            self.runs[number] = kept
            if now or self.diary.due:
                self.write()

    def write(self) -> None:
        """Put everything on disk, whole or not at all."""
        self.diary.write(self._plain())

    def _plain(self) -> dict[str, Any]:
        return {
            str(number): {
                "theta": kept.theta.tolist(),
                "before": None if kept.before is None else kept.before.tolist(),
                "trace": list(kept.trace),
                "stop": kept.stop,
                **({"more": dict(kept.more)} if kept.more else {}),
            }
            for number, kept in sorted(self.runs.items())
        }


def open_checkpoint(
    path: str | Path, task: Mapping[str, Any], resume: bool, size: int | None
) -> Checkpoint:
    """A fresh checkpoint, or with `resume` the one on disk, if it is of the same task.

    size  how many parameters there are; None: as many as a network has that changes on the way

    A fresh one is written at once: a file that cannot be written is an error before the work.
    """
    diary = Diary(Path(path), FORM, task)
    if not resume or not Path(path).exists():
        fresh = Checkpoint(diary)
        fresh.write()
        return fresh
    found = FORM.resumed(Path(path), dict(task))
    try:
        runs = {int(number): _kept(each, size) for number, each in found.items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise damaged(path) from None
    return Checkpoint(diary, runs)


def _kept(plain: Mapping[str, Any], size: int | None) -> Kept:
    theta = np.array(plain["theta"], dtype=np.float64)
    before = None if plain["before"] is None else np.array(plain["before"], dtype=np.float64)
    stop, trace = plain["stop"], tuple(map(float, plain["trace"]))
    vectors = [theta] if before is None else [theta, before]
    shape = theta.shape if size is None else (size,)
    sound = all(each.shape == shape and np.isfinite(each).all() for each in vectors)
    sound = sound and theta.ndim == 1
    if not sound or not trace or not (stop is None or stop in Stop.__members__):
        raise ValueError("no run of this fit")
    return Kept(theta, before, trace, stop, dict(plain.get("more", {})))
