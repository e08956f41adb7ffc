"""Series that two hidden processes move, where they are, and when the processes start."""

from __future__ import annotations

from typing import Any

import numpy as np

Columns = dict[str, Any]
DIGITS = 3
"""Decimals of real values: enough, and few bytes."""


def series() -> Columns:
    """Two processes over twelve times in six trials, seen by eight series in two halves."""
    random = np.random.default_rng(30)
    courses = random.standard_normal((2, 2, 5))
    scales = random.normal(1, 0.3, (2, 8))
    lines: dict[str, list[Any]] = {"trial": [], "time": []} | {f"s{at}": [] for at in range(8)}
    for trial in range(6):
        shown = 0.4 * random.standard_normal((12, 8))
        for process in range(2):
            first = 6 * ((process + trial) % 2)
            for at in range(8):
                shown[first : first + 5, at] += scales[process, at] * courses[at // 4, process]
        lines["trial"] += [f"t{trial + 1}"] * 12
        lines["time"] += [*range(12)]
        for at in range(8):
            lines[f"s{at}"] += shown[:, at].round(DIGITS).tolist()
    return lines


def places() -> Columns:
    """Where the eight series are: two halves of a small grid."""
    return {
        "series": [f"s{at}" for at in range(8)],
        "x": [float(at // 4) for at in range(8)],
        "y": [float(at % 4) for at in range(8)],
        "region": ["left" if at < 4 else "right" for at in range(8)],
    }


def onsets() -> Columns:
    """When the two processes start in every trial."""
    both = [(trial, process) for trial in range(6) for process in range(2)]
    return {
        "trial": [f"t{trial + 1}" for trial, _ in both],
        "process": [("see", "press")[process] for _, process in both],
        "onset": [float(6 * ((process + trial) % 2)) for trial, process in both],
    }


def open_onsets() -> Columns:
    """The same, the second process between two times."""
    known = onsets()
    second = np.array([name == "press" for name in known["process"]])
    times = np.array(known["onset"])
    free = np.where(second, 1.0, 0.0)
    return {
        **{name: known[name] for name in ("trial", "process")},
        "earliest": np.maximum(times - free, 0.0),
        "latest": times + free,
    }
