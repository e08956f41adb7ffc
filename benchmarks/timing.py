"""Clocks that all benchmarks share: wall and CPU seconds, memory, bandwidth, fresh processes."""

from __future__ import annotations

import json
import os
import platform
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of the best run, and the number of threads that gave it."""

    wall: float
    cpu: float
    threads: int = 1


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def clock(work: Callable[[], Any], *, patience: float = 1.5, most: int = 100) -> Timing:
    """The best of several runs: as many as `patience` seconds allow, at least one."""
    runs: list[Timing] = []
    start = time.perf_counter()
    while not runs or (time.perf_counter() - start < patience and len(runs) < most):
        wall, cpu = time.perf_counter(), _cpu_seconds()
        result = work()
        runs.append(Timing(time.perf_counter() - wall, _cpu_seconds() - cpu))
        del result
    return min(runs, key=lambda run: run.wall)


def _cpu_seconds() -> float:
    """Of this process and of the children it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def clock_threads(work: Callable[[int], Any], *, patience: float = 1.5, most: int = 100) -> Timing:
    """The best number of threads: one, or one per core."""
    timings = []
    for threads in sorted({1, cores()}):
        best = clock(partial(work, threads), patience=patience, most=most)
        timings.append(Timing(best.wall, best.cpu, threads))
    return min(timings, key=lambda timing: timing.wall)


def copy_bandwidth(size: int = 512_000_000) -> tuple[float, int]:
    """Bytes per second that the cores together copy from one large array to another.

    Each byte counts once, though it is read and written. With the best number of threads, and that
    number.
    """
    source, target = np.ones(size, dtype=np.uint8), np.ones(size, dtype=np.uint8)

    def copy(threads: int) -> None:
        edges = np.linspace(0, size, threads + 1).astype(int)
        spans = [slice(*edge) for edge in pairwise(edges)]
        if threads == 1:
            np.copyto(target, source)
            return
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda span: np.copyto(target[span], source[span]), spans))

    best = clock_threads(copy, patience=1.5)
    return size / best.wall, best.threads


class Memory:
    """How much more memory a piece of work held at its peak than the process held before it.

    `with Memory() as memory: work()`, then `memory.extra`, in bytes; all of the process counts,
    whichever library took it. None where the system does not tell.
    """

    extra: int | None = None
    _before: int | None = None

    def __enter__(self) -> Memory:
        """Forget the highest mark so far."""
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
            self._before = _status("VmRSS")
        return self

    def __exit__(self, *exception: object) -> None:
        """Read the highest mark."""
        if self._before is not None:
            self.extra = max(0, _status("VmHWM") - self._before)


def _status(key: str) -> int:
    found = re.search(rf"{key}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def fresh(script: str, question: Mapping[str, Any], **environment: str) -> dict[str, Any]:
    """What a script answers in a process of its own: it is given JSON and prints JSON last."""
    done = subprocess.run(
        [sys.executable, script, "--answer", json.dumps(question)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        return {"failed": f"exit status {done.returncode}: {last}"}
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def machine(packages: Sequence[str]) -> str:
    """The machine and the packages, in neutral words."""
    kinds = {name: version(name) for name in packages}
    listed = ", ".join(f"{name} {number}" for name, number in kinds.items())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = f"{platform.system()} on {platform.machine()}"
    return (
        f"{cores()} cores, {memory:.0f} GiB of memory, {system}; "
        f"Python {platform.python_version()}; {listed}"
    )


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; all columns but the first to the right."""
    rule = ["---", *("---:" for _ in heads[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, rule, *rows))


def seconds(value: float) -> str:
    """Seconds with the digits they deserve."""
    return f"{value:.3g} s" if value >= 1 else f"{value * 1000:.3g} ms"
