"""Independent tasks on a bounded number of threads, their results in the order of the tasks.

Cases are cut into chunks by their number alone and sums over chunks are taken in order, so that
results do not depend on the number of threads.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Thread
from typing import Any, TypeAlias, TypeVar

from tacit.core.errors import OptionError
from tacit.families.conditional_moments import AnyMoments
from tacit.families.counts import Counts, SparseCounts

T = TypeVar("T")
Evidence: TypeAlias = Counts | SparseCounts | AnyMoments
Report: TypeAlias = Callable[[int, int], None]
"""Told how much is done, and of how much."""

SHORTEST = 65_536
MOST_CHUNKS = 64


class IncompleteError(Exception):
    """A missing cell was met where none may be; never leaves this package."""


@dataclass(frozen=True, slots=True)
class Job:
    """Tasks, and how their results, in order, become the statistics of some families."""

    tasks: Sequence[Callable[[], Any]]
    finish: Callable[[list[Any]], Mapping[str, Evidence]]


def chunks(cases: int) -> list[tuple[int, int]]:
    """Spans of cases: long enough to be worth a task, few enough to keep a result of each."""
    length = max(SHORTEST, -(-cases // MOST_CHUNKS))
    length += length % 2  # kernels take two codes at a time
    return [(start, min(start + length, cases)) for start in range(0, cases, length)]


def thread_bound(threads: int | None) -> int:
    """The threads asked for, or one per core that this process may use."""
    if threads is None:
        usable = getattr(os, "sched_getaffinity", None)
        return len(usable(0)) if usable else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise OptionError(f"threads={threads!r} must be a whole number, 1 or more")
    return threads


def in_order(
    tasks: Sequence[Callable[[], T]], threads: int | None = None, progress: Report | None = None
) -> list[T]:
    """What the tasks return. The first error ends all: tasks that have not begun never do.

    The calling thread works too, and it alone tells of progress.
    """
    waiting, results, failed = deque(enumerate(tasks)), dict[int, T](), list[BaseException]()

    def work(told: Report) -> None:
        while not failed:
            try:
                at, task = waiting.popleft()
            except IndexError:
                return
            try:
                results[at] = task()
            except BaseException as problem:
                failed.append(problem)  # the calling thread raises it
            else:
                told(len(results), len(tasks))

    helpers = min(thread_bound(threads), len(tasks)) - 1
    others = [Thread(target=work, args=(_silent,)) for _ in range(helpers)]
    try:
        for other in others:
            other.start()
        work(progress or _silent)
        for other in others:
            other.join()
    finally:
        waiting.clear()
    if failed:
        raise failed[0]
    return [results[at] for at in range(len(tasks))]


def _silent(done: int, total: int) -> None:
    del done, total
