"""Progress of long work: a callback, a bar, or silence."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Report: TypeAlias = Callable[[int, int], None]
"""Told how much is done, and of how much."""

PATIENCE = 1.0
"""Seconds of silence before a bar appears unasked."""


@contextmanager
def watched(progress: bool | Report | None, what: str) -> Iterator[Report]:
    """Something to tell progress to: the caller's callback, a bar on standard error, or nothing.

    None shows a bar only on an interactive terminal, and only once the work has taken a while.
    """
    if callable(progress):
        yield progress
        return
    wanted = progress if progress is not None else sys.stderr.isatty()
    if not wanted:
        yield _silent
        return
    bar = _Bar(what, 0.0 if progress else PATIENCE)
    try:
        yield bar
    finally:
        bar.close()


def _silent(done: int, total: int) -> None:
    del done, total


class _Bar:
    """A bar that appears once `patience` seconds have passed."""

    def __init__(self, what: str, patience: float) -> None:
        self._what, self._patience = what, patience
        self._start = time.monotonic()
        self._stop: Callable[[], None] | None = None
        self._show: Callable[[int, int], None] | None = None

    def __call__(self, done: int, total: int) -> None:
        if self._show is None and time.monotonic() - self._start >= self._patience:
            self._open()
        if self._show is not None:
            self._show(done, total)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        bar = Progress(console=Console(stderr=True), transient=True)
        task = bar.add_task(self._what, total=None)
        bar.start()
        self._stop = bar.stop
        self._show = lambda done, total: bar.update(task, completed=done, total=total)

    def close(self) -> None:
        """Take the bar away."""
        if self._stop is not None:
            self._stop()
