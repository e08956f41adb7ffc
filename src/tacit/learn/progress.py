"""Progress of long work: a callback, a bar, or silence."""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Protocol, TypeAlias

from tacit.core.options import check_flag

Callback: TypeAlias = Callable[[int, int], None] | Callable[[int, int, float | None], None]
"""What a caller may bring: told how much is done, of how much, and the objective if it asks."""

PATIENCE = 1.0
"""Seconds of silence before a bar appears unasked."""


class Report(Protocol):
    """Told how much is done, of how much, and the best objective so far where there is one."""

    def __call__(self, done: int, total: int, objective: float | None = None) -> None:
        """Hear it."""


@contextmanager
def watched(progress: bool | Callback | None, what: str) -> Iterator[Report]:
    """Something to tell progress to: the caller's callback, a bar on standard error, or nothing.

    None shows a bar only on an interactive terminal, and only once the work has taken a while.
    """
    if callable(progress):
        yield _hearing(progress)
        return
    if progress is not None:
        check_flag("progress", progress)
    wanted = progress if progress is not None else sys.stderr.isatty()
    if not wanted:
        yield _silent
        return
    bar = _Bar(what, 0.0 if progress else PATIENCE)
    try:
        yield bar
    finally:
        bar.close()


def _silent(done: int, total: int, objective: float | None = None) -> None:
    del done, total, objective


def _hearing(callback: Any) -> Report:
    """The callback as a report; one that takes two arguments is not told the objective."""
    try:
        inspect.signature(callback).bind(0, 1, None)
        told = 3
    except (TypeError, ValueError):  # ValueError: a builtin that does not say what it takes
        told = 2
    return lambda done, total, objective=None: callback(*(done, total, objective)[:told])


class Tally:
    """Steps of several runs side by side as one count, and the best objective among them.

    A run that ends has done all it was allowed, so that the count reaches the total.
    """

    def __init__(self, told: Report, runs: int, max_steps: int) -> None:
        self._told, self._total, self._most = told, runs * max_steps, max_steps
        self._done: dict[int, int] = {}
        self._sum = 0
        self._best = -float("inf")
        self._lock = Lock()

    def step(self, run: int, steps: int, objective: float, ended: bool = False) -> None:
        """A run has taken so many steps and stands at this objective."""
        with self._lock:
            done = self._most if ended else min(steps, self._most)
            self._sum += done - self._done.get(run, 0)
            self._done[run] = done
            self._best = max(self._best, objective)
            self._told(self._sum, self._total, self._best)


class _Bar:
    """A bar that appears once `patience` seconds have passed."""

    def __init__(self, what: str, patience: float) -> None:
        self._what, self._patience = what, patience
        self._start = time.monotonic()
        self._stop: Callable[[], None] | None = None
        self._show: Report | None = None

    def __call__(self, done: int, total: int, objective: float | None = None) -> None:
        if self._show is None and time.monotonic() - self._start >= self._patience:
            self._open()
        if self._show is not None:
            self._show(done, total, objective)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
        from rich.progress import TimeElapsedColumn as Elapsed

        said = TextColumn("{task.fields[said]}")
        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            said,
            Elapsed(),
            console=Console(stderr=True),
            transient=True,
        )
        task = bar.add_task(self._what, total=None, said="")
        bar.start()
        self._stop = bar.stop

        def show(done: int, total: int, objective: float | None = None) -> None:
            said = "" if objective is None else f"objective {objective:,.3f} nats"
            bar.update(task, completed=done, total=total, said=said)

        self._show = show

    def close(self) -> None:
        """Take the bar away."""
        if self._stop is not None:
            self._stop()
